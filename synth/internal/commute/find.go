// Package commute finds the weakest condition in which two steps commute, and proves it.
package commute

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/question"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
	"cdpor/synth/internal/wording"
)

// maxStarts bounds the leaves of a pair that starts processes: each start has a name to be compared.
const maxStarts = 400

// A Finder finds the weakest condition in which two steps commute.
type Finder struct {
	*question.Program
	MaxCells int
}

// Pair finds the weakest commute constraint of two steps, and takes it for the uniform one to begin with. What is known
// where both processes stand there is used if they always commute because of it.
func (e *Finder) Pair(a, b *step.Step) (n *Entry) {
	e.Oracle.Together(func() {
		used := e.Facts.Noting(func() { n = e.pair(a, b) })
		if !constraints.IsTrue(n.Commute) && e.Facts.BothKnown(a, b) {
			both := n
			more := e.Facts.Noting(func() {
				e.Facts.Together(func() { both = e.pair(a, b) })
			})
			if constraints.IsTrue(both.Commute) {
				n, used = both, more
			}
		}
		e.Facts.Used.Add(used)
	})
	return n
}

func (e *Finder) pair(a, b *step.Step) (n *Entry) {
	why := unsupported.Attempt(func() {
		if n = e.commuting(a, b); n.Independent {
			return
		}
		n.Uniform = n.Commute
		if n.Cells != nil {
			e.Refresh(n)
		}
		if n.Uniform != n.Commute && !e.Implies(n) {
			n.Uniform = constraints.Truth(false)
			clear(n.Kept)
		}
		if n.Cells == nil && n.bound || n.A == n.B && !e.Symmetric(n.Uniform, n.A, n.B) {
			n.Uniform = constraints.Truth(false)
			clear(n.Kept)
		}
		n.First, n.AxisReads = slices.Clone(n.Kept), n.axesRead()
		n.PlainCells = n.Cells != nil && (!expr.MayFail(n.Uniform) ||
			n.Status == constraints.Exact && n.Uniform == n.Commute && slices.Equal(n.First, n.Cells.Value))
	})
	if why != "" || e.Oracle.Spent {
		n = UnknownEntry(a, b)
		n.Why, n.Open = decide.WhySpent, e.Oracle.Spent
		if why != "" {
			n.Why = why
		}
	}
	return n
}

// commuting finds the weakest commute constraint of two steps.
func (e *Finder) commuting(a, b *step.Step) *Entry {
	n := UnknownEntry(a, b)
	if constraints.Independent(a, b) {
		n.Independent, n.Status, n.Commute, n.Uniform = true, constraints.Exact, constraints.Truth(true),
			constraints.Truth(true)
		return n
	}
	n.Table = e.Table(a, b).Asking("the weakest condition of", a, b)
	n.Names = term.NewNames()
	n.Names.Shadowed = slices.ContainsFunc(e.Prog.Shared, func(v *step.Var) bool {
		return v.Name == "p" || v.Name == "q"
	})
	assume := e.Related(a, b)
	limit := symbolic.MaxLeaves
	if symbolic.Starts(a, b) {
		limit = maxStarts
	}
	var leaves []partition.Leaf
	failed := symbolic.Explore(n.Table, e.Oracle, limit, func(r *symbolic.Run) {
		r.Names, r.Few = n.Names, true
		r.AssumeInvariants(assume)
		value, orderless, fails := r.Orderless(a, b)
		n.bound = n.bound || value && !orderless
		leaves = append(leaves, partition.Leaf{Cube: r.Cube(), Value: value, Bound: value && !orderless, Fails: fails})
		n.implied = r.Decided(n.implied)
		for _, l := range r.Also {
			if !slices.Contains(n.implied, l) {
				n.implied = append(n.implied, l)
			}
		}
	})
	if failed != "" {
		n.Why = failed
		return n
	}
	if slices.ContainsFunc(leaves, func(f partition.Leaf) bool { return f.Value != leaves[0].Value }) {
		e.Unlisted(func() { wording.Quote(n.Table, e.Oracle, n.Names, a, b) })
	}
	if why := e.express(n, leaves); why != "" {
		n.Why, n.Status, n.Commute, n.Cells = why, constraints.Unknown, constraints.Truth(false), nil
	}
	if a == b && n.Status == constraints.Partial {
		e.makeSymmetric(n)
	}
	return n
}

