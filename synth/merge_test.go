//go:build cgo && !noz3

package synth

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
)

// TestMergeNarrows: an entry that somebody has widened takes the uniform part of another, if it is proved itself. One
// that is refuted takes nothing.
func TestMergeNarrows(t *testing.T) {
	tests := []struct {
		p, q, r        string
		kept, narrowed []string
	}{
		{p: "if x == 0 { y = 1 }", q: "y = x", r: "x = 5", kept: []string{"p.s r.s"}, narrowed: []string{"p.s q.s"}},
		{p: "if x == 0 { y = 1 }", q: "x += 1", r: "x = 1 - x"},
	}
	for _, c := range tests {
		text := "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n"
		for _, thread := range [][2]string{{"p", c.p}, {"q", c.q}, {"r", c.r}} {
			text += fmt.Sprintf("  %s: \"s: atomic { %s }\"\n", thread[0], thread[1])
		}
		src, err := lang.Load("p.yaml", []byte(text), lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		made, _, err := Synthesize(context.Background(), src.Program, Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := string(made.Format())
		i := slices.IndexFunc(made.Pairs, func(p *constraints.Pair) bool { return blocksOf(p) == "p.s r.s" })
		wide := *made.Pairs[i]
		if wide.Text(wide.Uniform) == wide.Text(wide.Commute) {
			t.Fatalf("nothing to widen in\n%s", before)
		}
		wide.Uniform, wide.Status = wide.Commute, constraints.Manual
		m, err := Merge(context.Background(), made, &constraints.Set{Program: src.Program,
			Pairs: []*constraints.Pair{&wide}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if kept, narrowed := blocks(m.Kept), blocks(m.Narrowed); !slices.Equal(kept, c.kept) ||
			!slices.Equal(narrowed, c.narrowed) || len(m.Kept)+len(m.Dropped) != 1 {
			t.Errorf("kept %q, narrowed %q, dropped %d\n%s", kept, narrowed, len(m.Dropped), text)
		}
		report, err := Check(context.Background(), src.Program, made, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			t.Errorf("%s\n%s", f.Text(), text)
		}
		if after := string(made.Format()); len(m.Dropped) > 0 && after != before {
			t.Errorf("a refuted entry changes\n%s\nto\n%s", before, after)
		}
	}
}

func blocksOf(p *constraints.Pair) string { return p.A.Name() + " " + p.B.Name() }

func blocks(pairs []*constraints.Pair) (list []string) {
	for _, p := range pairs {
		list = append(list, blocksOf(p))
	}
	return list
}
