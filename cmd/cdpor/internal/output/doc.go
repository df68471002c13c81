// Package output has the JSON forms of results, which output.schema.json describes: plain data, made from what packages
// below return.
//
//	json.go         how they are written
//	program.go      the program that a result is about
//	search.go       what a search has counted, and what constraints were good for in it
//	constraints.go  what synthesis and proofs have found, and what would make more known
//	diagnostics.go  what is wrong with files and command lines
package output
