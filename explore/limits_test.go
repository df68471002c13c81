package explore

import (
	"context"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/states"
)

// TestMaxExecutionsCut: where no execution ends, those that are cut at the depth limit count for MaxExecutions, with
// several workers and after a checkpoint too; a search of states goes on, since it has none.
func TestMaxExecutionsCut(t *testing.T) {
	m, err := load("cdpor: 1\nshared: {x: 0..3, y: 0..3}\n" +
		"threads:\n  a: \"x = 1; x = 2; x = 3\"\n  b: \"while true { y = (y + 1 + x % 2) % 4 }\"\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*Algorithm{dpor.InterleavingsAlgorithm, dpor.SourceAlgorithm, dpor.OptimalAlgorithm} {
		for workers := 1; workers <= 2; workers++ {
			res, err := Run(context.Background(), m, a,
				Options{MaxExecutions: 5, MaxDepth: 40, Workers: atMost(a, workers)})
			if err != nil || res.Stopped != StoppedExecutions || res.Executions != 0 ||
				res.Cut < 5 || res.Cut > 5+int64(workers) {
				t.Errorf("%s with %d workers: %s after %d cut executions: %v",
					a.Name, workers, res.Stopped, res.Cut, err)
			}
		}
	}
	res, err := Run(context.Background(), m, states.Algorithm, Options{MaxExecutions: 1, MaxDepth: 4})
	if err != nil || res.Stopped == StoppedExecutions || res.Cut < 2 {
		t.Errorf("exhaustive: %s after %d cuts: %v", res.Stopped, res.Cut, err)
	}
}
