package slice

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cdpor/lang/step"
)

// Named is the criterion that a text means: assert:N and final:N, counted from 1 in the order of the file, line:N, the label of a step
// (with its thread if several have it: thread.label), or the name of a shared variable.
func Named(p *step.Program, text string) (Criterion, error) {
	kind, number, numbered := strings.Cut(text, ":")
	if !numbered {
		return named(p, text)
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return Criterion{}, fmt.Errorf("%q: %s is followed by a number from 1", text, kind)
	}
	switch kind {
	case "line":
		nodes := nodesWhere(p, func(node *step.Node) bool { return node.Pos.Line == n })
		if len(nodes) == 0 {
			return Criterion{}, fmt.Errorf("no thread executes anything of line %d", n)
		}
		return Reached(nodes...), nil
	case "assert":
		asserts := nodesWhere(p, func(node *step.Node) bool {
			return node.Kind == step.Check && node.Fault == step.Assertion && node.Property == nil
		})
		return nth(asserts, n, "assertion")
	case "final":
		if n > len(p.Checks.Final) {
			return Criterion{}, fmt.Errorf("final:%d: the program has %d final properties", n, len(p.Checks.Final))
		}
		return Final(p.Checks.Final[n-1]), nil
	}
	return Criterion{}, fmt.Errorf("%q is none of line, assert and final", kind)
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
	return Criterion{}, fmt.Errorf("%s is neither a shared variable nor the label of a step", name)
}
