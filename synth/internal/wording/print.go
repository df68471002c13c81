// Package wording says what cells know as expressions of the program's language: short, and as a person would have
// written them.
package wording

import (
	"math"
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/term"
)

// A Printer turns literals of a question about a pair into expressions of the program's language: what a person would
// have written.
type Printer struct {
	Table *term.Table
	N     *term.Names // may be nil
}

// pairSlots are what the language calls the processes of questions about pairs.
var pairSlots = []int{step.P, step.Q}

// Names reports whether the language can name everything in a direction.
func (p *Printer) Names(d *term.Direction) bool {
	for _, x := range d.Terms {
		if p.Table.Syms[x.S].Kind != term.MeSym && p.Symbol(x.S) == nil {
			return false
		}
	}
	return true
}

// Literal prints a literal, nil if the language cannot say it.
func (p *Printer) Literal(l term.Literal) *step.Expr {
	d := &p.Table.Dirs[l.Dir]
	if s := &p.Table.Syms[d.Terms[0].S]; len(d.Terms) == 1 && d.Terms[0].C == 1 && s.Kind == term.WordSym {
		if s.Mem.V.Life {
			return p.done(d.Terms[0].S, l)
		}
		switch s.Typ.Kind {
		case step.Bool:
			e := p.Symbol(d.Terms[0].S)
			if e == nil || l.Rel != term.EqRel || l.K < 0 || l.K > 1 {
				return nil
			}
			return expr.When(e, (l.K == 1) != l.Neg)
		case step.Enum:
			e := p.Symbol(d.Terms[0].S)
			if e == nil || l.Rel != term.EqRel || l.K < 0 || int(l.K) >= len(s.Typ.Names) {
				return nil
			}
			member := &step.Expr{Op: step.Const, Type: s.Typ, Of: step.Own, Words: []int64{l.K}, Name: s.Typ.Names[l.K]}
			return expr.When(expr.New(step.Eq, step.BoolType, e, member), !l.Neg)
		case step.Mutex:
			return p.mutex(d.Terms[0].S, l)
		case step.Bag:
			if s.Mem.View == term.Keyed {
				e := p.Symbol(d.Terms[0].S)
				switch { // the language has no number for how often
				case e != nil && l.K == 0:
					return expr.When(e, l.Neg)
				case e != nil && l.K == 1 && s.Hi == 1 && l.Rel == term.EqRel:
					return expr.When(e, !l.Neg)
				}
				return nil
			}
		}
	}
	if e, about := p.sizedLiteral(l); about {
		return e
	}
	if e := p.isProcess(d, l); e != nil {
		return e
	}
	for _, x := range d.Terms {
		s := &p.Table.Syms[x.S]
		if s.Kind == term.WordSym && s.Mem.V.Life {
			return nil
		}
		if s.Kind == term.MeSym || s.Kind == term.WordSym && s.Typ.Kind == step.Mutex {
			return p.held(d, l)
		}
		if s.Kind == term.WordSym && s.Mem.View == term.Keyed && s.Typ.Kind == step.Bag {
			return nil
		}
	}
	if l.Rel == term.LeRel && l.K == d.Lo && p.named(l.Dir, l.K) { // doing[0] == IDLE, where nothing is less
		l.Rel = term.EqRel
	}
	left, right := p.sides(d)
	for _, e := range []*step.Expr{p.one(d, l), filled(left, right, l)} {
		if e != nil {
			return e
		}
	}
	e := p.inOrder(p.comparison(d, l, left, right))
	if quoted := p.quoted(l, e); quoted != nil {
		return quoted
	}
	return e
}

// quoted is a literal as the steps write it, where that says more than e does: with numbers that e has computed, or
// with a variable for one of them. It is nil where not.
func (p *Printer) quoted(l term.Literal, e *step.Expr) *step.Expr {
	q := p.N.Quote(p.Table.Bounded(l))
	if q == nil {
		q = p.N.Quote(l)
	}
	if q == nil || e == nil || e.Has(func(x *step.Expr) bool { return step.TotalOf(x) != nil }) {
		return nil
	}
	switch {
	case computes(q) && (numbered(e) || len(p.Table.Dirs[l.Dir].Terms) > 2):
		return q
	case l.Rel == term.LeRel && numbered(e) && !numbered(q):
		return q
	}
	return nil
}

