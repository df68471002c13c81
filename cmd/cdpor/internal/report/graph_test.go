package report

import (
	"context"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/pictures"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang"
	"cdpor/lang/step"
)

// TestDrawingKnown draws a search that stops at visited states: where it stops, an edge leads back to where the state
// is explored.
func TestDrawingKnown(t *testing.T) {
	src, err := lang.Load("round.yaml",
		[]byte("cdpor: 1\nshared: {a: int, b: int}\nthreads:\n  p: |\n    while true { a = 0 }\n  q: b = 1\n"),
		lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		t.Fatal(err)
	}
	a, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	grown := pictures.NewTree(100)
	res, err := explore.Run(context.Background(), m, a, explore.Options{Visited: true, Observer: grown})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := replay.New(m)
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Machine: m, Player: tr, Result: res, Tree: grown, Patience: context.Background()}
	d, err := r.drawing(100)
	if err != nil {
		t.Fatal(err)
	}
	for in, edge := range map[string]string{pictures.Dot(d): "n1 -> n0 [style=dotted constraint=false]",
		pictures.Mermaid(d): "n1 -.-> n0"} {
		if !strings.Contains(in, edge) || !strings.Contains(in, `"state known"`) {
			t.Errorf("there is no edge %s:\n%s", edge, in)
		}
	}
}
