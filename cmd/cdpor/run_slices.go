package main

import (
	"cmp"
	"context"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// cdpor run --slice explores for each property the part of the program that it depends on. Parts that are the same are
// explored once.

// A slicedRun explores a program property by property.
type slicedRun struct {
	*report.Sliced
	command  *runCommand
	env      *environment.Environment
	progress *progress.Progress
	unsaved  error // why the file of --save could not be written
}

// runSliced is cdpor run --slice.
func (c *runCommand) runSliced(ctx context.Context, e *environment.Environment, src step.Loaded, m *step.Machine,
	alg *explore.Algorithm, p *progress.Progress) error {
	switch {
	case c.CompareWith != "", c.Schedule != nil, c.Show > 0:
		return fault.Inputf("--slice goes with none of --compare-with, --schedule and --show")
	case c.HTML != "":
		return fault.Inputf("--slice explores several programs, and --html shows one: cut it out " +
			"with cdpor slice first")
	case c.checkpointFlags.every() > 0:
		return fault.Inputf("--slice explores several programs, and checkpoints are for one")
	case c.Constraints != "":
		return fault.Inputf("--slice finds constraints for each slice; a constraint file is for the whole program")
	}
	r, err := c.newReport(e, alg, m)
	if err != nil {
		return err
	}
	r.Source = src.Source
	r.Knowledge, r.Result = &source.Source{Trust: source.None}, &explore.Result{Algorithm: alg.Name}
	x := &slicedRun{Sliced: &report.Sliced{Report: r, Reported: map[string]bool{}, Verdict: explore.OK},
		command: c, env: e, progress: p}
	var end context.CancelFunc
	x.Patience, end = limits.Patience(ctx)
	defer end()
	if x.Parts, err = report.PartsOf(m.Program); err != nil {
		return err
	}
	if err := x.explore(ctx); err != nil {
		return err
	}
	if c.JSON {
		if err := output.Write(e.Stdout, x.JSON()); err != nil {
			return err
		}
		return cmp.Or(x.unsaved, verdictCode(x.Verdict))
	}
	err = terminal.Folded(e.Stdout, x.Print)
	return cmp.Or(err, x.unsaved, verdictCode(x.Verdict))
}

// explore explores the parts and judges the whole.
func (x *slicedRun) explore(ctx context.Context) error {
	c, e, start := x.command, x.env, x.env.Now()
	var save func(*liveness.Lasso, []int32) bool
	if c.Save != "" {
		save = func(shown *liveness.Lasso, found []int32) bool {
			x.unsaved = c.save(x.Player, shown, found)
			return x.unsaved == nil
		}
	}
	for i, part := range x.Parts {
		if err := x.explorePart(ctx, part); err != nil {
			return err
		}
		x.progress.Done()
		if err := x.Findings(part, save); err != nil {
			return err
		}
		if c.StopAtFirst && part.Result.Verdict == explore.Violated {
			x.Parts = x.Parts[:i+1]
			break
		}
	}
	if err := x.JudgeWhole(ctx, c.GraphStates); err != nil {
		return err
	}
	x.Weigh(c.AllowVacuous)
	for _, v := range x.Result.Violations {
		x.Reported[x.ViolationText(v)] = true
	}
	x.Time = e.Now().Sub(start)
	return nil
}

// explorePart explores the part of the program for some properties.
func (x *slicedRun) explorePart(ctx context.Context, part *report.Part) (err error) {
	c, alg := x.command, x.Algorithm
	program := part.Slice.Cut(nil, part.Checks)
	program.Spec = part.Spec
	program.Invariants = part.Invariants // what others are about may be cut off
	if part.Machine, err = step.NewMachine(program); err != nil {
		return err
	}
	if part.Checks.Outcomes != nil {
		part.Machine.Program.Observe = x.Machine.Program.Observe
	}
	opt, _ := c.options(alg) // checked
	opt.Progress, opt.GiveUp, opt.StopAtFirst = x.progress.Exploring, limits.GivingUp(ctx), c.StopAtFirst
	var set *source.Source
	var ask *source.Asker
	if alg.Chooses && !c.NoConstraints {
		if ask, err = source.NewAsker(part.Machine, host(x.progress), &c.CacheFlags); err != nil {
			return err
		}
	} else if c.wanted(alg) {
		set, err = source.Synthesise(ctx, part.Machine.Program, host(x.progress), &c.CacheFlags)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if set != nil && set.Set != nil {
			opt.Conditions = set.Set.Compile(part.Machine)
		}
	}
	ask.Answers(part.Machine, &opt, nil)
	part.Result, err = explore.Run(ctx, part.Machine, alg, opt)
	if ask.Close(); err != nil {
		return err
	}
	if part.Everywhere, err = invariants.Everywhere(ctx, part.Machine, set, c.GraphStates, part.Result); err != nil {
		return err
	}
	return nil
}
