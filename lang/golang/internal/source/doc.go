// Package source loads Go programs: packages, types and SSA form, with models in place of library packages.
//
//	source.go  loading, and the function to begin with; where things stand in the text
//	check.go   parsing, and the check of types
//	refused.go packages that do not load, and why
//	pick.go    which functions are meant
//	entries.go what an overlay adds to run tests
//	rewritten.go goroutines that only close a channel, errors that fmt.Errorf wraps, bytes of texts in the program
package source
