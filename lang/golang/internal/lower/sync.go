package lower

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Operations of package sync, and what models say by functions without a body. Anybody may unlock a mutex. A writer
// that waits keeps later readers out, as in Go.

// emitPrimitive emits an operation that is lowered by hand; handled says that it is one.
func emitPrimitive(c *code, in *pointsto.Instance, site ssa.CallInstruction, pkg string, fn *ssa.Function,
	args []*step.Expr) (handled bool, results []*step.Expr) {
	recv := ""
	if r := fn.Signature.Recv(); r != nil {
		recv = receiverName(r.Type())
	}
	if pkg == "sync" && recv != "" {
		op, ok := syncOps[recv+"."+fn.Name()]
		if !ok {
			return false, nil
		}
		setDoing(c, in, site.Pos(), deedOf(recv+"."+fn.Name(), args), func() {
			results = emitSyncOp(c, in, site, fn, args, op)
		})
		return true, results
	}
	if recv != "" {
		return false, nil
	}
	switch {
	case usesClock(fn):
		return true, readClock(c, fn)
	case pointsto.AssignsError(site.Common()):
		return true, assignError(c, in, site, args[0], args[1])
	}
	switch fn.Name() {
	case "enter":
		c.Emit(step.Node{Kind: step.Nop}).Visible = c.Atomic == 0
		c.Atomic++
	case "enterAt":
		enterAt(c, args[0])
	case "doze":
		c.set(c.Elem(build.Ref(c.l.dozing, c.At), c.Int(step.Sub, c.Me(), c.Number(1))), c.word(args[0]))
	case "leave":
		c.Atomic--
	case "fail":
		n := c.Emit(step.Node{Kind: step.Check, Cond: c.Const(step.BoolType, 0), Fault: step.Assertion, Msg: TestFails})
		c.l.said[n] = noteSaying(c)
	case "goexit", "exit":
		if fn.Name() == "exit" && c.l.src.Test {
			c.Check(c.Bool(step.Eq, c.word(args[0]), c.Number(0)), step.Assertion, TestFails)
		}
		frames := c.frames
		if fn.Name() == "exit" {
			c.frames = nil
		}
		emitGoexit(c)
		c.frames = frames
	case "bound":
		c.assumeBound(args[0], "ticks", "ticks of a ticker")
	case "subtestName":
		return true, []*step.Expr{subtestName(c, args[0], args[1], args[2])}
	case "asksContext", "asksSkip":
		method := map[string]string{"asksContext": "Context", "asksSkip": "SkipNow"}[fn.Name()]
		asks := slices.ContainsFunc(c.l.r.Instances, func(in *pointsto.Instance) bool {
			return in.Func.Name() == method && packageOf(in.Func) == "testing"
		})
		return true, []*step.Expr{c.Const(step.BoolType, map[bool]int64{true: 1}[asks])}
	case "skips", "skipsNot":
		msg := map[string]string{"skips": step.TestSkips, "skipsNot": step.TestSkipsNot}[fn.Name()]
		c.Emit(step.Node{Kind: step.Check, Cond: c.Const(step.BoolType, 1), Fault: step.Assertion, Msg: msg})
	case "joinTwo", "joinThree":
		return true, []*step.Expr{joinTexts(c, args)}
	case "sameName":
		return true, []*step.Expr{sameName(c, args[0], args[1])}
	case "ticks":
		return true, []*step.Expr{c.unword(c.Number(int64(c.l.opt.Ticks)), basics[intKind])}
	case "choose":
		return true, []*step.Expr{chooseBelow(c, args[0])}
	default:
		return false, nil
	}
	return true, nil
}

// enterAt begins a step that is taken at a time.
func enterAt(c *code, at *step.Expr) {
	begin := step.Node{Kind: step.Nop}
	if c.l.opt.Clock.Order {
		if begin.Cond = takeTurn(c, c.settleAny(c.word(at))); begin.Cond == nil {
			return
		}
		begin.Kind = step.Await
	}
	n := c.Emit(begin)
	n.Visible, n.Idle = c.Atomic == 0, c.Atomic == 0
	c.Atomic++
}

