// Package symmetry takes states for one that differ only in which of several interchangeable threads is which (Ip and
// Dill, FMSD 9, 1996; STATES, "How states are kept" of package explore).
//
//	scalarset.go  which threads are interchangeable, found in the program text
//	symmetry.go   Symmetries: one state of each class, the others as its images
package symmetry
