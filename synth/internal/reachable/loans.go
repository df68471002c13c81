package reachable

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/span"
)

// Who starts a process often counts it first, and the process takes that back when it ends: wg.Add(1); go f(), and
// wg.Done() in f. So that the one does not add more and more, and the other one has added something while it runs, a
// process takes over, as it is started, what it will give back. The sum of what all have added stays what it is,
// whatever is taken over (place invariants of Petri nets: weights of places).

// findLoans finds what each template's processes take over.
func (a *Analysis) findLoans() {
	a.loans = map[*step.Template]map[Field]int64{}
	for _, t := range a.prog.Templates {
		a.findLoan(t)
	}
}

func (a *Analysis) findLoan(t *step.Template) {
	if t.Pool == nil || a.loans[t] != nil {
		return
	}
	a.loans[t] = map[Field]int64{}
	for _, n := range t.Nodes {
		if n.Kind == step.Spawn {
			a.findLoan(n.Target)
		}
	}
	for at := range a.sums {
		if by := a.givesBack(t, at); by != 0 {
			a.loans[t][at] = by
		}
	}
}

// maxLoan bounds what a process is taken to give back, as it may take away in a loop.
const maxLoan = 8

// givesBack is the most that a process of a template has taken away, or added, at its end.
func (a *Analysis) givesBack(t *step.Template, at Field) (most int64) {
	type taken struct {
		node int
		by   int64
	}
	work := []taken{{t.Start, 0}}
	for i := 0; i < len(work); i++ {
		now := work[i]
		if now.node == step.End {
			if max(now.by, -now.by) > max(most, -most) {
				most = now.by
			}
			continue
		}
		n := t.Nodes[now.node]
		by := now.by + a.takes(n, at)
		for _, next := range n.Successors() {
			if then := (taken{next, by}); by <= maxLoan && by >= -maxLoan && !slices.Contains(work, then) {
				work = append(work, then)
			}
		}
	}
	return most
}

// takes is what a node takes away, as far as that is a number.
func (a *Analysis) takes(n *step.Node, at Field) int64 {
	if n.Kind == step.Spawn {
		return a.loans[n.Target][at]
	}
	if x := addend(n); x != nil && fieldOf(n.Dst) == at {
		switch {
		case x.Op == step.Const:
			return -x.Words[0]
		case x.Op == step.Neg && x.Args[0].Op == step.Const:
			return x.Args[0].Words[0]
		}
	}
	return 0
}

// adds reports whether the processes of a template add to a field, or lend some of it.
func (a *Analysis) adds(t *step.Template, at Field) bool {
	if a.loans[t][at] != 0 {
		return true
	}
	for _, n := range t.Nodes {
		if addend(n) != nil && fieldOf(n.Dst) == at || n.Kind == step.Spawn && a.loans[n.Target][at] != 0 {
			return true
		}
	}
	return false
}

// fieldOf is the field that a place lies in, if it is one.
func fieldOf(e *step.Expr) (at Field) {
	if ref, off, _, ok := placeOf(e); ok {
		at = Field{ref.Var, off}
	}
	return at
}

// lend is for nodes that start a process.
func (f *Frame) lend(env []span.Span, to *step.Template) {
	for at, by := range f.a.loans[to] {
		env[f.sum[at]] = env[f.sum[at]].Plus(span.Only(-by))
	}
}
