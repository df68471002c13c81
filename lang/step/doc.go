// Package step is the internal step form: the one representation of a checked program that everything behind the front
// end consumes (exploration, synthesis of constraints, the oracle, slicing), and the machine that executes it.
//
// A Program has shared variables and templates. A Template is the code of one declared thread: a control-flow graph of
// Nodes. Each Node is one elementary action without hidden effects: expressions are pure, and what the language offers
// as one operation (lock, cas, pop, send) has been lowered to elementary nodes. Nodes marked Visible begin a step; a
// step is its visible node and everything that follows up to the next visible node. Only the first node of a step may
// block (Await, guarded Choose). A Proc is one running instance of a template.
//
// Invariants, checked by Program.Validate:
//
//   - every Await node is Visible; every node that touches shared state is Visible or reachable only from inside a
//     step;
//
//   - successors are indices into Template.Nodes, or End;
//
//   - a Choose node is Visible and knows only locals, but for its Cond; no other node is nondeterministic;
//
//   - functions see only their own locals, never block, and know nothing of the process that calls them;
//
//   - offsets of variables do not overlap and lie inside SharedWords or Template.LocalWords;
//
//   - a Check node with a Property is the last of its step, others of that kind aside;
//
//   - the nodes before the first visible node (the prelude) touch nothing shared.
//
//     form.go        the form, what processes wait for, operations that are recorded
//     names.go       what people call processes, steps and places
//     expr.go        the parts of an expression; sums over arrays
//     compile.go     nodes and expressions as closures; values.go operations on composite values
//     machine.go     states and their execution; choice.go steps with alternatives
//     spawn.go       processes that start later, and which are which
//     steps.go       what is known of the steps of all processes; locals that are still read
//     counts.go      words that steps add to and others wait for
//     footprint.go   what a step, or its guard, may touch, also when little is known of the values
//     trace.go       what steps read and write, for people; coverage.go which nodes were executed
//     carried.go     a program as bytes, for other processes
//     validate.go    the invariants above
//
// The form knows nothing of YAML, of the surface syntax, or of any reduction.
package step
