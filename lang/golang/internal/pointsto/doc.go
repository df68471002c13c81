// Package pointsto writes out the calls of a Go program in SSA form (golang.org/x/tools/go/ssa) from its entries, and
// finds together with them what its pointers may point to. It knows go/ssa and nothing of steps.
//
// The analysis is inclusion-based (Andersen, Program Analysis and Specialization for the C Programming Language, 1994,
// chapter 4), field-sensitive, with one element for all elements of an array, and ignores the order of instructions. It
// is fully context-sensitive by cloning: an Instance is a function written out for one chain of call sites, with
// registers and allocation sites of its own. Whether a call through a function value or an interface has an instance is
// decided by the objects that reach it, so the graph of calls grows while the constraints are solved. Chains end where
// a function would be inside itself more often than Options.Recursion, and Analyse refuses programs with more
// instructions than Options.Nodes.
//
// A value is a row of words that may point: one for each pointer, slice, channel, map, function and interface in it, in
// the order of fields; an array has the words of one element. Each register and each object has a row of nodes, and a
// place (object and path of fields) is the part of the row that begins at its first node. Constraints are copies
// between nodes, and loads, stores, offsets, type assertions and calls that wait at the node of a pointer and see each
// new place once.
//
// What must hold of a program: all functions that Options.External does not exclude are built, generics are
// instantiated (ssa.InstantiateGenerics). What the result does not hold for is listed in Result.Unsupported.
//
//	pointsto.go    Options, Analyse, Result, Unsupported: the whole analysis in order; what is asked of the result
//	instance.go    Instance, Callee; writing out calls, bound of recursion, entries, which chain is too large
//	object.go      Object, Place and its parts; words of a type, what implements an interface
//	function.go    numbering the words of a function's registers; constraints of calls, append, copy, recover, ...
//	generate.go    constraints of each instruction
//	constraint.go  load, store, offset, assertions: what a new place brings
//	graph.go       nodes, their sets, copies between them; the worklist
package pointsto
