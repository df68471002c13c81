// Package reversal has the sequences that reverse races (POPL'14, section 4; ../../THEORY.md, "Disabled steps"):
// events of an execution from above some position, closed under happens-before there, and then a transition. It asks
// an execution and changes nothing: what is inserted where is up to the search.
//
//	selection.go     choosing events, their initials, and whether they can run
//	nondisabling.go  the part of notdep(e) that leaves a step with a guard enabled
//	reversal.go      v = notdep(e,E).n and its weak initials, told from the clocks of the execution
//	running.go       a sequence whose weak initials are found by running it
//	selected.go      the same of a program that is really run, told from clocks and footprints
//	order.go         what happens before what in a sequence that is run
package reversal
