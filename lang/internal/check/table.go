package check

import (
	"slices"
	"strings"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// A Table holds the names that are known everywhere in a program.
type Table struct {
	Processes     int                   // how many threads will run
	primitives    map[string]*step.Type // types of primitives, by name and number
	SharedVars    map[string]*step.Var
	Params        map[string]*step.Param
	Threads       map[string]bool
	enums         []*step.Type              // structurally different ones
	Types         map[string]*step.Type     // declared ones; nil for a faulty one
	Funcs         map[string]*step.Func     // functions of the program
	Heads         map[string]string         // of functions, as written
	Procs         map[string]*Routine       // procedures, while the file is read
	Lengths       map[*step.Type]*step.Expr // capacities that are written as a parameter
	Literal       map[*step.Type]bool       // or as a number
	Spawned       []*Identities
	Classes       []*Class
	IdentityNames []string // what the numbers of identities are called
	Tid           *step.Type
	References    map[string]*step.Type // by class
	futures       map[string]*step.Type // by type of the result
	Results       map[string]*step.Var  // of futures, by type
	ResultOrder   []string
	Life          *step.Var
	Mailboxes     []*Mailbox
	Crashed       map[string]*step.Var                      // thread.crashed, by thread
	Hide          func(name string, t *step.Type) *step.Var // makes hidden shared variables
	tallies       map[tallyKey]*step.Var
	Unrolled      int             // elements that all, any, count, sum and contains have been written out for
	Used          map[string]bool // parameters, functions and procedures that something mentions
	Faulty        map[string]bool // functions and procedures whose heads could not be read
	Unsure        bool            // a declaration could not be read, so that unknown names may be its
	Probes        int             // expressions looked at for their type alone
}

// NewTable is a table without declarations.
func NewTable() *Table {
	return &Table{primitives: map[string]*step.Type{}, SharedVars: map[string]*step.Var{},
		Params: map[string]*step.Param{}, Threads: map[string]bool{},
		Types: map[string]*step.Type{}, Heads: map[string]string{}, Funcs: map[string]*step.Func{},
		Procs: map[string]*Routine{}, Lengths: map[*step.Type]*step.Expr{}, Literal: map[*step.Type]bool{},
		References: map[string]*step.Type{}, futures: map[string]*step.Type{}, Results: map[string]*step.Var{},
		Used: map[string]bool{}, Faulty: map[string]bool{}, Crashed: map[string]*step.Var{},
		tallies: map[tallyKey]*step.Var{}}
}

// Checker checks expressions in a scope.
func (t *Table) Checker(r *syntax.Reporter, s Scope) *Checker {
	return &Checker{Reporter: r, Table: t, scope: s, sizes: map[*step.Expr]int{}, Chosen: map[*syntax.Expr]*step.Expr{}}
}

// IdentitiesOf finds the identities of what is started under a name, or nil.
func (t *Table) IdentitiesOf(name string) *Identities {
	for _, p := range t.Spawned {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// ClassNamed is the class of a name, or nil.
func (t *Table) ClassNamed(name string) *Class {
	for _, c := range t.Classes {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// classesOf are the classes that a reference may be of.
func (t *Table) classesOf(typ *step.Type) (list []*Class) {
	for _, name := range strings.Split(typ.Ref, "|") {
		if c := t.ClassNamed(name); c != nil {
			list = append(list, c)
		}
	}
	return list
}

// MailboxOf is the mailbox of a thread, or nil.
func (t *Table) MailboxOf(thread string) *Mailbox {
	for _, m := range t.Mailboxes {
		if m.Thread == thread {
			return m
		}
	}
	return nil
}

// IsMailbox reports whether a shared variable is one that no shared section declares.
func (t *Table) IsMailbox(v *step.Var) bool {
	return slices.ContainsFunc(t.Mailboxes, func(m *Mailbox) bool { return m.Var == v })
}

// IsCrashed reports whether a shared variable says who has crashed.
func (t *Table) IsCrashed(v *step.Var) bool {
	for _, c := range t.Crashed {
		if c == v {
			return true
		}
	}
	return false
}
