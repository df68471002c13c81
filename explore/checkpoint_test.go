package explore

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/auto"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/states"
	"cdpor/explore/oracle"
	"cdpor/lang/random"
	"cdpor/lang/step"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var cuts = flag.Int("cuts", 60, "random programs whose searches TestResume interrupts")

// A cutter interrupts searches of one program. Each part of a search runs on a machine of its own, as in another
// process.
type cutter struct {
	machine    func() (*step.Machine, error)
	conditions func(*step.Machine) (Conditions, error) // nil: none
	algorithm  *Algorithm
	opt        Options
	asks       bool              // auto asks for the conditions
	visits     int               // largest table of visited states; 0: no limit
	looks      auto.Looks        // of auto
	dropped    int64             // visits that the uninterrupted search has forgotten
	last       *step.Machine     // that a part ran on
	shares     map[int64]float64 // by Result.Nodes, the estimates of the uninterrupted search
}

// part is a search on a fresh machine: from the start, or from an encoded checkpoint.
func (c *cutter) part(ctx context.Context, text []byte, opt Options) (engine.Engine, *engine.Limits, error) {
	m, err := c.machine()
	if err != nil {
		return nil, nil, err
	}
	c.last = m
	if c.conditions != nil {
		if opt.Conditions, err = c.conditions(m); err != nil {
			return nil, nil, err
		}
	}
	if c.asks {
		found := Synthesis{Conditions: opt.Conditions, Pairs: 1, Useful: 1, Whole: c.looks.First%2 == 0}
		opt.Synthesize = func(context.Context, [][2]*step.Step, int) (Synthesis, error) { return found, nil }
		if text == nil {
			opt.Conditions = nil
		}
	}
	var x engine.Engine
	if text == nil {
		x, err = newEngine(ctx, m, c.algorithm, opt)
	} else {
		var cp *Checkpoint
		if cp, err = ReadCheckpoint(bytes.NewReader(text)); err == nil {
			x, err = resume(ctx, m, cp, opt)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if a, ok := x.(*auto.Auto); ok {
		a.Looks, a.Period = c.looks, 1
		if text == nil {
			a.Look = c.looks.First
		}
		return x, &a.Main.Limits, nil
	}
	if s, ok := x.(*executions.Search); ok {
		if s.Visits != nil {
			s.Visits.Table.MostVisits = c.visits
		}
		return x, &s.Limits, nil
	}
	return x, &x.(*states.Exhaustive).Limits, nil
}

// whole runs a search without interruption.
func (c *cutter) whole(maxNodes int64) (*Result, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opt := c.opt
	c.shares = map[int64]float64{}
	opt.Progress = func(r *Result) {
		if c.shares[r.Nodes] = r.Share; r.Nodes > maxNodes {
			cancel()
		}
	}
	opt.GiveUp = func(int64) bool { return ctx.Err() != nil } // an execution that does not end
	x, control, err := c.part(ctx, nil, opt)
	if err != nil {
		return nil, err
	}
	control.Period, control.Left = 1, 0
	x.Begin()
	if s, ok := x.(*executions.Search); ok && s.Visits != nil {
		c.dropped = s.Visits.Table.Dropped
	}
	return x.Conclude()
}

// interrupted runs a search that is interrupted at some numbers of nodes. What is gone on from is the checkpoint that
// is made at the interruption or, as after a kill, the last one before, which may be none.
func (c *cutter) interrupted(at []int64, rng *rand.Rand) (*Result, error) {
	var text []byte
	for part := 0; ; part++ {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		opt, killed, failed := c.opt, rng.Intn(3) == 0, error(nil)
		opt.Progress = func(r *Result) {
			if want := c.shares[r.Nodes]; r.Share != want && !c.algorithm.Chooses {
				failed = cmp.Or(failed, fmt.Errorf("after %d nodes the share is %g, not %g", r.Nodes, r.Share, want))
			}
			if part < len(at) && r.Nodes >= at[part] {
				cancel()
			}
		}
		next := text
		opt.Checkpoint = func(stopped string, save func() *Checkpoint) {
			if !killed && stopped != "" || killed && stopped == "" && rng.Intn(20) == 0 {
				var b bytes.Buffer
				failed = cmp.Or(failed, save().Write(&b))
				next = b.Bytes()
			}
		}
		x, control, err := c.part(ctx, text, opt)
		if err != nil {
			return nil, err
		}
		if control.Period, control.Left = 1, 0; text == nil {
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

// check interrupts a search at random and compares its result with that of the uninterrupted one.
func (c *cutter) check(whole *Result, rng *rand.Rand) error {
	var at []int64
	for range 1 + rng.Intn(4) {
		at = append(at, 1+rng.Int63n(whole.Nodes))
	}
	slices.Sort(at)
	got, err := c.interrupted(at, rng)
	if err != nil {
		return fmt.Errorf("interrupted at %v: %w", at, err)
	}
	// What it decides depends on what it has tried, which a checkpoint leaves out.
	if c.algorithm.Chooses {
		return sameFindings(c.algorithm, true, whole, got)
	}
	if diff := gocmp.Diff(whole, got, byIdentity); diff != "" {
		return fmt.Errorf("interrupted at %v: -uninterrupted +interrupted\n%s", at, diff)
	}
	return nil
}

// byIdentity compares parts of the program, which all machines share, by their address, and ends as lists.
var byIdentity = gocmp.Options{
	cmpopts.IgnoreUnexported(Result{}),
	cmpopts.IgnoreFields(Result{}, "Ends"), // a search that goes on does not know what it left before
	gocmp.Transformer("list", func(e OutcomeSet) []Outcome { return list(e) }),
	gocmp.Comparer(func(a, b *step.Property) bool { return a == b }),
	gocmp.Comparer(func(a, b *step.Node) bool { return a == b }),
	gocmp.Comparer(func(a, b *step.Step) bool { return a == b }),
}

// cutters are searches of a program with all algorithms, with options drawn at random.
func cutters(t *testing.T, text string, rng *rand.Rand, solve func(*step.Machine) (Conditions, error)) (all []*cutter) {
	m, err := load(text)
	if err != nil {
		t.Fatal(err)
	}
	_, err = oracle.Search(m, maxStates)
	small := err == nil
	fresh := func() (*step.Machine, error) { return step.NewMachine(m.Program) }
	add := func(a *Algorithm, machine func() (*step.Machine, error),
		conditions func(*step.Machine) (Conditions, error)) {
		opt := Options{NoAnticipate: rng.Intn(2) == 0, NoGuide: rng.Intn(2) == 0,
			Validate: rng.Intn(4) == 0}
		if rng.Intn(2) == 0 {
			opt.Seed = 1 + rng.Int63n(1000)
		}
		if rng.Intn(5) == 0 {
			opt.Preempt, opt.Preemptions = true, rng.Intn(3)
		}
		if rng.Intn(5) == 0 {
			opt.MaxDepth = 1 + rng.Intn(8)
		}
		if rng.Intn(5) == 0 {
			opt.MaxExecutions = 1 + rng.Int63n(50)
		}
		asks := a.Chooses && conditions != nil
		c := &cutter{machine: machine, conditions: conditions, algorithm: a, opt: opt, asks: asks}
		if c.asks { // what a search that was abandoned has found is not saved, and counts where another one stops early
			c.opt.MaxExecutions = 0
		}
		if a.Chooses {
			c.looks = auto.Looks{First: 1 + rng.Int63n(20), Other: rng.Int63n(60), Rarer: rng.Int63n(60),
				Long: rng.Int63n(60), Share: 1 << 20, Last: 1 << 24, Vain: rng.Int63n(4), Steps: rng.Intn(2) << 10}
		}
		all = append(all, c)
	}
	for _, a := range Algorithms() {
		add(a, fresh, nil)
	}
	// The states of the table are those of one machine.
	table := &lazyTable{m: m, rng: rng}
	for _, a := range []*Algorithm{dpor.OptimalAlgorithm, dpor.ConstrainedAlgorithm, auto.Algorithm} {
		if small {
			add(a, func() (*step.Machine, error) { return m, nil },
				func(*step.Machine) (Conditions, error) { return table, nil })
		}
		if solve != nil {
			add(a, fresh, solve)
		}
	}
	return all
}

// programText is one of -cuts random programs or, behind these, of some files, and random numbers to go on with.
func programText(t *testing.T, i int, files []string) (string, *rand.Rand) {
	t.Helper()
	rng := rand.New(rand.NewSource(*seed + int64(i)))
	if i < *cuts {
		return random.Program(rng, random.Draw(rng)), rng
	}
	text, err := os.ReadFile(files[i-*cuts])
	if err != nil {
		t.Fatal(err)
	}
	return string(text), rng
}

// turns says which searches explore a program of programText: all of them a random one, in turn one of three a file,
// which may take long, unless somebody has time, that is, wants more than 60 random ones.
func turns(i int) func(search int) bool {
	return func(search int) bool { return i < *cuts || *cuts > 60 || (i+search)%3 == 0 }
}

// endingPrograms are the shipped programs, without those of testdata/liveness: their executions go round for ever, so a
// search that stores no states is stopped before it has anything to compare.
func endingPrograms(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	k := 0
	return slices.DeleteFunc(files, func(path string) bool {
		k++
		return filepath.Base(filepath.Dir(path)) == "liveness" || testing.Short() && k%12 > 0
	})
}

// TestResume interrupts searches of random programs and of shipped ones, by all algorithms, a few times each, goes on
// from what was written, and expects what is found without interruption. By default one of three searches explores a
// file, all of them with more random programs: go test ./explore -run 'TestResume$' -args -cuts=3000 -seed=1
func TestResume(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	solve, err := newSolver()
	if err != nil && *solver != 0 {
		t.Errorf("%v; with -solve=0 nothing is synthesised", err)
	}
	files := endingPrograms(t)
	done, started := 0, 0
	for i := range *cuts + len(files) {
		text, rng := programText(t, i, files)
		use := solve
		if i%10 != 0 {
			use = nil
		}
		for k, c := range cutters(t, text, rng, use) {
			if !turns(i)(k) {
				continue
			}
			whole, err := c.whole(2000)
			if err != nil {
				t.Fatal(err)
			}
			if whole.Stopped == StoppedContext || whole.Nodes < 2 {
				continue
			}
			if err := c.check(whole, rng); err != nil {
				t.Fatalf("seed %d: %s, %+v: %v\n%s", *seed+int64(i), c.algorithm.Name, c.opt, err, text)
			}
			if done++; slices.ContainsFunc(c.last.Origins(), func(o []step.Origin) bool { return len(o) > 0 }) {
				started++
			}
		}
	}
	t.Logf("%d searches interrupted, %d of programs that start processes", done, started)
	if done < *cuts || started == 0 {
		t.Error("that says little")
	}
}

// visitingCutters are searches of a program that stop at visited states, with options drawn at random.
func visitingCutters(t *testing.T, text string, rng *rand.Rand,
	solve func(*step.Machine) (Conditions, error)) (all []*cutter) {
	for _, c := range cutters(t, text, rng, solve) {
		if !c.algorithm.Visits {
			continue
		}
		c.opt.Visited, c.opt.Preempt, c.opt.Preemptions = true, false, 0
		switch rng.Intn(4) {
		case 0:
			c.visits = 1 + rng.Intn(12)
		case 1:
			c.opt.VisitedMemory = 1 << (11 + rng.Intn(5))
		}
		all = append(all, c)
	}
	return all
}

// TestResumeVisited interrupts searches that stop at visited states, of random programs whose executions need not end,
// and of shipped ones.
func TestResumeVisited(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	solve, err := newSolver()
	if err != nil && *solver != 0 {
		t.Errorf("%v; with -solve=0 nothing is synthesised", err)
	}
	files := endingPrograms(t)
	done, revisits, cycles, dropped := 0, int64(0), int64(0), int64(0)
	for i := range *cuts + len(files) {
		text, rng := programText(t, i, files)
		if i < *cuts {
			text = drawProgram(rng)
		}
		use := solve
		if i%10 != 0 {
			use = nil
		}
		for k, c := range visitingCutters(t, text, rng, use) {
			if !turns(i)(k) {
				continue
			}
			whole, err := c.whole(2000)
			if err != nil {
				t.Fatal(err)
			}
			if whole.Stopped == StoppedContext || whole.Nodes < 2 {
				continue
			}
			if err := c.check(whole, rng); err != nil {
				t.Fatalf("seed %d: %s, %+v, %d visits: %v\n%s",
					*seed+int64(i), c.algorithm.Name, c.opt, c.visits, err, text)
			}
			done++
			revisits += whole.Revisits
			cycles += whole.Cycles
			dropped += c.dropped
		}
	}
	t.Logf("%d searches interrupted, %d revisits, %d cycles, %d visits forgotten", done, revisits, cycles, dropped)
	if done < *cuts || revisits == 0 || cycles == 0 || dropped == 0 {
		t.Error("that says little")
	}
}

// FuzzResume goes on from checkpoints in which one number, or the text behind it, is another: they are refused or
// explored, and nothing panics.
func FuzzResume(f *testing.F) {
	const text = `cdpor: 1
shared: {x: int, y: int, l: mutex}
threads:
  p:
    count: 2
    run: |
      lock l
      choose { x += 1 } or { x += 2 }
      unlock l
      if x > 1 { y = x }
  q: |
    await x > 0
    assert y == 0
check: {final: [y < 2], reachable: [x == 2], deadlock: forbidden}
`
	m, err := load(text)
	if err != nil {
		f.Fatal(err)
	}
	var saved [][]byte
	for i, a := range append(Algorithms(), dpor.SourceAlgorithm, dpor.ContextAlgorithm) {
		_, err := Run(context.Background(), m, a, Options{MaxExecutions: 2 + int64(i)%8,
			Seed: int64(i), Visited: i >= len(Algorithms()),
			Checkpoint: func(_ string, save func() *Checkpoint) {
				var b bytes.Buffer
				if err := save().Write(&b); err != nil {
					f.Fatal(err)
				}
				f.Add(uint8(len(saved)), uint16(20+i), "3", false)
				saved = append(saved, b.Bytes())
			}})
		if err != nil {
			f.Fatal(err)
		}
	}
	number := regexp.MustCompile(`-?[0-9]+`)
	f.Fuzz(func(t *testing.T, which uint8, at uint16, instead string, all bool) {
		text := saved[int(which)%len(saved)]
		places := number.FindAllIndex(text, -1)
		place := places[int(at)%len(places)]
		end := place[1]
		if all {
			end = len(text)
		}
		text = slices.Concat(text[:place[0]], []byte(instead), text[end:])
		cp, err := ReadCheckpoint(bytes.NewReader(text))
		if err != nil {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, _ = Resume(ctx, m, cp, Options{Progress: func(*Result) { cancel() }})
	})
}

// TestResumeRelies looks whether a search that is resumed knows that a bound has cut what follows some nodes: then what
// it closes must not be taken for complete.
func TestResumeRelies(t *testing.T) {
	m, err := load(handmade("x: int, y: int", "p: x = 1; x = 2; y = 1", "q: x = 3; y = 2; x = 4"))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	opt := Options{Visited: true, MaxDepth: 3, MaxExecutions: 1}
	opt.Checkpoint = func(stopped string, save func() *Checkpoint) {
		text.Reset()
		if err := save().Write(&text); err != nil {
			t.Fatal(err)
		}
	}
	x, err := newEngine(context.Background(), m, dpor.SourceAlgorithm, opt)
	if err != nil {
		t.Fatal(err)
	}
	if x.Begin(); !x.(*executions.Search).Visits.Relies {
		t.Fatal("nothing was cut")
	}
	cp, err := ReadCheckpoint(&text)
	if err != nil {
		t.Fatal(err)
	}
	opt.Checkpoint = nil
	if x, err = resume(context.Background(), m, cp, opt); err != nil {
		t.Fatal(err)
	}
	if !x.(*executions.Search).Visits.Relies {
		t.Error("the search has forgotten that something was cut")
	}
}
