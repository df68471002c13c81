package uniform

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/question"
	"cdpor/synth/internal/term"
)

// A step that writes none of what a condition was seen to read does not change it. Whether that is so takes a few
// comparisons of indices, where running the step may take many decisions: a message is received from the mailbox of one
// process, and the condition is about that of another one.

// reaches reports whether a step may write one of the words, in the current store.
func (x *Trial) reaches(slot int, s *step.Step, words []term.Place) bool {
	list, known := x.E.Targets(s)
	if !known {
		return true
	}
	for _, t := range list {
		for _, w := range words {
			if w.V == t.V && x.meets(slot, t, w.Steps()) {
				return true
			}
		}
	}
	return false
}

// meets reports whether a target of a step may be the place that some indices and fields lead to.
func (x *Trial) meets(slot int, t question.Target, to []term.Form) bool {
	idx, ok := x.indices(t.Access, slot)
	if !ok { // one is out of range, and nothing is written
		return false
	}
	for k := range min(len(idx), len(to)) {
		if t.Idx[k] != nil && !x.Equal(idx[k], to[k]) {
			return false
		}
	}
	return true
}

// disjoint reports whether the footprints of two steps may be disjoint for the locals of the current store: false only
// if some location is certainly in both and written by one.
func (x *Trial) disjoint(a *step.Step, slotA int, b *step.Step, slotB int) bool {
	return x.E.Separable(a, b) && x.E.Conflicts(a, b, func(p, q question.Access) bool {
		i, okI := x.indices(p, slotA)
		j, okJ := x.indices(q, slotB)
		if !okI || !okJ {
			return true
		}
		for k := range min(len(i), len(j)) {
			if p.Idx[k] != nil && q.Idx[k] != nil && !x.Equal(i[k], j[k]) {
				return true
			}
		}
		return false
	})
}

// indices evaluates the known indices of an access; ok is false if one is out of range.
func (x *Trial) indices(p question.Access, slot int) (idx []term.Form, ok bool) {
	for k, i := range p.Idx {
		f := term.Constant(0)
		if i != nil {
			x.Own, x.Fault = slot, step.NoFault
			f = x.Scalar(i)
			if x.Fault != step.NoFault || x.LessThan(f, term.Constant(0)) || x.AtMost(term.Constant(int64(p.Lens[k])),
				f) {
				x.Fault = step.NoFault
				return nil, false
			}
		}
		idx = append(idx, f)
	}
	return idx, true
}
