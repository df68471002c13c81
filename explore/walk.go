package explore

import (
	"slices"

	"cdpor/explore/internal/results"
	"cdpor/lang/step"
)

// A Walk runs executions of a program one after the other, along schedules that its user chooses, and judges what they
// come to as a search does. It explores nothing, so it bounds neither processes nor actions.
type Walk struct {
	results *results.Collector
	m       *step.Machine
	run     *step.Runner
	initial step.State
	state   step.State
	before  step.State // scratch
	foot    step.Footprint
	path    []int32 // the actions so far
	enabled []int
}

// NewWalk makes a walk, under a name for Result.Algorithm. found is as Options.Found.
func NewWalk(m *step.Machine, name string, found func(*Violation) (more bool)) (*Walk, error) {
	r, err := results.NewCollector(m, &Algorithm{Name: name}, nil)
	if err != nil {
		return nil, err
	}
	r.Found = results.Once(found)
	w := &Walk{results: r, m: m, run: m.NewRunner(), initial: m.Initial(), state: make(step.State, m.Words()),
		before: make(step.State, m.Words()), foot: make(step.Footprint, m.FootprintWords())}
	w.run.Cover(r.Covered)
	w.Begin()
	r.Started(w, w.state)
	return w, nil
}

func (w *Walk) Schedule(list []int32) []int32 { return append(list, w.path...) }

// Begin goes to the initial state.
func (w *Walk) Begin() {
	copy(w.state, w.initial)
	w.path = w.path[:0]
}

// Events is the number of actions that the execution has so far.
func (w *Walk) Events() int { return len(w.path) }

// Enabled lists the processes that can take a step, in order; none at the end of an execution. The list is valid until
// it is called again.
func (w *Walk) Enabled() []int {
	w.enabled = w.enabled[:0]
	for p := range w.m.NumProcs() {
		if id := w.m.StepID(w.state, p); id >= 0 && (!w.m.Info(id).Guarded || w.run.Enabled(w.state, p)) {
			w.enabled = append(w.enabled, p)
		}
	}
	return w.enabled
}

// Alternatives are those from which an enabled process can choose in its next step.
func (w *Walk) Alternatives(proc int) step.Alternatives { return w.run.Alternatives(w.state, proc) }

// CanTake reports whether an action is possible.
func (w *Walk) CanTake(action int) bool { return w.run.CanTake(w.state, action) }

// Take takes an action, which is possible, and looks at what it has led to.
func (w *Walk) Take(action int) {
	r, p := w.results, w.m.ProcOf(action)
	id := w.m.StepID(w.state, p)
	copy(w.before, w.state)
	w.run.Take(w.state, action)
	w.path = append(w.path, int32(action))
	r.Events++
	r.MaxDepth = max(r.MaxDepth, len(w.path))
	if r.MayFail(w.state, p, id) {
		for _, v := range r.NewFailures(w.before, w.state, p) {
			r.Record(w, v)
		}
	}
	if len(r.Invariants) > 0 {
		r.CheckInvariants(w, w.state, w.run.Footprint(w.before, p, w.foot))
	}
}

// End judges the present state as the end of an execution, in which nothing is enabled, and says what kind of end it
// is.
func (w *Walk) End() step.Ending {
	w.results.Terminal(w, w.state)
	return w.m.EndingOf(w.state)
}

// Cut gives the execution up before its end.
func (w *Walk) Cut() { w.results.Cut++ }

// Violated reports whether something wrong has been found.
func (w *Walk) Violated() bool { return w.results.Violated }

// Finish sums up. stopped says why there are no more executions; it is not empty, so that nothing is concluded from
// what has not been met.
func (w *Walk) Finish(stopped string) *Result { return w.results.Finish(stopped, nil) }

// Judge runs one schedule and returns what is wrong in its execution, as a search records it: failures and invariants
// anywhere, the rest if it comes to the end of the program. A schedule that the program does not follow shows what it
// shows up to there.
func Judge(m *step.Machine, schedule []int32) ([]*Violation, error) {
	w, err := NewWalk(m, "", nil)
	if err != nil {
		return nil, err
	}
	for _, a := range schedule {
		if !w.CanTake(int(a)) {
			break
		}
		w.Take(int(a))
	}
	if len(w.Enabled()) == 0 {
		w.End()
	}
	return w.Finish(StoppedSimulation).Violations, nil
}

// Missing returns those of some violations that are not among others: of another kind, at another place, in another
// process or with other values.
func Missing(some, among []*Violation) []*Violation {
	return slices.DeleteFunc(slices.Clone(some), func(v *Violation) bool {
		return slices.ContainsFunc(among, func(o *Violation) bool { return o.Key() == v.Key() })
	})
}

// SoFar is the result so far, which must not be kept.
func (w *Walk) SoFar() *Result { return &w.results.Result }
