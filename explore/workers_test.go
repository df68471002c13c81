package explore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cdpor/constraints"
	"cdpor/explore/dpor"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/parallel"
	"cdpor/explore/internal/states"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// atMost is how many workers an algorithm explores with where there are some.
func atMost(a *Algorithm, workers int) int {
	if a.Alone {
		return 1
	}
	return workers
}

// together is a search by some workers that give parts away at every chance, so that even small ones are shared.
func together(m *step.Machine, a *Algorithm, opt Options, workers int) (*Result, error) {
	opt.Workers = workers
	c, err := newWorkerPool(context.Background(), m, a, opt)
	if err != nil {
		return nil, err
	}
	c.Spare = 2
	c.Begin()
	return c.Conclude()
}

// sameFindings says what several workers have found differently than one. Invariants are looked at in the states that
// are visited, and which those are may depend on who comes first. So may, where executions that end in the same state
// are one, which of them is kept, and with it who is said to have broken what must always hold.
func sameFindings(a *Algorithm, visited bool, one, many *Result) error {
	merged := a.Stateful || a.Sequences || visited // executions that end in the same state
	ends := func(list OutcomeSet) (all []string) {
		for _, o := range list.All() {
			all = append(all, fmt.Sprint(o.Words))
		}
		slices.Sort(all)
		return all
	}
	violations := func(r *Result) (all []string) {
		for _, v := range r.Violations {
			if v.Kind != InvariantFalse || a.Stateful {
				k := v.Key()
				if merged && (v.Kind == AlwaysBroken || v.Kind == StepBroken) {
					k.Proc, k.Node = 0, nil
				}
				all = append(all, fmt.Sprintf("%s %p %d %v %p %q",
					k.Kind, k.Property, k.Proc, k.Fault, k.Node, k.Words))
			}
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	switch {
	case one.Stopped != many.Stopped:
		return fmt.Errorf("stops: %s, not %s", many.Stopped, one.Stopped)
	case !slices.Equal(ends(one.Outcomes), ends(many.Outcomes)):
		return fmt.Errorf("outcomes %v, not %v", ends(many.Outcomes), ends(one.Outcomes))
	case !slices.Equal(ends(one.Deadlocks), ends(many.Deadlocks)):
		return fmt.Errorf("deadlocks %v, not %v", ends(many.Deadlocks), ends(one.Deadlocks))
	case !slices.Equal(violations(one), violations(many)):
		return fmt.Errorf("violations %v, not %v", violations(many), violations(one))
	case (one.Dropped > 0) != (many.Dropped > 0):
		return fmt.Errorf("%d dropped, not %d", many.Dropped, one.Dropped)
	case a.Sequences || visited:
		return nil
	case one.Executions != many.Executions || one.Dropped != many.Dropped:
		return fmt.Errorf("%d executions and %d dropped, not %d and %d",
			many.Executions, many.Dropped, one.Executions, one.Dropped)
	case a.Stateful && (one.States != many.States || one.Events != many.Events):
		return fmt.Errorf("%d states and %d events, not %d and %d", many.States, many.Events, one.States, one.Events)
	}
	return nil
}

// compareWorkers explores a program in a few ways with several workers, by those algorithms whose turn it is.
func compareWorkers(m *step.Machine, rng *rand.Rand, visited bool, turns func(algorithm int) bool,
	solve func(*step.Machine) (Conditions, error)) (shared int, err error) {
	var solved Conditions
	if solve != nil {
		if solved, err = solve(m); err != nil {
			return 0, err
		}
	}
	most := int64(4000) // nodes of one worker
	if *cuts > 60 {
		most = 20_000
	}
	for k, a := range Algorithms() {
		if a.Chooses || a.Alone || visited && !a.Visits || !turns(k) {
			continue
		}
		for _, c := range []Conditions{nil, solved} {
			if c == nil && solved != nil && a.Constraints || c != nil && !a.Constraints {
				continue
			}
			opt := Options{Conditions: c, Visited: visited, Validate: rng.Intn(4) == 0,
				NoAnticipate: rng.Intn(2) == 0, NoGuide: rng.Intn(2) == 0}
			if rng.Intn(2) == 0 {
				opt.Seed = 1 + rng.Int63n(1000)
			}
			opt.MaxDepth = 300 // some programs have no end; finding the races of long executions takes the cube of it
			ctx, cancel := context.WithCancel(context.Background())
			opt.Progress = func(r *Result) {
				if r.Nodes > most {
					cancel()
				}
			}
			one, err := Run(ctx, m, a, opt)
			cancel()
			if err != nil {
				return shared, err
			}
			if one.Stopped != StoppedComplete {
				continue
			}
			opt.Progress = nil
			for _, workers := range []int{1 + rng.Intn(2), 3 + 5*rng.Intn(2)} {
				many, err := together(m, a, opt, workers)
				if err == nil {
					err = sameFindings(a, opt.Visited, one, many)
				}
				if err != nil {
					return shared, fmt.Errorf("%s, %d workers, %+v: %w", a.Name, workers, opt, err)
				}
				shared++
			}
		}
	}
	return shared, nil
}

// TestWorkers explores random programs and shipped ones with several workers and expects what one worker finds. By
// default searches are small, and each algorithm explores every third of the files; larger ones, and all files: go test
// ./explore -run 'TestWorkers$' -args -cuts=100
func TestWorkers(t *testing.T) { testWorkers(t, false) }

// TestWorkersVisited does so with searches that stop at visited states.
func TestWorkersVisited(t *testing.T) { testWorkers(t, true) }

func testWorkers(t *testing.T, visited bool) {
	solve, err := newSolver()
	if err != nil && *solver != 0 {
		t.Errorf("%v; with -solve=0 nothing is synthesised", err)
	}
	files := endingPrograms(t)
	more, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, more...)
	searches := 0
	for i := range *cuts + len(files) {
		text, rng := programText(t, i, files)
		if visited && i < *cuts {
			text = drawProgram(rng)
		}
		m, err := load(text)
		if err != nil {
			continue // constraint files are no programs
		}
		use := solve
		if i%4 != 0 {
			use = nil
		}
		n, err := compareWorkers(m, rng, visited, turns(i), use)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", *seed+int64(i), err, text)
		}
		searches += n
	}
	t.Logf("%d searches by several workers", searches)
	if searches < *cuts {
		t.Error("that says little")
	}
}

