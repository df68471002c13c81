package liveness

// A tarjan finds strongly connected components of parts of a graph, again and again.
type tarjan struct {
	g        *Graph
	number   []uint32 // in the order of the search, from 1; 0: not looked at
	low      []uint32
	on       Set // the stack
	stack    []uint32
	calls    []call
	numbered uint32
}

// A call is a state on the way of the depth-first search, and its edge to be looked at next.
type call struct{ state, edge uint32 }

func (g *Graph) tarjan() *tarjan {
	n := g.States()
	return &tarjan{g: g, number: make([]uint32, n), low: make([]uint32, n), on: NewSet(n)}
}

// run calls found for each component of the part of the graph that some states and the edges between states of the
// part make up; a component comes after all that it leads to. in tells whether a state is in the part; found may take
// states of the component out of it. The list is valid during the call.
func (t *tarjan) run(states []uint32, in func(uint32) bool, found func(component []uint32)) {
	for _, s := range states {
		t.number[s] = 0
	}
	t.numbered = 0
	for _, s := range states {
		if t.number[s] == 0 {
			t.from(s, in, found)
		}
	}
}

func (t *tarjan) from(root uint32, in func(uint32) bool, found func([]uint32)) {
	t.enter(root)
	for len(t.calls) > 0 {
		c := &t.calls[len(t.calls)-1]
		if _, last := t.g.edges(c.state); c.edge < last {
			n := t.g.to[c.edge]
			c.edge++
			switch {
			case !in(n):
			case t.number[n] == 0:
				t.enter(n)
			case t.on.Has(n):
				t.low[c.state] = min(t.low[c.state], t.number[n])
			}
			continue
		}
		s := c.state
		t.calls = t.calls[:len(t.calls)-1]
		if len(t.calls) > 0 {
			below := t.calls[len(t.calls)-1].state
			t.low[below] = min(t.low[below], t.low[s])
		}
		if t.low[s] != t.number[s] {
			continue
		}
		at := len(t.stack) - 1
		for t.stack[at] != s {
			at--
		}
		for _, n := range t.stack[at:] {
			t.on[n/64] &^= 1 << (n % 64)
		}
		found(t.stack[at:])
		t.stack = t.stack[:at]
	}
}

func (t *tarjan) enter(s uint32) {
	t.numbered++
	t.number[s], t.low[s] = t.numbered, t.numbered
	t.on.Put(s)
	t.stack = append(t.stack, s)
	first, _ := t.g.edges(s)
	t.calls = append(t.calls, call{s, first})
}
