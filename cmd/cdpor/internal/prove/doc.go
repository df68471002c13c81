// Package prove has the commands that find constraints, and prove and compare constraint files.
//
//	synth.go    cdpor synth; merge.go keeps in a constraint file what people did to it
//	check.go    cdpor check; against.go compares two files
//	solver.go   flags that bound the solver, and the dump of its questions
package prove
