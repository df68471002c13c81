package synth

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/term"
)

// A step that writes none of what a condition was seen to read does not change it. Whether that is so takes a few
// comparisons of indices, where running the step may take many decisions: a message is received from the mailbox of one
// process, and the condition is about that of another one.

// A target is what a step may write: a variable, or the part of it that some indices choose. The indices are made of
// what the step does not change, nil where they are not known.
type target struct{ place0 }

// targets lists what a step may write; known is false if there may be more.
func (e *questions) targets(s *step.Step) (list []target, known bool) {
	if len(s.Spawns()) > 0 || s.Ends() {
		return nil, false
	}
	written := map[*step.Var]bool{}
	for _, i := range s.Nodes {
		if n := s.Template.Nodes[i]; n.Dst != nil {
			written[n.Dst.Root()] = true
		}
	}
	for _, p := range e.accessesOf(s) {
		if !p.write {
			continue
		}
		t := target{place0{v: p.v, idx: slices.Clone(p.idx), lens: p.lens}}
		for k, i := range t.idx {
			if i != nil {
				i.EachVar(func(v *step.Expr) {
					if written[v.Var] {
						t.idx[k] = nil
					}
				})
			}
		}
		list = append(list, t)
	}
	for _, v := range constraints.Writes(s) {
		if !slices.ContainsFunc(list, func(t target) bool { return t.v == v }) {
			return nil, false
		}
	}
	return list, true
}

// reaches tells whether a step may write one of the words, in the current store.
func (x *trial) reaches(slot int, s *step.Step, words []term.Place) bool {
	list, known := x.e.targets(s)
	if !known {
		return true
	}
	for _, t := range list {
		for _, w := range words {
			if w.V == t.v && x.meets(slot, t, w.Steps()) {
				return true
			}
		}
	}
	return false
}

// meets tells whether a target of a step may be the place that some indices and fields lead to.
func (x *trial) meets(slot int, t target, to []term.Form) bool {
	idx, ok := x.indices(t.place0, slot)
	if !ok { // one is out of range, and nothing is written
		return false
	}
	for k := range min(len(idx), len(to)) {
		if t.idx[k] != nil && !x.Equal(idx[k], to[k]) {
			return false
		}
	}
	return true
}
