package uniform

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/unsupported"
)

// The weakest condition may tell cases apart that hardly an execution meets. Where it is long, a stronger one is looked
// for that is much shorter and holds in all those of many reachable states in which the weakest does.

const (
	// longCondition is how many characters may be read at once; a shorter condition has at most two thirds of the long
	// one's.
	longCondition = 72
	// reachedStates is how many states of the program a stronger condition is held against, at least.
	reachedStates, maxReachedStates = 2000, 8000
	// maxRounds is how often a family is made uniform again.
	maxRounds = 3
)

// WhyStronger is what is said of a condition that is not the weakest because that is long.
const WhyStronger = "--weakest writes a longer condition, which holds in no more of the first states of the program"

// Readable replaces conditions of a family that is uniform by stronger ones that can be read, and makes it uniform
// again as long as that takes cells from some pair. It reports of which pairs commute is another one.
func (e *Family) Readable() (replaced []*commute.Entry) {
	var states []step.State
	for rounds := 0; ; rounds++ {
		again := false
		for _, n := range e.Entries {
			long := n.Works() && !n.Independent && (isLong(n, n.Commute) || isLong(n, n.Uniform))
			if !long || n.Status != constraints.Exact && n.Status != constraints.Partial {
				continue
			}
			unsupported.Attempt(func() {
				if e.Materialise(n); n.Cells == nil || n.Words() == nil {
					return
				}
				if states == nil {
					states = e.statesFrom(reachedStates, maxReachedStates)
				}
				seen := e.seen(n, states)
				again = e.shorterUniform(n, seen) || again
				if e.shorterCommute(n, seen) {
					replaced = append(replaced, n)
				}
			})
		}
		if !again || rounds == maxRounds {
			return replaced
		}
		for _, n := range e.Entries {
			if !n.Bare && !n.Full() {
				n.First, n.PlainCells, n.Reads = slices.Clone(n.Kept), !expr.MayFail(n.Uniform), nil
			}
		}
		e.MakeUniform()
	}
}

func text(n *commute.Entry, x *step.Expr) string {
	return lang.FormatExpr(x, n.A.Template, n.B.Template)
}

func isLong(n *commute.Entry, x *step.Expr) bool { return len(text(n, x)) > longCondition }

// seen are the cells of a pair that its processes stand in in some states; of a step with itself also their mirror
// images. Equal steps get equal conditions.
func (e *Family) seen(n *commute.Entry, states []step.State) []bool {
	weight, seen := make([]int, len(n.Cells.Value)), make([]bool, len(n.Cells.Value))
	for _, m := range append(e.alike(n), n) {
		if m.Cells != nil && len(m.Cells.Value) == len(weight) {
			e.weigh(m, states, weight)
		}
	}
	for i := range seen {
		if seen[i] = seen[i] || weight[i] > 0; seen[i] && n.A == n.B {
			if m := n.Mirrored(i); m >= 0 {
				seen[m] = true
			}
		}
	}
	return seen
}

// shorterUniform takes cells from the uniform part of a pair if that makes a long condition short.
func (e *Family) shorterUniform(n *commute.Entry, seen []bool) bool {
	if !isLong(n, n.Uniform) {
		return false
	}
	before, kept, least := n.Uniform, n.Kept, slices.Clone(n.Kept)
	for i := range least {
		least[i] = least[i] && seen[i]
	}
	if e.shorter(n, &n.Uniform, least, kept, func(cells partition.Bitset) bool {
		n.Kept = slices.Clone(kept)
		for i := range n.Kept {
			n.Kept[i] = kept[i] && cells.Has(i)
		}
		return e.exact(n)
	}) {
		n.Version++
		return true
	}
	n.Uniform, n.Kept = before, kept
	return false
}

// shorterCommute replaces a long condition of a pair by a stronger one that its uniform part implies.
func (e *Family) shorterCommute(n *commute.Entry, seen []bool) bool {
	if !isLong(n, n.Commute) {
		return false
	}
	before, least := n.Commute, slices.Clone(n.Cells.Value)
	for i := range least {
		least[i] = least[i] && (seen[i] || n.Kept[i])
	}
	if e.shorter(n, &n.Commute, least, n.Cells.Value, func(partition.Bitset) bool {
		sound, _ := e.Confirm(n)
		return sound
	}) {
		n.Status, n.Why = constraints.Partial, WhyStronger
		return true
	}
	n.Commute = before
	return false
}

// shorter finds a short condition for a long one of a pair, which holds in some cells at least, and at most in others,
// and puts it in its place. It reports false if there is none that is proved, and leaves it to the caller to go back.
func (e *Family) shorter(n *commute.Entry, cond **step.Expr, least, most []bool, right func(partition.Bitset) bool,
) (done bool) {
	long := len(text(n, *cond))
	if !slices.Contains(least, true) { // it would say that they never commute
		return false
	}
	unsupported.Attempt(func() {
		r := n.Words().Between(least, most)
		for _, x := range []*step.Expr{r.Plain, r.Guarded} {
			if size := len(text(n, x)); size > longCondition || 3*size > 2*long || !r.Complete {
				return
			}
			*cond = x
			if done = right(r.Cells) && (n.A != n.B || e.Symmetric(x, n.A, n.B)) && e.Implies(n); done {
				return
			}
		}
	})
	return done
}
