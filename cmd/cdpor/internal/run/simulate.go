package run

import (
	"context"
	"slices"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/explore/simulate"
	"cdpor/lang/step"
)

// The schedules before a search are bounded by what does not depend on the clock, so that a run is reproducible.
const (
	fewSchedules   = 100
	fewEvents      = 6000 // of a small program
	fewestEvents   = 1000 // of any
	fewEventsOfOne = 2000
)

// fewDepths are the ways of these schedules, in turn: random walks, and PCT with depth 3.
var fewDepths = []int{0, 3}

func (f *simulateFlags) check(c *Command) error {
	switch {
	case f.Simulate != nil && *f.Simulate < 0 || f.PCT < 0:
		return fault.Inputf("--simulate and --pct cannot be negative")
	case f.PCT > 0 && !f.alone():
		return fault.Inputf("--pct says how --simulate N chooses schedules")
	case !f.alone():
	case c.Schedule != nil, c.CheckpointFlags.Every() > 0, c.UseConstraints:
		return fault.Inputf("--simulate explores nothing: it goes with none of --schedule, " +
			"--checkpoint and --use-constraints")
	}
	return nil
}

// alone reports whether schedules are all there is to run.
func (f *simulateFlags) alone() bool { return f.Simulate != nil && *f.Simulate > 0 }

// simulate runs the schedules that are wanted. What it returns is a report about the machine that ran them: a search
// must not see the identities of the processes that they start. It is nil if no schedules are wanted.
func (c *Command) simulate(ctx context.Context, of *report.Report, p *progress.Progress, a *progress.Announcer) (
	r *report.Report, err error) {
	if c.Simulate != nil && *c.Simulate == 0 {
		return nil, nil
	}
	copied := *of
	r = &copied
	r.Knowledge, r.Atomicity = &source.Source{Trust: source.None, Origin: "none: nothing is explored"}, nil
	if slices.ContainsFunc(of.Machine.Program.Templates, func(t *step.Template) bool { return t.Pool != nil }) {
		r.Machine = of.Machine.Fresh()
		if r.Player, err = replay.New(r.Machine); err != nil {
			return nil, err
		}
	}
	opt := simulate.Options{Schedules: fewSchedules, Depths: fewDepths, MaxEvents: fewEventsOfOne, Seed: c.Seed,
		Budget: max(fewestEvents, fewEvents/simulate.Cost(of.Machine)), StopAtFirst: c.StopAtFirst,
		Found: a.Found(r, "simulation")}
	if c.alone() {
		opt.Schedules, opt.Depths, opt.Budget, opt.MaxEvents = *c.Simulate, []int{c.PCT}, 0, c.MaxDepth
		opt.Progress = p.Exploring
	}
	start := p.Env.Now()
	if r.Simulation, err = simulate.Run(ctx, r.Machine, opt); err != nil {
		return nil, err
	}
	r.Result, r.Time = r.Simulation.Result, p.Env.Now().Sub(start)
	return r, nil
}

// suffices reports whether a simulation is all that the run does: no more is wanted, not even a tree, or no more can be
// explored.
func (c *Command) suffices(simulated *report.Report) bool {
	return c.alone() || simulated != nil && simulated.Result.Verdict == explore.Violated &&
		(c.StopAtFirst && c.observer() == nil || simulated.Machine.NumActions() > explore.MaxActions)
}
