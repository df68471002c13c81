package pointsto

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// whole stands for a place itself where a step is expected.
const whole = -4

// constraint waits at the node of a pointer and says what a place in its set brings. It may see a place twice.
type constraint interface {
	apply(s *solver, p *part)
}

// load copies n words at a part of the place to a row.
type load struct {
	dst  int32
	step int
	n    int
}

func (c load) apply(s *solver, p *part) {
	if q := s.stored(p, c.step, c.n); q != nil {
		s.copyRow(c.dst, q.first, c.n)
	}
}

// store copies n words of a row to a part of the place.
type store struct {
	src  int32
	step int
	n    int
}

func (c store) apply(s *solver, p *part) {
	if q := s.stored(p, c.step, c.n); q != nil {
		s.copyRow(q.first, c.src, c.n)
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
type offset struct {
	dst  int32
	step int
}

func (c offset) apply(s *solver, p *part) {
	if q := s.below(p, c.step); q != nil {
		s.include(c.dst, q.id)
	}
}

// filter adds the object to a node if its dynamic type implements an interface.
type filter struct {
	dst int32
	typ types.Type
}

func (c filter) apply(s *solver, p *part) {
	if s.isA(p.object.Type, c.typ) {
		s.include(c.dst, p.id)
	}
}

// unpack copies the contents of the object to a row if its dynamic type is the one asserted.
type unpack struct {
	dst int32
	typ types.Type
	n   int
}

func (c unpack) apply(s *solver, p *part) {
	if types.Identical(p.object.Type, c.typ) {
		s.copyRow(c.dst, p.first, c.n)
	}
}

// assign stores, through the pointer that the object is, what an interface holds and is of the type pointed to.
type assign struct{ from int32 }

func (c assign) apply(s *solver, p *part) {
	pointer, ok := p.object.Type.Underlying().(*types.Pointer)
	if !ok {
		return
	}
	if n := s.width(pointer.Elem()); n > 0 {
		between := s.newNodes(n)
		s.unpackTo(between, c.from, pointer.Elem())
		s.wait(p.first, store{src: between, step: whole, n: n})
	}
}

// dynamic calls the place, which is a function or closure.
type dynamic struct {
	in   *Instance
	site ssa.CallInstruction
}

func (c dynamic) apply(s *solver, p *part) {
	var fn *ssa.Function
	switch site := p.object.Site.(type) {
	case *ssa.Function:
		fn = site
	case *ssa.MakeClosure:
		fn = site.Fn.(*ssa.Function)
	default:
		return
	}
	callee, tooDeep := s.enter(c.in, c.site, fn)
	if callee != nil {
		s.passCaptured(callee, p.object)
	}
	known := func(o Callee) bool { return o.Object == p.object }
	if !slices.ContainsFunc(c.in.calls[c.site], known) {
		s.addCallee(c.in, c.site, Callee{Instance: callee, Func: fn, TooDeep: tooDeep, Object: p.object})
	}
}

// invoke calls a method of the dynamic type of the object.
type invoke struct {
	in   *Instance
	site ssa.CallInstruction
}

func (c invoke) apply(s *solver, p *part) {
	common, typ := c.site.Common(), p.object.Type
	if !s.isA(typ, common.Value.Type()) {
		return
	}
	fn := s.prog.LookupMethod(typ, common.Method.Pkg(), common.Method.Name())
	callee, tooDeep := s.enter(c.in, c.site, fn)
	if callee != nil {
		s.passReceiver(callee, p)
	}
	known := func(o Callee) bool { return types.Identical(o.Type, typ) }
	if !slices.ContainsFunc(c.in.calls[c.site], known) {
		s.addCallee(c.in, c.site, Callee{Instance: callee, Func: fn, TooDeep: tooDeep, Type: typ})
	}
}
