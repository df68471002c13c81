// Package results has the results of a search: outcomes, deadlocks, violations, counts, and which claims of the program
// were checked. A Collector is told of states and ends while the search goes on, and makes the Result.
//
//	result.go        Result, Violation, and the Collector
//	claims.go        what a program claims: what of it holds, what was never checked, and the verdict
//	valuation.go     what tells ends apart
//	linear.go        histories of operations and their specification
//	growing.go       variables that take ever new values
//	unreleased.go    mutexes that processes hold when they end
//	beyond.go        what is found out about executions as a whole, invariants everywhere, and coverage
//	findings.go      telling of violations when they are found; adding up what several workers have found
//	savedresults.go  saving what has been found, and going on with it
package results
