package lower

import (
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// changeCollection emits the methods of collections that change them. It reports whether the statement was one.
func changeCollection(x *check.Checker, e *syntax.Expr) bool {
	if e.Kind != syntax.EMethod || !slices.Contains([]string{"add", "put", "remove", "insert", "clear"}, e.Name) {
		return false
	}
	t := x.Probe(e.Args[0])
	if t == nil || !t.Counted() {
		return false
	}
	args := e.Args[1:]
	p := x.Place(e.Args[0])
	if p == nil {
		return true
	}
	if slices.ContainsFunc(args, x.Emits) {
		p = x.SpillIndices(p)
	}
	var v *step.Expr
	arity := func(n int) bool {
		if len(args) != n {
			x.Fail(e, "", "%s takes %s, not %d", e.Name, syntax.Plural(n, "argument"), len(args))
		}
		return len(args) == n
	}
	at := func() *step.Expr { return check.SpillComplex(x, x.Index(args[0])) }
	cut := func(from, to *step.Expr) *step.Expr { return x.Make(e, step.Slice, t, p, from, to) }
	switch {
	case e.Name == "clear":
		if arity(0) {
			v = check.Constant(e, t, make([]int64, t.Words())...)
		}
	case e.Name == "add" && (t.Kind == step.Set || t.Kind == step.Bag):
		if arity(1) {
			v = x.Make(e, step.Put, t, p, x.Element(args[0], x.Assignable(args[0], t.Elem), t.Elem))
		}
	case e.Name == "put" && t.Kind == step.Map:
		if arity(2) {
			v = x.Make(e, step.Put, t, p, check.Assemble(x, e, t.Elem, args))
		}
	case e.Name == "remove" && t.Sorted():
		if arity(1) {
			v = x.Make(e, step.Drop, t, p, x.Assignable(args[0], t.Key()))
		}
	case e.Name == "insert" && t.Kind == step.List:
		if !arity(2) {
			break
		}
		if i := at(); i != nil {
			one := x.Element(args[1], x.Assignable(args[1], t.Elem), t.Elem)
			head := x.Make(e, step.Concat, t, cut(check.IntConst(e, 0), i),
				x.Make(e, step.MakeList, &step.Type{Kind: step.List, Elem: t.Elem, Len: 1}, one))
			v = x.Make(e, step.Concat, t, head, cut(i, check.SizeOf(x, e, p)))
		}
	case e.Name == "remove" && t.Kind == step.List:
		if !arity(1) {
			break
		}
		if i := at(); i != nil {
			next := x.Make(e, step.Add, step.IntType, i, check.IntConst(e, 1))
			v = x.Make(e, step.Concat, t, cut(check.IntConst(e, 0), i), cut(next, check.SizeOf(x, e, p)))
		}
	default:
		check.FailNoMethod(x, e, t, x.Count())
	}
	if v != nil {
		x.Builder.Assign(p, v)
	}
	return true
}

// putElement emits m[k] = v and m[k] += v.
func putElement(x *check.Checker, s *syntax.Stmt, t *step.Type) {
	m := x.Place(s.Place.Args[0])
	key, value := t.Elem.Fields[0].Type, t.Elem.Fields[1].Type
	if x.Emits(s.Place.Args[1]) || x.Emits(s.Value) {
		m = x.SpillIndices(m)
	}
	k := x.Element(s.Place.Args[1], x.Assignable(s.Place.Args[1], key), key)
	if k = check.SpillComplex(x, k); m == nil || k == nil {
		return
	}
	var v *step.Expr
	if s.Op == "" {
		v = x.Element(s.Value, x.Assignable(s.Value, value), value)
	} else if !types.IsNumber(value) {
		x.Report(s.Place.Pos, s.Place.End, "", "%s= needs a number, and this is %s", s.Op, types.String(value))
	} else if old, by, rt := check.Unify(x, s.Op+"=", s.Place, s.Value, x.Make(s.Place, step.Lookup, value, m, k),
		x.Value(s.Value, value)); rt != nil {
		v = x.Element(s.Value, x.Make(s.Place, check.OperatorOf[s.Op], rt, old, by), value)
	}
	if v != nil {
		x.Builder.Assign(m, x.Make(s.Place, step.Put, t, m, x.Make(s.Place, step.Make, t.Elem, k, v)))
	}
}
