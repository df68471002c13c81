package liveness

// A Class says how the executions of a program come to their ends.
type Class uint8

const (
	AllEnd      Class = iota // every one does
	EndIfWeak                // every one does, if the scheduler is weakly fair
	EndIfStrong              // every one does, if the scheduler is strongly fair
	NeedNotEnd               // some goes on for ever although the scheduler is fair, and could have ended
	CannotEnd                // some comes to where nothing lets it end
)

func (c Class) String() string {
	return [...]string{"all-end", "end-if-weak", "end-if-strong", "need-not-end", "cannot-end"}[c]
}

// A Termination is the answer to whether executions end.
type Termination struct {
	Class Class
	// Needs are the processes to which the scheduler must be fair, of EndIfWeak and EndIfStrong.
	Needs []int32
	// NoWay leads to a state from which no end can be reached, and goes round there.
	NoWay *Lasso
	// Leavable goes round where an end can still be reached, fairly if there is such an execution: Fair says how.
	Leavable *Lasso
	Fair     Fairness
}

// Termination finds out whether executions end.
func (g *Graph) Termination() *Termination {
	t, c := &Termination{}, g.chase()
	all := make([]uint32, g.States())
	for i := range all {
		all[i] = uint32(i)
	}
	c.near.grow([]uint32{0}, everywhere, nil)
	can := g.canEnd(c.t, all)
	var lost, rest []uint32
	for _, s := range all {
		if can.Has(s) {
			rest = append(rest, s)
		} else {
			lost = append(lost, s)
		}
	}
	// What can be reached from a state that is lost is lost: there is a component that nothing leaves, so nobody
	// starves.
	if len(lost) > 0 {
		at, cycle, _ := c.cycle(lost, Strong, everywhere)
		t.NoWay = c.lasso(at, cycle)
	}
	for t.Class = NeedNotEnd; t.Fair <= Strong; t.Fair++ {
		at, cycle, needs := c.cycle(rest, t.Fair, everywhere)
		if cycle == nil {
			t.Class, t.Needs = [...]Class{AllEnd, EndIfWeak, EndIfStrong}[t.Fair], needs
			break
		}
		t.Leavable = c.lasso(at, cycle)
	}
	if t.Fair > Unfair {
		t.Fair--
	}
	if len(lost) > 0 {
		t.Class = CannotEnd
	}
	return t
}

// Show looks for executions that show an answer that is known without them, in the graph, which may be a part of the
// one in question. trap says that no end can be reached from its first state. It reports whether there are any.
func (g *Graph) Show(t *Termination, trap bool) bool {
	here := g.Termination()
	if trap && here.Class == NeedNotEnd { // what looks like an end is where the part ends
		here = &Termination{Class: CannotEnd, NoWay: here.Leavable}
	}
	if here.Class != t.Class {
		return false
	}
	here.Needs = t.Needs
	*t = *here
	return true
}

// CanEnd reports whether an end can be reached from a state.
func (g *Graph) CanEnd(state uint32) bool { return g.canEnd(g.tarjan(), []uint32{state}).Has(state) }

// canEnd are the states from which some end can be reached. What is void counts as an end.
func (g *Graph) canEnd(t *tarjan, all []uint32) Set {
	can := NewSet(g.States())
	t.run(all, everywhere, func(component []uint32) { // after all that it leads to
		for _, s := range component {
			first, last := g.edges(s)
			ends := g.kinds[s] != Live
			for k := first; k < last && !ends; k++ {
				ends = can.Has(g.to[k])
			}
			if !ends {
				continue
			}
			for _, s := range component {
				can.Put(s)
			}
			return
		}
	})
	return can
}

// lasso is the execution that goes the way that near knows to a state, and then round.
func (c *chase) lasso(at uint32, cycle []uint32) *Lasso {
	_, stem := c.near.path(at)
	return &Lasso{Stem: c.g.actions(stem), Cycle: c.g.actions(cycle)}
}

// Never finds an execution, one that ends or a fair one that does not, that comes to a state of from and is in states
// of avoid from there on. It is nil if there is none. For "eventually c", from is state 0, and avoid has the states
// where c is false; for "a leads to c", from has those where a is true and c is false.
func (g *Graph) Never(from func(uint32) bool, avoid Set, f Fairness) *Lasso {
	var starts []uint32
	for s := range uint32(g.States()) { // in breadth-first order
		if avoid.Has(s) && from(s) {
			starts = append(starts, s)
		}
	}
	if len(starts) == 0 {
		return nil
	}
	c := g.chase()
	c.near.grow(starts, avoid.Has, nil)
	return c.nearest(everywhere, f)
}

// Recurs finds an execution that ends in a state of bad, or a fair one that does not end and comes to such a state
// again and again. It is nil if there is none. For "eventually always c", bad has the states where c is false.
func (g *Graph) Recurs(bad Set, f Fairness) *Lasso {
	c := g.chase()
	c.near.grow([]uint32{0}, everywhere, nil)
	return c.nearest(bad.Has, f)
}

func everywhere(uint32) bool { return true }

// nearest is the shorter one of an execution to a state that is an end and for which through holds, and of one to a
// fair cycle through such a state, both within what near has reached.
func (c *chase) nearest(through func(uint32) bool, f Fairness) *Lasso {
	g, end, found := c.g, uint32(0), false
	for _, s := range c.near.order {
		if g.kinds[s] == End && through(s) {
			end, found = s, true
			break
		}
	}
	at, cycle, _ := c.cycle(c.near.order, f, through)
	if cycle == nil && !found {
		return nil
	}
	if found && (cycle == nil || c.near.depth[end] <= c.near.depth[at]) {
		at, cycle = end, nil
	}
	start, rest := c.near.path(at)
	way := g.tree()
	way.grow([]uint32{0}, everywhere, nil)
	_, stem := way.path(start)
	l := &Lasso{Since: len(stem), Stem: g.actions(append(stem, rest...))}
	if cycle != nil {
		l.Cycle = g.actions(cycle)
	}
	return l
}

// Round reports whether an execution that is fair in some way can go round in the graph for ever, and the processes to
// which it would be unfair to go round elsewhere.
func (g *Graph) Round(f Fairness) (possible bool, needs []int32) {
	all := make([]uint32, g.States())
	for i := range all {
		all[i] = uint32(i)
	}
	needs = g.fairComponents(g.tarjan(), all, f, make([]uint32, g.States()), func([]uint32, uint32) { possible = true })
	return possible, needs
}
