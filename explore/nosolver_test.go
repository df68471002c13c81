//go:build !cgo || noz3

package explore

import (
	"errors"

	"cdpor/lang/step"
)

func init() { *solver = 0 } // who builds so knows that there is none

func newSolver() (func(*step.Machine) (Conditions, error), error) {
	return nil, errors.New("built without a solver: constraints are not synthesised")
}
