package synth

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// A finder finds the weakest condition in which two steps commute.
type finder struct {
	*questions
	maxCells int
}

// pair finds the weakest commute constraint of two steps, and takes it for the uniform one to begin with.
func (e *finder) pair(a, b *step.Step) (n *entry) {
	why := unsupported.Attempt(func() {
		if n = e.commuting(a, b); n.independent {
			return
		}
		n.uniform = n.commute
		if n.c != nil {
			e.refresh(n)
		} else if n.a == n.b && !e.symmetric(n) {
			n.uniform = constraints.Truth(false)
		}
		if symbolic.Starts(a, b) {
			n.uniform = constraints.Truth(false)
			clear(n.u)
		}
		n.first, n.axisReads = slices.Clone(n.u), n.axesRead()
		n.plainCells = n.c != nil && (!expr.MayFail(n.uniform) ||
			n.status == constraints.Exact && n.uniform == n.commute && slices.Equal(n.first, n.c.Value))
	})
	if why != "" || e.o.Spent {
		n = unknownEntry(a, b)
		n.why, n.open = decide.WhySpent, e.o.Spent
		if why != "" {
			n.why = why
		}
	}
	return n
}

// commuting finds the weakest commute constraint of two steps.
func (e *finder) commuting(a, b *step.Step) *entry {
	n := unknownEntry(a, b)
	if constraints.Independent(a, b) {
		n.independent, n.status, n.commute, n.uniform = true, constraints.Exact, constraints.Truth(true),
			constraints.Truth(true)
		return n
	}
	n.t = e.table(a, b).Asking("the weakest condition of", a, b)
	n.names = term.NewNames()
	assume := e.related(a, b)
	limit := symbolic.MaxLeaves
	if symbolic.Starts(a, b) {
		limit = symbolic.MaxStarts
	}
	var leaves []partition.Leaf
	failed := symbolic.Explore(n.t, e.o, limit, func(r *symbolic.Run) {
		r.Names = n.names
		r.AssumeInvariants(assume)
		value := r.Commute(a, b)
		leaves = append(leaves, partition.Leaf{Cube: r.Cube(), Value: value})
		n.implied = r.Decided(n.implied)
		for _, l := range r.Also {
			if !slices.Contains(n.implied, l) {
				n.implied = append(n.implied, l)
			}
		}
	})
	if failed != "" {
		n.why = failed
		return n
	}
	if why := e.express(n, leaves); why != "" {
		n.why, n.status, n.commute, n.c = why, constraints.Unknown, constraints.Truth(false), nil
	}
	if a == b && n.status == constraints.Partial {
		e.makeSymmetric(n)
	}
	return n
}

// makeSymmetric makes the condition of a step with itself mean the same when p and q are exchanged. Each way round is
// right, so either may hold; both are asked for where the evaluation of one can fail and hide the other.
func (e *finder) makeSymmetric(n *entry) {
	one := n.commute
	for _, op := range []step.Op{step.Or, step.And} {
		if e.symmetric(n) {
			return
		}
		parts := expr.Operands(op, one)
		for _, part := range parts {
			other := constraints.Exchanged(part)
			if !slices.ContainsFunc(parts, func(x *step.Expr) bool { return n.says(x, other) }) {
				parts = append(parts, other)
			}
		}
		n.commute = expr.Join(op, parts)
	}
}

// says reports whether two parts of a condition are written alike, but for the sides of an equation.
func (n *entry) says(x, y *step.Expr) bool {
	text := func(e *step.Expr) string { return lang.FormatExpr(e, n.a.Template, n.b.Template) }
	if text(x) == text(y) {
		return true
	}
	return x.Op == y.Op && (x.Op == step.Eq || x.Op == step.Ne) &&
		text(x.Args[0]) == text(y.Args[1]) && text(x.Args[1]) == text(y.Args[0])
}

// symmetric tells whether the condition of a step with itself means the same when the processes are exchanged.
func (e *finder) symmetric(n *entry) bool {
	same := true
	t := e.table(n.a, n.b).Asking("the condition means the same with the processes exchanged, of", n.a, n.b)
	failed := symbolic.Explore(t, e.o, symbolic.MaxLeaves, func(r *symbolic.Run) {
		same = same && r.Holds(n.commute, 0, 1) == r.Holds(n.commute, 1, 0)
	})
	return same && failed == ""
}

// refresh writes the cells of uniform as an expression that never fails; plain leaves out what may not be needed for
// that. It reports false if that takes fewer cells, which are then the ones that remain.
func (e *finder) refresh(n *entry) (plain *step.Expr, whole bool) {
	if slices.Equal(n.u, n.c.Value) && n.status == constraints.Exact {
		n.uniform = n.commute
		return n.commute, true
	}
	r := n.words.Minimise(n.u)
	n.uniform = r.Guarded
	return r.Plain, r.Complete || !e.reduce(n, r.Cells)
}

// reduce takes the cells from uniform that are not in a set, and reports whether there are any.
func (e *finder) reduce(n *entry, to partition.Bitset) (changed bool) {
	for i, u := range n.u {
		if u && !to.Has(i) {
			n.drop(i)
			changed = true
		}
	}
	return changed
}

// materialise gives entries that come from the cache their cells.
func (e *finder) materialise(entries ...*entry) {
	for _, n := range entries {
		if n.bare { // its cost has been charged
			was, long := e.o.Meter, e.o.Long
			e.o.Meter = decide.Meter{Limit: decide.Unlimited}
			m := e.pair(n.a, n.b)
			e.o.Meter, e.o.Long = was, long
			n.t, n.names, n.nf, n.c, n.words, n.u, n.first, n.bare = m.t, m.names, m.nf, m.c, m.words, m.u, m.first,
				false
			n.plainCells, n.axisReads = m.plainCells, m.axisReads
		}
	}
}
