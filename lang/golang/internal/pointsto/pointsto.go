package pointsto

import (
	"context"
	"go/types"

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
