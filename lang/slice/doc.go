// Package slice finds the part of a program that can influence a criterion: the value of a variable at the end, whether
// an assertion can fail, whether a place is reached. It follows J. Krinke, Context-Sensitive Slicing of Concurrent
// Programs, FSE 2003, on the step form; README.md says where it differs.
//
// New builds the graph of a program: the control flow of every thread, and who depends on whom. Slice goes backwards
// through it from a criterion. Cut makes a program of what was kept, which runs like any other; Matches says whether a
// text that was loaded is that program. Package lang/excerpt cuts the text.
//
// Invariants of what is kept: it is closed under control dependence inside a thread; from each kept node one kept node
// at most comes next on each of its branches, and whether a step ends in between does not depend on what was left out.
//
// NewParallel is a smaller analysis for others: which steps two processes may stand at in one state.
//
//	criterion.go   what a slice is for, and reading that from text; text.go the slice as text
//	graph.go       the graph of a program; thread.go its threads, access.go what is read and written
//	control.go     control dependence, and what decides where a thread goes
//	ending.go      what may fail, what certainly ends
//	slicer.go      going backwards through it, on which way, and variables that nothing depends on
//	cut.go         from what was kept to a program
//	parallel.go    steps that two processes may stand at in one state, and which locks they hold there
//
// The package knows no primitive of the language, and does no search.
package slice
