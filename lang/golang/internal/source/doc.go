// Package source loads Go programs: packages, types and SSA form, with models in place of library packages.
//
//	source.go  loading, and the function to begin with
//	check.go   parsing, and the check of types
//	refused.go packages that do not load, and why
//	pick.go    which functions are meant
//	entries.go what an overlay adds to run tests
//	goclose.go goroutines that only close a channel
//	errorf.go  which errors a call of fmt.Errorf wraps
//	literals.go the bytes of texts that stand in the program
//	files.go   the files of the program that are the user's
//	place.go   where things stand in the text
package source
