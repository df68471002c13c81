package pointsto

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// An Object stands for the memory that an allocation site makes in one instance.
type Object struct {
	// Site is a *ssa.Global, a *ssa.Function, or the instruction that makes the object: *ssa.Alloc, *ssa.MakeChan,
	// *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeClosure, *ssa.MakeInterface, *ssa.Call of append (its new array), or
	// *ssa.Convert and *ssa.MultiConvert of a string to bytes or runes.
	Site ssa.Value
	In   *Instance // nil for globals and functions
	// Type is the type of the contents: of the variable for Alloc and Global, the dynamic type for MakeInterface, an
	// array of unknown length for what slices point to; else the type of the channel, map or function itself.
	Type  types.Type
	Elem  types.Type // type of the elements for channels and arrays of unknown length, else nil
	Index int        // in Result.Objects, equal from run to run

	root  *part
	words int // of its contents
}

// Place is the whole object.
func (o *Object) Place() Place {
	return Place{o, o.root}
}

// A Place is an object or a part of it. Places of one Result are equal if they are the same part of the same object.
type Place struct {
	Object *Object
	part   *part
}

// part is an interned part of an object.
type part struct {
	object *Object
	typ    types.Type
	path   []int
	first  int32 // first node of its words
	id     int32 // in heap.parts
	parts  []child
}

type child struct {
	step int
	part *part
}

// Path has the numbers of fields that lead to the part; Element for an element of an array, slice or channel, Key and
// Value for those of a map, and the number of the captured variable for a closure. It must not be changed.
func (p Place) Path() []int {
	return p.part.path
}

// Type is the type of what is stored at the place.
func (p Place) Type() types.Type {
	return p.part.typ
}

// heap has the objects and their parts, and the nodes of their words.
type heap struct {
	graph
	shapes
	objects []*Object
	parts   []*part
}

// newObject makes the object of a site; row is the number of words of its contents.
func (h *heap) newObject(site ssa.Value, in *Instance, typ types.Type) *Object {
	o := &Object{Site: site, In: in, Type: typ, Index: len(h.objects)}
	h.objects = append(h.objects, o)
	row := 0
	switch site := site.(type) {
	case *ssa.MakeChan:
		o.Elem = typ.Underlying().(*types.Chan).Elem()
		row = h.width(o.Elem)
	case *ssa.MakeMap:
		m := typ.Underlying().(*types.Map)
		row = h.width(m.Key()) + h.width(m.Elem())
	case *ssa.MakeClosure:
		for _, b := range site.Bindings {
			row += h.width(b.Type())
		}
	case *ssa.Function:
	default:
		if a, ok := typ.(*types.Array); ok && a.Len() < 0 {
			o.Elem = a.Elem()
		}
		row = h.width(typ)
	}
	o.root = h.newPart(o, typ, nil, h.newNodes(row))
	o.words = row
	return o
}

func (h *heap) newPart(o *Object, typ types.Type, path []int, first int32) *part {
	p := &part{object: o, typ: typ, path: path, first: first, id: int32(len(h.parts))}
	h.parts = append(h.parts, p)
	return p
}

// below is a part of a part, or nil if its type has none of that name (as after conversions by unsafe).
func (h *heap) below(p *part, step int) *part {
	for _, c := range p.parts {
		if c.step == step {
			return c.part
		}
	}
	typ, offset := h.contents(p, step)
	if typ == nil {
		return nil
	}
	q := h.newPart(p.object, typ, append(slices.Clone(p.path), step), p.first+offset)
	p.parts = append(p.parts, child{step, q})
	return q
}

// isReference says that a place is a channel, map or function itself, in which only parts are stored.
func (p *part) isReference() bool {
	if len(p.path) > 0 {
		return false
	}
	switch p.object.Site.(type) {
	case *ssa.MakeChan, *ssa.MakeMap, *ssa.MakeClosure, *ssa.Function:
		return true
	}
	return false
}

// contents is the type of a part of a part and its first word in the row.
func (h *heap) contents(p *part, step int) (types.Type, int32) {
	if len(p.path) == 0 {
		switch site := p.object.Site.(type) {
		case *ssa.MakeChan:
			if step == Element {
				return p.object.Elem, 0
			}
			return nil, 0
		case *ssa.MakeMap:
			m := p.typ.Underlying().(*types.Map)
			switch step {
			case Key:
				return m.Key(), 0
			case Value:
				return m.Elem(), int32(h.width(m.Key()))
			}
			return nil, 0
		case *ssa.MakeClosure:
			if step < 0 || step >= len(site.Bindings) {
				return nil, 0
			}
			first := 0
			for _, b := range site.Bindings[:step] {
				first += h.width(b.Type())
			}
			return site.Bindings[step].Type(), int32(first)
		}
	}
	return h.part(p.typ, step)
}

