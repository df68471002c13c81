//go:build cgo && !noz3

package synth

import (
	"context"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

// TestTransfers: conditions of checked bank transfers are short and cover nearly all states in which the transfers
// commute. The states are drawn at random and the steps executed in both orders.
func TestTransfers(t *testing.T) {
	programs := map[string]*step.Program{
		"transfer, array": load(t, program("a: array[3] int", "if a[0] >= 5 { a[0] -= 5; a[1] += 5 }",
			"if a[1] >= 3 { a[1] -= 3; a[2] += 3 }")),
		"transfer, chosen account": load(t,
			program("a: array[3] int; i: 0..2; j: 0..2", "if a[i] >= 5 { a[i] -= 5; a[0] += 5 }",
				"if a[j] >= 3 { a[j] -= 3; a[0] += 3 }"+
					"\n}\natomic {\ni = (i + 1) % 3; j = (j + 2) % 3")),
	}
	for _, c := range pairCases {
		if strings.HasPrefix(c.name, "transfer") {
			programs[c.name] = load(t, c.text())
		}
	}
	if len(programs) < 6 {
		t.Fatalf("%d programs", len(programs))
	}
	for name, prog := range programs {
		set, _, err := Synthesize(context.Background(), prog, Options{AnyState: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range set.Pairs {
			if n := disjuncts(p.Commute); n > 8 {
				t.Errorf("%s: %d disjuncts of %s and %s: %s", name, n, p.A.Name(), p.B.Name(),
					lang.FormatExpr(p.Commute, p.A.Template, p.B.Template))
			}
		}
		m, err := step.NewMachine(prog)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewSource(1))
		c := &comparison{m: m, r: m.NewRunner(), rand: r, set: set, c: set.Compile(m)}
		commuting, covered := 0, 0
		for range 5000 {
			s := slices.Clone(m.Initial())
			for _, v := range prog.Shared {
				randomWords(r, s[v.Offset:v.Offset+v.Type.Words()], v.Type)
			}
			for range r.Intn(3) { // the second steps of some
				if p := r.Intn(m.NumProcs()); c.r.Enabled(s, p) {
					s = c.after(s, m.FirstAction(p))
				}
			}
			for q := range m.NumProcs() {
				for p := range q {
					a, b := m.StepOf(s, p), m.StepOf(s, q)
					if a == nil || b == nil || constraints.Independent(a, b) {
						continue
					}
					holds, real := c.holds(c.c.Commute(p, a, q, b), s), c.commute(s, p, q)
					if holds && !real {
						t.Fatalf("%s: %s and %s do not commute in %v", name, a.Name(), b.Name(), s)
					}
					if real {
						commuting++
						if holds {
							covered++
						}
					}
				}
			}
		}
		if commuting < 1000 || covered*10 < commuting*9 {
			t.Errorf("%s: %d of %d commuting states are covered", name, covered, commuting)
		}
	}
}

// randomWords gives the integers of a value amounts around those that transfers speak of.
func randomWords(r *rand.Rand, words []int64, typ *step.Type) {
	switch typ.Kind {
	case step.Int:
		words[0] = int64(r.Intn(41) - 20)
	case step.Range:
		words[0] = typ.Lo + r.Int63n(min(typ.Hi-typ.Lo, 40)+1)
	case step.Array:
		for i := range typ.Len {
			randomWords(r, words[i*typ.Elem.Words():(i+1)*typ.Elem.Words()], typ.Elem)
		}
	}
}
