package lower

import (
	"go/types"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"

	"golang.org/x/tools/go/ssa"
)

// settleAny puts a value into a local.
func (c *code) settleAny(e *step.Expr) *step.Expr {
	if e.Op == step.Const {
		return e
	}
	t := c.Temp(e.Type)
	c.set(t, e)
	return t
}

// made emits the making of one more thing by a site and returns its number. fresh says that a local has to be cleared.
func (c *code) made(in *pointsto.Instance, site ssa.Value, path ...int) (number *step.Expr, r *region) {
	o := c.l.object(in, site)
	if o == nil {
		return c.Number(0), nil
	}
	r = regionAt(c, o)
	base, size := c.l.base(r, path)
	each := size / int64(r.count) // numbers of one thing
	if r.each == 1 && (r.owner == c.p || r.count == 1) {
		return c.Number(base), r
	}
	if r.made == nil {
		r.made = c.Temp(step.IntType)
	}
	if r.each > 1 {
		c.assumeBound(c.Bool(step.Lt, r.made, c.Number(int64(r.each))), "goroutines", "things made at one place")
	}
	number = r.made
	if r.owner != c.p && c.p.count > 1 {
		me := &step.Expr{Op: step.Self, Type: step.IntType, Of: step.Own, Pos: c.At}
		number = c.Int(step.Mul, me, c.Number(int64(r.each)))
		if r.each > 1 {
			number = c.Int(step.Add, number, r.made)
		}
	}
	if each > 1 {
		number = c.Int(step.Mul, number, c.Number(each))
	}
	number = c.Int(step.Add, number, c.Number(base))
	if r.each > 1 {
		t := c.Temp(step.IntType)
		c.set(t, number)
		c.set(r.made, c.Int(step.Add, r.made, c.Number(1)))
		number = t
	}
	return number, r
}

// part is the number of a field or an element of what a pointer points to.
func (c *code) part(in *pointsto.Instance, pointer ssa.Value, field int, index *step.Expr) *step.Expr {
	number := c.value(in, pointer)
	c.notNil(in, pointer, number)
	spots := c.spots(c.l.r.Targets(in, pointer))
	var result *step.Expr
	for k := len(spots) - 1; k >= 0; k-- {
		s := spots[k]
		base, size := c.l.base(s.region, append(append([]int(nil), s.path...), field))
		to := c.Number(base)
		each := size / s.size
		if s.size > 1 {
			to = c.minus(number, s.base)
			if each > 1 {
				to = c.Int(step.Mul, to, c.Number(each))
			}
			to = c.minus(to, -base)
		}
		if index != nil {
			to = c.Int(step.Add, to, index)
		}
		if result == nil {
			result = to
		} else {
			result = c.Int(step.Cond, c.within(number, s), to, result)
		}
	}
	if result == nil {
		return c.Number(0)
	}
	return result
}

// eachTarget emits an access to what a pointer may name: what f does for each of the places.
func (c *code) eachTarget(in *pointsto.Instance, i ssa.Instruction, pointer ssa.Value, number *step.Expr, write bool,
	f func(place *step.Expr)) {
	spots := c.spots(c.l.r.Targets(in, pointer))
	if len(spots) > 1 || len(spots) == 1 && spots[0].size > 1 {
		number = c.settle(number)
	}
	c.each(number, spots, func(place *step.Expr, s spot) {
		c.access(in, i, number, place, s, write, f)
	})
}

// unbox takes a value of several words out of the boxes that an interface may have.
func unbox(c *code, in *pointsto.Instance, x ssa.Value, t types.Type, word, dst *step.Expr) {
	if dst.Type.Words() == 0 {
		return
	}
	var places []pointsto.Place
	for _, o := range c.l.r.Dynamic(in, x) {
		if types.Identical(o.Type, t) {
			places = append(places, o.Place())
		}
	}
	c.each(c.settle(word), c.spots(places), func(place *step.Expr, _ spot) { c.set(dst, place) })
}

// implementsType is the condition that a dynamic type has the methods of an interface.
func implementsType(c *code, in *pointsto.Instance, x ssa.Value, tag *step.Expr, u *types.Interface) *step.Expr {
	is := c.Const(step.BoolType, 0)
	seen := map[int64]bool{}
	for _, o := range c.l.r.Dynamic(in, x) {
		if k := c.l.tag(o.Type); !seen[k] && types.Implements(o.Type, u) {
			seen[k] = true
			eq := c.Bool(step.Eq, tag, c.Number(k))
			if is.Op == step.Const {
				is = eq
			} else {
				is = c.Bool(step.Or, is, eq)
			}
		}
	}
	return is
}

// valueOfType begins what is said of a panic with a value that is no constant.
const valueOfType = "a value of type "
