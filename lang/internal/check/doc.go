// Package check knows what names mean and which type expressions have, and translates expressions to the step form.
// What has an effect inside an expression is emitted as nodes in the same breath, so that there is a single place that
// knows the order of evaluation. It knows syntax trees, but neither statements nor the sections of a file: these are
// package lower, which calls it.
//
//	table.go      what is known everywhere in a program: names, routines, classes, what comes into being while it runs
//	types.go      types in a program; numbers of a size
//	names.go      scopes: what a name means in a body, a property, a constant; names of other languages; mentions
//	expr.go       expressions, also constant ones
//	calls.go      calls; expressions that change something: atomic operations, locks, channels
//	collections.go  operations of collections and records
//	messages.go   messages, futures, and addresses of messages to threads
//	condition.go  conditions about two steps, as constraints have them
package check
