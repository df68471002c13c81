package explore

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkWorkers explores long programs with one worker and with two; an op is a complete search. The ratio of the times is what the second
// core is worth.
func BenchmarkWorkers(b *testing.B) {
	for _, c := range []struct {
		name, n   string
		algorithm *Algorithm
	}{
		{"fib-observed", "5", sourceAlgorithm}, {"indexer", "16", sourceAlgorithm}, {"lastzero", "15", optimalAlgorithm},
		{"indexer", "16", optimalAlgorithm}, {"locked-buffer", "9", optimalAlgorithm}, {"readers", "15", optimalAlgorithm},
		{"lastzero", "13", contextAlgorithm}, {"dining-philosophers", "9", exhaustiveAlgorithm},
	} {
		m := shipped(b, c.name, map[string]string{"N": c.n})
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s%s/%s/workers=%d", c.name, c.n, c.algorithm.Name, workers), func(b *testing.B) {
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
