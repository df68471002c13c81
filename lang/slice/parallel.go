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

// Locks that are held: a forward must-analysis of each thread's code. A mutex is *orderly* if processes take it only
// where they have just found it free, and give it back only where they have just found that they hold it, in the same
// step; all places of one variable that differ in indices only are orderly or not as one. Then only its holder
// changes a mutex that is held. What is held is a place such as m, fork[self] or account[from].m, whose indices are
// locals that have not changed since.

// A family is all the mutexes that differ in indices only: the fields that lead to them from a variable.
type family struct {
	v      *step.Var
	fields []int
}

// familyOf is the family of a place in a shared variable; ok is false for other expressions.
func familyOf(e *step.Expr) (f family, ok bool) {
	for e != nil && (e.Op == step.Index || e.Op == step.Part) {
		if e.Op == step.Part {
			f.fields = append(f.fields, e.Field)
		}
		e = e.Args[0]
	}
	if e == nil || e.Op != step.VarRef || !e.Var.Shared {
		return f, false
	}
	slices.Reverse(f.fields)
	f.v = e.Var
	return f, true
}

// within reports whether one family is part of the other.
func (f family) within(g family) bool {
	n := min(len(f.fields), len(g.fields))
	return f.v == g.v && slices.Equal(f.fields[:n], g.fields[:n])
}

