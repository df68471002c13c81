package scaling

import (
	"os"
	"testing"
	"time"

	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"
)

// load makes a machine of a shipped program; params are the names and values of its parameters.
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

// record records the tree of a search.
func record(t *testing.T, name string, params map[string]string, algorithm string, opt explore.Options) *Tree {
	t.Helper()
	a, err := explore.Find(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Record(t.Context(), load(t, name, params), a, opt, 10_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestTry(t *testing.T) {
	tree := record(t, "lastzero", map[string]string{"N": "10"}, "source", explore.Options{})
	t.Log(tree.Nodes(), tree.Leaves(), tree.Depth(), tree.Later(), tree.Visits())
	for _, below := range []int64{100000} {
		for _, n := range []int{1, 2, 4, 16, 64, 256, 1024, 4096, 10000} {
			r := NewReplay(tree, below, false)
			r.times = make([]uint16, len(tree.size))
			p := Defaults(n, 10*time.Millisecond)
			begun := time.Now()
			o, err := Simulate(r.Work(), p)
			if err != nil {
				t.Fatal(err)
			}
			for v, n := range r.times {
				if n != 1 && tree.kind[v]&entered != 0 {
					t.Fatalf("node %d: %d times", v, n)
				}
			}
			t.Logf("%d below %d: took %v, whole %v  %v  x%.1f %+v", n, below, time.Since(begun), time.Duration(r.Whole())*p.Node, o.Time,
				float64(time.Duration(r.Whole())*p.Node)/float64(o.Time), o)
		}
	}
}
