package synth

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/uniform"
)

// Phase is a part of a synthesis or a proof.
type Phase uint8

const (
	Commuting Phase = iota // the commute constraint of each pair is found
	// the family is made uniform, in rounds over all pairs until one finds nothing more; perhaps in several ways
	Uniform
	Proving // given constraints are proved
)

// A Stage tells how far a synthesis or a proof is.
type Stage struct {
	Phase       Phase
	Done, Total int        // pairs, of the round in phase Uniform
	Round       int        // of phase Uniform, from 1; how many there will be is not known
	A, B        *step.Step // the pair that is worked on; nil after a pair
}

// watch reports a stage, as it is then, now and then while work goes on.
func (e *engine) watch(stage *Stage) {
	if e.opt.Progress != nil {
		e.Oracle.Watch(func() { e.opt.Progress(*stage) })
	}
}

// watchUniform reports how far the fixpoint is.
func (e *engine) watchUniform(at *uniform.Position) {
	if e.opt.Progress == nil {
		return
	}
	e.Oracle.Watch(func() {
		stage := Stage{Phase: Uniform, Round: at.Round, Done: at.Done, Total: len(e.Entries)}
		if at.N != nil {
			stage.A, stage.B = at.N.A, at.N.B
		}
		e.opt.Progress(stage)
	})
}
