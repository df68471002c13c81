package explore

import "cdpor/explore/internal/checkpoint"

// An engine is a search of some kind.
type engine interface {
	begin()                       // explores everything
	restore(cp *Checkpoint) error // goes to where the checkpoint was made
	proceed()                     // explores what is left
	conclude() (*Result, error)   // sums up
}

// A worker is an engine that can work on parts of a search.
type worker interface {
	engine
	common() *limits
	onlooker() *watcher
	join(c *workerPool, number int)
	failed() error       // an internal error
	resumeAt(workItem)   // goes to where a work item begins
	remaining() workItem // what is left of its part of the search, between two executions
	abandon()            // after a panic: others must not wait for it
	findings() findings
	replace(findings)        // its own
	saveCommon() *Checkpoint // without its part
	savePart(workItem, *sharedNodes) checkpoint.Part
	restoreCommon(*Checkpoint) error
	restorePart(*checkpoint.Part, *sharedNodes) (workItem, error)
}
