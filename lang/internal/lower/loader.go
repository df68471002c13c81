package lower

import (
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/instrument"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/internal/vet"
	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

// Options change a program without editing it.
type Options struct {
	Params    map[string]string // overrides NAME=VALUE of parameters, values in expression syntax
	Atomicity string            // "", "statement" or "access": overrides the file's
}

// A Result is a loaded program: the checked step form plus what only the surface knows.
type Result struct {
	Program  *step.Program
	File     *syntax.File // the text, for messages
	Expect   []*Expect    // the expect section
	Findings *vet.Findings
}

// An Expect is one entry of the expect section: the numbers a program must give.
type Expect struct {
	Pos  step.Pos
	With map[string]string // overrides of parameters
	// empty: every key has its own default meaning
	Algorithms                                               []string // or all
	Traces, Outcomes, Deadlocks, Executions, Blocked, States *int64   // nil: not given
	Histories                                                *int64
	Verdict                                                  string // "", or ok, violation, deadlock, vacuous
	// Fails names all that fails, each by its kind or by a part of its text; nil: not given.
	Fails []string
}

// maxProcs bounds the number of running threads.
const maxProcs = 1000

// defaultRecursion is the number of calls that may be inside each other unless bounds say otherwise.
const defaultRecursion = 64

// readRoutines reads the signatures of a section.
func readRoutines(l *loader, n *yaml.Node, what string) (list []*check.Routine) {
	if n == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, kv := range l.Entries(n, what+"s") {
		code, ok := l.Code(kv[0], "the head of a "+what)
		if !ok {
			continue
		}
		name, params, result, ok := syntax.ParseSignature(l.Reporter, code)
		if !ok {
			l.Faulty[l.File.Word(syntax.NamePos(kv[0]))] = true
			continue
		}
		d := &check.Routine{Name: name, Key: syntax.KeyOf(kv[0])}
		l.bodies[d] = kv[1]
		switch {
		case slices.Contains(check.Builtins, name) || syntax.IsTypeWord(name) || l.Types[name] != nil:
			l.At(kv[0], "", "%s has a meaning in the language", name)
			continue
		case seen[name] || l.Funcs[name] != nil:
			l.At(kv[0], "", "%s is already declared", name)
			continue
		}
		seen[name] = true
		for _, p := range params {
			t := l.ResolveType(l.Reporter, p.Type)
			if t != nil && types.Pinned(t) {
				l.Report(p.Type.Pos, p.Type.End, "", "a %s cannot be given by value", types.PinnedWord(t))
				t = nil
			}
			ok = ok && t != nil
			d.Params = append(d.Params, check.RoutineParam{Name: p.Name, At: p.At, Type: t})
		}
		if result != nil {
			d.Result = l.ResolveType(l.Reporter, result)
			ok = ok && d.Result != nil
		}
		if ok {
			list = append(list, d)
			l.Heads[name] = kv[0].Value
			l.MentionKey(kv[0], syntax.Mention{What: what, Name: name, Type: kv[0].Value}, nil)
			for _, p := range d.Params {
				l.Mention(syntax.Mention{Pos: p.At, What: "variable", Name: p.Name, Decl: p.At}, p.Type)
			}
		}
	}
	return list
}

// A loader holds a program while its sections are read.
type loader struct {
	*syntax.Reporter
	*check.Table
	opt        Options
	prog       *step.Program
	access     bool
	races      bool // are forbidden
	expect     []*Expect
	findings   *vet.Findings
	recursion  int // calls of functions inside each other
	inlining   int // calls of one procedure inside each other; 0: none
	duties     []*instrument.Duty
	operations int // of one process at most, as bounds say; 0: they do not
	performed  map[*step.Template]*instrument.Performed
	performs   map[string]string             // the heads of the operations of the specification, by name
	code       func() []syntax.Token         // of the whole program
	bodies     map[*check.Routine]*yaml.Node // what is declared, as it stands in the file
	fields     map[*check.Class]*yaml.Node
	started    map[*check.Identities]*threadDecl
	crashes    int // in one execution, at most
}

// A threadDecl is a thread entry with its parts still as they stand in the file.
type threadDecl struct {
	t      *step.Template
	run    *yaml.Node
	params []threadParam
}

type threadParam struct {
	key  *yaml.Node
	expr *syntax.Expr
}

func newLoader(path string, opt Options) *loader {
	return &loader{Reporter: syntax.NewReporter(syntax.NewFile(path, nil)), Table: check.NewTable(), opt: opt,
		prog: &step.Program{Path: path}, performed: map[*step.Template]*instrument.Performed{},
		findings: &vet.Findings{Asked: map[step.Pos]bool{}}, recursion: defaultRecursion,
		bodies: map[*check.Routine]*yaml.Node{}, fields: map[*check.Class]*yaml.Node{},
		started: map[*check.Identities]*threadDecl{}}
}

// instancesOf finds out how many instances of a thread there are, and whether that is said.
func (l *loader) instancesOf(d *yaml.Node) (count int, said bool) {
	if d.Kind != yaml.MappingNode {
		return 1, false
	}
	n := int64(1)
	for k := 0; k+1 < len(d.Content); k += 2 {
		if d.Content[k].Value != "count" {
			continue
		}
		r := l.Silent()
		if e := r.ValueExpr(d.Content[k+1]); e != nil {
			n, _ = check.ConstInt(l.Checker(r, check.ConstNames{}), e, "")
		}
		said = true
	}
	return int(min(max(n, 0), maxProcs)), said
}
