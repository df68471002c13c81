package explore

import (
	"cmp"
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// A Verdict sums a search up. A violation beats incompleteness.
type Verdict string

const (
	OK         Verdict = "ok"         // everything was explored and nothing is wrong
	Bounded    Verdict = "bounded"    // nothing wrong was found within the bounds, which left something out
	Violated   Verdict = "violation"  // something is wrong, whether or not everything was explored
	Incomplete Verdict = "incomplete" // nothing wrong was found in the part that was explored
)

// Why a search stopped.
const (
	StoppedComplete   = "complete"
	StoppedExecutions = "execution limit"
	StoppedDepth      = "depth limit" // some executions were cut
	StoppedPreemption = "preemption bound"
	StoppedTime       = "timeout"      // the deadline of the context passed
	StoppedMemory     = "memory limit" // the context was done because of ErrMemory
	StoppedContext    = "interrupted"  // the context was done for another reason
)

// A Result is what a search found. A schedule is a list of actions (step.Machine.ProcOf, ChoiceOf): of processes, in a
// program without choice.
type Result struct {
	Algorithm string
	Verdict   Verdict
	Stopped   string
	Workers   int // how many have explored

	Executions int64 // complete ones: ended normally, deadlocked or failed
	Ended      int64 // of those, ended normally
	Deadlocked int64 // of those, deadlocked
	Failed     int64 // of those, with a failed process
	Dropped    int64 // executions in which an assumption failed and nothing else did; not among Executions
	Blocked    int64 // executions given up because everything enabled was asleep
	Cut        int64 // executions given up at the depth limit
	Barred     int64 // nodes at which the preemption bound forbade something
	Virtual    int64 // children not visited because all that is enabled there is asleep
	Nodes      int64 // nodes of the exploration tree, root included
	Events     int64 // steps executed
	MaxDepth   int   // events of the longest execution
	Races      int64 // races found

	Share float64 // while the search is under way: the part of it that is done, as a rough estimate; 0: unknown

	Sequences   int64             // sleep sequences found
	Compared    int64             // states compared to find them
	Compensated int64             // backtrack sets extended to make up for cut executions
	Unplanned   int64             // wakeup tree branches that could not be planned exactly; 0 unless the constraints are not uniform
	States      int64             // distinct states, of a stateful search
	Memory      int64             // bytes held for visited states, of a stateful search
	Symmetry    []Interchangeable `json:"-"` // templates with several threads, of a search that reduces symmetry
	Constraints ConstraintStats
	Pairs       []*PairStats // pairs of steps whose constraints were of use or at least asked, the most useful first

	Outcomes   Ends `json:"-"` // distinct valuations of Observe over normal ends, sorted by value
	Deadlocks  Ends `json:"-"` // distinct deadlocked states, in order of discovery
	Violations []*Violation
}

// ConstraintStats count the use of constraints.
type ConstraintStats struct {
	Static    int64 // pairs found independent because the constraint is true
	Evaluated int64 // evaluations of a constraint in a state
	Held      int64 // of those, how many held
	Removed   int64 // races that a constraint removed
}

// A ViolationKind says what was violated.
type ViolationKind string

const (
	FailedStep     ViolationKind = "failure"     // an assertion or a run-time error
	DeadlockFound  ViolationKind = "deadlock"    // although forbidden
	NoDeadlock     ViolationKind = "no deadlock" // although required
	FinalBroken    ViolationKind = "final"
	NotReached     ViolationKind = "not reachable"
	ReachedAnyway  ViolationKind = "reachable" // although declared unreachable
	InvariantFalse ViolationKind = "invariant"
	AlwaysBroken   ViolationKind = "always"
	StepBroken     ViolationKind = "transition"
	OutcomeMissing ViolationKind = "outcome missing"
	OutcomeExtra   ViolationKind = "outcome not listed"
)

// A Violation is a distinct violation with the first execution that showed it.
type Violation struct {
	Kind     ViolationKind
	Property *step.Property // final, not reachable, reachable, invariant, always, transition
	Proc     int            // failure, always, transition: whose step it was
	Fault    step.Fault     // failure: with what; also when a property could not be evaluated
	Node     *step.Node     // failure, always, transition: where; nil for an always that is false before the first step
	Words    []int64        // outcome missing or not listed: the valuation; deadlock: the state
	Count    int64          // executions that show it
	Schedule []int32        // nil when there is no execution to show (something is missing)
}

// results collects a Result during a search.
type results struct {
	Result
	m          *step.Machine
	run        *step.Runner
	observe    []valueFunc
	final      []property
	finalAny   []property
	reachable  []property
	unreach    []property
	invariants []property
	always     []property
	violations map[violationKey]*Violation
	falseFirst map[*step.Property]bool // what must always hold and does not before the first step
	words      []int64
	bytes      []byte // scratch: values and schedule of an end
	packed     []byte
	actions    []int32
	hook       func(step.State)
}

type valueFunc = func(*step.Runner, step.State) ([]int64, step.Fault)

type property struct {
	*step.Property
	holds   func(*step.Runner, step.State) (holds, ok bool)
	reads   step.Footprint
	reached bool
}

func newResults(m *step.Machine, a *Algorithm, hook func(step.State)) (*results, error) {
	r := &results{Result: Result{Algorithm: a.Name}, m: m, run: m.NewRunner(), hook: hook,
		violations: map[violationKey]*Violation{}}
	for _, o := range m.Program.Observe {
		f, err := m.CompileValue(o.Expr)
		if err != nil {
			return nil, fmt.Errorf("observe %s: %w", o.Name, err)
		}
		r.observe = append(r.observe, f)
	}
	compile := func(from []*step.Property) (to []property) {
		for _, p := range from {
			to = append(to, property{Property: p, holds: m.CompileCondition(p.Expr, -1, -1), reads: m.Reads(p.Expr)})
		}
		return
	}
	c := &m.Program.Checks
	r.final, r.finalAny = compile(c.Final), compile(c.FinalAny)
	r.reachable, r.unreach = compile(c.Reachable), compile(c.Unreachable)
	r.invariants, r.always = compile(m.Program.Invariants), compile(c.Always)
	r.falseFirst = map[*step.Property]bool{}
	for i := range r.always {
		holds, ok := r.always[i].holds(r.run, m.Initial())
		r.falseFirst[r.always[i].Property] = !holds || !ok
	}
	return r, nil
}

// A trail knows how the search came to the present state: it appends the actions to a list.
type trail interface{ schedule(list []int32) []int32 }

// state looks at a state the search has arrived at: invariants whose variables may have changed must hold. foot is the
// footprint of the step that led there, nil for the initial state: what must always hold is looked at there, and by the steps.
func (r *results) state(x trail, s step.State, foot step.Footprint) {
	if foot == nil {
		for i := range r.always {
			p := &r.always[i]
			if holds, ok := p.holds(r.run, s); !holds || !ok {
				r.violate(x, propertyViolation(AlwaysBroken, p, ok))
			}
		}
	}
	for i := range r.invariants {
		p := &r.invariants[i]
		if foot != nil && !step.Conflict(p.reads, foot) {
			continue
		}
		if holds, ok := p.holds(r.run, s); !holds || !ok {
			r.violate(x, propertyViolation(InvariantFalse, p, ok))
		}
	}
}

// A violationKey is what makes a violation distinct.
type violationKey struct {
	kind     ViolationKind
	property *step.Property
	proc     int
	fault    step.Fault // of a step
	node     *step.Node
	words    string
}

func (v *Violation) key() violationKey {
	k := violationKey{v.Kind, v.Property, v.Proc, v.Fault, v.Node, string(step.State(v.Words).Bytes())}
	if v.Node == nil { // of a property it does not matter whether it is false or cannot be evaluated
		k.fault = step.NoFault
	}
	return k
}

func propertyViolation(kind ViolationKind, p *property, ok bool) Violation {
	v := Violation{Kind: kind, Property: p.Property}
	if !ok {
		v.Fault = step.BadProperty
	}
	return v
}

// violate records a violation; a distinct one is kept with the present schedule.
func (r *results) violate(x trail, v Violation) *Violation {
	key := v.key()
	old := r.violations[key]
	if old == nil {
		old = &v
		old.Words = slices.Clone(v.Words)
		if x != nil {
			old.Schedule = x.schedule([]int32{}) // not nil, even if nothing has happened yet
		}
		r.violations[key] = old
		r.Violations = append(r.Violations, old)
	}
	old.Count++
	return old
}

// terminal records a state in which nothing is enabled.
func (r *results) terminal(x trail, s step.State) {
	end := r.m.EndingOf(s)
	if end == step.Cut {
		r.Dropped++
		return
	}
	r.Executions++
	if r.hook != nil {
		r.hook(s)
	}
	switch end {
	case step.Failed:
		r.Failed++
		r.failures(x, s)
		return
	case step.Deadlocked:
		r.Deadlocked++
		r.distinct(x, &r.Deadlocks, s)
		if r.m.Program.Checks.Deadlock == step.DeadlockForbidden {
			r.violate(x, Violation{Kind: DeadlockFound, Words: s})
		}
		r.check(x, r.finalAny, s)
		return
	}
	r.Ended++
	r.words = r.words[:0]
	for _, f := range r.observe {
		words, fault := f(r.run, s)
		if fault != step.NoFault { // a value that cannot be computed is an outcome of its own: all ones
			for range words {
				r.words = append(r.words, -1)
			}
			continue
		}
		r.words = append(r.words, words...)
	}
	r.distinct(x, &r.Outcomes, r.words)
	r.check(x, r.final, s)
	r.check(x, r.finalAny, s)
	for i := range r.unreach {
		p := &r.unreach[i]
		if holds, ok := p.holds(r.run, s); holds || !ok {
			r.violate(x, propertyViolation(ReachedAnyway, p, ok))
		}
	}
	for i := range r.reachable {
		if p := &r.reachable[i]; !p.reached {
			p.reached, _ = p.holds(r.run, s)
		}
	}
}

func (r *results) check(x trail, props []property, s step.State) {
	for i := range props {
		p := &props[i]
		if holds, ok := p.holds(r.run, s); !holds || !ok {
			r.violate(x, propertyViolation(FinalBroken, p, ok))
		}
	}
}

// distinct records an end with some values; if no other has them, with the present schedule.
func (r *results) distinct(x trail, list *Ends, words []int64) {
	r.bytes = encodeWords(r.bytes[:0], words)
	if i, isNew := list.count(r.bytes, 1); isNew {
		r.actions = x.schedule(r.actions[:0])
		r.packed = packSchedule(r.packed[:0], r.actions)
		list.keep(i, r.bytes, r.packed)
	}
}

// failures records the failed processes of a terminal state. The schedule of a failure ends with the step that failed. When several
// failed to keep the same property, only the first broke it: the others found it broken, as all do when it is false at the start.
func (r *results) failures(x trail, s step.State) {
	broken := map[*step.Property]bool{}
	for p := range r.m.NumProcs() {
		fault, node, failed := r.m.Failure(s, p)
		switch {
		case !failed:
		case node.Property != nil:
			broken[node.Property] = true
		default:
			r.failure(x, Violation{Kind: FailedStep, Proc: p, Fault: fault, Node: node})
		}
	}
	if len(broken) == 0 {
		return
	}
	last := map[int]int{} // the position of the last step of each process
	for i, a := range x.schedule(nil) {
		last[r.m.ProcOf(int(a))] = i
	}
	for _, list := range []struct {
		kind  ViolationKind
		props []*step.Property
	}{{AlwaysBroken, r.m.Program.Checks.Always}, {StepBroken, r.m.Program.Checks.Transition}} {
		for _, prop := range list.props {
			if !broken[prop] || r.falseFirst[prop] {
				continue
			}
			v := Violation{Kind: list.kind, Property: prop}
			for p := range r.m.NumProcs() {
				fault, node, failed := r.m.Failure(s, p)
				if failed && node.Property == prop && (v.Node == nil || last[p] < last[v.Proc]) {
					v.Proc, v.Node, v.Fault = p, node, fault
				}
			}
			if v.Fault != step.Assertion {
				v.Fault = step.BadProperty
			}
			r.failure(x, v)
		}
	}
}

func (r *results) failure(x trail, v Violation) {
	p := v.Proc
	if v := r.violate(x, v); v.Count == 1 {
		for k := len(v.Schedule); k > 0; k-- { // one that failed as it was started has no step
			if r.m.ProcOf(int(v.Schedule[k-1])) == p {
				v.Schedule = v.Schedule[:k]
				break
			}
		}
	}
}

// finish draws the conclusions that need the whole search. stop says why it ended early, if it did.
func (r *results) finish(stop string, pairs map[[2]*step.Step]*PairStats) *Result {
	r.Stopped, r.Share, r.Workers = stop, 0, 1
	switch {
	case stop != "":
	case r.Cut > 0:
		r.Stopped = StoppedDepth
	case r.Barred > 0:
		r.Stopped = StoppedPreemption
	default:
		r.Stopped = StoppedComplete
	}
	complete := r.Stopped == StoppedComplete
	r.Outcomes.sort()
	c := &r.m.Program.Checks
	if complete {
		for i := range r.reachable {
			if p := &r.reachable[i]; !p.reached {
				r.violate(nil, Violation{Kind: NotReached, Property: p.Property})
			}
		}
		if c.Deadlock == step.DeadlockRequired && r.Deadlocked == 0 {
			r.violate(nil, Violation{Kind: NoDeadlock})
		}
	}
	if c.Outcomes != nil {
		listed := map[string]bool{}
		for _, row := range c.Outcomes {
			values := encodeWords(nil, row)
			if listed[string(values)] = true; complete && !r.Outcomes.has(values) {
				r.violate(nil, Violation{Kind: OutcomeMissing, Words: row})
			}
		}
		for i := range r.Outcomes.Len() {
			if !listed[string(r.Outcomes.values(i))] { // there may be many, which are known to be distinct
				o := r.Outcomes.At(i)
				r.Violations = append(r.Violations, &Violation{Kind: OutcomeExtra, Words: o.Words, Count: o.Count, Schedule: o.Schedule})
			}
		}
	}
	r.profile(pairs)
	switch {
	case len(r.Violations) > 0:
		r.Verdict = Violated
	case complete:
		r.Verdict = OK
	case r.Stopped == StoppedContext:
		r.Verdict = Incomplete
	default:
		r.Verdict = Bounded
	}
	return &r.Result
}

// profile sums up the use of constraints.
func (r *results) profile(pairs map[[2]*step.Step]*PairStats) {
	for _, p := range pairs {
		if p.Static == 0 && p.Evaluated == 0 {
			continue
		}
		r.Pairs = append(r.Pairs, p)
		r.Constraints.Static += p.Static
		r.Constraints.Evaluated += p.Evaluated
		r.Constraints.Held += p.Held
		r.Constraints.Removed += p.Removed
	}
	slices.SortFunc(r.Pairs, func(a, b *PairStats) int {
		return cmp.Or(cmp.Compare(b.Removed+b.Static+b.Sequences, a.Removed+a.Static+a.Sequences),
			cmp.Compare(a.A.Name(), b.A.Name()), cmp.Compare(a.B.Name(), b.B.Name()))
	})
}
