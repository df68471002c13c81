package pointsto

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// generate makes the constraints of an instance.
func (s *solver) generate(in *Instance) {
	for _, g := range in.words.variables {
		s.address(g)
	}
	for instr := range Instructions(in.Func) {
		s.instruction(in, instr)
	}
}

// instruction makes the constraints of an instruction.
func (s *solver) instruction(in *Instance, instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.Alloc, *ssa.MakeChan, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeInterface, *ssa.MakeClosure:
		s.allocation(in, v.(ssa.Value))
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.Extract, *ssa.Lookup, *ssa.Next:
		s.selection(in, v.(ssa.Value))
	case *ssa.UnOp:
		s.unary(in, v)
	case *ssa.Phi:
		for _, e := range v.Edges {
			s.assign(in, v, e)
		}
	case *ssa.ChangeType:
		s.assign(in, v, v.X)
	case *ssa.ChangeInterface:
		s.assign(in, v, v.X)
	case *ssa.SliceToArrayPointer:
		s.assign(in, v, v.X)
	case *ssa.Range:
		s.copyRow(s.row(in, v), s.row(in, v.X), 1)
	case *ssa.Slice:
		s.copyRow(s.row(in, v), s.row(in, v.X), 1)
	case *ssa.Convert:
		s.conversion(in, v, v.X)
	case *ssa.MultiConvert:
		s.conversion(in, v, v.X)
	case *ssa.TypeAssert:
		s.assertion(in, v)
	case *ssa.Store:
		s.store(s.row(in, v.Addr), whole, in, v.Val)
	case *ssa.MapUpdate:
		s.store(s.row(in, v.Map), Key, in, v.Key)
		s.store(s.row(in, v.Map), Value, in, v.Value)
	case *ssa.Send:
		s.store(s.row(in, v.Chan), Element, in, v.X)
	case *ssa.Select:
		s.selectStates(in, v)
	case *ssa.Return:
		s.results(in, v)
	case *ssa.Panic:
		s.copyRow(s.panicsWith(in), s.row(in, v.X), 1)
	case ssa.CallInstruction:
		s.call(in, v)
	case *ssa.BinOp, *ssa.Jump, *ssa.If, *ssa.RunDefers, *ssa.DebugRef:
	default:
		s.unsupported(in, instr, fmt.Sprintf("instruction %T", instr))
	}
}

func (s *solver) unsupported(in *Instance, instr ssa.Instruction, why string) {
	u := Unsupported{in, instr, why}
	if !s.listed[u] {
		s.listed[u] = true
		s.result.Unsupported = append(s.result.Unsupported, u)
	}
}

// assign copies all words of a register.
func (s *solver) assign(in *Instance, dst, src ssa.Value) {
	s.copyRow(s.row(in, dst), s.row(in, src), min(s.width(dst.Type()), s.width(src.Type())))
}

// load copies what is stored at a part of what a pointer points to.
func (s *solver) load(dst, pointer int32, step int, typ types.Type) {
	if n := s.width(typ); n > 0 && dst != none {
		s.wait(pointer, loads(dst, step, n))
	}
}

// store copies a value to a part of what a pointer points to.
func (s *solver) store(pointer int32, step int, in *Instance, val ssa.Value) {
	if src := s.row(in, val); src != none {
		s.wait(pointer, stores(src, step, s.width(val.Type())))
	}
}

// make is the object of an allocation site; its register points to it.
func (s *solver) make(in *Instance, site ssa.Value, typ types.Type) *Object {
	o := s.newObject(site, in, typ)
	in.objects[site] = o
	s.include(s.row(in, site), o.root.id)
	return o
}

// allocation makes the constraints of an instruction that makes an object.
func (s *solver) allocation(in *Instance, site ssa.Value) {
	switch v := site.(type) {
	case *ssa.Alloc:
		s.make(in, v, pointee(v.Type()))
	case *ssa.MakeChan, *ssa.MakeMap:
		s.make(in, v, v.Type())
	case *ssa.MakeSlice:
		s.make(in, v, backing(v.Type()))
	case *ssa.MakeInterface:
		o := s.make(in, v, v.X.Type())
		s.copyRow(o.root.first, s.row(in, v.X), s.width(v.X.Type()))
	case *ssa.MakeClosure:
		word := s.make(in, v, v.Type()).root.first
		for _, b := range v.Bindings {
			n := s.width(b.Type())
			s.copyRow(word, s.row(in, b), n)
			word += int32(n)
		}
	}
}

