package symbolic

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// An interpreter evaluates expressions and runs the nodes that steps and functions have in common. Like the machine it
// mirrors, it keeps the first fault of a node and goes on with arbitrary values until somebody looks.
type interpreter struct {
	state
	Own   int    // slot that Own means
	pq    [2]int // slots that P and Q mean
	Fault step.Fault
	calls int // of functions, inside each other
	// The invariants that hold in the unknown state.
	assumed []*step.Property
}

func (x *interpreter) slot(of int) int {
	switch of {
	case step.Own:
		return x.Own
	case step.P:
		return x.pq[0]
	case step.Q:
		return x.pq[1]
	}
	panic(unsupported.Reason("the expression means a process by number"))
}

func (x *interpreter) raise(f step.Fault) {
	if x.Fault == step.NoFault {
		x.Fault = f
	}
}

// A Run executes steps symbolically on one path.
type Run struct {
	interpreter
	started []processName // of processes that have been started, in any order of the steps
}

// store writes the words of a value unless there was a fault.
func (x *interpreter) store(dst term.Place, words []term.Form) {
	if x.Fault != step.NoFault {
		return
	}
	i := 0
	dst.WordsOf(func(w term.Place) {
		x.write(w, words[i])
		i++
	})
}
