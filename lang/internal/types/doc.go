// Package types has the rules of the language for types of the step form: how they are written, which values fit, and
// what is special about some. It knows no program.
//
//	text.go       types in the syntax of the language
//	relation.go   which values are values of a type, or can be compared with one
//	kind.go       numbers, sequences, and what cannot be copied
//	reference.go  references to threads, futures and actors
package types
