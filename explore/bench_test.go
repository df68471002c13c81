package explore

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/wakeup"
	"cdpor/lang/langtest"
	"cdpor/lang/step"
)

// shipped loads a program of testdata with parameters.
func shipped(tb testing.TB, name string, params map[string]string) *step.Machine {
	tb.Helper()
	return loadFile(tb, "../testdata/programs/"+name+".yaml", params)
}

func loadFile(tb testing.TB, path string, params map[string]string) *step.Machine {
	return langtest.File(tb, path, params)
}

// searchAll searches a program as often as the benchmark asks for, and reports the rate of executions, how many events
// of each are new and how many races an event has, and the time of an event. It returns the executions of all
// searches.
func searchAll(b *testing.B, m *step.Machine, a *Algorithm, opt Options) (executions int64) {
	b.Helper()
	var events, races int64
	for b.Loop() {
		res, err := Run(context.Background(), m, a, opt)
		if err != nil {
			b.Fatal(err)
		}
		executions, events, races = executions+res.Executions, events+res.Events, races+res.Races
	}
	b.ReportMetric(float64(events)/float64(executions), "events/execution")
	b.ReportMetric(float64(races)/float64(events), "races/event")
	b.ReportMetric(float64(executions)/b.Elapsed().Seconds(), "executions/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
	return executions
}

// BenchmarkRun explores whole programs; an op is a complete search.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct{ name, n string }{
		{"readers", "13"}, {"lastzero", "10"}, {"ainc", "7"}, {"last-write", "6"}, {"fib-observed", "4"},
	} {
		m := shipped(b, c.name, map[string]string{"N": c.n})
		for _, a := range []*Algorithm{dpor.SourceAlgorithm, dpor.OptimalAlgorithm, dpor.ContextAlgorithm} {
			b.Run(fmt.Sprintf("%s=%s/%s", c.name, c.n, a.Name), func(b *testing.B) {
				b.ReportAllocs()
				searchAll(b, m, a, Options{})
			})
		}
	}
}

// BenchmarkGrowth explores families of programs over their parameter, up to 64 threads: what an event costs must not
// depend on it much. Of large programs only some executions are explored, of all of them with -short.
func BenchmarkGrowth(b *testing.B) {
	for _, c := range []struct {
		name string
		a    *Algorithm
		ns   []int
	}{
		{"readers", dpor.SourceAlgorithm, []int{7, 9, 11, 13, 15, 31, 63}},
		{"lastzero", dpor.OptimalAlgorithm, []int{6, 8, 10, 12, 14, 31, 63}},
		{"fib-observed", dpor.SourceAlgorithm, []int{2, 3, 4, 5}},
		{"ainc", dpor.SourceAlgorithm, []int{5, 6, 7, 8, 9, 32, 64}},
		{"fetch-add", dpor.SourceAlgorithm, []int{5, 6, 7, 8, 9, 32, 64}},
		{"locked-buffer", dpor.SourceAlgorithm, []int{5, 6, 7, 8, 9, 31}},
		{"indexer", dpor.SourceAlgorithm, []int{12, 13, 14, 15, 16}},
	} {
		most := int64(400_000)
		if testing.Short() {
			most /= 100
		}
		for _, n := range c.ns {
			m := shipped(b, c.name, map[string]string{"N": fmt.Sprint(n)})
			b.Run(fmt.Sprintf("%s=%d/%s", c.name, n, c.a.Name), func(b *testing.B) {
				executions := searchAll(b, m, c.a, Options{MaxExecutions: most})
				b.ReportMetric(float64(executions)/float64(b.N), "executions")
			})
		}
	}
}

// BenchmarkLong goes through executions of many events: eight threads that take and give back locks of their own, and
// at last write one variable. An op is one execution, of which all but the last events are those of the one before.
func BenchmarkLong(b *testing.B) {
	for _, k := range []int{4, 40, 400} {
		m := loadText(b, fmt.Sprintf(`
cdpor: 1
name: locks
params: {K: %d}
shared: {a: "array[8] int", m: "array[8] mutex", x: int}
threads:
  p:
    count: 8
    run: |
      var i int = 0
      while i < K { lock(m[self]); a[self] = a[self] + 1; unlock(m[self]); i = i + 1 }
      x = x + 1
`, k))
		b.Run(fmt.Sprintf("events=%d", 24*k+8), func(b *testing.B) {
			searchAll(b, m, dpor.SourceAlgorithm, Options{MaxExecutions: 100})
		})
	}
}

