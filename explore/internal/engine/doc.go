// Package engine has what all kinds of searches have in common.
//
//	options.go   what a search is asked
//	observer.go  who looks on while a search grows its tree; watcher.go how that is told
//	engine.go    a search, and one that works on parts of a search, and what that has found
//	limits.go    limits, progress, random choices, safe points; giving up inside an execution; how these are saved
package engine
