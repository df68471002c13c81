package program

import (
	"cdpor/explore/internal/actionset"
	"cdpor/lang/step"
)

// Which actions are possible in a state is found from what was possible before the last event: it changes that for its
// own process, and for those whose step has a guard that may read what it wrote, or that it may have started.

// FindEnabled finds out which actions are possible in a state, and for which processes, the open ones, the events of
// others may change that.
func FindEnabled(m *step.Machine, r *step.Runner, s step.State, enabled, open *actionset.Set) {
	*enabled, *open = actionset.Set{}, actionset.Set{}
	for p := range m.NumProcs() {
		ask(m, r, s, p, enabled, open)
	}
}

// UpdateEnabled turns what FindEnabled has found into what it finds in the state s, to which the step of the process q
// with an id has led.
func UpdateEnabled(m *step.Machine, r *step.Runner, s step.State, q, id int, enabled, open *actionset.Set) {
	foot, others := m.Info(id).Widest, *open
	for p := open.Next(0); p >= 0; p = open.Next(p + 1) {
		if other := m.StepID(s, p); other >= 0 && !step.Conflict(foot, m.Info(other).Widest) {
			others.Remove(p)
		}
	}
	others.Remove(q)
	UpdateAmong(m, r, s, q, &others, enabled, open)
}

// UpdateAmong is UpdateEnabled if the step can have changed what is possible for q and for some others, which were
// open.
func UpdateAmong(m *step.Machine, r *step.Runner, s step.State, q int, others, enabled, open *actionset.Set) {
	forget(m, q, enabled, open)
	ask(m, r, s, q, enabled, open)
	for p := others.Next(0); p >= 0; p = others.Next(p + 1) {
		if id := m.StepID(s, p); id >= 0 && !m.Info(id).Selects && r.Enabled(s, p) == enabled.Has(m.FirstAction(p)) {
			continue
		}
		forget(m, p, enabled, open)
		ask(m, r, s, p, enabled, open)
	}
}

// forget takes a process out of what FindEnabled has found.
func forget(m *step.Machine, p int, enabled, open *actionset.Set) {
	open.Remove(p)
	for a := m.FirstAction(p); a < m.NumActions() && m.ProcOf(a) == p; a++ {
		enabled.Remove(a)
	}
}

// EnabledOf is the first action of a process in a set, -1 if there is none; nextOf is the next one of the same process.
func EnabledOf(m *step.Machine, set *actionset.Set, p int) int {
	a := m.FirstAction(p)
	if set.Has(a) {
		return a
	}
	return nextOf(m, set, a)
}

func nextOf(m *step.Machine, set *actionset.Set, a int) int {
	if m.NumActions() > m.NumProcs() {
		if b := set.Next(a + 1); b >= 0 && m.ProcOf(b) == m.ProcOf(a) {
			return b
		}
	}
	return -1
}

// ask finds out which actions of a process are possible, and whether the events of others may change that.
func ask(m *step.Machine, r *step.Runner, s step.State, p int, enabled, open *actionset.Set) {
	id := m.StepID(s, p)
	if id < 0 {
		if m.Asleep(s, p) {
			open.Add(p)
		}
		return
	}
	if m.Info(id).Guarded || m.Info(id).Selects {
		open.Add(p)
		if !r.Enabled(s, p) {
			return
		}
	}
	first := m.FirstAction(p)
	for k := range r.Alternatives(s, p).All() {
		enabled.Add(first + k)
	}
}
