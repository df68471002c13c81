package results

import (
	"cmp"
	"slices"

	"cdpor/lang/step"
)

// What a program claims, and what a search has to say of each claim: something violates it (Result.Violations), it was
// checked and holds (Result.Held), or there was no occasion to check it (Result.Unchecked). README, "What nothing came
// to".

// Vacuous is the verdict when nothing wrong was found because nothing, or not everything that the program claims, was
// looked at (Result.Unchecked).
const Vacuous Verdict = "vacuous"

// A Claim is something that a program claims of its executions or states.
type Claim struct {
	Section   string          // of check, such as "final"; else "invariant", "assert" or "spec", or of Go
	Property  *step.Property  // of those that are conditions, but for assertions
	Node      *step.Node      // of an assertion
	Operation *step.Operation // of a specification
}

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
	// NotPerformed: none performed this operation.
	NotPerformed UncheckedKind = "not performed"
	// NotEverywhere: an invariant was evaluated in some reachable states, and there are too many to look at all of
	// them.
	NotEverywhere UncheckedKind = "not everywhere"
	// OnlyDropped: what must be reachable holds at the end of dropped executions, and of no other.
	OnlyDropped UncheckedKind = "only in dropped executions"
	// NotReachedYet: what must be reachable holds at the end of no execution, and some fail before they come to theirs.
	NotReachedYet UncheckedKind = "not reached yet"
	// NeverReached: no execution comes to an assertion, or to an access that could be part of a data race.
	NeverReached UncheckedKind = "never reached"
	// OnlyAtStart: what must always hold was looked at in the initial state alone, because no step that is taken
	// writes what it reads.
	OnlyAtStart UncheckedKind = "only at the start"
	// NothingToDo: what must hold eventually holds at the start, what must lead to something never holds, or what must
	// hold from some time on holds in every state.
	NothingToDo UncheckedKind = "nothing to do"
	// TestSkipped: the test skips itself in every execution.
	TestSkipped UncheckedKind = "skipped"
	// NeverRun: no execution takes some steps. That is a remark on the program, of no claim.
	NeverRun UncheckedKind = "never run"
)

// An Unchecked is something that was not looked at.
type Unchecked struct {
	Kind UncheckedKind
	Claim
	Steps   []*step.Step // never run, in the order of the text
	Unsure  bool         // of what is never reached or run: the search may have left out an execution that comes there
	Vacuous bool         // it takes the verdict ok away
}

// Weigh says of each claim whether it was checked and holds. It depends on nothing that a reduction may change: on
// whether there are normal ends, deadlocks, failures and dropped executions, on which operations are performed, and on
// which steps and assertions some execution comes to; where a search may have missed that, settle has looked.
func (r *Result) Weigh() {
	if r.machine == nil {
		return
	}
	p := r.machine.Program
	r.Held, r.Unchecked = nil, nil
	r.weighWhole(&p.Checks)
	whole := r.Held
	r.Held = nil
	switch {
	case r.Executions == 0 && r.Dropped > 0:
		r.miss(AllDropped, Claim{})
	case r.Executions == 0:
		r.miss(NoEnd, Claim{})
	case r.Ended == 0:
		r.miss(NoNormalEnd, Claim{})
	}
	r.weighEnds(&p.Checks)
	r.weighStates(p)
	r.Held = append(r.Held, whole...)
	if p.Native() {
		r.weighGo(p)
	} else {
		r.weighAssertions(p)
	}
	r.weighSpec(p)
	complete := r.Stopped == StoppedComplete && !p.Native()
	if complete && p.Checks.Deadlock == step.DeadlockForbidden ||
		p.Checks.Deadlock == step.DeadlockRequired && r.Deadlocked > 0 {
		r.hold(Claim{Section: "deadlock"})
	}
	if complete && r.Covered != nil {
		r.neverRun(p)
	}
	if r.everywhere != nil && !r.everywhere.Complete {
		for _, q := range p.Invariants {
			r.miss(NotEverywhere, Claim{Section: "invariant", Property: q})
		}
	}
	if r.Fails() && r.Ended+r.Deadlocked == 0 {
		r.Held = nil // nothing is known of what would follow
	}
	r.takeAway()
}

