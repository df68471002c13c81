package lower

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
)

// Deferred calls. Each defer statement outside of loops has a bit that says whether its call is due, and locals with
// what was evaluated for it. If one of a function is in a loop they are kept on a stack, which says which statement
// each is of.

// emitDefer saves a call for the end of the function.
func emitDefer(c *code, f *frame, i *ssa.Defer) {
	d := f.deferral(i)
	if d == nil {
		d = &deferral{site: i}
		f.defers = append(f.defers, d)
		if f.stack == nil {
			d.due = c.Temp(step.BoolType)
		}
	}
	args := valuesFor(c, f.in, i.Call.Args)
	value := calleeOf(c, f.in, &i.Call)
	var captured []*step.Expr
	if value == nil {
		captured = bindings(c, f.in, i.Call.Value)
	}
	if f.stack == nil {
		d.value, d.args, d.captured = keepValue(c, value), keepAll(c, args), keepAll(c, captured)
		c.set(d.due, c.Const(step.BoolType, 1))
		return
	}
	c.Assume(c.Bool(step.Lt, f.stack.top, c.Number(maxDeferred)), "calls that one function defers in a loop")
	top := f.stack.top
	if value != nil {
		d.value = pushValue(c, d.value, top, value)
	}
	d.args, d.captured = pushAll(c, d.args, top, args), pushAll(c, d.captured, top, captured)
	c.set(c.Elem(f.stack.of, top), c.Number(int64(f.number(i))))
	c.Add(top, 1)
}

// deferral has the saved operands of a defer statement; nil if its code was not made yet.
func (f *frame) deferral(i *ssa.Defer) *deferral {
	if k := f.number(i); k >= 0 {
		return f.defers[k]
	}
	return nil
}

// number is the number of a defer statement of the frame; -1 if its code was not made yet.
func (f *frame) number(i *ssa.Defer) int {
	return slices.IndexFunc(f.defers, func(d *deferral) bool { return d.site == i })
}

// keepValue puts a value into a local of its own.
func keepValue(c *code, v *step.Expr) *step.Expr {
	if v == nil || v.Op == step.Const {
		return v
	}
	t := c.CheckedTemp(v.Type)
	c.set(t, v)
	return t
}

func keepAll(c *code, list []*step.Expr) (kept []*step.Expr) {
	for _, v := range list {
		kept = append(kept, keepValue(c, v))
	}
	return kept
}

// pushValue puts a value into an array, which is made if it is not there yet.
func pushValue(c *code, array, at, v *step.Expr) *step.Expr {
	if array == nil {
		array = c.CheckedTemp(&step.Type{Kind: step.Array, Elem: v.Type, Len: maxDeferred})
	}
	c.set(c.Elem(array, at), v)
	return array
}

func pushAll(c *code, arrays []*step.Expr, at *step.Expr, list []*step.Expr) []*step.Expr {
	if arrays == nil {
		arrays = make([]*step.Expr, len(list))
	}
	for k, v := range list {
		arrays[k] = pushValue(c, arrays[k], at, v)
	}
	return arrays
}

// emitRunDefers makes the deferred calls of a frame, the last one first.
func emitRunDefers(c *code, f *frame) {
	if f.stack != nil {
		popDefers(c, f)
		return
	}
	for k := len(f.defers) - 1; k >= 0; k-- {
		d := f.defers[k]
		if d.running { // it calls Goexit, and is not due any more
			continue
		}
		c.When(d.due, func() {
			c.set(d.due, c.Const(step.BoolType, 0))
			d.running = true
			runDeferred(c, f, d, d.value, d.args, d.captured)
			d.running = false
		})
	}
}

// popDefers makes the deferred calls on the stack of a frame.
func popDefers(c *code, f *frame) {
	top := f.stack.top
	head := len(c.Nodes)
	c.Emit(step.Node{Kind: step.Nop})
	exit := c.Branch(c.Positive(top))
	c.Add(top, -1)
	elem := func(array *step.Expr) *step.Expr {
		if array == nil {
			return nil
		}
		return c.Elem(array, top)
	}
	elems := func(arrays []*step.Expr) (list []*step.Expr) {
		for _, a := range arrays {
			list = append(list, elem(a))
		}
		return list
	}
	for k, d := range f.defers {
		skip := c.Branch(c.Bool(step.Eq, c.Elem(f.stack.of, top), c.Number(int64(k))))
		runDeferred(c, f, d, elem(d.value), elems(d.args), elems(d.captured))
		c.Connect(c.Open, head)
		c.Open = []*int{skip}
	}
	c.Connect(c.Open, head)
	c.Open = []*int{exit}
}

// runDeferred makes a deferred call.
func runDeferred(c *code, f *frame, d *deferral, value *step.Expr, args, captured []*step.Expr) {
	c.goTo(d.site.Pos())
	if b, ok := d.site.Call.Value.(*ssa.Builtin); ok {
		emitBuiltin(c, f.in, d.site, nil, b, args)
		return
	}
	emitInvoke(c, f.in, d.site, value, args, captured)
}

// emitGoexit makes the deferred calls of all frames and ends the goroutine. One of those on a stack that calls Goexit
// itself goes on with the rest of them.
func emitGoexit(c *code) {
	frames := c.frames
	defer func() { c.frames = frames }()
	for k := len(frames) - 1; k >= 0; k-- {
		f := frames[k]
		if f.stack != nil && f.exiting >= 0 {
			c.Connect(c.Open, f.exiting)
			c.Open = nil
			return
		}
		f.exiting = len(c.Nodes)
		c.frames = frames[: k+1 : k+1]
		emitRunDefers(c, f)
		f.exiting = -1
	}
	c.exits = append(c.exits, c.Open...)
	c.Open = nil
}

// isStacked reports whether a function defers calls in a loop.
func isStacked(l *lowerer, in *pointsto.Instance) bool {
	for i := range pointsto.Instructions(in.Func) {
		if _, ok := i.(*ssa.Defer); ok && l.share.Times(in, i.Block()) > l.share.Times(in, in.Func.Blocks[0]) {
			return true
		}
	}
	return false
}
