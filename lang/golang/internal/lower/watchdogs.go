package lower

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
)

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

// calledName is the package and the name of the function or method that is called; empty if that is not in the text.
func calledName(c *ssa.CallCommon) string {
	switch {
	case c.IsInvoke() && c.Method.Pkg() != nil:
		return c.Method.Pkg().Path() + "." + c.Method.Name()
	case c.StaticCallee() != nil:
		return packageOf(c.StaticCallee()) + "." + c.StaticCallee().Name()
	}
	return ""
}

// packageOf is the path of the package that declares a function; empty if there is none.
func packageOf(fn *ssa.Function) string {
	if fn.Object() == nil || fn.Object().Pkg() == nil {
		return ""
	}
	return fn.Object().Pkg().Path()
}