// chooseBelow is any number below another one.
func chooseBelow(c *code, limit *step.Expr) *step.Expr {
	n := c.settleAny(c.word(limit))
	c.require(c.Positive(n), "invalid argument to a function of math/rand")
	c.Assume(c.Bool(step.Le, n, c.Number(step.MaxAlternatives)),
		fmt.Sprintf("more than %d random numbers to choose from", step.MaxAlternatives))
	return c.unword(c.Choose(n), basics[intKind])
}

// TestFails is the message of a failed test.
const TestFails = "the test fails"

// emitSyncOp emits an operation on what the receiver points to, for each thing that it may be.
func emitSyncOp(c *code, in *pointsto.Instance, site ssa.CallInstruction, fn *ssa.Function, args []*step.Expr,
	op func(c *code, place *step.Expr, args []*step.Expr) *step.Expr) []*step.Expr {
	recv := site.Common().Value
	if !site.Common().IsInvoke() && site.Common().StaticCallee() != nil {
		recv = site.Common().Args[0]
	}
	c.require(c.Bool(step.Ne, args[0], c.Number(0)), "invalid memory address or nil pointer dereference")
	places := c.l.r.Targets(in, recv)
	if site.Common().IsInvoke() {
		places = nil
		for _, o := range c.l.r.Dynamic(in, recv) {
			for _, t := range c.l.r.Content(o.Place()) {
				if syncName(t.Type()) == receiverName(fn.Signature.Recv().Type()) {
					places = append(places, t)
				}
			}
		}
	}
	spots := c.spots(places)
	var result *step.Expr
	if fn.Signature.Results().Len() > 0 {
		result = c.CheckedTemp(c.typed(fn.Signature.Results().At(0).Type()))
	}
	rest := append([]*step.Expr(nil), args[1:]...)
	for k, a := range rest {
		rest[k] = c.settleAny(a)
	}
	c.each(c.settle(args[0]), spots, func(place *step.Expr, _ spot) {
		c.Unit(func() {
			if v := op(c, place, rest); v != nil && result != nil {
				c.set(result, v)
			}
		})
	})
	if result == nil {
		return nil
	}
	return []*step.Expr{result}
}

