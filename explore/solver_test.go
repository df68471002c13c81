//go:build cgo && !noz3

package explore

import (
	"context"

	"cdpor/lang/step"
	"cdpor/synth"
)

// newSolver returns a function that synthesises the constraints of programs, for one goroutine.
func newSolver() (func(*step.Machine) (Conditions, error), error) {
	session, err := synth.NewSession(synth.Options{})
	if err != nil {
		return nil, err
	}
	return func(m *step.Machine) (Conditions, error) {
		set, _, err := session.Synthesize(context.Background(), m.Program)
		if err != nil {
			return nil, err
		}
		return set.Compile(m), nil
	}, nil
}
