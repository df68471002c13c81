// Package report is what a run has to say when it has ended: for people, for programs and as a page. It takes plain
// data: results of package explore, and in Options what the user wants to see of them.
//
//	report.go       the report for people; options.go what it is told about the run
//	json.go         the report for programs
//	page.go         what the page shows; graph.go graphs of the exploration tree
//	violations.go   groups of violations that differ in who does it, and one of them in short
//	liveness.go     what was found out about executions as a whole
//	history.go      histories of operations
//	unchecked.go    what a search had no occasion to look at, which makes a verdict vacuous, and what holds
//	crowd.go        what makes most of the outcomes
//	closer.go       what is so with each access a step of its own
//	coverage.go     what no execution takes
//	counts.go       the numbers of a search that people are shown
//	always.go       what check.always costs
//	profile.go      the use of each constraint
//	simulation.go   what random schedules have shown
//	sliced.go       the report of a run property by property; sliced_json.go for programs
package report
