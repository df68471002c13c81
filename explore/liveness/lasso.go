package liveness

import "slices"

// A Lasso is an execution, as actions: a stem from state 0, and a cycle that goes round for ever behind it. One that
// ends has no cycle.
type Lasso struct {
	Stem, Cycle []int32
	Since       int // how many steps of the stem are behind it where leads_to begins to wait
}

// Actions are those of the stem and of the cycle, once.
func (l *Lasso) Actions() []int32 { return slices.Concat(l.Stem, l.Cycle) }

// cycleIn finds a short cycle through a state of a component, one that a scheduler which is fair in some way can go
// round for ever. in tells the states of the component, which fairComponents has found for this fairness.
func (g *Graph) cycleIn(t *tree, start uint32, in func(uint32) bool, f Fairness) (edges []uint32) {
	needs := map[int32]bool{} // whether the process must run: being disabled somewhere is not enough
	for {
		edges = edges[:0]
		at := start
		visit := func(goal func(edge uint32) bool) {
			last, found := t.grow([]uint32{at}, in, goal)
			if !found {
				return
			}
			_, way := t.path(g.source(last))
			edges = append(append(edges, way...), last)
			at = g.to[last]
		}
		for p := range int32(g.procs) {
			mustRun, wanted := needs[p]
			if !wanted || slices.ContainsFunc(edges, func(k uint32) bool { return g.process(k) == p }) {
				continue
			}
			visit(func(k uint32) bool { return g.process(k) == p || !mustRun && !g.canRun(g.to[k], p) })
		}
		if at != start || len(edges) == 0 {
			visit(func(k uint32) bool { return g.to[k] == start })
		}
		var states []uint32
		for _, k := range edges {
			states = append(states, g.source(k))
		}
		slices.Sort(states)
		states = slices.Compact(states)
		taken := slices.Sorted(slices.Values(edges))
		c := g.look(states, func(k uint32) bool {
			_, is := slices.BinarySearch(taken, k)
			return is
		})
		weak, strong := c.Starved(f)
		if len(weak)+len(strong) == 0 {
			return edges
		}
		for _, p := range weak {
			_, again := needs[p]
			needs[p] = again
		}
		for _, p := range strong {
			needs[p] = true
		}
	}
}

// canRun reports whether a process is enabled in a state.
func (g *Graph) canRun(s uint32, p int32) bool {
	first, last := g.edges(s)
	for k := first; k < last; k++ {
		if g.process(k) == p {
			return true
		}
	}
	return false
}

// A chase looks for the nearest lasso in a part of the graph.
type chase struct {
	g    *Graph
	t    *tarjan
	mark []uint32
	near *tree // the ways to the part, and within it
	loop *tree // scratch
}

func (g *Graph) chase() *chase {
	return &chase{g: g, t: g.tarjan(), mark: make([]uint32, g.States()), near: g.tree(), loop: g.tree()}
}

// cycle finds a fair cycle in some states, all of which near has reached, and at, where it begins, which is a state for
// which through holds. It is nil if there is none. needs are the processes to which cycles in these states are unfair.
func (c *chase) cycle(states []uint32, f Fairness, through func(uint32) bool) (at uint32, cycle []uint32,
	needs []int32) {
	var best []uint32
	bestMark, bestDepth := uint32(0), ^uint32(0)
	needs = c.g.fairComponents(c.t, states, f, c.mark, func(component []uint32, mark uint32) {
		component = slices.DeleteFunc(component, func(s uint32) bool { return !through(s) })
		if len(component) == 0 {
			return
		}
		depth := ^uint32(0)
		for _, s := range component {
			depth = min(depth, c.near.depth[s])
		}
		if depth < bestDepth || depth == bestDepth && len(component) < len(best) {
			best, bestMark, bestDepth = component, mark, depth
		}
	})
	if best == nil {
		return 0, nil, needs
	}
	slices.SortFunc(best, func(a, b uint32) int {
		if d := int(c.near.depth[a]) - int(c.near.depth[b]); d != 0 {
			return d
		}
		return int(a) - int(b)
	})
	const (
		tries  = 24      // states in which the cycle may begin
		enough = 1 << 20 // states that are reached for that
	)
	length, most := 0, c.loop.reached+enough
	for _, s := range best[:min(tries, len(best))] {
		way := c.g.cycleIn(c.loop, s, func(n uint32) bool { return c.mark[n] == bestMark }, f)
		if all := int(c.near.depth[s]) + 2*len(way); cycle == nil || all < length {
			at, cycle, length = s, slices.Clone(way), all
		}
		if c.loop.reached > most {
			break
		}
	}
	return at, cycle, needs
}

func (g *Graph) actions(edges []uint32) (list []int32) {
	list = make([]int32, 0, len(edges))
	for _, k := range edges {
		list = append(list, int32(g.label[k]))
	}
	return list
}