// Fails reports whether some execution fails: what would follow is not looked at.
func (r *Result) Fails() bool {
	return slices.ContainsFunc(r.Violations, func(v *Violation) bool {
		return v.Kind == FailedStep || v.Kind == AlwaysBroken || v.Kind == StepBroken
	})
}

func (r *Result) miss(kind UncheckedKind, c Claim) {
	unsure := (kind == NeverReached || kind == OnlyAtStart) && !r.CoveredAll
	r.Unchecked = append(r.Unchecked, Unchecked{Kind: kind, Claim: c, Unsure: unsure})
}

// hold notes a claim that was checked, unless something violates it.
func (r *Result) hold(c Claim) {
	if !slices.ContainsFunc(r.Violations, func(v *Violation) bool { return v.violates(&c) }) {
		r.Held = append(r.Held, c)
	}
}

// violates reports whether a violation is one of a claim.
func (v *Violation) violates(c *Claim) bool {
	switch c.Section {
	case "assert":
		return v.Node != nil && v.Property == nil && v.Node.Pos == c.Node.Pos && v.Fault == step.Assertion
	case "deadlock":
		return v.Kind == DeadlockFound || v.Kind == NoDeadlock
	case "outcomes":
		return v.Kind == OutcomeMissing || v.Kind == OutcomeExtra
	case "spec":
		return v.Kind == NotLinear
	case "races":
		return v.Fault == step.Race
	case "termination":
		return v.Kind == NoWayToEnd || v.Kind == Endless
	}
	return v.Property == c.Property
}

// weighEnds is about what is looked at where executions end.
func (r *Result) weighEnds(c *step.Checks) {
	for _, s := range []struct {
		section   string
		list      []*step.Property
		evaluated int64
	}{
		{"final", c.Final, r.Ended}, {"final_any", c.FinalAny, r.Ended + r.Deadlocked},
		{"unreachable", c.Unreachable, r.Ended},
	} {
		for _, p := range s.list {
			if claim := (Claim{Section: s.section, Property: p}); s.evaluated == 0 {
				r.miss(NotEvaluated, claim)
			} else {
				r.hold(claim)
			}
		}
	}
	for i, p := range c.Reachable {
		switch claim := (Claim{Section: "reachable", Property: p}); {
		case r.reached[i]:
			r.hold(claim)
		case r.inDropped[i]:
			r.miss(OnlyDropped, claim)
		case r.Fails():
			r.miss(NotReachedYet, claim)
		}
	}
	if c.Outcomes != nil && r.Stopped == StoppedComplete {
		r.hold(Claim{Section: "outcomes"})
	}
}

// weighStates is about what must hold in every state, or for every step. The steps that may break it look at it
// themselves; of an invariant the search looks at it behind the steps that may.
func (r *Result) weighStates(p *step.Program) {
	if r.Covered == nil || p.Native() {
		return
	}
	looked := map[*step.Property]bool{}
	race, races := false, false
	for _, t := range p.Templates {
		for k, n := range t.Nodes {
			if !n.ChecksClaim() {
				continue
			}
			came := r.machine.Of(r.Covered, t, k) != 0
			if n.Fault == step.Race {
				races, race = true, race || came
			} else if n.Property != nil {
				looked[n.Property] = looked[n.Property] || came
			}
		}
	}
	for _, q := range p.Invariants {
		looked[q] = r.writes(r.machine.Reads(q.Expr))
	}
	for _, s := range []struct {
		section string
		list    []*step.Property
	}{{"always", p.Checks.Always}, {"transition", p.Checks.Transition}, {"invariant", p.Invariants}} {
		for _, q := range s.list {
			if claim := (Claim{Section: s.section, Property: q}); looked[q] {
				r.hold(claim)
			} else if !slices.ContainsFunc(r.Violations, func(v *Violation) bool { return v.violates(&claim) }) {
				r.miss(OnlyAtStart, claim)
			}
		}
	}
	if claim := (Claim{Section: "races"}); p.Checks.RacesForbidden && races && !race {
		r.miss(NeverReached, claim)
	} else if p.Checks.RacesForbidden {
		r.hold(claim)
	}
}

