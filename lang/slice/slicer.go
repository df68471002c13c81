package slice

import (
	"cmp"
	"maps"
	"slices"

	"cdpor/lang/step"
)

// Mode says how exactly interference is followed.
type Mode uint8

const (
	// Context follows interference only where the threads can execute the nodes in that order: nothing is influenced by
	// what comes after it.
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
	// checks are the threads with nodes in the slice that check a property at the end of a step.
	checks []bool
}

// A Reason is why a node was kept: another one, which depends on it.
type Reason struct {
	For  Node
	Kind EdgeKind
}

// A Closing calls add for nodes that have to be kept because others are, with one of those: what is there in the text
// of the program whenever they are.
type Closing func(r *Result, add func(n, because *step.Node))

// Slice computes a slice; limit bounds the contexts of a node, 0 is a default. closing may be nil. The slice of the
// slice is the slice: code that was left out may have been what made other code fail or write, so what is left is
// sliced until that changes nothing.
func (g *Graph) Slice(c Criterion, mode Mode, limit int, closing Closing) (*Result, error) {
	if limit == 0 {
		limit = defaultLimit
	}
	r, err := g.slice(g, c, mode, limit, closing)
	if err != nil {
		return nil, err
	}
	for {
		part := r.Cut(nil, step.Checks{})
		next, err := New(part, g.Preserve).slice(g, c.in(g.Program, part), mode, limit, closing)
		if err != nil || len(next.why) == len(r.why) {
			return r, err
		}
		r = next
	}
}

// slice computes a slice of a program as it is seen by the graph g of a part of it, which may be all of it.
func (g *Graph) slice(whole *Graph, c Criterion, mode Mode, limit int, closing Closing) (*Result, error) {
	roots, err := g.roots(c)
	if err != nil {
		return nil, err
	}
	r := &Result{Graph: whole, Exact: true, why: map[Node]Reason{}, checks: make([]bool, len(g.threads))}
	w := &walker{g: g, r: r, mode: mode, limit: limit, seen: map[Node][][]int{}}
	w.values = g.Preserve == Values && !c.Ends && !c.Fails
	for _, n := range roots {
		w.root(n, Reason{n, Root})
	}
	w.run()
	for w.complete() || closing != nil && w.close(closing) {
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

// A walker goes backwards along the edges of g, the graph of the program of r or of a part of it.
type walker struct {
	g     *Graph
	r     *Result
	mode  Mode
	limit int
	seen  map[Node][][]int
	todo  []visit
	// values: only values matter, not whether anything blocks for ever or fails.
	values bool
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
		if node := w.g.threads[n.Thread].node(n.Index); node != nil && node.Property != nil {
			w.r.checks[n.Thread] = true
		}
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

// close adds what the text needs; it reports whether that is anything.
func (w *walker) close(closing Closing) bool {
	before := len(w.r.why)
	closing(w.r, func(n, because *step.Node) {
		for _, to := range w.r.Graph.nodes[n] {
			if !w.r.Has(to) && w.g.threads[to.Thread].live(to.Index) {
				w.root(to, Reason{w.keeper(because), Text})
			}
		}
	})
	return len(w.r.why) > before
}

// keeper is a node of the graph that was kept.
func (w *walker) keeper(n *step.Node) Node {
	list := w.r.Graph.nodes[n]
	return list[max(0, slices.IndexFunc(list, w.r.Has))]
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
	if w.mode == Context {
		w.steer(kept)
	}
	return len(w.r.why) > before || len(w.todo) > 0
}

// Has reports whether a node of the graph was kept.
func (r *Result) Has(n Node) bool {
	_, kept := r.why[n]
	return kept
}

// Keeps reports whether a node of the program was kept, in which case it was in all processes that have it.
func (r *Result) Keeps(n *step.Node) bool {
	return slices.ContainsFunc(r.Graph.nodes[n], r.Has)
}

// Nodes are the nodes that were kept, in a fixed order.
func (r *Result) Nodes() []Node {
	return slices.SortedFunc(maps.Keys(r.why), func(a, b Node) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Index, b.Index))
	})
}

// Lines are the lines of the file that something was kept of, in ascending order.
func (r *Result) Lines() []int { return slices.Sorted(maps.Keys(r.Files()[""])) }

// Files are the lines that something was kept of, by the files that places name.
func (r *Result) Files() map[string]map[int]bool {
	files := map[string]map[int]bool{}
	for n := range r.why {
		node := r.Graph.threads[n.Thread].node(n.Index)
		if node == nil {
			continue
		}
		if files[node.Pos.File] == nil {
			files[node.Pos.File] = map[int]bool{}
		}
		files[node.Pos.File][node.Pos.Line] = true
	}
	return files
}
