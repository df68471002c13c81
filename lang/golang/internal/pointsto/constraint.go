package pointsto

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// whole stands for a place itself where a step is expected.
const whole = -4

// constraint waits at the node of a pointer and is told of the places in its set. It may see a place twice.
type constraint func(s *solver, p *part)

// loads copies n words at a part of the place to a row.
func loads(dst int32, step, n int) constraint {
	return func(s *solver, p *part) {
		if q := s.stored(p, step, n); q != nil {
			s.copyRow(dst, q.first, n)
		}
	}
}

// stores copies n words of a row to a part of the place.
func stores(src int32, step, n int) constraint {
	return func(s *solver, p *part) {
		if q := s.stored(p, step, n); q != nil {
			s.copyRow(q.first, src, n)
		}
	}
}

// stored is the part of a place that n words are loaded from or stored to; nil if it has not as many, which takes
// unsafe.
func (h *heap) stored(p *part, step, n int) *part {
	if step != whole {
		p = h.below(p, step)
	}
	if p == nil || p.isReference() || h.width(p.typ) != n {
		return nil
	}
	return p
}

// offset adds a part of the place to a node.
func offset(dst int32, step int) constraint {
	return func(s *solver, p *part) {
		if q := s.below(p, step); q != nil {
			s.include(dst, q.id)
		}
	}
}

// filter adds the object to a node if its dynamic type implements an interface.
func filter(dst int32, typ types.Type) constraint {
	return func(s *solver, p *part) {
		if s.isA(p.object.Type, typ) {
			s.include(dst, p.id)
		}
	}
}

// unpack copies the contents of the object, n words, to a row if its dynamic type is the one asserted.
func unpack(dst int32, typ types.Type, n int) constraint {
	return func(s *solver, p *part) {
		if types.Identical(p.object.Type, typ) {
			s.copyRow(dst, p.first, n)
		}
	}
}

// assigns stores, through the pointer that the object is, what an interface holds and is of the type pointed to.
func assigns(from int32) constraint {
	return func(s *solver, p *part) {
		pointer, ok := p.object.Type.Underlying().(*types.Pointer)
		if !ok {
			return
		}
		if n := s.width(pointer.Elem()); n > 0 {
			between := s.newNodes(n)
			s.unpackTo(between, from, pointer.Elem())
			s.wait(p.first, stores(between, whole, n))
		}
	}
}

// dynamic calls the place, which is a function or closure.
func dynamic(in *Instance, site ssa.CallInstruction) constraint {
	return func(s *solver, p *part) {
		var fn *ssa.Function
		switch made := p.object.Site.(type) {
		case *ssa.Function:
			fn = made
		case *ssa.MakeClosure:
			fn = made.Fn.(*ssa.Function)
		default:
			return
		}
		callee, tooDeep := s.enter(in, site, fn)
		if callee != nil {
			s.passCaptured(callee, p.object)
		}
		known := func(o Callee) bool { return o.Object == p.object }
		if !slices.ContainsFunc(in.calls[site], known) {
			s.addCallee(in, site, Callee{Instance: callee, Func: fn, TooDeep: tooDeep, Object: p.object})
		}
	}
}

// invoke calls a method of the dynamic type of the object.
func invoke(in *Instance, site ssa.CallInstruction) constraint {
	return func(s *solver, p *part) {
		common, typ := site.Common(), p.object.Type
		if !s.isA(typ, common.Value.Type()) {
			return
		}
		fn := s.prog.LookupMethod(typ, common.Method.Pkg(), common.Method.Name())
		callee, tooDeep := s.enter(in, site, fn)
		if callee != nil {
			s.passReceiver(callee, p)
		}
		known := func(o Callee) bool { return types.Identical(o.Type, typ) }
		if !slices.ContainsFunc(in.calls[site], known) {
			s.addCallee(in, site, Callee{Instance: callee, Func: fn, TooDeep: tooDeep, Type: typ})
		}
	}
}