// computes reports whether an expression has an operation on numbers.
func computes(e *step.Expr) bool {
	return e.Has(func(x *step.Expr) bool { return x.Op >= step.Neg && x.Op <= step.Mod })
}

// numbered reports whether an expression has a number without a name, but for indices.
func numbered(e *step.Expr) bool {
	return e.Op == step.Const && e.Name == "" || e.Op != step.Index && slices.ContainsFunc(e.Args, numbered)
}

// inOrder writes a comparison of two variables the way round in which the steps compare them.
func (p *Printer) inOrder(e *step.Expr) *step.Expr {
	if p.N == nil || e == nil || len(e.Args) != 2 || e.Op < step.Eq || e.Op > step.Ge {
		return e
	}
	a, b := root(e.Args[0]), root(e.Args[1])
	if a == nil || b == nil || !p.N.Order[[2]*step.Var{b, a}] || p.N.Order[[2]*step.Var{a, b}] {
		return e
	}
	mirrored := map[step.Op]step.Op{step.Lt: step.Gt, step.Gt: step.Lt, step.Le: step.Ge, step.Ge: step.Le}
	op, turned := mirrored[e.Op]
	if !turned {
		op = e.Op
	}
	return expr.New(op, e.Type, e.Args[1], e.Args[0])
}

// root is the variable that a place is a part of, nil if an expression is no place.
func root(e *step.Expr) *step.Var {
	for e.Op == step.Index || e.Op == step.Part {
		e = e.Args[0]
	}
	return e.Var
}

// sides are what is added in a direction, and what is taken away; left is nil if the language cannot say it.
func (p *Printer) sides(d *term.Direction) (left, right *step.Expr) {
	sum, rest := p.N.SumIn(d.Terms)
	if sum != nil {
		left = sum
	}
	for _, x := range p.summands(rest) {
		e := unsized(x.expr)
		if e == nil {
			return nil, nil
		}
		c := x.c
		if c < 0 {
			c = -c
		}
		if c != 1 {
			e = expr.New(step.Mul, step.IntType, expr.Number(c), e)
		}
		side := &left
		if x.c < 0 {
			side = &right
		}
		if *side == nil {
			*side = e
		} else {
			*side = expr.New(step.Add, step.IntType, *side, e)
		}
	}
	return left, right
}

// comparison prints left - right == k or left - right <= k, or its negation.
func (p *Printer) comparison(d *term.Direction, l term.Literal, left, right *step.Expr) *step.Expr {
	if left == nil {
		return nil
	}
	if p.N != nil && p.N.Sides[l.Dir] != nil && step.TotalOf(left) == nil {
		left, right = p.N.Sides[l.Dir], nil
	}
	op, k, turned := step.Eq, l.K, false
	// turn == p.self, as programs have it
	if l.Rel == term.EqRel && right != nil && left.Op == step.Self && right.Op != step.Self && right.Type.Numeric() {
		left, right, k, turned = right, left, -k, true
	}
	if left.Type.Kind == step.Bool || left.Type.Kind == step.Enum {
		if l.Rel != term.EqRel || k != 0 || right == nil {
			return nil
		}
		return expr.When(expr.New(step.Eq, step.BoolType, left, right), !l.Neg)
	}
	named := func(v int64) *step.Expr {
		if !p.named(l.Dir, v) || turned {
			return nil
		}
		c := p.constant(l.Dir, v)
		if right != nil {
			return expr.New(step.Add, step.IntType, right, c)
		}
		return c
	}
	if l.Rel == term.EqRel {
		ends := left.Type.Kind != step.Sized && // those of unsigned integers are elsewhere
			!p.N.Picks(p.Table, d.Terms)
		switch {
		case !l.Neg:
		case ends && k == d.Typed.Lo:
			op = step.Gt
		case ends && k == d.Typed.Hi:
			op = step.Lt
		default:
			op = step.Ne
		}
		if c := named(k); c != nil {
			return expr.New(op, step.BoolType, left, c)
		}
	} else {
		within, below := step.Le, step.Lt
		if l.Neg {
			within, below = step.Gt, step.Ge
		}
		switch {
		case named(k) != nil:
			return expr.New(within, step.BoolType, left, named(k))
		case k == math.MaxInt64:
			return nil
		case named(k+1) != nil:
			return expr.New(below, step.BoolType, left, named(k+1))
		case right != nil && k == 0: // until > now, not until >= now + 1
			op = within
		case right != nil && k == -1:
			op, k = below, 0
		case right != nil && p.N.Distance(l.Dir, k) != nil:
			op = within
		case p.below(l) || right != nil && p.N.Distance(l.Dir, k+1) != nil:
			op, k = below, k+1
		default:
			op = within
		}
	}
	left, right = p.besides(l, left, right, k, op == step.Lt || op == step.Ge)
	return expr.New(op, step.BoolType, left, right)
}

