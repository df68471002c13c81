package gate

import (
	"slices"

	"cdpor/lang/step"
)

// An operation of the program is all that is written out for one of its instructions in one chain of calls. What the
// library does in between by calling back belongs to it.
type operation struct {
	at    step.Pos
	calls []step.Pos
}

func (p *Program) operationOf(n *step.Node) operation {
	calls := n.Calls
	for len(calls) > 0 {
		last := calls[len(calls)-1]
		if _, user := p.user[last.File]; user && last != n.Pos {
			break
		}
		calls = calls[:len(calls)-1]
	}
	return operation{n.Pos, calls}
}

// contains reports whether a node belongs to the operation.
func (o operation) contains(n *step.Node) bool {
	if len(n.Calls) < len(o.calls) || !slices.Equal(n.Calls[:len(o.calls)], o.calls) {
		return false
	}
	return n.Pos == o.at || len(n.Calls) > len(o.calls) && n.Calls[len(o.calls)] == o.at
}

// firstsOf says of each node of a template whether it is the first step of an operation: one that can be reached from
// outside of the operation before any other of its steps.
func (p *Program) firstsOf(t *step.Template) []bool {
	if f, ok := p.firsts[t]; ok {
		return f
	}
	before := make([][]int, len(t.Nodes))
	for i, n := range t.Nodes {
		for _, to := range successors(n) {
			if to != step.End {
				before[to] = append(before[to], i)
			}
		}
	}
	firsts := make([]bool, len(t.Nodes))
	for i, n := range t.Nodes {
		if n.Visible {
			firsts[i] = p.isFirst(t, before, i)
		}
	}
	p.firsts[t] = firsts
	return firsts
}

func (p *Program) isFirst(t *step.Template, before [][]int, i int) bool {
	o := p.operationOf(t.Nodes[i])
	seen := map[int]bool{i: true}
	work := []int{i}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == t.Start {
			return true
		}
		for _, b := range before[at] {
			n := t.Nodes[b]
			same := n.Pos == o.at && slices.Equal(p.operationOf(n).calls, o.calls)
			switch {
			case seen[b], same && n.Visible:
			case !o.contains(n):
				return true
			default:
				seen[b] = true
				work = append(work, b)
			}
		}
	}
	return false
}

func successors(n *step.Node) []int {
	if n.Kind == step.Branch {
		return []int{n.Next, n.Else}
	}
	return []int{n.Next}
}
