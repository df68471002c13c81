//go:build cgo && !noz3

package synth

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/constraints"
	"cdpor/lang/step"
)

func stepNamed(t testing.TB, prog *step.Program, name string) *step.Step {
	t.Helper()
	for _, tmpl := range prog.Templates {
		for _, s := range tmpl.Steps {
			if s.Name() == name {
				return s
			}
		}
	}
	t.Fatalf("no step %s", name)
	return nil
}

func TestExplain(t *testing.T) {
	tests := []struct {
		name, text, a, b string
		because, want    []string
	}{
		{"created", slides, "r.s", "p.s", []string{"q.s"}, []string{
			"p.s, r.s",
			"commute: x == 5 (exact)",
			"uniform: false",
			"1. given up: x == 5, because independence would be created by q.s, which is independent of one of them",
			"   state: x = 0, y = 0",
			"   r:q.s: x = 5, y = 0"}},
		{"one reason for two parts",
			program("x: int; y: int; z: int", "if x != 1 && x != 5 { z = 1 }", "z = 2", "x = y"), "p.s", "q.s",
			[]string{"r.s"}, []string{
				"p.s, q.s",
				"commute: x == 1 || x == 5 (exact)",
				"uniform: false",
				"1. given up: x == 1 and one more such part, because independence would be destroyed by r.s, " +
					"which is independent of both",
				"   state: x = 1, y = 0, z = 1",
				"   r:r.s: x = 0, y = 0, z = 1"}},
		{"nothing lost", ainc, "t.s", "t.s", nil, []string{
			"t.s, t.s",
			"commute: true (exact)",
			"uniform: true",
			"no third step destroys or creates what commute says, so all of it is uniform"}},
		{"independent", boundedBuffer, "producer.put", "consumer.take", nil, []string{
			"producer.put, consumer.take",
			"commute: !buf.empty() && !buf.full() (exact)",
			"uniform: !buf.empty() && !buf.full()",
			"no third step destroys or creates what commute says, so all of it is uniform"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			prog := load(t, test.text)
			x, err := Explain(context.Background(), prog, stepNamed(t, prog, test.a), stepNamed(t, prog, test.b),
				Options{AnyState: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := x.Text(); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if got := x.Pair.Because; !slices.Equal(got, test.because) {
				t.Errorf("because of %v, a person wrote %v", got, test.because)
			}
		})
	}
	prog := load(t, slides)
	if _, err := Explain(context.Background(), prog, stepNamed(t, prog, "p.s"), stepNamed(t, prog, "p.s"),
		Options{AnyState: true}); err == nil {
		t.Error("a step of a thread with one instance has no pair with itself")
	}
}

func TestDiff(t *testing.T) {
	prog := load(t, program("x: int; y: int", "x = 5", "y = x"))
	set := func(conds ...string) *constraints.Set {
		text := "cdpor-constraints: 1\npairs:\n"
		if len(conds) > 0 {
			text += "  - blocks: [" + conds[0] + "]\n    commute: " + conds[1] + "\n    uniform: " + conds[2] + "\n"
		}
		s, err := constraints.Load(prog, "c.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	tests := []struct {
		name         string
		old, renewed *constraints.Set
		want         Difference
	}{
		{"equal", set("p.s, q.s", "x == 5", "x == 5"), set("q.s, p.s", "x - 5 == 0", "x >= 5 && x <= 5"),
			Difference{Commute: Equal, Uniform: Equal}},
		{"weaker", set("p.s, q.s", "x == 5", "x == 5"), set("p.s, q.s", "x >= 5", "x == 5"),
			Difference{Commute: Weaker, OnlyNewCommutes: []Binding{{"x", "6"}}, Uniform: Equal}},
		{"stronger", set("p.s, q.s", "x == 5", "x == 5"), set("p.s, q.s", "x == 5", "x == 5 && y > 3"),
			Difference{Commute: Equal, Uniform: Stronger, OnlyOldUniform: []Binding{{"x", "5"}, {"y", "0"}}}},
		{"incomparable", set("p.s, q.s", "x > 5", "false"), set("q.s, p.s", "x < 9", "false"),
			Difference{Commute: Incomparable, OnlyOldCommutes: []Binding{{"x", "9"}},
				OnlyNewCommutes: []Binding{{"x", "0"}}, Uniform: Equal}},
		{"absent", set("p.s, q.s", "x == 5", "false"), set(),
			Difference{Commute: Stronger, OnlyOldCommutes: []Binding{{"x", "5"}}, Uniform: Equal}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, err := Diff(context.Background(), prog, test.old, test.renewed, Options{AnyState: true})
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			list[0].Old, list[0].New = nil, nil
			if diff := cmp.Diff(&test.want, list[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}
