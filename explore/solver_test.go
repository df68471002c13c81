//go:build cgo && !noz3

package explore

import (
	"context"

	"cdpor/lang/step"
	"cdpor/synth"
)

// newSolver returns a function that synthesises the constraints of programs, for one goroutine: the weakest, and those
// that files have, in turn.
func newSolver() (func(*step.Machine) (Conditions, error), error) {
	weakest, err := synth.NewSession(synth.Options{})
	if err != nil {
		return nil, err
	}
	readable, err := synth.NewSession(synth.Options{Readable: true})
	if err != nil {
		return nil, err
	}
	return func(m *step.Machine) (Conditions, error) {
		weakest, readable = readable, weakest
		set, _, err := weakest.Synthesize(context.Background(), m.Program)
		if err != nil {
			return nil, err
		}
		return set.Compile(m), nil
	}, nil
}
