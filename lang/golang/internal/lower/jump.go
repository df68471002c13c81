package lower

import (
	"go/token"

	"cdpor/lang/step"

	"golang.org/x/tools/go/ssa"
)

// position is where an instruction stands in the source.
func position(i ssa.Instruction) token.Pos {
	if v, ok := i.(*ssa.If); ok {
		if cond, ok := v.Cond.(ssa.Instruction); ok {
			return cond.Pos()
		}
	}
	return i.Pos()
}

// jump leads to a block of the frame: what is open is the end of the code of another one.
func (c *code) jump(f *frame, from, to *ssa.BasicBlock) {
	attempt(c, func() { c.phis(f, from, to) })
	if at, made := f.starts[to]; made {
		c.Connect(c.Open, at)
	} else {
		f.ends[to] = append(f.ends[to], c.Open...)
	}
	c.Open = nil
}

// phis emits what the phi nodes of a block take over from another one.
func (c *code) phis(f *frame, from, to *ssa.BasicBlock) {
	edge := -1
	for i, p := range to.Preds {
		if p == from {
			edge = i
		}
	}
	var dsts, srcs []*step.Expr
	parallel := false
	for _, i := range to.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		src, dst := c.value(f.in, phi.Edges[edge]), c.local(f.in, phi)
		for _, d := range dsts {
			parallel = parallel || src.Mentions(d.Var)
		}
		dsts, srcs = append(dsts, dst), append(srcs, src)
	}
	if parallel {
		for i, s := range srcs {
			t := c.CheckedTemp(dsts[i].Type)
			c.set(t, s)
			srcs[i] = t
		}
	}
	for i, d := range dsts {
		if srcs[i] != d {
			c.set(d, srcs[i])
		}
	}
}