// makeSymmetric makes the condition of a step with itself mean the same when p and q are exchanged. Each way round is
// right, so either may hold; both are asked for where the evaluation of one can fail and hide the other.
func (e *Finder) makeSymmetric(n *Entry) {
	one := n.Commute
	for _, op := range []step.Op{step.Or, step.And} {
		if e.Symmetric(n.Commute, n.A, n.B) {
			return
		}
		parts := expr.Operands(op, one)
		for _, part := range parts {
			other := constraints.Exchanged(part)
			if !slices.ContainsFunc(parts, func(x *step.Expr) bool { return n.says(x, other) }) {
				parts = append(parts, other)
			}
		}
		n.Commute = expr.Join(op, parts)
	}
}

// Implies reports whether commute holds wherever uniform does, also where no cell is because one of the steps could
// fail there.
func (e *Finder) Implies(n *Entry) bool {
	implied := true
	failed := e.Explore("uniform implies commute, of", func(r *symbolic.Run) {
		implied = implied && (!r.Holds(n.Uniform, 0, 1) || r.Holds(n.Commute, 0, 1))
	}, n.A, n.B)
	return implied && failed == ""
}

// says reports whether two parts of a condition are written alike, but for the sides of an equation.
func (n *Entry) says(x, y *step.Expr) bool {
	text := func(e *step.Expr) string { return lang.FormatExpr(e, n.A.Template, n.B.Template) }
	if text(x) == text(y) {
		return true
	}
	return x.Op == y.Op && (x.Op == step.Eq || x.Op == step.Ne) &&
		text(x.Args[0]) == text(y.Args[1]) && text(x.Args[1]) == text(y.Args[0])
}

// Symmetric reports whether a condition of a step with itself means the same when the processes are exchanged.
func (e *Finder) Symmetric(cond *step.Expr, a, b *step.Step) bool {
	same := true
	t := e.Table(a, b).Asking("the condition means the same with the processes exchanged, of", a, b)
	failed := symbolic.Explore(t, e.Oracle, symbolic.MaxLeaves, func(r *symbolic.Run) {
		same = same && r.Holds(cond, 0, 1) == r.Holds(cond, 1, 0)
	})
	return same && failed == ""
}

// Refresh writes the cells of uniform as an expression that never fails; plain leaves out what may not be needed for
// that. It reports false if that takes fewer cells, which are then the ones that remain.
func (e *Finder) Refresh(n *Entry) (plain *step.Expr, whole bool) {
	if slices.Equal(n.Kept, n.Cells.Value) && n.Status == constraints.Exact {
		n.Uniform = n.Commute
		return n.Commute, true
	}
	r := n.words.Minimise(n.Kept)
	n.Uniform = r.Guarded
	return r.Plain, r.Complete || !e.reduce(n, r.Cells)
}

// reduce takes the cells from uniform that are not in a set, and reports whether there are any.
func (e *Finder) reduce(n *Entry, to partition.Bitset) (changed bool) {
	for i, u := range n.Kept {
		if u && !to.Has(i) {
			n.Drop(i)
			changed = true
		}
	}
	return changed
}

// Materialise gives entries that come from the cache their cells.
func (e *Finder) Materialise(entries ...*Entry) {
	for _, n := range entries {
		if n.Bare { // its cost has been charged
			was, long := e.Oracle.Meter, e.Oracle.Long
			e.Oracle.Meter = decide.Meter{Limit: decide.Unlimited}
			m := e.Pair(n.A, n.B)
			e.Oracle.Meter, e.Oracle.Long = was, long
			n.Table, n.Names, n.nf, n.Cells, n.words, n.Kept, n.First, n.Bare = m.Table, m.Names, m.nf, m.Cells,
				m.words, m.Kept, m.First,
				false
			n.PlainCells, n.AxisReads = m.PlainCells, m.AxisReads
		}
	}
}
