package main

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"cdpor/cmd/cdpor/internal/report"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// Smaller bounds. A ticker that nobody stops ticks until its bound is hit, and a loop without an end goes round until
// there are as many things and goroutines as there can be. Such a search is within bounds whatever it does, and each
// round multiplies it. One that gets long and has found nothing wrong is abandoned, and the program is explored within
// smaller bounds. That search comes to its end more often, and its report says which bounds it has.

// manyEvents are after how many, of a small program, a search is abandoned for one within smaller bounds.
const manyEvents = 300_000

// smallBounds are what bounds that cut executions become then.
var smallBounds = map[string]int{"goroutines": 2, "ticks": 1}

var errLong = errors.New("long, and within bounds")

// stoppedLong is why a search stopped that was abandoned for one within smaller bounds. No report has it.
const stoppedLong = "long, and within bounds"

// smaller are the bounds that a search has hit and that can be smaller, as what they become.
func (c *searching) smaller(m *step.Machine) map[string]int {
	found := map[string]int{}
	for _, n := range m.BoundsHit() {
		_, given := c.Bound[n.Bound]
		if less := smallBounds[n.Bound]; less > 0 && !given {
			found[n.Bound] = less
		}
	}
	return found
}

// tooLong reports whether a search is to be abandoned for one within smaller bounds after so many events.
func (c *searching) tooLong(m *step.Machine, events int64) bool {
	raising := c.see != nil
	return events >= worth(m, manyEvents) && !raising && c.rival == nil && c.Constraints == "" && len(c.smaller(m)) > 0
}

// withinLess searches again within smaller bounds, if the search was abandoned for that.
func (c *searching) withinLess(ctx context.Context, src step.Loaded, r *report.Report) (
	step.Loaded, *report.Report, error) {
	p, ok := src.(*golang.Program)
	if !ok || r.Result.Stopped != stoppedLong {
		return src, r, nil
	}
	less, before := c.smaller(r.Machine), map[string]int{}
	b := p.Bounds
	for name, n := range less {
		to := boundsByName(&b)[name]
		before[name], *to = *to, min(*to, n)
		less[name] = *to
	}
	q, err := p.Within(ctx, b)
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
	maps.Copy(bound, less) // as if they had been given: commands in the report repeat them
	c.Bound = bound
	next, err := c.search(ctx, q, m)
	if err != nil {
		return nil, nil, err
	}
	next.Raised = fmt.Sprintf("lowered to %s: within %s the search is long, and nothing was wrong in its beginning; "+
		"%s goes there", boundsText(less), boundsText(before), boundArguments(before))
	return q, next, nil
}
