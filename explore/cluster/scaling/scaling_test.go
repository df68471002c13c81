package scaling

import (
	"os"
	"reflect"
	"testing"
	"time"

	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"
)

// load makes a machine of a shipped program; params are its parameters.
func load(t *testing.T, name string, params map[string]string) *step.Machine {
	t.Helper()
	path := "../../../testdata/programs/" + name + ".yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := lang.Load(path, text, lang.Options{Params: params})
	if err != nil {
		t.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func algorithm(t *testing.T, name string) *explore.Algorithm {
	t.Helper()
	a, err := explore.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// record records the tree of a search.
func record(t *testing.T, name, n, by string, opt explore.Options) *Tree {
	t.Helper()
	tree, err := Record(t.Context(), load(t, name, map[string]string{"N": n}), algorithm(t, by), opt, 1<<24)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// simulate lets workers go through a tree, and returns how often they have explored each node, too.
func simulate(t *testing.T, tree *Tree, below int64, p Parameters) (*Replay, *Outcome) {
	t.Helper()
	r := NewReplay(tree, below, p.Deaths > 0)
	r.times = make([]uint16, len(tree.size))
	o, err := Simulate(r.Work(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r, o
}

// TestRecord: a tree has the nodes of the search, and hangs together.
func TestRecord(t *testing.T) {
	for _, c := range []struct {
		name, n, by string
		visited     bool
	}{{"lastzero", "7", "source", false}, {"lastzero", "7", "context", false}, {"locked-buffer", "4", "source", false},
		{"readers", "6", "classic", false}, {"fib-observed", "3", "source", true}} {
		opt := explore.Options{Visited: c.visited}
		res, err := explore.Run(t.Context(), load(t, c.name, map[string]string{"N": c.n}), algorithm(t, c.by), opt)
		if err != nil {
			t.Fatal(err)
		}
		tree := record(t, c.name, c.n, c.by, opt)
		if int64(tree.Nodes()) != res.Nodes || tree.Depth() != res.MaxDepth {
			t.Errorf("%s, %s: %d nodes, %d deep; %d and %d were explored", c.name, c.by, tree.Nodes(), tree.Depth(),
				res.Nodes, res.MaxDepth)
		}
		if c.visited != (tree.Visits() > 0) || tree.Later() == 0 {
			t.Errorf("%s, %s: %d nodes with known states, %d that were asked for later", c.name, c.by, tree.Visits(),
				tree.Later())
		}
		for _, r := range tree.later {
			if r.by >= r.child {
				t.Fatalf("%s, %s: node %d is tried because of node %d, which comes later", c.name, c.by, r.child,
					r.by)
			}
		}
	}
	m := load(t, "lastzero", nil)
	if _, err := Record(t.Context(), m, algorithm(t, "source"), explore.Options{}, 10); err == nil {
		t.Error("a tree with too many nodes was recorded")
	}
	if _, err := Record(t.Context(), m, algorithm(t, "exhaustive"), explore.Options{}, 1000); err == nil {
		t.Error("a search that cannot be cut into parcels was recorded")
	}
}

// TestConserved: whatever the workers and messages do, every node of a tree is explored, and only once unless somebody
// dies. What was explored and not lost is then what there is.
func TestConserved(t *testing.T) {
	died := int64(0)
	for _, tree := range []*Tree{record(t, "lastzero", "8", "source", explore.Options{}),
		record(t, "locked-buffer", "5", "source", explore.Options{}),
		record(t, "lastzero", "7", "context", explore.Options{})} {
		for i, workers := range []int{1, 2, 7, 60, 300} {
			for _, below := range []int64{0, 3000} {
				for _, deaths := range []float64{0, 200} {
					p := Defaults(workers, []time.Duration{0, 100 * time.Microsecond, 10 * time.Millisecond}[i%3])
					p.Deaths, p.Seed, p.OneByOne = deaths, uint64(i), i%2 == 1
					if i%4 == 3 {
						p.Replicas = 3
					}
					r, o := simulate(t, tree, below, p)
					for v, n := range r.times {
						if is := tree.kind[v]&entered != 0; is && (n == 0 || n > 1 && o.Wasted == 0) || !is && n > 0 {
							t.Fatalf("%+v: node %d was explored %d times", p, v, n)
						}
					}
					if o.Explored-o.Wasted != r.Whole() || o.Refused > 0 {
						t.Fatalf("%+v: %d nodes were explored, %d in vain; there are %d", p, o.Explored, o.Wasted,
							r.Whole())
					}
					if o.SpeedUp(p, r.Whole()) > float64(workers) {
						t.Fatalf("%+v: %d workers are %.1f times as fast as one", p, workers, o.SpeedUp(p, r.Whole()))
					}
					s := o.Shares(p, r.Whole())
					if sum := s.Useful + s.Superfluous + s.Records + s.Parcels + s.Starving(); deaths == 0 &&
						(sum < 0.999 || sum > 1.001) {
						t.Fatalf("%+v: the workers' time is %+v, together %.3f", p, s, sum)
					}
					died += o.Died
				}
			}
		}
	}
	if died == 0 {
		t.Error("nobody has died")
	}
}

// TestAlone: one worker takes the sum of the costs of the nodes when nothing else costs anything.
func TestAlone(t *testing.T) {
	tree := record(t, "lastzero", "8", "source", explore.Options{})
	r, o := simulate(t, tree, 100, Parameters{Workers: 1, Slice: 50 * time.Millisecond, Node: 700 * time.Nanosecond})
	if want := time.Duration(int64(tree.Nodes())+100*int64(tree.Leaves())) * 700; o.Time != want ||
		time.Duration(r.Whole())*700 != want {
		t.Errorf("it took %v, not %v", o.Time, want)
	}
}

// TestOrder: what must cost something does, and equal parameters give equal outcomes.
func TestOrder(t *testing.T) {
	tree := record(t, "locked-buffer", "6", "source", explore.Options{})
	const below = 20_000
	base := Defaults(32, time.Millisecond)
	run := func(change func(*Parameters)) *Outcome {
		p := base
		change(&p)
		_, o := simulate(t, tree, below, p)
		return o
	}
	plain := run(func(*Parameters) {})
	if again := run(func(*Parameters) {}); !reflect.DeepEqual(plain, again) {
		t.Errorf("%+v, then %+v", plain, again)
	}
	for name, slower := range map[string]func(*Parameters){
		"latency":    func(p *Parameters) { p.Latency = 20 * time.Millisecond },
		"server":     func(p *Parameters) { p.Store, p.Answer = 20*time.Millisecond, 20*time.Millisecond },
		"fold":       func(p *Parameters) { p.Receive = 20 * time.Millisecond },
		"adding up":  func(p *Parameters) { p.Records = []RecordCost{{Join: 20 * time.Millisecond}} },
		"nodes":      func(p *Parameters) { p.Node *= 2 },
		"replicas":   func(p *Parameters) { p.Replicas, p.Replicate = 3, 20*time.Millisecond },
		"one by one": func(p *Parameters) { p.OneByOne, p.Latency = true, 5*time.Millisecond },
		"fewer":      func(p *Parameters) { p.Workers = 8 },
	} {
		if o := run(slower); o.Time <= plain.Time {
			t.Errorf("%s: %v, without %v", name, o.Time, plain.Time)
		}
	}
	_, short := simulate(t, tree, 0, base)
	whole := int64(tree.Nodes())
	if short.SpeedUp(base, whole) >= plain.SpeedUp(base, whole+below*int64(tree.Leaves())) {
		t.Error("a short search gains as much as a long one")
	}
	for want, p := range map[Limit]Parameters{
		ByWork:   Defaults(8, time.Millisecond),
		ByServer: {Workers: 64, Slice: base.Slice, Node: base.Node, Store: 30 * time.Millisecond},
		ByFold:   {Workers: 64, Slice: base.Slice, Node: base.Node, Receive: 30 * time.Millisecond},
		ByJoining: {Workers: 64, Slice: base.Slice, Node: base.Node,
			Records: []RecordCost{{Join: 30 * time.Millisecond}}},
	} {
		r, o := simulate(t, tree, below, p)
		if got := o.Limit(p, r.Whole()); got != want {
			t.Errorf("the limit is %s, not %s: %+v", got, want, o)
		}
	}
}

// TestVisited: workers explore what they do not know that others have visited, one that is never asked for anything
// does not.
func TestVisited(t *testing.T) {
	tree := record(t, "fib-observed", "3", "source", explore.Options{Visited: true})
	last := int64(-1)
	for _, workers := range []int{1, 4, 64} {
		p := Defaults(workers, 100*time.Microsecond)
		r, o := simulate(t, tree, 1000, p)
		for v, n := range r.times {
			if tree.kind[v]&entered != 0 && n == 0 {
				t.Fatalf("%d workers: node %d was not explored", workers, v)
			}
		}
		if r.Superfluous() <= last || o.Explored < r.Whole() {
			t.Errorf("%d workers: %d nodes of %d are superfluous, with fewer workers %d", workers, r.Superfluous(),
				o.Explored, last)
		}
		last = r.Superfluous()
	}
}
