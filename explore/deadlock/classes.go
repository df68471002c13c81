package deadlock

import (
	"slices"

	"cdpor/explore/internal/symmetry"
	"cdpor/lang/step"
)

// Classes numbers deadlocked states, from 0 in the order of their first members: two have one number if they are the
// same but for which of the interchangeable threads is which (Ip and Dill 1996).
func Classes(m *step.Machine, states []step.State) []int {
	if len(states) < 2 {
		return make([]int, len(states))
	}
	states = slices.Clone(states)
	for i, p := range m.Program.Procs {
		if p.Template.Crasher { // it has ended: what it chose is what it wrote
			for k, s := range states {
				states[k] = slices.Clone(s)
				clear(states[k][m.LocalBase(i):][:p.Template.LocalWords])
			}
		}
	}
	return symmetry.AtEnds(m).Classes(states)
}
