package explore

import (
	"context"
	"os"
	"testing"

	"cdpor/lang"
	"cdpor/lang/step"
)

// shipped loads a program of testdata with parameters.
func shipped(tb testing.TB, name string, params map[string]string) *step.Machine {
	tb.Helper()
	return loadFile(tb, "../testdata/programs/"+name+".yaml", params)
}

func loadFile(tb testing.TB, path string, params map[string]string) *step.Machine {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	src, err := lang.Load(path, text, lang.Options{Params: params})
	if err != nil {
		tb.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// BenchmarkRun explores whole programs; an op is a complete search.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct{ name, n string }{{"readers", "13"}, {"lastzero", "10"}, {"ainc", "7"}} {
		m := shipped(b, c.name, map[string]string{"N": c.n})
		b.Run(c.name+c.n, func(b *testing.B) {
			b.ReportAllocs()
			var events int64
			for b.Loop() {
				res, err := Run(context.Background(), m, sourceAlgorithm, Options{})
				if err != nil {
					b.Fatal(err)
				}
				events += res.Events
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(events)/float64(b.N), "events/op")
		})
	}
}

// BenchmarkCompensation explores programs with many cuts, after which it has to be found out what may still happen; an op is a complete search.
func BenchmarkCompensation(b *testing.B) {
	for _, name := range []string{"actors/merge-sort", "actors/leader-votes", "programs/byzantine-generals", "programs/santa-claus", "programs/dekker-broken"} {
		m := loadFile(b, "../testdata/"+name+".yaml", nil)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(context.Background(), m, contextAlgorithm, Options{}); err != nil {
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
func (bystander) End(Ending)             {}
func (bystander) Leave(bool)             {}

// BenchmarkObserver is what looking on costs: nobody looks on, somebody does.
func BenchmarkObserver(b *testing.B) {
	m := shipped(b, "lastzero", map[string]string{"N": "8"})
	for _, c := range []struct {
		name string
		by   Observer
	}{{"nobody", nil}, {"somebody", bystander{}}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(context.Background(), m, sourceAlgorithm, Options{Observer: c.by}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// atDepth is a search that stands at the end of the first execution, for benchmarks of its parts.
func atDepth(b *testing.B, m *step.Machine) *search {
	x, err := newSearch(context.Background(), m, sourceAlgorithm, Options{})
	if err != nil {
		b.Fatal(err)
	}
	for {
		lv, a := x.levels[x.depth], 0
		for a < x.m.NumActions() && !x.run.CanTake(lv.state, a) {
			a++
		}
		if a == x.m.NumActions() {
			return x
		}
		x.execute(lv, a)
		x.depth++
	}
}

// BenchmarkHappensBefore computes the clock and the races of the last event of an execution; an op is one event.
func BenchmarkHappensBefore(b *testing.B) {
	x := atDepth(b, shipped(b, "lastzero", map[string]string{"N": "10"}))
	x.depth--
	e := &x.levels[x.depth].event
	b.ReportAllocs()
	for b.Loop() {
		x.happensBefore(&e.move, e.clock)
	}
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
