package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Slices: the number of element 0, the length and the capacity. The elements of an array have consecutive numbers.

func sliceOf(b *build.Code, base, length, capacity *step.Expr) *step.Expr {
	return b.Expr(step.Make, sliceType, base, length, capacity)
}

func emitMakeSlice(c *code, in *pointsto.Instance, i *ssa.MakeSlice) {
	length, capacity := c.word(c.value(in, i.Len)), c.word(c.value(in, i.Cap))
	number, r := c.made(in, i, pointsto.Element)
	if r != nil {
		if capacity.Op != step.Const || capacity.Words[0] > int64(r.elem.Len) {
			c.assumeBound(c.Bool(step.Le, capacity, c.Number(int64(r.elem.Len))), "elements", "elements of a slice")
		}
		if r.owner == c.p && r.each == 1 {
			place := c.l.at(c, r, nil, number)
			c.set(place, c.zero(place.Type))
		}
	}
	c.define(in, i, c.settleAny(sliceOf(c.Code, number, length, capacity)))
}

// emitSlice is a part of an array or a slice.
func emitSlice(c *code, in *pointsto.Instance, i *ssa.Slice) {
	x := c.value(in, i.X)
	bound := func(v ssa.Value, otherwise *step.Expr) *step.Expr {
		if v == nil {
			return otherwise
		}
		return c.word(c.value(in, v))
	}
	var base, length, capacity *step.Expr
	switch t := i.X.Type().Underlying().(type) {
	case *types.Pointer:
		n := t.Elem().Underlying().(*types.Array).Len()
		base = c.part(in, i.X, pointsto.Element, nil)
		length, capacity = c.Number(n), c.Number(n)
	case *types.Slice:
		base, length, capacity = c.field(x, 0), c.field(x, 1), c.field(x, 2)
	default:
		c.refuse("a part of %s is not supported", i.X.Type())
	}
	low, high := bound(i.Low, c.Number(0)), bound(i.High, length)
	most := bound(i.Max, capacity)
	if i.Low != nil || i.High != nil || i.Max != nil {
		c.require(c.Bool(step.And, c.Bool(step.Le, c.Number(0), low), c.Bool(step.And, c.Bool(step.Le, low, high),
			c.Bool(step.And, c.Bool(step.Le, high, most), c.Bool(step.Le, most, capacity)))),
			"slice bounds out of range")
	}
	c.define(in, i, sliceOf(c.Code, difference(c.Code, base, low, step.Add), difference(c.Code, high, low, step.Sub),
		difference(c.Code, most, low, step.Sub)))
}

// difference adds or subtracts numbers, constants at once.
func difference(x *build.Code, a, b *step.Expr, op step.Op) *step.Expr {
	switch {
	case b.Op == step.Const && b.Words[0] == 0:
		return a
	case a.Op == step.Const && b.Op == step.Const && op == step.Sub:
		return x.Number(a.Words[0] - b.Words[0])
	case a.Op == step.Const && b.Op == step.Const:
		return x.Number(a.Words[0] + b.Words[0])
	}
	return x.Int(op, a, b)
}

// emitAppend appends: within the capacity in place, else to a new array.
func emitAppend(c *code, in *pointsto.Instance, site ssa.CallInstruction, result ssa.Value, args []*step.Expr) {
	if len(args) < 2 {
		c.define(in, result, args[0])
		return
	}
	if args[1].Type == stringType {
		c.refuse("appending a string to bytes is not supported")
	}
	s, more := c.settleAny(args[0]), c.settleAny(args[1])
	call := site.(*ssa.Call)
	o := c.l.object(in, call)
	if o == nil {
		c.define(in, result, s)
		return
	}
	dst := c.CheckedTemp(sliceType)
	sum := c.Temp(step.IntType)
	c.set(sum, c.Int(step.Add, c.field(s, 1), c.field(more, 1)))
	room := c.Bool(step.Le, sum, c.field(s, 2))
	grow := c.Branch(room)
	copyElements(c, in, site, call, c.Int(step.Add, c.field(s, 0), c.field(s, 1)), site.Common().Args[0],
		more, site.Common().Args[1])
	c.set(dst, sliceOf(c.Code, c.field(s, 0), sum, c.field(s, 2)))
	after := c.Open
	c.Open = []*int{grow}
	r := regionAt(c, o)
	c.assumeBound(c.Bool(step.Le, sum, c.Number(int64(r.elem.Len))), "elements", "elements of a slice")
	number, _ := c.made(in, call, pointsto.Element)
	fresh := c.settleAny(number)
	copyElements(c, in, site, call, fresh, call, s, site.Common().Args[0])
	copyElements(c, in, site, call, c.Int(step.Add, fresh, c.field(s, 1)), call, more, site.Common().Args[1])
	// The capacity is that of Go for short slices: doubled, and as much as is needed.
	twice := c.Int(step.Mul, c.field(s, 2), c.Number(2))
	capacity := c.Int(step.Cond, c.Bool(step.Lt, twice, sum), sum, twice)
	most := c.Number(int64(r.elem.Len))
	c.set(dst, sliceOf(c.Code, fresh, sum, c.Int(step.Cond, c.Bool(step.Lt, capacity, most), capacity, most)))
	c.Open = append(c.Open, after...)
	c.define(in, result, dst)
}

