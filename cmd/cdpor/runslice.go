package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/lang"
	"cdpor/lang/step"
)

// cdpor run --slice explores for each property the part of the program that it depends on. Parts that are the same are explored once.

// A slicedRun explores a program property by property.
type slicedRun struct {
	*sliced
	command  *runCommand
	env      *environment
	src      *lang.Source
	progress *progress
}

// runSliced is cdpor run --slice.
func (c *runCommand) runSliced(ctx context.Context, e *environment, src *lang.Source, m *step.Machine, alg *explore.Algorithm, p *progress) error {
	switch {
	case c.CompareWith != "", c.Schedule != "", c.ProfileConstraints, c.Show > 0:
		return fault.Inputf("--slice goes with none of --compare-with, --schedule, --profile-constraints and --show")
	case c.HTML != "", c.Dot != "", c.Mermaid != "":
		return fault.Inputf("--slice explores several programs, and --html, --dot and --mermaid show one: cut it out with cdpor slice first")
	case c.checkpointFlags.every() > 0:
		return fault.Inputf("--slice explores several programs, and checkpoints are for one")
	case c.Constraints != "":
		return fault.Inputf("--slice finds constraints for each slice; a constraint file is for the whole program")
	}
	r := &report{m: m, out: e.stdout, colour: e.colour(e.stdout), options: c.reported(e, alg), algorithm: alg,
		knowledge: &source.Source{Trust: source.None}, result: &explore.Result{Algorithm: alg.Name}}
	x := &slicedRun{sliced: &sliced{report: r, reported: map[string]bool{}, verdict: explore.OK}, command: c, env: e, src: src, progress: p}
	var end context.CancelFunc
	x.patience, end = limits.Patience(ctx)
	defer end()
	var err error
	if x.t, err = replay.New(m); err != nil {
		return err
	}
	if x.parts, err = slicedParts(src.Program); err != nil {
		return err
	}
	if err := x.explore(ctx); err != nil {
		return err
	}
	if c.JSON {
		if err := output.Write(e.stdout, x.json()); err != nil {
			return err
		}
		return verdictCode(x.verdict)
	}
	err = terminal.Folded(e.stdout, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "\n%-12s %s\n", "verdict", x.colour.Verdict(x.verdict, slicedVerdict(x.verdict, len(x.reported))))
		return err
	})
	return cmp.Or(err, verdictCode(x.verdict))
}

// explore explores the parts and judges the whole. What is for people is printed part by part.
func (x *slicedRun) explore(ctx context.Context) error {
	c, e, start := x.command, x.env, x.env.now()
	if !c.JSON {
		if err := terminal.Folded(e.stdout, func(w io.Writer) error {
			x.printProgram(lineTo(w))
			return nil
		}); err != nil {
			return err
		}
	}
	var save func(*liveness.Lasso, []int32) error
	if c.Save != "" {
		save = func(shown *liveness.Lasso, found []int32) error { return c.save(x.t, shown, found) }
	}
	for i, part := range x.parts {
		if err := x.explorePart(ctx, part); err != nil {
			return err
		}
		x.progress.done()
		x.result.Stopped = part.result.Stopped
		if err := x.findings(part, save); err != nil {
			return err
		}
		if !c.JSON {
			if err := terminal.Folded(e.stdout, func(w io.Writer) error { return x.printPart(w, part) }); err != nil {
				return err
			}
		}
		if x.verdict == explore.OK || part.result.Verdict == explore.Violated {
			x.verdict = part.result.Verdict
		}
		if c.StopAtFirst && x.verdict == explore.Violated {
			x.parts = x.parts[:i+1]
			break
		}
	}
	if err := x.judgeWhole(ctx, c.GraphStates); err != nil {
		return err
	}
	if found := x.result.Verdict; found != explore.OK && x.verdict != explore.Violated {
		x.verdict = found
	}
	for _, v := range x.result.Violations {
		x.reported[x.violationText(v)] = true
	}
	x.time = e.now().Sub(start)
	if c.JSON {
		return nil
	}
	return terminal.Folded(e.stdout, x.printWhole)
}

// explorePart explores the part of the program for some properties.
func (x *slicedRun) explorePart(ctx context.Context, part *slicedPart) (err error) {
	c, alg := x.command, x.algorithm
	program := part.slice.Cut(nil, part.checks)
	program.Spec = part.spec
	program.Invariants = part.invariants // what others are about may be cut off
	if part.m, err = step.NewMachine(program); err != nil {
		return err
	}
	cut := &lang.Source{Program: part.m.Program, File: x.src.File}
	if part.checks.Outcomes != nil {
		cut.Program.Observe = x.src.Program.Observe
	}
	opt, _ := c.options(alg) // checked
	opt.Progress, opt.GiveUp, opt.StopAtFirst = x.progress.exploring, limits.GivingUp(ctx), c.StopAtFirst
	var set *source.Source
	var ask *source.Asker
	if alg.Chooses && !c.NoConstraints {
		if ask, err = source.NewAsker(part.m, x.progress.host(), &c.CacheFlags); err != nil {
			return err
		}
	} else if c.wanted(alg) {
		set, err = source.Synthesise(ctx, cut, x.progress.host(), &c.CacheFlags)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if set != nil && set.Set != nil {
			opt.Conditions = set.Set.Compile(part.m)
		}
	}
	ask.Answers(part.m, &opt, nil)
	part.result, err = explore.Run(ctx, part.m, alg, opt)
	if ask.Close(); err != nil {
		return err
	}
	if part.everywhere, err = invariants.Everywhere(ctx, part.m, set, c.GraphStates, part.result); err != nil {
		return err
	}
	c.allow(part.result)
	return nil
}