// writes reports whether a step that was taken may write something of a footprint.
func (r *Result) writes(reads step.Footprint) bool {
	for id := range r.machine.NumSteps() {
		_, s := r.machine.StepAt(id)
		if r.machine.Ran(r.Covered, s) && step.Conflict(reads, r.machine.Info(id).Widest) {
			return true
		}
	}
	return false
}

// weighWhole is about executions as a whole.
func (r *Result) weighWhole(c *step.Checks) {
	l := r.Liveness
	if l == nil || l.Open != "" {
		return
	}
	judge := func(section string, p *step.Property) {
		claim := Claim{Section: section, Property: p}
		if slices.Contains(l.Idle, p) {
			r.miss(NothingToDo, claim)
		} else {
			r.hold(claim)
		}
	}
	if l.Properties > 0 {
		for _, p := range c.Eventually {
			judge("eventually", p)
		}
		for _, p := range c.LeadsTo {
			judge("leads_to", p.Property)
		}
		for _, p := range c.Stabilises {
			judge("eventually_always", p)
		}
	}
	if l.Termination != nil && c.TerminationPos != (step.Pos{}) {
		r.hold(Claim{Section: "termination"})
	}
}

// weighAssertions is about assertions in the code. One that is written out several times, for calls, is one. An
// assertion that cannot hold claims that nothing comes to it: so it holds where nothing does.
func (r *Result) weighAssertions(p *step.Program) {
	if r.Covered == nil {
		return
	}
	var list []*step.Node
	reached := map[step.Pos]bool{}
	for _, t := range p.Templates {
		for k, n := range t.Nodes {
			if !n.ChecksClaim() || n.Fault != step.Assertion || n.Property != nil {
				continue
			}
			if _, known := reached[n.Pos]; !known {
				list = append(list, n)
			}
			reached[n.Pos] = reached[n.Pos] || r.machine.Of(r.Covered, t, k) != 0
		}
	}
	slices.SortStableFunc(list, func(a, b *step.Node) int { return InText(a.Pos, b.Pos) })
	for _, n := range list {
		if claim := (Claim{Section: "assert", Node: n}); reached[n.Pos] || n.Cond.Number(0) {
			r.hold(claim)
		} else {
			r.miss(NeverReached, claim)
		}
	}
}

// weighGo is about what goes without saying of a Go program. Of a test that skips itself nothing is said, nor of a
// program no execution of which came to its end.
func (r *Result) weighGo(p *step.Program) {
	switch {
	case r.Executions == 0:
		return
	case r.skips(p):
		r.miss(TestSkipped, Claim{Section: "test"})
		return
	}
	broken := map[string]bool{}
	for _, v := range slices.Concat(r.Violations, r.Excused) {
		broken[r.goSection(v)] = true
	}
	claimed := map[string]bool{"deadlock": true, "leak": p.Entry != nil && !p.Entry.Ends,
		"races": p.Checks.RacesForbidden, "panic": true, "test": p.Asserts()}
	for _, section := range GoSections {
		if claimed[section] && !broken[section] {
			r.Held = append(r.Held, Claim{Section: section})
		}
	}
}

// GoSections are the properties that are checked of a Go program.
var GoSections = []string{"deadlock", "leak", "races", "panic", "test"}

// goSection is which of them a violation of a Go program is about.
func (r *Result) goSection(v *Violation) string {
	e := r.machine.Program.Entry
	switch {
	case v.Kind == DeadlockFound && e != nil && r.machine.Finished(v.Words, e.Proc):
		return "leak"
	case v.Kind != FailedStep:
		return "deadlock"
	case v.Fault == step.Race:
		return "races"
	case v.Fault == step.Assertion:
		return "test"
	}
	return "panic"
}

