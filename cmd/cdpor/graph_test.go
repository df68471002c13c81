package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
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
	grown := pictures.NewTree(100)
	res, err := explore.Run(context.Background(), m, a, explore.Options{Visited: true, Observer: grown})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := replay.New(m)
	if err != nil {
		t.Fatal(err)
	}
	r := &report{m: m, t: tr, result: res, tree: grown, patience: context.Background()}
	d, err := r.drawing(100)
	if err != nil {
		t.Fatal(err)
	}
	for in, edge := range map[string]string{pictures.Dot(d): "n1 -> n0 [style=dotted constraint=false]", pictures.Mermaid(d): "n1 -.-> n0"} {
		if !strings.Contains(in, edge) || !strings.Contains(in, `"state known"`) {
			t.Errorf("there is no edge %s:\n%s", edge, in)
		}
	}
}

// TestDotLabelsApart lets Graphviz place the labels of edges: none touches another.
func TestDotLabelsApart(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("no dot: where labels stand is not tried (Debian: apt-get install graphviz)")
	}
	for _, name := range []string{"check-then-act", "producer-consumer", "select-fan-in", "lost-wakeup"} {
		path := filepath.Join(t.TempDir(), "tree.dot")
		var out bytes.Buffer
		runMain([]string{"run", "--no-constraints", "--algorithm", "source", "--dot", path, "../../testdata/programs/" + name + ".yaml"}, nil, &out, &out)
		text, err := exec.Command(dot, "-Tjson", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		var drawn struct {
			Edges []struct{ Label, Lp string }
		}
		if err := json.Unmarshal(text, &drawn); err != nil {
			t.Fatal(err)
		}
		type box struct {
			name             string
			x, y, wide, high float64 // points; of the middle
		}
		var boxes []box
		for _, e := range drawn.Edges {
			if label := strings.TrimSpace(e.Label); label != "" {
				b := box{name: label, wide: 6.1 * float64(len(label)), high: 11}
				fmt.Sscanf(e.Lp, "%g,%g", &b.x, &b.y)
				boxes = append(boxes, b)
			}
		}
		for i, a := range boxes {
			for _, b := range boxes[:i] {
				if math.Abs(a.x-b.x) < (a.wide+b.wide)/2+8 && math.Abs(a.y-b.y) < (a.high+b.high)/2 {
					t.Errorf("%s: the labels %s and %s are %.0f points apart", name, a.name, b.name, math.Abs(a.x-b.x)-(a.wide+b.wide)/2)
				}
			}
		}
		if len(boxes) < 5 {
			t.Errorf("%s: only %d labels", name, len(boxes))
		}
	}
}