// besides puts a number, which a literal may say otherwise, beside what a comparison has on its right; below says that
// it is the one above the greatest, so it is not what is written as a number beside a constant.
func (p *Printer) besides(l term.Literal, left, right *step.Expr, k int64, below bool) (*step.Expr, *step.Expr) {
	near := p.N.Near(l.Dir, k)
	switch {
	case right == nil && near != nil && !below:
		right = near
	case right == nil && p.N != nil && p.N.Values[k] != nil:
		right = p.N.Values[k]
	case right == nil && l.Rel == term.EqRel:
		right = p.N.Times(l.Dir, l.K, k)
	case right == nil:
		right = expr.Number(k)
	case k > 0:
		right = expr.New(step.Add, step.IntType, right, p.N.Times(l.Dir, l.K, k))
	case k < 0 && p.N != nil && p.N.Subtracts:
		right = expr.New(step.Sub, step.IntType, right, p.N.Times(l.Dir, l.K, -k))
	case k < 0:
		left = expr.New(step.Add, step.IntType, left, p.N.Times(l.Dir, l.K, -k))
	}
	return left, right
}

// below reports whether what is at most a number, or not, is written as what is below the next one, or not: as the
// program does, else without negative numbers and without >.
func (p *Printer) below(l term.Literal) bool {
	if p.N != nil {
		if v, known := p.N.Number[term.NameKey{Dir: l.Dir, K: l.K}]; known && (v == l.K || v == l.K+1) {
			return v == l.K+1
		}
	}
	if l.Neg {
		return l.K != 0
	}
	return l.K == -1
}

// isProcess prints that a reference means the process of a step, or not; nil for other comparisons.
func (p *Printer) isProcess(d *term.Direction, l term.Literal) *step.Expr {
	if l.Rel != term.EqRel || len(d.Terms) != 2 || d.Terms[0].C*d.Terms[1].C != -1 || p.N != nil && p.N.Shadowed {
		return nil
	}
	for i, x := range d.Terms {
		s, other := &p.Table.Syms[x.S], d.Terms[1-i]
		if s.Kind != term.SelfSym || s.Mem.Slot >= len(pairSlots) {
			continue
		}
		pool, ref := p.Table.Actors[s.Mem.Slot].Tmpl.Pool, p.Symbol(other.S)
		if pool != nil && ref != nil && ref.Type.Ref != "" && l.K*other.C == int64(pool.First) {
			return expr.When(expr.New(step.Eq, step.BoolType, ref, pool.Reference(p.Symbol(x.S))), !l.Neg)
		}
	}
	return nil
}

