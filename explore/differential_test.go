package explore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"cdpor/constraints"
	"cdpor/explore/dpor"
	"cdpor/explore/internal/auto"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/parallel"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/states"
	"cdpor/explore/internal/symmetry"
	"cdpor/explore/oracle"
	"cdpor/lang"
	"cdpor/lang/langtest"
	"cdpor/lang/random"
	"cdpor/lang/step"

	"pgregory.net/rapid"
)

var (
	programs = flag.Int("n", 1000, "programs of the differential test")
	seeds    = flag.Int("seeds", 80, "in how many ways TestRegressions draws options")
	seed     = flag.Int64("seed", 1, "seed of its first program; the others follow")
	sample   = flag.Int("variants", 0, "explore each program in so many ways, drawn at random; 0: in all")
	selects  = flag.Bool("selects", false, "draw only programs with channels and choices")
	recent   = flag.Bool("constructs", false, "draw only programs with crashes, daemons or channels that are closed")
	without  = flag.String("without", "", "an algorithm to leave out")
	only     = flag.String("only", "", "leave all other algorithms out")
	visiting = flag.Bool("visited", false, "leave searches without visited states out")
	solver   = flag.Int("solve", 1, "synthesise constraints for every so many programs; 0: never")
)

// TestMain lets go test -short draw fewer programs, unless it is told how many.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "n" })
	if testing.Short() && !given {
		*programs, *cuts, *divided, *performing, *widened = *programs/20, *cuts/6, *divided/4, *performing/6, *widened/6
	}
	os.Exit(m.Run())
}

// Larger programs are drawn again.
const (
	maxStates     = 2000
	maxExecutions = 2000
	maxNodes      = 30_000
	maxGraphs     = 60 // executions of optimal that are compared with each other
)

// load makes a machine of the text of a program.
func load(text string) (*step.Machine, error) {
	src, err := lang.Load("random.yaml", []byte(text), lang.Options{})
	if err != nil {
		return nil, err
	}
	return step.NewMachine(src.Program)
}

// loadCovering is load of a machine that notes what is executed.
func loadCovering(text string) (*step.Machine, error) {
	src, err := lang.Load("random.yaml", []byte(text), lang.Options{})
	if err != nil {
		return nil, err
	}
	return step.NewCoveringMachine(src.Program)
}

// A variant is an algorithm with options, which must agree with the oracle.
type variant struct {
	algorithm *Algorithm
	opt       Options
	// relation, if not nil, says that the executions must be as many as its classes.
	relation *counted
	name     string // of the conditions
	tuning   *tuning
	cyclic   bool                // executions need not come to an end
	closing  bool                // what is closed is looked at
	check    func(*Result) error // of the result of a search that came to its end; may be nil
}

// A tuning says from which sizes on something is worth the while, so that small programs come to where usually only
// large ones do.
type tuning struct {
	few    int        // locations that a step may touch to be looked up by them
	crowd  int64      // events for a state to look ahead
	visits int        // largest table of visited states; 0: no limit
	looks  auto.Looks // of auto

	shortcuts executions.Shortcuts
}

func (t *tuning) set(w engine.Engine) {
	switch x := w.(type) {
	case *auto.Auto:
		if t.looks.First > 0 {
			x.Looks, x.Look = t.looks, t.looks.First
			t.set(x.Main)
			x.Main.Period = min(x.Main.Period, t.looks.First)
		}
	case *executions.Search:
		x.Accesses.Few, x.LeftOut = t.few, t.shortcuts.LeftOut
		if x.Visits != nil {
			x.Visits.Table.MostVisits, x.Visits.Shortcuts = t.visits, t.shortcuts
		}
	case *states.Exhaustive:
		x.Crowd = t.crowd
	}
}

// spins reports whether the search may come to its end although executions go round: where they change nothing.
func (v variant) spins() bool {
	return v.algorithm.Traces && v.algorithm.Races && v.opt.Conditions == nil && !v.opt.Visited
}

func (v variant) String() string {
	s := v.algorithm.Name
	if v.name != "" {
		s += " with " + v.name
	}
	if v.opt.Visited {
		s += ", visited states"
	}
	return s + fmt.Sprintf(" (%+v, seed %d, anticipate %t, guide %t, workers %d)", *v.tuning, v.opt.Seed,
		!v.opt.NoAnticipate, !v.opt.NoGuide, v.opt.Workers)
}

