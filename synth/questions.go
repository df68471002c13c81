package synth

import (
	"cdpor/constraints"
	"cdpor/lang/slice"
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
	"context"
	"slices"
)

// Questions is what questions about the steps of a program are asked with.
type questions struct {
	ctx       context.Context
	prog      *step.Program
	o         *decide.Oracle
	assumed   []*step.Property // inductive invariants
	known     *facts.Facts
	meet      *slice.Parallel
	actors    map[*step.Template]*term.Actor
	access    map[*step.Step][]place0
	writes    map[*step.Step]map[*step.Var]bool
	enough    map[*step.Pool]bool // see term.Table
	lives     bool                // see term.Table
	workers   int
	newOracle func() (*decide.Oracle, error) // for a helper
	helpers   []*questions
}

func newQuestions(ctx context.Context, prog *step.Program, o *decide.Oracle) *questions {
	p := &questions{ctx: ctx, prog: prog, o: o, actors: map[*step.Template]*term.Actor{},
		access: map[*step.Step][]place0{}, writes: map[*step.Step]map[*step.Var]bool{}, enough: symbolic.Enough(prog)}
	for _, t := range prog.Templates {
		p.actors[t] = &term.Actor{Tmpl: t}
	}
	for _, q := range prog.Procs {
		a := p.actors[q.Template]
		a.Procs = append(a.Procs, q)
	}
	p.lives = slices.ContainsFunc(prog.Invariants, func(inv *step.Property) bool { return expr.MentionsLife(inv.Expr) })
	p.meet = slice.NewParallel(prog)
	p.known = facts.Find(prog, p.actors, p.meet)
	return p
}

// at is an actor that stands at a step.
func (e *questions) at(s *step.Step) *term.Actor {
	a := *e.actors[s.Template]
	a.At = s
	return &a
}

// table makes a table for a question about processes that stand at the steps, in the order of the slots.
func (e *questions) table(steps ...*step.Step) *term.Table {
	var actors []*term.Actor
	for _, s := range steps {
		actors = append(actors, e.at(s))
	}
	t := term.NewTable(actors...)
	e.known.Apply(t)
	t.Enough, t.Lives = e.enough, e.lives
	return t
}

// explore asks a question about states in which processes stand at the steps and the assumed invariants hold. It says
// why it could not be finished.
func (e *questions) explore(what string, question func(r *symbolic.Run), steps ...*step.Step) (failed string) {
	return e.exploreWithin(symbolic.MaxLeaves, what, question, steps...)
}

// exploreWithin does so for a question that may have so many leaves.
func (e *questions) exploreWithin(limit int, what string, question func(r *symbolic.Run), steps ...*step.Step) (failed string) {
	assume := e.related(steps...)
	return symbolic.Explore(e.table(steps...).Asking(what, steps...), e.o, limit, func(r *symbolic.Run) {
		r.AssumeInvariants(assume)
		question(r)
	})
}

// related are the assumed invariants about the variables that some of the steps touch.
func (e *questions) related(steps ...*step.Step) []*step.Property {
	var list []*step.Property
	for _, inv := range e.assumed {
		vars := expr.Shared(inv.Expr, nil)
		for _, s := range steps {
			if touches(s, vars) {
				list = append(list, inv)
				break
			}
		}
	}
	return list
}

func touches(s *step.Step, vars map[*step.Var]bool) bool {
	for _, i := range s.Nodes {
		n := s.Template.Nodes[i]
		for _, x := range []*step.Expr{n.Cond, n.Src, n.Dst} {
			for v := range expr.Shared(x, nil) {
				if vars[v] {
					return true
				}
			}
		}
	}
	return false
}

// ordered reports whether two steps that have data in common are never next in one state. Their constraints would
// never be asked for, so none are looked for: they count as dependent, which is always right.
func (e *questions) ordered(a, b *step.Step) bool {
	return !constraints.Independent(a, b) && !e.meet.Possible(a, b)
}

// threeProcesses tells whether three different processes can stand at the steps.
func (e *questions) threeProcesses(steps ...*step.Step) bool {
	for _, s := range steps {
		n := 0
		for _, r := range steps {
			if r.Template == s.Template {
				n++
			}
		}
		if n > len(e.actors[s.Template].Procs) {
			return false
		}
	}
	return true
}

// takenSteps are the steps of threads that have processes.
func (e *questions) takenSteps() (steps []*step.Step) {
	for _, t := range e.prog.Templates {
		if t.Count > 0 {
			steps = append(steps, t.Steps...)
		}
	}
	return steps
}
