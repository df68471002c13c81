package pointsto

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// none is the row of values that never point: constants, numbers.
const none int32 = -1

// function numbers the words of a function's registers.
type function struct {
	rows         map[ssa.Value]int32 // first word of a register; those without words are missing
	results      int32
	size         int // words
	instructions int // without debug references
	variables    []*ssa.Global
}

// function numbers the words of a function once for all instances.
func (s *solver) function(fn *ssa.Function) *function {
	if f := s.functions[fn]; f != nil {
		return f
	}
	f := &function{rows: map[ssa.Value]int32{}}
	s.functions[fn] = f
	add := func(v ssa.Value) {
		n := s.width(v.Type())
		if _, ok := v.(*ssa.Range); ok {
			n = 1 // the map
		}
		if n > 0 {
			f.rows[v] = int32(f.size)
			f.size += n
		}
	}
	for _, p := range fn.Params {
		add(p)
	}
	for _, v := range fn.FreeVars {
		add(v)
	}
	f.results = int32(f.size)
	f.size += s.width(fn.Signature.Results())
	var operands []*ssa.Value
	for instr := range Instructions(fn) {
		if _, ok := instr.(*ssa.DebugRef); ok {
			continue
		}
		f.instructions++
		if v, ok := instr.(ssa.Value); ok {
			add(v)
		}
		operands = instr.Operands(operands[:0])
		for _, o := range operands {
			if g, ok := (*o).(*ssa.Global); ok {
				f.variables = append(f.variables, g)
			}
		}
	}
	return f
}

// row is the first node of a value.
func (s *solver) row(in *Instance, v ssa.Value) int32 {
	switch v.(type) {
	case *ssa.Const, *ssa.Builtin:
		return none
	case *ssa.Global, *ssa.Function:
		return s.address(v)
	}
	if i, ok := in.words.rows[v]; ok {
		return in.first + i
	}
	return none
}

// wordsFrom is the part of a row that begins at a word.
func wordsFrom(row, word int32) int32 {
	if row == none {
		return none
	}
	return row + word
}

// address is the node that holds the address of a variable of a package, or a function.
func (s *solver) address(v ssa.Value) int32 {
	n, ok := s.addresses[v]
	if !ok {
		n = s.newNodes(1)
		s.addresses[v] = n
		s.include(n, s.global(v).root.id)
	}
	return n
}

// global is the object of a variable of a package, or a function.
func (s *solver) global(v ssa.Value) *Object {
	o := s.globals[v]
	if o == nil {
		if g, ok := v.(*ssa.Global); ok {
			o = s.newObject(g, nil, pointee(g.Type()))
			if g.Name() != "init$guard" {
				s.needsInit(g.Pkg)
			}
		} else {
			o = s.newObject(v, nil, v.Type())
		}
		s.globals[v] = o
	}
	return o
}

// call makes the constraints of a call, go or defer.
func (s *solver) call(in *Instance, site ssa.CallInstruction) {
	common := site.Common()
	if common.IsInvoke() {
		s.wait(s.row(in, common.Value), invoke(in, site))
		return
	}
	switch fn := common.Value.(type) {
	case *ssa.Builtin:
		s.builtin(in, site, fn)
	case *ssa.Function:
		if AssignsError(common) {
			s.wait(s.row(in, common.Args[1]), assigns(s.row(in, common.Args[0])))
		}
		callee, tooDeep := s.enter(in, site, fn)
		s.addCallee(in, site, Callee{Instance: callee, Func: fn, TooDeep: tooDeep})
	default:
		s.wait(s.row(in, fn), dynamic(in, site))
	}
}

func (s *solver) addCallee(in *Instance, site ssa.CallInstruction, c Callee) {
	in.calls[site] = append(in.calls[site], c)
}

// passArguments connects the parameters and results of a new instance with its call, but for the receiver of a method
// called through an interface.
func (s *solver) passArguments(callee *Instance) {
	common := callee.Site.Common()
	params := callee.Func.Params
	if common.IsInvoke() {
		params = params[1:]
	}
	for i, p := range params {
		s.copyRow(s.row(callee, p), s.row(callee.Caller, common.Args[i]), s.width(p.Type()))
	}
	if call, ok := callee.Site.(*ssa.Call); ok {
		s.copyRow(s.row(callee.Caller, call), callee.first+callee.words.results, s.width(call.Type()))
	}
}

// passReceiver gives the contents of an interface to a method.
func (s *solver) passReceiver(callee *Instance, p *part) {
	recv := callee.Func.Params[0]
	s.copyRow(s.row(callee, recv), p.first, s.width(recv.Type()))
}

// passCaptured gives the variables that a closure has captured to its function.
func (s *solver) passCaptured(callee *Instance, closure *Object) {
	word := closure.root.first
	for _, v := range callee.Func.FreeVars {
		n := s.width(v.Type())
		s.copyRow(s.row(callee, v), word, n)
		word += int32(n)
	}
}

// AssignsError reports whether a call stores its first operand where the second one, an interface, points to, if it is
// of that type: the function by which the model of package errors does so.
func AssignsError(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	return fn != nil && fn.Blocks == nil && fn.Name() == "assign" && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "errors"
}

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
	s.wait(src, loads(between, Element, n))
	s.wait(dst, stores(between, Element, n))
}
