package lower

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/share"
	"cdpor/lang/golang/internal/source"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// The clock. Each look at it is a step that others depend on, so looks are steps only in programs that compare times.
// Arming a timer and its firing are such steps, too: they are in programs with more than one thing that is waited for,
// and in those that compare times. There a timer fires, and a sleep ends, once none is due before it; elsewhere a timer
// fires at any time, and a sleep is nothing.

// A Clock says what of the clock a program sees.
type Clock struct {
	Looks bool // it compares times
	Order bool // timers fire, and sleeps end, in the order in which they are due
}

// comparing are the functions and methods of package time after which a program can tell how late it is.
var comparing = map[string]bool{"Since": true, "Until": true, "After": true, "Before": true, "Sub": true, "Equal": true,
	"Compare": true, "Unix": true, "UnixMilli": true, "UnixMicro": true, "UnixNano": true}

// alarms are the functions of the model of package time that are entered if there is an order.
var alarms = map[string]bool{"Arm": true, "ArmAt": true, "Disarm": true, "Ring": true, "Again": true, "sleep": true}

// usesClock reports whether a function is entered only where a program sees the clock.
func usesClock(fn *ssa.Function) bool {
	return packageOf(fn) == "time" && fn.Signature.Recv() == nil && (fn.Name() == "look" || alarms[fn.Name()])
}

// ExternalFor is External of a program that sees the clock in some way.
func ExternalFor(clock Clock) func(fn *ssa.Function) bool {
	return func(fn *ssa.Function) bool {
		if usesClock(fn) {
			return fn.Name() == "look" && !clock.Looks || fn.Name() != "look" && !clock.Order
		}
		return External(fn)
	}
}

// ComparesTimes reports whether code of the program's own compares times, or looks at how late it is.
func ComparesTimes(src *source.Program, r *pointsto.Result) bool {
	for _, in := range r.Instances {
		if src.InLibrary(in.Func.Pos()) {
			continue
		}
		for _, b := range in.Func.Blocks {
			if slices.ContainsFunc(b.Instrs, comparesTimes) {
				return true
			}
		}
	}
	return false
}

func comparesTimes(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.BinOp:
		return types.TypeString(i.X.Type(), nil) == "time.Time"
	case ssa.CallInstruction:
		fn := i.Common().StaticCallee()
		switch {
		case fn == nil:
		case packageOf(fn) == "context": // that of a time, which can be any
			return strings.HasPrefix(fn.Name(), "WithDeadline")
		case packageOf(fn) == "time" && comparing[fn.Name()]:
			return fn.Signature.Recv() != nil || fn.Name() == "Since" || fn.Name() == "Until" // not time.After
		}
	}
	return false
}

// Waits counts the timers, tickers and deadlines of a program, and reports whether it sleeps.
func Waits(r *pointsto.Result, s *share.Sharing) (timers int, sleeps bool) {
	for _, in := range r.Instances {
		switch name := packageOf(in.Func) + "." + in.Func.Name(); name {
		case "time.timer", "time.ticker", "context.expire":
			timers += s.Count(in)
		case "time.Sleep":
			sleeps = true
		}
	}
	return timers, sleeps
}

// takeTurn is the condition that no alarm is due, and no sleep ends, before a time.
func takeTurn(c *code, due *step.Expr) *step.Expr {
	var all *step.Expr
	later := func(at *step.Expr) {
		at = c.word(at)
		all = c.Join(step.And, all, c.Bool(step.Or, c.Bool(step.Eq, at, c.Number(0)), c.Bool(step.Ge, at, due)))
	}
	for _, o := range c.l.r.Objects {
		if types.TypeString(o.Type, nil) != "time.Alarm" {
			continue
		}
		r, err := c.l.regionOf(o)
		if err != nil {
			c.refuse("%v", err)
			return nil
		}
		if place := build.Ref(r.of, c.At); r.count > 1 {
			for at := range c.Elements(place) {
				later(c.field(at, 0))
			}
		} else {
			later(c.field(place, 0))
		}
	}
	if c.l.dozing != nil {
		for at := range c.Elements(build.Ref(c.l.dozing, c.At)) {
			later(at)
		}
	}
	return all
}

// declareDozing declares where processes say until when they sleep, if there are any that do.
func declareDozing(l *lowerer) {
	for _, in := range l.r.Instances {
		if packageOf(in.Func) == "time" && in.Func.Name() == "sleep" && l.dozing == nil {
			l.dozing = l.declare("asleep", &step.Type{Kind: step.Array, Elem: step.IntType, Len: l.instances},
				in.Func.Pos())
			l.dozing.Temp = true
		}
	}
}

// emitDoze is where this process says until when it sleeps.
func emitDoze(c *code) *step.Expr {
	return c.Elem(build.Ref(c.l.dozing, c.At), c.Int(step.Sub, c.Me(), c.Number(1)))
}

// readClock emits a call of a function where the program does not see the clock.
func readClock(c *code, fn *ssa.Function) (results []*step.Expr) {
	if fn.Signature.Results().Len() > 0 {
		results = append(results, c.unword(c.Number(1), basics[types.Int64]))
	}
	return results
}
