// Package stategraph makes the whole state graph of a program, without any reduction: what termination and liveness are
// decided on. A state that was come to with a failed process, or a dropped one, is a leaf: executions are not judged
// any further.
package stategraph

import (
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/stateset"
	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// A numbering numbers states in the order in which they come, exactly, in some 20 bytes each: the number of the
// tree of its chunks (package stateset), with the list of its words without a code, is a key of 64 bits.
type numbering struct {
	*stateset.TreeSet
	states stateset.PairTable
}

// number numbers a state. from is a similar one that has been numbered, or nil; to is filled.
func (n *numbering) number(s step.State, from, to *stateset.Packed) uint32 {
	n.Pack(to, s)
	root, list := uint32(0), uint32(0)
	if n.Chunks == 1 {
		root = n.Leaves[0].Number(to.Chunks[0])
	} else {
		n.TreeSet.Number(from, to)
		root = n.Pairs.Number(n.Root(from, to))
	}
	if to.Large > 0 {
		list = n.List(s)
	}
	return n.states.Number(uint64(root)<<32 | uint64(list))
}

// A queue is a queue of states, packed as bytes.
type queue struct {
	bytes []byte
	ends  []int // of each state
	next  int   // the state to come, and where it begins
	at    int
}

func (q *queue) push(s step.State) {
	q.bytes = stateset.EncodeWords(q.bytes, s)
	q.ends = append(q.ends, len(q.bytes))
}

// pop takes the first state out of the queue, into s.
func (q *queue) pop(s step.State) {
	stateset.DecodeInto(s[:0], q.bytes[q.at:q.ends[q.next]])
	q.at = q.ends[q.next]
	q.next++
	const much = 1 << 20
	if q.at < much || q.at < len(q.bytes)/2 {
		return
	}
	q.bytes = q.bytes[:copy(q.bytes, q.bytes[q.at:])]
	q.ends = q.ends[:copy(q.ends, q.ends[q.next:])]
	for i := range q.ends {
		q.ends[i] -= q.at
	}
	q.next, q.at = 0, 0
}

// A Graph is a state graph with what holds where.
type Graph struct {
	*liveness.Graph
	m          *step.Machine
	run        *step.Runner
	begun      uint32 // states whose edges are there
	conditions []Condition
	holds      [][]uint64 // per condition, the states in which it holds: liveness.Set as it grows
	Memory     int64      // bytes taken by Explore
}

// A Condition of states; ok is false where it cannot be evaluated.
type Condition = func(*step.Runner, step.State) (holds, ok bool)

// New makes an empty graph, of which it will be known where some conditions hold.
func New(m *step.Machine, conditions []Condition) *Graph {
	procs := make([]int32, m.NumActions())
	for a := range procs {
		procs[a] = int32(m.ProcOf(a))
	}
	return &Graph{Graph: liveness.NewGraph(m.NumProcs(), procs), m: m, run: m.NewRunner(),
		conditions: conditions, holds: make([][]uint64, len(conditions))}
}

// AddState adds a state, which is a leaf if a process has failed in it or was dropped. A condition that cannot be
// evaluated is taken to be false.
func (g *Graph) AddState(s step.State) {
	n := g.States()
	if g.m.Void(s) {
		g.AddKind(liveness.Void)
	} else {
		g.AddKind(liveness.Live)
	}
	for i, c := range g.conditions {
		if holds, ok := c(g.run, s); holds && ok {
			g.holds[i][n/64] |= 1 << (n % 64)
		}
	}
}

// AddKind adds a state in which no condition holds, of a kind.
func (g *Graph) AddKind(k liveness.Kind) {
	for i := range g.holds {
		if g.States()%64 == 0 {
			g.holds[i] = append(g.holds[i], 0)
		}
	}
	g.Add(k)
}

// Leave adds the edges of the state with the next number; to numbers the states that its actions lead to, or says that
// there is no more room. A state without edges is an end.
func (g *Graph) Leave(s step.State, to func(action int) (number uint32, ok bool)) (ok bool) {
	n := g.begun
	g.begun++
	g.Begin()
	if g.KindOf(n) != liveness.Live {
		return true
	}
	leaf := true
	for p := range g.m.NumProcs() {
		if !g.run.Enabled(s, p) {
			continue
		}
		for k := range g.run.Alternatives(s, p).All() {
			leaf = false
			action := g.m.FirstAction(p) + k
			number, ok := to(action)
			if !ok {
				return false
			}
			g.Edge(action, number)
		}
	}
	if leaf {
		g.SetKind(n, liveness.End)
	}
	return true
}

// Explore makes the state graph of a program from a state on, by breadth-first search. Now and then it asks stop. It
// returns nil, and what that said, if it was not empty; nil and "" if there are more than limit states or too many
// edges. If part is set, limit states are left at most, and those beyond are ends.
func Explore(m *step.Machine, start step.State, limit int, part bool, stop func() string,
	conditions []Condition) (g *Graph, why string) {
	g = New(m, conditions)
	numbers, waiting := &numbering{TreeSet: stateset.NewTreeSet(stateset.PackingOf(m))}, &queue{}
	from, to := numbers.Vector(), numbers.Vector()
	s, next := slices.Clone(start), slices.Clone(start)
	arrive := func(s step.State) {
		g.AddState(s)
		waiting.push(s)
	}
	numbers.number(s, nil, to)
	arrive(s)
	follow := func(action int) (uint32, bool) {
		copy(next, s)
		g.run.Take(next, action)
		id := numbers.number(next, from, to)
		if int(id) == g.States() {
			if g.States() == limit && !part {
				return 0, false
			}
			arrive(next)
		}
		return id, true
	}
	n := 0
	for ; n < g.States() && (n < limit || !part); n++ {
		const period = 1 << 10 // states
		if n%period == 0 {
			if why = stop(); why != "" {
				return nil, why
			}
		}
		waiting.pop(s)
		if g.KindOf(uint32(n)) == liveness.Live {
			numbers.number(s, nil, from)
		}
		if !g.Leave(s, follow) || int64(g.Edges()) > liveness.MaxEdges-actionset.Max {
			return nil, ""
		}
	}
	for ; n < g.States(); n++ {
		g.Begin()
		g.SetKind(uint32(n), liveness.End)
	}
	g.Memory = g.Bytes() + numbers.Bytes() + numbers.states.Bytes()
	return g, ""
}

// Holds are the states in which a condition, given by its number, holds.
func (g *Graph) Holds(condition int) liveness.Set { return liveness.Set(g.holds[condition]) }

// Everywhere reports whether a condition holds in every state that is not void.
func (g *Graph) Everywhere(condition int) bool {
	holds := g.Holds(condition)
	for s := range uint32(g.States()) {
		if !holds.Has(s) && g.KindOf(s) != liveness.Void {
			return false
		}
	}
	return true
}

// Fails are the states in which a condition does not hold.
func (g *Graph) Fails(condition int) liveness.Set {
	set := liveness.NewSet(g.States())
	for i, holds := range g.holds[condition] {
		set[i] = ^holds
	}
	return set
}
