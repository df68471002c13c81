package future

import "cdpor/lang/step"

// Ahead tells what processes may still do in states of a machine, by abstract execution of the program text (THEORY,
// "Sleep sequences"). It is for one goroutine.
type Ahead struct{ x *Analysis }

// NewAhead looks through the program of a machine.
func NewAhead(m *step.Machine) *Ahead {
	return &Ahead{New(m, func(int, int) bool { return false })}
}

// An AheadStep is a step that may still be taken, with at least the locations that it may touch then.
type AheadStep struct {
	Step      *step.Step
	Footprint step.Footprint
	// Started says that it is a step not of the process itself, but of one that it starts, directly or not.
	Started bool
}

// Of lists at least the steps that a process may still take in a state, the one it stands at included, and those of
// what it may start. A process without a next step has none.
func (f *Ahead) Of(s step.State, proc int) (list []AheadStep) {
	id := f.x.m.StepID(s, proc)
	if id < 0 {
		return nil
	}
	for _, r := range f.x.interpret(s, proc, id).roles {
		for _, k := range r.steps {
			a := AheadStep{r.template.Steps[k], make(step.Footprint, f.x.m.FootprintWords()), r.proc < 0}
			f.x.m.FootprintOver(a.Step, r, a.Footprint, a.Footprint)
			list = append(list, a)
		}
	}
	return list
}
