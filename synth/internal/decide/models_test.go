//go:build cgo && !noz3

package decide

import (
	"context"
	"math/rand"
	"testing"

	"cdpor/lang/step"
	"cdpor/synth/internal/term"
)

// drawLiterals makes a table and a function that draws literals about it, none where one drawn is true or false always:
// sums of a few words, elements of an array among them, and of quotients and remainders.
func drawLiterals(seed int64) (tab *term.Table, r *rand.Rand, draw func() (l term.Literal, ok bool)) {
	small := &step.Type{Kind: step.Range, Lo: -1, Hi: 2}
	array := &step.Var{Name: "t", Type: &step.Type{Kind: step.Array, Elem: small, Len: 5}, Shared: true, Offset: 4}
	r = rand.New(rand.NewSource(seed))
	var vars []*step.Var
	types := []*step.Type{step.BoolType, small, small, step.IntType}[:2+r.Intn(3)]
	if seed%2 == 0 {
		types = []*step.Type{step.IntType, step.IntType, small, step.IntType}[:2+r.Intn(3)]
	}
	for i, typ := range types {
		vars = append(vars, &step.Var{Name: string(rune('a' + i)), Type: typ, Shared: true, Offset: i})
	}
	tab = term.NewTable()
	elements := r.Intn(2) == 0
	var word func() term.Form
	word = func() term.Form {
		v := vars[r.Intn(len(vars))]
		f := tab.Word(term.MemKey{Slot: term.Shared, V: v, Off: 0, View: term.Direct}, nil, v.Type)
		if elements && r.Intn(3) == 0 {
			switch r.Intn(6) {
			case 0:
				f = term.Constant(int64(r.Intn(3)))
			case 1:
				f = word()
			}
			return tab.Word(term.MemKey{Slot: term.Shared, V: array, Off: 0, View: term.Direct}, []term.Form{f}, small)
		}
		return f
	}
	var sum func(depth int) term.Form
	sum = func(depth int) term.Form {
		f := term.Constant(int64(r.Intn(5)-2)).Plus(int64(1+r.Intn(2)), word()).Plus(int64(r.Intn(3)-1), word())
		if seed%4 == 0 && r.Intn(4) > 0 { // as small as most are
			f = term.Constant(int64(r.Intn(3)-1)).Plus(1, word()).Plus(int64(r.Intn(3)-1), word())
		}
		kinds := []term.SymKind{term.ModSym, term.ModSym, term.ModSym, term.DivSym}
		if seed%4 == 0 {
			kinds = kinds[:3]
		}
		if depth > 0 && r.Intn(2) == 0 && !f.Constant() {
			g := tab.Quotient(kinds[r.Intn(len(kinds))], f, term.Constant(int64(2+r.Intn(2+int(seed%2)))))
			return g.Plus(int64(r.Intn(2)), sum(depth-1))
		}
		return f
	}
	return tab, r, func() (l term.Literal, ok bool) {
		f := sum(2)
		rel := term.Relation(r.Intn(2))
		if f.Constant() {
			return l, false
		}
		if rel == term.EqRel && f.NoZero() {
			return l, false
		}
		l = tab.Atom(f, rel)
		if r.Intn(2) == 0 {
			l = l.Not()
		}
		return l, true
	}
}

// TestModels compares what is found by looking at models with the solver, for cubes that grow literal by literal, as
// those of an exploration do.
func TestModels(t *testing.T) {
	z, err := newSolver(100_000, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for seed := range int64(400) {
		tab, _, draw := drawLiterals(seed)
		o := &Oracle{Ctx: context.Background(), solver: z, Meter: Meter{Limit: Unlimited}}
		var lits []term.Literal
		for range 7 {
			l, ok := draw()
			if !ok {
				continue
			}
			cube := append(lits[:len(lits):len(lits)], l)
			found := o.models.about(tab).show(cube)
			got := o.Check(tab, cube)
			if real := z.cube(context.Background(), tab, cube); got != real || found && real != Sat {
				t.Fatalf("seed %d: %v, shown %t, the solver says %v: %v", seed, got, found, real, cube)
			}
			if found {
				shown++
			}
			if got == Sat {
				lits = cube
			}
		}
	}
	if shown < 100 {
		t.Errorf("only %d were shown by a model", shown)
	}
}
