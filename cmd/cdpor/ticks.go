package main

import (
	"context"
	"errors"
	"maps"

	"cdpor/cmd/cdpor/internal/report"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// Fewer ticks. A ticker that nobody stops ticks until its bound is hit, so a search with tickers is within bounds
// whatever it does, and each further tick multiplies it. A search that gets long and has found nothing wrong is
// abandoned, and the program is explored with one tick of each ticker. That one comes to its end more often, and its
// report says that it has one tick.

// manyEvents are after how many, of a small program, a search is abandoned for one with fewer ticks.
const manyEvents = 200_000

var errTicks = errors.New("too many ticks")

// stoppedTicks is why a search stopped that was abandoned for one with fewer ticks. No report has it.
const stoppedTicks = "too many ticks"

// tooManyTicks reports whether a search that has gone on for so many events is to be abandoned for one with fewer ticks.
func (c *searching) tooManyTicks(m *step.Machine, events int64) bool {
	_, given := c.Bound["ticks"]
	if given || c.rival != nil || c.Constraints != "" || events < worth(m, manyEvents) {
		return false
	}
	for _, n := range m.BoundsHit() {
		if n.Bound == "ticks" {
			return true
		}
	}
	return false
}

// fewerTicks searches again with one tick, if the search was abandoned for that.
func (c *searching) fewerTicks(ctx context.Context, src step.Loaded, r *report.Report) (
	step.Loaded, *report.Report, error) {
	p, ok := src.(*golang.Program)
	if !ok || r.Result.Stopped != stoppedTicks || r.Knowledge.Path != "" {
		return src, r, nil
	}
	b := p.Bounds
	b.Ticks = 1
	q, err := p.Within(b)
	if err != nil {
		return nil, nil, err
	}
	m, err := c.machine(q.Form())
	if err != nil {
		return nil, nil, err
	}
	bound := maps.Clone(c.Bound)
	if bound == nil {
		bound = map[string]int{}
	}
	bound["ticks"] = 1 // as if it had been given: commands in the report repeat it
	c.Bound = bound
	next, err := c.search(ctx, q, m)
	if err != nil {
		return nil, nil, err
	}
	next.Raised = "ticks=1: with 3 the search is long, and nothing wrong was found in its beginning; " +
		"--bound ticks=3 goes there"
	return q, next, nil
}
