package explore

import "cdpor/lang/step"

// Which actions are possible in a state is found from what was possible before the last event: it changes that for its
// own process, and for those whose step has a guard that may read what it wrote, or that it may have started.

// findEnabled finds out which actions are possible in a state, and for which processes, the open ones, the events of
// others may change that.
func findEnabled(m *step.Machine, r *step.Runner, s step.State, enabled, open *actionSet) {
	*enabled, *open = actionSet{}, actionSet{}
	for p := range m.NumProcs() {
		ask(m, r, s, p, enabled, open)
	}
}

// enabledActions sets a set to the actions that are possible in a state.
func enabledActions(m *step.Machine, r *step.Runner, s step.State, set *actionSet) {
	var open actionSet
	findEnabled(m, r, s, set, &open)
}

// updateEnabled turns what findEnabled has found into what it finds in the state s, to which the step of the process q
// with an id has led.
func updateEnabled(m *step.Machine, r *step.Runner, s step.State, q, id int, enabled, open *actionSet) {
	foot, others := m.FootprintAt(id), *open
	for p := open.next(0); p >= 0; p = open.next(p + 1) {
		if other := m.StepID(s, p); other >= 0 && !step.Conflict(foot, m.FootprintAt(other)) {
			others.remove(p)
		}
	}
	others.remove(q)
	updateAmong(m, r, s, q, &others, enabled, open)
}

// updateAmong is updateEnabled if the step can have changed what is possible for q and for some others, which were
// open.
func updateAmong(m *step.Machine, r *step.Runner, s step.State, q int, others, enabled, open *actionSet) {
	forget(m, q, enabled, open)
	ask(m, r, s, q, enabled, open)
	for p := others.next(0); p >= 0; p = others.next(p + 1) {
		if m.StepID(s, p) >= 0 && r.Enabled(s, p) == enabled.has(m.FirstAction(p)) {
			continue
		}
		forget(m, p, enabled, open)
		ask(m, r, s, p, enabled, open)
	}
}

// forget takes a process out of what findEnabled has found.
func forget(m *step.Machine, p int, enabled, open *actionSet) {
	open.remove(p)
	for a := m.FirstAction(p); a < m.NumActions() && enabled.has(a) && m.ProcOf(a) == p; a++ {
		enabled.remove(a)
	}
}

// ask finds out which actions of a process are possible, and whether the events of others may change that.
func ask(m *step.Machine, r *step.Runner, s step.State, p int, enabled, open *actionSet) {
	id := m.StepID(s, p)
	if id < 0 {
		if m.Asleep(s, p) {
			open.add(p)
		}
		return
	}
	if m.Guarded(id) {
		open.add(p)
		if !r.Enabled(s, p) {
			return
		}
	}
	first := m.FirstAction(p)
	for k := range r.Alternatives(s, p) {
		enabled.add(first + k)
	}
}