// selection makes the constraints of an instruction that yields a part.
func (s *solver) selection(in *Instance, result ssa.Value) {
	dst := s.row(in, result)
	switch v := result.(type) {
	case *ssa.FieldAddr:
		s.wait(s.row(in, v.X), offset(dst, v.Field))
	case *ssa.IndexAddr:
		s.wait(s.row(in, v.X), offset(dst, Element))
	case *ssa.Field:
		s.copyPart(in, v, v.X, v.Field)
	case *ssa.Index:
		s.copyPart(in, v, v.X, Element)
	case *ssa.Extract:
		s.copyPart(in, v, v.Tuple, v.Index)
	case *ssa.Lookup:
		s.load(dst, s.row(in, v.X), Value, firstIf(v.CommaOk, v.Type()))
	case *ssa.Next:
		tuple := v.Type().(*types.Tuple)
		for i, step := range []int{Key, Value} {
			_, word := s.part(tuple, 1+i)
			s.load(wordsFrom(dst, word), s.row(in, v.Iter), step, tuple.At(1+i).Type())
		}
	}
}

// firstIf is the type of the first component of a tuple, if it is one.
func firstIf(commaOk bool, t types.Type) types.Type {
	if commaOk {
		return t.(*types.Tuple).At(0).Type()
	}
	return t
}

// copyPart copies a part of a register.
func (s *solver) copyPart(in *Instance, dst, src ssa.Value, step int) {
	if typ, word := s.part(src.Type(), step); typ != nil {
		s.copyRow(s.row(in, dst), wordsFrom(s.row(in, src), word), s.width(dst.Type()))
	}
}

func (s *solver) unary(in *Instance, v *ssa.UnOp) {
	switch v.Op {
	case token.MUL:
		s.load(s.row(in, v), s.row(in, v.X), whole, v.Type())
	case token.ARROW:
		s.load(s.row(in, v), s.row(in, v.X), Element, firstIf(v.CommaOk, v.Type()))
	}
}

// conversion makes the array of bytes or runes of a string. Words of unsafe pointers are copied, though what they point
// to may be read as another type.
func (s *solver) conversion(in *Instance, v, x ssa.Value) {
	if _, ok := v.Type().Underlying().(*types.Slice); ok {
		s.make(in, v, backing(v.Type()))
		return
	}
	if isUnsafe(v.Type()) || isUnsafe(x.Type()) {
		s.unsupported(in, v.(ssa.Instruction), "unsafe.Pointer")
		s.assign(in, v, x)
	}
}

func isUnsafe(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

func (s *solver) assertion(in *Instance, v *ssa.TypeAssert) {
	if dst := s.row(in, v); dst != none {
		s.unpackTo(dst, s.row(in, v.X), v.AssertedType)
	}
}

// unpackTo copies what an interface holds and is of a type to a row.
func (s *solver) unpackTo(dst, from int32, typ types.Type) {
	if types.IsInterface(typ) {
		s.wait(from, filter(dst, typ))
	} else {
		s.wait(from, unpack(dst, typ, s.width(typ)))
	}
}

// selectStates makes the constraints of a select, whose value is (index, ok, received values...).
func (s *solver) selectStates(in *Instance, v *ssa.Select) {
	component := 2
	for _, state := range v.States {
		if state.Dir == types.SendOnly {
			s.store(s.row(in, state.Chan), Element, in, state.Send)
			continue
		}
		typ, word := s.part(v.Type(), component)
		s.load(wordsFrom(s.row(in, v), word), s.row(in, state.Chan), Element, typ)
		component++
	}
}

// results copies the results of a return to those of the instance.
func (s *solver) results(in *Instance, v *ssa.Return) {
	word := in.first + in.words.results
	for _, r := range v.Results {
		n := s.width(r.Type())
		s.copyRow(word, s.row(in, r), n)
		word += int32(n)
	}
}

// panicsWith is the node of what the process of an instance panics with.
func (s *solver) panicsWith(in *Instance) int32 {
	p := in.Process()
	n, ok := s.panics[p]
	if !ok {
		n = s.newNodes(1)
		s.panics[p] = n
	}
	return n
}
