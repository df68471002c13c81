package lower

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

type tokenPos = token.Pos

// A code is the code of one process while it is made.
type code struct {
	*build.Code
	l     *lowerer
	p     *process
	at    token.Pos
	calls []step.Pos
	// labels are the labels of lines; steps on one line are numbered.
	labels map[string]*build.Label
	values map[register]*step.Expr
	tuples map[register][]*step.Expr
	ranges map[register]iteration
	// unwinding are the frames, innermost last, whose deferred calls Goexit makes.
	frames []*frame
	unwind *unwinding // nil until something can panic and recover
	exits  []*int     // what leads to the end of the goroutine from elsewhere
}

// A register is a value of the SSA form in an instance.
type register struct {
	in *pointsto.Instance
	v  ssa.Value
}

// A frame is an instance while its code is made.
type frame struct {
	in      *pointsto.Instance
	starts  map[*ssa.BasicBlock]int    // where the code of a block begins, once it is made
	ends    map[*ssa.BasicBlock][]*int // what leads to a block whose code is not made yet
	returns []*int
	results []*step.Expr
	defers  []*deferral
	stack   *stack // nil: each deferred call has a bit
	exiting int    // where Goexit makes the deferred calls on the stack, while that code is made; else -1
	// Panics: whether deferred calls can recover, what leads to where they are made, and where that is, once it is.
	hasDefers, recovers bool
	panics              []*int
	handler             int
}

// goTo lets a position of the source stand for the nodes to come.
func (c *code) goTo(pos token.Pos) {
	if !pos.IsValid() || c.l.src.InModel(pos) || c.l.src.InEntry(pos) {
		return
	}
	c.at, c.l.now = pos, pos
	at := c.l.src.At(pos)
	c.At = c.l.pos(pos)
	c.Code.Pos, c.Text, c.Calls = c.At, c.l.src.Line(pos), c.calls
	name := fmt.Sprint("L", at.Line)
	if c.labels[name] == nil {
		c.labels[name] = &build.Label{Name: name}
	}
	c.Label = c.labels[name]
}

// refuse notes that something is not supported where the code is now, and cuts the executions that get there.
func (c *code) refuse(format string, args ...any) {
	var in *pointsto.Instance
	if n := len(c.frames); n > 0 {
		in = c.frames[n-1].in
	}
	c.l.refuseIn(in, c.at, format, args...)
	c.Assume(c.Const(step.BoolType, 0), "what is not supported")
}

// constantly reports whether a comparison of constants holds.
func constantly(cond *step.Expr) bool {
	if cond.Op != step.Ne || cond.Args[0].Op != step.Const || cond.Args[1].Op != step.Const {
		return false
	}
	return cond.Args[0].Words[0] != cond.Args[1].Words[0]
}

// Assume emits the end of an execution that goes beyond a bound unless a condition holds.
func (c *code) Assume(cond *step.Expr, what string) {
	c.Emit(step.Node{Kind: step.Assume, Cond: cond, Msg: what})
}

// assumeBound emits the end of an execution that goes beyond one of the bounds that a user can raise (golang.Bounds)
// unless a condition holds.
func (c *code) assumeBound(cond *step.Expr, bound, what string) {
	c.Emit(step.Node{Kind: step.Assume, Cond: cond, Bound: bound,
		Msg: what + "; a larger --bound " + bound + "=N goes further"})
}

// instance emits the code of a function for one chain of calls; its parameters have their values. The results are
// locals.
func (c *code) instance(in *pointsto.Instance) (results []*step.Expr) {
	if in.Func.Blocks == nil {
		c.refuse("%s has no body", in.Func)
		return nil
	}
	f := &frame{in: in, starts: map[*ssa.BasicBlock]int{}, ends: map[*ssa.BasicBlock][]*int{},
		hasDefers: hasDefer(in.Func),
		recovers:  mayRecover(c.l, in), handler: -1, exiting: -1}
	sig := in.Func.Signature
	for v := range sig.Results().Variables() {
		if t := c.typed(v.Type()); t != nil {
			f.results = append(f.results, c.CheckedTemp(t))
		}
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
		c.recovered(f)
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
		c.instruction(f, i)
	}
}

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
	c.phis(f, from, to)
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
		src := c.value(f.in, phi.Edges[edge])
		dst := c.local(f.in, phi)
		if src == nil || dst == nil {
			return
		}
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

// set emits an assignment that is a part of the step before it.
func (c *code) set(dst, src *step.Expr) *step.Node {
	if dst == nil || src == nil {
		return nil
	}
	return c.Emit(step.Node{Kind: step.Assign, Dst: dst, Src: src})
}
