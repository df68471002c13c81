package lower

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
)

// packageOf is the path of the package that declares a function; empty if there is none.
func packageOf(fn *ssa.Function) string {
	if fn.Object() == nil || fn.Object().Pkg() == nil {
		return ""
	}
	return fn.Object().Pkg().Path()
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

// receiverName is the name of the type of a receiver.
func receiverName(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// isUnused reports whether nothing but debugging refers to a register.
func isUnused(v ssa.Value) bool {
	refs := v.Referrers()
	if refs == nil {
		return false
	}
	for _, r := range *refs {
		if _, debug := r.(*ssa.DebugRef); !debug {
			return false
		}
	}
	return true
}

// isOnlyCalled reports whether a function literal is only called, started or deferred where it stands.
func isOnlyCalled(m *ssa.MakeClosure) bool {
	for _, r := range *m.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case ssa.CallInstruction:
			if r.Common().Value != ssa.Value(m) {
				return false
			}
			if slices.Contains(r.Common().Args, ssa.Value(m)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// calledBuiltin is the name of the builtin function that is called; empty if it is none.
func calledBuiltin(c *ssa.CallCommon) string {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name()
	}
	return ""
}

func hasDefer(f *ssa.Function) bool {
	for i := range pointsto.Instructions(f) {
		if _, ok := i.(*ssa.Defer); ok {
			return true
		}
	}
	return false
}

// isErrorText reports whether an operand of an instruction is the text of an error.
func isErrorText(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Return:
		return i.Parent().Name() == "Error" && i.Parent().Signature.Recv() != nil
	case *ssa.Call:
		return calledName(&i.Call) == "errors.New"
	}
	return false
}

// isBacking reports whether a site makes the arrays of slices, which have no other name.
func isBacking(site ssa.Value) bool {
	switch s := site.(type) {
	case *ssa.MakeSlice, *ssa.Call, *ssa.Convert:
		return true
	case *ssa.Alloc:
		return s.Comment == "slicelit" || s.Comment == "makeslice"
	}
	return false
}
