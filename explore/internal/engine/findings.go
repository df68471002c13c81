package engine

import (
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/results"
	"cdpor/lang/step"
)

// Findings are the results of one worker.
type Findings struct {
	Results *results.Collector
	Pairs   map[[2]*step.Step]*PairStats // of a search of executions
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
		happens.StatsOf(f.Pairs, p.A, p.B).Add(p)
	}
}
