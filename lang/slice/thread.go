package slice

import (
	"slices"

	"cdpor/lang/step"
)

// A thread is a process, or all processes of a pool, in the graph. Processes of one template are apart, because each
// knows its own number and parameters; those of a pool are started any number of times and are seen as one thread that
// runs beside itself.
type thread struct {
	template *step.Template
	proc     *step.Proc // one of them
	many     bool

	entry, end int // pseudo nodes after those of the template
	succ, pred [][]int

	uses, defs    [][]access
	fails, blocks []bool // nodes after which the process may stand still for ever
	drops         []bool // nodes that may drop the process
	steering      []bool // nodes that read what decides which steps are taken, and what they touch
	exposed       [][]access
	escapes       [][]access
	stays         [][]access // writes that may be the last ones of the thread

	cyclic []bool // the node is in a cycle
	ends   []bool // and in no other cycles than such as certainly end
	// node that waits for a lock and certainly gets it -> nodes that are executed while it is held
	locked  map[int][]int
	stuck   []bool // nodes at which the process may stand in a state in which nothing is enabled
	reach   []bits // nodes that can be reached by one edge at least
	locals  []int  // word of a local -> cell
	written map[*step.Var]bool

	copies map[place][]int // what a procedure was written out to

	control [][]int // node -> nodes that decide whether it is executed
	data    [][]int // node -> nodes whose values it may use
}

// A Node is a place in the graph: a node of a thread. Beside those of its template a thread has two that are none, for
// its start and its normal end.
type Node struct{ Thread, Index int }

func newThread(p *step.Proc) *thread {
	t := p.Template
	n := len(t.Nodes)
	h := &thread{template: t, proc: p, many: t.Pool != nil, entry: n, end: n + 1}
	h.succ, h.pred = make([][]int, n+2), make([][]int, n+2)
	edge := func(from, to int) {
		if to == step.End {
			to = h.end
		}
		h.succ[from] = append(h.succ[from], to)
	}
	edge(h.entry, t.Start)
	for i, node := range t.Nodes {
		edge(i, node.Next)
		if node.Kind == step.Branch && node.Else != node.Next {
			edge(i, node.Else)
		}
	}
	for _, i := range reachable(h.succ, h.entry) { // code that nothing leads to is not part of the graph
		for _, next := range h.succ[i] {
			h.pred[next] = append(h.pred[next], i)
		}
	}
	h.cyclic, h.reach = closure(h.succ)
	h.copies = map[place][]int{}
	for i, node := range t.Nodes {
		if h.live(i) {
			h.copies[placeOf(node)] = append(h.copies[placeOf(node)], i)
		}
	}
	return h
}

// A place is where a node comes from. The nodes that a procedure was written out to, once for each call, have it in
// common.
type place struct {
	pos  step.Pos
	kind step.NodeKind
	text string
}

func placeOf(n *step.Node) place { return place{n.Pos, n.Kind, n.Text} }

// live reports whether a node can be executed at all.
func (h *thread) live(i int) bool { return i == h.entry || len(h.pred[i]) > 0 }

// boundary reports whether a step begins at the node, or none follows.
func (h *thread) boundary(i int) bool { return i >= h.entry || h.template.Nodes[i].Visible }

// node is a node of the template; nil for the pseudo nodes.
func (h *thread) node(i int) *step.Node {
	if i >= h.entry {
		return nil
	}
	return h.template.Nodes[i]
}

// reachable lists a node and all that can be reached from it.
func reachable(succ [][]int, from int) []int {
	return step.Reach(func(i int) []int { return succ[i] }, from)
}

// within lists a node and all that can be reached from it in its step.
func (h *thread) within(i int) []int {
	return step.Reach(func(k int) []int { return slices.DeleteFunc(slices.Clone(h.succ[k]), h.boundary) }, i)
}

type bits []uint64

func newBits(n int) bits      { return make(bits, (n+63)/64) }
func (b bits) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) union(other bits) {
	for i, w := range other {
		b[i] |= w
	}
}

// components are the strongly connected components of a graph (Tarjan's algorithm), each after those that it leads to.
func components(succ [][]int) (list [][]int) {
	index, low := make([]int, len(succ)), make([]int, len(succ)) // from 1; 0: not visited; low -1: in a component
	var stack []int
	counter := 0
	var visit func(i int)
	visit = func(i int) {
		counter++
		index[i], low[i] = counter, counter
		from := len(stack)
		stack = append(stack, i)
		for _, next := range succ[i] {
			if index[next] == 0 {
				visit(next)
			}
			if low[next] > 0 {
				low[i] = min(low[i], low[next])
			}
		}
		if low[i] == index[i] {
			list = append(list, slices.Clone(stack[from:]))
			for _, m := range stack[from:] {
				low[m] = -1
			}
			stack = stack[:from]
		}
	}
	for root := range succ {
		if index[root] == 0 {
			visit(root)
		}
	}
	return list
}

// closure computes which nodes are in cycles, and what each node reaches by one edge or more.
func closure(succ [][]int) (cyclic []bool, reach []bits) {
	n := len(succ)
	cyclic, reach = make([]bool, n), make([]bits, n)
	for _, members := range components(succ) {
		all := newBits(n)
		loop := len(members) > 1
		for _, m := range members {
			for _, next := range succ[m] {
				all.set(next)
				loop = loop || next == m
			}
		}
		for _, m := range members {
			for _, next := range succ[m] {
				if reach[next] != nil {
					all.union(reach[next])
				}
			}
		}
		for _, m := range members {
			reach[m], cyclic[m] = all, loop
		}
	}
	return
}
