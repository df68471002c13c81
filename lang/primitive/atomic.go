package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// CompareAndSwap sets a place to a value if it has another, and returns a local that says so.
func CompareAndSwap(c *build.Code, place, old, new *step.Expr) (swapped *step.Expr) {
	c.Unit(func() {
		swapped = c.Temp(step.BoolType)
		c.Assign(swapped, c.Bool(step.Eq, place, old))
		c.When(swapped, func() { c.Assign(place, new) })
	})
	return swapped
}

// FetchAdd adds a number to a place, and returns a local with what it was; nil if that is not used.
func FetchAdd(c *build.Code, place, n *step.Expr, used bool) (old *step.Expr) {
	c.Unit(func() {
		t, before := step.IntType, place
		if place.Type.Kind == step.Sized {
			t = place.Type
		}
		if used {
			old = keep(c, place)
			before = old
		}
		c.Assign(place, c.Expr(step.Add, t, before, n))
	})
	return old
}

// Swap sets a place to a value, which may depend on it, and returns a local with what it was; nil if that is not used.
func Swap(c *build.Code, place, value *step.Expr, used bool) (old *step.Expr) {
	c.Unit(func() {
		if used {
			old = keep(c, place)
		}
		c.Assign(place, value)
	})
	return old
}

// keep emits putting the value of a place into a local.
func keep(c *build.Code, place *step.Expr) *step.Expr {
	t := c.Temp(place.Type)
	c.Assign(t, place)
	return t
}
