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
// depth-first search for strong and biconnected components", 2000). Of each the search knows which processes are
// enabled in its states and which take its edges. Edges are remembered where there are not too many.

// components are those of a search.
type components struct {
	open    stateset.Path // states whose components are not complete, by number
	states  []openState   // these
	enabled []uint64      // bits, the processes that are enabled in each of these
	edges   []edge        // of these, in the order in which they were taken
	roots   []root        // the first states of what are components if no edge back joins them
	runs    []uint64      // bits, the processes that take edges within each of these
	stack   []visit       // the depth-first stack

	schedule func([]int32) []int32 // to the present state
	m        *step.Machine
	whole    bool    // of all states, and not of what represents them
	unknown  bool    // there was a cycle of what represents states, or an edge is needed that is not remembered
	many     bool    // there were too many edges
	proc     []int32 // of an action
	words    int     // of as many bits as there are processes

	ends  bool                                // some execution does
	trap  []int32                             // leads to a state from which no end can be reached; nil: there is none
	class liveness.Class                      // of the components that are complete
	needs [liveness.Strong + 1]map[int32]bool // processes to which going round is unfair, by fairness
}

// An openState is a state whose component is not complete.
type openState struct {
	edges int32 // of the states before it
	void  bool  // some process has failed, or was dropped: what follows is not judged
	round bool  // it has an edge to itself
}

// A root is the first state of a component.
type root struct {
	state int32
	left  bool // some edge leads out of it
}

// A visit is a state of the depth-first stack, and the process whose step has led to it.
type visit struct{ state, proc int32 }

// An edge leads from an open state to an open state, or elsewhere.
type edge struct {
	from, to int32
	action   int32
}

const elsewhere = -1

// mostEdges is how many edges are remembered at most.
const mostEdges = 1 << 22

func newComponents(m *step.Machine, schedule func([]int32) []int32, whole bool) *components {
	c := &components{m: m, schedule: schedule, whole: whole, proc: make([]int32, m.NumActions())}
	for a := range c.proc {
		c.proc[a] = int32(m.ProcOf(a))
	}
	c.words = (m.NumProcs() + 63) / 64
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
	n := int32(c.open.Len())
	if n > 0 {
		c.take(action, n)
	}
	c.open.Push(at)
	c.states = append(c.states, openState{edges: int32(len(c.edges)), void: c.m.Void(s)})
	c.roots, c.stack = append(c.roots, root{state: n}), append(c.stack, visit{n, c.proc[action]})
	for range c.words {
		c.enabled, c.runs = append(c.enabled, 0), append(c.runs, 0)
	}
	if len(c.edges) > mostEdges {
		c.many, c.edges = true, nil
	}
}

// take is called when an action leads from the present state to one with a number, or elsewhere.
func (c *components) take(action int, to int32) {
	now, p := c.stack[len(c.stack)-1].state, c.proc[action]
	c.enabled[int(now)*c.words+int(p>>6)] |= 1 << (p & 63)
	if !c.many {
		c.edges = append(c.edges, edge{now, to, int32(action)})
	}
}

// within notes that a process takes an edge within the present component.
func (c *components) within(p int32) { c.runs[(len(c.roots)-1)*c.words+int(p>>6)] |= 1 << (p & 63) }

// meet is called when an action leads from the present state to one that is not new.
func (c *components) meet(action int, at stateset.Place) {
	if c == nil || c.unknown {
		return
	}
	to := int32(c.open.Find(at))
	if c.take(action, to); to < 0 {
		c.roots[len(c.roots)-1].left = true
		return
	}
	if c.stack[len(c.stack)-1].state == to {
		c.states[to].round = true
	}
	c.within(c.proc[action])
	for k := len(c.roots) - 1; c.roots[k].state > to; k-- {
		c.roots[k-1].left = c.roots[k-1].left || c.roots[k].left
		for w := range c.words {
			c.runs[(k-1)*c.words+w] |= c.runs[k*c.words+w]
		}
		c.roots, c.runs = c.roots[:k], c.runs[:k*c.words]
	}
}

