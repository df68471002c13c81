//go:build cgo && !noz3

package scaling

import (
	"context"

	"cdpor/lang/step"
	"cdpor/synth"
)

// solve synthesises the constraint file of a program.
func solve(m *step.Machine) (string, error) {
	session, err := synth.NewSession(synth.Options{})
	if err != nil {
		return "", err
	}
	set, _, err := session.Synthesize(context.Background(), m.Program)
	if err != nil {
		return "", err
	}
	return string(set.Format()), nil
}
