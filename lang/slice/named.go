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
