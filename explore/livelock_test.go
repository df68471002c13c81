package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/auto"
	"cdpor/explore/internal/states"
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
			var solve func(*step.Machine) (Conditions, error)
			if *solver > 0 {
				var err error
				if solve, err = newSolver(); err != nil {
					t.Error(err)
					return
				}
			}
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
					err = compareLive(text, rng, solve, counts)
				}
				if err != nil && !failed.Swap(true) {
					t.Errorf("seed %d, program %d: %v\n%s", *seed, i, err, text)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%+v", counts)
	if *solver > 0 && counts.constrained.Load() == 0 {
		t.Error("constraints removed no race where a search has shown that all executions end")
	}
	for name, c := range map[string]*atomic.Int64{
		"cannot end":                   &counts.classes[liveness.CannotEnd],
		"ends if weakly fair":          &counts.classes[liveness.EndIfWeak],
		"ends if strongly fair":        &counts.classes[liveness.EndIfStrong],
		"need not end":                 &counts.classes[liveness.NeedNotEnd],
		"eventually broken":            &counts.never,
		"leads to broken":              &counts.follows,
		"eventually always broken":     &counts.recurs,
		"counting":                     &counts.counting,
		"shown to end":                 &counts.shown[liveness.AllEnd],
		"shown to end if weakly fair":  &counts.shown[liveness.EndIfWeak],
		"shown to end, strongly fair":  &counts.shown[liveness.EndIfStrong],
		"shown to need not end":        &counts.shown[liveness.NeedNotEnd],
		"shown not to end":             &counts.shown[liveness.CannotEnd],
		"shown by visited states":      &counts.entered,
		"ending by reduction":          &counts.reduced,
		"differing by strong fairness": &counts.strong,
		"lasso that is wrong":          &counts.judged,
		"lasso that is not":            &counts.cleared,
		"going round without an end":   &counts.rounds,
	} {
		if c.Load() == 0 {
			t.Errorf("no program was of the kind: %s", name)
		}
	}
}

type liveCounts struct {
	classes                                                    [5]atomic.Int64
	never, follows, recurs, counting, reduced, strong, endless atomic.Int64
	shown                                                      [5]atomic.Int64 // by a search
	entered                                                    atomic.Int64    // that stops at visited states
	judged, cleared                                            atomic.Int64    // lassos, each by what it may show
	rounds                                                     atomic.Int64    // where no end can be reached
	constrained                                                atomic.Int64    // shown to end with constraints
}

func compareLive(text string, rng *rand.Rand, solve func(*step.Machine) (Conditions, error), counts *liveCounts) error {
	m, err := load(text)
	if err != nil {
		return err
	}
	g, err := searchLive(m, maxLiveStates)
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
	if err := compareEndsAlone(text, g, l.Termination, counts); err != nil {
		return err
	}
	var list []*Algorithm
	for _, a := range Algorithms() {
		if a.Traces || a.Visits {
			list = append(list, a)
		}
	}
	var conditions Conditions
	if solve != nil && rng.Intn(4*(*solver)) == 0 {
		if conditions, err = solve(m); err != nil {
			return err
		}
	}
	for _, a := range []*Algorithm{states.Algorithm, list[rng.Intn(len(list))], dpor.SourceAlgorithm} {
		if err := compareEnds(m, a, rng, conditions, l.Termination.Class, counts); err != nil {
			return err
		}
	}
	if (way != nil) != (g.Lost() > 0) {
		return fmt.Errorf("no way to end is reported: %t, but %d states have none", way != nil, g.Lost())
	}
	if way != nil {
		if err := compareRounds(m, way, counts); err != nil {
			return err
		}
	}
	if endless != nil {
		counts.endless.Add(1)
	}
	strong := l.Fairness == liveness.Strong
	can := make([]bool, len(g.States))
	for s := range can {
		can[s] = g.CanEnd(s)
	}
	on, err := g.GoesOn(0, func(s int) bool { return can[s] }, true, strong, maxTogether)
	if err != nil {
		return err
	}
	if c.Termination == step.TerminationFair && on != (endless != nil) {
		return fmt.Errorf("an end can be reached and need not be, by a fair scheduler: %t", on)
	}
	if err := compareWhole(m, g, found, strong, counts); err != nil {
		return err
	}
	return compareLassos(m, g, l, rng, counts)
}

