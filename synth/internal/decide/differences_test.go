package decide

import (
	"context"
	"math/rand"
	"testing"

	"cdpor/synth/internal/term"
)

// TestSettle compares what settle says of disjunctions about small numbers with all the numbers there are, and tries
// its solutions.
func TestSettle(t *testing.T) {
	const nodes, most = 4, 2
	holds := func(v []int64, e edge) bool { return v[e.i]-v[e.j] <= e.k }
	satisfies := func(v []int64, list []pending) bool {
		for _, p := range list {
			some := false
			p.alternatives(func(low, high edge) bool {
				some = some || holds(v, low) && (high.i < 0 || holds(v, high))
				return true
			})
			if !some {
				return false
			}
		}
		return true
	}
	seen := map[Answer]int{}
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		g := newGraph(nodes)
		for i := 1; i < nodes; i++ {
			if !g.bound(i, 0, most) || !g.bound(0, i, 0) {
				t.Fatal("the bounds are contradictory")
			}
		}
		pick := func() edge {
			i := r.Intn(nodes)
			return edge{i, (i + 1 + r.Intn(nodes-1)) % nodes, int64(r.Intn(2*most+1) - most)}
		}
		var list []pending
		for range 1 + r.Intn(9) {
			p := pending{equal: edge{i: -1}}
			for range r.Intn(3) {
				p.differ = append(p.differ, pick())
			}
			if len(p.differ) == 0 || r.Intn(2) == 0 {
				p.equal = pick()
			}
			list = append(list, p)
		}
		want := Unsat
		for n := range int64((most + 1) * (most + 1) * (most + 1)) {
			if satisfies([]int64{0, n % 3, n / 3 % 3, n / 9}, list) {
				want = Sat
			}
		}
		o := &Oracle{Ctx: context.Background(), Meter: Meter{Limit: Unlimited}, budget: settleBudget}
		got := o.settle(&g, append([]pending(nil), list...))
		seen[got]++
		if got != want {
			t.Fatalf("seed %d: %v, not %v, of %v", seed, got, want, list)
		}
		if got == Sat && !satisfies(o.solution, list) {
			t.Fatalf("seed %d: %v is no solution of %v", seed, o.solution, list)
		}
	}
	if seen[Sat] < 100 || seen[Unsat] < 100 {
		t.Errorf("too few of some answer: %v", seen)
	}
}

// TestFoldedQuotients: quotients and remainders that are the same number for all values have the same form.
func TestFoldedQuotients(t *testing.T) {
	table := term.NewTable()
	x, y := table.Choice(0), table.Choice(1)
	of := func(kind term.SymKind, f term.Form, by int64) term.Form {
		return table.Quotient(kind, f, term.Constant(by))
	}
	minus := func(f term.Form) term.Form { return term.Constant(0).Minus(f) }
	for name, pair := range map[string][2]term.Form{
		"-x % 3":       {of(term.ModSym, minus(x), 3), minus(of(term.ModSym, x, 3))},
		"(y - x) / 3":  {of(term.DivSym, y.Minus(x), 3), minus(of(term.DivSym, x.Minus(y), 3))},
		"x % 3 % 3":    {of(term.ModSym, of(term.ModSym, x, 3), 3), of(term.ModSym, x, 3)},
		"-(x % 3) % 5": {of(term.ModSym, minus(of(term.ModSym, x, 3)), 5), minus(of(term.ModSym, x, 3))},
		"x % 3 / 3":    {of(term.DivSym, of(term.ModSym, x, 3), 3), term.Constant(0)},
	} {
		if !pair[0].Equal(pair[1]) {
			t.Errorf("%s is %v, not %v", name, pair[0], pair[1])
		}
	}
	if f := of(term.ModSym, of(term.ModSym, x, 3), 2); f.Equal(of(term.ModSym, x, 3)) ||
		f.Equal(of(term.ModSym, x, 2)) {
		t.Error("x % 3 % 2 was folded")
	}
}
