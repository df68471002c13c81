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
//     form.go        the form; machine.go states and their execution, processes.go what a state says of each process
//     steps.go       what is known of the steps of all processes; trace.go what steps read and write, for people
//     compile.go     nodes and expressions as closures; values.go operations on composite values, calls.go functions
//     choice.go      steps with alternatives; spawn.go processes that start later, identities.go which are which
//     footprint.go   what a step may touch; prospect.go when little is known of the values, guard.go of its guard only
//     walk.go        the parts of an expression
//     parts.go       expressions taken apart; total.go sums over arrays; log.go which words a step has written
//     liveness.go    locals that are still read; coverage.go which nodes were executed
//     operations.go  operations that a program records
//     carried.go     a program as bytes, for other processes
//     bounds.go      bounds of the front end that executions have hit; loaded.go what else a front end knows
//     names.go       what people call processes, steps and places; waits.go what they wait for
//     validate.go    the invariants above
//
// The form knows nothing of YAML, of the surface syntax, or of any reduction.
package step