// compareWhole compares what was found of each property of executions as a whole with the oracle.
func compareWhole(m *step.Machine, g *liveGraph, found map[*step.Property]*Violation, strong bool,
	counts *liveCounts) error {
	c := &m.Program.Checks
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
				var err error
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
	for _, p := range c.Stabilises {
		is := holds(p.Expr)
		broken, err := g.Recurs(func(s int) bool { return !is(s) }, true, strong, maxTogether)
		if err != nil {
			return err
		}
		if broken != (found[p] != nil) {
			return fmt.Errorf("eventually always %s is broken: %t", p.Text, broken)
		}
		if broken {
			counts.recurs.Add(1)
		}
	}
	return nil
}

// compareLassos compares what JudgeLasso says of executions that have been reported, and of random ones.
func compareLassos(m *step.Machine, g *liveGraph, l *Liveness, rng *rand.Rand, counts *liveCounts) error {
	for _, v := range l.Violations {
		if err := compareLasso(m, g, &liveness.Lasso{Stem: v.Schedule, Cycle: v.Cycle}, counts); err != nil {
			return fmt.Errorf("the lasso of %s: %w", v.Kind, err)
		}
	}
	for range 8 {
		if lasso := randomLasso(m, rng); lasso != nil {
			if err := compareLasso(m, g, lasso, counts); err != nil {
				return fmt.Errorf("%v: %w", *lasso, err)
			}
		}
	}
	return nil
}

// violations are those of what may be nil.
func violationsOf(l *Liveness) []*Violation {
	if l == nil {
		return nil
	}
	return l.Violations
}

// compareLasso compares what JudgeLasso says of one execution with what definitions say.
func compareLasso(m *step.Machine, g *liveGraph, lasso *liveness.Lasso, counts *liveCounts) error {
	found, err := JudgeLasso(context.Background(), m, lasso, LivenessOptions{})
	if err != nil {
		return err
	}
	got := map[string]bool{}
	for _, v := range violationsOf(found) {
		got[lassoKey(v.Kind, v.Property)] = true
	}
	c := &m.Program.Checks
	end, r := m.Initial(), m.NewRunner()
	for _, a := range lasso.Actions() {
		r.Take(end, int(a))
	}
	void := m.Void(end)
	expect := func(kind ViolationKind, p *step.Property, wrong bool) error {
		if wrong = wrong && !void; wrong != got[lassoKey(kind, p)] {
			return fmt.Errorf("%s is shown: %t", lassoKey(kind, p), wrong)
		}
		if wrong {
			counts.judged.Add(1)
		} else {
			counts.cleared.Add(1)
		}
		return nil
	}
	shows := func(kind ViolationKind, p *step.Property) bool {
		v := &Violation{Kind: kind, Property: p, Schedule: lasso.Stem, Cycle: lasso.Cycle}
		return checkLasso(m, v, FairnessOf(c)) == nil
	}
	if len(lasso.Cycle) > 0 && c.Termination != step.TerminationAllowed {
		can := void || g.CanEnd(slices.IndexFunc(g.States, func(s step.State) bool { return slices.Equal(s, end) }))
		if err := errors.Join(expect(NoWayToEnd, nil, !can),
			expect(Endless, nil, can && c.Termination == step.TerminationFair && shows(Endless, nil))); err != nil {
			return err
		}
	}
	for _, p := range c.Eventually {
		if err := expect(NeverHolds, p, shows(NeverHolds, p)); err != nil {
			return err
		}
	}
	for _, p := range c.Stabilises {
		if err := expect(NeverStays, p, shows(NeverStays, p)); err != nil {
			return err
		}
	}
	for _, p := range c.LeadsTo {
		if err := expect(NeverFollows, p.Property, shows(NeverFollows, p.Property)); err != nil {
			return err
		}
	}
	return nil
}

func lassoKey(kind ViolationKind, p *step.Property) string {
	if p == nil {
		return string(kind)
	}
	return string(kind) + ": " + p.Text
}

