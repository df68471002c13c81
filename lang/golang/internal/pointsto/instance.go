package pointsto

import (
	"fmt"
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// An Instance is a function written out for one chain of calls.
type Instance struct {
	Func   *ssa.Function
	Caller *Instance           // nil for an entry
	Site   ssa.CallInstruction // in Caller.Func: *ssa.Call, *ssa.Go or *ssa.Defer; nil for an entry
	Index  int                 // in Result.Instances, equal from run to run; a caller's is smaller

	words   *function
	first   int32 // first node of its registers
	calls   map[ssa.CallInstruction][]Callee
	entered map[entered]*Instance
	objects map[ssa.Value]*Object
}

// entered is a call of an instance and a function that it may go to.
type entered struct {
	site ssa.CallInstruction
	fn   *ssa.Function
}

// Process is the instance whose goroutine runs the instance: that of a go statement, or an entry. For a deferred call
// it is the process of the function that defers.
func (i *Instance) Process() *Instance {
	for i.Caller != nil {
		if _, ok := i.Site.(*ssa.Go); ok {
			break
		}
		i = i.Caller
	}
	return i
}

// Chain is the calls that lead to the instance, the entry's first.
func (i *Instance) Chain() []ssa.CallInstruction {
	if i.Caller == nil {
		return nil
	}
	return append(i.Caller.Chain(), i.Site)
}

// A Callee is a way a call may go.
type Callee struct {
	Instance *Instance // nil: not entered, since external or TooDeep
	Func     *ssa.Function
	TooDeep  bool // beyond Options.Recursion

	// Object is the function or closure called, for calls through a function value and of a function literal at its
	// place.
	Object *Object
	// Type is the dynamic type of the receiver, for calls through an interface.
	Type types.Type
}

// newInstance writes out a function for a call.
func (s *solver) newInstance(fn *ssa.Function, caller *Instance, site ssa.CallInstruction) *Instance {
	words := s.function(fn)
	in := &Instance{
		Func: fn, Caller: caller, Site: site, Index: len(s.result.Instances),
		words: words, first: s.newNodes(words.size), calls: map[ssa.CallInstruction][]Callee{},
		entered: map[entered]*Instance{}, objects: map[ssa.Value]*Object{},
	}
	s.result.Instances = append(s.result.Instances, in)
	s.begun = append(s.begun, in)
	s.size += words.instructions
	return in
}

// enter is the instance of a function for a call, made if it is new; nil if the function is not entered, tooDeep if
// that is because of the bound of recursion.
func (s *solver) enter(in *Instance, site ssa.CallInstruction, fn *ssa.Function) (callee *Instance, tooDeep bool) {
	key := entered{site, fn}
	if callee = in.entered[key]; callee != nil {
		return callee, false
	}
	if !s.enters(in, site, fn) {
		return nil, false
	}
	inside := 0
	for i := in; i != nil; i = i.Caller {
		if i.Func == fn {
			inside++
		}
	}
	if inside >= s.opt.Recursion {
		return nil, true
	}
	callee = s.newInstance(fn, in, site)
	in.entered[key] = callee
	s.passArguments(callee)
	return callee, false
}

// enters reports whether calls of a function are written out.
func (s *solver) enters(in *Instance, site ssa.CallInstruction, fn *ssa.Function) bool {
	switch {
	case isInit(fn) && isInit(in.Func): // an entry of its own if it is needed
		return false
	case fn.Pkg != nil && fn.Pkg.Pkg.Path() == "reflect":
		s.unsupported(in, site, Reflection)
		return false
	case fn.TypeParams().Len() > len(fn.TypeArgs()):
		s.unsupported(in, site, "call of a generic function that is not instantiated")
		return false
	}
	return s.hasBody(fn)
}

func (s *solver) hasBody(fn *ssa.Function) bool {
	return fn.Blocks != nil && (s.opt.External == nil || !s.opt.External(fn))
}

// isInit reports whether a function initialises a package: not a function init of the source, which that calls.
func isInit(fn *ssa.Function) bool {
	return fn.Pkg != nil && fn == fn.Pkg.Func("init")
}

// needsInit adds the initialiser of a package of whose variables reachable code has one.
func (s *solver) needsInit(pkg *ssa.Package) {
	if _, known := s.inits[pkg]; known {
		return
	}
	s.inits[pkg] = nil
	if fn := pkg.Func("init"); fn != nil && s.hasBody(fn) {
		s.inits[pkg] = s.newInstance(fn, nil, nil)
		s.added = append(s.added, pkg)
	}
}

// addedInits are the instances of needsInit, those of imported packages first.
func (s *solver) addedInits() []*Instance {
	var order []*Instance
	wanted := map[*types.Package]*Instance{}
	for _, pkg := range s.added {
		wanted[pkg.Pkg] = s.inits[pkg]
	}
	visited := map[*types.Package]bool{}
	var visit func(*types.Package)
	visit = func(pkg *types.Package) {
		if visited[pkg] {
			return
		}
		visited[pkg] = true
		for _, imported := range pkg.Imports() {
			visit(imported)
		}
		if in := wanted[pkg]; in != nil {
			order = append(order, in)
		}
	}
	for _, pkg := range s.added {
		visit(pkg.Pkg)
	}
	return order
}

// A TooLargeError says that a program has too many instructions when all its calls are written out.
type TooLargeError struct {
	Limit int // Options.Nodes
	// Chain leads from an entry to the instance that makes the program so large: each but the first has at least half
	// of the instructions of the one before with all that it calls.
	Chain []*Instance
	// Sizes are, for each of Chain, the instructions of it and all that it calls, as far as they were written out.
	Sizes []int
}

// Error names the functions of the chain, the places of their calls, and the instructions of the last.
func (e *TooLargeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "more than %d instructions when all calls are written out: %d of them in ", e.Limit,
		e.Sizes[len(e.Sizes)-1])
	for i, in := range e.Chain {
		if i == 0 {
			b.WriteString(in.Func.String())
		} else {
			fmt.Fprintf(&b, ", which calls %s (%s)", in.Func, in.Func.Prog.Fset.Position(in.Site.Pos()))
		}
	}
	return b.String()
}

// tooLarge finds the chain of calls that has most of the instructions.
func (s *solver) tooLarge() error {
	total := make([]int, len(s.result.Instances))
	heaviest := make([]*Instance, len(s.result.Instances))
	var top *Instance
	for i := len(total) - 1; i >= 0; i-- { // callees come after their callers
		in := s.result.Instances[i]
		total[i] += in.words.instructions
		if in.Caller == nil {
			if top == nil || total[i] >= total[top.Index] {
				top = in
			}
			continue
		}
		c := in.Caller.Index
		total[c] += total[i]
		if h := heaviest[c]; h == nil || total[i] >= total[h.Index] {
			heaviest[c] = in
		}
	}
	e := &TooLargeError{Limit: s.opt.Nodes}
	for in := top; ; in = heaviest[in.Index] {
		e.Chain = append(e.Chain, in)
		e.Sizes = append(e.Sizes, total[in.Index])
		if h := heaviest[in.Index]; h == nil || 2*total[h.Index] < total[in.Index] {
			return e
		}
	}
}

// Instructions are those of a function, block by block.
func Instructions(fn *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !yield(i) {
					return
				}
			}
		}
	}
}