// variants are all algorithms, with constraints where that makes a difference, and with options drawn at random. Source
// takes part under constraints too: sleep sequences can hide a wrong relation.
func variants(m *step.Machine, t, solved Conditions, uniform relationAt, rng *rand.Rand) (all []variant) {
	visited := false
	add := func(a *Algorithm, c Conditions, name string, rel *counted) {
		if a.Name == *without || *only != "" && a.Name != *only || *visiting && !visited {
			return
		}
		opt := Options{Conditions: c, MaxExecutions: maxExecutions, Validate: rng.Intn(4) == 0,
			NoAnticipate: rng.Intn(2) == 0, NoGuide: rng.Intn(2) == 0}
		if rng.Intn(2) == 0 {
			opt.Seed = 1 + rng.Int63n(1000)
		}
		if opt.Validate {
			opt.Observer = newInspector()
		} else if rng.Intn(3) == 0 {
			opt.Workers = 1 + rng.Intn(3)
		}
		if a.Alone {
			opt.Workers = 0
		}
		t := &tuning{few: happens.Few, crowd: states.Crowd}
		if rng.Intn(2) == 0 {
			t = &tuning{few: rng.Intn(3), crowd: rng.Int63n(3)}
		}
		if visited {
			if opt.Visited = true; rng.Intn(3) == 0 {
				t.visits = 1 + rng.Intn(12)
			}
			if opt.Observer == nil && opt.Workers == 0 && rng.Intn(10) == 0 {
				opt.Workers = 8
			}
			rel = nil
		}
		if a == auto.Algorithm {
			t.looks = auto.Looks{First: 1 + rng.Int63n(40), Other: rng.Int63n(200), Rarer: rng.Int63n(200),
				Long: rng.Int63n(100), Share: 1 << 20, Last: 1 << 24, Vain: rng.Int63n(4), Steps: rng.Intn(2) << 10}
			opt.Conditions, opt.MaxExecutions = nil, 0
			if opt.Observer == nil && rng.Intn(3) == 0 {
				opt.Workers, t.looks.Share = 1+rng.Intn(3), rng.Int63n(60)
			}
			if c != nil {
				whole := rng.Intn(2) == 0
				opt.Synthesize = func(context.Context, [][2]*step.Step, int) (Synthesis, error) {
					return Synthesis{Conditions: c, Pairs: 1, Useful: 1, Whole: whole}, nil
				}
			}
		}
		all = append(all, variant{algorithm: a, opt: opt, relation: rel, name: name, tuning: t,
			cyclic: a.Stateful || visited, closing: visited && !a.Chooses && opt.Workers == 0 && rng.Intn(3) == 0})
	}
	foot, uniformly := &counted{at: footprintsAt(m)}, &counted{at: uniform}
	add(states.Algorithm, nil, "", nil)
	if *without != states.Algorithm.Name && (*only == "" || *only == states.Algorithm.Name) {
		all = append(all, variant{algorithm: states.Algorithm, name: "symmetry", cyclic: true,
			tuning: &tuning{few: happens.Few, crowd: states.Crowd},
			opt:    Options{MaxExecutions: maxExecutions, Symmetry: true, Seed: rng.Int63n(3)}})
	}
	for _, a := range dpor.Algorithms() {
		switch {
		case a.Traces:
			add(a, nil, "", foot)
		case !a.Sequences && a != dpor.InterleavingsAlgorithm:
			add(a, nil, "", nil)
		}
	}
	add(dpor.ContextAlgorithm, nil, "", nil)
	add(dpor.ContextAlgorithm, nil, "", nil)
	constrainedSource := *dpor.SourceAlgorithm
	constrainedSource.Constraints = true
	add(&constrainedSource, t, "a uniform family", uniformly)
	add(dpor.OptimalAlgorithm, t, "a uniform family", uniformly)
	add(dpor.ConstrainedAlgorithm, t, "a uniform family", nil)
	add(dpor.ConstrainedAlgorithm, t, "a uniform family", nil)
	add(dpor.ConstrainedAlgorithm, nil, "", nil)
	if solved != nil {
		rel := &counted{at: conditionsAt(m, solved)}
		add(&constrainedSource, solved, "synthesised constraints", rel)
		add(dpor.OptimalAlgorithm, solved, "synthesised constraints", rel)
		add(dpor.ConstrainedAlgorithm, solved, "synthesised constraints", nil)
		add(dpor.ConstrainedAlgorithm, solved, "synthesised constraints", nil)
	}
	visited = true
	for _, a := range dpor.Algorithms() {
		if a.Traces && a.Visits {
			add(a, nil, "", nil)
		}
	}
	add(dpor.ContextAlgorithm, nil, "", nil)
	add(dpor.ContextAlgorithm, nil, "", nil)
	add(&constrainedSource, t, "a uniform family", nil)
	add(dpor.ConstrainedAlgorithm, t, "a uniform family", nil)
	add(dpor.ConstrainedAlgorithm, t, "a uniform family", nil)
	add(auto.Algorithm, nil, "", nil)
	add(auto.Algorithm, t, "a uniform family later", nil)
	if solved != nil {
		add(auto.Algorithm, solved, "synthesised constraints later", nil)
		add(&constrainedSource, solved, "synthesised constraints", nil)
		add(dpor.ConstrainedAlgorithm, solved, "synthesised constraints", nil)
	}
	return
}

