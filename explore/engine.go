package explore

import (
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/visited"
)

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
	join(c pool, number int)
	failed() error       // an internal error
	resumeAt(workItem)   // goes to where a work item begins
	remaining() workItem // what is left of its part of the search, between two executions; nil: nothing
	abandon()            // after a panic: others must not wait for it
	findings() findings
	replace(findings)        // its own
	saveCommon() *Checkpoint // without its part
	savePart(workItem, *checkpoint.Nodes) checkpoint.Part
	saveVisits() *visited.Saved // nil: none
	restoreCommon(*Checkpoint) error
	restoreParts(parts []checkpoint.Part, nodes []checkpoint.Level) ([]workItem, error)
	restoreVisits(cp *Checkpoint, number int) error
}

// A workItem is a part of a search that a worker gives away, for another worker of the same kind.
type workItem any

// A pool is what the workers of a search have in common.
type pool interface {
	paused(w *limits)               // keeps what a worker has found so far
	atSafePoint(w *limits)          // lets a worker wait for the others, between two executions
	interrupts() bool               // the workers are to come to a safe point
	limited(more int64) (all int64) // executions that are limited
	giveUp(reason string)           // a worker has given up an execution
	starving() bool                 // a part of the search should be given away
	submit(workItem)
}
