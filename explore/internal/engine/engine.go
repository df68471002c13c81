package engine

import (
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/saved"
	"cdpor/explore/internal/visited"
)

// An Engine is a search of some kind.
type Engine interface {
	Begin()                             // explores everything
	Restore(cp *saved.Checkpoint) error // goes to where the checkpoint was made
	Proceed()                           // explores what is left
	Conclude() (*results.Result, error) // sums up
}

// A Worker is an engine that can work on parts of a search.
type Worker interface {
	Engine
	Common() *Limits
	Onlooker() *Watcher
	Join(c Pool, number int)
	Failed() error       // an internal error
	ResumeAt(WorkItem)   // goes to where a work item begins
	Remaining() WorkItem // what is left of its part of the search, between two executions; nil: nothing
	Findings() Findings
	Replace(Findings)              // its own
	SaveCommon() *saved.Checkpoint // without its part
	SavePart(WorkItem, *checkpoint.Nodes) checkpoint.Part
	SaveVisits() *visited.Saved // nil: none
	RestoreCommon(*saved.Checkpoint) error
	RestoreParts(parts []checkpoint.Part, nodes []checkpoint.Level) ([]WorkItem, error)
	RestoreVisits(cp *saved.Checkpoint, number int) error
}
