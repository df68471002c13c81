package liveness

import (
	"maps"
	"slices"
)

// A Fairness is an assumption about the scheduler. Each includes the ones before.
type Fairness uint8

const (
	Unfair Fairness = iota // nothing
	Weak                   // a process that is enabled for ever takes a step
	Strong                 // a process that is enabled again and again takes a step
)

func (f Fairness) String() string { return [...]string{"none", "weak", "strong"}[f] }

// Assumption words the fairness as it is said behind "under".
func (f Fairness) Assumption() string {
	return [...]string{"a scheduler that need not be fair", "weak fairness", "strong fairness"}[f]
}

// A Census says of each process what it does in some states and edges between them.
type Census struct {
	States  int
	Enabled []int  // in how many states it is enabled
	Runs    []bool // some edge is its
}

// NewCensus is the census of states about which nothing is known yet.
func NewCensus(states, procs int) *Census {
	return &Census{states, make([]int, procs), make([]bool, procs)}
}

// look takes stock of the states of a list, with the edges for which inside holds.
func (g *Graph) look(states []uint32, inside func(edge uint32) bool) *Census {
	c := NewCensus(len(states), g.procs)
	for _, s := range states {
		before := int32(-1)
		first, last := g.edges(s)
		for k := first; k < last; k++ { // in the order of actions, and so of processes
			p := g.process(k)
			if p != before {
				c.Enabled[p]++
				before = p
			}
			c.Runs[p] = c.Runs[p] || inside(k)
		}
	}
	return c
}

// Starved are the processes to which going round these states for ever is unfair, by the weak condition, and by the
// strong one alone.
func (c *Census) Starved(f Fairness) (weak, strong []int32) {
	for p := range c.Enabled {
		switch {
		case c.Runs[p] || f == Unfair:
		case c.Enabled[p] == c.States:
			weak = append(weak, int32(p))
		case c.Enabled[p] > 0 && f == Strong:
			strong = append(strong, int32(p))
		}
	}
	return weak, strong
}

// fairComponents calls found for strongly connected parts of the graph, within the states that in has, in which a fair
// execution can go round for ever, through all of them and by all edges between them: if there is any such execution in
// these states, there is one in a component found. It returns the processes to which other cycles are unfair. The part
// that a state is in has a number in mark, and keeps it if it is found.
func (g *Graph) fairComponents(t *tarjan, states []uint32, f Fairness, mark []uint32,
	found func(component []uint32, mark uint32)) (needs []int32) {
	starving := map[int32]bool{}
	const first = 1
	clear(mark)
	for _, s := range states {
		mark[s] = first
	}
	type part struct {
		states []uint32
		mark   uint32
	}
	last := uint32(first)
	for todo := []part{{states, first}}; len(todo) > 0; {
		now := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		t.run(now.states, func(s uint32) bool { return mark[s] == now.mark }, func(component []uint32) {
			last++
			for _, s := range component {
				mark[s] = last
			}
			if len(component) == 1 && !g.loops(component[0]) {
				return
			}
			c := g.look(component, func(k uint32) bool { return mark[g.to[k]] == last })
			weak, strong := c.Starved(f)
			for _, p := range slices.Concat(weak, strong) {
				starving[p] = true
			}
			switch {
			case len(weak) > 0:
			case len(strong) == 0:
				found(slices.Clone(component), last)
			default: // these never run here, so a fair execution must at last avoid the states in which they could
				var rest []uint32
				for _, s := range component {
					if slices.ContainsFunc(strong, func(p int32) bool { return g.canRun(s, p) }) {
						mark[s] = 0
					} else {
						rest = append(rest, s)
					}
				}
				todo = append(todo, part{rest, last})
			}
		})
	}
	return slices.Sorted(maps.Keys(starving))
}

// loops reports whether a state has an edge to itself.
func (g *Graph) loops(s uint32) bool {
	first, last := g.edges(s)
	return slices.Contains(g.to[first:last], s)
}
