package build

import (
	"testing"

	"cdpor/lang/step"
)

// TestElements: the elements of an array are there always, those of a list while it is long enough.
func TestElements(t *testing.T) {
	c := &Code{}
	for _, k := range []struct {
		kind    step.Kind
		present bool
	}{{step.Array, true}, {step.List, false}} {
		typ := &step.Type{Kind: k.kind, Len: 3, Elem: step.IntType}
		n := 0
		for elem, present := range c.Elements(Ref(&step.Var{Name: "x", Type: typ}, step.Pos{})) {
			if elem.Type != step.IntType || (present == nil) != k.present {
				t.Errorf("element %d of %v: %v, condition %v", n, k.kind, elem.Type, present)
			}
			n++
		}
		if n != typ.Len {
			t.Errorf("%v has %d elements", k.kind, n)
		}
	}
}

// TestNil: what is made of a nil expression is nil, and Join takes nil for no condition yet.
func TestNil(t *testing.T) {
	c := &Code{}
	one := c.Number(1)
	if c.Int(step.Add, nil, one) != nil || c.Elem(nil, one) != nil || c.Field(nil, "a") != nil {
		t.Error("an expression of nil is not nil")
	}
	if c.Join(step.And, nil, one) != one || c.Join(step.And, one, one).Op != step.And {
		t.Error("Join does not begin with the first condition")
	}
}
