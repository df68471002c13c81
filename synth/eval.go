package synth

import (
	"math"

	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/unsupported"
)

// A run executes steps symbolically on one path. Like the machine it mirrors, it keeps the first fault of a node and
// goes on with arbitrary values until somebody looks.
type run struct {
	*path
	st       *store
	own      int    // slot that Own means
	pq       [2]int // slots that P and Q mean
	fault    step.Fault
	calls    int                                         // of functions, inside each other
	concrete func(slot int, v *step.Var, word int) int64 // the initial state, when it is a known one
	names    *names
	seen     *[]place      // what is read, if somebody wants to know
	started  []processName // of processes that have been started, in any order of the steps
}

// names remembers how the program writes the numbers and comparisons that questions ask about.
type names struct {
	constant map[nameKey]*step.Expr // direction and value -> named constant
	number   map[nameKey]int64      // comparisons of the program text, with the number they are written with
	// direction and value of an equation -> named constant that the value is a multiple of
	multiple map[nameKey]*step.Expr
}

func newNames() *names {
	return &names{constant: map[nameKey]*step.Expr{}, number: map[nameKey]int64{}, multiple: map[nameKey]*step.Expr{}}
}

// writes tells whether the program compares a direction with a number; names may be nil.
func (n *names) writes(dir int, k int64) bool {
	if n == nil {
		return false
	}
	_, written := n.number[nameKey{dir, k}]
	return written
}

type nameKey struct {
	dir int
	k   int64
}

func (x *run) slot(of int) int {
	switch of {
	case step.Own:
		return x.own
	case step.P:
		return x.pq[0]
	case step.Q:
		return x.pq[1]
	}
	panic(unsupported.Reason("the expression means a process by number"))
}

func (x *run) raise(f step.Fault) {
	if x.fault == step.NoFault {
		x.fault = f
	}
}

// place finds the place an expression means; ok is false if it is none.
func (x *run) place(e *step.Expr) (p place, ok bool) {
	switch e.Op {
	case step.VarRef:
		if e.Var.Shared {
			return place{slot: shared, v: e.Var, typ: e.Var.Type}, true
		}
		return place{slot: x.slot(e.Of), v: e.Var, typ: e.Var.Type}, true
	case step.Index:
		base, ok := x.place(e.Args[0])
		if !ok {
			return base, false
		}
		return x.element(base, x.scalar(e.Args[1])), true
	case step.Part:
		base, ok := x.place(e.Args[0])
		return base.sub(e.Args[0].Type.FieldAt(e.Field), e.Type), ok
	}
	return place{}, false
}

func (x *run) element(base place, i form) place {
	if base.typ.Len == 0 { // its words would be taken for those of what follows
		panic(unsupported.Reason("an index of an array without elements"))
	}
	elem, limit := base.typ.Elem, constant(int64(base.typ.Len))
	off := 0
	if base.typ.Kind != step.Array {
		limit, off = x.read(base), 1
	}
	inside := limit.constant() && x.t.within(i, span.Between(0, limit.k-1))
	if x.fault == step.NoFault && !inside && (x.lessThan(i, constant(0)) || x.atMost(limit, i)) {
		x.raise(step.BadIndex)
	}
	if x.fault != step.NoFault {
		i = constant(0)
	}
	r := x.reduce(i)
	if r.constant() && !i.constant() {
		x.settled = append(x.settled, i)
	}
	return base.sub(off, elem, r)
}

