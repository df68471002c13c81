// Package lower makes nodes of the step form of Go's SSA form. Each process has one template; calls are written out in
// it.
//
//	lower.go     the templates, their processes, and what outcomes show
//	code.go      functions, blocks and jumps of one chain of calls
//	instr.go     instructions, loads and stores among them
//	values.go    registers as expressions, constants, operators, conversions
//	memory.go    objects as variables, pointers as numbers
//	types.go     types, and numbers for dynamic types; texts.go numbers for strings
//	refusals.go  what is not supported
//	calls.go     calls, go statements, functions of the language
//	defers.go    deferred calls
//	panics.go    panics, and recovering from them
//	channels.go  channels and select
//	offers.go    sending in a select without buffer
//	watchdogs.go cases of a select that fail the test after a time
//	sync.go      mutexes, wait groups, and what models say by functions without a body
//	errors.go    errors.As
//	slices.go    slices
//	maps.go      maps
//	races.go     marks that let data races fail
//	unmodelled.go packages of the library that are not entered, and what to do instead
//	known.go      looking into texts, and putting them together
//	subtests.go  names of subtests
//	bytes.go     bytes and runes of texts
//	clock.go     whether time passes
//	text.go      values as Go would show them
//	names.go     what people call files and goroutines
//	said.go      the texts of failed tests and panics
//	waits.go     what operations wait for, in the words of the program
//
// An access that others can see begins a step, and so does each operation on a channel or of package sync; what follows
// up to the next one belongs to the step. What is not supported is refused with its place, and a bound that is hit ends
// the execution with an Assume node, never with a wrong result.
package lower
