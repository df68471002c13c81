package slice

import (
	"maps"
	"slices"

	"cdpor/lang/step"
)

// Forward finds the nodes that a criterion can influence: all that depend on the nodes of the criterion. Interference
// is followed in any order, so it is never too small; it is no program.
func (g *Graph) Forward(c Criterion) (*Result, error) {
	roots, err := g.roots(c)
	if err != nil {
		return nil, err
	}
	r := &Result{Graph: g, Exact: true, why: map[Node]Reason{}, checks: make([]bool, len(g.threads))}
	var todo []Node
	for _, n := range roots {
		r.why[n] = Reason{n, Root}
		todo = append(todo, n)
	}
	influenced := g.influences()
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range influenced[n] {
			if _, there := r.why[e.For]; !there {
				r.why[e.For] = Reason{n, e.Kind}
				todo = append(todo, e.For)
			}
		}
	}
	return r, nil
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

// Common is the intersection of a forward slice and another, with the reasons of the other: a chop.
func (r *Result) Common(other *Result) *Result {
	both := &Result{Graph: r.Graph, Exact: r.Exact && other.Exact, why: maps.Clone(other.why), checks: other.checks}
	maps.DeleteFunc(both.why, func(n Node, _ Reason) bool { return !r.Has(n) })
	return both
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

// An Edge says that one node depends on another.
type Edge struct {
	From, To Node // From depends on To
	Kind     EdgeKind
}

// Edges are the dependences between the nodes that were kept.
func (r *Result) Edges() (list []Edge) {
	for _, n := range r.Nodes() {
		r.Graph.dependsOn(n, func(to Node, kind EdgeKind) {
			if e := (Edge{n, to, kind}); r.Has(to) && !slices.Contains(list, e) {
				list = append(list, e)
			}
		})
	}
	return list
}

// Describe is the process and the code of a node of the graph; nil for the start and the end of a thread.
func (g *Graph) Describe(n Node) (process string, node *step.Node) {
	h := g.threads[n.Thread]
	return h.proc.Name, h.node(n.Index)
}
