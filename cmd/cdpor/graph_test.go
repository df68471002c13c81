package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDotLabelsApart lets Graphviz place the labels of edges: none touches another.
func TestDotLabelsApart(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("no dot: where labels stand is not tried (Debian: apt-get install graphviz)")
	}
	for _, name := range []string{"check-then-act", "producer-consumer", "select-fan-in", "lost-wakeup"} {
		path := filepath.Join(t.TempDir(), "tree.dot")
		var out bytes.Buffer
		runMain([]string{"run", "--no-constraints", "--algorithm", "source", "--tree", path,
			"../../testdata/programs/" + name + ".yaml"}, nil, &out, &out)
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
					t.Errorf("%s: the labels %s and %s are %.0f points apart", name, a.name, b.name,
						math.Abs(a.x-b.x)-(a.wide+b.wide)/2)
				}
			}
		}
		if len(boxes) < 5 {
			t.Errorf("%s: only %d labels", name, len(boxes))
		}
	}
}
