// Package lower makes nodes of the step form of Go's SSA form. Each process has one template; calls are written out in
// it.
//
//	lower.go      the templates, their processes, and what outcomes show
//	lowerer.go    what is known while a program is lowered: processes, regions, frames of calls
//	instance.go   a function in one chain of calls, block after block; jump.go jumps between blocks
//	instr.go      instructions, loads and stores among them; operators.go operators and conversions
//	values.go     registers as expressions, constants; registers.go what they refer to
//	memory.go     objects as variables, pointers as numbers; contents.go what is in them
//	code.go       nodes that everything is made of
//	types.go      types, numbers for dynamic types
//	names.go      what people call files and goroutines; subtests.go names of subtests
//	ssa.go        questions about the text
//	calls.go      calls, go statements, functions of the language
//	defers.go     deferred calls
//	panics.go     panics, recovering from them, errors.As
//	refusals.go   what is not supported, or not entered
//	channels.go   channels and select, also sending in one without buffer
//	sync.go       mutexes, wait groups, and what models say by functions without a body
//	clock.go      whether time passes; cases of a select that fail the test after a time; what operations wait for
//	slices.go     slices
//	maps.go       maps
//	races.go      marks that let data races fail
//	texts.go      strings as numbers, looking into them, and putting them together
//	text.go       values as Go would show them
//	said.go       the texts of failed tests and panics
//
// An access that others can see begins a step, and so does each operation on a channel or of package sync; what follows
// up to the next one belongs to the step. What is not supported is refused with its place, and a bound that is hit ends
// the execution with an Assume node, never with a wrong result.
package lower
