// Package report presents the result of a run to people, to programs, and as a page. It takes plain data: results of
// package explore, and in Options what the user wants to see of them.
//
//	report.go           the report, what it is told about the run, and whether executions end
//	text.go             the report for people; text_violations.go deadlocks, violations and their schedules
//	annotate.go         annotations for GitHub Actions
//	json.go             the report for programs
//	page.go             the page; sights.go states of the tree in which conditions hold, and do not
//	verdict.go          the last line, and what limits it
//	violations.go       groups of violations that differ in their threads only
//	schedules.go        schedules as they are shown, and commands that replay them
//	history.go          histories of operations
//	vacuity.go          steps that never ran, and mutexes that were held at the end
//	atomicity.go        the search with each access a step of its own
//	coverage.go         statements and alternatives that no execution takes
//	counts.go           numbers of a search that people are shown
//	dependence.go       pairs that check.always and check.transition make dependent
//	observed.go         observed variables that make most of the outcomes
//	simulation.go       results of random schedules
package report
