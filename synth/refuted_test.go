//go:build cgo && !noz3

package synth

import (
	"context"
	"testing"
)

// TestRefuted compares the elimination of variables with the solver, and asks the solver whether the literals that a
// contradiction is said to be derived from have a solution: it must find none for any of them. Questions about a few
// literals again and again are answered by them then.
func TestRefuted(t *testing.T) {
	z, err := newSolver(Options{})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[answer]int{}
	covered, smaller := 0, 0
	for seed := range int64(max(300, *flagN)) {
		tab, r, draw := drawLiterals(seed)
		var pool []literal
		for range 14 {
			if l, ok := draw(); ok {
				pool = append(pool, l, l.not())
			}
		}
		if len(pool) == 0 {
			continue
		}
		o := &oracle{ctx: context.Background(), solver: z, meter: meter{limit: unlimited}}
		for range 20 {
			var cube []literal
			for range 3 + r.Intn(6) {
				cube = append(cube, pool[r.Intn(len(pool))])
			}
			if tab.refuted.covers(cube) {
				covered++
				if z.cube(context.Background(), tab, cube) == sat {
					t.Fatalf("seed %d: refuted, but there is a solution: %v", seed, cube)
				}
				continue
			}
			got := o.linear(tab, cube)
			counts[got]++
			if real := z.cube(context.Background(), tab, cube); got != unknown && real != unknown && got != real {
				t.Fatalf("seed %d: %v, the solver says %v: %v", seed, got, real, cube)
			}
			if got != unsat {
				continue
			}
			tab.refuted.keep(cube, o.system.why)
			var why []literal
			for i, l := range cube {
				if o.system.why&reasonOf(i) != 0 {
					why = append(why, l)
				}
			}
			if len(why) < len(cube) {
				smaller++
			}
			if len(why) == 0 || z.cube(context.Background(), tab, why) == sat {
				t.Fatalf("seed %d: %v is not why there is no solution of %v", seed, why, cube)
			}
		}
	}
	t.Log(counts, covered, "answered by what was refuted,", smaller, "for a part of the literals")
	if counts[sat] < 300 || counts[unsat] < 300 || covered < 100 || smaller < 100 {
		t.Error("that says little")
	}
}

// TestToldApart: a contradiction that comes from a literal too far behind is not kept.
func TestToldApart(t *testing.T) {
	var set refutedSet
	lits := make([]literal, toldApart+2)
	for i := range lits {
		lits[i] = literal{dir: i}
	}
	set.keep(lits, reasonOf(3)|reasonOf(toldApart))
	if set.covers(lits) {
		t.Error("kept")
	}
	set.keep(lits, reasonOf(3)|reasonOf(toldApart-1))
	if !set.covers(lits) || set.covers(lits[:toldApart-1]) || !set.covers(lits[3:toldApart]) {
		t.Error("literals 3 and the last one told apart are refuted together, and no others")
	}
}