// one prints what is known of the number of a process so that few words have to be told apart: that it is a number, or
// that it is not; nil for other comparisons.
func (p *Printer) one(d *term.Direction, l term.Literal) *step.Expr {
	if len(d.Terms) != 1 || p.Table.Syms[d.Terms[0].S].Kind != term.SelfSym || p.Symbol(d.Terms[0].S) == nil {
		return nil
	}
	var in, out []int64
	for v := d.Lo; v <= d.Hi; v++ {
		if (l.Rel == term.EqRel && v == l.K || l.Rel == term.LeRel && v <= l.K) != l.Neg {
			in = append(in, v)
		} else {
			out = append(out, v)
		}
	}
	is := func(op step.Op, v int64) *step.Expr {
		return expr.New(op, step.BoolType, p.Symbol(d.Terms[0].S), expr.Number(v))
	}
	switch {
	case len(in) == 1:
		return is(step.Eq, in[0])
	case len(out) == 1:
		return is(step.Ne, out[0])
	}
	return nil
}

// filled prints that a collection is empty or full, or not; nil for other comparisons.
func filled(size, right *step.Expr, l term.Literal) *step.Expr {
	if right != nil || size == nil || size.Op != step.Size {
		return nil
	}
	full := int64(size.Args[0].Type.Len)
	is := func(k int64, holds bool) *step.Expr {
		return expr.When(expr.New(step.Eq, step.BoolType, size, expr.Number(k)), holds)
	}
	switch {
	case l.Rel == term.EqRel && (l.K == 0 || l.K == full):
		return is(l.K, !l.Neg)
	case l.Rel == term.LeRel && l.K == 0:
		return is(0, !l.Neg)
	case l.Rel == term.LeRel && l.K == full-1:
		return is(full, l.Neg)
	}
	return nil
}

// between prints low && high, the two ends of a range, nil if the language cannot say it: x in 1..3, or x in y..y + 1
// for the difference of two.
func (p *Printer) between(low, high term.Literal) *step.Expr {
	d := &p.Table.Dirs[low.Dir]
	from, to := low.K+1, high.K
	first, last := p.Literal(low), p.Literal(high)
	if x := p.Symbol(d.Terms[0].S); len(d.Terms) == 1 && x != nil && x.Op == step.Size &&
		x.Args[0].Op == step.VarRef && from == 1 && to == int64(x.Args[0].Type.Len)-1 { // neither empty nor full
		return expr.New(step.And, step.BoolType, first, last)
	}
	if first == nil || last == nil || computes(first) || computes(last) ||
		p.named(low.Dir, from-1) || p.named(low.Dir, to+1) ||
		d.Terms[0].C != 1 || len(d.Terms) > 2 || len(d.Terms) == 2 && d.Terms[1].C != -1 {
		return nil
	}
	x, end := p.Symbol(d.Terms[0].S), func(k int64) *step.Expr {
		if p.named(low.Dir, k) {
			return p.constant(low.Dir, k)
		}
		return expr.Number(k)
	}
	if len(d.Terms) == 2 {
		y := p.Symbol(d.Terms[1].S)
		if from < 0 {
			x, y, from, to = y, x, -to, -from
		}
		end = func(k int64) *step.Expr {
			switch {
			case k > 0:
				return expr.New(step.Add, step.IntType, y, expr.Number(k))
			case k < 0:
				return expr.New(step.Sub, step.IntType, y, expr.Number(-k))
			}
			return y
		}
		if !y.Type.Numeric() || y.Type.Kind == step.Sized {
			return nil
		}
	}
	if !x.Type.Numeric() || x.Type.Kind == step.Sized {
		return nil
	}
	return expr.New(step.And, step.BoolType, expr.New(step.Ge, step.BoolType, x, end(from)),
		expr.New(step.Le, step.BoolType, x, end(to)))
}

// named reports whether the program compares a direction with a number by its name. What is below it is said so, too,
// and not as an end of a range.
func (p *Printer) named(dir int, k int64) bool {
	if p.N == nil {
		return false
	}
	return p.constant(dir, k) != nil
}

