package explore

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/lang"
	"cdpor/lang/step"
)

// TestEstimate compares what is expected at a tenth and at a half of a search with what comes out, on shipped programs
// of growing size. It is an estimate: half of them must be right within a factor of 3, nine of ten within one of 10.
func TestEstimate(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) { compareEstimates(t, workers) })
	}
}

func compareEstimates(t *testing.T, workers int) {
	var errors []float64
	for _, name := range []string{"inc", "lastzero", "readers", "cas", "accounts", "dining-philosophers",
		"producer-consumer", "ticket-lock", "filesystem", "token-ring", "fib", "barrier-phases", "indexer", "lockinc",
		"fork-join", "two-phase-commit", "ring-election"} {
		for _, a := range []*Algorithm{dpor.SleepAlgorithm, dpor.SourceAlgorithm, dpor.OptimalAlgorithm,
			dpor.ContextAlgorithm} {
			for n := 3; n < 12; n++ {
				at, expected, res := expectations(t, name, n, a, workers)
				if res.Stopped != StoppedComplete {
					break
				}
				if len(at) < 10 {
					continue
				}
				for _, part := range []int64{10, 2} {
					k := slices.IndexFunc(at, func(n int64) bool { return n >= res.Nodes/part })
					if k < 0 || expected[k] == 0 {
						continue
					}
					e := math.Log10(float64(expected[k]) / float64(res.Nodes))
					errors = append(errors, math.Abs(e))
					t.Logf("%-20s N=%-2d %-8s at 1/%-2d: expected %d of %d (x%.2g)",
						name, n, a.Name, part, expected[k], res.Nodes, math.Pow(10, e))
				}
			}
		}
	}
	slices.Sort(errors)
	if len(errors) < 20 {
		t.Fatalf("only %d estimates", len(errors))
	}
	median, most := errors[len(errors)/2], errors[len(errors)*9/10]
	t.Logf("%d estimates: half are right within a factor of %.2g, nine of ten within %.2g",
		len(errors), math.Pow(10, median), math.Pow(10, most))
	if median > math.Log10(3) || most > 1 {
		t.Error("the estimates are not good enough")
	}
}

// expectations runs a search of at most 25,000 nodes and notes, as it goes on, the nodes so far and those expected in
// all.
func expectations(t *testing.T, name string, n int, a *Algorithm, workers int) (at, expected []int64, res *Result) {
	path := filepath.Join("../testdata/programs", name+".yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := lang.Load(path, text, lang.Options{Params: map[string]string{"N": strconv.Itoa(n)}})
	if err != nil {
		return nil, nil, &Result{Stopped: StoppedContext} // N has become too large for another parameter
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	res, err = Run(ctx, m, a, Options{Workers: atMost(a, workers), Progress: func(r *Result) {
		at, expected = append(at, r.Nodes), append(expected, 0)
		if r.Share > 0 {
			expected[len(at)-1] = int64(float64(r.Nodes) / r.Share)
		}
		if r.Nodes > 25_000 {
			stop()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return at, expected, res
}
