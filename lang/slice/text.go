package slice

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// Of a slice as text. The text is translated to nodes again; Matches says whether they are those of the slice.

// Pause is the statement that stands where a step has to end. In a method it also waits until the actor can go on, as
// everything does that was there.
const Pause = "await true"

// Pauses calls f for nodes that were left out although a step has to end where they were, with the next that was kept;
// nil stands for the end.
func (r *Result) Pauses(f func(left, next *step.Node)) {
	for t, h := range r.Graph.threads {
		if !r.starts(t) {
			continue
		}
		r.afterKept(t, func(from int) {
			if ways, stop := r.landings(t, from); len(ways) == 1 && ways[0].apart {
				f(h.template.Nodes[stop], h.node(ways[0].to))
			}
		})
	}
}

// starts reports whether a thread runs in the slice.
func (r *Result) starts(t int) bool {
	h := r.Graph.threads[t]
	return !h.many || slices.ContainsFunc(r.Graph.makers[h.template], r.Has)
}

// Matches reports in what a program differs from the slice: it has to execute the same nodes in the same order, and its
// steps have to end where those of the slice do. origin says where a place of its text is in the text of the program
// that was sliced.
func (r *Result) Matches(text *step.Program, origin func(step.Pos) step.Pos) error {
	for t, h := range r.Graph.threads {
		if !r.starts(t) {
			continue
		}
		c := &comparison{r: r, t: t, h: h, origin: origin, seen: map[[2]int]bool{}}
		for _, other := range text.Templates {
			if other.Name == h.template.Name {
				c.text = other
			}
		}
		if c.text == nil { // a thread that does nothing
			c.text = &step.Template{Start: step.End}
		}
		if err := c.compare(); err != nil {
			return fmt.Errorf("thread %s: %w", h.template.Name, err)
		}
	}
	return nil
}

// A comparison goes through the slice of a thread and a template at once.
type comparison struct {
	r      *Result
	t      int
	h      *thread
	text   *step.Template
	origin func(step.Pos) step.Pos
	seen   map[[2]int]bool
	todo   [][2]int
}

func (c *comparison) compare() error {
	if err := c.follow(c.h.succ[c.h.entry][0], c.text.Start, "the start"); err != nil {
		return err
	}
	for len(c.todo) > 0 {
		p := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		n, m := c.h.template.Nodes[p[0]], c.text.Nodes[p[1]]
		if n.Kind != m.Kind || n.Pos != c.origin(m.Pos) || n.Fault != m.Fault ||
			(n.Property == nil) != (m.Property == nil) {
			return fmt.Errorf("%v (%s) is %v (%s) in the text", n.Pos, n.Text, m.Pos, m.Text)
		}
		to := []int{m.Next}
		if m.Kind == step.Branch {
			to = append(to, m.Else)
		}
		for k, next := range to {
			from := c.h.succ[p[0]][min(k, len(c.h.succ[p[0]])-1)]
			if err := c.follow(from, next, n.Text); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow compares where a way leads to in the slice and in the text.
func (c *comparison) follow(from, to int, after string) error {
	i, begins, apart, passed := c.way(from)
	if i < 0 {
		if c.r.Graph.Preserve == Deadlock && to != step.End {
			return fmt.Errorf("after %s the slice goes round for ever, and the text does not", after)
		}
		return nil
	}
	paused := false
	for hops := 0; to != step.End && hops < len(c.text.Nodes); hops++ {
		m := c.text.Nodes[to]
		pause := m.Kind == step.Await && m.Text == Pause
		if i < c.h.entry && c.h.template.Nodes[i].Kind == m.Kind && c.h.template.Nodes[i].Pos == c.origin(m.Pos) ||
			m.Kind != step.Nop && !pause {
			break
		}
		paused, to = paused || m.Visible, m.Next
	}
	if (i == c.h.end) != (to == step.End) {
		return fmt.Errorf("after %s the slice goes on with node %d, the text with node %d", after, i, to)
	}
	starts := paused || to != step.End && c.text.Nodes[to].Visible
	switch {
	case (begins || apart) && !starts && c.r.matters(c.t, i):
		return fmt.Errorf("after %s a step ends in the slice, but not in the text", after)
	case starts && !begins && !passed, paused && !begins && !passed:
		return fmt.Errorf("after %s a step ends in the text, but not in the slice", after)
	}
	if p := [2]int{i, to}; i != c.h.end && !c.seen[p] {
		c.seen[p] = true
		c.todo = append(c.todo, p)
	}
	return nil
}

// way is the node that a way leads to, those that do nothing passed over: whether it begins a step, has to be apart
// from the one before, and whether the beginning of a step was passed on all ways to it. It is -1 if there is no such
// node.
func (c *comparison) way(from int) (to int, begins, apart, passed bool) {
	for hops := 0; hops <= len(c.h.succ); hops++ {
		ways, _ := c.r.landings(c.t, from)
		if len(ways) != 1 {
			return -1, false, false, false
		}
		to, apart = ways[0].to, apart || ways[0].apart
		passed = passed || c.passes(from, to)
		begins = begins || to < c.h.entry && c.h.boundary(to)
		if to == c.h.end || !c.idle(c.h.template.Nodes[to]) {
			return to, begins, apart, passed
		}
		from = c.h.succ[to][0]
	}
	return -1, false, false, false
}

// idle reports whether a node does nothing. That goes also for the wait of a task for its actor where nothing of the
// text makes it wait, so that it is not there.
func (c *comparison) idle(n *step.Node) bool {
	return n.Kind == step.Nop || n.Kind == step.Await && n.Pos == c.h.template.Pos && !slices.ContainsFunc(c.text.Nodes,
		func(m *step.Node) bool {
			return m.Kind == step.Await && c.origin(m.Pos) == n.Pos
		})
}

// passes reports whether all ways from a node to the next that was kept pass the beginning of a step that was left out.
func (c *comparison) passes(from, to int) bool {
	return !slices.Contains(step.Reach(func(i int) []int {
		if c.h.boundary(i) {
			return nil
		}
		return c.h.succ[i]
	}, from), to)
}