// poolOf is a search by several workers on a fresh machine, from the start or from an encoded checkpoint, that pauses
// at every node.
func poolOf(ctx context.Context, m *step.Machine, a *Algorithm, opt Options, text []byte) (engine.Engine, error) {
	var x engine.Engine
	var err error
	if text == nil {
		x, err = newEngine(ctx, m, a, opt)
	} else {
		cp, err := ReadCheckpoint(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		if x, err = resume(ctx, m, cp, opt); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	workers := []engine.Worker{}
	if c, ok := x.(*parallel.Pool); ok {
		c.BarrierPeriod, c.Spare, workers = 1, 2, c.Workers
	} else {
		workers = append(workers, x.(engine.Worker))
	}
	for _, w := range workers {
		w.Common().Period, w.Common().Left = 1, 0
	}
	return x, nil
}

// interruptWorkers explores in parts, each by another number of workers, from one checkpoint to the next.
func interruptWorkers(fresh func() (*step.Machine, error), a *Algorithm, opt Options, nodes int64, rng *rand.Rand,
	solve func(*step.Machine) (Conditions, error)) (*Result, error) {
	var text []byte
	for part := 0; ; part++ {
		m, err := fresh()
		if err != nil {
			return nil, err
		}
		if solve != nil && a.Constraints {
			if opt.Conditions, err = solve(m); err != nil {
				return nil, err
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stop, killed, failed := 1+rng.Int63n(nodes), rng.Intn(3) == 0, error(nil)
		// For the callbacks, which are never called by two workers at once.
		draws := rand.New(rand.NewSource(rng.Int63()))
		next := text
		opt.Workers = 1 + rng.Intn(4)
		opt.Progress = func(r *Result) {
			if part < 4 && r.Nodes >= stop {
				cancel()
			}
		}
		opt.Checkpoint = func(stopped string, save func() *Checkpoint) {
			if !killed && stopped != "" || killed && stopped == "" && draws.Intn(5) == 0 {
				var b bytes.Buffer
				failed = cmp.Or(failed, save().Write(&b))
				next = b.Bytes()
			}
		}
		x, err := poolOf(ctx, m, a, opt, text)
		if err != nil {
			return nil, err
		}
		if text == nil {
			x.Begin()
		} else {
			x.Proceed()
		}
		res, err := x.Conclude()
		if err = cmp.Or(err, failed); err != nil || res.Stopped != StoppedContext {
			return res, err
		}
		text = next
	}
}

// TestWorkersResume interrupts searches by several workers, goes on with another number of them, and expects what one
// worker finds.
func TestWorkersResume(t *testing.T) { testWorkersResume(t, false) }

// TestWorkersResumeVisited does so with searches that stop at visited states.
func TestWorkersResumeVisited(t *testing.T) { testWorkersResume(t, true) }

func testWorkersResume(t *testing.T, visited bool) {
	solve, err := newSolver()
	if err != nil && *solver != 0 {
		t.Errorf("%v; with -solve=0 nothing is synthesised", err)
	}
	done := 0
	for i := range int64(*cuts) {
		rng := rand.New(rand.NewSource(*seed + i))
		text := ""
		if visited {
			text = drawProgram(rng)
		} else {
			text = random.Program(rng, random.Draw(rng))
		}
		m, err := load(text)
		if err != nil {
			t.Fatal(err)
		}
		use := solve
		if i%10 != 0 {
			use = nil
		}
		// Processes that are started get numbers in the order in which the search comes to them, which an outcome may
		// show: so they get those that a single worker has given them.
		fresh := func() (*step.Machine, error) {
			n, err := step.NewMachine(m.Program)
			if err != nil {
				return nil, err
			}
			return n, n.AdoptOrigins(m.Origins())
		}
		for _, a := range Algorithms() {
			if a.Chooses || a.Alone || visited && !a.Visits {
				continue
			}
			opt := Options{Visited: visited, Validate: rng.Intn(4) == 0}
			ctx, cancel := context.WithCancel(context.Background())
			opt.Progress = func(r *Result) {
				if r.Nodes > 2000 {
					cancel()
				}
			}
			alone := opt
			if use != nil && a.Constraints {
				if alone.Conditions, err = use(m); err != nil {
					t.Fatal(err)
				}
			}
			one, err := Run(ctx, m, a, alone)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if one.Stopped != StoppedComplete || one.Nodes < 2 {
				continue
			}
			many, err := interruptWorkers(fresh, a, opt, one.Nodes, rng, use)
			if err == nil {
				err = sameFindings(a, opt.Visited, one, many)
			}
			if err != nil {
				t.Fatalf("seed %d: %s, %+v: %v", *seed+i, a.Name, opt, err)
			}
			done++
		}
	}
	t.Logf("%d searches interrupted", done)
	if done < *cuts {
		t.Error("that says little")
	}
}

// TestCounts looks whether all numbers of a Result are added up, but for those that are found out when all is over.
func TestCounts(t *testing.T) {
	r := &Result{}
	for i, c := range r.Sums() {
		*c = int64(i + 1)
	}
	v := reflect.ValueOf(*r)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		own := slices.Contains([]string{"Memory", "CoveredStates", "NotLinearizable"}, name)
		if v.Field(i).Kind() == reflect.Int64 && v.Field(i).IsZero() != own {
			t.Errorf("%s is added up: %t; it should be: %t", name, own, !own)
		}
	}
}

// TestWorkersRefused tries what is refused to several workers.
func TestWorkersRefused(t *testing.T) {
	m := shipped(t, "cas", nil)
	for _, c := range []struct {
		algorithm *Algorithm
		opt       Options
		want      string
	}{
		{dpor.SourceAlgorithm, Options{Observer: bystander{}}, "an observer needs a single worker"},
		{dpor.OptimalAlgorithm, Options{}, "source explores the same traces with several"},
	} {
		c.opt.Workers = 2
		_, err := Run(context.Background(), m, c.algorithm, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.algorithm.Name, err, c.want)
		}
	}
}

// TestWorkersLimits ends searches by several workers early.
func TestWorkersLimits(t *testing.T) {
	m := shipped(t, "lastzero", map[string]string{"N": "8"})
	res, err := Run(context.Background(), m, dpor.SourceAlgorithm, Options{Workers: 3, MaxExecutions: 100})
	if err != nil || res.Stopped != StoppedExecutions || res.Executions < 100 || res.Executions > 102 {
		t.Errorf("%+v, %v", res, err)
	}
	for _, a := range []*Algorithm{dpor.SourceAlgorithm, states.Algorithm} {
		ctx, cancel := context.WithCancelCause(context.Background())
		res, err := Run(ctx, m, a, Options{Workers: 3, Progress: func(*Result) { cancel(ErrMemory) }})
		if err != nil || res.Stopped != StoppedMemory || res.Verdict == OK {
			t.Errorf("%+v, %v", res, err)
		}
	}
	_, err = Run(context.Background(), m, dpor.SourceAlgorithm,
		Options{Workers: 3, Terminal: func(step.State) { panic("of the hook") }})
	if err == nil || !strings.Contains(err.Error(), "of the hook") {
		t.Error("a panic in a worker:", err)
	}
}

// failing are conditions that never hold and panic when they are asked for the last time of a number of times.
type failing struct{ left int64 }

func (f *failing) Uniform(int, *step.Step, int, *step.Step) constraints.Cond {
	return constraints.Cond{Kind: constraints.CondEval, Eval: func(*step.Runner, step.State) bool {
		runtime.Gosched() // on one processor, too, the others are to come in between
		if atomic.AddInt64(&f.left, -1) == 0 {
			panic("of a condition")
		}
		return false
	}}
}

func (f *failing) Commute(a int, p *step.Step, b int, q *step.Step) constraints.Cond {
	return f.Uniform(a, p, b, q)
}

// TestWorkersPanic lets one of several workers fail wherever it asks for a condition, shared nodes held or not: the
// others must not wait for it.
func TestWorkersPanic(t *testing.T) {
	m := shipped(t, "lastzero", map[string]string{"N": "6"})
	failed := 0
	for k := int64(1); k < 1000; k += 1 + k/16 {
		f := &failing{left: k}
		pool, err := newWorkerPool(context.Background(), m, dpor.ConstrainedAlgorithm,
			Options{Conditions: f, Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		pool.Spare = 2
		done := make(chan error)
		go func() {
			pool.Begin()
			_, err := pool.Conclude()
			done <- err
		}()
		select {
		case err = <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("hangs after a panic in evaluation %d", k)
		}
		if f.left > 0 { // there are fewer evaluations
			continue
		}
		if failed++; err == nil || !strings.Contains(err.Error(), "of a condition") {
			t.Fatalf("a panic in evaluation %d: %v", k, err)
		}
	}
	if t.Logf("%d panics", failed); failed == 0 {
		t.Error("that says nothing")
	}
}

// TestWorkersOneProcessor lets several workers take turns.
func TestWorkersOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := shipped(t, "lastzero", map[string]string{"N": "7"})
	for _, a := range []*Algorithm{dpor.SourceAlgorithm, states.Algorithm} {
		one, err := Run(context.Background(), m, a, Options{})
		if err != nil {
			t.Fatal(err)
		}
		many, err := together(m, a, Options{}, 3)
		if err == nil {
			err = sameFindings(a, false, one, many)
		}
		if err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
}

// TestWorkersProgress adds up what the last reports have, and compares with the result.
func TestWorkersProgress(t *testing.T) {
	m := shipped(t, "lastzero", map[string]string{"N": "7"})
	var last Result
	c, err := newWorkerPool(t.Context(), m, dpor.SourceAlgorithm, Options{Workers: 3, Progress: func(r *Result) {
		if r.Nodes < last.Nodes || r.Executions < last.Executions || r.Outcomes.Len() < last.Outcomes.Len() {
			t.Errorf("%d nodes, %d executions and %d outcomes after %d, %d and %d", r.Nodes, r.Executions,
				r.Outcomes.Len(), last.Nodes, last.Executions, last.Outcomes.Len())
		}
		last = *r
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range c.Workers {
		w.Common().Period, w.Common().Left = 1, 0
	}
	c.Begin()
	res, err := c.Conclude()
	if err != nil {
		t.Fatal(err)
	}
	if last.Nodes != res.Nodes || res.Executions-last.Executions > 3 ||
		res.Outcomes.Len()-last.Outcomes.Len() > 3 || last.Executions == 0 {
		t.Errorf("%d nodes, %d executions, %d outcomes; the last report has %d, %d, %d", res.Nodes, res.Executions,
			res.Outcomes.Len(), last.Nodes, last.Executions, last.Outcomes.Len())
	}
}
