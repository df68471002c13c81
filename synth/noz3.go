//go:build !cgo || noz3

package synth

import "errors"

// Available reports why constraints cannot be synthesised, nil if they can.
func Available() error {
	return errors.New("this cdpor was built without the Z3 solver; install Z3's headers and library " +
		"(libz3-dev on Debian and Ubuntu), then build with CGO_ENABLED=1 and without -tags noz3")
}

// solverName says what Version calls the solver.
func solverName() string { return "no solver" }

// SolverMemory is what the solver holds, in bytes: there is none.
func SolverMemory() int64 { return 0 }

func newSolver(uint, dump, func()) (solver, error) { return nil, Available() }
