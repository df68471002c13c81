package slice

import (
	"cmp"
	"maps"
	"slices"
)

// Mode says how exactly interference is followed.
type Mode uint8

const (
	// Context follows interference only where the threads can execute the nodes in that order: nothing is influenced by what comes after it.
	Context Mode = iota
	// Insensitive follows all of it, and takes the calls of a procedure for one.
	Insensitive
)

// defaultLimit is how many contexts of a node are told apart.
const defaultLimit = 8

// A Result is a slice.
type Result struct {
	Graph *Graph
	// Exact is false when a node had too many contexts, so that they were taken for one that allows everything.
	Exact bool
	why   map[Node]Reason
}

// A Reason is why a node was kept: another one, which depends on it.
type Reason struct {
	For  Node
	Kind EdgeKind
}

// Slice computes a slice; limit bounds the contexts of a node, 0 is a default.
func (g *Graph) Slice(c Criterion, mode Mode, limit int) (*Result, error) {
	roots, err := g.roots(c)
	if err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = defaultLimit
	}
	r := &Result{Graph: g, Exact: true, why: map[Node]Reason{}}
	w := &walker{g: g, r: r, mode: mode, limit: limit, seen: map[Node][][]int{}}
	for _, n := range roots {
		w.root(n, Reason{n, Root})
	}
	w.run()
	for w.complete() {
		w.run()
	}
	return r, nil
}

// A visit is a node with, for each thread, the node of it that was visited last; nowhere if there is none.
type visit struct {
	node Node
	last []int
}

const nowhere = -1

// A walker goes backwards along the edges.
type walker struct {
	g     *Graph
	r     *Result
	mode  Mode
	limit int
	seen  map[Node][][]int
	todo  []visit
}

func (w *walker) root(n Node, why Reason) {
	last := make([]int, len(w.g.threads))
	for i := range last {
		last[i] = nowhere
	}
	w.visit(n, last, why)
}

// visit enters a node from one whose threads stand at last.
func (w *walker) visit(n Node, last []int, why Reason) {
	if _, kept := w.r.why[n]; !kept {
		w.r.why[n] = why
	}
	if w.mode == Insensitive {
		if w.seen[n] == nil {
			w.seen[n] = [][]int{last}
			w.todo = append(w.todo, visit{n, last})
		}
		return
	}
	last = append([]int(nil), last...)
	if !w.g.threads[n.Thread].many {
		last[n.Thread] = n.Index
	}
	for _, other := range w.seen[n] {
		if w.covers(other, last) {
			return
		}
	}
	if len(w.seen[n]) == w.limit {
		w.r.Exact = false
		w.seen[n] = nil
		for t := range last {
			if t != n.Thread {
				last[t] = nowhere
			}
		}
	}
	w.seen[n] = append(w.seen[n], last)
	w.todo = append(w.todo, visit{n, last})
}

// covers reports whether everything that can be visited from b can be from a.
func (w *walker) covers(a, b []int) bool {
	for t, i := range a {
		if i == nowhere || i == b[t] {
			continue
		}
		if b[t] == nowhere || !w.g.threads[t].reach[b[t]].has(i) {
			return false
		}
	}
	return true
}

func (w *walker) run() {
	for len(w.todo) > 0 {
		v := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.g.dependsOn(v.node, func(to Node, kind EdgeKind) {
			if w.mode == Context && to.Thread != v.node.Thread {
				// What happened there must be before what was already visited there.
				if last := v.last[to.Thread]; last != nowhere && !w.g.threads[to.Thread].reach[to.Index].has(last) {
					return
				}
			}
			w.visit(to, v.last, Reason{v.node, kind})
		})
	}
}

// complete adds roots that the result needs to be a program again; it reports whether there are any.
func (w *walker) complete() bool {
	before := len(w.r.why)
	add := func(n Node, why Reason) {
		if _, kept := w.r.why[n]; !kept {
			w.root(n, why)
		}
	}
	kept := w.r.Nodes()
	for _, n := range kept {
		h := w.g.threads[n.Thread]
		for _, t := range w.g.of[h.template] {
			if t != n.Thread {
				add(Node{t, n.Index}, Reason{n, Sibling})
			}
		}
		if w.mode == Insensitive && n.Index < h.entry {
			for _, i := range h.copies[placeOf(h.template.Nodes[n.Index])] {
				add(Node{n.Thread, i}, Reason{n, Sibling})
			}
		}
	}
	for t := range w.g.threads {
		for i, from := range w.r.unclear(t) {
			add(Node{t, i}, Reason{from, Structure})
		}
	}
	if w.g.Preserve == Values && w.mode == Context {
		// A node that got wrong values outside of the contexts it was kept in must not stop its thread.
		for _, n := range kept {
			h := w.g.threads[n.Thread]
			if h.fails[n.Index] || h.drops[n.Index] || h.cyclic[n.Index] {
				w.root(n, Reason{n, Root})
			}
		}
	}
	return len(w.r.why) > before || len(w.todo) > 0
}

// Keeps reports whether a node of the program was kept.
func (r *Result) Keeps(n Node) bool {
	_, kept := r.why[n]
	return kept
}

// Nodes are the nodes that were kept, in a fixed order.
func (r *Result) Nodes() []Node {
	return slices.SortedFunc(maps.Keys(r.why), func(a, b Node) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Index, b.Index))
	})
}

// Lines are the lines of the file that something was kept of, in ascending order.
func (r *Result) Lines() []int {
	lines := map[int]bool{}
	for n := range r.why {
		if node := r.Graph.threads[n.Thread].node(n.Index); node != nil {
			lines[node.Pos.Line] = true
		}
	}
	return slices.Sorted(maps.Keys(lines))
}
