// Package printer writes the step form as text in the syntax of the language: expressions, conditions about two steps,
// values, and whole programs in a normal form.
//
//	native.go      channels and locks as values, in the words of Go
//	format.go      expressions and values, and parts of variables
//	quantified.go  conditions that hold for all elements of an array, or for any
//	json.go        values as JSON
//	temporaries.go names of locals that have none in the source
//	definition.go  conditions with names, and conditions printed with these names
//	texts.go       such texts, kept for those who print the same conditions again
//	normalform.go  the canonical text of a program, which digests are made of
//
// It parses nothing.
package printer