// syncOps are the operations of package sync, as one step each. Lock of an RWMutex is two.
var syncOps = map[string]func(c *code, m *step.Expr, args []*step.Expr) *step.Expr{
	"Mutex.Lock": func(c *code, m *step.Expr, _ []*step.Expr) *step.Expr {
		c.Await(freeMutex(c.Code, m))
		c.set(m, c.Me())
		return nil
	},
	"Mutex.TryLock": func(c *code, m *step.Expr, _ []*step.Expr) *step.Expr {
		got := c.Temp(step.BoolType)
		c.set(got, freeMutex(c.Code, m))
		c.When(got, func() { c.set(m, c.Me()) })
		return got
	},
	"Mutex.Unlock": func(c *code, m *step.Expr, _ []*step.Expr) *step.Expr {
		requireFatal(c, c.Not(freeMutex(c.Code, m)), "sync: unlock of unlocked mutex")
		c.Set(m, 0)
		return nil
	},
	"RWMutex.Lock": func(c *code, m *step.Expr, _ []*step.Expr) *step.Expr {
		w := c.Field(m, "writer")
		c.Await(freeMutex(c.Code, w))
		c.set(w, c.Me())
		secondRead(c.Code, func() { c.Await(c.unread(m)) })
		return nil
	},
	"RWMutex.TryLock": func(c *code, m *step.Expr, _ []*step.Expr) *step.Expr {
		w, got := c.Field(m, "writer"), c.Temp(step.BoolType)
		c.set(got, c.Bool(step.And, freeMutex(c.Code, w), c.unread(m)))
		c.When(got, func() { c.set(w, c.Me()) })
		return got
	},
	"RWMutex.Unlock": func(c *code, m *step.Expr, _ []*step.Expr) *step.Expr {
		w := c.Field(m, "writer")
		requireFatal(c, c.Not(freeMutex(c.Code, w)), "sync: Unlock of unlocked RWMutex")
		c.Set(w, 0)
		return nil
	},
	"RWMutex.RLock": func(c *code, m *step.Expr, _ []*step.Expr) *step.Expr {
		c.Await(freeMutex(c.Code, c.Field(m, "writer")))
		c.Add(ownElement(c.Code, m), 1)
		return nil
	},
	"RWMutex.TryRLock": func(c *code, m *step.Expr, _ []*step.Expr) *step.Expr {
		got := c.Temp(step.BoolType)
		c.set(got, freeMutex(c.Code, c.Field(m, "writer")))
		c.When(got, func() { c.Add(ownElement(c.Code, m), 1) })
		return got
	},
	"RWMutex.RUnlock": func(c *code, m *step.Expr, _ []*step.Expr) *step.Expr {
		c.runlock(m)
		return nil
	},
	"WaitGroup.Add": func(c *code, g *step.Expr, args []*step.Expr) *step.Expr {
		count := c.Field(g, "count")
		c.set(count, c.Int(step.Add, count, c.word(args[0])))
		c.require(c.Bool(step.Ge, count, c.Number(0)), "sync: negative WaitGroup counter")
		return nil
	},
	"WaitGroup.Wait": func(c *code, g *step.Expr, _ []*step.Expr) *step.Expr {
		c.Await(c.Bool(step.Eq, c.Field(g, "count"), c.Number(0)))
		return nil
	},
	"tickets.draw": func(c *code, t *step.Expr, _ []*step.Expr) *step.Expr {
		n, drawn := c.Temp(step.IntType), c.Field(t, "drawn")
		c.set(n, drawn)
		c.Add(drawn, 1)
		return c.unword(n, basics[intKind])
	},
	"tickets.await": func(c *code, t *step.Expr, args []*step.Expr) *step.Expr {
		c.Await(c.Bool(step.Lt, c.word(args[0]), c.Field(t, "served")))
		return nil
	},
	"tickets.serve": func(c *code, t *step.Expr, _ []*step.Expr) *step.Expr {
		served := c.Field(t, "served")
		c.When(c.Bool(step.Lt, served, c.Field(t, "drawn")), func() { c.Add(served, 1) })
		return nil
	},
	"tickets.serveAll": func(c *code, t *step.Expr, _ []*step.Expr) *step.Expr {
		c.set(c.Field(t, "served"), c.Field(t, "drawn"))
		return nil
	},
}

// secondRead begins another step within an operation, unless it is a part of a larger one.
func secondRead(b *build.Code, f func()) {
	depth := b.Atomic
	b.Atomic = 0
	b.Unit(f)
	b.Atomic = depth
}

// ownElement is how often this process reads.
func ownElement(b *build.Code, m *step.Expr) *step.Expr {
	return b.Elem(b.Field(m, "readers"), b.Int(step.Sub, b.Me(), b.Number(1)))
}

// unread is the condition that no process holds the lock for reading.
func (c *code) unread(m *step.Expr) *step.Expr {
	var all *step.Expr
	for n := range c.Elements(c.Field(m, "readers")) {
		all = c.Join(step.And, all, c.Bool(step.Eq, n, c.Number(0)))
	}
	return all
}

// runlock takes a reader away: of this process if it reads, else of the first that does.
func (c *code) runlock(m *step.Expr) {
	own := ownElement(c.Code, m)
	other := c.Branch(c.Positive(own))
	c.Add(own, -1)
	var after []*int
	c.Turn(&after, other)
	for n := range c.Elements(c.Field(m, "readers")) {
		skip := c.Branch(c.Positive(n))
		c.Add(n, -1)
		c.Turn(&after, skip)
	}
	requireFatal(c, c.Const(step.BoolType, 0), "sync: RUnlock of unlocked RWMutex")
	c.Open = after
}
