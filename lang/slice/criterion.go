package slice

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

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

// Named is the criterion that a text means: the name of a shared variable, the label of a step (with its thread if
// several have it: thread.label), line:N, of a program of several files line:FILE:N, assert:N, final:N and the other
// lists of check, counted from 1 in the order of the file, deadlock (how executions end), or outcomes (what is observed
// at normal ends).
func Named(p *step.Program, text string) (Criterion, error) {
	kind, number, numbered := strings.Cut(text, ":")
	if !numbered {
		return named(p, text)
	}
	file := ""
	if at := strings.LastIndexByte(number, ':'); kind == "line" && at >= 0 {
		file, number = number[:at], number[at+1:]
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return Criterion{}, fmt.Errorf("%q: %s is followed by a number from 1", text, kind)
	}
	switch kind {
	case "line":
		nodes := nodesWhere(p, func(node *step.Node) bool {
			return node.Pos.Line == n && (file == "" || node.Pos.File == file || path.Base(node.Pos.File) == file)
		})
		if len(nodes) == 0 {
			return Criterion{}, fmt.Errorf("no thread executes anything of line %d", n)
		}
		return Reached(nodes...), nil
	case "assert":
		asserts := nodesWhere(p, func(node *step.Node) bool {
			return node.Kind == step.Check && node.Fault == step.Assertion && node.Property == nil
		})
		return nth(asserts, n, "assertion")
	}
	for _, l := range properties(p) {
		switch {
		case l.kind != kind:
		case n > len(l.list):
			return Criterion{}, fmt.Errorf("%s:%d: the program has %d %s properties", kind, n, len(l.list), kind)
		default:
			return l.of(l.list[n-1]), nil
		}
	}
	return Criterion{}, fmt.Errorf("%q is none of line, assert, final, final_any, reachable, unreachable, "+
		"always and transition", kind)
}

// A list of the section check, with the criterion for its properties.
type propertyList struct {
	kind string
	list []*step.Property
	of   func(*step.Property) Criterion
}

func properties(p *step.Program) []propertyList {
	kept := func(property *step.Property) Criterion { return Kept(p, property) }
	c := p.Checks
	return []propertyList{{"final", c.Final, Final}, {"final_any", c.FinalAny, FinalAny},
		{"reachable", c.Reachable, Final},
		{"unreachable", c.Unreachable, Final}, {"always", c.Always, kept}, {"transition", c.Transition, kept}}
}

// nodesWhere lists nodes in the order of the file.
func nodesWhere(p *step.Program, wanted func(*step.Node) bool) (list []*step.Node) {
	for _, t := range p.Templates {
		for _, n := range t.Nodes {
			if wanted(n) {
				list = append(list, n)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *step.Node) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return list
}

// nth is the criterion for the nodes at the nth place, which are several if the place is in a procedure.
func nth(nodes []*step.Node, n int, what string) (Criterion, error) {
	places := slices.CompactFunc(slices.Clone(nodes), func(a, b *step.Node) bool { return a.Pos == b.Pos })
	if n > len(places) {
		return Criterion{}, fmt.Errorf("there is no %s %d, only %d of them", what, n, len(places))
	}
	return Reached(slices.DeleteFunc(nodes, func(o *step.Node) bool { return o.Pos != places[n-1].Pos })...), nil
}

// named is the criterion for a label or a variable.
func named(p *step.Program, name string) (Criterion, error) {
	var steps []*step.Node
	var threads []string
	for _, t := range p.Templates {
		for _, s := range t.Steps {
			if s.Label == name || s.Name() == name {
				steps, threads = append(steps, t.Nodes[s.Entry]), append(threads, s.Name())
			}
		}
	}
	variable := slices.IndexFunc(p.Shared, func(v *step.Var) bool { return v.Name == name && !v.Temp })
	switch {
	case len(steps) > 1:
		return Criterion{}, fmt.Errorf("%s is ambiguous: %s", name, strings.Join(threads, ", "))
	case len(steps) == 1 && variable >= 0:
		return Criterion{}, fmt.Errorf("%s is a variable and a step; the step is also called %s", name, threads[0])
	case len(steps) == 1:
		return Reached(steps[0]), nil
	case variable >= 0:
		return Variable(p.Shared[variable]), nil
	}
	switch name {
	case "deadlock":
		return Deadlocks(), nil
	case "outcomes":
		return Outcomes(p), nil
	}
	return Criterion{}, fmt.Errorf("%s is neither a shared variable nor the label of a step", name)
}
