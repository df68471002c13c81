package lang

import (
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// change emits the methods of collections that change them. It reports whether the statement was one.
func (lo *lowering) change(e *syntax.Expr) bool {
	if e.Kind != syntax.EMethod || !slices.Contains([]string{"add", "put", "remove", "insert", "clear"}, e.Name) {
		return false
	}
	t := lo.probe(e.Args[0])
	if t == nil || !t.Counted() {
		return false
	}
	args := e.Args[1:]
	p := lo.place(e.Args[0])
	if p == nil {
		return true
	}
	if slices.ContainsFunc(args, lo.emits) {
		p = lo.spillIndices(p)
	}
	var v *step.Expr
	arity := func(n int) bool {
		if len(args) != n {
			lo.fail(e, "", "%s takes %s, not %d", e.Name, syntax.Plural(n, "argument"), len(args))
		}
		return len(args) == n
	}
	at := func() *step.Expr { return lo.spillComplex(lo.index(args[0])) }
	cut := func(from, to *step.Expr) *step.Expr { return lo.make(e, step.Slice, t, p, from, to) }
	switch {
	case e.Name == "clear":
		if arity(0) {
			v = constant(e, t, make([]int64, t.Words())...)
		}
	case e.Name == "add" && (t.Kind == step.Set || t.Kind == step.Bag):
		if arity(1) {
			v = lo.make(e, step.Put, t, p, lo.element(args[0], lo.assignable(args[0], t.Elem), t.Elem))
		}
	case e.Name == "put" && t.Kind == step.Map:
		if arity(2) {
			v = lo.make(e, step.Put, t, p, lo.assemble(e, t.Elem, args))
		}
	case e.Name == "remove" && t.Sorted():
		if arity(1) {
			v = lo.make(e, step.Drop, t, p, lo.assignable(args[0], t.Key()))
		}
	case e.Name == "insert" && t.Kind == step.List:
		if !arity(2) {
			break
		}
		if i := at(); i != nil {
			one := lo.element(args[1], lo.assignable(args[1], t.Elem), t.Elem)
			head := lo.make(e, step.Concat, t, cut(intConst(e, 0), i), lo.make(e, step.MakeList, &step.Type{Kind: step.List, Elem: t.Elem, Len: 1}, one))
			v = lo.make(e, step.Concat, t, head, cut(i, lo.sizeOf(e, p)))
		}
	case e.Name == "remove" && t.Kind == step.List:
		if !arity(1) {
			break
		}
		if i := at(); i != nil {
			next := lo.make(e, step.Add, step.IntType, i, intConst(e, 1))
			v = lo.make(e, step.Concat, t, cut(intConst(e, 0), i), cut(next, lo.sizeOf(e, p)))
		}
	default:
		lo.noMethod(e, t, lo.Count())
	}
	if v != nil {
		lo.builder.Assign(p, v)
	}
	return true
}

// putElement emits m[k] = v and m[k] += v.
func (lo *lowering) putElement(s *syntax.Stmt, t *step.Type) {
	m := lo.place(s.Place.Args[0])
	key, value := t.Elem.Fields[0].Type, t.Elem.Fields[1].Type
	if lo.emits(s.Place.Args[1]) || lo.emits(s.Value) {
		m = lo.spillIndices(m)
	}
	k := lo.element(s.Place.Args[1], lo.assignable(s.Place.Args[1], key), key)
	if k = lo.spillComplex(k); m == nil || k == nil {
		return
	}
	var v *step.Expr
	if s.Op == "" {
		v = lo.element(s.Value, lo.assignable(s.Value, value), value)
	} else if !types.IsNumber(value) {
		lo.Report(s.Place.Pos, s.Place.End, "", "%s= needs a number, and this is %s", s.Op, types.String(value))
	} else if old, by, rt := lo.unify(s.Op+"=", s.Place, s.Value, lo.make(s.Place, step.Lookup, value, m, k), lo.value(s.Value, value)); rt != nil {
		v = lo.element(s.Value, lo.make(s.Place, operatorOf[s.Op], rt, old, by), value)
	}
	if v != nil {
		lo.builder.Assign(m, lo.make(s.Place, step.Put, t, m, lo.make(s.Place, step.Make, t.Elem, k, v)))
	}
}
