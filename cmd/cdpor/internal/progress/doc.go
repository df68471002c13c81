// Package progress tells people on standard error what a command is doing while it does it.
//
//	progress.go  the progress line of a search, of synthesis and of proofs
//	announce.go  violations, when they are found
package progress
