package lower

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Panics. One that no deferred function can recover from is a failure at once. Otherwise control goes to the end of the
// innermost frame with deferred calls, which are made there; if one of them recovers the function returns, else the
// panic goes on in the frames outside. A panic without recovery fails where it began.

// An unwinding is the panic of a process: the number of its site, 0 for none, and its value.
type unwinding struct {
	site, value *step.Expr
	sites       []panicSite
}

// A panicSite is where a panic begins.
type panicSite struct {
	msg   string
	pos   step.Pos
	text  string
	calls []step.Pos
}

// runtimeError is the dynamic type of the panics of the language itself, which no type of the program is.
const runtimeError = 1 << 40

// mayRecover reports whether a function defers one that calls recover.
func mayRecover(l *lowerer, in *pointsto.Instance) bool {
	if in.Func.Recover == nil && !hasDefer(in.Func) {
		return false
	}
	for _, x := range l.r.Instances {
		if d, deferred := x.Site.(*ssa.Defer); !deferred || x.Caller != in || d == nil {
			continue
		}
		for _, b := range x.Func.Blocks {
			for _, i := range b.Instrs {
				if isRecover(i) {
					return true
				}
			}
		}
	}
	return false
}

func hasDefer(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if _, ok := i.(*ssa.Defer); ok {
				return true
			}
		}
	}
	return false
}

func isRecover(i ssa.Instruction) bool {
	call, ok := i.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "recover"
}

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

// require emits a panic unless a condition holds.
func (c *code) require(cond *step.Expr, msg string) {
	if cond != nil && !constantly(cond) {
		c.Check(cond, step.Panicked, msg)
	}
}

// requireFatal emits an error that ends the program and cannot be recovered from, unless a condition holds.
func requireFatal(c *code, cond *step.Expr, msg string) {
	failing := c.Failing
	c.Failing = nil
	c.require(cond, msg)
	c.Failing = failing
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
	after := c.Open
	c.Open = []*int{otherwise}
	c.set(u.value, value)
	c.set(u.site, c.Number(int64(len(u.sites))))
	toHandler(c.Code, f)
	c.Open = after
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
