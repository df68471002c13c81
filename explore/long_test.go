package explore

import (
	"context"
	"math/rand"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/auto"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/future"
	"cdpor/explore/internal/states"
	"cdpor/lang/random"
	"cdpor/lang/slice"
)

// TestLongThread: auto explores a thread of many statements, one after the other, and two of them that have nothing to
// do with each other. What it prepares must not grow with a power of their number: this would not end.
func TestLongThread(t *testing.T) {
	const statements = 6000
	straight := func(v string) string { return strings.Repeat("    "+v+" = 1\n", statements) }
	text := "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n  a: |\n" + straight("x") + "  b: |\n" + straight("y")
	r, err := Run(context.Background(), loadText(t, text), auto.Algorithm, Options{})
	if err != nil || r.Stopped != StoppedComplete || r.Executions != 1 {
		t.Errorf("%d executions, %d events, %s: %v", r.Executions, r.Events, r.Stopped, err)
	}
}

// TestLongExecutionPauses: while its first execution is under way, auto looks at the outside every so many nodes, not
// at each: what a look costs grows with the execution.
func TestLongExecutionPauses(t *testing.T) {
	m := loadText(t, "cdpor: 1\nshared: {a: \"array[2] int\"}\nthreads:\n"+
		"  t: {count: 2, run: \"for i in 1..5000 { a[self] += 1 }\"}\n")
	looks := int64(0)
	r, err := Run(context.Background(), m, auto.Algorithm, Options{Progress: func(*Result) { looks++ }})
	if err != nil || r.Nodes < 10000 || looks > r.Nodes/engine.PausePeriod+8 {
		t.Errorf("%d looks at %d nodes: %v", looks, r.Nodes, err)
	}
}

// TestLongStack: a search of the state graph goes as deep as there are states, also after an interruption, and knows
// how it came there. Two threads go round for ever, so depth first there are thousands of states on the stack.
func TestLongStack(t *testing.T) {
	text := "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n" +
		"  a: \"while true { x = (x + 1) % 60 }\"\n  b: \"while true { y = (y + 1) % 61 }\"\n" +
		"  c: \"await x == 30 && y == 47; assert(false)\"\ncheck: {termination: allowed}\n"
	rng := rand.New(rand.NewSource(*seed))
	for _, c := range cutters(t, text, rng, nil) {
		if c.algorithm != states.Algorithm || c.opt.Preempt {
			continue
		}
		c.opt.Validate = true
		whole, err := c.whole(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		if whole.States != 2*60*61 || len(whole.Violations) != 1 || whole.MaxDepth < 10*states.StretchLen {
			t.Errorf("%d states, %d deep, %d violations", whole.States, whole.MaxDepth, len(whole.Violations))
		}
		for range 5 {
			if err := c.check(whole, rng); err != nil {
				t.Error(err)
			}
		}
		if err := replays(c.last, whole); err != nil {
			t.Error(err)
		}
	}
}

// TestDeepStates: only where a variable grows is a search of states cut that the user sets no bound.
func TestDeepStates(t *testing.T) {
	for text, want := range map[string]string{
		"shared: {x: int}\nthreads: {a: \"while x >= 0 { x += 1 }\"}":                 StoppedDepth,
		"shared: {x: int}\nthreads: {a: \"while true { x = (x * 5 + 1) % 131072 }\"}": StoppedComplete,
	} {
		m := loadText(t, "cdpor: 1\n"+text+"\ncheck: {termination: allowed}\n")
		r, err := Run(context.Background(), m, states.Algorithm, Options{})
		if err != nil || r.Stopped != want || r.MaxDepth < DefaultMaxDepth {
			t.Errorf("%s: %d deep, %s: %v", text, r.MaxDepth, r.Stopped, err)
		}
	}
}

// TestLargeStates: a search whose states are large asks more often whether there is memory left, so that not many of
// them are made from one time to the next.
func TestLargeStates(t *testing.T) {
	m := loadText(t, "cdpor: 1\nshared: {a: \"array[60000] int\"}\nthreads:\n"+
		"  t: {count: 2, run: \"for i in 0..59999 { a[i] += self }\"}\n")
	for _, a := range Algorithms() {
		asked := 0
		r, err := Run(context.Background(), m, a, Options{GiveUp: func(int64) bool { asked++; return asked > 4 }})
		if err != nil || r.Nodes > 64 {
			t.Errorf("%s: asked four times in %d nodes: %v", a.Name, r.Nodes, err)
		}
	}
}

// TestLoops: whether a thread may come to a step again is seen in its graph of steps.
func TestLoops(t *testing.T) {
	for run, want := range map[string]bool{
		"x = 1; x = 2": false,
		"if x == 0 { x = 1 } else { x = 2 }; x = 3":  false,
		"while true { x = 1 }":                       true,
		"x = 1; while x < 3 { x += 1 }; x = 0":       true,
		"atomic { while x < 3 { x += 1 } }; x = 0":   false, // within one step
		"x = 1; while true { await x == 1; break }":  false,
		"while x < 9 { if x == 3 { return }; skip }": true,
	} {
		m := loadText(t, "cdpor: 1\nshared: {x: int}\nthreads:\n  t: |\n    "+strings.ReplaceAll(run, "; ",
			"\n    ")+"\n")
		if got := m.Program.Templates[0].Loops(); got != want {
			t.Errorf("%s: loops: %v", run, got)
		}
	}
}

// TestRivals: the steps that a step may race with are found by what they touch, and are those that a comparison with
// each step finds.
func TestRivals(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	for i := range 40 {
		rng := rand.New(rand.NewSource(int64(i)))
		c := random.Draw(rng)
		c.Spawns = i%2 == 0
		text := random.Program(rng, c)
		m, err := load(text)
		if err != nil {
			t.Fatal(err)
		}
		parallel := slice.NewParallel(m.Program)
		x, err := executions.New(context.Background(), m, dpor.SourceAlgorithm, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for a := range m.NumSteps() {
			for b := range m.NumSteps() {
				p, s := m.StepAt(a)
				q, u := m.StepAt(b)
				rivals := future.New(machineOf(x), x.Unconditional).RivalsOf(a)[b/64]>>(b%64)&1 != 0
				if want := p != q && parallel.PossibleFor(p, s, q, u) && !x.Unconditional(a, b); rivals != want {
					t.Fatalf("steps %d and %d: rivals: %v\n%s", a, b, rivals, text)
				}
			}
		}
	}
}

// TestInterruptInside: a search that is interrupted in the middle of its first execution is saved there.
func TestInterruptInside(t *testing.T) {
	m := loadText(t, "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n  a: \"while true { x += 1 }\"\n  b: \"y = x\"\n")
	for _, a := range Algorithms() {
		ctx, cancel := context.WithCancel(context.Background())
		saved := int64(0)
		r, err := Run(ctx, m, a, Options{Progress: func(*Result) { cancel() },
			Checkpoint: func(stopped string, save func() *Checkpoint) {
				if stopped == StoppedContext {
					saved = int64(len(save().State))
				}
			}})
		if err != nil || r.Stopped != StoppedContext || saved == 0 || r.Nodes > 3*engine.PausePeriod {
			t.Errorf("%s: %s after %d nodes, a state of %d words saved: %v", a.Name, r.Stopped, r.Nodes, saved, err)
		}
	}
}
