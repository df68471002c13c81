package execution

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// legend says what #2 behind a name means, of the goroutines that move or are started, and of the variables that steps
// read or write. Only programs in Go have such names.
func legend(prog *step.Program, steps []replay.Step, procs []int) (list []string) {
	if !prog.Native() {
		return nil
	}
	numbers := map[string]bool{}
	note := func(name string) {
		if _, number, several := strings.Cut(name, "#"); several {
			numbers["#"+number] = true
		}
	}
	for _, p := range procs {
		note(prog.Procs[p].Called())
	}
	for i := range steps {
		for _, name := range steps[i].Starts {
			note(name)
		}
	}
	if sorted := slices.SortedFunc(maps.Keys(numbers), byNumber); len(sorted) > 0 {
		list = append(list, strings.Join(sorted, ", ")+": "+map[bool]string{true: "another goroutine",
			false: "other goroutines"}[len(sorted) == 1]+" started in the same line")
	}
	for _, v := range variables(prog) {
		name, _, several := strings.Cut(v.Called(), "#")
		if several && slices.ContainsFunc(steps, func(s replay.Step) bool { return touches(&s, v.Called()) }) {
			list = append(list, fmt.Sprintf("%s: the %s that is declared in line %d", v.Called(), name, v.Pos.Line))
		}
	}
	return list
}

// byNumber compares #2 and #10.
func byNumber(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

// variables are those of a program: the shared ones, and locals.
func variables(prog *step.Program) []*step.Var {
	list := slices.Clone(prog.Shared)
	for _, t := range prog.Templates {
		list = append(list, t.Locals...)
	}
	return list
}

// touches reports whether a step reads or writes a variable, or a part of it.
func touches(s *replay.Step, name string) bool {
	part := func(of string) bool { return strings.HasPrefix(of, name) && !digit(strings.TrimPrefix(of, name)) }
	return slices.ContainsFunc(s.Reads, func(v replay.Value) bool { return part(v.Name) }) ||
		slices.ContainsFunc(s.Writes, func(c replay.Change) bool { return part(c.Name) })
}

// digit reports whether a text begins with a digit.
func digit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }
