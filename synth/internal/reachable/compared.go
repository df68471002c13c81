package reachable

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/span"
)

// What a step compares tells what it computes afterwards: behind `if item[k].stock >= n` the difference that
// `item[k].stock -= n` leaves is not negative, though no range of the stock and of n says so. Environments keep the
// ranges of such terms from the comparison to the end of the step, or until something in them is assigned: elements of
// arrays, sums and differences that the code both compares and computes with.

// A compared has the terms of a template. Their ranges stand behind all others in environments.
type compared struct {
	terms []*step.Expr
	at    map[*step.Expr]int // where one of them stands in the code: which
	gap   map[*step.Expr]gap // of a comparison: the term that is the difference of its sides
}

// A gap is a term that is the left side of a comparison less the right one, or with turned the right one less the left.
type gap struct {
	term   int
	turned bool
}

// maxCompared bounds the terms of a template.
const maxCompared = 16

// findCompared finds the terms of a template.
func findCompared(t *step.Template) *compared {
	c := &compared{at: map[*step.Expr]int{}, gap: map[*step.Expr]gap{}}
	var computed, comparisons []*step.Expr
	for _, n := range t.Nodes {
		if n.Kind == step.Assign {
			n.Src.Walk(func(e *step.Expr) {
				such := e.Op == step.Index || e.Op == step.Part || e.Op == step.Add || e.Op == step.Sub
				if such && e.Type.Numeric() && !e.Has(func(x *step.Expr) bool { return x.Op == step.Call }) {
					computed = append(computed, e)
				}
			})
		}
		n.Cond.Walk(func(e *step.Expr) {
			if e.Op >= step.Eq && e.Op <= step.Ge && e.Args[0].Type.Numeric() && e.Args[1].Type.Numeric() {
				comparisons = append(comparisons, e)
			}
		})
	}
	for _, e := range comparisons {
		for _, term := range computed {
			difference := term.Op == step.Sub
			switch {
			case difference && step.Equal(term.Args[0], e.Args[0]) && step.Equal(term.Args[1], e.Args[1]):
				c.gap[e] = gap{c.add(term), false}
			case difference && step.Equal(term.Args[0], e.Args[1]) && step.Equal(term.Args[1], e.Args[0]):
				c.gap[e] = gap{c.add(term), true}
			}
			for _, side := range e.Args {
				if step.Equal(term, side) {
					c.at[side] = c.add(term)
				}
			}
		}
	}
	for _, e := range computed {
		if i := c.find(e); i >= 0 {
			c.at[e] = i
		}
	}
	return c
}

func (c *compared) find(e *step.Expr) int {
	return slices.IndexFunc(c.terms, func(term *step.Expr) bool { return step.Equal(term, e) })
}

// add is the number of a term, a new one if it has none; -1 if there are too many.
func (c *compared) add(e *step.Expr) int {
	i := c.find(e)
	if i < 0 && len(c.terms) < maxCompared {
		i, c.terms = len(c.terms), append(c.terms, e)
	}
	return i
}

// term is the place in environments of what is known of a term; ok is false where nothing is kept of it.
func (f *Frame) term(env []span.Span, e *step.Expr) (slot int, ok bool) {
	if env == nil || f.compared == nil {
		return 0, false
	}
	i, ok := f.compared.at[e]
	return f.terms + i, ok && i >= 0
}

// compare narrows what is known of terms to where a comparison holds; it reports false if that is nowhere.
func (f *Frame) compare(env []span.Span, e *step.Expr, op step.Op, a, b span.Span) bool {
	if f.compared == nil {
		return true
	}
	narrowed := func(i int, s span.Span, op step.Op, by span.Span) bool {
		env[i] = narrow(s.Meet(env[i]), op, by)
		return !env[i].Empty()
	}
	if i, ok := f.term(env, e.Args[0]); ok && !narrowed(i, a, op, b) {
		return false
	}
	if i, ok := f.term(env, e.Args[1]); ok && !narrowed(i, b, mirrorOp[op], a) {
		return false
	}
	if g, ok := f.compared.gap[e]; ok && g.term >= 0 {
		if g.turned {
			op = mirrorOp[op]
		}
		return narrowed(f.terms+g.term, span.Any, op, span.Only(0))
	}
	return true
}

// forgetTerms gives up what is known of the terms that a node changes.
func (f *Frame) forgetTerms(env []span.Span, n *step.Node) {
	if f.compared == nil || n.Dst == nil && n.Kind != step.Spawn {
		return
	}
	for i, term := range f.compared.terms {
		if n.Kind == step.Spawn || n.Dst.Root() == nil || term.Mentions(n.Dst.Root()) {
			env[f.terms+i] = span.Any
		}
	}
}

// assigned notes the value of an element that has been assigned, if it is a term.
func (f *Frame) assigned(env []span.Span, dst *step.Expr, s span.Span) {
	if f.compared == nil {
		return
	}
	root := dst.Root()
	for x := dst; x.Op == step.Index || x.Op == step.Part; x = x.Args[0] {
		if x.Op == step.Index && x.Args[1].Mentions(root) {
			return
		}
	}
	if i := f.compared.find(dst); i >= 0 {
		env[f.terms+i] = s
	}
}
