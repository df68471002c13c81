package sample

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"
)

// A tree is a tree of known size.
type tree struct {
	name   string
	m      *step.Machine
	opt    Options
	counts counts
}

// trees are those of shipped programs that have at most so many nodes, each with the largest N up to 6.
func trees(t *testing.T, most int64) (list []tree) {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/programs/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	for _, path := range paths {
		for _, name := range []string{"interleavings", "sleep"} {
			var found *tree
			for n := 2; n <= 6; n++ {
				tr := explored(t, path, name, n, most)
				if tr == nil || found != nil && found.counts == tr.counts {
					break
				}
				found = tr
			}
			if found != nil {
				list = append(list, *found)
			}
		}
	}
	return list
}

// explored is the tree of a program, nil if it has more nodes.
func explored(t *testing.T, path, algorithm string, n int, most int64) *tree {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := lang.Load(path, text, lang.Options{Params: map[string]string{"N": strconv.Itoa(n)}})
	if err != nil && n == 2 {
		src, err = lang.Load(path, text, lang.Options{})
	}
	if err != nil {
		return nil
	}
	m, err := step.NewMachine(src.Program)
	if err != nil || m.NumActions() > explore.MaxActions {
		return nil
	}
	a, err := explore.Find(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r, err := explore.Run(ctx, m, a, explore.Options{Progress: func(r *explore.Result) {
		if r.Nodes > most {
			stop()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Cut > 0 || r.Stopped == explore.StoppedContext {
		return nil
	}
	return &tree{fmt.Sprintf("%s %s N=%d", filepath.Base(path), algorithm, n), m, Options{Sleep: algorithm == "sleep"},
		counts{float64(r.Executions), float64(r.Blocked), float64(r.Nodes)}}
}

// TestCounted: where all different nodes fit, the sizes of trees are those that the searches find.
func TestCounted(t *testing.T) {
	all := trees(t, 4000)
	if len(all) < 100 {
		t.Fatalf("only %d trees", len(all))
	}
	for _, tr := range all {
		s, err := Tree(context.Background(), tr.m, tr.opt)
		if err != nil || !s.Exact {
			t.Errorf("%s: %v, %+v", tr.name, err, s)
			continue
		}
		for i, n := range s.numbers() {
			if n.Mean != tr.counts[i] || n.Low != n.Mean || n.High != n.Mean {
				t.Errorf("%s: %v, the search has %v", tr.name, *s, tr.counts)
				break
			}
		}
	}
}

// TestSampled: of probes with few classes, the intervals have the right sizes nine times of ten, and no mean is off by
// more than they may.
func TestSampled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	right, wrong, unknown := 0, 0, 0
	for _, tr := range trees(t, 30_000) {
		if tr.counts[2] < 1000 {
			continue
		}
		p := newProber(context.Background(), tr.m.Fresh(), Options{Sleep: tr.opt.Sleep, MaxDepth: 10_000})
		for _, classes := range []int{1, 4} {
			all := make([]counts, 100)
			for i := range all {
				var err error
				if all[i], err = p.probe(classes, math.MaxInt64); err != nil {
					t.Fatal(tr.name, err)
				}
			}
			for i := range tr.counts {
				var n Number
				var u Unknown
				switch err := n.set(all, i); {
				case errors.As(err, &u):
					unknown++
				case n.Low <= tr.counts[i]*(1+1e-9) && tr.counts[i] <= n.High*(1+1e-9):
					right++
				default:
					wrong++
					t.Logf("%s, classes %d, number %d: %v, want %v", tr.name, classes, i, n, tr.counts[i])
				}
			}
		}
	}
	t.Logf("%d intervals right, %d wrong, %d estimates not made", right, wrong, unknown)
	if right < 100 || right < 9*wrong {
		t.Error("the intervals are not good enough")
	}
}
