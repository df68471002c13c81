package primitive_test

import (
	"slices"
	"strings"
	"testing"

	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// TestAlternatives: a guarded choice has the alternatives of which the guards hold in a state, and what it does
// otherwise if there is none; a guard that cannot be evaluated counts as holding.
func TestAlternatives(t *testing.T) {
	for _, test := range []struct {
		what      string
		otherwise bool
		a, b      int64 // how many are in the channels, of one place each
		want      []int
	}{
		{"none, so it waits", false, 0, 0, nil},
		{"the second", false, 0, 1, []int{1}},
		{"both", false, 1, 1, []int{0, 1}},
		{"none, so it goes on", true, 0, 0, []int{2}},
		{"the first, and nothing else", true, 1, 0, []int{0}},
	} {
		p := &program{}
		x, a, b := p.number("x"), channel(p, 1), channel(p, 1)
		p.thread(func(c *build.Code) {
			none := func() { set(c, x, 3) }
			if !test.otherwise {
				none = nil
			}
			primitive.Select(c, []primitive.Case{receiving(c, a, x, 1), receiving(c, b, x, 2)}, none)
		})
		p.thread(func(c *build.Code) {
			for range test.a {
				a.Send(c, c.Number(0))
			}
			for range test.b {
				b.Send(c, c.Number(0))
			}
		})
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		m, err := step.NewMachine(&p.Program)
		if err != nil {
			t.Fatal(err)
		}
		s, r := m.Initial(), m.NewRunner()
		for m.StepOf(s, 1) != nil {
			r.Take(s, m.FirstAction(1))
		}
		var got []int
		if r.Enabled(s, 0) {
			got = slices.Collect(r.Alternatives(s, 0).All())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: alternatives %v, want %v", test.what, got, test.want)
		}
		id := m.StepID(s, 0)
		if !m.Info(id).Selects || m.Info(id).Guarded == test.otherwise {
			t.Errorf("%s: selects %t, may wait %t", test.what, m.Info(id).Selects, m.Info(id).Guarded)
		}
		for k := range m.NumActions() - 1 {
			can := slices.Contains(test.want, k)
			if r.CanTake(s, k) != can {
				t.Errorf("%s: alternative %d can be taken: %t", test.what, k, !can)
			}
			instead := -1
			if can {
				instead = k
			} else if len(test.want) > 0 {
				instead = test.want[0]
			}
			if got := r.Instead(s, k); got != instead {
				t.Errorf("%s: instead of alternative %d it is %d, want %d", test.what, k, got, instead)
			}
		}
	}
}

// TestGuardedChoice: what the form demands of a guarded choice.
func TestGuardedChoice(t *testing.T) {
	for want, spoil := range map[string]func(n *step.Node){
		"":                  func(*step.Node) {},
		"must begin a step": func(n *step.Node) { n.Visible = false },
		"among 1 to 32": func(n *step.Node) {
			n.Src = &step.Expr{Op: step.Const, Type: step.IntType,
				Words: []int64{33}}
		},
		"to do otherwise":       func(n *step.Node) { n.Cond, n.Otherwise = nil, true },
		"among a number that d": func(n *step.Node) { n.Src = n.Cond.Args[0].Args[1] },
	} {
		p := &program{}
		x, a, b := p.number("x"), channel(p, 1), channel(p, 1)
		p.thread(func(c *build.Code) {
			primitive.Select(c, []primitive.Case{receiving(c, a, x, 1), receiving(c, b, x, 2)}, nil)
		})
		nodes := p.Templates[0].Nodes
		spoil(nodes[slices.IndexFunc(nodes, func(n *step.Node) bool { return n.Kind == step.Choose })])
		if err := p.Validate(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