// compareOne explores a program in all ways and says what is wrong.
func compareOne(text string, rng *rand.Rand, solve func(*step.Machine) (Conditions, error)) error {
	loading := load
	if len(text)%2 == 0 {
		loading = loadCovering
	}
	m, err := loading(text)
	if err != nil {
		return err
	}
	if m.NumActions() > MaxActions { // no algorithm takes it: to be drawn again, like one with too many states
		return oracle.ErrLimit
	}
	g, err := oracle.Search(m, maxStates)
	if err != nil {
		return err
	}
	t := &lazyTable{m: m, rng: rng}
	var solved Conditions
	if solve != nil && !g.Cyclic {
		if solved, err = solve(m); err != nil {
			return err
		}
	}
	all := variants(m, t, solved, t.uniformAt, rng)
	if g.Cyclic {
		all = slices.DeleteFunc(all, func(v variant) bool { return !v.cyclic && !v.spins() })
	}
	if *sample > 0 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:min(*sample, len(all))]
	}
	for _, v := range all {
		if g.Cyclic {
			cyclicPrograms.Add(1)
		}
		if err := compareVariant(m, g, v); err != nil {
			return fmt.Errorf("%v: %w", v, err)
		}
	}
	return nil
}

// A lazyTable is a table that is made when it is first asked, by whichever worker that is. The program is known to be
// small enough.
type lazyTable struct {
	m    *step.Machine
	rng  *rand.Rand
	once sync.Once
	t    *table
}

func (l *lazyTable) get() *table {
	l.once.Do(func() {
		var err error
		if l.t, err = newTable(l.m, l.rng, maxStates); err != nil {
			panic(err)
		}
	})
	return l.t
}

func (l *lazyTable) Uniform(p int, a *step.Step, q int, b *step.Step) constraints.Cond {
	return l.get().Uniform(p, a, q, b)
}

func (l *lazyTable) Commute(p int, a *step.Step, q int, b *step.Step) constraints.Cond {
	return l.get().Commute(p, a, q, b)
}

func (l *lazyTable) uniformAt(s step.State, p, q int) bool { return l.get().uniformAt(s, p, q) }

func compareVariant(m *step.Machine, g *oracle.Graph, v variant) error {
	spins := v.spins() && g.Cyclic
	f := &finding{variant: v, m: m, goesOn: spins, ends: map[string]bool{}, graphs: map[string]bool{}}
	if v.closing {
		f.all = newReach(m, g)
	}
	if err := f.run(); err != nil {
		return err
	}
	if i, ok := v.opt.Observer.(*inspector); ok {
		if wrong := i.disagrees(f.res); wrong != "" {
			return errors.New("the observer: " + wrong)
		}
	}
	switch {
	case spins && (f.res.Stopped != StoppedComplete || f.res.Cut > 0):
		return nil
	case spins:
		spinning.Add(1)
	case f.res.Stopped != StoppedComplete:
		return oracle.ErrLimit
	}
	if err := f.compareEnds(g); err != nil {
		return err
	}
	for _, compare := range []func() error{
		func() error { return compareFailures(m, v, f.res, g) },
		func() error { return compareCoverage(m, f.res, g) },
		func() error { return Settle(context.Background(), f.res, nil) }, // as Run does, behind coverage
		func() error { return compareUnchecked(m, f.res, g) },
	} {
		if err := compare(); err != nil {
			return err
		}
	}
	if v.check != nil {
		if err := v.check(f.res); err != nil {
			return err
		}
	}
	if v.opt.Symmetry {
		return compareSymmetric(m, f.res, g)
	}
	if spins {
		return nil // how many executions there are is not known
	}
	return f.compareCounts(g)
}

