// Package output has the JSON forms of results, which output.schema.json describes: plain data, made from what packages
// below return.
//
//	json.go         how they are written, and what is wrong with files and command lines
//	search.go       the program that was searched, what was counted, and what constraints were good for in it
//	constraints.go  what synthesis and proofs have found, and what would make more known
package output
