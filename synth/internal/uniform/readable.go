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
	// one's. One that keeps all comparisons which are enough by themselves reads like a list, and may be as long as
	// listLength. Only what is no list, or does not fit on a line, is cut down to less.
	longCondition, listLength, lineLength = 72, 110, 160
	// longUniform is the same for a uniform part, of which nobody sees at once where its cases come from.
	longUniform = 40
	// reachedStates is how many states of the program a stronger condition is held against, at least.
	reachedStates, maxReachedStates = 2000, 8000
	// maxRounds is how often a family is made uniform again.
	maxRounds = 3
)

// WhyStronger is what is said of a condition that is not the weakest because that is long.
const WhyStronger = "--weakest writes a longer condition, which holds in no more of the first states of the program"

// Readable replaces conditions of a family that is uniform by stronger ones that can be read. It reports of which pairs
// commute is another one.
func (e *Family) Readable() (replaced []*commute.Entry) {
	e.shorterFamily()
	e.eachLong(func(n *commute.Entry) bool { return isLong(n, n.Commute) }, func(n *commute.Entry, seen []bool) {
		if e.shorterCommute(n, seen) {
			replaced = append(replaced, n)
		}
	})
	return replaced
}

// holdsAsOften reports whether a condition holds in all those reached states in which another one does, as a search
// evaluates them: where that fails, a condition does not hold.
func (e *Family) holdsAsOften(n *commute.Entry, x, as *step.Expr) bool {
	states := e.reachedStates()
	if e.machine == nil {
		return false
	}
	runner := e.machine.NewRunner()
	for _, p := range e.Actors[n.A.Template].Procs {
		for _, q := range e.Actors[n.B.Template].Procs {
			if p == q {
				continue
			}
			now := e.machine.CompileCondition(x, p.Index, q.Index)
			before := e.machine.CompileCondition(as, p.Index, q.Index)
			for _, s := range states {
				if e.machine.StepOf(s, p.Index) != n.A || e.machine.StepOf(s, q.Index) != n.B {
					continue
				}
				if had, ok := before(runner, s); had && ok {
					if has, ok := now(runner, s); !has || !ok {
						return false
					}
				}
			}
		}
	}
	return true
}

// eachLong goes through the pairs of which a condition is long, with the cells that are seen.
func (e *Family) eachLong(long func(*commute.Entry) bool, visit func(n *commute.Entry, seen []bool)) {
	for _, n := range e.Entries {
		if !n.Works() || n.Independent || n.Status != constraints.Exact && n.Status != constraints.Partial ||
			!long(n) {
			continue
		}
		unsupported.Attempt(func() {
			if e.Materialise(n); n.Cells != nil && n.Words() != nil {
				visit(n, e.seen(n, e.reachedStates()))
			}
		})
	}
}

// reachedStates are the states that stronger conditions are held against: the first ones with every alternative that
// processes have, and as many with the first alternative only, which are farther from the beginning.
func (e *Family) reachedStates() []step.State {
	if e.reached == nil {
		e.reached = slices.Concat(e.statesFrom(reachedStates, maxReachedStates, false),
			e.statesFrom(reachedStates, maxReachedStates, true))
	}
	return e.reached
}

// shorterFamily replaces uniform parts by stronger ones, and makes the family uniform again as long as that takes cells
// from some pair. If that costs states that are seen, the family stays as it was.
func (e *Family) shorterFamily() {
	before, attempts := make([]commute.Entry, len(e.Entries)), e.Attempts
	for i, n := range e.Entries {
		before[i] = *n
		before[i].Kept = slices.Clone(n.Kept)
	}
	changed := false
	for range maxRounds {
		again := false
		e.eachLong(longInUniform, func(n *commute.Entry, seen []bool) {
			again = e.shorterUniform(n, seen) || again
		})
		if !again {
			break
		}
		changed = true
		for i, n := range e.Entries {
			if old := &before[i]; old.Bare && old.Kept == nil && !n.Bare { // it has come from the cache
				old.Kept = slices.Clone(n.First)
			}
			if !n.Bare && !n.Full() {
				n.First, n.PlainCells, n.Reads = slices.Clone(n.Kept), !expr.MayFail(n.Uniform), nil
				n.Before = n.Because
			}
		}
		e.MakeUniform()
	}
	if !changed || !e.loses(before) {
		return
	}
	for i, n := range e.Entries {
		version := n.Version
		*n = before[i]
		n.Version = version + 1
	}
	e.Attempts = attempts
}

