// Package happens has executions and their happens-before relation (POPL'14) under a dependence relation that may
// depend on the state (../../THEORY.md, "Independence" to "Disabled steps").
//
//	execution.go      a sequence of events, and which of the ways to look at it are taken
//	machine.go        what an execution knows of the program
//	events.go         transitions, events, and what is kept of them per level
//	relation.go       when two transitions are dependent: footprints, constraints
//	past.go           vector clocks, and what happens before an event
//	happensbefore.go  happens-before and races of a transition: the definition, and the way that suits most steps
//
// Ways to the same answers with less work, each of which can be switched off:
//
//	accesses.go        the events that a transition may be in conflict with, by location
//	counterfactual.go  what a guard would find if only some events had run
//	counts.go          counts that a guard waits for, and the events that it needs for that
//
// What must hold of all that:
//
//	validate.go  checks of clocks and accesses, for tests
package happens
