package deadlock

import (
	"cmp"
	"fmt"
	"strings"

	"cdpor/lang/step"
)

// Explanations in the words of Go: one sentence for each goroutine that waits. Where it was started, where it waits,
// for what, and why that will not come. Who could still bring it is known from what the nodes of the program do from
// where their processes are (Need.Could), who could have from those of processes that have ended (Need.Ended).

// sentence is the whole of a wait.
func (w *Wait) sentence() string {
	text := w.subject + " waits at " + w.place + " " + w.goal()
	for i := range w.Needs {
		text += w.Needs[i].why(w)
	}
	return text
}

// Phrase says in which statement a process waits, and why it cannot go on.
func (w *Wait) Phrase() string {
	if w.subject == "" {
		return "waits in " + w.Statement()
	}
	return "waits " + w.Statement()
}

// brief is a wait in a few words: for what, and who has it.
func (w *Wait) brief() string {
	text := w.goal()
	if len(w.Needs) > 0 {
		if h := w.Needs[0].holder(); h != nil && h.Self {
			text += ", which it holds itself"
		} else if h != nil {
			text += ", held by " + h.Goroutine
		}
	}
	return text
}

// goal names the condition that a process waits for, as it follows the verb.
func (w *Wait) goal() string {
	if len(w.Needs) == 0 || len(w.waits) == 0 {
		return "in " + w.Text
	}
	need := &w.Needs[0]
	if len(w.waits) == 1 {
		return operation(&w.waits[0], &need.Any[0])
	}
	var list []string
	for k := range w.waits {
		text := strings.TrimPrefix(operation(&w.waits[k], &need.Any[k]), "to ")
		list = append(list, strings.Replace(text, ", which is nil", " (nil)", 1))
	}
	return "in a select to " + strings.Join(list, " or ")
}

// inLibrary reports whether the wait is within a function of the library.
func (w *Wait) inLibrary() bool { return len(w.waits) > 0 && w.waits[0].In != "" }

// operation names the condition that an operation waits for.
func operation(w *step.Wait, c *Condition) string {
	if w.In != "" {
		text := "in " + w.In
		if c.missing > 0 {
			text += fmt.Sprintf(" for %d more Done", c.missing)
		}
		return text
	}
	text := ""
	switch w.Deed {
	case step.Sends:
		text = "to send to " + w.What
	case step.Receives:
		text = "to receive from " + w.What
	case step.Locks:
		return "to lock " + w.What
	case step.RLocks:
		return "to lock " + w.What + " for reading"
	case step.WaitsAll:
		if c.missing > 0 {
			return fmt.Sprintf("in %s.Wait for %d more Done", w.What, c.missing)
		}
		return fmt.Sprintf("in %s.Wait", w.What)
	case step.AwaitsOne:
		return fmt.Sprintf("in %s.Wait for a Signal or Broadcast", w.What)
	default:
		return "in " + w.What
	}
	if c.nowhere {
		text += ", which is nil"
	}
	return text
}

// why says why a need does not come true.
func (n *Need) why(w *Wait) string {
	if h := n.holder(); h != nil {
		which := "which "
		if w.inLibrary() {
			which = "whose lock "
		}
		return ", " + which + n.held(h)
	}
	if n.nowhere() {
		return ""
	}
	deed := awaited[n.Any[0].deed]
	which := "which "
	if len(n.Any) > 1 || deed == "" || w.inLibrary() {
		which, deed = "and ", "end that"
	}
	switch len(n.Could) {
	case 0:
		return ", " + which + "nobody will " + deed + n.gone()
	case 1:
		return fmt.Sprintf(", %sonly %s could still %s, at %s, but it waits itself", which, n.Could[0].Goroutine, deed,
			n.Could[0].place)
	}
	list := someOf(n.Could, 3, " more", func(a Action) string { return a.Goroutine })
	last := len(list) - 1
	return fmt.Sprintf(", %s%s and %s could still %s, but they wait themselves", which, strings.Join(list[:last], ", "),
		list[last], deed)
}

// nowhere reports whether nothing but nil channels is waited for.
func (n *Need) nowhere() bool {
	for i := range n.Any {
		if !n.Any[i].nowhere {
			return false
		}
	}
	return true
}

// held says who has the lock that is waited for.
func (n *Need) held(h *Holder) string {
	since := ""
	if h.Taken != nil {
		since = " since " + h.Taken.place
	}
	switch {
	case h.Waits:
		return fmt.Sprintf("%s waits to lock%s and comes first", h.Goroutine, since)
	case h.Self:
		return "it has held itself" + since
	case h.Ended > 0:
		return fmt.Sprintf("%s has held%s and did not unlock before it returned", h.Goroutine, since)
	case len(n.Could) == 0:
		return fmt.Sprintf("%s has held%s and does not unlock from where it waits", h.Goroutine, since)
	}
	return fmt.Sprintf("%s has held%s and could unlock at %s, but it waits itself", h.Goroutine, since,
		n.Could[0].place)
}

// awaited is the operation that would let one that waits go on, with its object left out.
var awaited = map[step.Deed]string{step.Receives: "send to or close", step.Sends: "receive from",
	step.WaitsAll: "call", step.AwaitsOne: "call", step.Locks: "unlock", step.RLocks: "unlock"}

// gone says who could have made the need true and has ended.
func (n *Need) gone() string {
	switch len(n.Ended) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(": the only %s, %s, %s", cmp.Or(roles[n.Ended[0].deed], "one that could"),
			n.Ended[0].Goroutine, n.Ended[0].goneAt())
	}
	return ": " + strings.Join(someOf(n.Ended, 3, " more have returned", func(a Action) string {
		return a.Goroutine + " " + a.goneAt()
	}), "; ")
}

// roles name the processes that do a deed.
var roles = map[step.Deed]string{step.Sends: "sender", step.Receives: "receiver", step.Closes: "one that closes it"}

// goneAt says that a process has returned, and where.
func (a *Action) goneAt() string {
	if a.returned != "" {
		return "returned at " + a.returned
	}
	return "has returned"
}

// Go programs: their nodes say which operation they belong to, and what they wait for.

// nativeKinds are the kinds of conditions that operations wait for.
var nativeKinds = map[step.Deed]Kind{step.Sends: Send, step.Receives: Receive, step.Locks: Lock, step.RLocks: Lock,
	step.WaitsAll: Group, step.AwaitsOne: Signal}

// native is the need of a node: that one of its operations can be done.
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
