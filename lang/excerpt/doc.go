// Package excerpt writes the text of a part of a program, such as a slice: a program file of its own, with the comments
// and the layout of what is left.
//
//	outline.go    statements of the text, and which nodes of the step form are theirs
//	selection.go  which statements are in the text for a part of the nodes, and what has to be there with them
//	writer.go     takes out the code that is not; sections.go declarations that nothing left mentions, and what is
//	              asked
//	mentions.go   the names in what is left
//	edit.go       takes text out of a file and puts other text in its place
package excerpt
