package vet

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang/step"
)

// faults reports expressions that end the run with an error whenever they are evaluated, as 1 / N does while the
// parameter N is 0. Literals alone are an error before.
func (v *vetter) faults() {
	told := map[step.Pos]bool{} // a procedure may be written out several times
	fails := func(list ...*step.Expr) {
		for _, e := range list {
			v.alwaysFails(e, told)
		}
	}
	node := func(n *step.Node) {
		for _, e := range append([]*step.Expr{n.Dst, n.Src, n.Cond, n.Maker}, n.Args...) {
			fails(e)
			v.compared(e, told)
		}
	}
	for _, f := range v.prog.Funcs {
		for _, n := range f.Nodes {
			node(n)
		}
	}
	for _, t := range v.prog.Templates {
		if t.Count == 0 {
			continue
		}
		for _, i := range behind(t, t.Start, nil) {
			if i != step.End {
				node(t.Nodes[i])
			}
		}
	}
	c := &v.prog.Checks
	for _, q := range slices.Concat(v.prog.Invariants, c.Final, c.FinalAny, c.Reachable, c.Unreachable, c.Always,
		c.Transition, c.Eventually, c.Stabilises) {
		fails(q.Expr)
	}
	for _, q := range c.LeadsTo {
		fails(q.From, q.To)
	}
}

// alwaysFails reports whether a part of an expression fails whenever it is evaluated, and the first such part, unless
// it has been told. What a fixed condition leaves out is not looked at.
func (v *vetter) alwaysFails(e *step.Expr, told map[step.Pos]bool) bool {
	if e == nil {
		return false
	}
	args := e.Args
	if e.Op == step.And || e.Op == step.Or || e.Op == step.Cond {
		if value, fault, ok := fixed(e.Args[0]); ok && fault == step.NoFault {
			switch {
			case e.Op == step.Cond && value != 0:
				args = e.Args[1:2]
			case e.Op == step.Cond:
				args = e.Args[2:]
			case (e.Op == step.And) != (value != 0):
				args = nil
			}
		}
	}
	for _, a := range args {
		if v.alwaysFails(a, told) {
			return true
		}
	}
	at := e.Pos
	if e.Op == step.Index || e.Op == step.Div || e.Op == step.Mod {
		at = e.Args[1].Pos
	}
	silent := told[at]
	switch e.Op {
	case step.Index:
		i, _, ok := fixed(e.Args[1])
		n := e.Args[0].Type.Len
		if !ok || i >= 0 && i < int64(n) {
			return false
		}
		if !silent {
			v.Report(at, step.Pos{}, fmt.Sprintf("it is %d%s, and the elements are 0 to %d", i, v.with(e.Args[1]), n-1),
				"this index is always out of range")
		}
	case step.Div, step.Mod:
		if divisor, _, ok := fixed(e.Args[1]); !ok || divisor != 0 {
			return false
		}
		if !silent {
			v.Report(at, step.Pos{}, "the divisor is 0"+v.with(e.Args[1]), "this always divides by zero")
		}
	default:
		_, fault, ok := fixed(e)
		if !ok || fault == step.NoFault {
			return false
		}
		if !silent {
			v.Report(at, step.Pos{}, strings.TrimSpace(v.with(e)), "this always fails: %s", fault)
		}
	}
	told[at] = true
	return true
}

// fixed is the value of an expression that is the same in every state and for every thread, or why it has none. ok
// is false if the expression is none.
func fixed(e *step.Expr) (value int64, fault step.Fault, ok bool) {
	if e.Has(func(e *step.Expr) bool { return e.Op == step.Self }) {
		return 0, step.NoFault, false
	}
	words, fault, ok := step.Evaluate(e, 0)
	if ok && fault == step.NoFault && len(words) == 1 {
		value = words[0]
	}
	return value, fault, ok
}

// with says which values the parameters of an expression have.
func (v *vetter) with(e *step.Expr) string {
	var list []string
	e.Walk(func(e *step.Expr) {
		if e.Op == step.Const && len(e.Words) == 1 && slices.ContainsFunc(v.prog.Params,
			func(p *step.Param) bool { return p.Name == e.Name }) {
			if s := fmt.Sprintf("%s = %d", e.Name, e.Words[0]); !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	})
	if len(list) == 0 {
		return ""
	}
	return " with " + strings.Join(list, ", ")
}

// unreleased reports threads that end while they hold a mutex: on every way from where they take it, or on some way if
// they take it on all. Where taking and releasing both depend on conditions, nothing is said: the conditions may agree.
func (v *vetter) unreleased() {
	told := map[step.Pos]bool{}
	for _, t := range v.prog.Templates {
		if t.Count == 0 {
			continue
		}
		for _, i := range slices.Sorted(slices.Values(behind(t, t.Start, nil))) {
			if i == step.End || !takes(t, i) || told[t.Nodes[i].Pos] {
				continue
			}
			n := t.Nodes[i]
			const hint = "unlock it on each way to the end, or write with lock { }"
			switch ends, released := waysFrom(t, n); {
			case ends && !released:
				v.Report(n.Pos, step.Pos{}, hint, "%s ends while it holds this mutex", t.Name)
			case ends && onEveryWay(t, i):
				v.Report(n.Pos, step.Pos{}, hint, "%s may end while it holds this mutex", t.Name)
			default:
				continue
			}
			told[n.Pos] = true
		}
	}
}

// takes reports whether a node takes a mutex that it has waited for.
func takes(t *step.Template, node int) bool {
	n := t.Nodes[node]
	return n.Kind == step.Assign && n.Dst.Type.Kind == step.Mutex && n.Src.Op == step.Me &&
		slices.ContainsFunc(t.Nodes, func(o *step.Node) bool { return o.Kind == step.Await && o.Next == node })
}

// waysFrom reports whether the end can be reached from behind a node that takes a mutex without a node that releases
// it, and whether one that releases it can be reached.
func waysFrom(t *step.Template, n *step.Node) (ends, released bool) {
	frees := func(i int) bool {
		m := t.Nodes[i]
		return m.Kind == step.Assign && m.Dst.Type.Kind == step.Mutex && m.Src.Op != step.Me &&
			m.Dst.Root() == n.Dst.Root()
	}
	for _, i := range behind(t, n.Next, frees) {
		ends, released = ends || i == step.End, released || i != step.End && frees(i)
	}
	return ends, released
}

// onEveryWay reports whether the end cannot be reached from the start without a node.
func onEveryWay(t *step.Template, node int) bool {
	return !slices.Contains(behind(t, t.Start, func(i int) bool { return i == node }), step.End)
}

// behind are a node and those that follow it, End among them; not those behind one that stops.
func behind(t *step.Template, from int, stops func(node int) bool) []int {
	return step.Reach(func(i int) []int {
		if i == step.End || stops != nil && stops(i) {
			return nil
		}
		return ways(t.Nodes[i])
	}, from)
}
