// Package lang is the front end: it turns a program file (YAML with embedded code) into the step form of package
// cdpor/lang/step, and prints expressions and values of that form in the syntax of the language.
//
// The pipeline, one concept per file:
//
//	internal/syntax  text, messages, the YAML tree, syntax trees of code, the formatter; surface.go: what of it is for everybody
//	internal/types   how types are written, and which values fit
//	types.go      types in a program
//	names.go      what a name means in a body, a property, a constraint
//	expr.go, calls.go            check expressions and translate them; constant.go evaluates constant ones
//	records.go, collections.go, sized.go         operations of these types
//	functions.go, procedures.go  pure functions; procedures, which are written out where they are called
//	builder.go, lower.go         statements to the nodes of the step form, which step/build wires
//	sync.go, channels.go, mailbox.go, receive.go operations of primitives, which package primitive translates
//	choice.go     nondeterminism
//	operations.go operations with a specification
//	internal/instrument  what observes: recording of operations, what must hold in every state or at every step
//	identities.go, actors.go, messages.go        what comes into being while the program runs: threads, actors, tasks
//	load.go, threads.go, checks.go, expect.go   the sections of a file
//	condition.go  conditions about two steps, as constraints have them
//	internal/printer expressions, values and programs as text
//	habitnames.go                names of other languages: hints in messages
//	internal/vet     warnings
//	mentions.go, vocabulary.go, schema.go   what names mean, which words and keys there are, for editors; the folder editor
//	                             has a grammar that colours code
//
// Checking and lowering are one pass: an expression is checked, and in the same breath what has an effect inside it is
// emitted as nodes, so that there is a single place that knows the order of evaluation.
//
// The language is described in REFERENCE.md, and for beginners in WALKTHROUGH.md and GUIDE.md; their examples are tests. The
// package keeps no state, prints nothing, and every failure is an ErrorList.
package lang
