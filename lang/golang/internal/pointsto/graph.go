package pointsto

// graph has the variables of the constraints, the nodes, and the copies between them.
type graph struct {
	nodes    []*node
	worklist []int32 // nodes whose sets have grown
	suspects []int32 // nodes that may be in cycles of copies
}

// node is a word of a register or object that may point: a variable of the constraints.
type node struct {
	parent int32 // another node that it was merged with, or itself
	queued bool
	places set
	seen   int // how many of places have been handed on
	copies set // nodes whose sets include this one
	waits  []constraint
}

// newNodes makes a row of nodes and returns the first.
func (g *graph) newNodes(n int) int32 {
	first := int32(len(g.nodes))
	row := make([]node, n)
	for i := range row {
		row[i].parent = first + int32(i)
		g.nodes = append(g.nodes, &row[i])
	}
	return first
}

// find is the node that a node was merged into.
func (g *graph) find(n int32) int32 {
	for g.nodes[n].parent != n {
		g.nodes[n].parent = g.nodes[g.nodes[n].parent].parent
		n = g.nodes[n].parent
	}
	return n
}

// include adds a place to the set of a node, and reports whether it is new.
func (g *graph) include(n int32, place int32) bool {
	n = g.find(n)
	if !g.nodes[n].places.add(place) {
		return false
	}
	g.queue(n)
	return true
}

func (g *graph) queue(n int32) {
	if !g.nodes[n].queued {
		g.nodes[n].queued = true
		g.worklist = append(g.worklist, n)
	}
}

// copy makes the set of dst include that of src, now and later.
func (g *graph) copy(dst, src int32) {
	dst, src = g.find(dst), g.find(src)
	if dst == src || !g.nodes[src].copies.add(dst) {
		return
	}
	from := g.nodes[src]
	for _, p := range from.places.list[:from.seen] { // the others are still to be handed on
		g.include(dst, p)
	}
}

// copyRow copies n words; a row without words, or of a constant, is none.
func (g *graph) copyRow(dst, src int32, n int) {
	if dst == none || src == none {
		return
	}
	for i := range int32(n) {
		g.copy(dst+i, src+i)
	}
}

// set holds numbers in the order in which they were added.
type set struct {
	list  []int32
	index map[int32]struct{} // nil while the list is short
}

const shortSet = 16

func (s *set) add(x int32) bool {
	if s.index == nil {
		for _, y := range s.list {
			if x == y {
				return false
			}
		}
		if len(s.list) >= shortSet {
			s.index = make(map[int32]struct{}, 2*shortSet)
			for _, y := range s.list {
				s.index[y] = struct{}{}
			}
		}
	} else if _, ok := s.index[x]; ok {
		return false
	}
	if s.index != nil {
		s.index[x] = struct{}{}
	}
	s.list = append(s.list, x)
	return true
}
