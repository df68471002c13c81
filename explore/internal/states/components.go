package states

import (
	"cmp"
	"maps"
	"slices"

	"cdpor/explore/internal/stateset"
	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// Whether executions end is found out while the state graph is searched depth first, from its strongly connected
// components: those that are not complete yet are a path, whose end an edge back makes one (Gabow, "Path-based
// depth-first search for strong and biconnected components", 2000). Only their states and edges are remembered.

// components are those of a search.
type components struct {
	open   stateset.Path // states whose components are not complete, by number
	states []openState   // these
	edges  []edge        // of these, in the order in which they were taken
	roots  []int         // the first states of what are components if no edge back joins them
	stack  []int         // the numbers of the states of the depth-first stack

	schedule func([]int32) []int32 // to the present state
	m        *step.Machine
	whole    bool    // of all states, and not of what represents them
	unknown  bool    // there were too many edges, or a cycle of what represents states
	proc     []int32 // of an action

	noWay *liveness.Lasso                     // to a state from which no end can be reached, and round there
	class liveness.Class                      // of the components that are complete
	needs [liveness.Strong + 1]map[int32]bool // processes to which going round is unfair, by fairness
}

// An openState is a state whose component is not complete.
type openState struct {
	edges int  // of the states before it
	void  bool // some process has failed, or was dropped: what follows is not judged
	round bool // it has an edge to itself
}

// An edge leads from an open state to an open state, or elsewhere.
type edge struct {
	from, to int32
	action   int32
}

const elsewhere = -1

// mostEdges is how many edges are remembered at most.
const mostEdges = 1 << 24

func newComponents(m *step.Machine, schedule func([]int32) []int32, whole bool) *components {
	c := &components{m: m, schedule: schedule, whole: whole, proc: make([]int32, m.NumActions())}
	for a := range c.proc {
		c.proc[a] = int32(m.ProcOf(a))
	}
	for f := range c.needs {
		c.needs[f] = map[int32]bool{}
	}
	return c
}

// enter is called for a new state, to which an action has led from the present one.
func (c *components) enter(action int, at stateset.Place, s step.State) {
	if c == nil || c.unknown {
		return
	}
	n := c.open.Len()
	if n > 0 {
		c.take(action, n)
	}
	c.open.Push(at)
	c.states = append(c.states, openState{edges: len(c.edges), void: c.m.Void(s)})
	c.roots, c.stack = append(c.roots, n), append(c.stack, n)
	c.unknown = len(c.edges) > mostEdges
}

func (c *components) take(action, to int) {
	c.edges = append(c.edges, edge{int32(c.stack[len(c.stack)-1]), int32(to), int32(action)})
}

// meet is called when an action leads from the present state to one that is not new.
func (c *components) meet(action int, at stateset.Place) {
	if c == nil || c.unknown {
		return
	}
	to := c.open.Find(at)
	if c.take(action, to); to < 0 {
		return
	}
	if now := c.stack[len(c.stack)-1]; now == to {
		c.states[now].round = true
	}
	for c.roots[len(c.roots)-1] > to {
		c.roots = c.roots[:len(c.roots)-1]
	}
}

// leave is called when everything has been taken from the present state.
func (c *components) leave() {
	if c == nil || c.unknown || len(c.stack) == 0 {
		return
	}
	n := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	if c.roots[len(c.roots)-1] != n {
		return
	}
	c.roots = c.roots[:len(c.roots)-1]
	if s := &c.states[n]; !s.void && (len(c.states) > n+1 || s.round) {
		c.judge(n)
	}
	c.edges = c.edges[:c.states[n].edges]
	if c.states = c.states[:n]; n > 0 { // the last edge is the one that led here
		c.edges[len(c.edges)-1].to = elsewhere
	}
	c.open.Keep(n)
}

// termination is what the search has shown when it is over, without the executions that show it.
func (c *components) termination() *liveness.Termination {
	t := &liveness.Termination{Class: c.class, NoWay: c.noWay}
	if c.class == liveness.EndIfWeak || c.class == liveness.EndIfStrong {
		t.Needs = slices.Sorted(maps.Keys(c.needs[c.class-liveness.AllEnd]))
	}
	return t
}

// bySource are the numbers of edges in the order of their states, which are numbered from first on, and of actions; and
// per state where its part of that ends.
func bySource(edges []edge, first, states int) (order []int32, ends []int) {
	ends, order = make([]int, states+1), make([]int32, len(edges))
	for i := range edges {
		ends[int(edges[i].from)-first+1]++
	}
	for n := range states {
		ends[n+1] += ends[n]
	}
	for i := range edges {
		n := int(edges[i].from) - first
		order[ends[n]] = int32(i)
		ends[n]++
	}
	begin := 0
	for _, end := range ends[:states] {
		slices.SortFunc(order[begin:end], func(a, b int32) int { return cmp.Compare(edges[a].action, edges[b].action) })
		begin = end
	}
	return order, ends[:states]
}

// judge looks at the component of the open states from a number on: can it be left, and what of the scheduler lets an
// execution go round in it for ever?
func (c *components) judge(first int) {
	if c.unknown = !c.whole; c.unknown {
		return // along the way processes may have changed places: another one may be the one that goes round
	}
	edges := c.edges[c.states[first].edges:]
	if !slices.ContainsFunc(edges, func(e edge) bool { return e.to == elsewhere }) {
		c.class = liveness.CannotEnd
	}
	g, states := liveness.NewGraph(c.m.NumProcs(), c.proc), len(c.states)-first
	order, ends := bySource(edges, first, states)
	for range states {
		g.Add(liveness.Live)
	}
	g.Add(liveness.End)
	begin := 0
	for _, end := range ends {
		g.Begin()
		for _, i := range order[begin:end] {
			to := uint32(states)
			if edges[i].to != elsewhere {
				to = uint32(int(edges[i].to) - first)
			}
			g.Edge(int(edges[i].action), to)
		}
		begin = end
	}
	g.Begin()
	if c.class == liveness.CannotEnd && c.noWay == nil {
		way := g.Termination().NoWay
		c.noWay = &liveness.Lasso{Stem: append(c.schedule(nil), way.Stem...), Cycle: way.Cycle}
	}
	for f := liveness.Unfair; f <= liveness.Strong; f++ {
		fair, needs := g.Round(f)
		for _, p := range needs {
			c.needs[f][p] = true
		}
		if fair {
			c.class = max(c.class, liveness.AllEnd+liveness.Class(f)+1)
		}
	}
}
