package explore

import (
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/results"
	"cdpor/lang/step"
)

// findings are what a worker has found.
type findings struct {
	results *results.Collector
	pairs   map[[2]*step.Step]*PairStats // of a search of executions
}

// add adds what another worker has found.
func (f findings) add(more findings) {
	f.results.Merge(more.results)
	f.addPairs(more)
}

func (f findings) addPairs(more findings) {
	for _, p := range more.pairs {
		happens.StatsOf(f.pairs, p.A, p.B).Add(p)
	}
}
