package run

import (
	"context"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"
)

// The bounds of the search with each access a step of its own: a larger one is left to the user. Both are counts, so
// equal programs give equal reports.
const (
	atomicityNodes = 20_000
	atomicityDepth = 2_000
)

// atomicity says which statements of a program read and write shared data in one step, nil if none does.
func (yamlFrontEnd) atomicity(c *Command, src step.Loaded) *report.Atomicity {
	list := src.(*lang.Source).InOneStep()
	if len(list) == 0 {
		return nil
	}
	q := c.ProgramFlags
	q.Atomicity = "access"
	return &report.Atomicity{Statements: list, Command: "cdpor run " + q.Arguments()}
}

// checkAtomicity explores an ok program with each access a step of its own, if that is little.
func (c *Command) checkAtomicity(ctx context.Context, e *environment.Environment, r *report.Report) error {
	closer := r.Atomicity
	if r.Atomicity = nil; closer == nil || r.Result.Verdict != explore.OK {
		return nil
	}
	q := *c
	q.Atomicity, q.Save = "access", ""
	src, err := q.LoadText(q.Program, q.Text)
	if err != nil {
		return nil // it has something for which a step must be a statement
	}
	m, err := step.NewMachine(src.Form())
	if err != nil {
		return err
	}
	r.Atomicity = closer
	if m.NumActions() > explore.MaxActions {
		return nil
	}
	alg, err := explore.Find("auto")
	if err != nil {
		return err
	}
	x, err := q.newReport(e, alg, m)
	if err != nil {
		return err
	}
	x.Patience = r.Patience
	small, enough := context.WithCancel(ctx)
	defer enough()
	giveUp := limits.GivingUp(ctx)
	x.Result, err = explore.Run(small, m, alg, explore.Options{MaxDepth: atomicityDepth,
		Progress: func(now *explore.Result) {
			if now.Nodes > atomicityNodes {
				enough()
			}
		},
		GiveUp: func(bytes int64) bool { return small.Err() != nil || giveUp != nil && giveUp(bytes) }})
	if err != nil {
		return err
	}
	if x.Result.Stopped == explore.StoppedComplete {
		x.Result.Judge(explore.JudgeLiveness(ctx, m,
			explore.LivenessOptions{MaxStates: atomicityNodes, GiveUp: giveUp}))
	}
	if x.Result.Verdict == explore.OK || x.Result.Verdict == explore.Violated {
		closer.Report = x
	}
	return nil
}
