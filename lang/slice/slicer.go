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

// A Link is a step of the way from a node to the criterion.
type Link struct {
	Thread string     // name of its process
	Node   *step.Node // nil for the start or end of the thread
	Kind   EdgeKind   // how the next link depends on this one; Root for the last, which belongs to the criterion
}

// Why is the chain of dependences that keeps something of a line: the first link is of the line, the last of the
// criterion. It is empty if nothing of the line was kept.
func (r *Result) Why(line int) (chain []Link) {
	for _, n := range r.Nodes() {
		node := r.Graph.threads[n.Thread].node(n.Index)
		if node == nil || node.Pos.Line != line {
			continue
		}
		if c := r.chain(n); chain == nil || len(c) < len(chain) {
			chain = c
		}
	}
	return chain
}

func (r *Result) chain(n Node) (chain []Link) {
	for {
		why, h := r.why[n], r.Graph.threads[n.Thread]
		chain = append(chain, Link{h.proc.Name, h.node(n.Index), why.Kind})
		if why.Kind == Root {
			return chain
		}
		n = why.For
	}
}

// compareLinks orders links by line, text and kind; those of several threads count as one.
func compareLinks(a, b Link) int {
	at := func(l Link) (step.Pos, string) {
		if l.Node == nil {
			return step.Pos{}, l.Thread
		}
		return l.Node.Pos, l.Node.Text
	}
	p, s := at(a)
	q, t := at(b)
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col), cmp.Compare(s, t),
		cmp.Compare(a.Kind, b.Kind))
}

// influences are the edges the other way round: for each node those that depend on it.
func (g *Graph) influences() map[Node][]Reason {
	on := map[Node][]Reason{}
	g.each(func(n Node) {
		g.dependsOn(n, func(to Node, kind EdgeKind) { on[to] = append(on[to], Reason{n, kind}) })
	})
	return on
}

// each calls f for every node that can be executed.
func (g *Graph) each(f func(Node)) {
	for t, h := range g.threads {
		for i := range h.end + 1 {
			if h.live(i) {
				f(Node{t, i})
			}
		}
	}
}

// Dependents are the nodes that depend directly on a node of a line.
func (r *Result) Dependents(line int) (list []Link) {
	for n, edges := range r.Graph.influences() {
		if node := r.Graph.threads[n.Thread].node(n.Index); node == nil || node.Pos.Line != line {
			continue
		}
		for _, e := range edges {
			h := r.Graph.threads[e.For.Thread]
			l := Link{h.proc.Name, h.node(e.For.Index), e.Kind}
			if (l.Node == nil || l.Node.Pos.Line != line) && !slices.Contains(list, l) {
				list = append(list, l)
			}
		}
	}
	slices.SortFunc(list, compareLinks)
	return slices.CompactFunc(list, func(a, b Link) bool { return compareLinks(a, b) == 0 })
}

// WithoutInfluence are the shared variables that threads use although nothing that the program is judged by depends on
// them. There are none if it is judged only by whether it deadlocks or fails. observed says that what is observed
// counts: not if that is everything.
func WithoutInfluence(p *step.Program, observed bool) []*step.Var {
	c := p.Checks
	list := []Criterion{{Fails: true, Ends: c.Deadlock != step.DeadlockAllowed}}
	for _, f := range slices.Concat(c.Final, c.Reachable, c.Unreachable) {
		list = append(list, Final(f))
	}
	for _, f := range c.FinalAny {
		list = append(list, FinalAny(f))
	}
	for _, f := range slices.Concat(c.Always, c.Transition) {
		list = append(list, Kept(p, f))
	}
	g := New(p, Deadlock)
	for _, f := range slices.Concat(p.Invariants, c.Eventually, c.Stabilises) {
		list = append(list, g.Invariant(f))
	}
	for _, f := range c.LeadsTo {
		list = append(list, g.Invariant(&step.Property{Expr: f.From}), g.Invariant(&step.Property{Expr: f.To}))
	}
	if observed || c.Outcomes != nil {
		list = append(list, Outcomes(p))
	}
	if p.Spec != nil {
		list = append(list, Histories(p))
	}
	if len(list) == 1 {
		return nil
	}
	criterion := Join(list...)
	r, err := g.Slice(criterion, Context, 0, nil)
	if err != nil {
		return nil // a check that no step can come to
	}
	return r.Unused(criterion)
}

// Unused are the shared variables that nodes of the program use, but neither a node of the slice nor its criterion
// does.
func (r *Result) Unused(c Criterion) (list []*step.Var) {
	program, kept := map[*step.Var]bool{}, map[*step.Var]bool{}
	mark := func(set map[*step.Var]bool, e *step.Expr) { e.EachVar(func(e *step.Expr) { set[e.Var] = true }) }
	for _, e := range c.Values {
		mark(kept, e)
	}
	for _, p := range c.Properties {
		mark(kept, p.Expr)
	}
	r.Graph.each(func(n Node) {
		node := r.Graph.threads[n.Thread].node(n.Index)
		if node == nil {
			return
		}
		for _, e := range slices.Concat(node.Args,
			[]*step.Expr{node.Dst, node.Src, node.Cond, node.Counter, node.Maker}) {
			mark(program, e)
			if r.Has(n) {
				mark(kept, e)
			}
		}
	})
	for _, v := range r.Graph.Program.Shared {
		if program[v] && !kept[v] && !v.Temp {
			list = append(list, v)
		}
	}
	return list
}
