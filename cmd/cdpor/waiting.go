package main

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang/step"
)

// wait says what the next step of a process, which is not enabled, waits for: the statement, and the values it looks at.
func (t *tracer) wait(s step.State, proc int) string {
	next := t.m.StepOf(s, proc)
	text := next.Template.Nodes[next.Entry].Text
	accesses, _ := t.t.GuardReads(s, proc)
	if reads, _ := t.describe(accesses, s); len(reads) > 0 {
		text += " (" + join(reads) + ")"
	}
	return text
}

// waiting says of the unfinished processes of a state in which nothing is enabled where they stand and what they wait for, and
// names a circle of processes that hold what the one before waits for.
func (t *tracer) waiting(s step.State) (list []string) {
	for p := range t.m.NumProcs() {
		if next := t.m.StepOf(s, p); next != nil {
			list = append(list, fmt.Sprintf("%s.%s waits in %s", t.m.Program.Procs[p].Name, next.Label, t.wait(s, p)))
		}
	}
	if circle := t.circle(s); circle != nil {
		list = append(list, "each waits for the next: "+strings.Join(circle, " -> "))
	}
	return list
}

// circle finds processes each of which waits for a lock that the next one holds.
func (t *tracer) circle(s step.State) (names []string) {
	holder := map[int]int{}
	for p := range t.m.NumProcs() {
		if t.m.StepOf(s, p) == nil {
			continue
		}
		accesses, _ := t.t.GuardReads(s, p)
		for _, a := range accesses {
			if typ := t.typeAt(a.Word); typ != nil && typ.Kind == step.Mutex && len(a.Words) == 1 && a.Words[0] > 0 {
				holder[p] = int(a.Words[0] - 1)
			}
		}
	}
	for first := range t.m.NumProcs() {
		path := []int{first}
		for p, ok := holder[first]; ok && len(path) <= len(holder); p, ok = holder[p] {
			path = append(path, p)
			if p != first {
				continue
			}
			for _, q := range path {
				names = append(names, t.m.Program.Procs[q].Name)
			}
			return names
		}
	}
	return nil
}

// typeAt is the type of the one-word part of a shared variable at a word; nil if there is none.
func (t *tracer) typeAt(word int) *step.Type {
	k := slices.IndexFunc(t.m.Program.Shared, func(v *step.Var) bool { return word >= v.Offset && word < v.Offset+v.Type.Words() })
	if k < 0 {
		return nil
	}
	v := t.m.Program.Shared[k]
	_, typ := locate(v.Name, v.Type, word-v.Offset, 1)
	return typ
}
