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
	// mostStates is how many states a program has of which alternatives are left out that no state shows.
	mostStates = 4000
	// maxRounds is how often a family is made uniform again.
	maxRounds = 3
)

// WhyStronger is what is said of a condition that is not the weakest because that is long.
const WhyStronger = "--weakest writes a longer condition, which holds in no more of the first states of the program, " +
	"but for those in which a step fails"

// A cut is a way to get conditions that are easier to read.
type cut struct {
	*Family
	needed  func(n *commute.Entry) []bool // the cells in which a condition still holds if it did
	commute func(n *commute.Entry) bool
	uniform func(n *commute.Entry) bool // of which pairs these are looked at
	make    func(n *commute.Entry, cond **step.Expr, least, most []bool, right func(partition.Bitset) bool) bool
}

// Readable replaces conditions of a family that is uniform by stronger ones that can be read. It reports of which pairs
// commute is another one.
func (e *Family) Readable() (replaced []*commute.Entry) {
	for _, c := range []cut{
		{e, e.reachedIn, func(n *commute.Entry) bool { return isLong(n, n.Commute) }, longInUniform, e.shorter},
		{e, e.showIn, func(n *commute.Entry) bool { return varies(n.Commute) },
			func(n *commute.Entry) bool { return varies(n.Uniform) }, e.fewer},
	} {
		c.uniformParts()
		c.each(c.commute, func(n *commute.Entry, needed []bool) {
			if c.shortCommute(n, needed) && !slices.Contains(replaced, n) {
				replaced = append(replaced, n)
			}
		})
	}
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

// reachedIn are the cells of a pair that its processes stand in in the reached states.
func (e *Family) reachedIn(n *commute.Entry) []bool { return e.seen(n, e.reachedStates()) }

// showIn are the cells of a pair in which not just something fails; of a program with few states, those that its
// processes stand in in some of them, unless they never stand at the two steps.
func (e *Family) showIn(n *commute.Entry) (cells []bool) {
	if e.every != nil || !readsAtOnce(n.Commute) || !readsAtOnce(n.Uniform) {
		cells = e.seen(n, e.everyState())
	} else {
		cells = make([]bool, len(n.Cells.Value))
	}
	never := !slices.Contains(cells, true)
	for i, fails := range n.Cells.Fails {
		cells[i] = (cells[i] || never) && !fails
	}
	return cells
}

// each goes through the pairs of which a condition is looked at, with the cells that it needs.
func (c cut) each(of func(*commute.Entry) bool, visit func(n *commute.Entry, needed []bool)) {
	for _, n := range c.Entries {
		if !n.Works() || n.Independent || n.Status != constraints.Exact && n.Status != constraints.Partial ||
			!of(n) {
			continue
		}
		unsupported.Attempt(func() {
			if c.Materialise(n); n.Cells != nil && n.Words() != nil {
				visit(n, c.needed(n))
			}
		})
	}
}

// everyState is all reachable states of a program that has not many; else none.
func (e *Family) everyState() []step.State {
	if e.every == nil {
		all, finished := e.statesFrom(mostStates+1, mostStates, true)
		if !finished {
			all = nil
		}
		e.every = &all
	}
	return *e.every
}

// reachedStates are the states that stronger conditions are held against: the first ones with every alternative that
// processes have, and as many with the first alternative only, which are farther from the beginning.
func (e *Family) reachedStates() []step.State {
	if e.reached == nil {
		first, _ := e.statesFrom(reachedStates, maxReachedStates, false)
		all, _ := e.statesFrom(reachedStates, maxReachedStates, true)
		e.reached = slices.Concat(first, all)
	}
	return e.reached
}

// uniformParts replaces uniform parts by stronger ones, and makes the family uniform again as long as that takes cells
// from some pair. If that costs states that are seen, the family stays as it was.
func (c cut) uniformParts() {
	before, attempts := make([]commute.Entry, len(c.Entries)), c.Attempts
	for i, n := range c.Entries {
		before[i] = *n
		before[i].Kept = slices.Clone(n.Kept)
	}
	changed := false
	for range maxRounds {
		again := false
		c.each(c.uniform, func(n *commute.Entry, needed []bool) {
			again = c.shortUniform(n, needed) || again
		})
		if !again {
			break
		}
		changed = true
		for i, n := range c.Entries {
			if old := &before[i]; old.Bare && old.Kept == nil && !n.Bare { // it has come from the cache
				old.Kept = slices.Clone(n.First)
			}
			if !n.Bare && !n.Full() {
				n.First, n.PlainCells, n.Reads = slices.Clone(n.Kept), !expr.MayFail(n.Uniform), nil
				n.Before = n.Because
			}
		}
		c.MakeUniform()
	}
	if !changed || !c.loses(before) {
		return
	}
	for i, n := range c.Entries {
		version := n.Version
		*n = before[i]
		n.Version = version + 1
	}
	c.Attempts = attempts
}

// loses reports whether some pair of the family has lost cells that it needs.
func (c cut) loses(before []commute.Entry) bool {
	for i, n := range c.Entries {
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
		for i, needed := range c.needed(n) {
			if needed && had[i] && !n.Kept[i] {
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

// readsAtOnce reports whether a condition is at most three plain comparisons, one of which is enough.
func readsAtOnce(x *step.Expr) bool {
	parts := expr.Operands(step.Or, x)
	return len(parts) <= 3 && !slices.ContainsFunc(parts, func(part *step.Expr) bool {
		return !plain(part) || part.Has(func(y *step.Expr) bool { return y.Op == step.And })
	})
}

// plain reports whether a part computes nothing, and has no number without a name but for nothing, one and what fills a
// collection. One that has been read from text may be the negation of a comparison.
func plain(x *step.Expr) bool {
	if x.Op == step.Not {
		x = x.Args[0]
	}
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

// shortUniform takes cells from the uniform part of a pair if that makes it easier to read.
func (c cut) shortUniform(n *commute.Entry, needed []bool) bool {
	before, kept, least := n.Uniform, n.Kept, slices.Clone(n.Kept)
	for i := range least {
		least[i] = least[i] && needed[i]
	}
	if c.make(n, &n.Uniform, least, kept, func(cells partition.Bitset) bool {
		n.Kept = slices.Clone(kept)
		for i := range n.Kept {
			n.Kept[i] = kept[i] && cells.Has(i)
		}
		return c.exact(n)
	}) {
		n.Version++
		return true
	}
	n.Uniform, n.Kept = before, kept
	return false
}

// shortCommute replaces the condition of a pair by a stronger one that its uniform part implies.
func (c cut) shortCommute(n *commute.Entry, needed []bool) bool {
	before, least := n.Commute, slices.Clone(n.Cells.Value)
	for i := range least {
		least[i] = least[i] && (needed[i] || n.Kept[i])
	}
	if c.make(n, &n.Commute, least, n.Cells.Value, func(partition.Bitset) bool {
		sound, _ := c.Confirm(n)
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

// varies reports whether a condition holds in some states only.
func varies(x *step.Expr) bool { return !constraints.IsTrue(x) && !constraints.IsFalse(x) }

// fewer leaves out of the condition of a pair the alternatives in which the steps commute because one of them fails
// anyway, and if it does not read at once those that no state shows, and puts the rest in its place. It reports false
// if there are none, or the rest is not proved, and leaves it to the caller to go back.
func (e *Family) fewer(n *commute.Entry, cond **step.Expr, least, most []bool, right func(partition.Bitset) bool,
) (done bool) {
	before, fails, short := *cond, true, readsAtOnce(*cond)
	least = slices.Clone(least)
	for i := range most {
		fails = fails && (!most[i] || n.Cells.Fails[i])
		least[i] = least[i] || short && most[i] && !n.Cells.Fails[i]
	}
	if !fails && !slices.Contains(least, true) {
		return false
	}
	unsupported.Attempt(func() {
		x, holds := constraints.Truth(false), partition.NewBitset(len(most))
		if !fails {
			x, holds = n.Words().Fewer(most, least)
		}
		if x == nil || !fails && len(text(n, x)) >= len(text(n, before)) ||
			expr.MayFail(x) && !expr.MayFail(before) {
			return
		}
		*cond = x
		done = right(holds) && (n.A != n.B || e.Symmetric(x, n.A, n.B)) && e.Implies(n)
	})
	return done
}