// randomLasso follows random actions up to an end, or until a state has come again; nil if that takes too long.
func randomLasso(m *step.Machine, rng *rand.Rand) *liveness.Lasso {
	r, s := m.NewRunner(), m.Initial()
	at := map[string]int{string(s.Bytes()): 0}
	var taken []int32
	for len(taken) < 60 {
		var possible []int32
		for a := range int32(m.NumActions()) {
			if r.CanTake(s, int(a)) {
				possible = append(possible, a)
			}
		}
		if len(possible) == 0 {
			return &liveness.Lasso{Stem: taken}
		}
		a := possible[rng.Intn(len(possible))]
		// Few processes in the cycle.
		if n := len(taken); n > 0 && rng.Intn(2) == 0 && slices.Contains(possible, taken[n-1]) {
			a = taken[n-1]
		}
		r.Take(s, int(a))
		taken = append(taken, a)
		k, known := at[string(s.Bytes())]
		switch {
		case !known:
			at[string(s.Bytes())] = len(taken)
		case rng.Intn(3) > 0:
			return &liveness.Lasso{Stem: taken[:k], Cycle: taken[k:]}
		}
	}
	return nil
}

// compareRounds finds other executions that go round where a violation has shown that no end can be reached.
func compareRounds(m *step.Machine, v *Violation, counts *liveCounts) error {
	s := m.Initial()
	for run, i := m.NewRunner(), 0; i < len(v.Schedule); i++ {
		run.Take(s, int(v.Schedule[i]))
	}
	t := &liveness.Termination{Class: liveness.CannotEnd, NoWay: &liveness.Lasso{}}
	if !new(LivenessOptions).grow(context.Background(), m, s, maxLiveStates, t) {
		return errors.New("no lasso in the whole graph")
	}
	for _, l := range []*liveness.Lasso{fairWalk(m, s), t.NoWay} {
		if l == nil {
			continue
		}
		counts.rounds.Add(1)
		round := &Violation{Schedule: slices.Concat(v.Schedule, l.Stem), Cycle: l.Cycle}
		if err := checkLasso(m, round, liveness.Strong); err != nil {
			return fmt.Errorf("another round: %w", err)
		}
	}
	return nil
}