// Pos is the position of the site. Some sites have none, as values that become an interface without a conversion: then
// it is that of the function literal, of the value, or of the next instruction that has one.
func (o *Object) Pos() token.Pos {
	instr, ok := o.Site.(ssa.Instruction)
	if !ok || o.Site.Pos().IsValid() {
		return o.Site.Pos()
	}
	switch site := o.Site.(type) {
	case *ssa.MakeClosure:
		return site.Fn.Pos()
	case *ssa.MakeInterface:
		if x, ok := site.X.(ssa.Instruction); ok && x.Block() == site.Block() && x.Pos().IsValid() {
			return x.Pos()
		}
	}
	rest := instr.Block().Instrs
	for _, next := range rest[slices.Index(rest, instr):] {
		if next.Pos().IsValid() {
			return next.Pos()
		}
	}
	return o.In.Func.Pos()
}

// String names an object by its variable or kind and line, and the lines of the calls it was written out for, as in
// "complit:12[30,7]".
func (o *Object) String() string {
	what := ""
	switch site := o.Site.(type) {
	case *ssa.Global, *ssa.Function:
		return o.Site.(ssa.Member).RelString(nil)
	case *ssa.Alloc:
		what = site.Comment
	case *ssa.Call:
		what = "append"
	case *ssa.MakeInterface:
		what = "interface " + types.TypeString(o.Type, func(p *types.Package) string { return p.Name() })
	default:
		what = strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", site), "*ssa."))
	}
	var lines []string
	fset := o.In.Func.Prog.Fset
	for _, site := range o.In.Chain() {
		lines = append(lines, fmt.Sprint(fset.Position(site.Pos()).Line))
	}
	text := fmt.Sprintf("%s:%d", what, fset.Position(o.Pos()).Line)
	if len(lines) > 0 {
		text += "[" + strings.Join(lines, ",") + "]"
	}
	return text
}

// Steps of a path that are not fields.
const (
	// Element is an element of an array, slice or channel.
	Element = -1
	// Key is a key of a map.
	Key = -2
	// Value is a value of a map.
	Value = -3
)

// shapes remembers what types say: their words, and which interfaces they implement.
type shapes struct {
	widths     map[types.Type]int
	implements map[[2]types.Type]bool
}

// width is the number of words of a type that may point.
func (s *shapes) width(t types.Type) int {
	w, known := s.widths[t]
	if known {
		return w
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			w = 1
		}
	case *types.Pointer, *types.Slice, *types.Chan, *types.Map, *types.Signature, *types.Interface:
		w = 1
	case *types.Array:
		w = s.width(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			w += s.width(f.Type())
		}
	case *types.Tuple:
		for v := range u.Variables() {
			w += s.width(v.Type())
		}
	}
	s.widths[t] = w
	return w
}

// part is the type of a part of a type, and its first word in the row; nil if there is no such part.
func (s *shapes) part(t types.Type, step int) (types.Type, int32) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		if step == Element {
			return u.Elem(), 0
		}
	case *types.Struct:
		if 0 <= step && step < u.NumFields() {
			first := 0
			for i := range step {
				first += s.width(u.Field(i).Type())
			}
			return u.Field(step).Type(), int32(first)
		}
	case *types.Tuple:
		if 0 <= step && step < u.Len() {
			first := 0
			for i := range step {
				first += s.width(u.At(i).Type())
			}
			return u.At(step).Type(), int32(first)
		}
	}
	return nil, 0
}

// isA reports whether a type implements an interface.
func (s *shapes) isA(t, iface types.Type) bool {
	key := [2]types.Type{t, iface}
	is, known := s.implements[key]
	if !known {
		is = types.Implements(t, iface.Underlying().(*types.Interface))
		s.implements[key] = is
	}
	return is
}

// pointee is the element type of a pointer type.
func pointee(t types.Type) types.Type {
	return t.Underlying().(*types.Pointer).Elem()
}

// backing is the type of what a slice of type t points to: an array of unknown length.
func backing(t types.Type) types.Type {
	return types.NewArray(t.Underlying().(*types.Slice).Elem(), -1)
}
