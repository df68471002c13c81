package lower

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
)

// The bytes and runes of texts. What a text is made of is a table over the known texts for each place of the array, so
// the array has as much room as a slice that grows, unless the text is a constant.

// mostElements bounds the entries of all tables of a conversion.
const mostElements = 1 << 16

// takesApart reports whether a conversion makes a slice of a text.
func takesApart(v *ssa.Convert) bool {
	from, ok := v.X.Type().Underlying().(*types.Basic)
	_, slice := v.Type().Underlying().(*types.Slice)
	return ok && slice && from.Info()&types.IsString != 0
}

// elementsOf are the bytes or runes of a text, as a conversion to the type makes them.
func elementsOf(text string, t types.Type) (list []int64) {
	if t.Underlying().(*types.Slice).Elem().Underlying().(*types.Basic).Kind() == types.Uint8 {
		for _, b := range []byte(text) {
			list = append(list, int64(b))
		}
		return list
	}
	for _, r := range text {
		list = append(list, int64(r))
	}
	return list
}

// roomOf is how many elements the array of a conversion has room for.
func (l *lowerer) roomOf(v *ssa.Convert) int {
	if k, ok := v.X.(*ssa.Const); ok && k.Value != nil {
		if n := len(elementsOf(constant.StringVal(k.Value), v.Type())); n <= maxArray {
			return max(n, 1)
		}
	}
	return l.opt.Slice
}

// takeApart emits the conversion of a text. An execution in which it is not known is cut.
func takeApart(c *code, in *pointsto.Instance, v *ssa.Convert, text *step.Expr) {
	if text == nil {
		return
	}
	text, n := knownOf(c, text)
	look := func(t *step.Type, f func(elements []int64) int64) *step.Expr {
		return lookAt(c, []*step.Expr{text}, t, func(texts []string) int64 { return f(elementsOf(texts[0], v.Type())) })
	}
	length := look(step.IntType, func(elements []int64) int64 { return int64(len(elements)) })
	number, r := c.made(in, v, pointsto.Element)
	if length == nil || number == nil {
		return
	}
	if r != nil {
		room := r.elem.Len
		if n*room > mostElements {
			c.refuse("taking apart one of %d texts is not supported", n)
			return
		}
		c.assumeBound(c.Bool(step.Le, length, c.Number(int64(room))), "elements", "elements of a slice")
		for k := range room {
			place := c.l.at(c, r, []int{pointsto.Element}, difference(c.Code, number, c.Number(int64(k)), step.Add))
			c.set(place, look(place.Type, func(elements []int64) int64 {
				if k < len(elements) {
					return elements[k]
				}
				return 0
			}))
		}
	}
	c.define(in, v, c.settleAny(sliceOf(c.Code, number, length, length)))
}
