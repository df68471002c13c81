package executions

import (
	"slices"

	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/visited"
	"cdpor/lang/step"
)

// save is valid until the search goes on.
func (v *visits) save() *visited.Saved {
	s := visited.Save(v.Table, v.steps)
	s.Relies = v.Relies
	return s
}

// restore takes up what was known of visited states.
func (v *visits) restore(s *visited.Saved) error {
	v.Relies = s.Relies
	return s.Restore(v.x.m, v.Table, v.steps, v.fillLater)
}

// fillLater fills in what follows from which step a later step is, and its footprint.
func (v *visits) fillLater(s *visited.LaterStep) {
	x := v.x
	if s.Pool {
		_, first := x.m.StepAt(s.ID)
		s.Rivals = x.prog.Futures().RivalsOfAny(first)
	} else {
		s.Rivals = x.prog.Futures().RivalsOf(s.ID)
	}
	if s.Text {
		return
	}
	if s.Must = s.Foot; x.Conditions == nil && x.m.Info(s.ID).Refinable {
		s.Must = s.Foot.ReadOnly(make(step.Footprint, len(s.Foot)))
	}
}

// savePlace writes what is remembered of the node at a depth.
func (v *visits) savePlace(depth int) *checkpoint.Visit {
	p := v.places[depth]
	return &checkpoint.Visit{Future: slices.Clone(p.future), Partial: p.partial}
}

// restorePlaces takes up the nodes on the stack, the last one of which is the present one. Of a node of which nothing
// is known nothing will be remembered.
func (v *visits) restorePlaces(levels []checkpoint.Level) error {
	v.resumeAt()
	for d := range levels {
		s, p := levels[d].Visit, v.places[d]
		if s == nil {
			continue
		}
		if len(s.Future) != v.x.Procs {
			return visited.ErrSaved
		}
		if err := v.steps.Check(s.Future); err != nil {
			return err
		}
		copy(p.future, s.Future)
		p.partial = s.Partial
	}
	return nil
}
