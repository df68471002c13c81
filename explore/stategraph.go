package explore

import (
	"context"
	"slices"

	"cdpor/explore/internal/stateset"
	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// The whole state graph of a program, without any reduction: what termination and liveness are decided on. A state that
// was come to with a failed process, or a dropped one, is a leaf: executions are not judged any further.

// A stateNumbering numbers states in the order in which they come, exactly, in some 20 bytes each: the number of the
// tree of its chunks (package stateset), with the list of its words without a code, is a key of 64 bits.
type stateNumbering struct {
	*stateset.TreeSet
	states stateset.PairTable
}

func newStateNumbering(m *step.Machine) *stateNumbering {
	return &stateNumbering{TreeSet: stateset.NewTreeSet(stateset.PackingOf(m))}
}

// number numbers a state. from is a similar one that has been numbered, or nil; to is filled.
func (n *stateNumbering) number(s step.State, from, to *stateset.Packed) uint32 {
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

func (n *stateNumbering) bytes() int64 { return n.TreeSet.Bytes() + n.states.Bytes() }

// A stateQueue is a queue of states, packed as bytes.
type stateQueue struct {
	bytes []byte
	ends  []int // of each state
	next  int   // the state to come, and where it begins
	at    int
}

func (q *stateQueue) push(s step.State) {
	q.bytes = stateset.EncodeWords(q.bytes, s)
	q.ends = append(q.ends, len(q.bytes))
}

// pop takes the first state out of the queue, into s.
func (q *stateQueue) pop(s step.State) {
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

// A stateGraph is a state graph with what holds where.
type stateGraph struct {
	*liveness.Graph
	m          *step.Machine
	run        *step.Runner
	waits      []bool // per step, by its id
	begun      uint32 // states whose edges are there
	conditions []stateCondition
	holds      [][]uint64 // per condition, the states in which it holds: liveness.Set as it grows
	bytes      int64      // taken
}

// A condition of states; ok is false where it cannot be evaluated.
type stateCondition = func(*step.Runner, step.State) (holds, ok bool)

func newStateGraph(m *step.Machine, conditions []stateCondition) *stateGraph {
	procs := make([]int32, m.NumActions())
	for a := range procs {
		procs[a] = int32(m.ProcOf(a))
	}
	return &stateGraph{Graph: liveness.NewGraph(m.NumProcs(), procs), m: m, run: m.NewRunner(), waits: waitingSteps(m),
		conditions: conditions, holds: make([][]uint64, len(conditions))}
}

// add adds a state, which is a leaf if a process has failed in it or was dropped. A condition that cannot be evaluated
// is taken to be false.
func (g *stateGraph) add(s step.State) {
	n := g.States()
	if g.m.Void(s) {
		g.addKind(liveness.Void)
	} else {
		g.addKind(liveness.Live)
	}
	for i, c := range g.conditions {
		if holds, ok := c(g.run, s); holds && ok {
			g.holds[i][n/64] |= 1 << (n % 64)
		}
	}
}

// addKind adds a state in which no condition holds, of a kind.
func (g *stateGraph) addKind(k liveness.Kind) {
	for i := range g.holds {
		if g.States()%64 == 0 {
			g.holds[i] = append(g.holds[i], 0)
		}
	}
	g.Add(k)
}

// leave adds the edges of the state with the next number; to numbers the states that its actions lead to, or says that
// there is no more room. A state without edges is an end.
func (g *stateGraph) leave(s step.State, to func(action int) (number uint32, ok bool)) (ok bool) {
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
		waiting := g.waits[g.m.StepID(s, p)]
		for k := range g.run.Alternatives(s, p).All() {
			leaf = false
			action := g.m.FirstAction(p) + k
			number, ok := to(action)
			if !ok {
				return false
			}
			g.Edge(action, number, waiting)
		}
	}
	if leaf {
		g.SetKind(n, liveness.End)
	}
	return true
}

// exploreGraph makes the state graph of a program from a state on, by breadth-first search. It returns nil, and why, if
// there are more than limit states, or if the context is done or giveUp says so.
func exploreGraph(
	ctx context.Context, m *step.Machine, start step.State, limit int, giveUp func(int64) bool, conditions []stateCondition,
) (g *stateGraph, why string) {
	g = newStateGraph(m, conditions)
	numbers, queue := newStateNumbering(m), &stateQueue{}
	from, to := numbers.Vector(), numbers.Vector()
	s, next := slices.Clone(start), slices.Clone(start)
	arrive := func(s step.State) {
		g.add(s)
		queue.push(s)
	}
	numbers.number(s, nil, to)
	arrive(s)
	follow := func(action int) (uint32, bool) {
		copy(next, s)
		g.run.Take(next, action)
		id := numbers.number(next, from, to)
		if int(id) == g.States() {
			if g.States() == limit {
				return 0, false
			}
			arrive(next)
		}
		return id, true
	}
	for n := 0; n < g.States(); n++ {
		const period = 1 << 10 // states
		if n%period == 0 {
			if why = interrupted(ctx); why == "" && giveUp != nil && giveUp(0) {
				why = StoppedMemory
			}
			if why != "" {
				return nil, why
			}
		}
		queue.pop(s)
		if g.KindOf(uint32(n)) == liveness.Live {
			numbers.number(s, nil, from)
		}
		if !g.leave(s, follow) || int64(g.Edges()) > liveness.MaxEdges-MaxActions {
			return nil, StoppedGraph
		}
	}
	g.bytes = g.Bytes() + numbers.bytes()
	return g, ""
}

// waitingSteps tells of each step, by its id, whether it waits for a lock or a channel.
func waitingSteps(m *step.Machine) []bool {
	waits := make([]bool, m.NumSteps())
	for id := range waits {
		_, s := m.StepAt(id)
		waits[id] = waitsForLock(s)
	}
	return waits
}

// waitsForLock reports whether strong fairness is about a step: whether its guard reads a mutex or a part of a
// synchronisation primitive, such as a semaphore, a condition variable or a channel.
func waitsForLock(s *step.Step) bool {
	guard := s.Template.Nodes[s.Entry].Guard()
	return guard != nil && readsLock(guard)
}

func readsLock(e *step.Expr) bool {
	if e.Op != step.Me && e.Type != nil && (e.Type.Kind == step.Mutex && e.Op != step.Const || e.Type.Sync != "") {
		return true
	}
	return slices.ContainsFunc(e.Args, readsLock)
}