// words evaluates an expression of any type.
func (x *run) words(e *step.Expr) []form {
	if e.Type.Words() > maxWords {
		panic(unsupported.Reason("a value is too large"))
	}
	if e.Op == step.Const {
		all := make([]form, len(e.Words))
		for i, w := range e.Words {
			all[i] = constant(w)
		}
		if len(all) == 1 && e.Name != "" {
			all[0].name = e
		}
		return all
	}
	if p, ok := x.place(e); ok {
		var all []form
		x.o.spend(e.Type.Words() / 4)
		p.wordsOf(func(w place) { all = append(all, x.read(w)) })
		return all
	}
	switch e.Op {
	case step.Cond:
		if x.truth(e.Args[0]) {
			return x.words(e.Args[1])
		}
		return x.words(e.Args[2])
	case step.Unwrap:
		v := x.words(e.Args[0])
		if x.fault == step.NoFault && x.zero(v[0]) {
			x.raise(step.NullValue)
		}
		return v[1:]
	case step.Some:
		return append([]form{constant(1)}, x.stored(e.Type.Elem, e.Args[0])...)
	case step.MakeList:
		all := []form{constant(int64(len(e.Args)))}
		for _, a := range e.Args {
			all = append(all, x.stored(e.Type.Elem, a)...)
		}
		for len(all) < e.Type.Words() {
			all = append(all, constant(0))
		}
		return all
	case step.Make:
		var all []form
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
	case step.Index: // of a value that is no place
		list, i := x.words(e.Args[0]), x.scalar(e.Args[1])
		width := e.Type.Words()
		n := constant(int64(len(list) / width))
		if e.Args[0].Type.Kind != step.Array {
			n, list = list[0], list[1:]
		}
		if x.fault == step.NoFault && (x.lessThan(i, constant(0)) || x.atMost(n, i)) {
			x.raise(step.BadIndex)
		}
		for k := 0; x.fault == step.NoFault && (k+1)*width <= len(list); k++ {
			if x.equal(i, constant(int64(k))) {
				return list[k*width : (k+1)*width]
			}
		}
		x.raise(step.BadIndex)
		return list[:width]
	}
	if e.Op > step.MakeList && e.Op != step.Has {
		panic(unsupported.Reason("an operation is not encoded"))
	}
	return []form{x.scalar(e)}
}

// stored evaluates an expression for storing it as a type: ranges are checked.
func (x *run) stored(as *step.Type, e *step.Expr) []form {
	if !as.Scalar() {
		all := x.words(e)
		for len(all) < as.Words() {
			all = append(all, constant(0))
		}
		return all[:as.Words()]
	}
	v := x.scalar(e)
	if as.Kind == step.Range && !(e.Type.Kind == step.Range && e.Type.Lo >= as.Lo && e.Type.Hi <= as.Hi) &&
		x.fault == step.NoFault && !x.t.within(v, span.Between(as.Lo, as.Hi)) &&
		(x.lessThan(v, constant(as.Lo)) || x.lessThan(constant(as.Hi), v)) {
		x.raise(step.OutOfRange)
	}
	return []form{v}
}

// scalar evaluates an expression of one word.
func (x *run) scalar(e *step.Expr) form {
	if e.Type.Kind == step.Sized && (e.Op >= step.Neg && e.Op <= step.Mod || e.Op == step.Convert) {
		return x.sized(e)
	}
	switch e.Op {
	case step.Const:
		f := constant(e.Words[0])
		if e.Name != "" {
			f.name = e
		}
		return f
	case step.VarRef, step.Index, step.Part:
		if p, ok := x.place(e); ok {
			return x.read(p)
		}
		return x.words(e)[0]
	case step.Self:
		if x.concrete != nil {
			return constant(x.concrete(x.slot(e.Of), nil, 0))
		}
		return x.t.self(x.slot(e.Of), selfSym)
	case step.Me:
		if x.concrete != nil {
			return constant(x.concrete(x.slot(e.Of), nil, 1))
		}
		return x.t.self(x.slot(e.Of), meSym)
	case step.Unwrap, step.Lookup, step.Call:
		return x.words(e)[0]
	case step.Convert:
		if from := e.Args[0].Type; from.Kind == step.Sized && !(from.Unsigned && from.Bits == 64) {
			return x.scalar(e.Args[0])
		}
	case step.Cond:
		if x.truth(e.Args[0]) {
			return x.scalar(e.Args[1])
		}
		return x.scalar(e.Args[2])
	case step.Size:
		if p, ok := x.place(e.Args[0]); ok {
			return x.read(place{slot: p.slot, v: p.v, off: p.off, idx: p.idx, typ: p.typ})
		}
		return x.words(e.Args[0])[0]
	case step.Present:
		if p, ok := x.place(e.Args[0]); ok {
			return x.read(p.sub(0, step.BoolType))
		}
		return x.words(e.Args[0])[0]
	case step.Neg:
		return constant(0).minus(x.scalar(e.Args[0]))
	case step.Add:
		if sum, ok := x.total(e); ok {
			return sum
		}
		a := x.scalar(e.Args[0])
		return a.plus(1, x.scalar(e.Args[1]))
	case step.Sub:
		a := x.scalar(e.Args[0])
		return a.minus(x.scalar(e.Args[1]))
	case step.Mul:
		a := x.scalar(e.Args[0])
		return x.product(a, x.scalar(e.Args[1]))
	case step.Div, step.Mod:
		a := x.scalar(e.Args[0])
		return x.quotient(e.Op, a, x.scalar(e.Args[1]))
	}
	if e.Op > step.MakeList && e.Op != step.Has {
		panic(unsupported.Reason("an operation is not encoded"))
	}
	if x.truth(e) {
		return constant(1)
	}
	return constant(0)
}

