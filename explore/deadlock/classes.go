package deadlock

import (
	"cdpor/explore/internal/symmetry"
	"cdpor/lang/step"
)

// Classes numbers deadlocked states, from 0 in the order of their first members: two have one number if they are the
// same but for which of the interchangeable threads is which (Ip and Dill 1996).
func Classes(m *step.Machine, states []step.State) []int {
	if len(states) < 2 {
		return make([]int, len(states))
	}
	return symmetry.New(m).Classes(states)
}
