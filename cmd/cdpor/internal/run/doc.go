// Package run has the commands that explore: cdpor run, resume and dap.
//
//	command.go    the commands with their flags, and what their ways to run share
//	flags.go      flags of such ways
//	run.go        explores a program and reports on it
//	resume.go     goes on with a search that is saved
//	replay.go     follows a schedule
//	watch.go      runs again when a file changes
//	frontend.go   what a run does in its own way for programs in YAML and in Go
//	simulate.go, estimate.go, atomicity.go  other ways to run
//	pictures.go   files to look at a search with
//	submit.go     lets the workers of a cluster explore, or comes back to them;
//	              nocluster.go what a build without the cluster does
//	publish.go    findings for services and editors
//	dap.go        serves a debugger
//
// Go programs:
//
//	gobounds.go   raises and lowers the bounds
//	gotests.go    explores several tests; changed.go those that a change can touch
//	gotimers.go   excuses tests that fail since a timer fires early
//	gorun.go      explores tests by running them; goresume.go saves such a search and goes on with it
//	gonative.go   lets Go itself follow a schedule
package run
