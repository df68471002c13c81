package decide

import (
	"math"

	"cdpor/synth/internal/unsupported"
)

// A Cost is what work takes, counted and not timed, so that the same work costs the same on every machine.
type Cost struct {
	Queries int   // questions to the solver
	Work    int64 // everything else; a unit takes roughly a microsecond
}

func (c Cost) Plus(d Cost) Cost  { return Cost{c.Queries + d.Queries, c.Work + d.Work} }
func (c Cost) Minus(d Cost) Cost { return Cost{c.Queries - d.Queries, c.Work - d.Work} }

// Within reports whether a cost stays below a limit.
func (c Cost) Within(limit Cost) bool { return c.Queries <= limit.Queries && c.Work <= limit.Work }

// Part is one of n equal parts of a cost; what has no limit stays without.
func (c Cost) Part(n int) Cost {
	p := Cost{c.Queries / n, c.Work / int64(n)}
	if c.Queries >= Unlimited.Queries/2 {
		p.Queries = Unlimited.Queries / 2
	}
	if c.Work >= Unlimited.Work/2 {
		p.Work = Unlimited.Work / 2
	}
	return p
}

// Unlimited is more than anything costs; two of it can be added.
var Unlimited = Cost{math.MaxInt / 2, math.MaxInt64 / 2}

// WhySpent is why nothing is known of a pair that the budget was not enough for.
const WhySpent = "the budget of questions and work was used up"

// A Meter counts what has been used of a budget, and stops the work that goes beyond a limit. What an answer from the
// cache cost when it was found counts as well: the result must not depend on what the cache holds.
type Meter struct {
	Used  Cost
	Limit Cost
	Spent bool // the limit has been reached since share was called
}

// Share allows some cost from now on, but no more than the end.
func (m *Meter) Share(c, end Cost) {
	m.Limit, m.Spent = m.Used.Plus(c), false
	m.Limit.Queries, m.Limit.Work = min(m.Limit.Queries, end.Queries), min(m.Limit.Work, end.Work)
}

// Spend counts units of work that is about to be done. It aborts the exploration that goes on when they are too many.
func (m *Meter) Spend(units int) {
	if m.Used.Work+int64(units) > m.Limit.Work {
		m.Used.Work = max(m.Used.Work, m.Limit.Work)
		m.stop()
	}
	m.Used.Work += int64(units)
}

// Quietly counts work that is not worth stopping for.
func (m *Meter) Quietly(units int) { m.Used.Work += int64(units) }

// question counts a question to the solver, or aborts the exploration instead of asking it.
func (m *Meter) question() {
	if m.Used.Queries >= m.Limit.Queries {
		m.stop()
	}
	m.Used.Queries++
}

func (m *Meter) stop() {
	m.Spent = true
	panic(unsupported.Reason(WhySpent))
}
