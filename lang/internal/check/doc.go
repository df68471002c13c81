// Package check knows what names mean and which type expressions have, and translates expressions to the step form.
// What has an effect inside an expression is emitted as nodes in the same breath, so that there is a single place that
// knows the order of evaluation. It knows syntax trees, but neither statements nor the sections of a file: these are
// package lower, which calls it.
//
//	table.go      the names that are known everywhere in a program
//	types.go      types in a program
//	names.go      scopes: what a name means in a body, a property, a constant
//	expr.go, calls.go       expressions; constant.go evaluates constant ones
//	records.go, collections.go, sized.go    operations of these types
//	functions.go  routines: calls of functions and procedures
//	builder.go    nodes of a template with the actor whose code they are
//	effects.go    expressions that change something: atomic operations, locks, channels
//	identities.go what comes into being while the program runs: starting it, waiting for its end
//	actors.go, messages.go  classes and their fields; messages and futures
//	mailbox.go    addresses of messages to threads
//	condition.go  conditions about two steps, as constraints have them
//	habitnames.go names of other languages: hints in messages
//	mentions.go   what names mean, for editors
package check