// constant is the name of a number that the program compares a direction with, or another element of the same array.
func (p *Printer) constant(dir int, k int64) *step.Expr {
	word := func(d *term.Direction) *term.Symbol {
		if s := &p.Table.Syms[d.Terms[0].S]; len(d.Terms) == 1 && s.Kind == term.WordSym && len(s.Idx) > 0 {
			return s
		}
		return nil
	}
	mine := word(&p.Table.Dirs[dir])
	for other := range p.Table.Dirs {
		if c := p.N.Constant[term.NameKey{Dir: other, K: k}]; c == nil || c.Words[0] != k {
			continue
		} else if s := word(&p.Table.Dirs[other]); other == dir || mine != nil && s != nil && s.Mem == mine.Mem {
			return c
		}
	}
	return nil
}

// mutex prints what a mutex is compared with: free, or held by one of the two processes.
func (p *Printer) mutex(s term.SymID, l term.Literal) *step.Expr {
	e := p.Symbol(s)
	if e == nil || l.Rel != term.EqRel {
		return nil
	}
	if l.K == 0 {
		free := &step.Expr{Op: step.Const, Type: step.MutexType, Of: step.Own, Words: []int64{0}}
		held := expr.New(step.Ne, step.BoolType, e, free)
		if l.Neg {
			return held
		}
		return expr.New(step.Not, step.BoolType, held)
	}
	for slot, a := range p.Table.Actors {
		if slot < len(pairSlots) && len(a.Procs) == 1 && int64(a.Procs[0].Index)+1 == l.K {
			me := &step.Expr{Op: step.Me, Type: step.MutexType, Of: pairSlots[slot]}
			return expr.When(expr.New(step.Eq, step.BoolType, e, me), !l.Neg)
		}
	}
	return nil
}

// done prints the question whether a thread or task has come to its end. The language can ask that of a local, or of an
// element of a variable, that stands for one.
func (p *Printer) done(s term.SymID, l term.Literal) *step.Expr {
	e := p.Symbol(s)
	if e == nil {
		return nil
	}
	ended := expr.New(step.Eq, step.BoolType, e, expr.Number(step.EndedLife))
	switch {
	case l.Rel == term.EqRel && l.K == step.EndedLife:
		return expr.When(ended, !l.Neg)
	case l.Rel != term.EqRel && l.K == step.EndedLife-1:
		return expr.When(ended, l.Neg)
	}
	return nil
}

// held prints "the process holds the mutex", the only comparison of a mutex with something that varies.
func (p *Printer) held(d *term.Direction, l term.Literal) *step.Expr {
	if len(d.Terms) != 2 || d.Terms[0].C != 1 || d.Terms[1].C != -1 || l.Rel != term.EqRel || l.K != 0 {
		return nil
	}
	m, me := d.Terms[0].S, d.Terms[1].S
	if p.Table.Syms[m].Kind == term.MeSym {
		m, me = me, m
	}
	if p.Table.Syms[m].Kind != term.WordSym || p.Table.Syms[me].Kind != term.MeSym ||
		p.Table.Syms[me].Mem.Slot >= len(pairSlots) {
		return nil
	}
	e := p.Symbol(m)
	if e == nil {
		return nil
	}
	who := &step.Expr{Op: step.Me, Type: step.MutexType, Of: pairSlots[p.Table.Syms[me].Mem.Slot]}
	return expr.When(expr.New(step.Eq, step.BoolType, e, who), !l.Neg)
}

// Symbol prints a symbol, nil if the language cannot name it.
func (p *Printer) Symbol(id term.SymID) *step.Expr {
	s := &p.Table.Syms[id]
	switch s.Kind {
	case term.SelfSym:
		if s.Mem.Slot >= len(pairSlots) {
			return nil
		}
		return &step.Expr{Op: step.Self, Type: step.IntType, Of: pairSlots[s.Mem.Slot]}
	case term.MeSym, term.ChoiceSym, term.IdentitySym, term.LeftSym:
		return nil
	case term.WrapSym:
		return p.sized(s.Typ, s.Idx[0])
	case term.MulSym, term.DivSym, term.ModSym:
		a, b := unsized(p.form(s.Idx[0])), unsized(p.form(s.Idx[1]))
		if a == nil || b == nil {
			return nil
		}
		op := map[term.SymKind]step.Op{term.MulSym: step.Mul, term.DivSym: step.Div, term.ModSym: step.Mod}
		return expr.New(op[s.Kind], step.IntType, a, b)
	}
	return p.word(s)
}

