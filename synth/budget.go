package synth

import (
	"math"

	"cdpor/synth/internal/unsupported"
)

// A Cost is what work takes, counted and not timed, so that the same work costs the same on every machine.
type Cost struct {
	Queries int   // questions to the solver
	Work    int64 // everything else; a unit takes roughly a microsecond
}

func (c Cost) plus(d Cost) Cost  { return Cost{c.Queries + d.Queries, c.Work + d.Work} }
func (c Cost) minus(d Cost) Cost { return Cost{c.Queries - d.Queries, c.Work - d.Work} }

// within tells whether a cost stays below a limit.
func (c Cost) within(limit Cost) bool { return c.Queries <= limit.Queries && c.Work <= limit.Work }

// part is one of n equal parts of a cost; what has no limit stays without.
func (c Cost) part(n int) Cost {
	p := Cost{c.Queries / n, c.Work / int64(n)}
	if c.Queries >= unlimited.Queries/2 {
		p.Queries = unlimited.Queries / 2
	}
	if c.Work >= unlimited.Work/2 {
		p.Work = unlimited.Work / 2
	}
	return p
}

// unlimited is more than anything costs; two of it can be added.
var unlimited = Cost{math.MaxInt / 2, math.MaxInt64 / 2}

// whySpent is why nothing is known of a pair that the budget was not enough for.
const whySpent = "the budget of questions and work was used up"

// A meter counts what has been used of a budget, and stops the work that goes beyond a limit. What an answer from the
// cache cost when it was found counts as well: the result must not depend on what the cache holds.
type meter struct {
	used  Cost
	limit Cost
	spent bool // the limit has been reached since share was called
}

// share allows some cost from now on, but no more than the end.
func (m *meter) share(c, end Cost) {
	m.limit, m.spent = m.used.plus(c), false
	m.limit.Queries, m.limit.Work = min(m.limit.Queries, end.Queries), min(m.limit.Work, end.Work)
}

// spend counts units of work that is about to be done. It aborts the exploration that goes on when they are too many.
func (m *meter) spend(units int) {
	if m.used.Work+int64(units) > m.limit.Work {
		m.used.Work = max(m.used.Work, m.limit.Work)
		m.stop()
	}
	m.used.Work += int64(units)
}

// quietly counts work that is not worth stopping for.
func (m *meter) quietly(units int) { m.used.Work += int64(units) }

// question counts a question to the solver, or aborts the exploration instead of asking it.
func (m *meter) question() {
	if m.used.Queries >= m.limit.Queries {
		m.stop()
	}
	m.used.Queries++
}

func (m *meter) stop() {
	m.spent = true
	panic(unsupported.Reason(whySpent))
}
