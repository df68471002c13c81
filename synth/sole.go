package synth

import (
	"cdpor/lang/step"
)

// Shared variables that only one process writes. Where that process stands tells what they hold, as it does for locals: a flag that
// it has not raised yet, a channel that it has not closed. Ranges keep them from step to step (ranges.go), and what is known of one
// at a step of its writer is a fact about that step.

// findSole finds the only writer of each shared scalar, or size of a list, that is in no array. Processes that are started may be
// many, and what starting one writes is not followed.
func (a *ranges) findSole() {
	a.sole = map[field]*step.Template{}
	writers := func(v *step.Var, from, to int, t *step.Template) {
		for _, x := range fieldsOf(v.Type) {
			if x.off < from || x.off >= to {
				continue
			}
			at := field{v, x.off}
			if old, written := a.sole[at]; written && old != t || t != nil && (t.Pool != nil || t.Count != 1) || x.array {
				a.sole[at] = nil
			} else {
				a.sole[at] = t
			}
		}
	}
	for _, t := range a.prog.Templates {
		if t.Pool != nil {
			for _, v := range append([]*step.Var{t.Pool.Life}, t.Pool.Fields...) {
				if v != nil {
					writers(v, 0, v.Type.Words(), nil)
				}
			}
		}
		for _, n := range t.Nodes {
			for _, dst := range []*step.Expr{n.Dst, n.Counter} {
				if dst == nil {
					continue
				}
				ref, off, _, ok := placeOf(dst)
				switch {
				case ok && ref.Var.Shared && n.Kind != step.Spawn:
					writers(ref.Var, off, off+dst.Type.Words(), t)
				default:
					for v := range sharedOf(dst, nil) {
						writers(v, 0, v.Type.Words(), nil)
					}
				}
			}
		}
	}
}

// findSoleFacts finds what is known at each step about what only its process writes.
func (k *facts) findSoleFacts() {
	for at, t := range k.together.sole {
		if t == nil || !listable(factKey{nil, at.v, at.off}) {
			continue
		}
		for _, fr := range k.frames {
			i, there := fr.slot[at]
			if fr.proc.Template != t || !there {
				continue
			}
			for _, s := range t.Steps {
				if env := fr.at[s.Entry]; env != nil {
					typ := fieldAt(at.v.Type, at.off)
					always, known := k.wide[factKey{nil, at.v, at.off}]
					if !known {
						always = leafSpan(typ)
					}
					if one := env[i].meet(always); !one.empty() && one != always {
						k.wide[factKey{s, at.v, at.off}] = one
					}
				}
			}
		}
	}
}

// confineSole narrows the bounds of a new symbol to what the steps of the question say about it.
func (t *table) confineSole(s *symbol, b span) span {
	if s.mem.slot != shared || len(s.idx) > 0 {
		return b
	}
	for _, a := range t.actors {
		if a.at == nil {
			continue
		}
		key := factKey{a.at, s.mem.v, s.mem.off}
		if one, known := t.known.wide[key]; known && t.known.assume && b.meet(one) != b {
			b, s.wide = b.meet(one), true
			t.knownBy(symID(len(t.syms)), key)
		}
	}
	return b
}

// knownBy notes which fact about a step says something about a symbol.
func (t *table) knownBy(id symID, key factKey) {
	if t.stepFacts == nil {
		t.stepFacts = map[symID][]factKey{}
	}
	t.stepFacts[id] = append(t.stepFacts[id], key)
}

// useStepFacts notes that these have been used.
func (t *table) useStepFacts(id symID) {
	for _, key := range t.stepFacts[id] {
		if key.v == nil {
			t.known.used[key] = true
		} else {
			t.known.usedWide[key] = true
		}
	}
}