// word prints a word of the state, nil if the language cannot name it.
func (p *Printer) word(s *term.Symbol) *step.Expr {
	v := s.Mem.V
	switch {
	case v.Life: // see done
		who := (*step.Expr)(nil)
		if f := s.Idx[0]; len(f.Terms) == 1 && f.Terms[0].C == 1 && f.K == 0 {
			who = p.Symbol(f.Terms[0].S)
		}
		if who == nil || who.Type.Ref == "" {
			return nil
		}
		return expr.New(step.Index, v.Type.Elem, &step.Expr{Op: step.VarRef, Type: v.Type, Of: step.Own, Var: v}, who)
	case v.Shared && v.Temp: // programs cannot name it
		return nil
	}
	of := step.Own
	if s.Mem.Slot != term.Shared {
		if s.Mem.Slot >= len(pairSlots) {
			return nil
		}
		of = pairSlots[s.Mem.Slot]
	}
	e := &step.Expr{Op: step.VarRef, Type: v.Type, Of: of, Var: v}
	off, idx := s.Mem.Off, s.Idx
	for {
		switch e.Type.Kind {
		case step.Array:
			i := p.form(idx[0])
			if i == nil {
				return nil
			}
			e, idx = expr.New(step.Index, e.Type.Elem, e, i), idx[1:]
		case step.Record:
			f := term.FieldWith(e.Type, off)
			off -= e.Type.FieldAt(f)
			e = expr.New(step.Part, e.Type.Fields[f].Type, e)
			e.Field = f
		case step.List, step.Queue, step.Set, step.Bag, step.Map:
			if len(idx) == 0 {
				return expr.New(step.Size, step.IntType, e)
			}
			if s.Mem.View == term.Keyed {
				k := p.key(e.Type.Key(), idx)
				switch {
				case k == nil:
					return nil
				case off == 0:
					return expr.New(step.Has, step.BoolType, e, k)
				}
				e, idx, off = expr.New(step.Lookup, e.Type.Elem.Fields[1].Type, e, k), nil, off-1-len(idx)
				continue
			}
			i := p.form(idx[0])
			if i == nil {
				return nil
			}
			e, idx, off = expr.New(step.Index, e.Type.Elem, e, i), idx[1:], off-1
		case step.Option:
			if off == 0 && len(idx) == 0 {
				return expr.New(step.Present, step.BoolType, e)
			}
			e, off = expr.New(step.Unwrap, e.Type.Elem, e), off-1
		default:
			return e
		}
	}
}

// key prints the key of an element, nil if the language cannot say it.
func (p *Printer) key(typ *step.Type, idx []term.Form) *step.Expr {
	if typ.Kind == step.Record {
		var parts []*step.Expr
		for i, f := range typ.Fields {
			from := typ.FieldAt(i)
			part := p.key(f.Type, idx[from:from+f.Type.Words()])
			if part == nil {
				return nil
			}
			parts = append(parts, part)
		}
		if whole := wholeOf(typ, parts); whole != nil {
			return whole
		}
		return expr.New(step.Make, typ, parts...)
	}
	f := idx[0]
	switch {
	case !typ.Scalar():
		return nil
	case typ.Numeric():
		return p.form(f)
	case f.Constant() && typ.Kind == step.Enum:
		if f.K < 0 || int(f.K) >= len(typ.Names) {
			return nil
		}
		return &step.Expr{Op: step.Const, Type: typ, Of: step.Own, Words: []int64{f.K}, Name: typ.Names[f.K]}
	case f.Constant() && typ.Kind == step.Bool:
		return constraints.Truth(f.K == 1)
	case len(f.Terms) == 1 && f.Terms[0].C == 1 && f.K == 0:
		if e := p.Symbol(f.Terms[0].S); e != nil && e.Type.Kind == typ.Kind {
			return e
		}
	}
	return nil
}

