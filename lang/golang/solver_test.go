//go:build cgo && !noz3

package golang_test

import (
	"context"

	"cdpor/lang/step"
	"cdpor/synth"
)

// newSolver returns a function that synthesises the constraint file of a program, for one goroutine.
func newSolver() (func(*step.Machine) (string, error), error) {
	session, err := synth.NewSession(synth.Options{})
	if err != nil {
		return nil, err
	}
	return func(m *step.Machine) (string, error) {
		set, _, err := session.Synthesize(context.Background(), m.Program)
		if err != nil {
			return "", err
		}
		return string(set.Format()), nil
	}, nil
}
