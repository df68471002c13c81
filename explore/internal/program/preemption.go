package program

import (
	"cdpor/explore/internal/actionset"
	"cdpor/lang/step"
)

// Preempts reports whether an action of a process after one of another, last, is a preemption: last could go on.
func Preempts(m *step.Machine, enabled *actionset.Set, last, proc int) bool {
	return proc != last && EnabledOf(m, enabled, last) >= 0
}

// BeyondBound are those of some possible actions, after so many preemptions and an action of a process, last, that the
// preemption bound forbids: all of other processes, if there may be no more preemptions and last can go on.
func BeyondBound(m *step.Machine, enabled *actionset.Set, last, preemptions, most int) (forbidden actionset.Set) {
	if preemptions < most || EnabledOf(m, enabled, last) < 0 {
		return forbidden
	}
	for a := enabled.Next(0); a >= 0; a = enabled.Next(a + 1) {
		if m.ProcOf(a) != last {
			forbidden.Add(a)
		}
	}
	return forbidden
}
