package lower

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Panics. One that no deferred function can recover from is a failure at once. Otherwise control goes to the end of the
// innermost frame with deferred calls, which are made there; if one of them recovers the function returns, else the
// panic goes on in the frames outside. A panic without recovery fails where it began.

// runtimeError is the dynamic type of the panics of the language itself, which no type of the program is.
const runtimeError = 1 << 40

// catcherOf is the frame whose deferred calls a panic makes first; nil if none can recover from it.
func catcherOf(frames []*frame) *frame {
	recovers := false
	for _, f := range frames {
		recovers = recovers || f.recovers
	}
	if !recovers {
		return nil
	}
	for k := len(frames) - 1; k >= 0; k-- {
		if f := frames[k]; f.recovers || f.hasDefers {
			return f
		}
	}
	return nil
}

// emitPanic emits panic(v).
func emitPanic(c *code, in *pointsto.Instance, i *ssa.Panic) {
	never := c.Const(step.BoolType, 0)
	value := c.value(in, i.X)
	if f := catcherOf(c.frames); f != nil && value != nil {
		raisePanic(c, f, never, panicText(i.X), value)
	} else {
		n := c.Emit(step.Node{Kind: step.Check, Cond: never, Fault: step.Panicked, Msg: panicText(i.X)})
		c.l.said[n] = notePanic(c, in, i.X, value)
	}
	c.Open = nil
}

// raisePanic emits the beginning of a panic unless a condition holds.
func raisePanic(c *code, f *frame, cond *step.Expr, msg string, value *step.Expr) {
	if c.unwind == nil {
		c.unwind = &unwinding{site: c.Temp(step.IntType), value: c.CheckedTemp(ifaceType)}
	}
	u := c.unwind
	u.sites = append(u.sites, panicSite{msg, c.Code.Pos, c.Text, c.Calls})
	otherwise := c.Branch(cond)
	c.Otherwise(otherwise, func() {
		c.set(u.value, value)
		c.set(u.site, c.Number(int64(len(u.sites))))
		toHandler(c.Code, f)
	})
}

// toHandler leads what is open to where a frame deals with panics.
func toHandler(b *build.Code, f *frame) {
	if f.handler >= 0 {
		b.Connect(b.Open, f.handler)
	} else {
		f.panics = append(f.panics, b.Open...)
	}
	b.Open = nil
}

// emitHandler emits what a frame does about panics that reach it. Then what is open has recovered.
func emitHandler(c *code, f *frame) {
	f.handler = len(c.Nodes)
	c.Open = f.panics
	c.Emit(step.Node{Kind: step.Nop})
	emitRunDefers(c, f)
	if c.Open == nil {
		return
	}
	u := c.unwind
	on := c.Branch(c.Bool(step.Eq, u.site, c.Number(0)))
	recovered := c.Open
	c.Open = []*int{on}
	if outer := catcherOf(c.frames[:len(c.frames)-1]); outer != nil {
		toHandler(c.Code, outer)
	} else {
		emitUnrecovered(c)
	}
	c.Open = recovered
	if !f.recovers {
		c.Open = nil // it never gets there
	}
}

// emitUnrecovered emits the failures of the panics without recovery. Those whose code is made later come from
// other frames, and are not recovered there either.
func emitUnrecovered(c *code) {
	u := c.unwind
	pos, text, calls := c.Code.Pos, c.Text, c.Calls
	for k, s := range u.sites {
		c.Code.Pos, c.Text, c.Calls = s.pos, s.text, s.calls
		n := c.Emit(step.Node{Kind: step.Check, Cond: c.Bool(step.Ne, u.site, c.Number(int64(k)+1)),
			Fault: step.Panicked, Msg: s.msg})
		if strings.HasPrefix(s.msg, valueOfType) {
			c.l.said[n] = &said{tag: c.field(u.value, 0), word: c.field(u.value, 1)}
		}
	}
	c.Code.Pos, c.Text, c.Calls = pos, text, calls
	c.Emit(step.Node{Kind: step.Check, Cond: c.Const(step.BoolType, 0), Fault: step.Panicked,
		Msg: "a panic in a deferred call"})
	c.Open = nil
}

// emitRecover emits recover(): in a function that is deferred itself, the value of the panic, which is over then.
func emitRecover(c *code, in *pointsto.Instance, result ssa.Value) {
	_, deferred := in.Site.(*ssa.Defer)
	if c.unwind == nil || !deferred {
		if result != nil {
			c.define(in, result, c.zero(ifaceType))
		}
		return
	}
	u := c.unwind
	got := c.CheckedTemp(ifaceType)
	c.set(got, c.zero(ifaceType))
	c.When(c.Positive(u.site), func() {
		c.set(got, u.value)
		c.set(u.site, c.Number(0))
	})
	if result != nil {
		c.define(in, result, got)
	}
}

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
		is = c.Bool(step.Eq, c.field(err, 0), c.Number(c.l.tag(elem)))
		if value = c.unword(c.field(err, 1), t); t.Words() != 1 {
			value = c.CheckedTemp(t)
			c.When(is, func() { unbox(c, in, from, elem, c.field(err, 1), value) })
		}
	}
	spots := c.spots(c.l.r.Pointed(in, site.Common().Args[1], of))
	number := c.settle(pointer)
	c.When(is, func() {
		c.each(number, spots, func(place *step.Expr, s spot) {
			c.access(in, site, number, place, s, true, func(place *step.Expr) { c.set(place, value) })
		})
		c.set(stored, c.Const(step.BoolType, 1))
	})
}

// failing emits a panic that a deferred call may recover from, and reports whether it is one.
func (c *code) failing(cond *step.Expr, fault step.Fault, msg string) bool {
	if fault != step.Panicked {
		return false
	}
	f := catcherOf(c.frames)
	if f == nil {
		return false
	}
	raisePanic(c, f, cond, msg, c.Expr(step.Make, ifaceType, c.Number(runtimeError), c.Number(unknownText)))
	return true
}

// mayRecover reports whether a function defers one that calls recover.
func mayRecover(l *lowerer, in *pointsto.Instance) bool {
	if in.Func.Recover == nil && !hasDefer(in.Func) {
		return false
	}
	for _, x := range l.r.Instances {
		if d, deferred := x.Site.(*ssa.Defer); !deferred || x.Caller != in || d == nil {
			continue
		}
		for i := range pointsto.Instructions(x.Func) {
			if call, ok := i.(*ssa.Call); ok && calledBuiltin(&call.Call) == "recover" {
				return true
			}
		}
	}
	return false
}
