package explore

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkWorkers explores long programs with one worker and with two; an op is a complete search. The ratio of the
// times is what the second core is worth. With -short the programs are as small as they are shipped.
func BenchmarkWorkers(b *testing.B) {
	for _, c := range []struct {
		name      string
		params    map[string]string
		algorithm *Algorithm
	}{
		{"fib-observed", map[string]string{"N": "5"}, sourceAlgorithm},
		{"indexer", map[string]string{"N": "16"}, sourceAlgorithm},
		{"lastzero", map[string]string{"N": "13"}, contextAlgorithm},
		{"locked-buffer", map[string]string{"N": "9"}, optimalAlgorithm},
		{"indexer", map[string]string{"N": "16"}, optimalAlgorithm},
		{"lastzero", map[string]string{"N": "15"}, optimalAlgorithm},
		{"readers", map[string]string{"N": "15"}, optimalAlgorithm},
		{"dining-philosophers", map[string]string{"N": "9"}, exhaustiveAlgorithm},
		{"many-producers", map[string]string{"PRODUCERS": "5", "SIZE": "3"}, exhaustiveAlgorithm},
	} {
		if testing.Short() {
			c.params = nil
		}
		m := shipped(b, c.name, c.params)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%s/workers=%d", c.name, c.algorithm.Name, workers), func(b *testing.B) {
				for b.Loop() {
					res, err := Run(context.Background(), m, c.algorithm, Options{Workers: workers})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(res.Executions), "executions/op")
				}
			})
		}
	}
}