// loses reports whether some pair of the family has lost cells that are seen.
func (e *Family) loses(before []commute.Entry) bool {
	for i, n := range e.Entries {
		had := before[i].Kept
		if had == nil {
			had = n.First
		}
		switch {
		case n.Bare || slices.Equal(had, n.Kept):
			continue
		case n.Cells == nil || len(had) != len(n.Cells.Value):
			return true
		}
		for c, seen := range e.seen(n, e.reachedStates()) {
			if seen && had[c] && !n.Kept[c] {
				return true
			}
		}
	}
	return false
}

func text(n *commute.Entry, x *step.Expr) string {
	return lang.FormatExpr(x, n.A.Template, n.B.Template)
}

func isLong(n *commute.Entry, x *step.Expr) bool { return len(text(n, x)) > longCondition }

// longInUniform reports whether the uniform part of a pair is long, and not just what commute says.
func longInUniform(n *commute.Entry) bool {
	said := text(n, n.Uniform)
	return len(said) > longCondition || len(said) > longUniform && said != text(n, n.Commute)
}

// mostParts is how many comparisons a list has.
const mostParts = 7

// isList reports whether a condition is one comparison after the other, or at most one of them has two parts, other
// than that there is a value to be compared.
func isList(x *step.Expr) bool {
	parts := expr.Operands(step.Or, x)
	compound := 0
	for _, part := range parts {
		both := expr.Conjuncts(part)
		if len(both) > 2 || part.Has(func(y *step.Expr) bool { return y.Op == step.Or }) {
			return false
		}
		if len(both) == 2 && both[0].Op != step.Present {
			if compound++; slices.ContainsFunc(both, func(y *step.Expr) bool { return !plain(y) }) {
				compound++
			}
		}
	}
	return compound <= 1 && len(parts) <= mostParts
}

// plain reports whether a part computes nothing, and has no number without a name but for nothing, one and what fills a
// collection.
func plain(x *step.Expr) bool {
	return x.Op >= step.Eq && x.Op <= step.Ge && x.Args[0].Op == step.Size || !x.Has(func(y *step.Expr) bool {
		return y.Op >= step.Neg && y.Op <= step.Mod ||
			y.Op == step.Const && y.Name == "" && y.Type.Numeric() && y.Words[0] != 0 && y.Words[0] != 1
	})
}

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
	if !longInUniform(n) {
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
// What a person would say first is kept where there is room for it: each single comparison that is enough, or at least
// that two parameters, processes or keys differ.
func (e *Family) shorter(n *commute.Entry, cond **step.Expr, least, most []bool, right func(partition.Bitset) bool,
) (done bool) {
	long, before := len(text(n, *cond)), *cond
	if !slices.Contains(least, true) { // it would say that they never commute
		return false
	}
	unsupported.Attempt(func() {
		whole := isList(before) && text(n, before) == text(n, n.Commute)
		sets := n.Words().Keeping(least, most)
		for i, least := range sets {
			limit := listLength
			if whole && (long <= listLength || i > 0 && long <= lineLength) {
				return
			}
			if i > 0 {
				limit = longCondition
				if slices.Equal(least, sets[i-1]) {
					continue
				}
			}
			r := n.Words().Between(least, most)
			for _, x := range []*step.Expr{r.Plain, r.Guarded} {
				if size := len(text(n, x)); size > limit || 3*size > 2*long || !r.Complete {
					break
				}
				if !e.holdsAsOften(n, x, before) {
					continue
				}
				*cond = x
				if done = right(r.Cells) && (n.A != n.B || e.Symmetric(x, n.A, n.B)) && e.Implies(n); done {
					return
				}
			}
		}
	})
	return done
}