func compareTermination(m *step.Machine, g *liveGraph, l *Liveness, counts *liveCounts) error {
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
	if g.Lost() > 0 {
		class = liveness.CannotEnd
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
	if (&LivenessOptions{}).comeToEnd(context.Background(), m, effort{1_000, 60}) != nil {
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

// compareEndsAlone looks at how executions end of a program of which nothing else is asked.
func compareEndsAlone(text string, g *liveGraph, want *liveness.Termination, counts *liveCounts) error {
	m, err := load(withoutProperties.ReplaceAllString(text, ""))
	if err != nil {
		return err
	}
	l := JudgeLiveness(context.Background(), m, LivenessOptions{})
	for _, v := range l.Violations {
		if err := checkLasso(m, v, l.Fairness); err != nil {
			return fmt.Errorf("%s: %w", v.Kind, err)
		}
	}
	if !slices.Equal(l.Termination.Needs, want.Needs) && want.Class < liveness.NeedNotEnd {
		return fmt.Errorf("executions end if the scheduler is fair to %v, not %v", l.Termination.Needs, want.Needs)
	}
	return compareTermination(m, g, l, counts)
}

var withoutProperties = regexp.MustCompile(`(?m)^  (eventually|eventually_always|leads_to): .*\n`)

// compareEnds looks whether a search says something else of how executions end than what is so.
func compareEnds(m *step.Machine, a *Algorithm, rng *rand.Rand, conditions Conditions, class liveness.Class,
	counts *liveCounts) error {
	opt := Options{MaxDepth: 60, Workers: atMost(a, 1+rng.Intn(2)), Visited: a.Visits && rng.Intn(4) > 0,
		Symmetry: a.Stateful && rng.Intn(2) == 0}
	if a.Constraints || a == dpor.SourceAlgorithm {
		opt.Conditions = conditions
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opt.Progress = func(r *Result) {
		if r.Events > 4_000 || r.Cut > 0 {
			cancel()
		}
	}
	r, err := Run(ctx, m, a, opt)
	if err != nil {
		return err
	}
	if r.Ends != nil {
		counts.shown[r.Ends.Termination.Class].Add(1)
		if r.Ends.Entered > 0 {
			counts.entered.Add(1)
		}
		for _, p := range r.Pairs {
			if opt.Conditions != nil && p.Removed+p.Static > 0 {
				counts.constrained.Add(1)
				break
			}
		}
	}
	switch {
	case r.Ends != nil && r.Ends.Termination.Class != class:
		return fmt.Errorf("%s (%+v) shows that executions are of class %v, not %v", a.Name, opt,
			r.Ends.Termination.Class, class)
	case r.Ends == nil && r.Stopped == StoppedComplete && a.Traces && !opt.Visited && r.Spinning == 0:
		return fmt.Errorf("%s came to its end, and it does not say that all executions end", a.Name)
	}
	return nil
}

// TestSearchShowsEnds: a search that compares no states shows that executions end, and then there is no graph. Others
// show nothing.
func TestSearchShowsEnds(t *testing.T) {
	m, err := load("cdpor: 1\nshared: {a: 'array[3] int', x: int}\nthreads:\n  p:\n    count: 3\n    run: |\n" +
		"      for k in 1..4 { x = x + 1 }\n      var i int = self\n      while !cas(a[i], 0, 1) { i = (i + 1) % 2 }\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		opt  Options
		want bool
	}{{Options{}, true}, {Options{Workers: 2}, true}, {Options{Visited: true}, true},
		{Options{MaxExecutions: 5}, false}, {Options{Preempt: true, Preemptions: 1}, false}} {
		r, err := Run(context.Background(), m, dpor.SourceAlgorithm, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		l := JudgeLiveness(context.Background(), m, LivenessOptions{Searched: []*Result{nil, r}})
		if l.Open != "" || l.Termination.Class != liveness.AllEnd {
			t.Errorf("%+v", l)
		}
		without := l.States == 0
		if (r.Ends != nil) != c.want || without != c.want || without && l.Executions+l.Entered == 0 {
			t.Errorf("%d executions, want %v: all end: %v, %d states", r.Executions, c.want, r.Ends != nil, l.States)
		}
	}
}

// TestSequencesShowEnds: context compares states behind orders of the same steps only, so that it ends shows as much.
func TestSequencesShowEnds(t *testing.T) {
	m := shipped(t, "byzantine-generals", nil)
	r, err := Run(context.Background(), m, dpor.ContextAlgorithm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Ends == nil || r.Ends.Executions != r.Executions || r.Sequences == 0 {
		t.Errorf("%+v, %d executions, %d sequences", r.Ends, r.Executions, r.Sequences)
	}
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
		always, sometimes, runs := true, false, false
		for i, a := range v.Cycle {
			before := states[len(v.Schedule)+i]
			runs = runs || m.ProcOf(int(a)) == p
			always = always && r.Enabled(before, p)
			sometimes = sometimes || r.Enabled(before, p)
		}
		if !runs && len(v.Cycle) > 0 && (f >= liveness.Weak && always || f == liveness.Strong && sometimes) {
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
	if v.Kind == NeverStays {
		if slices.ContainsFunc(states[len(v.Schedule):], func(s step.State) bool {
			return !holds(v.Property.Expr, s)
		}) {
			return nil
		}
		return errors.New("the condition is not false again and again, nor at the end")
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

// TestLivenessTable are the classical cases, and traps.
func TestLivenessTable(t *testing.T) {
	for _, c := range []struct {
		name, shared, threads, check string
		class                        liveness.Class
		kinds                        []ViolationKind
	}{
		{"nobody sets it", "x: int", "a: 'while x == 0 { skip }'\n  b: x = 0",
			"", liveness.CannotEnd, []ViolationKind{NoWayToEnd}},
		{"a spin loop", "x: int", "a: 'while x == 0 { skip }'\n  b: x = 1", "", liveness.EndIfWeak, nil},
		{"a spin loop, fair", "x: int", "a: 'while x == 0 { skip }'\n  b: x = 1",
			"termination: fair", liveness.EndIfWeak, nil},
		{"a loop that need not be left", "x: int", "a: 'while any(0..1) == 0 { x = 1 - x }'",
			"", liveness.NeedNotEnd, nil},
		{"which is a violation if every execution must end", "x: int", "a: 'while any(0..1) == 0 { x = 1 - x }'",
			"termination: fair", liveness.NeedNotEnd, []ViolationKind{Endless}},
		{"b is disabled once in the cycle, by a lock", "m: mutex, x: int",
			"a: 'while x == 0 { lock m; unlock m }'\n  b: 'lock m; x = 1; unlock m'",
			"termination: fair", liveness.EndIfStrong, nil},
		{"so weak fairness is not enough", "m: mutex, x: int",
			"a: 'while x == 0 { lock m; unlock m }'\n  b: 'lock m; x = 1; unlock m'",
			"termination: fair\n  fairness: weak", liveness.EndIfStrong, []ViolationKind{Endless}},
		{"by a condition", "y: int, x: int", "a: 'while x == 0 { y = 1; y = 0 }'\n  b: 'await y == 1; x = 1'",
			"termination: fair", liveness.EndIfStrong, nil},
		{"a condition that is true now and then", "f: bool, done: bool",
			"t: 'await f; done = true'\n  u: 'while true { f = true; f = false }'",
			"termination: allowed\n  fairness: strong\n  eventually: done", 0, nil},
		{"and may be missed by a scheduler that is weakly fair", "f: bool, done: bool",
			"t: 'await f; done = true'\n  u: 'while true { f = true; f = false }'",
			"termination: allowed\n  fairness: weak\n  eventually: done", 0, []ViolationKind{NeverHolds}},
		{"by a channel", "c: 'chan[int, 1]', x: int", "a: 'while x == 0 { send c, 1; recv c }'\n  b: 'recv c; x = 1'",
			"deadlock: allowed\n  termination: fair", liveness.EndIfStrong, nil},
		{"trying is no waiting", "s: sem(1), x: int",
			"a: 'while x == 0 { s.acquire(); s.release() }'\n  b: 'while !s.try_acquire() { skip }; x = 1'",
			"termination: fair", liveness.NeedNotEnd, []ViolationKind{Endless}},
		{"a deadlock is an end", "m: mutex", "a: 'lock m; lock m'", "deadlock: allowed", liveness.AllEnd, nil},
		{"a deadlock beside a loop is not", "m: mutex, x: int",
			"a: 'lock m; lock m; x = 1'\n  b: 'while x == 0 { skip }'",
			"", liveness.CannotEnd, []ViolationKind{NoWayToEnd}},
		{"what is dropped is no livelock", "x: int", "a: 'while x == 0 { skip }'\n  b: 'assume x == 1; x = 1'",
			"", liveness.EndIfWeak, nil},
		{"nor is what follows a failure", "x: int", "a: 'while x == 0 { skip }'\n  b: 'assert x == 1; x = 1'",
			"", liveness.EndIfWeak, nil},
		{"it never holds before the end", "x: int", "a: x = 1",
			"eventually: x == 2", liveness.AllEnd, []ViolationKind{NeverHolds}},
		{"nor before a deadlock", "m: mutex, x: int", "a: 'lock m; lock m; x = 1'",
			"deadlock: allowed\n  eventually: x == 1", liveness.AllEnd, []ViolationKind{NeverHolds}},
		{"at the start is soon enough", "x: int", "a: x = 1", "eventually: x == 0", liveness.AllEnd, nil},
		{"it holds only for a moment", "x: int", "a: 'x = 1; x = 0'", "eventually: x == 1", liveness.AllEnd, nil},
		{"it need not hold in what fails", "x: int", "a: 'assert x == 1; x = 2'",
			"eventually: x == 2", liveness.AllEnd, nil},
		{"what leads to it comes after it", "x: int, y: int", "a: 'y = 1; x = 1'",
			"leads_to: {from: x == 1, to: y == 0}", liveness.AllEnd, []ViolationKind{NeverFollows}},
		{"at the same time is soon enough", "x: int, y: int", "a: 'atomic { y = 1; x = 1 }'",
			"leads_to: {from: x == 1, to: y == 1}", liveness.AllEnd, nil},
		{"it holds again and again, but not after the last time", "x: int", "a: 'for i in 1..3 { x = 1; x = 0 }'",
			"leads_to: {from: x == 0, to: x == 1}", liveness.AllEnd, []ViolationKind{NeverFollows}},
		{"it holds from some time on", "x: int", "a: 'for i in 1..3 { x = 1; x = 0 }; x = 2'",
			"eventually_always: x == 2", liveness.AllEnd, nil},
		{"it held before the end", "x: int", "a: 'x = 1; x = 0'", "eventually_always: x == 1",
			liveness.AllEnd, []ViolationKind{NeverStays}},
		{"it is true again and again, and false", "x: int", "a: 'while true { x = 1; x = 0 }'",
			"termination: allowed\n  eventually_always: [x == 1, x < 2]", 0, []ViolationKind{NeverStays}},
		{"a fair scheduler lets it come about", "x: int, m: mutex",
			"a: 'while true { lock m; unlock m }'\n  b: 'with lock m { x = 1 }'",
			"termination: allowed\n  fairness: strong\n  eventually_always: x == 1", 0, nil},
		{"which a weakly fair one need not", "x: int, m: mutex",
			"a: 'while true { lock m; unlock m }'\n  b: 'with lock m { x = 1 }'",
			"termination: allowed\n  eventually_always: x == 1", 0, []ViolationKind{NeverStays}},
		{"a server that answers", "q: bool, r: bool",
			"a: 'while true { await q; q = false; r = true }'\n  b: 'while true { q = true; await r; r = false }'",
			"termination: allowed\n  leads_to: [{from: q, to: r}, {from: r, to: '!r'}]", 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "cdpor: 1\nshared: {" + c.shared + "}\nthreads:\n  " + c.threads + "\n"
			if c.check != "" {
				text += "check:\n  " + c.check + "\n"
			}
			m, err := load(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, opt := range []LivenessOptions{{}, {MaxStates: 1000}} {
				l := JudgeLiveness(context.Background(), m, opt)
				if m.Program.Checks.Termination != step.TerminationAllowed && l.Termination.Class != c.class {
					t.Errorf("termination is %v, want %v", l.Termination.Class, c.class)
				}
				var kinds []ViolationKind
				for _, v := range l.Violations {
					kinds = append(kinds, v.Kind)
					if err := checkLasso(m, v, l.Fairness); err != nil {
						t.Errorf("%s: %v", v.Kind, err)
					}
				}
				if !slices.Equal(kinds, c.kinds) {
					t.Errorf("%v, want %v", kinds, c.kinds)
				}
			}
		})
	}
}

// TestLivenessUnderAlgorithms: the verdict does not depend on how a program is explored.
func TestLivenessUnderAlgorithms(t *testing.T) {
	m, err := load("cdpor: 1\nshared: {x: int}\nthreads:\n  a: 'while x == 0 { skip }'\n  b: x = 1\n" +
		"check: {eventually: x == 2}\n")
	if err != nil {
		t.Fatal(err)
	}
	l := JudgeLiveness(context.Background(), m, LivenessOptions{})
	for _, a := range []*Algorithm{auto.Algorithm, states.Algorithm, dpor.SourceAlgorithm} {
		r, err := Run(context.Background(), m, a, Options{Visited: a == dpor.SourceAlgorithm})
		if err != nil {
			t.Fatal(err)
		}
		if r.Judge(l); r.Verdict != Violated || len(r.Violations) != 1 || r.Violations[0].Kind != NeverHolds {
			t.Errorf("%s: %s, %d violations", a.Name, r.Verdict, len(r.Violations))
		}
	}
	if open := JudgeLiveness(context.Background(), m, LivenessOptions{MaxStates: 1}); open.Open != StoppedGraph {
		t.Errorf("with one state it is decided: %+v", open)
	} else if r := (&Result{Verdict: OK}); true {
		if r.Judge(open); r.Verdict != Bounded {
			t.Errorf("what is not decided is %s", r.Verdict)
		}
	}
}
