package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
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
		r := regionAt(c, o)
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

// readClock emits a call of a function where the program does not see the clock.
func readClock(c *code, fn *ssa.Function) (results []*step.Expr) {
	if fn.Signature.Results().Len() > 0 {
		results = append(results, c.unword(c.Number(1), basics[types.Int64]))
	}
	return results
}

// Watchdogs. A case of a select that waits for a timer, and then does nothing but fail, says how long something may
// take. No time passes here, so the timer could fire although all goes well. Such a case is never chosen: if what it
// guards against comes to pass then the select waits for good, which is a finding.

// isWatchdog reports whether a case of a select is one.
func isWatchdog(r *pointsto.Result, in *pointsto.Instance, i *ssa.Select, n int) bool {
	s := i.States[n]
	targets := r.Targets(in, s.Chan)
	if s.Dir != types.RecvOnly || len(targets) == 0 {
		return false
	}
	for _, t := range targets {
		if fn := t.Object.In; fn == nil || fn.Func.Name() != "NewTimer" || packageOf(fn.Func) != "time" {
			return false
		}
	}
	list := bodies(i, n)
	return len(list) > 0 && !slices.ContainsFunc(list, func(b *ssa.BasicBlock) bool { return !fails(b) })
}

// bodies are the blocks that a select goes to for a case.
func bodies(i *ssa.Select, n int) (list []*ssa.BasicBlock) {
	for _, r := range *i.Referrers() {
		chosen, ok := r.(*ssa.Extract)
		if !ok || chosen.Index != 0 {
			continue
		}
		for _, r := range *chosen.Referrers() {
			is, ok := r.(*ssa.BinOp)
			if !ok || is.Op != token.EQL {
				continue
			}
			if k, ok := is.Y.(*ssa.Const); !ok || !constant.Compare(k.Value, token.EQL, constant.MakeInt64(int64(n))) {
				continue
			}
			for _, r := range *is.Referrers() {
				if jump, ok := r.(*ssa.If); ok {
					list = append(list, jump.Block().Succs[0])
				}
			}
		}
	}
	return list
}

// fails reports whether a block ends the test, or the program, with a failure.
func fails(b *ssa.BasicBlock) bool {
	for _, i := range b.Instrs {
		switch i := i.(type) {
		case *ssa.Panic:
			return true
		case *ssa.Call:
			if failing[calledName(i.Common())] {
				return true
			}
		case *ssa.Go, *ssa.Defer, *ssa.Send, *ssa.Select:
			return false
		}
	}
	return false
}

// failing are the functions that fail a test, or end a program.
var failing = map[string]bool{
	"testing.Error": true, "testing.Errorf": true, "testing.Fail": true, "testing.FailNow": true,
	"testing.Fatal": true, "testing.Fatalf": true, "log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true,
	"log.Panic": true, "log.Panicf": true, "os.Exit": true,
}

// What operations wait for, in the words of the program, and which operations may end that: nodes say to which
// operation they belong.

// setDoing lets the nodes that f emits belong to an operation that stands at a position of an instance.
func setDoing(c *code, in *pointsto.Instance, pos token.Pos, deed step.Deed, f func()) {
	w := waitOf(c.l, in, pos, deed)
	was, waits := c.Deed, c.Waits
	c.Deed, c.Waits = deed, []step.Wait{w}
	f()
	c.Deed, c.Waits = was, waits
}

// waitOf describes the condition that an operation waits for.
func waitOf(l *lowerer, in *pointsto.Instance, pos token.Pos, deed step.Deed) step.Wait {
	w := step.Wait{Deed: deed}
	library := ""
	for in.Site != nil && (!pos.IsValid() || l.src.InLibrary(pos)) {
		library = in.Func.Name()
		pos, in = in.Site.Pos(), in.Caller
	}
	var whole, operand ast.Expr
	if s := in.Func.Syntax(); s != nil {
		whole, operand = operandAt(s, pos)
	}
	switch {
	case operand == nil && whole == nil:
		w.In = library
	case operand == nil:
		w.In = types.ExprString(whole)
	case library == "" || isOperation(library, deed):
		w.What = types.ExprString(operand)
	default:
		w.In = types.ExprString(whole)
	}
	return w
}

// isOperation reports whether a function of the library is the operation itself, and not one that makes use of it.
func isOperation(function string, deed step.Deed) bool {
	switch deed {
	case step.AwaitsOne, step.WaitsAll:
		return function == "Wait"
	case step.Locks, step.RLocks:
		return function == "Lock" || function == "RLock"
	}
	return false
}

// operandAt is the operand of the operation at a position: the channel, or what a method is called of; whole is the
// function that is called.
func operandAt(in ast.Node, pos token.Pos) (whole, operand ast.Expr) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.OpPos == pos && n.Op == token.ARROW {
				operand = n.X
			}
		case *ast.SendStmt:
			if n.Arrow == pos {
				operand = n.Chan
			}
		case *ast.RangeStmt:
			if n.For == pos || n.Range == pos || n.TokPos == pos {
				operand = n.X
			}
		case *ast.CallExpr:
			if n.Lparen != pos {
				break
			}
			whole = n.Fun
			if f, ok := n.Fun.(*ast.SelectorExpr); ok {
				operand = f.X
			} else if len(n.Args) > 0 {
				operand = n.Args[0]
			}
		}
		return operand == nil
	})
	return whole, operand
}

// deeds are the effects of the operations of package sync that are lowered by hand.
var deeds = map[string]step.Deed{"Mutex.Lock": step.Locks, "RWMutex.Lock": step.Locks, "RWMutex.RLock": step.RLocks,
	"Mutex.Unlock": step.Unlocks, "RWMutex.Unlock": step.Unlocks, "RWMutex.RUnlock": step.Unlocks,
	"WaitGroup.Add": step.Dones, "WaitGroup.Wait": step.WaitsAll,
	"tickets.await": step.AwaitsOne, "tickets.serve": step.Signals, "tickets.serveAll": step.Signals}

// deedOf is the effect of an operation of package sync: adding to a wait group ends no wait.
func deedOf(name string, args []*step.Expr) step.Deed {
	if name == "WaitGroup.Add" && len(args) > 1 && args[1].Op == step.Const && args[1].Words[0] >= 0 {
		return ""
	}
	return deeds[name]
}

// selectWait describes the condition that a case of a select waits for.
func selectWait(l *lowerer, in *pointsto.Instance, s *ssa.SelectState, ready *step.Expr) step.Wait {
	deed := step.Receives
	if s.Dir == types.SendOnly {
		deed = step.Sends
	}
	w := waitOf(l, in, s.Pos, deed)
	w.Ready = ready
	return w
}
