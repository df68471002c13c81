package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/explore"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// Raising the bounds of a Go program. A program that hits a bound which the user has not set is explored again with
// twice as much, until the bound is no longer hit, if that is little work. What is little is counted in events, so it
// is the same on any machine.

const (
	largestBound = 64
	littleWork   = 5_000  // events of a search after which bounds are raised
	raisedWork   = 50_000 // events of a search within raised bounds, which is abandoned after that; also of a graph
)

// raise searches again within larger bounds while what came out is within bounds that can be raised. It returns the
// report of the last search that came to its end.
func (c *searching) raise(ctx context.Context, src step.Loaded, r *report.Report) (*report.Report, error) {
	for {
		p, larger := c.larger(ctx, src, r)
		if p == nil {
			return r, nil
		}
		m, err := c.machine(p.Form())
		if err != nil {
			return nil, err
		}
		given := maps.Clone(c.Bound)
		if c.Bound == nil {
			c.Bound = map[string]int{}
		}
		maps.Copy(c.Bound, larger) // as if they had been given: commands in the report repeat them
		limited, end := context.WithCancel(ctx)
		c.see = func(r *explore.Result) {
			if r.Events > raisedWork {
				end()
			}
		}
		next, err := c.search(limited, p, m)
		c.see = nil
		end()
		input := fault.Input{}
		switch {
		case errors.As(err, &input): // more processes than can be explored, for example
			c.Bound, r.Raised = given, fmt.Sprintf("%s is too large: %v", boundsText(larger), err)
			return r, nil
		case err != nil:
			return nil, err
		case next.Result.Stopped == explore.StoppedContext && next.Result.Verdict != explore.Violated:
			c.Bound, r.Raised = given, fmt.Sprintf("within %s the search has more than %d events; %s goes there",
				boundsText(larger), raisedWork, boundArguments(larger))
			return r, nil
		}
		maps.Copy(c.raised, larger)
		src, r = p, next
		r.Raised = fmt.Sprintf("raised to %s", boundsText(c.raised))
	}
}

// larger is the program within bounds twice as large, and those that are, by name; nil if what has cut executions of a
// search cannot be raised, or should not.
func (c *searching) larger(ctx context.Context, src step.Loaded, r *report.Report) (*golang.Program,
	map[string]int) {
	p, ok := src.(*golang.Program)
	if res := r.Result; !ok || r.Simulation != nil || res.Stopped != explore.StoppedBounds ||
		res.Verdict == explore.Violated || res.Events > littleWork || r.Rival != nil || r.Knowledge.Path != "" {
		return nil, nil
	}
	b, up := p.Bounds, map[string]int{}
	for _, n := range r.Machine.BoundsHit() {
		v := boundsByName(&b)[n.Bound]
		_, given := c.Bound[n.Bound]
		if v == nil || n.Bound == "ticks" || given && c.raised[n.Bound] == 0 || *v >= largestBound {
			return nil, nil // something would still be cut
		}
		up[n.Bound] = min(2**v, largestBound)
	}
	for name, n := range up {
		*boundsByName(&b)[name] = n
	}
	q, err := p.Within(ctx, b)
	if err != nil {
		return nil, nil // too large, for example
	}
	return q, up
}

// boundsText is bounds as a report names them.
func boundsText(bounds map[string]int) string { return joinBounds(bounds, "", " and ") }

// boundArguments is bounds as they are written on a command line.
func boundArguments(bounds map[string]int) string { return joinBounds(bounds, "--bound ", " ") }

func joinBounds(bounds map[string]int, before, between string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		list = append(list, fmt.Sprintf("%s%s=%d", before, name, bounds[name]))
	}
	return strings.Join(list, between)
}