// sized evaluates an operation with a value that wraps around.
func (x *run) sized(e *step.Expr) form {
	a := x.scalar(e.Args[0])
	switch e.Op {
	case step.Convert:
		return x.wrapped(e.Type, a)
	case step.Neg:
		return x.wrapped(e.Type, constant(0).minus(a))
	}
	b := x.scalar(e.Args[1])
	switch e.Op {
	case step.Add:
		return x.wrapped(e.Type, a.plus(1, b))
	case step.Sub:
		return x.wrapped(e.Type, a.minus(b))
	}
	a, b = x.reduce(a), x.reduce(b)
	switch {
	case e.Op == step.Mul && (a.constant() || b.constant()):
		return x.wrapped(e.Type, x.product(a, b))
	case e.Op == step.Mul || !b.constant(): // the solver might work on them for ever
		panic(unsupported.Reason("integers that wrap around are multiplied, or divided, by unknown ones"))
	case e.Type.Unsigned && e.Type.Bits == 64:
		panic(unsupported.Reason("large unsigned integers are not divided"))
	}
	return x.wrapped(e.Type, x.quotient(e.Op, a, b))
}

func (x *run) product(a, b form) form {
	a, b = x.reduce(a), x.reduce(b)
	switch {
	case a.constant():
		return constant(0).plus(a.k, b)
	case b.constant():
		return constant(0).plus(b.k, a)
	}
	sum := form{}
	expand := func(f, g form) form { // single terms, in the order of their symbols
		if f.terms[0].s > g.terms[0].s {
			f, g = g, f
		}
		return x.t.other(symbol{kind: mulSym, idx: []form{f, g}, typ: step.IntType})
	}
	for _, u := range a.terms {
		for _, v := range b.terms {
			one := expand(one(u.s), one(v.s))
			sum = sum.plus(mulSafe(u.c, v.c), one)
		}
	}
	return sum.plus(b.k, form{terms: a.terms}).plus(a.k, b)
}

func (x *run) quotient(op step.Op, a, b form) form {
	a, b = x.reduce(a), x.reduce(b)
	if x.fault == step.NoFault && !x.t.within(b, span.Between(1, math.MaxInt64)) && x.zero(b) {
		x.raise(step.DivideByZero)
	}
	if x.fault != step.NoFault {
		return constant(0)
	}
	if a.constant() && b.constant() && a.k != math.MinInt64 {
		if op == step.Div {
			return constant(a.k / b.k)
		}
		return constant(a.k % b.k)
	}
	kind := divSym
	if op == step.Mod {
		kind = modSym
	}
	a.name, b.name = nil, nil
	return x.t.quotient(kind, a, b)
}

// quotient is the truncated quotient of two forms or its remainder. Both are odd functions of a, so the first
// coefficient of what is divided is made positive. A remainder by a number is nearer to zero than that: dividing it by
// the same number or a larger one leaves it as it is.
func (t *table) quotient(kind symKind, a, b form) form {
	if len(a.terms) > 0 && a.terms[0].c < 0 {
		return constant(0).minus(t.quotient(kind, constant(0).minus(a), b))
	}
	if len(a.terms) == 1 && a.k == 0 && a.terms[0].c == 1 && b.constant() && b.k > 0 {
		if s := &t.syms[a.terms[0].s]; s.kind == modSym && s.idx[1].constant() && s.idx[1].k > 0 && s.idx[1].k <= b.k {
			if kind == divSym {
				return constant(0)
			}
			return a
		}
	}
	return t.other(symbol{kind: kind, idx: []form{a, b}, typ: step.IntType})
}