// BenchmarkLocks goes through executions of up to 64 threads that take locks, which most of them wait for now and
// then; an op is 100 executions.
func BenchmarkLocks(b *testing.B) {
	for _, n := range []int{16, 32, 64} {
		params := map[string]string{"N": fmt.Sprint(n), "INODES": fmt.Sprint(n / 2), "BLOCKS": fmt.Sprint(n)}
		m := shipped(b, "filesystem", params)
		b.Run(fmt.Sprintf("threads=%d", n), func(b *testing.B) {
			searchAll(b, m, dpor.SourceAlgorithm, Options{MaxExecutions: 100})
		})
	}
}

// BenchmarkCompensation explores programs with many cuts, after which it has to be found out what may still happen; an
// op is a complete search.
func BenchmarkCompensation(b *testing.B) {
	for _, name := range []string{"actors/merge-sort", "actors/leader-votes", "programs/byzantine-generals",
		"programs/santa-claus", "programs/dekker-broken"} {
		m := loadFile(b, "../testdata/"+name+".yaml", nil)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(context.Background(), m, dpor.ContextAlgorithm, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A bystander is an observer that does nothing.
type bystander struct{}

func (bystander) Step(int) bool          { return true }
func (bystander) Race(Race)              {}
func (bystander) Insert(Insertion)       {}
func (bystander) Sequence(int, []int32)  {}
func (bystander) Enter(Sleepers, []int)  {}
func (bystander) Skip(Skipped, Sleepers) {}
func (bystander) Known(int)              {}
func (bystander) End(LeafKind)           {}
func (bystander) Leave(bool)             {}

// BenchmarkObserver compares a search without an observer to one with an observer.
func BenchmarkObserver(b *testing.B) {
	m := shipped(b, "lastzero", map[string]string{"N": "8"})
	for _, c := range []struct {
		name string
		by   Observer
	}{{"nobody", nil}, {"somebody", bystander{}}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(context.Background(), m, dpor.SourceAlgorithm, Options{Observer: c.by}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// atDepth is a search that stands at the end of the first execution, for benchmarks of its parts.
func atDepth(b *testing.B, m *step.Machine) *executions.Search {
	x, err := executions.New(context.Background(), m, dpor.SourceAlgorithm, Options{})
	if err != nil {
		b.Fatal(err)
	}
	for {
		lv, a := x.Stack[x.Depth], 0
		for a < machineOf(x).NumActions() && !runnerOf(x).CanTake(lv.State, a) {
			a++
		}
		if a == machineOf(x).NumActions() {
			return x
		}
		x.Execute(a)
		x.Depth++
	}
}

// BenchmarkHappensBefore computes the clock and the races of the last event of an execution; an op is one event. The
// threads of the program count for themselves before they touch what they share, so the event has few conflicts,
// however long the execution is.
func BenchmarkHappensBefore(b *testing.B) {
	for _, k := range []int{1, 10, 100, 1250} {
		x := atDepth(b, loadText(b, fmt.Sprintf(alone, k)))
		x.Depth--
		e := &x.Stack[x.Depth].Event
		b.Run(fmt.Sprintf("events=%d", x.Depth+1), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.HappensBefore(&e.Transition, &e.Past)
			}
		})
	}
}

const alone = `
cdpor: 1
name: alone
params: {K: %d}
shared: {a: "array[8] int", x: int}
threads:
  p:
    count: 8
    run: |
      var i int = 0
      while i < K { atomic { a[self] = a[self] + 1; i = i + 1 } }
      x = x + 1
`

func loadText(tb testing.TB, text string) *step.Machine {
	return langtest.Machine(tb, "bench.yaml", text, nil)
}

// BenchmarkStep executes one step on a copied state.
func BenchmarkStep(b *testing.B) {
	m := shipped(b, "lastzero", map[string]string{"N": "10"})
	s, start, r := m.Initial(), m.Initial(), m.NewRunner()
	b.ReportAllocs()
	for b.Loop() {
		copy(s, start)
		r.Run(s, 1)
	}
}

// BenchmarkBacktrack takes a step and takes it back: with a copy of the state before, as the search does, and with a
// log of the words that the step may write, over states of several sizes.
func BenchmarkBacktrack(b *testing.B) {
	for _, words := range []int{10, 100, 1000, 10_000} {
		m := loadText(b, fmt.Sprintf(`
cdpor: 1
name: size
params: {N: %d}
shared: {a: "array[N] int"}
threads:
  p: |
    var i int = 0
    while i < N { atomic { a[i] = a[i] + 1; i = i + 1 } }
  q: a[0] = 1
`, words))
		r, s := m.NewRunner(), m.Initial()
		saved := slices.Clone(s)
		b.Run(fmt.Sprintf("copy/words=%d", m.Words()), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(saved, s)
				r.Run(saved, 0)
			}
		})
		foot := make(step.Footprint, m.FootprintWords())
		var log []int64
		own := s[m.LocalBase(0)-1 : m.LocalBase(1)-1]
		b.Run(fmt.Sprintf("log/words=%d", m.Words()), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				log = append(log[:0], own...)
				f := r.Footprint(s, 0, foot)
				half := len(f) / 2
				for w, rest := range f[half:] {
					for ; rest != 0; rest &= rest - 1 {
						first, n := m.LocationWords(w<<6 + bits.TrailingZeros64(rest))
						log = append(log, s[first:first+n]...)
					}
				}
				r.Run(s, 0)
				at := copy(own, log)
				for w, rest := range f[half:] {
					for ; rest != 0; rest &= rest - 1 {
						first, n := m.LocationWords(w<<6 + bits.TrailingZeros64(rest))
						at += copy(s[first:first+n], log[at:])
					}
				}
			}
		})
	}
}