// leave is called when everything has been taken from the present state.
func (c *components) leave() {
	if c == nil || c.unknown || len(c.stack) == 0 {
		return
	}
	last := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	n := int(last.state)
	if k := len(c.roots) - 1; c.roots[k].state != last.state {
		c.within(last.proc)
		return
	}
	s := &c.states[n]
	alone := len(c.states) == n+1 && !s.round
	c.ends = c.ends || s.void || alone && !c.roots[len(c.roots)-1].left
	if !s.void && !alone {
		c.judge(n)
	}
	c.roots, c.runs = c.roots[:len(c.roots)-1], c.runs[:len(c.runs)-c.words]
	if !c.many {
		c.edges = c.edges[:s.edges]
	}
	c.states, c.enabled = c.states[:n], c.enabled[:n*c.words]
	c.open.Keep(n)
	if n > 0 {
		c.roots[len(c.roots)-1].left = true
		if !c.many { // the last edge is the one that led here
			c.edges[len(c.edges)-1].to = elsewhere
		}
	}
}

// termination is what the search has shown when it is over, without the executions that show it, but for the way to
// where no end can be reached.
func (c *components) termination() *liveness.Termination {
	t := &liveness.Termination{Class: c.class}
	switch {
	case c.class != liveness.CannotEnd:
	case c.ends:
		t.NoWay = &liveness.Lasso{Stem: c.trap}
	default: // from nowhere
		t.NoWay = &liveness.Lasso{}
	}
	if c.class == liveness.EndIfWeak || c.class == liveness.EndIfStrong {
		t.Needs = slices.Sorted(maps.Keys(c.needs[c.class-liveness.AllEnd]))
	}
	return t
}

// judge looks at the present component, that of the open states from a number on: can it be left, and what of the
// scheduler lets an execution go round in it for ever?
func (c *components) judge(first int) {
	if c.unknown = !c.whole; c.unknown {
		return // along the way processes may have changed places: another one may be the one that goes round
	}
	if c.trap == nil && !c.roots[len(c.roots)-1].left {
		c.class, c.trap = liveness.CannotEnd, c.schedule([]int32{})
	}
	census := c.census(first)
	for f := liveness.Unfair; f <= liveness.Strong; f++ {
		weak, needs := census.Starved(f)
		fair := len(weak) == 0
		if fair && len(needs) > 0 { // perhaps in a part
			if c.unknown = c.many; c.unknown {
				return
			}
			fair, needs = c.graph(first).Round(f)
		}
		for _, p := range append(needs, weak...) {
			c.needs[f][p] = true
		}
		if fair {
			c.class = max(c.class, liveness.AllEnd+liveness.Class(f)+1)
		}
	}
}

// census is that of the present component.
func (c *components) census(first int) *liveness.Census {
	procs := c.m.NumProcs()
	census := liveness.NewCensus(len(c.states)-first, procs)
	for p := range procs {
		w, bit := p>>6, uint64(1)<<(p&63)
		for k := first*c.words + w; k < len(c.enabled); k += c.words {
			if c.enabled[k]&bit != 0 {
				census.Enabled[p]++
			}
		}
		census.Runs[p] = c.runs[(len(c.roots)-1)*c.words+w]&bit != 0
	}
	return census
}

// graph is the present component, with an end for what is behind it.
func (c *components) graph(first int) *liveness.Graph {
	edges, states := slices.Clone(c.edges[c.states[first].edges:]), len(c.states)-first
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.action, b.action))
	})
	g := liveness.NewGraph(c.m.NumProcs(), c.proc)
	for n := range int32(states) {
		g.Add(liveness.Live)
		g.Begin()
		for ; len(edges) > 0 && edges[0].from == int32(first)+n; edges = edges[1:] {
			to := uint32(states)
			if edges[0].to != elsewhere {
				to = uint32(int(edges[0].to) - first)
			}
			g.Edge(int(edges[0].action), to)
		}
	}
	g.Add(liveness.End)
	g.Begin()
	return g
}
