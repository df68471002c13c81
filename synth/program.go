package synth

import (
	"context"
	"slices"

	"cdpor/lang/slice"
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
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
