package pointsto

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// String is the object and the path, with the names of fields.
func (p Place) String() string {
	var b strings.Builder
	b.WriteString(p.Object.String())
	at := p.Object.root
	for _, step := range p.part.path {
		switch step {
		case Element:
			b.WriteString("[]")
		case Key:
			b.WriteString("[key]")
		case Value:
			b.WriteString("[value]")
		default:
			if st, ok := at.typ.Underlying().(*types.Struct); ok {
				b.WriteString("." + st.Field(step).Name())
			} else {
				fmt.Fprintf(&b, ".%d", step)
			}
		}
		i := slices.IndexFunc(at.parts, func(c child) bool { return c.step == step })
		at = at.parts[i].part
	}
	return b.String()
}
