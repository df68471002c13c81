package slice

import (
	"slices"

	"cdpor/lang/step"
)

// From what was kept to a program. A node that was left out is passed over, so that what comes next is the first kept
// node on the way. Where a step ends matters as much as what is executed: if one began on that way, and what comes next
// is not the beginning of one itself and not purely local, the place stays as a node that does nothing.

// A landing is where the way from a node through others that were left out leads to.
type landing struct {
	to    int  // a kept node or the end
	apart bool // a step must end before it
}

// landings finds where the ways from a node lead to, and the first beginning of a step that was left out on one of them
// (-1: none).
func (r *Result) landings(t, from int) (list []landing, stop int) {
	h := r.Graph.threads[t]
	type at struct {
		node    int
		crossed bool
	}
	stop = -1
	step.Reach(func(p at) (next []at) {
		if p.node == h.end || r.Has(Node{t, p.node}) {
			l := landing{p.node, p.crossed && r.apart(t, p.node)}
			if !slices.Contains(list, l) {
				list = append(list, l)
			}
			return nil
		}
		crossed := p.crossed
		if h.boundary(p.node) && p.node != h.entry {
			crossed = true
			if stop < 0 {
				stop = p.node
			}
		}
		for _, n := range h.succ[p.node] {
			next = append(next, at{n, crossed})
		}
		return next
	}, at{from, false})
	if from == h.succ[h.entry][0] && stop >= 0 {
		for i := range list {
			list[i].apart = list[i].apart || r.opens(t, list[i].to)
		}
		list = slices.Compact(list)
	}
	return
}

// apart reports whether a kept node must not join the step before it although it does not begin one.
func (r *Result) apart(t, i int) bool {
	h := r.Graph.threads[t]
	return (i == h.end || !h.boundary(i)) && r.matters(t, i)
}

// opens reports whether the step that a kept node begins must not become the first one of its process. The first step
// of a process that is started depends on that; then it touches two locations, and would not count as a read of the
// other one any more when it leaves that unchanged, so the slice could have more traces than the program.
func (r *Result) opens(t, i int) bool {
	h := r.Graph.threads[t]
	if !h.many || i == h.end || !h.boundary(i) {
		return false
	}
	writes, branches := false, false
	for _, k := range h.within(i) {
		if r.Has(Node{t, k}) {
			dst := h.template.Nodes[k].Dst.Root()
			writes, branches = writes || dst != nil && dst.Shared, branches || len(h.succ[k]) > 1
		}
	}
	return writes && branches
}

// matters reports whether it matters that a step ends before a node: not if what follows up to the next step is local.
func (r *Result) matters(t, i int) bool {
	h := r.Graph.threads[t]
	if i == h.end {
		return h.many // its end can be waited for
	}
	if h.cyclic[i] || r.checks[t] { // checks of properties are the last of their steps
		return true
	}
	return slices.ContainsFunc(h.within(i), func(k int) bool {
		return h.many && slices.Contains(h.succ[k], h.end) ||
			r.Has(Node{t, k}) && (h.template.Nodes[k].Kind == step.Spawn || r.touchesShared(t, k))
	})
}

func (r *Result) touchesShared(t, i int) bool {
	n := r.Graph.threads[t].template.Nodes[i]
	return n.Dst.TouchesShared() || n.Src.TouchesShared() || n.Cond.TouchesShared() || n.Counter.TouchesShared()
}

// unclear are the branches of a thread that were left out although it depends on them what comes next, each with a kept
// node.
func (r *Result) unclear(t int) map[int]Node {
	h := r.Graph.threads[t]
	found := map[int]Node{}
	look := func(from int) {
		list, _ := r.landings(t, from)
		if len(list) < 2 {
			return
		}
		for _, i := range reachable(h.succ, from) {
			if r.Has(Node{t, i}) || i >= h.entry || len(h.succ[i]) < 2 {
				continue
			}
			a, _ := r.landings(t, h.succ[i][0])
			b, _ := r.landings(t, h.succ[i][1])
			same := len(a) == len(b)
			for _, l := range a {
				same = same && slices.Contains(b, l)
			}
			if !same {
				found[i] = Node{t, list[0].to}
			}
		}
	}
	r.afterKept(t, look)
	return found
}

// afterKept calls f with where a thread begins, and with all that come next after a kept node.
func (r *Result) afterKept(t int, f func(next int)) {
	h := r.Graph.threads[t]
	f(h.succ[h.entry][0])
	for i := range h.entry {
		if r.Has(Node{t, i}) {
			for _, next := range h.succ[i] {
				f(next)
			}
		}
	}
}

// Cut is the slice as a program: the nodes keep their numbers, and so do processes, variables and words of states. A
// thread without statements ends at once.
func (r *Result) Cut(observe []*step.Observed, checks step.Checks) *step.Program {
	p := *r.Graph.Program
	// histories are those of the program only if the criterion asks for them
	p.Observe, p.Checks, p.Spec = observe, checks, nil
	templates := map[*step.Template]*step.Template{}
	p.Templates = nil
	for _, t := range r.Graph.Program.Templates {
		c := &step.Template{Name: t.Name, Pos: t.Pos, Count: t.Count, Multi: t.Multi, Locals: t.Locals,
			LocalWords: t.LocalWords,
			Start:      step.End, Pool: t.Pool, Daemon: t.Daemon, Crashed: t.Crashed}
		templates[t] = c
		p.Templates = append(p.Templates, c)
	}
	for t, c := range templates {
		if of := r.Graph.of[t]; len(of) > 0 {
			r.cut(of[0], c, templates)
		}
		c.Seal()
	}
	p.Procs = nil
	for _, proc := range r.Graph.Program.Procs {
		c := *proc
		c.Template = templates[proc.Template]
		p.Procs = append(p.Procs, &c)
	}
	return &p
}

// cut makes the code of a template.
func (r *Result) cut(t int, c *step.Template, templates map[*step.Template]*step.Template) {
	h := r.Graph.threads[t]
	for _, n := range h.template.Nodes {
		c.Nodes = append(c.Nodes, &step.Node{Kind: step.Nop, Pos: n.Pos, Text: n.Text, Next: step.End, Else: step.End})
	}
	index := func(i int) int {
		if i == h.end {
			return step.End
		}
		return i
	}
	after := func(i int) int {
		list, stop := r.landings(t, i)
		switch {
		case len(list) == 0: // it goes round for ever without doing anything
			return step.End
		case !list[0].apart:
			return index(list[0].to)
		}
		n := c.Nodes[stop]
		n.Visible, n.Label, n.Next = true, h.template.Nodes[stop].Label, index(list[0].to)
		return stop
	}
	follow := func(i int) int {
		if i == step.End {
			i = h.end
		}
		return after(i)
	}
	c.Start = follow(h.template.Start)
	for i, n := range h.template.Nodes {
		if !r.Has(Node{t, i}) {
			continue
		}
		k := *n
		k.Next = follow(n.Next)
		if n.Kind == step.Branch {
			k.Else = follow(n.Else)
		}
		if n.Target != nil {
			k.Target = templates[n.Target]
		}
		if n.MakerOf != nil {
			k.MakerOf = templates[n.MakerOf]
		}
		c.Nodes[i] = &k
	}
}