// skips reports whether a test that may skip itself does so in every execution.
func (r *Result) skips(p *step.Program) bool {
	if r.Covered == nil || r.Ended == 0 {
		return false
	}
	came := map[string]bool{}
	for _, t := range p.Templates {
		for k, n := range t.Nodes {
			if n.ChecksClaim() {
				came[n.Msg] = came[n.Msg] || r.machine.Of(r.Covered, t, k) != 0
			}
		}
	}
	return came[step.TestSkips] && !came[step.TestSkipsNot]
}

// weighSpec is about operations.
func (r *Result) weighSpec(p *step.Program) {
	switch {
	case p.Spec == nil || r.Executions == 0:
		return
	case !slices.Contains(r.performed, true):
		r.miss(NoOperation, Claim{Section: "spec"})
		return
	}
	r.hold(Claim{Section: "spec"})
	for i, performed := range r.performed {
		if !performed {
			r.miss(NotPerformed, Claim{Section: "spec", Operation: p.Spec.Operations[i]})
		}
	}
}

// InText compares places in a program.
func InText(a, b step.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// neverRun lists the steps that no execution takes, or none of those that were explored.
func (r *Result) neverRun(p *step.Program) {
	var never []*step.Step
	for _, t := range p.Templates {
		for _, s := range t.Steps {
			if t.Count > 0 && !r.machine.Ran(r.Covered, s) {
				never = append(never, s)
			}
		}
	}
	if len(never) > 0 {
		slices.SortStableFunc(never, func(a, b *step.Step) int { return InText(a.Pos, b.Pos) })
		r.Unchecked = append(r.Unchecked, Unchecked{Kind: NeverRun, Steps: never, Unsure: !r.CoveredAll})
	}
}

// takeAway says which of what was not checked takes the verdict ok away: that executions were dropped, and what is
// never evaluated because no execution ends as it would have to; that none ends, unless something holds that is not
// about ends; and the rest if nothing holds that the program claims. open says that there is something of which it is
// not decided whether it holds, or whether there is an occasion to look.
func (r *Result) takeAway() {
	open := r.Liveness != nil && r.Liveness.Open != "" && r.machine.Program.Checks.Live() ||
		r.Stopped != StoppedComplete && slices.ContainsFunc(r.Unchecked, func(u Unchecked) bool { return u.Unsure })
	claimed := slices.ContainsFunc(r.Held, func(h Claim) bool {
		return !(h.Section == "deadlock" && r.machine.Program.Checks.DeadlockPos == step.Pos{})
	})
	apart := slices.ContainsFunc(r.Held, func(h Claim) bool {
		return slices.Contains([]string{"always", "transition", "invariant", "eventually", "leads_to",
			"eventually_always", "assert", "races"}, h.Section)
	})
	for i := range r.Unchecked {
		u := &r.Unchecked[i]
		switch u.Kind {
		case AllDropped, NotEvaluated, NoOperation, TestSkipped:
			u.Vacuous = true
		case NoEnd:
			u.Vacuous = !apart && !open
		case NotPerformed, NeverReached, OnlyAtStart, NothingToDo:
			u.Vacuous = !claimed && !open
		}
	}
}

// SetVerdict sets the verdict, when violations and what was not looked at are known.
func (r *Result) SetVerdict() {
	if r.Verdict = r.judgement(); r.Verdict == Violated {
		return
	}
	switch r.Stopped {
	case StoppedComplete, StoppedDepth, StoppedPreemption:
		if slices.ContainsFunc(r.Unchecked, func(u Unchecked) bool { return u.Vacuous }) {
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
		switch l := r.Liveness; {
		case l != nil && l.Open == StoppedContext:
			return Incomplete
		case l != nil && l.Open != "", r.everywhere != nil && !r.everywhere.Complete:
			return Bounded
		}
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
