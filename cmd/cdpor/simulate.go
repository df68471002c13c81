package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/explore/simulate"
	"cdpor/lang/step"
)

// simulateFlags say which random schedules are run: a few before the search, or nothing else.
type simulateFlags struct {
	Simulate *int `placeholder:"N" help:"Run N random schedules and explore nothing: for programs that are too large. Without the flag, a few are run before the search, to show early what they find; 0: none."`
	PCT      int  `name:"pct" placeholder:"D" help:"With --simulate: choose schedules by PCT (ASPLOS 2010) for bugs that take D ordering constraints. Without: each thread has the same chance at each step."`
}

// The schedules before a search are bounded by what does not depend on the clock, so that a run is reproducible.
const (
	fewSchedules   = 100
	fewEvents      = 6000 // of a small program
	fewestEvents   = 1000 // of any
	fewEventsOfOne = 2000
)

// fewDepths are the ways of these schedules, in turn: random walks, and PCT with depth 3.
var fewDepths = []int{0, 3}

func (f *simulateFlags) check(c *runCommand) error {
	switch {
	case f.Simulate != nil && *f.Simulate < 0 || f.PCT < 0:
		return fault.Inputf("--simulate and --pct cannot be negative")
	case f.PCT > 0 && !f.alone():
		return fault.Inputf("--pct says how --simulate N chooses schedules")
	case !f.alone():
	case c.Slice, c.CompareWith != "", c.Schedule != "", c.checkpointFlags.every() > 0, c.ProfileConstraints,
		c.UseConstraints:
		return fault.Inputf("--simulate explores nothing: it goes with none of --slice, --compare-with, --schedule, " +
			"--checkpoint, --profile-constraints and --use-constraints")
	case c.Dot != "", c.Mermaid != "":
		return fault.Inputf("--simulate explores nothing: there is no exploration tree for --dot and --mermaid")
	}
	return nil
}

// alone reports whether schedules are all there is to run.
func (f *simulateFlags) alone() bool { return f.Simulate != nil && *f.Simulate > 0 }

// simulate runs the schedules that are wanted. What it returns is a report about the machine that ran them: a search
// must not see the identities of the processes that they start. It is nil if no schedules are wanted.
func (c *runCommand) simulate(ctx context.Context, of *report, p *progress, a *announcer) (r *report, err error) {
	if c.Simulate != nil && *c.Simulate == 0 {
		return nil, nil
	}
	r = &report{m: of.m, t: of.t, env: of.env, colour: of.colour, command: c, algorithm: of.algorithm, idle: of.idle,
		knowledge: &source.Source{Trust: source.None, Origin: "none: nothing is explored"}}
	if slices.ContainsFunc(of.m.Program.Templates, func(t *step.Template) bool { return t.Pool != nil }) {
		r.m = of.m.Fresh()
		if r.t, err = replay.New(r.m); err != nil {
			return nil, err
		}
	}
	opt := simulate.Options{Schedules: fewSchedules, Depths: fewDepths, MaxEvents: fewEventsOfOne, Seed: c.Seed,
		Budget: max(fewestEvents, fewEvents/simulate.Cost(of.m)), StopAtFirst: c.StopAtFirst,
		Found: a.found(r, "simulation")}
	if c.alone() {
		opt.Schedules, opt.Depths, opt.Budget, opt.MaxEvents = *c.Simulate, []int{c.PCT}, 0, c.MaxDepth
		opt.Progress = p.exploring
	}
	start := p.env.now()
	if r.simulation, err = simulate.Run(ctx, r.m, opt); err != nil {
		return nil, err
	}
	r.result, r.time = r.simulation.Result, p.env.now().Sub(start)
	return r, nil
}

// suffices reports whether a simulation is all that the run does: no more is wanted, not even a tree, or no more can be
// explored.
func (c *runCommand) suffices(simulated *report) bool {
	return c.alone() || simulated != nil && simulated.result.Verdict == explore.Violated &&
		(c.StopAtFirst && c.observer() == nil || simulated.m.NumActions() > explore.MaxActions)
}

