// Package bench measures cdpor on a fixed table of programs, beside what other tools took.
//
//	rows.go      the programs
//	measure.go   runs cdpor in processes of its own
//	table.go     the result as text, Markdown, CSV, JSON and for benchstat
//	plot.go      the result as SVG
package bench
