// Package compare tabulates and draws what algorithms cost on a program, for ranges of its parameters.
//
//	variants.go   the algorithms with options, as the tables of the papers name them
//	ranges.go     ranges of parameters
//	agree.go      what several algorithms find differently, which they must not
//	table.go      what was measured, as a table: text, Markdown, CSV and JSON
package compare
