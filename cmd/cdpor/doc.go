// Command cdpor explores concurrent programs written in YAML: it finds with an SMT solver when the steps of two threads
// commute, and uses that to run as few interleavings as the outcomes, deadlocks and failures of the program need.
//
// The command line:
//
//	main.go         the command line, the recovery from internal errors
//	commands.go     the model of the command line, for the man page, completion and configuration (internal/cli);
//	                help.go which flags the help of run shows
//	program.go      loads a program with its parameters
//	frontend.go     what a run does in its own way for programs in YAML and in Go
//	golang.go       loads a Go program; gobounds.go raises and lowers its bounds, gotests.go explores several tests,
//	                gotimers.go excuses tests that fail since a timer fires early
//	diagnostics.go  whether the result is for machines
//	configuration.go  reads flags that are set in cdpor.yaml or in the environment
//	flags_search.go  flags of the algorithm, the search and its limits; flags_report.go what is shown of it;
//	                flags_checkpoint.go when it is saved; connectflags.go where a cluster is
//	solver.go       flags that bound the solver, and the dump of its questions
//	watch.go        runs again when a file changes
//	connect.go      lets the workers of a cluster explore, or comes back to them;
//	                nocluster.go what a build without the cluster says
//
// Commands, one each: synth.go, run.go, resume.go, replay.go, init.go,
// examples.go, check.go, against.go, vet.go, fmt.go, test.go, compare.go, explain.go, slice.go,
// generate.go, lsp.go, dap.go, mcp.go, algorithms.go, completion.go, version.go, serve.go, work.go, jobs.go;
// simulate.go, estimate.go and atomicity.go are ways to run.
//
// What they share:
//
//	pictures.go     files to look at a search with
//	merge.go        keeps in a constraint file what people did to it
//	gorun.go        explores Go tests by running them
//	goresume.go     the search of a test that is run, saved and gone on with
//	gonative.go     lets Go itself follow a schedule
//	changed.go      which tests a change can touch
//	publish.go      findings for services and editors
//
// The rooms below it, which know nothing of commands:
//
//	lsp                 the language server
//	dap                 the debug adapter
//	mcp                 the server for agents
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
//	internal/pictures   the recorded exploration tree
//	internal/environment  what a command may touch of the world: streams, clock, interrupts
//	internal/progress   the progress line, and violations when they are found
//	internal/report     the result of a run: for people, for programs, as a page
//	internal/expect     runs expect sections; CI.md has a workflow
//	internal/execution  one execution on paper
//	internal/junit      results for CI services
//	internal/findings   findings for other tools: SARIF, a summary in Markdown, what is known
//	internal/record     schedules in files
//	internal/checkpoint  searches in files
//	internal/steps      steps by name
//	internal/invariants  invariants in all states, which most searches cannot decide
//	internal/compare    what was compared, as tables
//
// Results go to stdout, progress and messages to stderr. This is the only package that prints, reads flags or a clock.
package main
