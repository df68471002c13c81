package source

import (
	"fmt"
	"go/constant"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// chooseErrorf lets calls of fmt.Errorf with a constant format go to the function of the model that wraps what the
// format says: texts are not looked into while a program runs.
func chooseErrorf(prog *ssa.Program) {
	model := prog.ImportedPackage("fmt")
	if model == nil || model.Func("Errorf") == nil || model.Func("errorf") == nil {
		return
	}
	for fn := range ssautil.AllFunctions(prog) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok && call.Common().StaticCallee() == model.Func("Errorf") {
					if instead := model.Func(errorfFor(call.Common().Args[0])); instead != nil {
						call.Common().Value = instead
					}
				}
			}
		}
	}
}

// errorfFor is the name of the function of the model for a format: errorf, and for each verb %w the number of its
// operand. It is empty if the format is no constant, or indexes its operands.
func errorfFor(format ssa.Value) string {
	k, ok := format.(*ssa.Const)
	if !ok || k.Value == nil || k.Value.Kind() != constant.String {
		return ""
	}
	name, operand := "errorf", 0
	for rest := constant.StringVal(k.Value); ; {
		at := strings.IndexByte(rest, '%')
		if at < 0 {
			break
		}
		rest = strings.TrimLeft(rest[at+1:], "+-# 0123456789.")
		switch {
		case rest == "" || rest[0] == '[' || rest[0] == '*':
			return ""
		case rest[0] == '%':
		case rest[0] == 'w':
			name += fmt.Sprint("_", operand)
			operand++
		default:
			operand++
		}
		rest = rest[1:]
	}
	return name
}
