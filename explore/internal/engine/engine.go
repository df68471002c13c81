package engine

import (
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/saved"
	"cdpor/explore/internal/visited"
	"cdpor/lang/step"
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

// Findings are the results of one worker.
type Findings struct {
	Results *results.Collector
	Pairs   map[[2]*step.Step]*happens.PairStats // of a search of executions
}

// NewFindings are none yet.
func NewFindings(r *results.Collector) Findings {
	return Findings{r, map[[2]*step.Step]*happens.PairStats{}}
}

// Add adds what another worker has found.
func (f Findings) Add(more Findings) {
	f.Results.Merge(more.Results)
	f.AddPairs(more)
}

func (f Findings) AddPairs(more Findings) {
	for _, p := range more.Pairs {
		happens.StatsOf(f.Pairs, p.A, p.B).Add(&p.Uses)
	}
}
