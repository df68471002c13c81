package lower

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
)

// Maps are not supported yet.

func (l *lowerer) mapType(t types.Type) (*step.Type, error) {
	return nil, fmt.Errorf("maps are not supported")
}

func (c *code) makeMap(in *pointsto.Instance, i *ssa.MakeMap)     { c.refuse("maps are not supported") }
func (c *code) mapUpdate(in *pointsto.Instance, i *ssa.MapUpdate) { c.refuse("maps are not supported") }
func (c *code) lookup(in *pointsto.Instance, i *ssa.Lookup)       { c.refuse("maps are not supported") }
func (c *code) rangeMap(in *pointsto.Instance, i ssa.Value)       { c.refuse("maps are not supported") }
func (c *code) deleteKey(in *pointsto.Instance, site ssa.CallInstruction, args []*step.Expr) {
	c.refuse("maps are not supported")
}
func (c *code) mapLen(in *pointsto.Instance, site ssa.CallInstruction, result ssa.Value, of ssa.Value, x *step.Expr) {
	c.refuse("maps are not supported")
}
