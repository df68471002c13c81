//go:build cgo && !noz3

package decide

import (
	"context"
	"math/rand"
	"testing"

	"cdpor/lang/step"
	"cdpor/synth/internal/term"
)

// TestDifferences compares the decision procedure for difference constraints with the solver.
func TestDifferences(t *testing.T) {
	z, err := newSolver(100_000, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var vars []*step.Var
	for i, typ := range []*step.Type{step.IntType, step.IntType, step.BoolType, {Kind: step.Range, Lo: -1, Hi: 2}} {
		vars = append(vars, &step.Var{Name: string(rune('a' + i)), Type: typ, Shared: true, Offset: i})
	}
	array := &step.Var{Name: "t", Type: &step.Type{Kind: step.Array, Elem: step.IntType, Len: 5},
		Shared: true, Offset: 4}
	counts := map[Answer]int{}
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		tab := term.NewTable()
		var lits []term.Literal
		for range 2 + r.Intn(8) {
			word := func() term.Form {
				v := vars[r.Intn(len(vars))]
				f := tab.Word(term.MemKey{Slot: term.Shared, V: v, Off: 0, View: term.Direct}, nil, v.Type)
				for depth := r.Intn(5); depth > 2; depth-- { // an element of an array, or of it again
					f = tab.Word(term.MemKey{Slot: term.Shared, V: array, Off: 0, View: term.Direct},
						[]term.Form{f.Plus(1, term.Constant(int64(r.Intn(3))))},
						step.IntType)
				}
				if r.Intn(12) == 0 {
					f = tab.Word(term.MemKey{Slot: term.Shared, V: array, Off: 0, View: term.Direct},
						[]term.Form{term.Constant(int64(r.Intn(3)))}, step.IntType)
				}
				return f
			}
			f := word().Plus(int64(r.Intn(2)), word().Minus(term.Constant(0)).Plus(-2, word())).Plus(1,
				term.Constant(int64(r.Intn(7)-3)))
			if r.Intn(3) > 0 {
				f = word().Minus(word()).Plus(1, term.Constant(int64(r.Intn(7)-3)))
			}
			if f.Constant() {
				continue
			}
			l := tab.Atom(f, term.Relation(r.Intn(2)))
			if f.K%2 != 0 && len(f.Terms) == 1 && (f.Terms[0].C > 1 || f.Terms[0].C < -1) {
				continue // no integer solution; never asked
			}
			if r.Intn(2) == 0 {
				l = l.Not()
			}
			lits = append(lits, l)
		}
		o := &Oracle{solver: z, Meter: Meter{Limit: Unlimited}}
		own := o.differences(tab, lits)
		counts[own]++
		if real := z.cube(context.Background(), tab, lits); own != Unknown && own != real {
			t.Fatalf("seed %d: %v, the solver says %v: %v", seed, own, real, lits)
		}
	}
	if counts[Sat] < 100 || counts[Unsat] < 100 {
		t.Errorf("too few cases: %v", counts)
	}
	t.Log(counts)
}
