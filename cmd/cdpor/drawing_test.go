package main

import (
	"context"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"
)

// TestDrawingKnown draws a search that stops at visited states: where it stops, an edge leads back to where the state
// is explored.
func TestDrawingKnown(t *testing.T) {
	src, err := lang.Load("round.yaml", []byte("cdpor: 1\nshared: {a: int, b: int}\nthreads:\n  p: |\n    while true { a = 0 }\n  q: b = 1\n"), lang.Options{})
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
	grown := newTree(100)
	res, err := explore.Run(context.Background(), m, a, explore.Options{Visited: true, Observer: grown})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTracer(m)
	if err != nil {
		t.Fatal(err)
	}
	r := &report{m: m, t: tr, result: res, tree: grown, patience: context.Background()}
	d, err := r.drawing(100)
	if err != nil {
		t.Fatal(err)
	}
	for in, edge := range map[string]string{drawDot(d): "n1 -> n0 [style=dotted constraint=false]", drawMermaid(d): "n1 -.-> n0"} {
		if !strings.Contains(in, edge) || !strings.Contains(in, `"state known"`) {
			t.Errorf("there is no edge %s:\n%s", edge, in)
		}
	}
}