// lastRace is the last race of the first execution of a program; the search stands before its second event.
func lastRace(b *testing.B, x *executions.Search) (r happens.Race, n *happens.Transition) {
	for x.Depth > 0 {
		x.Depth--
		e := &x.Stack[x.Depth].Event
		if races := x.HappensBefore(&e.Transition, &x.IdlePast); len(races) > 0 && !races[0].Hidden {
			return races[0], &e.Transition
		}
	}
	b.Fatal("no race")
	return
}

// BenchmarkReverse works out what must be tried because of a race, when nothing that would do is there yet; an op is
// one race.
func BenchmarkReverse(b *testing.B) {
	x := atDepth(b, shipped(b, "lastzero", map[string]string{"N": "10"}))
	r, n := lastRace(b, x)
	at := &x.Stack[r.At]
	b.ReportAllocs()
	for b.Loop() {
		(*at).Node.Backtrack = actionset.Set{}
		x.ReverseRace(&r, n)
	}
}

// BenchmarkWakeup plans the reversal of a race in a wakeup tree; an op is one sequence.
func BenchmarkWakeup(b *testing.B) {
	x := atDepth(b, shipped(b, "lastzero", map[string]string{"N": "10"}))
	end := x.Depth
	r, _ := lastRace(b, x)
	d := x.Depth
	x.Depth = end
	o := dpor.NewOptimal()
	lv := x.Stack[r.At]
	b.ReportAllocs()
	for b.Loop() {
		lv.Node.Sleep = actionset.Set{}
		lv.Node.Tree = o.New(int32(lv.Event.Action), wakeup.None)
		o.ReverseRace(&x.Search, r.At, d)
		for lv.Node.Tree != wakeup.None {
			o.DropFirst(&lv.Node)
		}
	}
}

// BenchmarkSleep finds out who stays asleep behind an event; an op is one node with nine sleepers.
func BenchmarkSleep(b *testing.B) {
	x := atDepth(b, shipped(b, "lastzero", map[string]string{"N": "10"}))
	x.Depth = 0
	lv := x.Stack[0]
	var asleep, kept actionset.Set
	for p := 1; p < x.Procs; p++ {
		if a := machineOf(x).FirstAction(p); p != lv.Event.Proc && runnerOf(x).CanTake(lv.State, a) {
			asleep.Add(a)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		x.StillAsleep(&asleep, &kept)
	}
}

// BenchmarkCompare runs two steps in the other order and compares the states (dynamic comparison); an op is one pair.
func BenchmarkCompare(b *testing.B) {
	x := atDepth(b, shipped(b, "lastzero", map[string]string{"N": "10"}))
	for d := x.Depth - 2; d >= 0; d-- {
		first, second := &x.Stack[d].Event, &x.Stack[d+1].Event
		if first.Proc == second.Proc || !runnerOf(x).CanTake(x.Stack[d].State, second.Action) {
			continue
		}
		swapped, compared := []int32{int32(second.Action), int32(first.Action)}, int64(0)
		x.Depth = d + 1 // as if the second event were about to be taken
		b.ReportAllocs()
		for b.Loop() {
			x.LeadsTo(d, swapped, 0, nil, &compared)
		}
		return
	}
	b.Fatal("no two events that could be swapped")
}
