package pointsto

// collapse merges the nodes of each cycle of copies that can be reached from a node: their sets are equal. It is called when
// a copy between equal sets suggests a cycle: lazy cycle detection (Hardekopf and Lin, The Ant and the Grasshopper, PLDI 2007,
// section 4.2), with the strongly connected components of Tarjan (SIAM J. Comput. 1, 1972).
func (s *solver) collapse(from int32) {
	t := &components{s: s, number: map[int32]int{}, low: map[int32]int{}, open: map[int32]bool{}}
	t.visit(s.find(from))
	for _, cycle := range t.found {
		for _, n := range cycle[1:] {
			s.merge(cycle[0], n)
		}
		s.queue(cycle[0])
	}
}

// merge makes node a stand for node b too. Its constraints see all places again.
func (s *solver) merge(a, b int32) {
	s.nodes[b].parent = a
	to, from := s.nodes[a], s.nodes[b]
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
	s           *solver
	number, low map[int32]int
	stack       []int32
	open        map[int32]bool
	found       [][]int32
}

func (t *components) visit(n int32) {
	t.number[n] = len(t.number)
	t.low[n] = t.number[n]
	t.stack = append(t.stack, n)
	t.open[n] = true
	for _, m := range t.s.nodes[n].copies.list {
		m = t.s.find(m)
		if _, visited := t.number[m]; !visited {
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
