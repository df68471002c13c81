package explore

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"cdpor/explore/internal/meter"
	"cdpor/lang/langtest"
	"cdpor/lang/step"
)

// longPrograms have executions of thousands of events, or many races, steps that wait, states, outcomes.
var longPrograms = map[string]string{
	"increments": `
cdpor: 1
shared: {x: int}
threads:
  t: {count: 3, run: "for i in 1..30000 { x += 1 }"}
`,
	"locks": `
cdpor: 1
shared: {m: mutex, x: int}
threads:
  t: {count: 3, run: "for i in 1..3000 { lock(m); x += 1; unlock(m) }"}
`,
	"waiting": `
cdpor: 1
shared: {full: bool, x: int, y: int}
threads:
  p: "for i in 1..5000 { await !full; x = i; full = true }"
  c: "for i in 1..5000 { await full; y = y + x; full = false }"
  d: "for i in 1..5000 { y = y + 1 }"
`,
	"spinning": `
cdpor: 1
shared: {flag: bool, n: int}
threads:
  a: "while !flag { n += 1 }"
  b: "for i in 1..20000 { n += 1 }; flag = true"
`,
	"wide": `
cdpor: 1
shared: {a: "array[24] int"}
threads:
  t: {count: 3, run: "for i in 1..3000 { atomic { for k in 0..23 { a[k] = a[k] + 1 } } }"}
`,
	"races": `
cdpor: 1
shared: {a: "array[12] int"}
threads:
  t: {count: 5, run: "for i in 1..60 { atomic { a[i % 12] = a[(i + 5) % 12] + 1 } }"}
`,
	"outcomes": `
cdpor: 1
shared: {x: int}
threads:
  t: {count: 6, run: "for i in 1..4 { x = x * 3 + self }"}
`,
	"neighbours": `
cdpor: 1
shared: {a: "array[4] int"}
threads:
  t: {count: 4, run: "for i in 1..1000 { await a[self] >= a[(self + 1) % 4] - 3; a[self] += 1 }"}
`,
	"states": `
cdpor: 1
shared: {a: "array[5] int"}
threads:
  t: {count: 5, run: "for i in 1..400 { a[self] = i * 7919 }"}
`,
	"swaps": `
cdpor: 1
shared: {x: int, y: int}
threads:
  t: {count: 3, run: "for i in 1..2000 { var b bool = cas(x, 0, 1); if b { y += 1; x = 0 } }"}
`,
}

func longMachine(t *testing.T, text string) *step.Machine {
	return langtest.Machine(t, "long.yaml", text, nil)
}

// TestGiveUp gives up searches by all algorithms at the first time that they ask, and later: they end at once, are
// not saved, and keep what they have found. Not to ask for a long time is to fail: no search does so much as a
// second's work without asking, and the test allows twenty.
func TestGiveUp(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	const patience = 20 * time.Second
	for name, text := range longPrograms {
		for _, a := range Algorithms() {
			for _, workers := range []int{1, 3} {
				for _, asks := range []int64{1, 8} {
					if workers > 1 && (asks == 1 || a.Alone) {
						continue
					}
					m := longMachine(t, text)
					ctx, cancel := context.WithCancel(context.Background())
					var asked, since atomic.Int64
					begun := time.Now()
					most := time.Duration(0)
					given, saved := false, false
					opt := Options{MaxDepth: 1 << 30, Workers: workers, Validate: asks == 1,
						Checkpoint: func(string, func() *Checkpoint) { saved = saved || given }}
					opt.GiveUp = func(bytes int64) bool {
						if bytes > 0 {
							return false
						}
						if workers == 1 {
							now := time.Since(begun)
							most = max(most, now-time.Duration(since.Swap(int64(now))))
						}
						if asked.Add(1) < asks {
							return false
						}
						cancel()
						given = given || workers == 1
						return true
					}
					res, err := Run(ctx, m, a, opt)
					cancel()
					what := fmt.Sprintf("%s, %s, %d workers, given up at %d", name, a.Name, workers, asks)
					switch {
					case err != nil:
						t.Errorf("%s: %v", what, err)
					case asked.Load() < asks: // there was not so much to do
						continue
					case res.Stopped != StoppedContext && res.Stopped != StoppedMemory:
						t.Errorf("%s: stopped: %q", what, res.Stopped)
					case workers == 1 && asked.Load() > asks:
						t.Errorf("%s: asked %d times", what, asked.Load())
					case saved && !a.Chooses: // auto is saved without what it was trying
						t.Errorf("%s: saved afterwards", what)
					case most > patience:
						t.Errorf("%s: did not ask for %v", what, most)
					}
					if took := time.Since(begun); took > 3*patience {
						t.Errorf("%s: took %v", what, took)
					}
				}
			}
		}
	}
}

// TestGiveUpDiffers: a search that might give up and does not finds what it finds anyway.
func TestGiveUpDiffers(t *testing.T) {
	m := longMachine(t, "cdpor: 1\nshared: {x: int, m: mutex}\nthreads:\n"+
		"  t: {count: 3, run: \"for i in 1..2 { lock(m); x = x * 3 + self; unlock(m) }\"}\n")
	for _, a := range Algorithms() {
		want, err := Run(context.Background(), m, a, Options{})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		got, err := Run(context.Background(), m, a, Options{GiveUp: func(int64) bool { asked++; return false }})
		if err != nil {
			t.Fatal(err)
		}
		if got.Executions != want.Executions || got.Events != want.Events ||
			got.Outcomes.Len() != want.Outcomes.Len() || got.Stopped != StoppedComplete {
			t.Errorf("%s: %d executions, %d events, not %d, %d",
				a.Name, got.Executions, got.Events, want.Executions, want.Events)
		}
	}
}

// BenchmarkLength measures the time of an event in executions of different lengths: about the same in all. A search
// ends after three of them, or after so much work: a state graph has many more states than an execution has events.
// With -short executions are shorter, and there is less work.
func BenchmarkLength(b *testing.B) {
	mostWork, lengths := 1<<20, []int{1000, 64000}
	if testing.Short() {
		mostWork, lengths = 1<<16, []int{100, 1000}
	}
	for _, algorithm := range []string{"exhaustive", "interleavings", "source", "optimal", "context"} {
		for _, program := range []string{
			"x += 1", "lock(m); x += 1; unlock(m)", "atomic { for k in 0..23 { a[k] += 1 } }",
		} {
			for _, length := range lengths {
				b.Run(fmt.Sprintf("%s/%.5s/%d", algorithm, program, length), func(b *testing.B) {
					text := fmt.Sprintf("cdpor: 1\nshared: {x: int, m: mutex, a: \"array[24] int\"}\nthreads:\n"+
						"  t: {count: 3, run: \"for i in 1..%d { %s }\"}\n", length, program)
					m := langtest.Machine(b, "long.yaml", text, nil)
					a, err := Find(algorithm)
					if err != nil {
						b.Fatal(err)
					}
					events := int64(0)
					for b.Loop() {
						asked := 0
						opt := Options{MaxDepth: 1 << 30, MaxExecutions: 3, GiveUp: func(int64) bool {
							asked++
							return asked*meter.Period > mostWork
						}}
						res, err := Run(context.Background(), m, a, opt)
						if err != nil {
							b.Fatal(err)
						}
						events += res.Events
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
				})
			}
		}
	}
}