// samePlace reports whether two expressions are the same text about the same variables.
func samePlace(a, b *step.Expr) bool {
	if a.Op != b.Op || a.Var != b.Var || a.Of != b.Of || a.Field != b.Field || !slices.Equal(a.Words, b.Words) ||
		len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if !samePlace(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return a.Op != step.Call
}

// finds reports whether a condition holds only if a mutex is free, or with Me held by who asks.
func (h *thread) finds(cond, mutex *step.Expr, what step.Op) bool {
	if cond.Op == step.And {
		return h.finds(cond.Args[0], mutex, what) || h.finds(cond.Args[1], mutex, what)
	}
	return cond.Op == step.Eq && h.is(cond.Args[1], what) && samePlace(cond.Args[0], mutex)
}

// found reports whether a node is executed only right after its process has found a mutex free, or with Me its own.
func (h *thread) found(i int, mutex *step.Expr, what step.Op) bool {
	return !h.boundary(i) && len(h.pred[i]) > 0 && !slices.ContainsFunc(h.pred[i], func(p int) bool {
		n := h.node(p)
		switch {
		case n == nil:
			return true
		case n.Kind == step.Await && what == step.Const, n.Kind == step.Check && n.Property == nil && what == step.Me:
			return !h.finds(n.Cond, mutex, what)
		case n.Kind == step.Branch && what == step.Const: // trylock
			return n.Next != i || n.Else == i || !h.tried(p, n.Cond, mutex)
		}
		return true
	})
}

// tried reports whether the condition of a branch is a variable that has just been told whether a mutex is free.
func (h *thread) tried(branch int, cond, mutex *step.Expr) bool {
	return cond.Op == step.VarRef && !h.boundary(branch) && len(h.pred[branch]) > 0 &&
		!slices.ContainsFunc(h.pred[branch], func(p int) bool {
			n := h.node(p)
			return n == nil || n.Kind != step.Assign || !samePlace(n.Dst, cond) || !h.finds(n.Src, mutex, step.Const)
		})
}

// takes and gives report whether a node takes a mutex, or gives it back, as is orderly.
func (h *thread) takes(i int) bool {
	n := h.node(i)
	return n != nil && n.Kind == step.Assign && n.Dst.Type.Kind == step.Mutex && h.is(n.Src, step.Me) &&
		h.found(i, n.Dst, step.Const)
}

func (h *thread) gives(i int) bool {
	n := h.node(i)
	return n != nil && n.Kind == step.Assign && n.Dst.Type.Kind == step.Mutex && h.is(n.Src, step.Const) &&
		h.found(i, n.Dst, step.Me)
}

// orderlyFamilies are the families of mutexes that threads take, all of them as is orderly.
func (g *Graph) orderlyFamilies() (list []family) {
	var taken, spoilt []family
	for _, h := range g.templates() {
		for i, n := range h.template.Nodes {
			if !h.live(i) {
				continue
			}
			for _, place := range []*step.Expr{n.Dst, n.Counter} {
				f, ok := familyOf(place)
				switch {
				case !ok:
				case place == n.Dst && h.takes(i):
					if !slices.ContainsFunc(taken,
						func(x family) bool { return x.v == f.v && slices.Equal(x.fields, f.fields) }) {
						taken = append(taken, f)
					}
				case place != n.Dst || !h.gives(i):
					spoilt = append(spoilt, f)
				}
			}
		}
	}
	return slices.DeleteFunc(taken, func(f family) bool { return slices.ContainsFunc(spoilt, f.within) })
}

// templates are the threads of different code: one of each.
func (g *Graph) templates() (list []*thread) {
	seen := map[*step.Template]bool{}
	for _, h := range g.threads {
		if !seen[h.template] {
			seen[h.template] = true
			list = append(list, h)
		}
	}
	return list
}

// held finds the places of orderly mutexes that a process of a thread holds before each node, on all ways to it.
func (h *thread) held(orderly []family) (places []*step.Expr, before []bits) {
	of := make([]int, len(h.succ)) // node -> the place that it takes, counted from 1
	for i := range h.entry {
		if !h.live(i) || !h.takes(i) {
			continue
		}
		m := h.node(i).Dst
		if f, _ := familyOf(m); !steady(m) ||
			!slices.ContainsFunc(orderly, func(x family) bool {
				return x.v == f.v &&
					slices.Equal(x.fields, f.fields)
			}) {
			continue
		}
		at := slices.IndexFunc(places, func(p *step.Expr) bool { return samePlace(p, m) })
		if at < 0 {
			at, places = len(places), append(places, m)
		}
		of[i] = at + 1
	}
	if places == nil {
		return nil, nil
	}
	before, after := make([]bits, len(h.succ)), make([]bits, len(h.succ))
	for i := range after {
		before[i], after[i] = newBits(len(places)), newBits(len(places))
		for k := range places {
			if i != h.entry {
				after[i].set(k)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range h.entry {
			if !h.live(i) {
				continue
			}
			in := slices.Clone(after[h.pred[i][0]])
			for _, p := range h.pred[i][1:] {
				for w := range in {
					in[w] &= after[p][w]
				}
			}
			before[i] = in
			out := newBits(len(places))
			given := -1 // the place that the node gives back, if that is certainly held
			if h.gives(i) {
				given = slices.IndexFunc(places, func(p *step.Expr) bool { return samePlace(p, h.node(i).Dst) })
			}
			for k, place := range places {
				// Of two that are held the second was free when the first was not: they are not the same.
				kept := given >= 0 && in.has(given) && k != given || !h.loses(i, place)
				if of[i] == k+1 || in.has(k) && kept {
					out.set(k)
				}
			}
			if !slices.Equal(out, after[i]) {
				after[i], changed = out, true
			}
		}
	}
	return places, before
}

// steady reports whether the place of a mutex depends on nothing but locals, numbers and who asks.
func steady(e *step.Expr) bool {
	switch e.Op {
	case step.Part:
		return steady(e.Args[0])
	case step.Index:
		return steady(e.Args[0]) && fixedIndex(e.Args[1])
	}
	return e.Op == step.VarRef
}

func fixedIndex(e *step.Expr) bool {
	switch e.Op {
	case step.Const, step.Self:
		return true
	case step.VarRef:
		return !e.Var.Shared
	case step.Add, step.Sub, step.Neg, step.Mul, step.Div, step.Mod:
		return !slices.ContainsFunc(e.Args, func(a *step.Expr) bool { return !fixedIndex(a) })
	}
	return false
}

// loses reports whether after a node its process may no longer hold what it held at a place: it has given that back, or
// what may be that, or an index is another one.
func (h *thread) loses(i int, place *step.Expr) bool {
	n := h.node(i)
	if f, ok := familyOf(n.Dst); ok {
		mine, _ := familyOf(place)
		return f.within(mine) && !h.is(n.Src, step.Me) && !apart(n.Dst, place)
	}
	return place.Mentions(n.Dst.Root()) || place.Mentions(n.Counter.Root())
}

// apart reports whether two places of a family have different numbers for some index.
func apart(a, b *step.Expr) bool {
	if a.Op != b.Op || a.Op == step.VarRef {
		return false
	}
	if a.Op == step.Index && a.Args[1].Op == step.Const && b.Args[1].Op == step.Const &&
		a.Args[1].Words[0] != b.Args[1].Words[0] {
		return true
	}
	return apart(a.Args[0], b.Args[0])
}

// locks finds for each orderly mutex, and each thread, the nodes before which a process of it holds that.
func (m *Parallel) locks() {
	orderly := m.g.orderlyFamilies()
	if len(orderly) == 0 {
		return
	}
	for t, h := range m.g.threads {
		if m.places[h.template] == nil {
			list, before := h.held(orderly)
			m.places[h.template] = &heldPlaces{list, before}
		}
		p := m.places[h.template]
		for k, place := range p.list {
			lock := m.g.lockOf(h, place)
			if lock < 0 {
				continue
			}
			if m.held[lock] == nil {
				for _, other := range m.g.threads {
					m.held[lock] = append(m.held[lock], newBits(len(other.succ)))
				}
			}
			for i, held := range p.before {
				if held.has(k) {
					m.held[lock][t].set(i)
				}
			}
		}
	}
}

// heldPlaces are the places of mutexes that a process may hold for certain, and per node those that it holds before it.
type heldPlaces struct {
	list   []*step.Expr
	before []bits
}

// Holds lists the mutexes that each process holds that stands at a step, as places with its own locals and number as
// indices.
func (m *Parallel) Holds(s *step.Step) (list []*step.Expr) {
	p := m.places[s.Template]
	if p == nil {
		return nil
	}
	for k, place := range p.list {
		if p.before[s.Entry].has(k) {
			list = append(list, place)
		}
	}
	return list
}
