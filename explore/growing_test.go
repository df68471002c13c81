package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/auto"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/states"
)

// TestGrowing: in a long execution the variables that take ever new values are named, with their values so far, and no
// others: not what goes round, has a range, or has only few values.
func TestGrowing(t *testing.T) {
	for text, want := range map[string][]string{
		"shared: {seq: int, acked: int}\nthreads:\n  s: \"while true { await seq - acked < 2; seq += 1 }\"\n" +
			"  r: \"while true { await acked < seq; acked += 1 }\"\n": {"acked", "seq"},
		"shared: {go: bool, x: int}\nthreads:\n  a: \"while true { await go; x -= 1 }\"\n" +
			"  b: \"while true { go = !go }\"\n": {"x"},
		"shared: {x: 0..60000, y: int, z: int}\nthreads:\n" +
			"  a: \"while x < 60000 { x += 1; y = y % 7 + 1; z = 1 }\"\n": nil,
		"shared: {a: \"array[3] int\"}\nthreads:\n  t: |\n    var n int = 0\n" +
			"    while true { n += 1; a[1] = n * n }\n": {"a", "t.n"},
	} {
		for _, a := range []*Algorithm{auto.Algorithm, dpor.SourceAlgorithm, states.Algorithm} {
			ctx, cancel := context.WithCancel(context.Background())
			m := loadText(t, "cdpor: 1\n"+text)
			r, err := Run(ctx, m, a, Options{Progress: func(r *Result) {
				if r.MaxDepth > 2*results.LongExecution {
					cancel()
				}
			}})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, g := range r.Growing {
				names = append(names, g.Name)
				if g.Lo >= g.Hi || g.Events < results.LongExecution || !strings.Contains(Advice(r), g.String()) {
					t.Errorf("%s: %s, advice: %s", a.Name, &g, Advice(r))
				}
			}
			if slices.Sort(names); !slices.Equal(names, want) {
				t.Errorf("%s: %v grow, not %v\n%s", a.Name, names, want, text)
			}
		}
	}
}