// copyElements copies the elements of a slice to those from a number on, one after the other. to is a slice whose
// arrays the number may be in.
func copyElements(c *code, in *pointsto.Instance, site ssa.CallInstruction, call *ssa.Call, number *step.Expr,
	to ssa.Value, from *step.Expr, fromValue ssa.Value) {
	v := c.CheckedTemp(c.typed(call.Type().Underlying().(*types.Slice).Elem()))
	at, source := c.Temp(step.IntType), c.Temp(step.IntType)
	c.count(c.field(from, 1), func(k *step.Expr) {
		c.set(source, c.Int(step.Add, c.field(from, 0), k))
		c.set(at, c.Int(step.Add, number, k))
		eachElement(c, in, site, fromValue, source, false, func(place *step.Expr) { c.set(v, place) })
		eachElement(c, in, site, to, at, true, func(place *step.Expr) { c.set(place, v) })
	})
}

// eachElement is eachTarget for the elements of the arrays of a slice.
func eachElement(c *code, in *pointsto.Instance, i ssa.Instruction, of ssa.Value, number *step.Expr, write bool,
	f func(place *step.Expr)) {
	var places []pointsto.Place
	for _, t := range c.l.r.Targets(in, of) {
		if e, ok := c.l.r.Part(t, pointsto.Element); ok {
			places = append(places, e)
		}
	}
	c.each(number, c.spots(places), func(place *step.Expr, s spot) {
		c.access(in, i, number, place, s, write, f)
	})
}

// readElements emits reads of the elements of a slice; the values are not kept.
func readElements(c *code, in *pointsto.Instance, i ssa.Instruction, of ssa.Value, slice *step.Expr) {
	elem := c.typed(of.Type().Underlying().(*types.Slice).Elem())
	s, at, v := c.settleAny(slice), c.Temp(step.IntType), c.CheckedTemp(elem)
	c.count(c.field(s, 1), func(k *step.Expr) {
		c.set(at, c.Int(step.Add, c.field(s, 0), k))
		eachElement(c, in, i, of, at, false, func(place *step.Expr) { c.set(v, place) })
	})
}

// emitCopy emits copy(dst, src): backwards if the elements could be written before they are read.
func emitCopy(c *code, in *pointsto.Instance, site ssa.CallInstruction, result ssa.Value, args []*step.Expr) {
	operands := site.Common().Args
	if args[1].Type == stringType {
		c.refuse("copying a string to bytes is not supported")
	}
	elem := c.typed(operands[0].Type().Underlying().(*types.Slice).Elem())
	dst, src := c.settleAny(args[0]), c.settleAny(args[1])
	n, from, to, v := c.Temp(step.IntType), c.Temp(step.IntType), c.Temp(step.IntType), c.CheckedTemp(elem)
	c.set(n, c.Int(step.Cond, c.Bool(step.Lt, c.field(dst, 1), c.field(src, 1)), c.field(dst, 1), c.field(src, 1)))
	c.count(n, func(k *step.Expr) {
		back := c.Int(step.Sub, c.Int(step.Sub, n, c.Number(1)), k)
		at := c.Int(step.Cond, c.Bool(step.Gt, c.field(dst, 0), c.field(src, 0)), back, k)
		c.set(from, c.Int(step.Add, c.field(src, 0), at))
		c.set(to, c.Int(step.Add, c.field(dst, 0), at))
		eachElement(c, in, site, operands[1], from, false, func(place *step.Expr) { c.set(v, place) })
		eachElement(c, in, site, operands[0], to, true, func(place *step.Expr) { c.set(place, v) })
	})
	if result != nil {
		c.define(in, result, c.unword(n, basics[intKind]))
	}
}

// emitClear emits clear of a slice or a map.
func emitClear(c *code, in *pointsto.Instance, site ssa.CallInstruction, x *step.Expr) {
	of := site.Common().Args[0]
	u, isSlice := of.Type().Underlying().(*types.Slice)
	if !isSlice {
		eachMap(c, in, site, of, c.settle(x), true, func(m *step.Expr) { c.set(m, c.zero(m.Type)) })
		return
	}
	elem := c.typed(u.Elem())
	s, at := c.settleAny(x), c.Temp(step.IntType)
	c.count(c.field(s, 1), func(k *step.Expr) {
		c.set(at, c.Int(step.Add, c.field(s, 0), k))
		eachElement(c, in, site, of, at, true, func(place *step.Expr) { c.set(place, c.zero(elem)) })
	})
}
