// Package source finds the constraints that a run uses: in a file, which is proved first, or by synthesis.
//
//	source.go       which constraints are used, where they come from and who has proved them
//	cache.go        keeps what was found from one process to the next
//	synthesiser.go  finds constraints of some pairs, as often as a search asks; auto.go answers the search
package source