// truth evaluates a Bool expression, deciding as many atoms as that takes.
func (x *run) truth(e *step.Expr) bool {
	switch e.Op {
	case step.Not:
		return !x.truth(e.Args[0])
	case step.And:
		return x.truth(e.Args[0]) && x.fault == step.NoFault && x.truth(e.Args[1])
	case step.Or:
		return x.truth(e.Args[0]) || x.fault != step.NoFault || x.truth(e.Args[1])
	case step.Eq, step.Ne:
		if !e.Args[0].Type.Scalar() {
			return x.equalWords(x.words(e.Args[0]), x.words(e.Args[1])) == (e.Op == step.Eq)
		}
		return x.compare(e, eqRel, false, e.Op == step.Ne)
	case step.Le:
		return x.compare(e, leRel, false, false)
	case step.Gt:
		return x.compare(e, leRel, false, true)
	case step.Ge:
		return x.compare(e, leRel, true, false)
	case step.Lt:
		return x.compare(e, leRel, true, true)
	case step.Has:
		return x.has(e)
	}
	v := x.scalar(e)
	if x.fault != step.NoFault {
		return false
	}
	return !x.zero(v)
}

func (x *run) equalWords(a, b []form) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for i := range b {
		u := constant(0)
		if i < len(a) {
			u = a[i]
		}
		if x.fault != step.NoFault || !x.equal(u, b[i]) {
			return false
		}
	}
	return true
}

func (x *run) compare(e *step.Expr, rel relation, swap, negate bool) bool {
	if t := e.Args[0].Type; t.Kind == step.Sized && t.Unsigned && t.Bits == 64 && rel == leRel {
		panic(unsupported.Reason("the order of large unsigned integers is not followed"))
	}
	a := x.scalar(e.Args[0])
	b := x.scalar(e.Args[1])
	if x.fault != step.NoFault {
		return false
	}
	if swap {
		a, b = b, a
	}
	f := a.minus(b)
	if x.names != nil && !f.constant() {
		x.remember(f, rel)
	}
	return x.decide(f, rel) != negate
}

// rememberDistance notes the named constant in the difference of what two orders lead to, as in x == y + AMOUNT.
func (x *run) rememberDistance(f form) {
	if x.names == nil || f.constant() || f.name == nil || !f.name.Type.Numeric() || f.name.Words[0] == 0 {
		return
	}
	if _, none := x.impossible(f, eqRel); none {
		return
	}
	if l := x.t.atom(f, eqRel); l.k != 0 && l.k%f.name.Words[0] == 0 {
		x.names.multiple[nameKey{l.dir, l.k}] = f.name
	}
}

// times is a number as a multiple of a named constant, if that is what an equation with it comes from.
func (n *names) times(dir int, k, distance int64) *step.Expr {
	if n == nil || n.multiple[nameKey{dir, k}] == nil {
		return expr.Number(distance)
	}
	c := n.multiple[nameKey{dir, k}]
	if factor := distance / c.Words[0]; factor != 1 {
		return expr.New(step.Mul, step.IntType, expr.Number(factor), c)
	}
	return c
}

// remember notes a comparison of the program and the named constant in it.
func (x *run) remember(f form, rel relation) {
	if _, none := x.impossible(f, rel); none {
		return
	}
	l := x.t.atom(f, rel)
	if key := (nameKey{l.dir, l.k}); !x.names.writes(l.dir, l.k) {
		_, factor := x.t.direction(f.terms)
		x.names.number[key] = -f.k / factor
	}
	if f.name == nil || f.name.Type.Kind == step.Bool || f.name.Type.Kind == step.Enum {
		return
	}
	if v := f.name.Words[0]; v == l.k || v == l.k+1 {
		x.names.constant[nameKey{l.dir, v}] = f.name
	}
}
