package synth

import (
	"math"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
)

func truth(v bool) *step.Expr { return constraints.Truth(v) }

// A printer turns literals into expressions of the program's language: what a person would have written.
type printer struct{ of []int } // slot -> step.P or step.Q

// pairSlots are the processes of questions about pairs.
var pairSlots = []int{step.P, step.Q}

// names tells whether the language can name everything in a direction.
func (p *printer) names(t *table, d *direction) bool {
	for _, x := range d.terms {
		if t.syms[x.s].kind != meSym && p.symbol(t, x.s) == nil {
			return false
		}
	}
	return true
}

// literal prints a literal, nil if the language cannot say it.
func (p *printer) literal(t *table, l literal, n *names) *step.Expr {
	d := &t.dirs[l.dir]
	if s := &t.syms[d.terms[0].s]; len(d.terms) == 1 && d.terms[0].c == 1 && s.kind == wordSym {
		if s.mem.v.Life {
			return p.done(t, d.terms[0].s, l)
		}
		switch s.typ.Kind {
		case step.Bool:
			e := p.symbol(t, d.terms[0].s)
			if e == nil || l.rel != eqRel || l.k < 0 || l.k > 1 {
				return nil
			}
			return expr.When(e, (l.k == 1) != l.neg)
		case step.Enum:
			e := p.symbol(t, d.terms[0].s)
			if e == nil || l.rel != eqRel || l.k < 0 || int(l.k) >= len(s.typ.Names) {
				return nil
			}
			member := &step.Expr{Op: step.Const, Type: s.typ, Of: step.Own, Words: []int64{l.k}, Name: s.typ.Names[l.k]}
			return expr.When(expr.New(step.Eq, step.BoolType, e, member), !l.neg)
		case step.Mutex:
			return p.mutex(t, d.terms[0].s, l)
		case step.Bag:
			if s.mem.view == keyed {
				e := p.symbol(t, d.terms[0].s)
				switch { // the language has no number for how often
				case e != nil && l.k == 0:
					return expr.When(e, l.neg)
				case e != nil && l.k == 1 && s.hi == 1 && l.rel == eqRel:
					return expr.When(e, !l.neg)
				}
				return nil
			}
		}
	}
	if e, about := p.sizedLiteral(t, l, n); about {
		return e
	}
	for _, x := range d.terms {
		s := &t.syms[x.s]
		if s.kind == wordSym && s.mem.v.Life {
			return nil
		}
		if s.kind == meSym || s.kind == wordSym && s.typ.Kind == step.Mutex {
			return p.held(t, d, l)
		}
		if s.kind == wordSym && s.mem.view == keyed && s.typ.Kind == step.Bag {
			return nil
		}
	}
	var left, right *step.Expr
	for _, x := range p.summands(t, d.terms) {
		e := unsized(x.expr)
		if e == nil {
			return nil
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
	return p.comparison(d, l, n, left, right)
}

// comparison prints left - right == k or left - right <= k, or its negation.
func (p *printer) comparison(d *direction, l literal, n *names, left, right *step.Expr) *step.Expr {
	op, k := step.Eq, l.k
	// turn == p.self, as programs have it
	if l.rel == eqRel && right != nil && left.Op == step.Self && right.Op != step.Self && right.Type.Numeric() {
		left, right, k = right, left, -k
	}
	if left.Type.Kind == step.Bool || left.Type.Kind == step.Enum {
		if l.rel != eqRel || k != 0 || right == nil {
			return nil
		}
		return expr.When(expr.New(step.Eq, step.BoolType, left, right), !l.neg)
	}
	named := func(v int64) *step.Expr {
		if n == nil || right != nil {
			return nil
		}
		if c := n.constant[nameKey{l.dir, v}]; c != nil && c.Words[0] == v {
			return c
		}
		return nil
	}
	if l.rel == eqRel {
		switch {
		case !l.neg:
		case k == d.typed.Lo:
			op = step.Gt
		case k == d.typed.Hi:
			op = step.Lt
		default:
			op = step.Ne
		}
		if c := named(k); c != nil {
			return expr.New(op, step.BoolType, left, c)
		}
	} else {
		v, known := int64(0), false
		if n != nil {
			v, known = n.number[nameKey{l.dir, l.k}]
		}
		op = step.Le
		if l.neg {
			op = step.Gt
		}
		switch {
		case named(k) != nil:
			return expr.New(op, step.BoolType, left, named(k))
		case k == math.MaxInt64:
			return nil
		case named(k+1) != nil:
			strict := step.Lt
			if l.neg {
				strict = step.Ge
			}
			return expr.New(strict, step.BoolType, left, named(k+1))
		case known && v == k+1 && !l.neg:
			op, k = step.Lt, v
		case known && v == k+1:
			op, k = step.Ge, v
		case known && v == k:
		case k == -1 && !l.neg:
			op, k = step.Lt, 0
		case k == 0 && l.neg:
		case l.neg:
			op, k = step.Ge, k+1
		}
	}
	switch {
	case right == nil && l.rel == eqRel:
		right = n.times(l.dir, l.k, k)
	case right == nil:
		right = expr.Number(k)
	case k > 0:
		right = expr.New(step.Add, step.IntType, right, n.times(l.dir, l.k, k))
	case k < 0:
		left = expr.New(step.Add, step.IntType, left, n.times(l.dir, l.k, -k))
	}
	return expr.New(op, step.BoolType, left, right)
}

// between prints low && high, the two ends of a range, nil if the language cannot say it: x in 1..3, or x in y..y + 1
// for the difference of two.
func (p *printer) between(t *table, low, high literal, n *names) *step.Expr {
	d := &t.dirs[low.dir]
	from, to := low.k+1, high.k
	first, last := p.literal(t, low, n), p.literal(t, high, n)
	if first == nil || last == nil || named(first, from) || named(last, to) ||
		d.terms[0].c != 1 || len(d.terms) > 2 || len(d.terms) == 2 && d.terms[1].c != -1 {
		return nil
	}
	x, end := p.symbol(t, d.terms[0].s), func(k int64) *step.Expr {
		if n != nil {
			if c := n.constant[nameKey{low.dir, k}]; c != nil && c.Words[0] == k {
				return c
			}
		}
		return expr.Number(k)
	}
	if len(d.terms) == 2 {
		y := p.symbol(t, d.terms[1].s)
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

// named tells whether a comparison is with a named constant that an end of a range would not be.
func named(e *step.Expr, end int64) bool {
	k := e.Args[len(e.Args)-1]
	return k.Op == step.Const && k.Name != "" && k.Words[0] != end
}

// mutex prints what a mutex is compared with: free, or held by one of the two processes.
func (p *printer) mutex(t *table, s symID, l literal) *step.Expr {
	e := p.symbol(t, s)
	if e == nil || l.rel != eqRel {
		return nil
	}
	if l.k == 0 {
		free := &step.Expr{Op: step.Const, Type: step.MutexType, Of: step.Own, Words: []int64{0}}
		held := expr.New(step.Ne, step.BoolType, e, free)
		if l.neg {
			return held
		}
		return expr.New(step.Not, step.BoolType, held)
	}
	for slot, a := range t.actors {
		if slot < len(p.of) && len(a.procs) == 1 && int64(a.procs[0].Index)+1 == l.k {
			me := &step.Expr{Op: step.Me, Type: step.MutexType, Of: p.of[slot]}
			return expr.When(expr.New(step.Eq, step.BoolType, e, me), !l.neg)
		}
	}
	return nil
}

// done prints the question whether a thread or task has come to its end. The language can ask that of a local, or of an
// element of a variable, that stands for one.
func (p *printer) done(t *table, s symID, l literal) *step.Expr {
	e := p.symbol(t, s)
	if e == nil {
		return nil
	}
	ended := expr.New(step.Eq, step.BoolType, e, expr.Number(step.EndedLife))
	switch {
	case l.rel == eqRel && l.k == step.EndedLife:
		return expr.When(ended, !l.neg)
	case l.rel != eqRel && l.k == step.EndedLife-1:
		return expr.When(ended, l.neg)
	}
	return nil
}

// held prints "the process holds the mutex", the only comparison of a mutex with something that varies.
func (p *printer) held(t *table, d *direction, l literal) *step.Expr {
	if len(d.terms) != 2 || d.terms[0].c != 1 || d.terms[1].c != -1 || l.rel != eqRel || l.k != 0 {
		return nil
	}
	m, me := d.terms[0].s, d.terms[1].s
	if t.syms[m].kind == meSym {
		m, me = me, m
	}
	if t.syms[m].kind != wordSym || t.syms[me].kind != meSym || t.syms[me].mem.slot >= len(p.of) {
		return nil
	}
	e := p.symbol(t, m)
	if e == nil {
		return nil
	}
	who := &step.Expr{Op: step.Me, Type: step.MutexType, Of: p.of[t.syms[me].mem.slot]}
	return expr.When(expr.New(step.Eq, step.BoolType, e, who), !l.neg)
}

// symbol prints a symbol, nil if the language cannot name it.
func (p *printer) symbol(t *table, id symID) *step.Expr {
	s := &t.syms[id]
	switch s.kind {
	case selfSym:
		if s.mem.slot >= len(p.of) {
			return nil
		}
		return &step.Expr{Op: step.Self, Type: step.IntType, Of: p.of[s.mem.slot]}
	case meSym, choiceSym, identitySym, leftSym:
		return nil
	case wrapSym:
		return p.sized(t, s.typ, s.idx[0])
	case mulSym, divSym, modSym:
		a, b := unsized(p.form(t, s.idx[0])), unsized(p.form(t, s.idx[1]))
		if a == nil || b == nil {
			return nil
		}
		return expr.New(map[symKind]step.Op{mulSym: step.Mul, divSym: step.Div, modSym: step.Mod}[s.kind],
			step.IntType, a, b)
	}
	v := s.mem.v
	switch {
	case v.Life: // see done
		who := (*step.Expr)(nil)
		if f := s.idx[0]; len(f.terms) == 1 && f.terms[0].c == 1 && f.k == 0 {
			who = p.symbol(t, f.terms[0].s)
		}
		if who == nil || who.Type.Ref == "" {
			return nil
		}
		return expr.New(step.Index, v.Type.Elem, &step.Expr{Op: step.VarRef, Type: v.Type, Of: step.Own, Var: v}, who)
	case v.Shared && v.Temp: // programs cannot name it
		return nil
	}
	of := step.Own
	if s.mem.slot != shared {
		if s.mem.slot >= len(p.of) {
			return nil
		}
		of = p.of[s.mem.slot]
	}
	e := &step.Expr{Op: step.VarRef, Type: v.Type, Of: of, Var: v}
	off, idx := s.mem.off, s.idx
	for {
		switch e.Type.Kind {
		case step.Array:
			i := p.form(t, idx[0])
			if i == nil {
				return nil
			}
			e, idx = expr.New(step.Index, e.Type.Elem, e, i), idx[1:]
		case step.Record:
			f := fieldWith(e.Type, off)
			off -= e.Type.FieldAt(f)
			e = expr.New(step.Part, e.Type.Fields[f].Type, e)
			e.Field = f
		case step.List, step.Queue, step.Set, step.Bag, step.Map:
			if len(idx) == 0 {
				return expr.New(step.Size, step.IntType, e)
			}
			if s.mem.view == keyed {
				k := p.key(t, e.Type.Key(), idx)
				switch {
				case k == nil:
					return nil
				case off == 0:
					return expr.New(step.Has, step.BoolType, e, k)
				}
				e, idx, off = expr.New(step.Lookup, e.Type.Elem.Fields[1].Type, e, k), nil, off-1-len(idx)
				continue
			}
			i := p.form(t, idx[0])
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
func (p *printer) key(t *table, typ *step.Type, idx []form) *step.Expr {
	if typ.Kind == step.Record {
		var parts []*step.Expr
		for i, f := range typ.Fields {
			from := typ.FieldAt(i)
			part := p.key(t, f.Type, idx[from:from+f.Type.Words()])
			if part == nil {
				return nil
			}
			parts = append(parts, part)
		}
		return expr.New(step.Make, typ, parts...)
	}
	f := idx[0]
	switch {
	case !typ.Scalar():
		return nil
	case typ.Numeric():
		return p.form(t, f)
	case f.constant() && typ.Kind == step.Enum:
		if f.k < 0 || int(f.k) >= len(typ.Names) {
			return nil
		}
		return &step.Expr{Op: step.Const, Type: typ, Of: step.Own, Words: []int64{f.k}, Name: typ.Names[f.k]}
	case f.constant() && typ.Kind == step.Bool:
		return truth(f.k == 1)
	case len(f.terms) == 1 && f.terms[0].c == 1 && f.k == 0:
		if e := p.symbol(t, f.terms[0].s); e != nil && e.Type.Kind == typ.Kind {
			return e
		}
	}
	return nil
}

// form prints a sum.
func (p *printer) form(t *table, f form) *step.Expr {
	var sum *step.Expr
	if len(f.terms) > 0 && f.terms[0].c < 0 && f.k > 0 { // 1 - x, not -x + 1
		sum, f.k = expr.Number(f.k), 0
	}
	for _, x := range p.summands(t, f.terms) {
		e := x.expr
		if len(f.terms) > 1 || x.c != 1 || f.k != 0 {
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
		return expr.Number(f.k)
	case f.k > 0:
		return expr.New(step.Add, step.IntType, sum, expr.Number(f.k))
	case f.k < 0:
		return expr.New(step.Sub, step.IntType, sum, expr.Number(-f.k))
	}
	return sum
}