// A finding is the result of a variant.
type finding struct {
	variant
	m      *step.Machine
	search *executions.Search // nil: of another kind, or of several workers
	all    *reach             // nil: nobody looks what may follow
	goesOn bool               // executions need not come to an end, and it compares no states
	ends   map[string]bool    // terminal states
	graphs map[string]bool    // of optimal: the happens-before graphs of its executions, unless there are too many
	res    *Result
}

// ended is told of each terminal state.
func (f *finding) ended(s step.State) {
	f.ends[string(s.Bytes())] = true
	if f.all != nil {
		f.all.find(endGoal(s))
	}
	if x := f.search; f.algorithm == dpor.OptimalAlgorithm && x != nil && x.Results.Executions <= maxGraphs {
		var word []int
		for _, a := range x.Schedule(nil) {
			word = append(word, int(a))
		}
		f.graphs[graph(f.m, f.relation.at, word)] = true
	}
}

// run lets the engine search that the variant is about.
func (f *finding) run() (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f.opt.Terminal = f.ended
	most := int64(maxNodes)
	if f.goesOn {
		f.opt.MaxDepth, most = 100, 3000
	}
	f.opt.Progress = func(r *Result) {
		if r.Nodes > most {
			cancel()
		}
	}
	if f.opt.Workers > 0 && !f.algorithm.Chooses {
		var c *parallel.Pool
		if c, err = newWorkerPool(ctx, f.m, f.algorithm, f.opt); err == nil {
			c.Spare = 2
			for _, w := range c.Workers {
				f.tuning.set(w)
			}
			c.Begin()
			f.res, err = c.Conclude()
		}
		return err
	}
	var x engine.Engine
	if !f.algorithm.Chooses && !f.algorithm.Stateful {
		if f.search, err = executions.New(ctx, f.m, f.algorithm, f.opt); err == nil && f.all != nil {
			f.search.Visits.Closed = func(depth int) { f.all.closed(f.search, depth) }
		}
		x = f.search
	} else {
		x, err = newEngine(ctx, f.m, f.algorithm, f.opt)
	}
	if err != nil {
		return err
	}
	f.tuning.set(x)
	x.Begin()
	f.res, err = x.Conclude()
	return err
}

// compareEnds compares terminal states with those of the state graph.
func (f *finding) compareEnds(g *oracle.Graph) error {
	for key := range g.Terminals {
		if !f.ends[key] {
			return fmt.Errorf("misses the terminal state %v", g.Terminals[key])
		}
	}
	if f.all != nil {
		if f.all.wrong != nil {
			return f.all.wrong
		}
		closedNodes.Add(int64(f.all.checked))
	}
	if len(f.ends) != len(g.Terminals) {
		return fmt.Errorf("finds %d terminal states, there are %d", len(f.ends), len(g.Terminals))
	}
	if (f.res.Dropped > 0) != (g.Dropped > 0) {
		return fmt.Errorf("drops %d executions, the oracle %d states", f.res.Dropped, g.Dropped)
	}
	return nil
}

// compareCounts compares numbers of states and executions with what there is for the algorithm.
func (f *finding) compareCounts(g *oracle.Graph) error {
	res := f.res
	if f.algorithm == states.Algorithm && res.States != int64(g.States) {
		return fmt.Errorf("%d states, the oracle has %d", res.States, g.States)
	}
	if f.algorithm == dpor.OptimalAlgorithm {
		if res.Blocked != 0 || res.Unplanned != 0 {
			return fmt.Errorf("%d blocked executions, %d unplanned sequences", res.Blocked, res.Unplanned)
		}
		if f.search != nil && res.Executions <= maxGraphs && int64(len(f.graphs)) != res.Executions {
			return fmt.Errorf("%d executions, but only %d different ones", res.Executions, len(f.graphs))
		}
	}
	if f.relation == nil {
		return nil
	}
	return f.relation.compare(f.m, f.opt.Conditions == nil, res.Executions)
}