// schedules are those of what a simulation has found to be wrong, in text: other machines have other numbers for
// processes that were started.
func (r *report) schedules() (list []string) {
	if r == nil {
		return nil
	}
	for _, v := range r.result.Violations {
		list = append(list, schedules.Format(r.m, v.Schedule))
	}
	return list
}

// addSimulated adds what schedules of a simulation show to be wrong and the search has not come to: it ended early, or
// does not look at all states for invariants. What it has come to stays as it is.
func (r *report) addSimulated(schedules []string) error {
	known := map[string]bool{}
	// A search that reduces need not find all processes that break an always or a transition first (explore/THEORY.md,
	// section 7), so of these it counts which is broken.
	same := func(v *explore.Violation) string {
		if v.Kind == explore.AlwaysBroken || v.Kind == explore.StepBroken {
			return fmt.Sprintf("%s/%p", v.Kind, v.Property)
		}
		return r.sameAs(v)
	}
	for _, v := range r.result.Violations {
		known[same(v)] = true
	}
	for _, text := range schedules {
		var schedule []int32
		if text != "" { // it is wrong from the start
			l, err := parseSchedule(r.m, text)
			if err != nil {
				return err
			}
			schedule = l.Stem
		}
		found, err := explore.Judge(r.m, schedule)
		if err != nil {
			return err
		}
		for _, v := range found {
			if key := same(v); !known[key] {
				known[key] = true
				v.Count = 0
				r.result.Violations, r.result.Verdict = append(r.result.Violations, v), explore.Violated
				r.onlySimulated = append(r.onlySimulated, v)
			}
		}
	}
	return nil
}

// printSimulation writes what was run, in place of the numbers of a search.
func (r *report) printSimulation(line func(string, string, ...any)) {
	s := r.simulation
	way := "random"
	if s.Depth > 0 {
		way = fmt.Sprintf("random, by PCT with depth %d", s.Depth)
	} else if !r.command.alone() {
		way = "random, in turn by walks and by PCT with depth 3"
	}
	line("simulation", "%s, %s, seed %d", terminal.Plural(s.Schedules, "schedule"), way, s.Seed)
	counts := []string{terminal.Plural(int(s.Executions), "execution"), terminal.Plural(int(s.Events), "event"),
		fmt.Sprintf("the longest execution %d", s.MaxDepth)}
	if s.Dropped > 0 {
		counts = append(counts, fmt.Sprintf("%d dropped", s.Dropped))
	}
	if s.Cut > 0 {
		counts = append(counts, fmt.Sprintf("%d cut", s.Cut))
	}
	line("", "%s", strings.Join(counts, ", "))
	switch p := s.Bound(); {
	case s.Depth > 0 && s.Cut > 0:
		line("", "no bound: executions were cut, so their length is not known")
	case p > 0:
		line("", "a bug of depth %d is met with probability %s at least, if no execution has", s.Depth, probability(p))
		line("", "more than %s: 1-(1-1/(n k^(d-1)))^m, n=%d k=%d d=%d m=%d", terminal.Plural(s.Length, "event"), s.Threads,
			s.Length, s.Depth, s.Bounded)
	}
}

// probability writes one with two digits that are not rounded up.
func probability(p float64) string {
	text := fmt.Sprintf("%.2g", p)
	if p < 1 && text == "1" {
		return "0.99"
	}
	return text
}

// A jsonSimulation is what random schedules were run.
type jsonSimulation struct {
	Schedules   int     `json:"schedules"`
	Seed        int64   `json:"seed"`
	Depth       int     `json:"depth"` // of PCT, 0: random walks
	Threads     int     `json:"threads"`
	Length      int     `json:"length"`
	Bounded     int     `json:"bounded"`
	Probability float64 `json:"probability"`
}

func (r *report) simulationJSON() *jsonSimulation {
	if s := r.simulation; s != nil {
		return &jsonSimulation{s.Schedules, s.Seed, s.Depth, s.Threads, s.Length, s.Bounded, s.Bound()}
	}
	return nil
}
