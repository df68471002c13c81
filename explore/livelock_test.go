package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"cdpor/explore/liveness"
	"cdpor/explore/oracle"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

const (
	maxLiveStates = 400 // larger programs are drawn again
	maxTogether   = 11  // as are those with larger strongly connected components
)

// TestLivenessDifferential compares what is found out about termination, eventually and leads_to of random programs
// with what their definitions say.
func TestLivenessDifferential(t *testing.T) {
	var failed atomic.Bool
	var wg sync.WaitGroup
	counts := &liveCounts{}
	next := atomic.Int64{}
	n := int64(*programs)
	if n == 2000 { // no other number was asked for
		n = 600
	}
	for range runtime.NumCPU() {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < n && !failed.Load(); i = next.Add(1) - 1 {
				rng := rand.New(rand.NewSource(*seed*1_000_003 + i))
				text := ""
				err := oracle.ErrLimit
				for errors.Is(err, oracle.ErrLimit) {
					c := random.DrawLive(rng)
					if text = random.Program(rng, c); rng.Intn(2) == 0 {
						c.Vars, text = 2, random.Waiting(rng)
					}
					text += random.Liveness(rng, c)
					err = compareLive(text, counts)
				}
				if err != nil && !failed.Swap(true) {
					t.Errorf("seed %d, program %d: %v\n%s", *seed, i, err, text)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%+v", counts)
	for name, c := range map[string]*atomic.Int64{"cannot end": &counts.classes[liveness.CannotEnd],
		"ends if weakly fair": &counts.classes[liveness.EndIfWeak], "ends if strongly fair": &counts.classes[liveness.EndIfStrong],
		"need not end": &counts.classes[liveness.NeedNotEnd], "eventually broken": &counts.never, "leads to broken": &counts.follows,
		"counting": &counts.counting, "ending by reduction": &counts.reduced, "differing by strong fairness": &counts.strong} {
		if c.Load() == 0 {
			t.Errorf("no program was of the kind: %s", name)
		}
	}
}

type liveCounts struct {
	classes                                            [5]atomic.Int64
	never, follows, counting, reduced, strong, endless atomic.Int64
}

func compareLive(text string, counts *liveCounts) error {
	m, err := load(text)
	if err != nil {
		return err
	}
	g, err := oracle.SearchLive(m, maxLiveStates)
	if err != nil {
		return err
	}
	c := &m.Program.Checks
	l := JudgeLiveness(context.Background(), m, LivenessOptions{})
	if l.States != len(g.States) {
		return fmt.Errorf("%d states, the oracle has %d", l.States, len(g.States))
	}
	found := map[*step.Property]*Violation{}
	var way, endless *Violation
	for _, v := range l.Violations {
		switch v.Kind {
		case NoWayToEnd:
			way = v
		case Endless:
			endless = v
		default:
			found[v.Property] = v
		}
		if err := checkLasso(m, v, l.Fairness); err != nil {
			return fmt.Errorf("%s: %w", v.Kind, err)
		}
	}
	if err := compareTermination(m, g, l, counts); err != nil {
		return err
	}
	if (way != nil) != (g.Lost() > 0) {
		return fmt.Errorf("no way to end is reported: %t, but %d states have none", way != nil, g.Lost())
	}
	if endless != nil {
		counts.endless.Add(1)
	}
	strong := l.Fairness == liveness.Strong
	on, err := g.GoesOn(0, g.CanEnd, true, strong, maxTogether)
	if err != nil {
		return err
	}
	if c.Termination == step.TerminationFair && on != (endless != nil) {
		return fmt.Errorf("an end can be reached and need not be, by a fair scheduler: %t", on)
	}
	holds := func(e *step.Expr) func(int) bool {
		f, r := m.CompileCondition(e, -1, -1), m.NewRunner()
		return func(s int) bool {
			holds, ok := f(r, g.States[s])
			return holds && ok
		}
	}
	for _, p := range c.Eventually {
		is := holds(p.Expr)
		broken, err := g.Never(0, func(s int) bool { return !is(s) }, true, strong, maxTogether)
		if err != nil {
			return err
		}
		if broken != (found[p] != nil) {
			return fmt.Errorf("eventually %s is broken: %t", p.Text, broken)
		}
		if broken {
			counts.never.Add(1)
		}
	}
	for _, p := range c.LeadsTo {
		from, to, broken := holds(p.From), holds(p.To), false
		for s := range g.States {
			if from(s) && !to(s) && !broken {
				if broken, err = g.Never(s, func(s int) bool { return !to(s) }, true, strong, maxTogether); err != nil {
					return err
				}
			}
		}
		if broken != (found[p.Property] != nil) {
			return fmt.Errorf("%s is broken: %t", p.Text, broken)
		}
		if broken {
			counts.follows.Add(1)
		}
	}
	return nil
}

func compareTermination(m *step.Machine, g *oracle.LiveGraph, l *Liveness, counts *liveCounts) error {
	inside := func(s int) bool { return g.CanEnd(s) }
	can := map[int]bool{}
	for s := range g.States {
		can[s] = inside(s)
	}
	class := liveness.AllEnd
	for i, fair := range [][2]bool{{false, false}, {true, false}, {true, true}} {
		on, err := g.GoesOn(0, func(s int) bool { return can[s] }, fair[0], fair[1], maxTogether)
		if err != nil {
			return err
		}
		if on {
			class = []liveness.Class{liveness.EndIfWeak, liveness.EndIfStrong, liveness.NeedNotEnd}[i]
		}
	}
	if class == liveness.EndIfStrong {
		counts.strong.Add(1)
	}
	if lost := g.Lost(); lost > 0 {
		class = liveness.CannotEnd
		if l.Termination.Lost != lost {
			return fmt.Errorf("%d states are lost, not %d", lost, l.Termination.Lost)
		}
	}
	if class != l.Termination.Class {
		return fmt.Errorf("termination is of class %d, not %d", class, l.Termination.Class)
	}
	counts.classes[class].Add(1)
	if l.Counting {
		counts.counting.Add(1)
		if class != liveness.AllEnd {
			return errors.New("all loops are taken to count")
		}
	}
	if (&Liveness{}).allEnd(context.Background(), m, LivenessOptions{}, firstEffort) {
		counts.reduced.Add(1)
		if class != liveness.AllEnd {
			return errors.New("all executions are taken to end because a reduced search came to its end")
		}
	}
	if t := l.Termination; t.Leavable != nil {
		return checkLasso(m, &Violation{Kind: Endless, Schedule: t.Leavable.Stem, Cycle: t.Leavable.Cycle}, t.Fair)
	}
	return nil
}

// checkLasso runs a lasso and looks whether it shows what it is to show, by definition.
func checkLasso(m *step.Machine, v *Violation, f liveness.Fairness) error {
	r, s := m.NewRunner(), m.Initial()
	var states []step.State
	take := func(list []int32) error {
		for _, a := range list {
			states = append(states, slices.Clone(s))
			if !r.CanTake(s, int(a)) {
				return fmt.Errorf("action %d is not possible", a)
			}
			r.Take(s, int(a))
		}
		return nil
	}
	if err := take(v.Schedule); err != nil {
		return err
	}
	at := slices.Clone(s)
	if err := take(v.Cycle); err != nil {
		return err
	}
	if !slices.Equal(at, s) {
		return errors.New("the cycle does not come back to where it began")
	}
	states = append(states, s)
	if len(v.Cycle) == 0 {
		for p := range m.NumProcs() {
			if r.Enabled(s, p) {
				return errors.New("the execution has not ended")
			}
		}
	}
	for p := range m.NumProcs() {
		always, waits, runs := true, false, false
		for i, a := range v.Cycle {
			before := states[len(v.Schedule)+i]
			runs = runs || m.ProcOf(int(a)) == p
			always = always && r.Enabled(before, p)
			waits = waits || r.Enabled(before, p) && oracle.WaitsFor(m.StepOf(before, p))
		}
		if !runs && len(v.Cycle) > 0 && (f >= liveness.Weak && always || f == liveness.Strong && waits) {
			return fmt.Errorf("process %d never runs, which is unfair", p)
		}
	}
	if v.Property == nil {
		return nil
	}
	return showsProperty(m, v, states)
}

// showsProperty looks whether states of an execution show that a liveness property is broken.
func showsProperty(m *step.Machine, v *Violation, states []step.State) error {
	r := m.NewRunner()
	holds := func(e *step.Expr, s step.State) bool {
		is, ok := m.CompileCondition(e, -1, -1)(r, s)
		return is && ok
	}
	if v.Kind == NeverHolds {
		for _, s := range states {
			if holds(v.Property.Expr, s) {
				return errors.New("the condition holds")
			}
		}
		return nil
	}
	for _, p := range m.Program.Checks.LeadsTo {
		if p.Property != v.Property {
			continue
		}
		waits := false
		for _, s := range states {
			waits = (waits || holds(p.From, s)) && !holds(p.To, s)
		}
		for _, s := range states[len(v.Schedule):] {
			waits = waits && !holds(p.To, s)
		}
		if !waits {
			return errors.New("nothing is waited for")
		}
	}
	return nil
}
