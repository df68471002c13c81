package pointsto

// collapse merges the nodes of each cycle of copies that can be reached from the suspects: their sets are equal. A node
// is suspected when it was handed nothing new and its set equals that of the giver: lazy cycle detection (Hardekopf and
// Lin, The Ant and the Grasshopper, PLDI 2007, section 4.2). Suspects are collected first, so that all searches
// together take no longer than the useless copies that they follow. Cycles are strongly connected components (Tarjan,
// SIAM J. Comput. 1, 1972).
func (g *graph) collapse() {
	t := &components{g: g, number: make([]int32, len(g.nodes)), low: make([]int32, len(g.nodes)),
		open: make([]bool, len(g.nodes))}
	for _, n := range g.suspects {
		if n = g.find(n); t.number[n] == 0 {
			t.visit(n)
		}
	}
	g.suspects = g.suspects[:0]
	for _, cycle := range t.found {
		for _, n := range cycle[1:] {
			g.merge(cycle[0], n)
		}
		g.queue(cycle[0])
	}
}

// merge makes node a stand for node b too. Its constraints see all places again.
func (g *graph) merge(a, b int32) {
	g.nodes[b].parent = a
	to, from := g.nodes[a], g.nodes[b]
	for _, p := range from.places.list {
		to.places.add(p)
	}
	for _, m := range from.copies.list {
		to.copies.add(m)
	}
	to.waits = append(to.waits, from.waits...)
	to.seen = 0
	from.places, from.copies, from.waits = set{}, set{}, nil
}

// components finds strongly connected components of two nodes and more.
type components struct {
	g           *graph
	count       int32
	number, low []int32 // by node; number 0: not visited
	stack       []int32
	open        []bool
	found       [][]int32
}

func (t *components) visit(n int32) {
	t.count++
	t.number[n], t.low[n] = t.count, t.count
	t.stack = append(t.stack, n)
	t.open[n] = true
	for _, m := range t.g.nodes[n].copies.list {
		m = t.g.find(m)
		if t.number[m] == 0 {
			t.visit(m)
			t.low[n] = min(t.low[n], t.low[m])
		} else if t.open[m] {
			t.low[n] = min(t.low[n], t.number[m])
		}
	}
	if t.low[n] != t.number[n] {
		return
	}
	for i := len(t.stack) - 1; ; i-- {
		t.open[t.stack[i]] = false
		if t.stack[i] == n {
			if cycle := t.stack[i:]; len(cycle) > 1 {
				t.found = append(t.found, append([]int32(nil), cycle...))
			}
			t.stack = t.stack[:i]
			return
		}
	}
}
