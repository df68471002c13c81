package symbolic

import (
	"math"

	"cdpor/lang/step"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// place finds the place an expression means; ok is false if it is none.
func (x *interpreter) place(e *step.Expr) (p term.Place, ok bool) {
	switch e.Op {
	case step.VarRef:
		if e.Var.Shared {
			return term.PlaceOf(term.Shared, e.Var), true
		}
		return term.PlaceOf(x.slot(e.Of), e.Var), true
	case step.Index:
		base, ok := x.place(e.Args[0])
		if !ok {
			return base, false
		}
		return x.element(base, x.Scalar(e.Args[1])), true
	case step.Part:
		base, ok := x.place(e.Args[0])
		return base.Sub(e.Args[0].Type.FieldAt(e.Field), e.Type), ok
	}
	return term.Place{}, false
}

func (x *interpreter) element(base term.Place, i term.Form) term.Place {
	if base.Typ.Len == 0 { // its words would be taken for those of what follows
		panic(unsupported.Reason("an index of an array without elements"))
	}
	elem, limit := base.Typ.Elem, term.Constant(int64(base.Typ.Len))
	off := 0
	if base.Typ.Kind != step.Array {
		limit, off = x.Read(base), 1
	}
	inside := limit.Constant() && x.Table.Within(i, span.Between(0, limit.K-1))
	if x.Fault == step.NoFault && !inside && (x.LessThan(i, term.Constant(0)) || x.AtMost(limit, i)) {
		x.raise(step.BadIndex)
	}
	if x.Fault != step.NoFault {
		i = term.Constant(0)
	}
	r := x.Reduce(i)
	if r.Constant() && !i.Constant() {
		x.settled = append(x.settled, i)
	}
	if (base.Typ.Kind == step.Set || base.Typ.Kind == step.Bag) && x.Fault == step.NoFault && x.Concrete == nil {
		x.look(base, x.lastChange(base), r)
	}
	return base.Sub(off, elem, r)
}

// words evaluates an expression of any type.
func (x *interpreter) words(e *step.Expr) []term.Form {
	if e.Type.Words() > maxWords {
		panic(unsupported.Reason("a value is too large"))
	}
	if e.Op == step.Const {
		all := make([]term.Form, len(e.Words))
		for i, w := range e.Words {
			all[i] = term.Constant(w)
		}
		if len(all) == 1 && e.Name != "" {
			all[0].Name = e
		}
		return all
	}
	if p, ok := x.place(e); ok {
		x.Oracle.Spend(e.Type.Words() / 4)
		return x.all(p)
	}
	switch e.Op {
	case step.Cond:
		if x.truth(e.Args[0]) {
			return x.words(e.Args[1])
		}
		return x.words(e.Args[2])
	case step.Unwrap:
		v := x.words(e.Args[0])
		if x.Fault == step.NoFault && x.zero(v[0]) {
			x.raise(step.NullValue)
		}
		return v[1:]
	case step.Some:
		return append([]term.Form{term.Constant(1)}, x.stored(e.Type.Elem, e.Args[0])...)
	case step.MakeList:
		all := []term.Form{term.Constant(int64(len(e.Args)))}
		for _, a := range e.Args {
			all = append(all, x.stored(e.Type.Elem, a)...)
		}
		for len(all) < e.Type.Words() {
			all = append(all, term.Constant(0))
		}
		return all
	case step.Make:
		var all []term.Form
		for i, a := range e.Args {
			if e.Type.Kind == step.Array {
				all = append(all, x.stored(e.Type.Elem, a)...)
			} else {
				all = append(all, x.stored(e.Type.Fields[i].Type, a)...)
			}
		}
		return all
	case step.Part: // of a value that is no place
		from := e.Args[0].Type.FieldAt(e.Field)
		return x.words(e.Args[0])[from : from+e.Type.Words()]
	case step.Lookup:
		return x.lookup(e)
	case step.Call:
		return x.call(e)
	case step.Index:
		return x.pick(e)
	case step.Fit, step.Concat, step.Slice, step.Sort, step.Reverse:
		return x.rebuilt(e)
	}
	if e.Op > step.MakeList && e.Op != step.Has {
		panic(unsupported.Reason("an operation is not encoded"))
	}
	return []term.Form{x.Scalar(e)}
}

// pick evaluates an index of a value that is no place.
func (x *interpreter) pick(e *step.Expr) []term.Form {
	list, i := x.words(e.Args[0]), x.Scalar(e.Args[1])
	width := e.Type.Words()
	n := term.Constant(int64(len(list) / width))
	if e.Args[0].Type.Kind != step.Array {
		n, list = list[0], list[1:]
	}
	if x.Fault == step.NoFault && (x.LessThan(i, term.Constant(0)) || x.AtMost(n, i)) {
		x.raise(step.BadIndex)
	}
	for k := 0; x.Fault == step.NoFault && (k+1)*width <= len(list); k++ {
		if x.Equal(i, term.Constant(int64(k))) {
			return list[k*width : (k+1)*width]
		}
	}
	x.raise(step.BadIndex)
	return list[:width]
}

// stored evaluates an expression for storing it as a type: ranges are checked.
func (x *interpreter) stored(as *step.Type, e *step.Expr) []term.Form {
	if !as.Scalar() {
		all := x.words(e)
		for len(all) < as.Words() {
			all = append(all, term.Constant(0))
		}
		return all[:as.Words()]
	}
	v := x.Scalar(e)
	if as.Kind == step.Range && !(e.Type.Kind == step.Range && e.Type.Lo >= as.Lo && e.Type.Hi <= as.Hi) &&
		x.Fault == step.NoFault && !x.Table.Within(v, span.Between(as.Lo, as.Hi)) &&
		(x.LessThan(v, term.Constant(as.Lo)) || x.LessThan(term.Constant(as.Hi), v)) {
		x.raise(step.OutOfRange)
	}
	return []term.Form{v}
}

// Scalar evaluates an expression of one word.
func (x *interpreter) Scalar(e *step.Expr) term.Form {
	if e.Type.Kind == step.Sized && (e.Op >= step.Neg && e.Op <= step.Mod || e.Op == step.Convert) {
		return x.sized(e)
	}
	switch e.Op {
	case step.Const:
		f := term.Constant(e.Words[0])
		if e.Name != "" {
			f.Name = e
		}
		return f
	case step.VarRef, step.Index, step.Part:
		if p, ok := x.place(e); ok {
			return x.Read(p)
		}
		return x.words(e)[0]
	case step.Self:
		if x.Concrete != nil {
			return term.Constant(x.Concrete(x.slot(e.Of), nil, 0))
		}
		return x.Table.Self(x.slot(e.Of), term.SelfSym)
	case step.Me:
		if x.Concrete != nil {
			return term.Constant(x.Concrete(x.slot(e.Of), nil, 1))
		}
		return x.Table.Self(x.slot(e.Of), term.MeSym)
	case step.Unwrap, step.Lookup, step.Call:
		return x.words(e)[0]
	case step.Convert:
		if from := e.Args[0].Type; from.Kind == step.Sized && !(from.Unsigned && from.Bits == 64) {
			return x.Scalar(e.Args[0])
		}
	case step.Cond:
		if x.truth(e.Args[0]) {
			return x.Scalar(e.Args[1])
		}
		return x.Scalar(e.Args[2])
	case step.Size:
		if p, ok := x.place(e.Args[0]); ok {
			return x.Read(term.Place{Slot: p.Slot, V: p.V, Off: p.Off, Idx: p.Idx, Typ: p.Typ})
		}
		return x.words(e.Args[0])[0]
	case step.Present:
		if p, ok := x.place(e.Args[0]); ok {
			return x.Read(p.Sub(0, step.BoolType))
		}
		return x.words(e.Args[0])[0]
	case step.Neg:
		return term.Constant(0).Minus(x.Scalar(e.Args[0]))
	case step.Add:
		if sum, ok := x.total(e); ok {
			return sum
		}
		a := x.Scalar(e.Args[0])
		return a.Plus(1, x.Scalar(e.Args[1]))
	case step.Sub:
		a := x.Scalar(e.Args[0])
		return a.Minus(x.Scalar(e.Args[1]))
	case step.Mul:
		a := x.Scalar(e.Args[0])
		return x.product(a, x.Scalar(e.Args[1]))
	case step.Div, step.Mod:
		a := x.Scalar(e.Args[0])
		return x.quotient(e.Op, a, x.Scalar(e.Args[1]))
	}
	if e.Op > step.MakeList && e.Op != step.Has {
		panic(unsupported.Reason("an operation is not encoded"))
	}
	if x.truth(e) {
		return term.Constant(1)
	}
	return term.Constant(0)
}

// sized evaluates an operation with a value that wraps around.
func (x *interpreter) sized(e *step.Expr) term.Form {
	a := x.Scalar(e.Args[0])
	switch e.Op {
	case step.Convert:
		return x.wrapped(e.Type, a)
	case step.Neg:
		return x.wrapped(e.Type, term.Constant(0).Minus(a))
	}
	b := x.Scalar(e.Args[1])
	switch e.Op {
	case step.Add:
		return x.wrapped(e.Type, a.Plus(1, b))
	case step.Sub:
		return x.wrapped(e.Type, a.Minus(b))
	}
	a, b = x.Reduce(a), x.Reduce(b)
	switch {
	case e.Op == step.Mul && (a.Constant() || b.Constant()):
		return x.wrapped(e.Type, x.product(a, b))
	case e.Op == step.Mul || !b.Constant(): // the solver might work on them for ever
		panic(unsupported.Reason("integers that wrap around are multiplied, or divided, by unknown ones"))
	case e.Type.Unsigned && e.Type.Bits == 64:
		panic(unsupported.Reason("large unsigned integers are not divided"))
	}
	return x.wrapped(e.Type, x.quotient(e.Op, a, b))
}

func (x *interpreter) product(a, b term.Form) term.Form {
	a, b = x.Reduce(a), x.Reduce(b)
	switch {
	case a.Constant():
		return term.Constant(0).Plus(a.K, b)
	case b.Constant():
		return term.Constant(0).Plus(b.K, a)
	}
	sum := term.Form{}
	expand := func(f, g term.Form) term.Form { // single terms, in the order of their symbols
		if f.Terms[0].S > g.Terms[0].S {
			f, g = g, f
		}
		return x.Table.Other(term.Symbol{Kind: term.MulSym, Idx: []term.Form{f, g}, Typ: step.IntType})
	}
	for _, u := range a.Terms {
		for _, v := range b.Terms {
			one := expand(term.One(u.S), term.One(v.S))
			sum = sum.Plus(term.MulSafe(u.C, v.C), one)
		}
	}
	return sum.Plus(b.K, term.Form{Terms: a.Terms}).Plus(a.K, b)
}

func (x *interpreter) quotient(op step.Op, a, b term.Form) term.Form {
	a, b = x.Reduce(a), x.Reduce(b)
	if x.Fault == step.NoFault && !x.Table.Within(b, span.Between(1, math.MaxInt64)) && x.zero(b) {
		x.raise(step.DivideByZero)
	}
	if x.Fault != step.NoFault {
		return term.Constant(0)
	}
	if a.Constant() && b.Constant() && a.K != math.MinInt64 {
		if op == step.Div {
			return term.Constant(a.K / b.K)
		}
		return term.Constant(a.K % b.K)
	}
	kind := term.DivSym
	if op == step.Mod {
		kind = term.ModSym
	}
	a.Name = nil
	return x.Table.Quotient(kind, a, b)
}

// truth evaluates a Bool expression, deciding as many atoms as that takes.
func (x *interpreter) truth(e *step.Expr) bool {
	switch e.Op {
	case step.Not:
		return !x.truth(e.Args[0])
	case step.And:
		return x.truth(e.Args[0]) && x.Fault == step.NoFault && x.truth(e.Args[1])
	case step.Or:
		return x.truth(e.Args[0]) || x.Fault != step.NoFault || x.truth(e.Args[1])
	case step.Eq, step.Ne:
		if !e.Args[0].Type.Scalar() {
			return x.equalWords(x.words(e.Args[0]), x.words(e.Args[1])) == (e.Op == step.Eq)
		}
		return x.compare(e, term.EqRel, false, e.Op == step.Ne)
	case step.Le:
		return x.compare(e, term.LeRel, false, false)
	case step.Gt:
		return x.compare(e, term.LeRel, false, true)
	case step.Ge:
		return x.compare(e, term.LeRel, true, false)
	case step.Lt:
		return x.compare(e, term.LeRel, true, true)
	case step.Has:
		return x.has(e)
	}
	v := x.Scalar(e)
	if x.Fault != step.NoFault {
		return false
	}
	return !x.zero(v)
}

func (x *interpreter) equalWords(a, b []term.Form) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for i := range b {
		u := term.Constant(0)
		if i < len(a) {
			u = a[i]
		}
		if x.Fault != step.NoFault || !x.Equal(u, b[i]) {
			return false
		}
	}
	return true
}

