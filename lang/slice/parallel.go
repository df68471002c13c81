package slice

import (
	"slices"

	"cdpor/lang/step"
)

// May happen in parallel: which steps two processes can stand at in one state. They cannot when one of them is code
// that nothing leads to, when both are reached only with the same lock in hand, or when the process of one does not run
// while the other stands at its step, because it has not been started yet or has been waited for.

// A Parallel answers for the pairs of steps of a program.
type Parallel struct {
	g      *Graph
	makers [][]Node // thread -> nodes that start its processes
	// thread, node -> nodes that can be reached by one edge at least, branches that are decided aside
	ways   [][]bits
	live   []bits           // thread -> nodes that can be executed
	held   map[int][]bits   // lock -> thread -> nodes before which the process holds it
	open   map[Node]waiting // of the nodes that start processes in threads with one process
	single map[int]bool     // thread -> whether at most one process of it is ever started
	places map[*step.Template]*heldPlaces
}

// NewParallel analyses a program.
func NewParallel(p *step.Program) *Parallel {
	m := &Parallel{g: threadsOf(p), held: map[int][]bits{}, open: map[Node]waiting{}, single: map[int]bool{},
		places: map[*step.Template]*heldPlaces{}}
	m.makers = make([][]Node, len(m.g.threads))
	for _, h := range m.g.threads {
		succ := h.decided()
		live := newBits(len(succ))
		for _, i := range reachable(succ, h.entry) {
			live.set(i)
		}
		_, reach := closure(succ)
		m.ways, m.live = append(m.ways, reach), append(m.live, live)
	}
	for t, h := range m.g.threads {
		for i, n := range h.template.Nodes {
			if !m.live[t].has(i) {
				continue
			}
			if n.Kind == step.Spawn {
				for _, target := range m.g.of[n.Target] {
					m.makers[target] = append(m.makers[target], Node{t, i})
				}
			}
		}
	}
	m.locks()
	return m
}

// decided are the successors in the thread, those of branches aside whose condition always has the other value.
func (h *thread) decided() [][]int {
	succ := slices.Clone(h.succ)
	for i, n := range h.template.Nodes {
		if n.Kind != step.Branch || len(succ[i]) < 2 {
			continue
		}
		if is, ok := h.constant(n.Cond); ok {
			way := 0
			if is == 0 {
				way = 1
			}
			succ[i] = succ[i][way : way+1]
		}
	}
	return succ
}

// Possible reports whether two processes may stand at the steps in one state, as far as the analysis can tell.
func (m *Parallel) Possible(a, b *step.Step) bool {
	for _, t := range m.g.of[a.Template] {
		for _, u := range m.g.of[b.Template] {
			if (t != u || m.g.threads[t].many) && m.possible(Node{t, a.Entry}, Node{u, b.Entry}) {
				return true
			}
		}
	}
	return false
}

// PossibleFor is Possible for two different processes of the program, by their indices.
func (m *Parallel) PossibleFor(p int, a *step.Step, q int, b *step.Step) bool {
	return m.possible(Node{m.g.ofProc[p], a.Entry}, Node{m.g.ofProc[q], b.Entry})
}

func (m *Parallel) possible(a, b Node) bool {
	return m.live[a.Thread].has(a.Index) && m.live[b.Thread].has(b.Index) && !m.excluded(a, b) &&
		!m.apart(a.Thread, b.Thread) && !m.absent(a.Thread, b) && !m.absent(b.Thread, a)
}

// excluded reports whether a process at either node holds the same lock.
func (m *Parallel) excluded(a, b Node) bool {
	for _, held := range m.held {
		if held[a.Thread].has(a.Index) && held[b.Thread].has(b.Index) {
			return true
		}
	}
	return false
}

// absent reports whether no process of a thread runs while the only process of another stands at a node.
func (m *Parallel) absent(thread int, at Node) bool {
	if !m.once(at.Thread) || !m.g.threads[thread].many || thread == at.Thread {
		return false
	}
	return !slices.ContainsFunc(m.makers[thread], func(maker Node) bool {
		if maker.Thread == at.Thread {
			return m.runs(maker, at.Index)
		}
		return m.begun(maker.Thread, at, map[int]bool{})
	})
}

// begun reports whether a process of a thread may have been started before the only process of another stands at a
// node.
func (m *Parallel) begun(thread int, at Node, seen map[int]bool) bool {
	if seen[thread] {
		return false
	}
	seen[thread] = true
	return !m.g.threads[thread].many || slices.ContainsFunc(m.makers[thread], func(maker Node) bool {
		if maker.Thread == at.Thread {
			return m.ways[at.Thread][maker.Index].has(at.Index)
		}
		return m.begun(maker.Thread, at, seen)
	})
}

