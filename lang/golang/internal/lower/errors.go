package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
)

// errors.As. The library asks by reflection what its target points to; here each type of pointer that the target may
// hold is a branch.

// assignError emits the storing of an error where the target points to, if it is of that type. The result is whether
// it was.
func assignError(c *code, in *pointsto.Instance, site ssa.CallInstruction, err, target *step.Expr) []*step.Expr {
	err, target = c.settleAny(err), c.settleAny(target)
	tag, stored := c.field(target, 0), c.Temp(step.BoolType)
	c.set(stored, c.Const(step.BoolType, 0))
	points := c.Const(step.BoolType, 0)
	seen := map[int64]bool{}
	for _, o := range c.l.r.Dynamic(in, site.Common().Args[1]) {
		pointer, ok := o.Type.Underlying().(*types.Pointer)
		if k := c.l.tag(o.Type); ok && !seen[k] {
			seen[k] = true
			is := c.Bool(step.Eq, tag, c.Number(k))
			points = c.Bool(step.Or, points, is)
			c.When(is, func() { assignTo(c, in, site, err, c.field(target, 1), o.Type, pointer.Elem(), stored) })
		}
	}
	c.require(points, "errors: target must be a non-nil pointer")
	return []*step.Expr{stored}
}

// assignTo emits the same for a target of one type.
func assignTo(c *code, in *pointsto.Instance, site ssa.CallInstruction, err, pointer *step.Expr, of, elem types.Type,
	stored *step.Expr) {
	c.require(c.Bool(step.Ne, pointer, c.Number(0)), "errors: target must be a non-nil pointer")
	from, value := site.Common().Args[0], err
	var is *step.Expr
	if u, ok := elem.Underlying().(*types.Interface); ok {
		is = implementsType(c, in, from, c.field(err, 0), u)
	} else {
		if !types.Implements(elem, types.Universe.Lookup("error").Type().Underlying().(*types.Interface)) {
			c.require(c.Const(step.BoolType, 0), "errors: *target must be interface or implement error")
			return
		}
		t := c.typed(elem)
		if t == nil {
			return
		}
		is = c.Bool(step.Eq, c.field(err, 0), c.Number(c.l.tag(elem)))
		if value = c.unword(c.field(err, 1), t); t.Words() != 1 {
			value = c.CheckedTemp(t)
			c.When(is, func() { unbox(c, in, from, elem, c.field(err, 1), value) })
		}
	}
	spots, wrong := c.l.spots(c.l.r.Pointed(in, site.Common().Args[1], of))
	if wrong != nil {
		c.refuse("%v", wrong)
		return
	}
	number := c.settle(pointer)
	c.When(is, func() {
		c.each(number, spots, func(place *step.Expr, s spot) {
			c.access(in, site, number, place, s, true, func(place *step.Expr) { c.set(place, value) })
		})
		c.set(stored, c.Const(step.BoolType, 1))
	})
}
