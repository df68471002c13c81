package explore

import "cdpor/lang/step"

// What a program claims and a search had no occasion to look at.

// Vacuous is the verdict when nothing wrong was found because nothing, or not everything that the program claims, was
// looked at (Result.Unchecked).
const Vacuous Verdict = "vacuous"

// An UncheckedKind says what was not looked at.
type UncheckedKind string

const (
	// NoEnd: no execution came to an end.
	NoEnd UncheckedKind = "no end"
	// AllDropped: assumptions dropped every execution that came to an end.
	AllDropped UncheckedKind = "all dropped"
	// NoNormalEnd: every execution that came to an end deadlocked or failed.
	NoNormalEnd UncheckedKind = "no normal end"
	// NotEvaluated: there was no state in which a property could be evaluated.
	NotEvaluated UncheckedKind = "not evaluated"
	// NoOperation: the program has a specification, and no execution that came to an end performed an operation.
	NoOperation UncheckedKind = "no operation"
	// NotEverywhere: an invariant was evaluated in some reachable states, and there are too many to look at all of
	// them.
	NotEverywhere UncheckedKind = "not everywhere"
	// OnlyDropped: what must be reachable holds at the end of dropped executions, and of no other.
	OnlyDropped UncheckedKind = "only in dropped executions"
)

// An Unchecked is something that was not looked at.
type Unchecked struct {
	Kind     UncheckedKind
	Section  string         // not evaluated: of check, such as "final"
	Property *step.Property // not evaluated, only in dropped executions
	Vacuous  bool           // it takes the verdict ok away
}

// unchecked lists what was not looked at. It depends on nothing that a reduction may change: on whether there are
// normal ends, deadlocks, failures and dropped executions, and on what the program declares.
func (r *results) unchecked() (list []Unchecked) {
	c := &r.m.Program.Checks
	everywhere := len(c.Always)+len(c.Transition)+len(r.m.Program.Invariants) > 0
	switch {
	case r.Executions == 0 && r.Dropped > 0:
		list = append(list, Unchecked{Kind: AllDropped, Vacuous: true})
	case r.Executions == 0:
		list = append(list, Unchecked{Kind: NoEnd, Vacuous: !everywhere})
	case r.Ended == 0:
		list = append(list, Unchecked{Kind: NoNormalEnd})
	}
	if r.linear != nil && r.Executions > 0 && !r.performed() {
		list = append(list, Unchecked{Kind: NoOperation, Vacuous: true})
	}
	missed := func(section string, from []*step.Property, evaluated int64) {
		for _, p := range from {
			if evaluated == 0 {
				list = append(list, Unchecked{Kind: NotEvaluated, Section: section, Property: p, Vacuous: true})
			}
		}
	}
	missed("final", c.Final, r.Ended)
	missed("final_any", c.FinalAny, r.Ended+r.Deadlocked)
	missed("unreachable", c.Unreachable, r.Ended)
	for i := range r.reachable {
		if p := &r.reachable[i]; !p.reached && p.dropped {
			list = append(list, Unchecked{Kind: OnlyDropped, Section: "reachable", Property: p.Property})
		}
	}
	return list
}

// dropped records a state at the end of an execution that an assumption dropped.
func (r *results) dropped(s step.State) {
	r.Dropped++
	for i := range r.reachable {
		if p := &r.reachable[i]; !p.dropped {
			p.dropped, _ = p.holds(r.run, s)
		}
	}
}

// judge sets the verdict, when violations and what was not looked at are known.
func (r *Result) judge() {
	r.Verdict = r.judgement()
	if r.Verdict != OK && r.Stopped != StoppedDepth && r.Stopped != StoppedPreemption || r.Verdict == Violated {
		return
	}
	for _, u := range r.Unchecked {
		if u.Vacuous {
			r.Verdict = Vacuous
		}
	}
}

// judgement is the verdict if it does not matter what was not looked at.
func (r *Result) judgement() Verdict {
	switch {
	case len(r.Violations) > 0:
		return Violated
	case r.Stopped == StoppedComplete:
		return OK
	case r.Stopped == StoppedContext, r.Stopped == StoppedCancelled, r.Stopped == StoppedPoison,
		r.Stopped == StoppedLost, r.Stopped == StoppedSimulation:
		return Incomplete
	}
	return Bounded
}

// AllowVacuous replaces the verdict Vacuous by what it would be if everything had been looked at.
func (r *Result) AllowVacuous() {
	if r.Verdict == Vacuous {
		r.Verdict = r.judgement()
	}
}
