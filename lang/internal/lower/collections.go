package lower

import (
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// change emits the methods of collections that change them. It reports whether the statement was one.
func (lo *lowering) change(e *syntax.Expr) bool {
	if e.Kind != syntax.EMethod || !slices.Contains([]string{"add", "put", "remove", "insert", "clear"}, e.Name) {
		return false
	}
	t := lo.Probe(e.Args[0])
	if t == nil || !t.Counted() {
		return false
	}
	args := e.Args[1:]
	p := lo.Place(e.Args[0])
	if p == nil {
		return true
	}
	if slices.ContainsFunc(args, lo.Emits) {
		p = lo.SpillIndices(p)
	}
	var v *step.Expr
	arity := func(n int) bool {
		if len(args) != n {
			lo.Fail(e, "", "%s takes %s, not %d", e.Name, syntax.Plural(n, "argument"), len(args))
		}
		return len(args) == n
	}
	at := func() *step.Expr { return lo.SpillComplex(lo.Index(args[0])) }
	cut := func(from, to *step.Expr) *step.Expr { return lo.Make(e, step.Slice, t, p, from, to) }
	switch {
	case e.Name == "clear":
		if arity(0) {
			v = check.Constant(e, t, make([]int64, t.Words())...)
		}
	case e.Name == "add" && (t.Kind == step.Set || t.Kind == step.Bag):
		if arity(1) {
			v = lo.Make(e, step.Put, t, p, lo.Element(args[0], lo.Assignable(args[0], t.Elem), t.Elem))
		}
	case e.Name == "put" && t.Kind == step.Map:
		if arity(2) {
			v = lo.Make(e, step.Put, t, p, lo.Assemble(e, t.Elem, args))
		}
	case e.Name == "remove" && t.Sorted():
		if arity(1) {
			v = lo.Make(e, step.Drop, t, p, lo.Assignable(args[0], t.Key()))
		}
	case e.Name == "insert" && t.Kind == step.List:
		if !arity(2) {
			break
		}
		if i := at(); i != nil {
			one := lo.Element(args[1], lo.Assignable(args[1], t.Elem), t.Elem)
			head := lo.Make(e, step.Concat, t, cut(check.IntConst(e, 0), i),
				lo.Make(e, step.MakeList, &step.Type{Kind: step.List, Elem: t.Elem, Len: 1}, one))
			v = lo.Make(e, step.Concat, t, head, cut(i, lo.SizeOf(e, p)))
		}
	case e.Name == "remove" && t.Kind == step.List:
		if !arity(1) {
			break
		}
		if i := at(); i != nil {
			next := lo.Make(e, step.Add, step.IntType, i, check.IntConst(e, 1))
			v = lo.Make(e, step.Concat, t, cut(check.IntConst(e, 0), i), cut(next, lo.SizeOf(e, p)))
		}
	default:
		lo.NoMethod(e, t, lo.Count())
	}
	if v != nil {
		lo.Builder.Assign(p, v)
	}
	return true
}

// putElement emits m[k] = v and m[k] += v.
func (lo *lowering) putElement(s *syntax.Stmt, t *step.Type) {
	m := lo.Place(s.Place.Args[0])
	key, value := t.Elem.Fields[0].Type, t.Elem.Fields[1].Type
	if lo.Emits(s.Place.Args[1]) || lo.Emits(s.Value) {
		m = lo.SpillIndices(m)
	}
	k := lo.Element(s.Place.Args[1], lo.Assignable(s.Place.Args[1], key), key)
	if k = lo.SpillComplex(k); m == nil || k == nil {
		return
	}
	var v *step.Expr
	if s.Op == "" {
		v = lo.Element(s.Value, lo.Assignable(s.Value, value), value)
	} else if !types.IsNumber(value) {
		lo.Report(s.Place.Pos, s.Place.End, "", "%s= needs a number, and this is %s", s.Op, types.String(value))
	} else if old, by, rt := lo.Unify(s.Op+"=", s.Place, s.Value, lo.Make(s.Place, step.Lookup, value, m, k),
		lo.Value(s.Value, value)); rt != nil {
		v = lo.Element(s.Value, lo.Make(s.Place, check.OperatorOf[s.Op], rt, old, by), value)
	}
	if v != nil {
		lo.Builder.Assign(m, lo.Make(s.Place, step.Put, t, m, lo.Make(s.Place, step.Make, t.Elem, k, v)))
	}
}
