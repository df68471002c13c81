package explore

import (
	"context"
	"fmt"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/states"
)

// BenchmarkWorkers explores long programs with one worker and with two; an op is a complete search. The ratio of the
// times is what the second core is worth. With -short the programs are as small as they are shipped.
func BenchmarkWorkers(b *testing.B) {
	for _, c := range []struct {
		name      string
		params    map[string]string
		algorithm *Algorithm
	}{
		{"fib-observed", map[string]string{"N": "5"}, dpor.SourceAlgorithm},
		{"indexer", map[string]string{"N": "16"}, dpor.SourceAlgorithm},
		{"lastzero", map[string]string{"N": "13"}, dpor.ContextAlgorithm},
		{"dining-philosophers", map[string]string{"N": "9"}, states.Algorithm},
		{"many-producers", map[string]string{"PRODUCERS": "5", "SIZE": "3"}, states.Algorithm},
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
