// Package types has the rules of the language for types of the step form: how they are written, which values fit, and
// what is special about some. It knows no program.
//
//	types.go  types in the syntax of the language, which values fit or can be compared, references
package types
