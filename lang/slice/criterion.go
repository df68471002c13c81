package slice

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// A Criterion is the purpose of a slice: nodes that must be executed as in the program, values that must be right, or
// both.
type Criterion struct {
	// Values are expressions over shared variables and, by process, locals, in states in which nothing is enabled.
	// Executions with a dropped process do not count.
	Values []*step.Expr
	// Ends says that it matters whether such a state is a normal end, Fails whether a process failed.
	Ends, Fails bool
	// At are nodes: whether, when, and with what values they are executed.
	At []*step.Node
	// What of the program it stands for, so that a slice can ask the same: variables, properties, all that is observed.
	Vars       []*step.Var
	Properties []*step.Property
	Observed   bool
}

// Join is the criterion that asks for everything that some of a list ask for.
func Join(list ...Criterion) (all Criterion) {
	for _, c := range list {
		all.Values, all.At = append(all.Values, c.Values...), append(all.At, c.At...)
		all.Vars, all.Properties = append(all.Vars, c.Vars...), append(all.Properties, c.Properties...)
		all.Ends, all.Fails, all.Observed = all.Ends || c.Ends, all.Fails || c.Fails, all.Observed || c.Observed
	}
	return all
}

// in is the criterion for a part of a program, a result of Cut.
func (c Criterion) in(whole, part *step.Program) Criterion {
	at := c.At
	c.At = nil
	for k, t := range whole.Templates {
		for i, n := range t.Nodes {
			if slices.Contains(at, n) {
				c.At = append(c.At, part.Templates[k].Nodes[i])
			}
		}
	}
	return c
}

// Variable is the criterion that a shared variable has the right values in the end.
func Variable(v *step.Var) Criterion {
	return Criterion{Values: []*step.Expr{{Op: step.VarRef, Type: v.Type, Var: v, Of: step.Own}}, Vars: []*step.Var{v}}
}

// Final is the criterion for a property of normal ends.
func Final(p *step.Property) Criterion {
	return Criterion{Values: []*step.Expr{p.Expr}, Ends: true, Fails: true, Properties: []*step.Property{p}}
}

// FinalAny is the criterion for a property of normal ends and deadlocks.
func FinalAny(p *step.Property) Criterion {
	return Criterion{Values: []*step.Expr{p.Expr}, Fails: true, Properties: []*step.Property{p}}
}

// Kept is the criterion for a property of all states, or of all steps.
func Kept(p *step.Program, property *step.Property) Criterion {
	c := Reached(nodesWhere(p, func(n *step.Node) bool { return n.Property == property && n.Kind == step.Check })...)
	c.Properties = []*step.Property{property}
	return c
}

// Invariant is the criterion for a property that must hold after every step: everything that may write what it reads
// is executed as in the program.
func (g *Graph) Invariant(p *step.Property) Criterion {
	var reads []access
	p.Expr.EachVar(func(e *step.Expr) {
		if a, ok := g.place(&thread{many: true, proc: &step.Proc{}}, e); ok {
			reads = append(reads, a)
		}
	})
	c := Criterion{Properties: []*step.Property{p}}
	for _, h := range g.threads {
		for i, n := range h.template.Nodes {
			if h.live(i) && !slices.Contains(c.At, n) && slices.ContainsFunc(h.defs[i], func(d access) bool {
				return slices.ContainsFunc(reads, d.overlaps)
			}) {
				c.At = append(c.At, n)
			}
		}
	}
	return c
}

// Deadlocks is the criterion that executions end as in the program: normally, in a deadlock, with a failure.
func Deadlocks() Criterion { return Criterion{Ends: true, Fails: true} }

// Outcomes is the criterion for what is observed of normal ends.
func Outcomes(p *step.Program) Criterion {
	c := Criterion{Ends: true, Fails: true, Observed: true}
	for _, o := range p.Observe {
		c.Values = append(c.Values, o.Expr)
	}
	return c
}

// Histories is the criterion for what operations have done when nothing is enabled any more.
func Histories(p *step.Program) Criterion {
	c := Criterion{Ends: true, Fails: true}
	for _, r := range p.Recorders {
		for _, proc := range p.Procs {
			if proc.Template == p.Templates[r.Template] {
				for _, v := range []*step.Var{r.Done, r.Log} {
					c.Values = append(c.Values, &step.Expr{Op: step.VarRef, Type: v.Type, Var: v, Of: proc.Index})
				}
			}
		}
	}
	return c
}

// Reached is the criterion that nodes are reached as in the program.
func Reached(nodes ...*step.Node) Criterion { return Criterion{At: nodes} }

// roots are the nodes that a criterion begins with.
func (g *Graph) roots(c Criterion) (list []Node, err error) {
	for _, target := range c.At {
		found := false
		for t, h := range g.threads {
			for i, n := range h.template.Nodes {
				if n == target && h.live(i) {
					list, found = append(list, Node{t, i}), true
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("%s: nothing leads to %s", target.Pos, target.Text)
		}
	}
	for _, e := range c.Values {
		list = append(list, g.valueRoots(e)...)
	}
	if len(c.Values) == 0 && !c.Ends && !c.Fails {
		return list, nil
	}
	for t, h := range g.threads {
		for i := range h.end {
			if !h.live(i) || i == h.entry {
				continue
			}
			// In states in which nothing is enabled, threads that run for ever have no place.
			forever := h.forever(i) && (len(h.succ[i]) > 1 || !h.leaves(i))
			if g.Preserve == Deadlock && (h.drops[i] || forever || c.Ends && h.stuck[i] ||
				(c.Ends || c.Fails) && h.fails[i]) {
				list = append(list, Node{t, i})
			}
		}
	}
	return list, nil
}

// valueRoots are the nodes that may write what an expression reads in the end.
func (g *Graph) valueRoots(e *step.Expr) (list []Node) {
	if e.Root() == nil {
		for _, a := range e.Args {
			list = append(list, g.valueRoots(a)...)
		}
		return list
	}
	whole := e
	for ; e.Op != step.VarRef; e = e.Args[0] {
		if e.Op == step.Index {
			list = append(list, g.valueRoots(e.Args[1])...)
		}
	}
	if !e.Var.Shared {
		return append(list, g.localRoots(e)...)
	}
	a, ok := g.place(&thread{many: true, proc: &step.Proc{}}, whole)
	if !ok {
		return list
	}
	for t, h := range g.threads {
		for i, last := range h.stays {
			if slices.ContainsFunc(last, a.overlaps) {
				list = append(list, Node{t, i})
			}
		}
	}
	return list
}

// localRoots are the nodes that may write a local of a process, or after which it is forgotten because the process
// failed.
func (g *Graph) localRoots(e *step.Expr) (list []Node) {
	t := g.ofProc[e.Of]
	h := g.threads[t]
	list = append(list, Node{t, h.entry})
	for i, n := range h.template.Nodes {
		if h.live(i) && (n.Dst.Root() == e.Var || n.Counter.Root() == e.Var || h.fails[i] || h.drops[i]) {
			list = append(list, Node{t, i})
		}
	}
	return list
}
