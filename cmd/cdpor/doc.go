// Command cdpor explores concurrent programs written in YAML: it finds with an SMT solver when the steps of two threads
// commute, and uses that to run as few interleavings as the outcomes, deadlocks and failures of the program need.
//
// The command line:
//
//	main.go           the command line, the recovery from internal errors
//	commands.go       the commands, and the model of the command line, for the man page, completion and configuration
//	                  (internal/cli); help.go which flags the help of run shows
//	diagnostics.go    whether the result is for machines
//	configuration.go  reads flags that are set in cdpor.yaml or in the environment
//	completion.go     completes command lines
//	version.go        prints the versions of cdpor and its solver
//	generate.go, lsp.go, mcp.go  the commands of these names
//
// The commands are in packages of their own:
//
//	internal/run         run, resume and dap: explores
//	internal/prove       synth and check: constraints
//	internal/expect      test: runs expect sections; CI.md has a workflow
//	internal/comparison  compare
//	internal/slicing     slice
//	internal/vet         vet
//	internal/explain     explain
//	internal/examples    examples and init
//	internal/layout      fmt
//	internal/remote      serve, work and jobs: the cluster
//	lsp                  the language server
//	dap                  the debug adapter
//	mcp                  the server for agents
//
// The rooms below them, which know nothing of commands:
//
//	internal/flags      flags that several commands share
//	internal/version    which cdpor this is
//	internal/fault      exit codes and errors
//	internal/files      reads and writes files
//	internal/terminal   text for terminals: folding, colours, hidden characters, tables
//	internal/signals    interrupts, and the signal that asks for progress
//	internal/memory     measures memory
//	internal/limits     ends searches for want of time or memory
//	internal/cli        what is made from the model of the command line: man page, completion, settings
//	internal/source     which constraints a run uses: of a file, or synthesised
//	internal/output     the JSON forms of results
//	internal/page       the report as an HTML file
//	internal/environment  what a command may touch of the world: streams, clock, interrupts
//	internal/progress   the progress line, and violations when they are found
//	internal/report     the result of a run: for people, for programs, as a page
//	internal/execution  one execution on paper
//	internal/junit      results for CI services
//	internal/findings   findings for other tools: SARIF, a summary in Markdown, what is known
//	internal/record     schedules in files
//	internal/checkpoint  searches in files
//	internal/steps      steps by name
//	internal/invariants  invariants in all states, which most searches cannot decide
//	internal/compare    what was compared, as tables
//
// Results go to stdout, progress and messages to stderr. These are the only packages that print, read flags or a clock.
package main
