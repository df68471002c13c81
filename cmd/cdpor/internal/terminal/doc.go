// Package terminal prepares text for terminals, and keeps what programs and file names hold from acting on them.
//
//	stream.go       what a stream is: a terminal or not, how wide; text that is folded to it
//	fold.go         folds lines between words
//	colour.go       colours, messages about a place in a file
//	annotate.go     messages for GitHub Actions
//	sink.go         standard output and standard error, in which hidden characters are seen
//	visible.go      writes hidden characters out
//	text.go         numbers with their nouns, tables, why a package does not load
//	width_linux.go  asks a terminal for its width; width_other.go for other systems
package terminal
