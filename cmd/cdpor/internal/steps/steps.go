// Package steps looks steps up by name.
package steps

import (
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

// FindPair looks up two steps, written as "a,b", that two processes can stand at.
func FindPair(prog *step.Program, pair string) (a, b *step.Step, err error) {
	first, second, ok := strings.Cut(pair, ",")
	if !ok {
		return nil, nil, fault.Inputf("%q is one step, and a pair is two, with a comma, such as %s", pair,
			examplePair(prog))
	}
	if a, err = find(prog, strings.TrimSpace(first)); err != nil {
		return nil, nil, err
	}
	if b, err = find(prog, strings.TrimSpace(second)); err != nil {
		return nil, nil, err
	}
	for ab := range constraints.PairsOf(prog) {
		if ab == [2]*step.Step{a, b} || ab == [2]*step.Step{b, a} {
			return ab[0], ab[1], nil
		}
	}
	return nil, nil, fault.Inputf("no two processes can stand at %s and %s: there is only one %s", a.Name(),
		b.Name(), a.Template.Name)
}

// examplePair is a pair of a program as one writes it.
func examplePair(prog *step.Program) string {
	for ab := range constraints.PairsOf(prog) {
		if !constraints.Independent(ab[0], ab[1]) {
			return ab[0].Name() + "," + ab[1].Name()
		}
	}
	return "producer.put,consumer.take"
}

// find looks up a step by name. The error says which steps there are.
func find(prog *step.Program, name string) (*step.Step, error) {
	var names []string
	for _, t := range prog.Templates {
		for _, s := range t.Steps {
			if s.Name() == name {
				return s, nil
			}
			names = append(names, s.Name())
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return distance(name, a) - distance(name, b) })
	text := strings.Join(names, ", ")
	const shown = 12
	if len(names) > shown {
		text = strings.Join(names[:shown], ", ") + ", ..."
	}
	if len(names) > 0 && distance(name, names[0]) <= 1+len(name)/3 {
		return nil, fault.Inputf("unknown step %q; did you mean %s? There are %s", name, names[0], text)
	}
	return nil, fault.Inputf("unknown step %q; there are %s", name, text)
}

// distance is how unlike a step's name is to what was written, where the name of the thread may be missing.
func distance(written, name string) int {
	if !strings.Contains(written, ".") {
		_, name, _ = strings.Cut(name, ".")
	}
	return lang.EditDistance(written, name)
}
