package liveness

import "slices"

// A Kind says what becomes of an execution that is in a state.
type Kind uint8

const (
	Live Kind = iota // it goes on
	End              // nothing is enabled: it has ended, normally or in a deadlock
	Void             // something has failed, or an assumption was false: it is not judged any further
)

// A Graph is the state graph of a program. States are numbered in the order of Add, which is that of a breadth-first
// search from state 0; the edges of a state are given, by Edge, after those of all states with lower numbers.
type Graph struct {
	procs int
	proc  []int32 // of an action

	kinds []Kind
	from  []uint32 // per state, its first edge
	to    []uint32
	label []uint16 // of an edge: its action
}

// MaxEdges bounds the edges of a graph.
const MaxEdges = 1<<32 - 1

// MaxActions is the number of actions that can be told apart on its edges.
const MaxActions = 1 << 15

// NewGraph makes a graph without states. proc is the process of each action.
func NewGraph(procs int, proc []int32) *Graph { return &Graph{procs: procs, proc: proc} }

// Add adds a state.
func (g *Graph) Add(k Kind) { g.kinds = append(g.kinds, k) }

// SetKind changes what a state is.
func (g *Graph) SetKind(state uint32, k Kind) { g.kinds[state] = k }

// Begin begins the list of the edges of the next state.
func (g *Graph) Begin() { g.from = append(g.from, uint32(len(g.to))) }

// Edge adds an edge of the present state.
func (g *Graph) Edge(action int, to uint32) {
	g.to, g.label = append(g.to, to), append(g.label, uint16(action))
}

// States and Edges are how many there are.
func (g *Graph) States() int { return len(g.kinds) }
func (g *Graph) Edges() int  { return len(g.to) }

// KindOf is the kind of a state.
func (g *Graph) KindOf(state uint32) Kind { return g.kinds[state] }

// Bytes is about how much memory the graph takes.
func (g *Graph) Bytes() int64 {
	return int64(cap(g.kinds)) + 4*int64(cap(g.from)+cap(g.to)) + 2*int64(cap(g.label))
}

// edges are the numbers of the edges of a state: first <= k < last.
func (g *Graph) edges(s uint32) (first, last uint32) {
	first, last = g.from[s], uint32(len(g.to))
	if int(s)+1 < len(g.from) {
		last = g.from[s+1]
	}
	return first, last
}

func (g *Graph) process(edge uint32) int32 { return g.proc[g.label[edge]] }

// A Set is a set of states.
type Set []uint64

// NewSet makes an empty set for some states.
func NewSet(states int) Set { return make(Set, (states+63)/64) }

// Has and Put look at a state of the set, and put one into it.
func (s Set) Has(state uint32) bool { return s[state/64]>>(state%64)&1 != 0 }
func (s Set) Put(state uint32)      { s[state/64] |= 1 << (state % 64) }

// Empty reports whether no state is in the set.
func (s Set) Empty() bool { return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 }) }

// source is where an edge begins.
func (g *Graph) source(edge uint32) uint32 {
	after, _ := slices.BinarySearchFunc(g.from, edge, func(from, edge uint32) int {
		if from <= edge {
			return -1
		}
		return 1
	})
	return uint32(after - 1)
}

// A tree is a breadth-first forest: the shortest ways to the states that were reached.
type tree struct {
	g     *Graph
	order []uint32 // the states in the order in which they were reached
	by    []uint32 // per state, the edge behind it plus two; 1: it began with it; 0: it was not reached
	depth []uint32

	reached int // states, by all calls of grow
}

func (g *Graph) tree() *tree {
	return &tree{g: g, by: make([]uint32, g.States()), depth: make([]uint32, g.States())}
}

// grow finds, from some states, all that can be reached by edges into states of a part of the graph. It stops at the
// first edge for which until says so, and returns that.
func (t *tree) grow(starts []uint32, in func(uint32) bool, until func(edge uint32) bool) (last uint32, found bool) {
	for _, s := range t.order {
		t.by[s] = 0
	}
	t.order = t.order[:0]
	defer func() { t.reached += len(t.order) }()
	for _, s := range starts {
		if t.by[s] == 0 {
			t.by[s], t.depth[s] = 1, 0
			t.order = append(t.order, s)
		}
	}
	for i := 0; i < len(t.order); i++ {
		s := t.order[i]
		first, end := t.g.edges(s)
		for k := first; k < end; k++ {
			n := t.g.to[k]
			if !in(n) {
				continue
			}
			if until != nil && until(k) {
				return k, true
			}
			if t.by[n] == 0 {
				t.by[n], t.depth[n] = k+2, t.depth[s]+1
				t.order = append(t.order, n)
			}
		}
	}
	return 0, false
}

// path are the edges that lead to a state, from the state with which the tree began.
func (t *tree) path(s uint32) (start uint32, edges []uint32) {
	for t.by[s] > 1 {
		edges = append(edges, t.by[s]-2)
		s = t.g.source(t.by[s] - 2)
	}
	slices.Reverse(edges)
	return s, edges
}
