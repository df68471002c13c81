package results

import (
	"fmt"

	"cdpor/explore/history"
	"cdpor/lang/step"
)

// A Valuation computes what distinguishes one end of an execution from another: the values of observe at a normal end,
// and the state of a deadlock. Searches, and those who look for an end among Result.Outcomes and Result.Deadlocks,
// share this definition.
type Valuation struct {
	run     *step.Runner
	observe []func(*step.Runner, step.State) ([]int64, step.Fault)
	reader  *history.Reader // nil: there is no specification
	plain   step.State
}

// NewValuation makes a valuation. The error is an internal one.
func NewValuation(m *step.Machine) (*Valuation, error) {
	v := &Valuation{run: m.NewRunner()}
	for _, o := range m.Program.Observe {
		f, err := m.CompileValue(o.Expr)
		if err != nil {
			return nil, fmt.Errorf("observe %s: %w", o.Name, err)
		}
		v.observe = append(v.observe, f)
	}
	if m.Program.Spec != nil {
		v.reader = history.NewReader(m)
	}
	return v, nil
}

// Words appends the outcome of a state in which all processes have ended. A value that cannot be computed is an outcome
// of its own: all ones.
func (v *Valuation) Words(list []int64, s step.State) []int64 {
	for _, f := range v.observe {
		words, fault := f(v.run, s)
		if fault == step.NoFault {
			list = append(list, words...)
			continue
		}
		for range words {
			list = append(list, -1)
		}
	}
	return list
}

// Unrecorded is a state without what is recorded of operations, as states of deadlocks are told apart. It is valid
// until the next call.
func (v *Valuation) Unrecorded(s step.State) step.State {
	if v.reader == nil {
		return s
	}
	v.plain = append(v.plain[:0], s...)
	v.reader.Erase(v.plain)
	return v.plain
}
