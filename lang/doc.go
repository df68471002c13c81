// Package lang is the front end: it turns a program file (YAML with embedded code) into the step form of package
// cdpor/lang/step, and prints expressions and values of that form in the syntax of the language.
//
// The package is the public face; the work is done by these. Each imports only those above it:
//
//	internal/syntax      text, messages, the YAML tree, syntax trees of code, the formatter of files
//	internal/types       how types are written, and which values fit
//	internal/printer     expressions, values and programs as text
//	internal/check       types, names and expressions
//	internal/instrument  what observes: recording of operations, what must hold in every state or at every step
//	internal/vet         warnings
//	internal/lower       sections of a file and statements to the step form
//
//	surface.go     what of these is for everybody
//	vocabulary.go  which words and keys there are, for editors; the folder editor has a grammar that colours code
//
// Checking and lowering are one pass: an expression is checked, and in the same breath what has an effect inside it is
// emitted as nodes, so that there is a single place that knows the order of evaluation.
//
// The language is described in REFERENCE.md, and for beginners in GUIDE.md; their examples are tests. The package keeps
// no state, prints nothing, and every failure is an ErrorList.
package lang
