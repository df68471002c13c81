package explore

import (
	"context"
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
)

// Causality finds what happens before what in executions that are given step by step, under the relation that a search
// with the same conditions uses.
type Causality struct{ x *executions.Search }

// NewCausality stands at the initial state of a machine. conditions are independence constraints; nil: none.
func NewCausality(m *step.Machine, conditions Conditions) (*Causality, error) {
	a := &Algorithm{Races: true, New: func(dpor.Settings) dpor.Strategy { return nil }}
	x, err := executions.New(context.Background(), m, a, Options{Conditions: conditions})
	if err != nil {
		return nil, err
	}
	return &Causality{x}, nil
}

// Take takes an action, which must be possible, and returns the positions of the steps of other processes that happen
// immediately before it, with nothing in between, ascending.
func (c *Causality) Take(action int) (before []int) {
	x := c.x
	x.Execute(action)
	e := &x.Stack[x.Depth].Event
	known := make([]int32, x.Procs)
	for j := x.Depth - 1; j >= 0; j-- {
		f := &x.Stack[j].Event
		if !happens.Covers(e.Clock, f) || happens.Covers(known, f) {
			continue
		}
		happens.Join(known, f.Clock)
		if f.Proc != e.Proc {
			before = append(before, j)
		}
	}
	x.Depth++
	slices.Reverse(before)
	return before
}

// Back undoes all but the first n steps.
func (c *Causality) Back(n int) { c.x.Depth = min(c.x.Depth, n) }