func (x *interpreter) compare(e *step.Expr, rel term.Relation, swap, negate bool) bool {
	if t := e.Args[0].Type; t.Kind == step.Sized && t.Unsigned && t.Bits == 64 && rel == term.LeRel {
		panic(unsupported.Reason("the order of large unsigned integers is not followed"))
	}
	a := x.Scalar(e.Args[0])
	b := x.Scalar(e.Args[1])
	if x.Fault != step.NoFault {
		return false
	}
	if swap {
		a, b = b, a
	}
	f := a.Minus(b)
	if x.Names != nil && !f.Constant() {
		x.remember(f, rel, !e.Has(func(a *step.Expr) bool { return a.Op == step.VarRef && a.Var.Temp }))
		x.rememberBound(a, b)
		x.rememberBound(b, a)
	}
	return x.decide(f, rel) != negate
}

// Compared is the literal that a comparison equals; ok is false if it is none, or the run has decided more than follows
// from facts, or evaluating it fails.
func (x *Run) Compared(e *step.Expr) (l term.Literal, ok bool) {
	x.Own, x.Fault = term.Shared, step.NoFault
	a, b := x.Scalar(e.Args[0]), x.Scalar(e.Args[1])
	rel, negate := term.LeRel, false
	switch e.Op {
	case step.Eq, step.Ne:
		rel, negate = term.EqRel, e.Op == step.Ne
	case step.Ge, step.Lt:
		a, b, negate = b, a, e.Op == step.Lt
	case step.Gt:
		negate = true
	}
	f := a.Minus(b)
	if x.Fault != step.NoFault || len(x.Cube()) > 0 || f.Constant() || rel == term.EqRel && f.NoZero() {
		return l, false
	}
	l = x.Table.Atom(f, rel)
	l.Neg = l.Neg != negate
	return l, true
}

