//go:build cgo && !noz3

package explore

import (
	"context"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth"
)

// newSolver returns a function that synthesises the constraints of programs, for one goroutine: of some programs the
// weakest, of others those that files have.
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
		session := weakest
		if digest := constraints.Digest(m.Program); digest[len(digest)-1]%2 == 0 { // the same each time
			session = readable
		}
		set, _, err := session.Synthesize(context.Background(), m.Program)
		if err != nil {
			return nil, err
		}
		return set.Compile(m), nil
	}, nil
}
