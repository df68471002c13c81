package explore

import (
	"cdpor/explore/internal/estimate"
	"cdpor/explore/internal/joblog"
)

// How much of a parcel is done, as a rough estimate (cluster/README, "Workers that may die"). It follows from the
// stack alone, as whoever takes a parcel up has no other part of it: what a node has done and what it has left are
// divided among its children as the search knows their sizes to be.

// remains is the part that is left of the subtree of the node at a depth, and the part of that that lies below what is
// planned at the node. Above that depth, nothing is left.
func (w *ParcelWork) remains(depth int) (left, waits float64) {
	x := w.x
	if x.Depth < depth {
		return 0, 0
	}
	w.forks = w.forks[:0]
	for _, lv := range x.levels[depth : x.Depth+1] {
		w.forks = append(w.forks,
			estimate.Fork{Done: lv.tried, Planned: x.Waiting(&lv.Node, max(0, lv.Event.Action))})
	}
	return x.census.Left(w.forks)
}

// leastLeft is what is left at least after a record: how much a part of a search has planned says little about what it
// is still going to plan.
const leastLeft = 1.0 / 64

// estimate says how far the parcel is, before a record gives away its nodes down to a depth; -1: none.
func (w *ParcelWork) estimate(depth int) *joblog.Estimate {
	e := &joblog.Estimate{Left: 1}
	left, _ := w.remains(len(w.frontier.above))
	if left = max(left, leastLeft*w.left); left < w.left {
		e.Left = left / w.left
	}
	w.left = min(w.left, left)
	if depth >= 0 {
		_, e.Given = w.remains(depth)
		e.Shrink = w.x.census.Shrink()
		w.left, _ = w.remains(depth + 1)
		w.left = max(w.left, leastLeft)
	}
	return e
}
