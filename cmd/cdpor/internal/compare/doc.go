// Package compare tabulates and draws what algorithms cost on a program, for ranges of its parameters.
//
//	variants.go   the algorithms with options, as the tables of the papers name them
//	ranges.go     ranges of parameters
//	measured.go   what was measured
//	agree.go      what several algorithms find differently, which they must not
//	table.go      the table as text, Markdown, CSV and JSON
package compare
