// Package lower makes nodes of the step form of Go's SSA form. Each process has one template; calls are written out in
// it.
//
//	lower.go     the templates, their processes, and what outcomes show
//	code.go      functions, blocks and jumps of one chain of calls
//	instr.go     instructions, loads and stores among them
//	values.go    registers as expressions, constants, operators, conversions
//	memory.go    objects as variables, pointers as numbers
//	types.go     types, numbers for dynamic types; what people call files and goroutines
//	calls.go     calls, go statements, functions of the language; names of subtests
//	defers.go    deferred calls
//	panics.go    panics, recovering from them, errors.As; what is not supported, or not entered
//	channels.go  channels and select, also sending in one without buffer
//	sync.go      mutexes, wait groups, and what models say by functions without a body
//	clock.go     whether time passes; cases of a select that fail the test after a time; what operations wait for
//	slices.go    slices
//	maps.go      maps
//	races.go     marks that let data races fail
//	texts.go     strings as numbers, looking into them, and putting them together
//	text.go      values as Go would show them
//	said.go      the texts of failed tests and panics
//
// An access that others can see begins a step, and so does each operation on a channel or of package sync; what follows
// up to the next one belongs to the step. What is not supported is refused with its place, and a bound that is hit ends
// the execution with an Assume node, never with a wrong result.
package lower
