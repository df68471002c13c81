// Package symbolic runs steps on symbols: one path for each combination of answers to the atoms that a question asks
// about, so each leaf of the decision tree is a cube in which the run is a straight line.
package symbolic

import (
	"math"

	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// MaxLeaves bounds the leaves of one exploration.
const MaxLeaves = 3000

// TooMany is why an exploration of more leaves was not finished.
const TooMany = "too many cases"

// Explore runs a question for every combination of answers to the atoms it asks about, so many at most. It says why it
// could not be finished; empty if it was.
func Explore(t *term.Table, o *decide.Oracle, limit int, question func(r *Run)) (failed string) {
	x := &Path{Table: t, Oracle: o, fixed: map[term.SymID]int64{}, limit: limit}
	return unsupported.Attempt(func() {
		for more := true; more && !x.Enough; more = x.backtrack(0) {
			x.count()
			x.at, x.Lits, x.looks = 0, x.Lits[:0], x.looks[:0]
			x.feasible(func() {
				x.Oracle.Spend(1 + len(x.stack)/8)
				x.forget()
				question(newRun(x))
			})
		}
	})
}

// Allowed reports whether what the run has decided can be in a reachable state, as far as facts about the steps tell.
func (x *Run) Allowed() bool {
	return !x.Table.Assumed() || x.Oracle.Check(x.Table, x.Table.Known.Named(x.Lits)) != decide.Unsat
}

// AssumeRanges restricts a run to states after which what has been written lies in the ranges of its variables. What a
// step leads to from a reachable state is reachable, so nothing else can be.
func (x *Run) AssumeRanges(after *Store) {
	if !x.Table.Assumed() {
		return
	}
	for _, m := range after.mems {
		for _, l := range m.log {
			if w, open := x.Table.Known.Written(m.key, l.value); open {
				x.assume(w.Lo == math.MinInt64 || !x.LessThan(l.value, term.Constant(w.Lo)))
				x.assume(w.Hi == math.MaxInt64 || !x.LessThan(term.Constant(w.Hi), l.value))
			}
		}
	}
}

// newRun begins a run in the unknown state.
func newRun(x *Path) *Run {
	r := &Run{interpreter: interpreter{state: state{Path: x, Store: &Store{}}, Own: term.Shared, pq: [2]int{0, 1}}}
	r.Running()
	return r
}
