package pointsto

import (
	"cmp"
	"context"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Options say where to begin and what not to enter.
type Options struct {
	// Entries are called one after the other by the root: the initialisers of packages, then a test, say.
	Entries []*ssa.Function
	// Recursion is how many calls of one function may be inside each other (0: 3).
	Recursion int
	// Nodes is the largest number of instructions of all instances together (0: 100,000).
	Nodes int
	// External says of a function with a body that it is not entered. Functions without a body never are, nor are those
	// of package reflect. It is asked about functions that have no package too: wrappers, thunks, bound methods.
	External func(*ssa.Function) bool
}

// A Result has the instances and objects that Analyse found. Its methods may intern places: one goroutine at a time
// calls them.
type Result struct {
	// Entries are the instances that the root calls, in order of execution: first the added initialisers of packages,
	// each after those of the packages it imports, then Options.Entries.
	Entries     []*Instance
	Instances   []*Instance // by Index
	Objects     []*Object   // by Index
	Unsupported []Unsupported

	solver *solver
}

// Unsupported is an instruction for which the result may miss something.
type Unsupported struct {
	In    *Instance
	Instr ssa.Instruction
	Why   string // without a final stop
}

// Reflection is the reason why calls of package reflect are unsupported.
const Reflection = "reflection"

// Analyse writes out the calls of a program from the entries and finds what its pointers may point to. The error is a
// *TooLargeError, or says why the context has ended.
func Analyse(ctx context.Context, prog *ssa.Program, opt Options) (*Result, error) {
	if opt.Recursion == 0 {
		opt.Recursion = 3
	}
	if opt.Nodes == 0 {
		opt.Nodes = 100_000
	}
	s := &solver{
		prog: prog, opt: opt, result: &Result{},
		functions: map[*ssa.Function]*function{}, globals: map[ssa.Value]*Object{}, addresses: map[ssa.Value]int32{},
		inits: map[*ssa.Package]*Instance{}, panics: map[*Instance]int32{},
		heap:   heap{shapes: shapes{map[types.Type]int{}, map[[2]types.Type]bool{}}},
		listed: map[Unsupported]bool{},
	}
	s.result.solver = s
	var entries []*Instance
	for _, fn := range opt.Entries {
		in := s.newInstance(fn, nil, nil)
		if fn.Pkg != nil && fn == fn.Pkg.Func("init") {
			s.inits[fn.Pkg] = in
		}
		entries = append(entries, in)
	}
	if err := s.solve(ctx); err != nil {
		return nil, err
	}
	s.result.Objects = s.objects
	s.result.Entries = append(s.addedInits(), entries...)
	return s.result, nil
}

// Callees are the ways a call of an instance may go, in an order that is equal from run to run: none for functions of
// the language, and where no function or object reaches the call (it is never reached, or through nil or an external
// function).
func (r *Result) Callees(in *Instance, site ssa.CallInstruction) []Callee {
	return in.calls[site]
}

// Object finds the object of an allocation site in an instance; nil if it is none. For a variable of a package and a
// function the instance is not looked at, and nil is for those that no instance refers to.
func (r *Result) Object(in *Instance, site ssa.Value) *Object {
	switch site.(type) {
	case *ssa.Global, *ssa.Function:
		return r.solver.globals[site]
	}
	return in.objects[site]
}

// Part is a part of a place.
func (r *Result) Part(p Place, path ...int) (Place, bool) {
	at := p.part
	for _, step := range path {
		if at = r.solver.below(at, step); at == nil {
			return Place{}, false
		}
	}
	return Place{p.Object, at}, true
}

// Targets are the places that a register (pointer, slice, channel, map or function), or a pointer in a register at a
// path of fields, may point to when it is not nil: a slice to its whole array. They are in the order of objects and
// paths.
func (r *Result) Targets(in *Instance, v ssa.Value, path ...int) []Place {
	n, typ := r.register(in, v, path)
	return r.places(n, typ)
}

// Dynamic are the values, by the places that made them an interface (*ssa.MakeInterface), that a register or a part of
// it, of an interface type, may hold when it is not nil. What recover returns may besides be an error of the run-time
// system, which has no object.
func (r *Result) Dynamic(in *Instance, v ssa.Value, path ...int) []*Object {
	n, typ := r.register(in, v, path)
	return r.dynamic(n, typ)
}

// Content are the places that a pointer stored at a part of a place may point to, as Targets does for registers.
func (r *Result) Content(p Place, path ...int) []Place {
	n, typ := r.stored(p, path)
	return r.places(n, typ)
}

// Pointed are the places that the values of an interface in a register point to: those of a dynamic type, or of any
// for nil.
func (r *Result) Pointed(in *Instance, v ssa.Value, of types.Type) (list []Place) {
	for _, o := range r.Dynamic(in, v) {
		if of == nil || types.Identical(o.Type, of) {
			list = append(list, r.Content(o.Place())...)
		}
	}
	return list
}

// Held are the objects that something stored in an object may refer to; Registers those that a register of an instance
// may. Both are in the order of the objects.
func (r *Result) Held(o *Object) []*Object {
	return r.referred(o.root.first, o.words)
}

// Registers are the objects that a register of an instance may refer to.
func (r *Result) Registers(in *Instance) []*Object {
	return r.referred(in.first, in.words.size)
}

// referred are the objects in the sets of a row of nodes.
func (r *Result) referred(first int32, n int) []*Object {
	found := map[*Object]bool{}
	for k := range int32(n) {
		for _, id := range r.solver.nodes[first+k].places.list {
			found[r.solver.parts[id].object] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b *Object) int { return cmp.Compare(a.Index, b.Index) })
}

// register is the node of a part of a register, and its type.
func (r *Result) register(in *Instance, v ssa.Value, path []int) (int32, types.Type) {
	row, typ := none, v.Type()
	switch v.(type) {
	case *ssa.Const, *ssa.Builtin:
	case *ssa.Global, *ssa.Function:
		if n, ok := r.solver.addresses[v]; ok {
			row = n
		}
	default:
		row = r.solver.row(in, v)
	}
	for _, step := range path {
		part, word := r.solver.part(typ, step)
		if part == nil {
			return none, nil
		}
		row, typ = wordsFrom(row, word), part
	}
	return row, typ
}

// stored is the node of a part of a place, and its type.
func (r *Result) stored(p Place, path []int) (int32, types.Type) {
	q, ok := r.Part(p, path...)
	if !ok || q.part.isReference() {
		return none, nil
	}
	return q.part.first, q.part.typ
}

// places are the set of a node of a pointer.
func (r *Result) places(n int32, typ types.Type) []Place {
	if n == none || typ == nil || types.IsInterface(typ) || r.solver.width(typ) != 1 || isAggregate(typ) {
		return nil
	}
	var list []Place
	for _, id := range r.solver.nodes[n].places.list {
		p := r.solver.parts[id]
		list = append(list, Place{p.object, p})
	}
	slices.SortFunc(list, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Object.Index, b.Object.Index), slices.Compare(a.part.path, b.part.path))
	})
	return list
}

// dynamic are the objects in the set of a node of an interface.
func (r *Result) dynamic(n int32, typ types.Type) []*Object {
	if n == none || typ == nil || !types.IsInterface(typ) {
		return nil
	}
	var list []*Object
	for _, id := range r.solver.nodes[n].places.list {
		list = append(list, r.solver.parts[id].object)
	}
	slices.SortFunc(list, func(a, b *Object) int { return cmp.Compare(a.Index, b.Index) })
	return list
}

func isAggregate(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array, *types.Tuple:
		return true
	}
	return false
}
