package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/source"
	"cdpor/lang/step"
)

// The clock. Each look at it, each sleep and each timer that fires is a step that others depend on, so time passes only
// in programs that compare times. In others the two functions of the model that use the clock are not entered.

// comparing are the functions and methods of package time after which a program can tell how late it is.
var comparing = map[string]bool{"Since": true, "Until": true, "After": true, "Before": true, "Sub": true,
	"Compare": true, "Unix": true, "UnixMilli": true, "UnixNano": true}

// usesClock reports whether a function is one of the two.
func usesClock(fn *ssa.Function) bool {
	return packageOf(fn) == "time" && fn.Signature.Recv() == nil && (fn.Name() == "now" || fn.Name() == "pass")
}

// ExternalWithoutClock is External of a program in which no time passes.
func ExternalWithoutClock(fn *ssa.Function) bool { return External(fn) || usesClock(fn) }

// ComparesTimes reports whether code of the program's own compares times, or looks at how late it is.
func ComparesTimes(src *source.Program, r *pointsto.Result) bool {
	for _, in := range r.Instances {
		if src.InLibrary(in.Func.Pos()) {
			continue
		}
		for _, b := range in.Func.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				fn := call.Common().StaticCallee()
				if fn == nil || packageOf(fn) != "time" || !comparing[fn.Name()] {
					continue
				}
				if fn.Signature.Recv() != nil || fn.Name() == "Since" || fn.Name() == "Until" { // not time.After
					return true
				}
			}
		}
	}
	return false
}

// clock emits a call of one of the two functions where no time passes.
func (c *code) clock(fn *ssa.Function) []*step.Expr {
	if fn.Name() == "now" {
		return []*step.Expr{c.unword(c.Number(1), basics[types.Int64])}
	}
	return nil
}
