// Package dpor has the algorithms, each as a type in the file of its name, to be read beside its paper. An algorithm is
// a Strategy: it is called at each node of a depth-first search, and decides what is tried from there. What it knows of
// the program that is explored is a Program and the happens-before relation of internal/happens: no state, nor who
// takes what it adds.
//
// Begin with source.go; the others say what they do otherwise. To add an algorithm, write its type and its *Algorithm
// in a file, and name it in Algorithms (algorithms.go).
//
// One type per paper:
//
//	source.go       Source-DPOR (POPL'14, algorithm 1)
//	classic.go      with the backtrack sets of POPL'05
//	optimal.go      Optimal DPOR (POPL'14, algorithm 2); plans.go its wakeup trees (internal/wakeup); ledger.go, a
//	                faster form, which races need not be looked at again
//	contextual.go   context-sensitive DPOR (CAV'17); compensation.go what it tries because sleep sequences cut
//	                executions (../THEORY.md, "Sleep sequences")
//	constrained.go  constrained DPOR (CAV'18)
//	sleepsets.go    sleep sets alone (LNCS 1032, chapter 5), and no reduction
//	persistent.go   persistent sets (LNCS 1032, chapter 4)
//
// Adding to backtrack sets:
//
//	backtrack.go    inserting what internal/reversal finds
//	reorderings.go  where else a step that may be disabled could run (../THEORY.md, "Disabled steps")
//
// What algorithms work on:
//
//	algorithms.go   the registry; strategy.go what an algorithm does
//	program.go      what algorithms ask about the program
//	search.go       the execution on the stack, with what belongs to it; node.go what is kept per depth
//	frontier.go     what nodes still have to try: an algorithm adds to it, this search or another one takes from it
package dpor
