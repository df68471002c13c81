package vet

import (
	"slices"

	"cdpor/lang/step"
)

// Comparisons of values that have parts, and those that never hold.

// compared reports comparisons with a value that is written out and lies outside of the type of the other side.
func (v *vetter) compared(e *step.Expr, told map[step.Pos]bool) {
	if e == nil {
		return
	}
	if (e.Op == step.Eq || e.Op == step.Ne) && !told[e.Pos] && (writtenOut(e.Args[0]) != writtenOut(e.Args[1])) {
		if lo, hi := bounds(e); lo == hi {
			told[e.Pos] = true
			v.Report(e.Pos, step.Pos{}, "", "these two values are never equal: one is outside of the type of the other")
		}
	}
	for _, a := range e.Args {
		v.compared(a, told)
	}
}

// writtenOut reports whether a value has a constant in it and is no variable.
func writtenOut(e *step.Expr) bool {
	switch e.Op {
	case step.Const:
		return true
	case step.Make, step.MakeList, step.Some:
		return slices.ContainsFunc(e.Args, writtenOut)
	}
	return false
}

// An interval is the least and greatest value of a word.
type interval struct{ lo, hi int64 }

// neverEqual reports whether the types of two values with parts leave no word that both can have.
func neverEqual(a, b *step.Expr) bool {
	x, y := words(a), words(b)
	for i := range min(len(x), len(y)) {
		if x[i].hi < y[i].lo || y[i].hi < x[i].lo {
			return true
		}
	}
	return false
}

// words are the bounds of the words of a value.
func words(e *step.Expr) (list []interval) {
	switch {
	case e.Op == step.Const:
		for _, w := range e.Words {
			list = append(list, interval{w, w})
		}
	case e.Op == step.Make:
		for _, a := range e.Args {
			list = append(list, words(a)...)
		}
	case e.Op == step.Some:
		list = append([]interval{{1, 1}}, words(e.Args[0])...)
	case e.Op == step.MakeList:
		n := int64(len(e.Args))
		list = append(list, interval{n, n})
		for _, a := range e.Args {
			list = append(list, words(a)...)
		}
	case e.Type.Scalar() && e.Type.Kind != step.Sized:
		lo, hi := bounds(e)
		list = append(list, interval{lo, hi})
	default:
		list = typeWords(e.Type)
	}
	return list
}

// typeWords are the bounds of the words of a type.
func typeWords(t *step.Type) (list []interval) {
	part := func(times int, t *step.Type, absent bool) {
		words := typeWords(t)
		for i := range words {
			if absent {
				words[i] = interval{min(words[i].lo, 0), max(words[i].hi, 0)}
			}
		}
		for range times {
			list = append(list, words...)
		}
	}
	switch {
	case t.Kind == step.Record:
		for _, f := range t.Fields {
			part(1, f.Type, false)
		}
	case t.Kind == step.Array:
		part(t.Len, t.Elem, false)
	case t.Kind == step.Option:
		list = append(list, interval{0, 1})
		part(1, t.Elem, true)
	case t.Counted():
		list = append(list, interval{0, int64(t.Len)})
		part(t.Len, t.Elem, true)
	default:
		lo, hi := typeBounds(t)
		list = append(list, interval{lo, hi})
	}
	return list
}
