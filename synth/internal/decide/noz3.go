//go:build !cgo || noz3

package decide

import "errors"

// Available reports why constraints cannot be synthesised, nil if they can.
func Available() error {
	return errors.New("this cdpor was built without the Z3 solver; install Z3's headers and library " +
		"(libz3-dev on Debian and Ubuntu), then build with CGO_ENABLED=1 and without -tags noz3")
}

// SolverName says what Version calls the solver.
func SolverName() string { return "no solver" }

// SolverMemory is what the solver holds, in bytes: there is none.
func SolverMemory() int64 { return 0 }

func newSolver(uint, Dump, func()) (solver, error) { return nil, Available() }
