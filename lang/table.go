package lang

import (
	"slices"
	"strings"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// A table holds the names that are known everywhere in a program.
type table struct {
	processes     int                   // how many threads will run
	primitives    map[string]*step.Type // types of primitives, by name and number
	sharedVars    map[string]*step.Var
	params        map[string]*step.Param
	threads       map[string]bool
	enums         []*step.Type              // structurally different ones
	types         map[string]*step.Type     // declared ones; nil for a faulty one
	funcs         map[string]*step.Func     // functions of the program
	heads         map[string]string         // of functions, as written
	procs         map[string]*routine       // procedures, while the file is read
	lengths       map[*step.Type]*step.Expr // capacities that are written as a parameter
	spawned       []*identities
	classes       []*class
	identityNames []string // what the numbers of identities are called
	tid           *step.Type
	references    map[string]*step.Type // by class
	futures       map[string]*step.Type // by type of the result
	results       map[string]*step.Var  // of futures, by type
	resultOrder   []string
	life          *step.Var
	mailboxes     []*mailbox
	hide          func(name string, t *step.Type) *step.Var // makes hidden shared variables
	tallies       map[tallyKey]*step.Var
	unrolled      int             // elements that all, any, count, sum and contains have been written out for
	used          map[string]bool // parameters, functions and procedures that something mentions
	faulty        map[string]bool // functions and procedures whose heads could not be read
	unsure        bool            // a declaration could not be read, so that unknown names may be its
	probes        int             // expressions looked at for their type alone
}

func newTable() *table {
	return &table{primitives: map[string]*step.Type{}, sharedVars: map[string]*step.Var{}, params: map[string]*step.Param{}, threads: map[string]bool{},
		types: map[string]*step.Type{}, heads: map[string]string{}, funcs: map[string]*step.Func{}, procs: map[string]*routine{}, lengths: map[*step.Type]*step.Expr{},
		references: map[string]*step.Type{}, futures: map[string]*step.Type{}, results: map[string]*step.Var{}, used: map[string]bool{}, faulty: map[string]bool{}, tallies: map[tallyKey]*step.Var{}}
}

func (t *table) checker(r *syntax.Reporter, s scope) *checker {
	return &checker{Reporter: r, table: t, scope: s, sizes: map[*step.Expr]int{}, chosen: map[*syntax.Expr]*step.Expr{}}
}

func (t *table) identitiesOf(name string) *identities {
	for _, p := range t.spawned {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (t *table) classNamed(name string) *class {
	for _, c := range t.classes {
		if c.name == name {
			return c
		}
	}
	return nil
}

// classesOf are the classes that a reference may be of.
func (t *table) classesOf(typ *step.Type) (list []*class) {
	for _, name := range strings.Split(typ.Ref, "|") {
		if c := t.classNamed(name); c != nil {
			list = append(list, c)
		}
	}
	return list
}

func (t *table) mailboxOf(thread string) *mailbox {
	for _, m := range t.mailboxes {
		if m.thread == thread {
			return m
		}
	}
	return nil
}

// isMailbox reports whether a shared variable is one that no shared section declares.
func (t *table) isMailbox(v *step.Var) bool {
	return slices.ContainsFunc(t.mailboxes, func(m *mailbox) bool { return m.v == v })
}
