package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
)

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
