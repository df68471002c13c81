package slice

import (
	"cmp"
	"slices"

	"cdpor/lang/step"
)

// A Link is a step of the way from a node to the criterion.
type Link struct {
	Thread string     // name of its process
	Node   *step.Node // nil for the start or end of the thread
	Kind   EdgeKind   // how the next link depends on this one; Root for the last, which belongs to the criterion
}

// Why is the chain of dependences that keeps something of a line: the first link is of the line, the last of the
// criterion. It is empty if nothing of the line was kept.
func (r *Result) Why(line int) (chain []Link) {
	for _, n := range r.Nodes() {
		node := r.Graph.threads[n.Thread].node(n.Index)
		if node == nil || node.Pos.Line != line {
			continue
		}
		if c := r.chain(n); chain == nil || len(c) < len(chain) {
			chain = c
		}
	}
	return chain
}

func (r *Result) chain(n Node) (chain []Link) {
	for {
		why, h := r.why[n], r.Graph.threads[n.Thread]
		chain = append(chain, Link{h.proc.Name, h.node(n.Index), why.Kind})
		if why.Kind == Root {
			return chain
		}
		n = why.For
	}
}

// compareLinks orders links by line, text and kind; those of several threads count as one.
func compareLinks(a, b Link) int {
	at := func(l Link) (step.Pos, string) {
		if l.Node == nil {
			return step.Pos{}, l.Thread
		}
		return l.Node.Pos, l.Node.Text
	}
	p, s := at(a)
	q, t := at(b)
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col), cmp.Compare(s, t),
		cmp.Compare(a.Kind, b.Kind))
}

// influences are the edges the other way round: for each node those that depend on it.
func (g *Graph) influences() map[Node][]Reason {
	on := map[Node][]Reason{}
	g.each(func(n Node) {
		g.dependsOn(n, func(to Node, kind EdgeKind) { on[to] = append(on[to], Reason{n, kind}) })
	})
	return on
}

// each calls f for every node that can be executed.
func (g *Graph) each(f func(Node)) {
	for t, h := range g.threads {
		for i := range h.end + 1 {
			if h.live(i) {
				f(Node{t, i})
			}
		}
	}
}

// Dependents are the nodes that depend directly on a node of a line.
func (r *Result) Dependents(line int) (list []Link) {
	for n, edges := range r.Graph.influences() {
		if node := r.Graph.threads[n.Thread].node(n.Index); node == nil || node.Pos.Line != line {
			continue
		}
		for _, e := range edges {
			h := r.Graph.threads[e.For.Thread]
			l := Link{h.proc.Name, h.node(e.For.Index), e.Kind}
			if (l.Node == nil || l.Node.Pos.Line != line) && !slices.Contains(list, l) {
				list = append(list, l)
			}
		}
	}
	slices.SortFunc(list, compareLinks)
	return slices.CompactFunc(list, func(a, b Link) bool { return compareLinks(a, b) == 0 })
}
