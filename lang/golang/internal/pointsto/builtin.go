package pointsto

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// builtin makes the constraints of a call of a function of the language.
func (s *solver) builtin(in *Instance, site ssa.CallInstruction, fn *ssa.Builtin) {
	args := site.Common().Args
	switch fn.Name() {
	case "append":
		if call, ok := site.(*ssa.Call); ok {
			s.append(in, call)
		}
	case "copy":
		s.move(s.row(in, args[0]), s.row(in, args[1]), args[0].Type())
	case "panic":
		s.copyRow(s.panicsWith(in), s.row(in, args[0]), 1)
	case "recover":
		if call, ok := site.(*ssa.Call); ok {
			s.copyRow(s.row(in, call), s.panicsWith(in), 1)
		}
	case "ssa:wrapnilchk":
		s.assign(in, site.(*ssa.Call), args[0])
	case "Add", "Slice", "SliceData", "String", "StringData":
		s.unsupported(in, site, "unsafe."+fn.Name())
	}
}

// append yields the slice it is given or a new array, with the elements of both slices.
func (s *solver) append(in *Instance, call *ssa.Call) {
	args := call.Call.Args
	result, old := s.row(in, call), s.row(in, args[0])
	s.make(in, call, backing(call.Type()))
	s.move(result, old, call.Type()) // to the new array; the old one gets its own elements
	s.copyRow(result, old, 1)
	if len(args) > 1 {
		s.move(result, s.row(in, args[1]), call.Type())
	}
}

// move copies elements from one slice to another through a row of their own.
func (s *solver) move(dst, src int32, slice types.Type) {
	elem := slice.Underlying().(*types.Slice).Elem()
	n := s.width(elem)
	if n == 0 || dst == none || src == none {
		return
	}
	between := s.newNodes(n)
	s.wait(src, load{dst: between, step: Element, n: n})
	s.wait(dst, store{src: between, step: Element, n: n})
}