// wrapped is a form as a value of a Sized type.
func (x *interpreter) wrapped(typ *step.Type, f term.Form) term.Form {
	return x.Table.Wrap(typ, x.Reduce(f))
}

// Holds evaluates a constraint in the current store; one that cannot be evaluated does not hold.
func (x *interpreter) Holds(cond *step.Expr, p, q int) bool {
	if cond.Op == step.Const {
		return cond.Words[0] != 0
	}
	x.Own, x.pq, x.Fault = term.Shared, [2]int{p, q}, step.NoFault
	v := x.truth(cond)
	ok := x.Fault == step.NoFault
	x.Fault = step.NoFault
	return v && ok
}

// Sums over all elements of an array, which programs write as xs.sum() or as xs.count(v, v), and lowering writes out.
// An assignment to the element that i means changes the sum by the difference of the values, whichever element that is.
// So a majority among votes takes one comparison before and one after a vote, and not one for each voter.

// total evaluates a sum over an array of which the path need not tell where it has been written; ok is false if e is
// none.
func (x *interpreter) total(e *step.Expr) (sum term.Form, ok bool) {
	xs := step.TotalOf(e)
	if xs == nil {
		return term.Form{}, false
	}
	array, ok := x.place(xs)
	if !ok || array.Slot >= frames || x.Concrete != nil {
		return term.Form{}, false
	}
	if x.seen != nil && array.Slot == term.Shared {
		*x.seen = append(*x.seen, array)
	}
	at := func(i term.Form) term.Place { return array.Sub(0, array.Typ.Elem, i) }
	for i := range array.Typ.Len {
		sum = sum.Plus(1, x.initial(at(term.Constant(int64(i)))))
	}
	m := x.Store.find(at(term.Constant(0)).Key())
	if m == nil {
		return sum, true
	}
	x.Oracle.Spend(len(m.log))
	last := len(array.Idx)
	for k, w := range m.log {
		if !x.sameIndex(w.idx[:last], array.Idx) {
			continue
		}
		before := x.at(m.log[:k], at(w.idx[last]))
		switch {
		case array.Typ.Elem.Kind != step.Bool:
			sum = sum.Plus(1, w.value.Minus(before))
		case x.Equal(before, w.value):
		case x.zero(w.value):
			sum = sum.Minus(term.Constant(1))
		default:
			sum = sum.Plus(1, term.Constant(1))
		}
	}
	return sum, true
}
