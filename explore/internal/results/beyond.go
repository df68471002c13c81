package results

import (
	"slices"

	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// What else is found out about a program than ends and violations.

// A Liveness has the verdicts on executions as a whole.
type Liveness struct {
	// Counting, Executions and Entered say why executions end when no state graph was needed for that: every loop
	// counts (liveness.Counts), a search of so many executions that compares no states has come to its end, or one
	// that stops at visited states, and entered so many, has come to no state twice in one execution.
	Counting   bool
	Executions int64
	Entered    int64
	States     int // of the graph; 0: there is none
	Edges      int
	Bytes      int64  // of memory that it took
	Open       string // why nothing was decided: StoppedGraph, or why a search stops; empty if all was
	Limit      int    // how many states the graph could have
	Properties int    // eventually, leads_to and eventually_always that were judged
	// Idle are those of them that ask nothing: what must hold eventually holds at the start, what must lead to
	// something never holds, or what must hold from some time on holds in every state.
	Idle []*step.Property

	// Termination is nil if it was not looked for, or not decided without a graph.
	Termination *liveness.Termination
	// Fairness is the assumption about the scheduler for eventually and leads_to.
	Fairness   liveness.Fairness
	Violations []*Violation
}

// ShowsEnds notes that the search shows that all executions end, if by says so and no process has spun.
func (r *Result) ShowsEnds(by bool, l Liveness) {
	if by && r.Stopped == StoppedComplete && r.Spinning == 0 {
		l.Termination = &liveness.Termination{}
		r.Ends = &l
	}
}

// An InvariantCheck is the result of evaluating invariants in every state.
type InvariantCheck struct {
	States     int64 // looked at
	Complete   bool  // these are all
	Violations []*Violation
}

// addCoverage adds what another worker, or an earlier part of the search, has gone through.
func (r *Collector) addCoverage(c step.Coverage) {
	if r.Covered != nil {
		r.Covered.Add(c)
	}
}

// restoreCoverage takes up what was gone through before the search was interrupted, if it was noted.
func (r *Collector) restoreCoverage(c step.Coverage) {
	if r.Covered == nil {
		return
	}
	if len(c) != len(r.Covered) {
		r.unnoted = true
		return
	}
	r.addCoverage(c)
}

// Unsettled is the machine of a search that came to its end without coming to something, and may have left out an
// execution that does; nil if there is nothing to look for.
func (r *Result) Unsettled() *step.Machine {
	if r.Stopped != StoppedComplete || r.machine == nil || r.Covered == nil || r.CoveredAll || r.CoveredStates > 0 ||
		r.machine.Program.Native() || !r.cameShort() {
		return nil
	}
	return r.machine
}

// cameShort reports whether there is something that the search has not come to.
func (r *Result) cameShort() bool {
	if slices.ContainsFunc(r.Unchecked, func(u Unchecked) bool { return u.Unsure }) {
		return true
	}
	for _, t := range r.machine.Program.Templates {
		never := func(s *step.Step) bool { return !r.machine.Ran(r.Covered, s) }
		if t.Count > 0 && slices.ContainsFunc(t.Steps, never) {
			return true
		}
	}
	return false
}

// Judge adds what was found out about executions as a whole to the result of a search, whose verdict it may change.
func (r *Result) Judge(l *Liveness) {
	if r.Liveness = l; l == nil {
		return
	}
	for _, v := range l.Violations {
		copied := *v
		r.Violations = append(r.Violations, &copied)
	}
	r.Weigh()
	r.SetVerdict()
}

// AddViolation adds what was found by other means than the search.
func (r *Result) AddViolation(v *Violation) {
	r.Violations = append(r.Violations, v)
	r.Weigh()
	r.SetVerdict()
}

// AddInvariants adds what a look at every state has found to the result of a search that does not come to all of them,
// and whose verdict it may change.
func (r *Result) AddInvariants(c *InvariantCheck) {
	known := map[*step.Property]bool{}
	for _, v := range r.Violations {
		known[v.Property] = true
	}
	for _, v := range c.Violations {
		if !known[v.Property] {
			copied := *v
			r.Violations = append(r.Violations, &copied)
		}
	}
	r.everywhere = c
	r.Weigh()
	r.SetVerdict()
}