// compareFailures compares what a search says has failed with what fails in the state graph, whether or not
// executions end. Who was the first to break a property may depend on an order that was left out.
func compareFailures(m *step.Machine, v variant, res *Result, g *oracle.Graph) error {
	results, err := results.NewCollector(m, v.algorithm, nil)
	if err != nil {
		return err
	}
	failures, broken := map[oracle.Failure]bool{}, map[oracle.Breach]bool{}
	properties := map[*step.Property]bool{}
	for _, w := range res.Violations {
		switch {
		case w.Kind == FailedStep:
			failures[oracle.Failure{Proc: w.Proc, Fault: w.Fault, Node: w.Node}] = true
		case w.Node != nil:
			broken[oracle.Breach{Property: w.Property, Proc: w.Proc}] = true
			properties[w.Property] = true
		}
	}
	if !maps.Equal(failures, g.Failures) {
		return fmt.Errorf("reports the failures %v, there are %v", failures, g.Failures)
	}
	for b := range broken {
		if results.FalseFirst[b.Property] || !g.Broken[b] {
			return fmt.Errorf("process %d is not the first to break %s", b.Proc, b.Property.Text)
		}
	}
	for b := range g.Broken {
		switch {
		case results.FalseFirst[b.Property]:
		case !properties[b.Property]:
			return fmt.Errorf("does not report that %s is broken", b.Property.Text)
		case v.algorithm == states.Algorithm && !broken[b]:
			return fmt.Errorf("does not report that process %d breaks %s", b.Proc, b.Property.Text)
		}
	}
	if len(failures)+len(broken) > 0 && res.Verdict != Violated {
		return fmt.Errorf("the verdict is %s", res.Verdict)
	}
	return nil
}

// How many searches there were of programs with executions that do not end.
// cyclicPrograms and spinning are how many searches there were of programs whose executions do not end, and how many of
// them compared no states and came to their ends.
var cyclicPrograms, spinning atomic.Int64

// How many searches there were that looked at too little.
var vacuousPrograms atomic.Int64

// How many closed nodes have been looked at.
var closedNodes atomic.Int64

// How many programs with several instances of a template there were, in how many of them some were interchangeable, and
// in how many that made the states fewer.
var severalInstances, interchangeable, fewerStates atomic.Int64

// compareSymmetric compares a search that reduces symmetry with the state graph, in which it reports each terminal
// state once, and with one that does not.
func compareSymmetric(m *step.Machine, res *Result, g *oracle.Graph) error {
	plain, err := Run(context.Background(), m, states.Algorithm, Options{})
	if err != nil {
		return err
	}
	if err := agreeSymmetric(m, plain, res); err != nil {
		return err
	}
	if res.Executions != int64(len(g.Terminals)) {
		return fmt.Errorf("%d executions, there are %d terminal states", res.Executions, len(g.Terminals))
	}
	reduced := slices.ContainsFunc(res.Symmetry, func(i symmetry.Interchangeable) bool { return i.Why == "" })
	switch {
	case res.States > int64(g.States) || !reduced && res.States != int64(g.States):
		return fmt.Errorf("%d states, the oracle has %d", res.States, g.States)
	case res.States < int64(g.States):
		fewerStates.Add(1)
	}
	if len(res.Symmetry) > 0 {
		severalInstances.Add(1)
	}
	if reduced {
		interchangeable.Add(1)
	}
	return nil
}

// A counted relation is one with the numbers of its classes, found when first asked for.
type counted struct {
	at                 relationAt
	done               bool
	graphs, components int
	traces             int // -1: not known
}

// compare holds a number of executions against the classes of the relation, which is that of footprints or not.
func (c *counted) compare(m *step.Machine, footprints bool, executions int64) error {
	if !c.done {
		var ok bool
		if c.graphs, c.components, ok = classes(m, c.at, 150); !ok {
			c.graphs, c.components = -1, -1
		}
		c.traces = -1
		if footprints {
			if traces, err := langtest.Traces(m, 10_000); err == nil {
				c.traces = traces
			}
		}
		c.done = true
	}
	if c.graphs >= 0 && (int64(c.graphs) != executions || c.components != c.graphs) {
		return fmt.Errorf("%d executions, %d happens-before graphs, %d components", executions, c.graphs, c.components)
	}
	if c.traces >= 0 && int64(c.traces) != executions {
		return fmt.Errorf("%d executions, %d traces", executions, c.traces)
	}
	return nil
}

// shrink makes a failing program small. Which variants with random options are tried depends on a seed, so each
// candidate gets a few.
func shrink(text string, seed int64, solve func(*step.Machine) (Conditions, error)) string {
	return random.Shrink(text, func(text string) bool {
		for k := range int64(20) {
			if err := compareOne(text, rand.New(rand.NewSource(seed+k)), solve); err != nil {
				var bad lang.ErrorList
				return !errors.Is(err, oracle.ErrLimit) && !errors.As(err, &bad)
			}
		}
		return false
	})
}

