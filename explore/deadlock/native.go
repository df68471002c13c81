package deadlock

import (
	"cdpor/lang/step"
)

// Go programs: their nodes say which operation they belong to, and what they wait for.

// nativeKinds are what operations wait for.
var nativeKinds = map[step.Deed]Kind{step.Sends: Send, step.Receives: Receive, step.Locks: Lock, step.RLocks: Lock,
	step.WaitsAll: Group, step.AwaitsOne: Signal}

// native is what a node waits for: that one of its operations can be done.
func (g *guard) native(n *step.Node, cond *step.Expr) (need Need) {
	for _, w := range n.Waits {
		ready := w.Ready
		if ready == nil {
			ready = cond
		}
		c := g.about(ready, nativeKinds[w.Deed], nil)
		c.What, c.deed, c.nowhere = w.What, w.Deed, len(c.locs) == 0
		switch {
		case w.Deed == step.Locks || w.Deed == step.RLocks:
			c.Holder = g.holding(ready)
		case len(c.locs) > 0:
			c.since(g)
		}
		if w.Deed == step.WaitsAll {
			c.missing = g.count(ready)
		}
		need.Any = append(need.Any, c)
	}
	if need.Any == nil {
		need.Any = []Condition{g.data(cond)}
	}
	return need
}

// count is the counter of a wait group; 0 if it cannot be told.
func (g *guard) count(e *step.Expr) (n int64) {
	e.EachPlace(func(place *step.Expr) {
		if of, field := part(place); of != nil && of.Type.Sync == "waitgroup" && field == "count" {
			if word, ok := g.word(place); ok {
				n = g.s[word]
			}
		}
	})
	return n
}

// holding is the process that has a lock: the one that holds a mutex that the condition reads, or one that reads.
func (g *guard) holding(e *step.Expr) (h *Holder) {
	e.EachPlace(func(place *step.Expr) {
		word, ok := g.word(place)
		if !ok || h != nil || g.s[word] <= 0 {
			return
		}
		switch {
		case place.Type.Kind == step.Mutex && int(g.s[word]) <= g.m.NumProcs():
			h = g.holder(int(g.s[word]-1), word)
			h.Waits = !h.Self && g.awaitsReaders(h.proc, word)
		case place.Op == step.Index && place.Args[0].Type.Len == g.m.NumProcs(): // how often each process reads
			if first, ok := g.word(place.Args[0]); ok {
				h = g.holder(word-first, word)
			}
		}
	})
	return h
}

// awaitsReaders reports whether a process, which is the writer of an rwlock, waits for its readers to leave: it reads
// what follows the word of the writer.
func (g *guard) awaitsReaders(proc, writer int) (waits bool) {
	next := g.m.StepOf(g.s, proc)
	if next == nil {
		return false
	}
	of := &guard{Explainer: g.Explainer, s: g.s, proc: proc, h: g.h}
	if cond := next.Template.Nodes[next.Entry].Guard(); cond != nil {
		cond.EachPlace(func(place *step.Expr) {
			if word, ok := of.word(place); ok && place.Op == step.Index && place.Args[0].Type.Len == g.m.NumProcs() {
				first, known := of.word(place.Args[0])
				waits = waits || known && first == writer+1 && word >= first
			}
		})
	}
	return waits
}

// returned is the place where a process returned that has ended; empty if it is not known.
func (x *Explainer) returned(h *history, proc int) string {
	if !x.m.Program.Native() {
		return ""
	}
	if x.covering == nil {
		m, err := step.NewCovering(x.m)
		if err != nil {
			return ""
		}
		x.covering = m
	}
	m, last, t := x.covering, h.lastOf(proc), x.m.Program.Procs[proc].Template
	if last == 0 && t.Count > 1 {
		return "" // it has not taken a step, and where it ended as it was started cannot be told from others
	}
	s, r := m.Initial(), m.NewRunner()
	c := m.NewCoverage()
	if clear(c); last == 0 {
		r.Cover(c)
	}
	for i, a := range h.schedule {
		if i+1 == last {
			r.Cover(c)
			r.Take(s, int(a))
			break
		}
		r.Take(s, int(a))
	}
	for k, n := range t.Nodes {
		ways := m.Of(c, t, k)
		switch {
		case n.Kind == step.Branch && n.Else == step.End && ways&step.WayFalse != 0 && n.ElseReturns.Line > 0:
			return m.Program.Place(n.ElseReturns)
		case n.Next == step.End && n.Returns.Line > 0 && (n.Kind == step.Choose && ways != 0 || ways&step.WayTrue != 0):
			return m.Program.Place(n.Returns)
		}
	}
	return ""
}
