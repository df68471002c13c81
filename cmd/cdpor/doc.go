// Command cdpor explores concurrent programs written in YAML: it finds with an SMT solver when the steps of two threads
// commute, and uses that to run as few interleavings as the outcomes, deadlocks and failures of the program need.
//
//	main.go         the command line, exit codes, the recovery from internal errors
//	environment.go  what a command may touch of the world: streams, clock
//	interrupts.go   the first interrupt ends the work in order, also while the solver has the signal
//	program.go      loading a program with its parameters
//	synth.go, run.go, replay.go, init.go, examples.go, check.go, diff.go, vet.go, fmt.go, ast.go, test.go, compare.go, bench.go, explain.go,
//	schema.go, lsp.go, algorithms.go, man.go, completion.go, version.go   one command each
//	commands.go     the model of the command line, which reference.go (CLI.md), the man page, completion and configuration are made of
//	watch.go        runs again when a file changes
//	completion_bash.go, completion_zsh.go, completion_fish.go   the script of each shell
//	settings.go     flags that are set in cdpor.yaml or in the environment
//	bounds.go       flags for limits and options of a search
//	solver.go       flags that bound the solver, and the dump of its questions
//	steps.go        steps by name
//	knowledge.go    which constraints a run uses, where they come from and who has proved them
//	schedule.go     schedules as text; judge.go runs exactly one and judges it
//	record.go       schedules in files; walk.go goes through one step by step
//	trace.go        a schedule with what every step read and wrote; chart.go shows it, waiting.go says what blocked processes wait for
//	messages.go     messages about a place in a file, for people or for GitHub Actions; ink.go colours
//	report.go       the result of a run for people; json.go for programs, profile.go the use of each constraint
//	unchecked.go    what a search had no occasion to look at, which makes a verdict vacuous; coverage.go what no execution takes
//	pictures.go     files to look at a search with: tree.go records the exploration tree; page.go, page_data.go and page/ make a page of it,
//	                drawing.go graphs; unfold.go writes executions for the page, ends.go numbers how they end
//	counts.go       the numbers of a search that people are shown
//	sweep.go        ranges of parameters; memory.go measures; table.go and plot.go show what was compared
//	junit.go        the results of cdpor test for CI services; CI.md has a workflow
//	output.go       standard output and standard error; visible.go writes out hidden characters in what goes there
//	progress.go     the progress line; signal_unix.go, terminal_linux.go and their counterparts ask the system
//
// The language server behind lsp.go is the package lsp.
//
// Results go to stdout, progress and messages to stderr. This is the only package that prints, reads flags or a clock.
package main