// wholeOf is the record that some expressions are the fields of, nil if there is none.
func wholeOf(typ *step.Type, fields []*step.Expr) *step.Expr {
	for i, f := range fields {
		if f.Op != step.Part || f.Field != i || f.Args[0].Type != typ || !step.Equal(f.Args[0], fields[0].Args[0]) {
			return nil
		}
	}
	return fields[0].Args[0]
}

// form prints a sum.
func (p *Printer) form(f term.Form) *step.Expr {
	if f.Constant() && f.Name != nil && f.Name.Words[0] == f.K {
		return f.Name
	}
	var sum *step.Expr
	if len(f.Terms) > 0 && f.Terms[0].C < 0 && f.K > 0 { // 1 - x, not -x + 1
		sum, f.K = expr.Number(f.K), 0
	}
	for _, x := range p.summands(f.Terms) {
		e := x.expr
		if len(f.Terms) > 1 || x.c != 1 || f.K != 0 {
			e = unsized(e)
		}
		if e == nil || !e.Type.Numeric() && e.Type.Kind != step.Sized {
			return nil
		}
		c, op := x.c, step.Add
		if c < 0 {
			c, op = -c, step.Sub
		}
		if c != 1 {
			e = expr.New(step.Mul, step.IntType, expr.Number(c), e)
		}
		switch {
		case sum != nil:
			sum = expr.New(op, step.IntType, sum, e)
		case op == step.Sub:
			sum = expr.New(step.Neg, step.IntType, e)
		default:
			sum = e
		}
	}
	switch {
	case sum == nil:
		return expr.Number(f.K)
	case f.K > 0:
		return expr.New(step.Add, step.IntType, sum, expr.Number(f.K))
	case f.K < 0:
		return expr.New(step.Sub, step.IntType, sum, expr.Number(-f.K))
	}
	return sum
}

// A summand is a part of a sum: a number, times c.
type summand struct {
	expr *step.Expr // nil if the language cannot name it
	c    int64
}

// summands lists the parts of a sum as people read them: all elements of an array as one. Flags count as 0 or 1, unless
// only two of them are compared with each other.
func (p *Printer) summands(terms []term.Term) []summand {
	list := make([]summand, len(terms))
	for i, x := range terms {
		list[i] = summand{p.Symbol(x.S), x.C}
	}
	if len(terms) < 2 {
		return list
	}
	for i := 0; i < len(list); i++ {
		e := list[i].expr
		if e == nil || e.Op != step.Index || e.Args[0].Type.Kind != step.Array ||
			e.Type.Kind == step.Sized || !e.Type.Numeric() && e.Type.Kind != step.Bool {
			continue
		}
		array, all := e.Args[0], []int{}
		for k := range array.Type.Len {
			j := slices.IndexFunc(list, func(a summand) bool {
				return a.expr != nil && a.c == list[i].c && a.expr.Op == step.Index &&
					a.expr.Args[1].Number(int64(k)) &&
					step.Equal(a.expr.Args[0], array)
			})
			if j < 0 {
				break
			}
			all = append(all, j)
		}
		if len(all) < max(2, array.Type.Len) {
			continue
		}
		list[i].expr = step.Total(array)
		slices.Sort(all)
		for _, j := range slices.Backward(all) {
			if j != i {
				list = slices.Delete(list, j, j+1)
			}
		}
	}
	numeric := func(a summand) bool { return a.expr == nil || a.expr.Type.Numeric() }
	if len(list) == 2 && list[0].c*list[1].c < 0 && !slices.ContainsFunc(list, numeric) {
		return list
	}
	for i := range list {
		if e := list[i].expr; e != nil && e.Type.Kind == step.Bool {
			list[i].expr = expr.New(step.Cond, step.IntType, e, expr.Number(1), expr.Number(0))
		}
	}
	return list
}