// once reports whether at most one process of a thread is ever started.
func (m *Parallel) once(thread int) bool {
	h := m.g.threads[thread]
	if !h.many || h.template.Count == 1 {
		return true
	}
	is, known := m.single[thread]
	if !known {
		m.single[thread] = false // a process that is needed to start itself
		if list := m.makers[thread]; len(list) == 1 {
			maker := list[0]
			is = m.once(maker.Thread) && !m.ways[maker.Thread][maker.Index].has(maker.Index)
		}
		m.single[thread] = is
	}
	return is
}

// apart reports whether of two threads, or of one and itself, no two processes run at the same time: all are started by
// one process, which waits for the end of each before it starts the next.
func (m *Parallel) apart(t, u int) bool {
	if t == u && m.once(t) {
		return true
	}
	for _, a := range m.makers[t] {
		for _, b := range m.makers[u] {
			if a.Thread != b.Thread || !m.once(a.Thread) || m.runs(a, b.Index) || m.runs(b, a.Index) {
				return false
			}
		}
	}
	return m.g.threads[t].many && m.g.threads[u].many
}

// runs reports whether a process that the only process of a thread has started at a node may still run when it stands
// at another.
func (m *Parallel) runs(maker Node, at int) bool {
	w, known := m.open[maker]
	if !known {
		w = m.g.threads[maker.Thread].waits(maker.Index, m.live[maker.Thread])
		m.open[maker] = w
	}
	return w[at] != nil
}

// A waiting says per node what is known, when a process stands there, of what it has started at a certain node: nil if
// that has ended or does not exist, else the locals that hold its number, and if there are none, there is nothing to
// wait for it with.
type waiting []map[*step.Var]bool

// waits follows what a node starts up to where its end has been waited for.
func (h *thread) waits(maker int, live bits) waiting {
	w := make(waiting, len(h.succ))
	todo := []int{maker}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		after := h.waitsAfter(maker, i, w[i])
		if after == nil {
			continue
		}
		for _, next := range h.succ[i] {
			if !live.has(next) {
				continue
			}
			switch old := w[next]; {
			case old == nil:
				w[next] = after
			default:
				both := map[*step.Var]bool{}
				for v := range old {
					if after[v] {
						both[v] = true
					}
				}
				if len(both) == len(old) {
					continue
				}
				w[next] = both
			}
			todo = append(todo, next)
		}
	}
	return w
}

// waitsAfter is the state of waiting after a node.
func (h *thread) waitsAfter(maker, i int, before map[*step.Var]bool) map[*step.Var]bool {
	if i >= h.entry {
		return before
	}
	n := h.template.Nodes[i]
	after := map[*step.Var]bool{}
	if i == maker {
		if before == nil && n.Dst != nil && n.Dst.Op == step.VarRef && !n.Dst.Var.Shared {
			after[n.Dst.Var] = true
		}
		return after
	}
	if n.Kind == step.Await && awaitsEnd(n.Cond, before, h.template.Nodes[maker].Target.Pool) {
		return nil
	}
	for v := range before {
		after[v] = true
	}
	delete(after, n.Dst.Root())
	delete(after, n.Counter.Root())
	if n.Kind == step.Assign && n.Dst.Op == step.VarRef && !n.Dst.Var.Shared && n.Src.Op == step.VarRef &&
		before[n.Src.Var] {
		after[n.Dst.Var] = true
	}
	return after
}

// awaitsEnd reports whether a condition holds only after the end of the process of a pool whose number some locals
// hold.
func awaitsEnd(cond *step.Expr, handles map[*step.Var]bool, pool *step.Pool) bool {
	handle := func(e *step.Expr) bool { return e.Op == step.VarRef && handles[e.Var] }
	is := func(e *step.Expr, k int64) bool { return e.Op == step.Const && len(e.Words) == 1 && e.Words[0] == k }
	switch cond.Op {
	case step.And:
		return awaitsEnd(cond.Args[0], handles, pool) || awaitsEnd(cond.Args[1], handles, pool)
	case step.Or:
		return awaitsEnd(cond.Args[0], handles, pool) && awaitsEnd(cond.Args[1], handles, pool)
	case step.Eq:
		a, b := cond.Args[0], cond.Args[1]
		if handle(a) && is(b, 0) {
			return pool.First > 0 // is the number of none
		}
		return a.Op == step.Index && a.Args[0].Root() == pool.Life && handle(a.Args[1]) && is(b, step.EndedLife)
	}
	return false
}
