package report

import "cdpor/explore"

// A searchCount is a number of a search.
type searchCount struct {
	name string
	when showing
	of   func(*explore.Result) int64
}

// showing says when a number is shown.
type showing int

const (
	always    showing = iota
	ifAny             // if it is not 0
	ifSeveral         // if it is not 1
	ifUsed            // if there are constraints
	onPage            // on the page only, if it is not 0
)

// searchCounts are the numbers of a search that people are shown; --json has all.
var searchCounts = []searchCount{
	{"workers", ifSeveral, func(c *explore.Result) int64 { return int64(c.Workers) }},
	{"executions", always, func(c *explore.Result) int64 { return c.Executions }},
	{"ended normally", onPage, func(c *explore.Result) int64 { return c.Ended }},
	{"deadlocked", onPage, func(c *explore.Result) int64 { return c.Deadlocked }},
	{"failed", onPage, func(c *explore.Result) int64 { return c.Failed }},
	{"blocked", always, func(c *explore.Result) int64 { return c.Blocked }},
	{"cut", ifAny, func(c *explore.Result) int64 { return c.Cut }},
	{"dropped", ifAny, func(c *explore.Result) int64 { return c.Dropped }},
	{"virtual cuts", ifAny, func(c *explore.Result) int64 { return c.Virtual }},
	{"nodes", always, func(c *explore.Result) int64 { return c.Nodes }},
	{"events", always, func(c *explore.Result) int64 { return c.Events }},
	{"longest execution", onPage, func(c *explore.Result) int64 { return int64(c.MaxDepth) }},
	{"states", ifAny, func(c *explore.Result) int64 { return c.States }},
	{"met again", ifAny, func(c *explore.Result) int64 { return c.Revisits + c.Cycles }},
	{"state bytes", ifAny, func(c *explore.Result) int64 { return c.Memory }},
	{"reversible races", always, func(c *explore.Result) int64 { return c.Races }},
	{"races removed", ifUsed, func(c *explore.Result) int64 { return c.Constraints.Removed }},
	{"sleep sequences", ifAny, func(c *explore.Result) int64 { return c.Sequences }},
	{"states compared", onPage, func(c *explore.Result) int64 { return c.Compared }},
	{"compensations", onPage, func(c *explore.Result) int64 { return c.Compensated }},
}

// shown reports whether the report for people has the number.
func (c *searchCount) shown(r *Report) bool {
	switch c.when {
	case always:
		return true
	case ifAny:
		return c.of(r.Result) > 0
	case ifSeveral:
		return c.of(r.Result) > 1
	case ifUsed:
		return r.Knowledge.Set != nil
	}
	return false
}
