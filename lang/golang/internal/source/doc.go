// Package source loads Go programs: packages, types and SSA form, with models in place of library packages.
//
//	source.go  loading, and the function to begin with
//	place.go   where things stand in the text
package source