// TestRegressions runs what the differential test once found and shrank. Programs with threads that never end are
// apart: not every test that explores the files of testdata can take them.
func TestRegressions(t *testing.T) {
	files, err := filepath.Glob("testdata/regressions/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no regressions", err)
	}
	endless, err := filepath.Glob("testdata/regressions/endless/*.yaml")
	if err != nil || len(endless) == 0 {
		t.Fatal("no regressions that never end", err)
	}
	files = append(files, endless...)
	solve, err := newSolver()
	if err != nil && *solver != 0 {
		t.Errorf("%v; with -solve=0 nothing is synthesised", err)
	}
	most := *seeds
	if testing.Short() {
		most = 5
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range int64(most) {
			if err := compareOne(string(text), rand.New(rand.NewSource(seed)), solve); err != nil {
				t.Errorf("%s, seed %d: %v", file, seed, err)
				break
			}
		}
	}
}

// choices lets rapid make the choices of a random program, so that it can shrink them.
type choices struct{ t *rapid.T }

func (c choices) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(c.t, "choice") }

// TestProperty is the differential test under rapid, whose shrinking works on the choices behind a program.
func TestProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := choices{t}
		text := drawProgram(source)
		rng := rand.New(rand.NewSource(rapid.Int64().Draw(t, "options")))
		if err := compareOne(text, rng, nil); err != nil && !errors.Is(err, oracle.ErrLimit) {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// drawProgram writes a random program. Some have a property of all states or steps, some have executions that do not
// end.
func drawProgram(r random.Source) string {
	c := random.DrawCyclic(r)
	if *selects {
		c.Chans, c.Choices = true, true
	}
	if *recent {
		switch r.Intn(3) {
		case 0:
			c.Crashes, c.Threads, c.Steps = true, min(c.Threads, 3), min(c.Steps, 2)
		case 1:
			c.Daemons = true
		case 2:
			c.Chans, c.Closed = true, true
		}
	}
	text := random.Program(r, c)
	switch r.Intn(12) {
	case 0:
		text += fmt.Sprintf("  always: [%q]\n", random.Always(r, c))
	case 1:
		text += "  transition: [\"a >= old(a)\"]\n"
	case 2, 3, 4:
		text += fmt.Sprintf("  %s: [\"a >= -100\"]\n", []string{"final", "final_any"}[r.Intn(2)])
	case 5:
		text += "  unreachable: [\"a < -100\"]\n"
	}
	return text
}

// TestDifferential explores random programs with every algorithm and compares with the oracle: terminal states,
// failures, and where defined the number of executions. go test ./explore -run Differential -args -n=200000 -seed=1
func TestDifferential(t *testing.T) {
	for _, name := range []string{*only, *without} {
		if _, err := Find(name); name != "" && err != nil {
			t.Fatal(err)
		}
	}
	var next, done, skipped atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			session, err := newSolver()
			if err != nil && *solver != 0 {
				t.Errorf("%v; with -solve=0 nothing is synthesised", err)
			}
			for !t.Failed() {
				i := next.Add(1) - 1
				if i >= int64(*programs) {
					return
				}
				rng := rand.New(rand.NewSource(*seed + i))
				for {
					text := drawProgram(rng)
					solve := session
					if *solver == 0 || i%int64(*solver) != 0 {
						solve = nil
					}
					err := compareOne(text, rng, solve)
					if errors.Is(err, oracle.ErrLimit) {
						skipped.Add(1)
						continue
					}
					if err != nil {
						t.Errorf("seed %d: %v\n%s", *seed+i, err, shrink(text, *seed+i, solve))
					}
					break
				}
				if k := done.Add(1); k%20_000 == 0 {
					t.Logf("%d programs", k)
				}
			}
		}()
	}
	wg.Wait()
	t.Logf("%d programs from seed %d, %d larger ones drawn again", done.Load(), *seed, skipped.Load())
	t.Logf("%d searches of programs with executions that do not end, %d without states", cyclicPrograms.Load(),
		spinning.Load())
	t.Logf("of %d searches whose coverage is compared %d claim to have all; of the others %d have less",
		coverages.Load(), coveredAll.Load(), coveredLess.Load())
	t.Logf("%d searches had nothing to check, or not everything", vacuousPrograms.Load())
	t.Logf("%d closed nodes looked at", closedNodes.Load())
	t.Logf("several instances of a thread in %d searches, interchangeable ones in %d, fewer states in %d",
		severalInstances.Load(), interchangeable.Load(), fewerStates.Load())
}
