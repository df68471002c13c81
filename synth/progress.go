package synth

import (
	"cdpor/lang/step"
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
