package lower

import (
	"slices"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"

	"golang.org/x/tools/go/ssa"
)

// instance emits the code of a function for one chain of calls; its parameters have their values. The results are
// locals.
func (c *code) instance(in *pointsto.Instance) (results []*step.Expr) {
	if in.Func.Blocks == nil {
		c.refuse("%s has no body", in.Func)
	}
	f := &frame{in: in, starts: map[*ssa.BasicBlock]int{}, ends: map[*ssa.BasicBlock][]*int{},
		hasDefers: hasDefer(in.Func),
		recovers:  mayRecover(c.l, in), handler: -1, exiting: -1}
	sig := in.Func.Signature
	for v := range sig.Results().Variables() {
		attempt(c, func() { f.results = append(f.results, c.CheckedTemp(c.typed(v.Type()))) })
	}
	c.frames = append(c.frames, f)
	calls, pos := c.calls, c.at
	if in.Site != nil {
		if _, begins := in.Site.(*ssa.Go); !begins {
			c.calls = append(append([]step.Pos(nil), calls...), c.l.pos(in.Site.Pos()))
		}
	}
	if isStacked(c.l, in) {
		f.stack = &stack{c.CheckedTemp(&step.Type{Kind: step.Array, Elem: step.IntType, Len: maxDeferred}),
			c.Temp(step.IntType)}
		c.set(f.stack.top, c.Number(0))
	}
	f.ends[in.Func.Blocks[0]] = c.Open
	for _, b := range order(in.Func.Blocks[0]) {
		c.block(f, b)
	}
	if f.panics != nil {
		attempt(c, func() { c.recovered(f) })
	}
	c.calls = calls
	c.Open = f.returns
	c.goTo(pos)
	c.frames = c.frames[:len(c.frames)-1]
	return f.results
}

// recovered emits what a frame does about panics, and its return if it recovers.
func (c *code) recovered(f *frame) {
	emitHandler(c, f)
	back := f.in.Func.Recover
	switch {
	case c.Open == nil:
	case back == nil:
		for _, r := range f.results {
			c.set(r, c.zero(r.Type))
		}
		f.returns = append(f.returns, c.Open...)
	default:
		f.ends[back] = c.Open
		for _, b := range order(back) {
			if _, made := f.starts[b]; !made {
				c.block(f, b)
			}
		}
	}
	c.Open = nil
}

// order is the blocks that can be reached from one, each behind those that dominate it.
func order(from *ssa.BasicBlock) (list []*ssa.BasicBlock) {
	seen := map[*ssa.BasicBlock]bool{}
	var post func(b *ssa.BasicBlock)
	post = func(b *ssa.BasicBlock) {
		seen[b] = true
		for i := len(b.Succs) - 1; i >= 0; i-- {
			if !seen[b.Succs[i]] {
				post(b.Succs[i])
			}
		}
		list = append(list, b)
	}
	post(from)
	slices.Reverse(list)
	return list
}

// block emits a block. Where it begins stands a node that does nothing and goes away at the end.
func (c *code) block(f *frame, b *ssa.BasicBlock) {
	c.Open = f.ends[b]
	f.starts[b] = len(c.Nodes)
	c.Emit(step.Node{Kind: step.Nop})
	for _, i := range b.Instrs {
		if c.l.failed() {
			return
		}
		c.goTo(position(i))
		attempt(c, func() { c.instruction(f, i) })
	}
}
