// Package expect runs the expect sections of programs: what each entry wants is held against what the algorithms find.
//
//	command.go   cdpor test
//	runner.go    goes through programs and the entries of their sections
//	entry.go     one entry: the algorithms that it is about, what is compared, its line of output
//	failures.go  expectations that failed
//	json.go      the results as JSON
package expect
