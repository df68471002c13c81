// Package question asks about steps of one program: in all states in which processes stand at them, with what is known
// of these states, and with several solvers at once.
package question

import (
	"context"
	"slices"

	"cdpor/constraints"
	"cdpor/lang/slice"
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
)

// Questions is what questions about the steps of a program are asked with.
type Program struct {
	Ctx       context.Context
	Prog      *step.Program
	Oracle    *decide.Oracle
	Assumed   []*step.Property // inductive invariants
	Facts     *facts.Facts
	Meet      *slice.Parallel
	Actors    map[*step.Template]*term.Actor
	access    map[*step.Step][]Access
	writes    map[*step.Step]map[*step.Var]bool
	Enough    map[*step.Pool]bool // see term.Table
	Lives     bool                // see term.Table
	Workers   int
	NewOracle func() (*decide.Oracle, error) // for a helper
	helpers   []*Program
}

// New prepares for questions about a program. The error is that of the context, which has ended.
func New(ctx context.Context, prog *step.Program, o *decide.Oracle) (p *Program, err error) {
	p = &Program{Ctx: ctx, Prog: prog, Oracle: o, Actors: map[*step.Template]*term.Actor{},
		access: map[*step.Step][]Access{}, writes: map[*step.Step]map[*step.Var]bool{}, Enough: symbolic.Enough(prog)}
	for _, t := range prog.Templates {
		p.Actors[t] = &term.Actor{Tmpl: t}
	}
	for _, q := range prog.Procs {
		a := p.Actors[q.Template]
		a.Procs = append(a.Procs, q)
	}
	p.Lives = slices.ContainsFunc(prog.Invariants, func(inv *step.Property) bool { return expr.MentionsLife(inv.Expr) })
	p.Meet = slice.NewParallel(prog)
	p.Facts, err = facts.Find(ctx, prog, p.Actors, p.Meet)
	return p, err
}

// at is an actor that stands at a step.
func (e *Program) at(s *step.Step) *term.Actor {
	a := *e.Actors[s.Template]
	a.At = s
	return &a
}

// Table makes a table for a question about processes that stand at the steps, in the order of the slots.
func (e *Program) Table(steps ...*step.Step) *term.Table {
	var actors []*term.Actor
	for _, s := range steps {
		actors = append(actors, e.at(s))
	}
	t := term.NewTable(actors...)
	e.Facts.Apply(t)
	t.Enough, t.Lives = e.Enough, e.Lives
	return t
}

// Explore asks a question about states in which processes stand at the steps and the assumed invariants hold. It says
// why it could not be finished.
func (e *Program) Explore(what string, question func(r *symbolic.Run), steps ...*step.Step) (failed string) {
	return e.ExploreWithin(symbolic.MaxLeaves, what, question, steps...)
}

// ExploreWithin does so for a question that may have so many leaves.
func (e *Program) ExploreWithin(limit int, what string, question func(r *symbolic.Run),
	steps ...*step.Step) (failed string) {
	assume := e.Related(steps...)
	return symbolic.Explore(e.Table(steps...).Asking(what, steps...), e.Oracle, limit, func(r *symbolic.Run) {
		r.AssumeInvariants(assume)
		question(r)
	})
}

// Unlisted does some work of which a file need not list the facts that it uses.
func (e *Program) Unlisted(work func()) { e.Facts.Using(facts.NewUses(), work) }

// Related are the assumed invariants about the variables that some of the steps touch.
func (e *Program) Related(steps ...*step.Step) []*step.Property {
	var list []*step.Property
	for _, inv := range e.Assumed {
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

// Ordered reports whether two steps that have data in common are never next in one state. Their constraints would
// never be asked for, so none are looked for: they count as dependent, which is always right.
func (e *Program) Ordered(a, b *step.Step) bool {
	return !constraints.Independent(a, b) && !e.Meet.Possible(a, b)
}

// ThreeProcesses reports whether three different processes can stand at the steps.
func (e *Program) ThreeProcesses(steps ...*step.Step) bool {
	for _, s := range steps {
		n := 0
		for _, r := range steps {
			if r.Template == s.Template {
				n++
			}
		}
		if n > len(e.Actors[s.Template].Procs) {
			return false
		}
	}
	return true
}

// TakenSteps are the steps of threads that have processes.
func (e *Program) TakenSteps() (steps []*step.Step) {
	for _, t := range e.Prog.Templates {
		if t.Count > 0 {
			steps = append(steps, t.Steps...)
		}
	}
	return steps
}
