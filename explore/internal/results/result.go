package results

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/outcomes"
	"cdpor/explore/internal/stateset"
	"cdpor/explore/internal/symmetry"
	"cdpor/lang/step"
)

// A Verdict sums a search up. A violation beats incompleteness; Vacuous (claims.go) is one, too.
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
	StoppedBounds     = "bounds of the program" // of its front end, such as how many goroutines a loop may start
	StoppedTime       = "timeout"               // the deadline of the context passed
	StoppedMemory     = "memory limit"          // the context was done because of ErrMemory
	StoppedContext    = "interrupted"           // the context was done for another reason
	StoppedFirst      = "first violation"       // Options.StopAtFirst
	StoppedEnough     = "enough violations"     // who ran the search has ended it because something wrong was found
	StoppedCancelled  = "cancelled"             // of a cluster: a user has ended the job
	StoppedPoison     = "poison task"           // of a cluster: who works on a part of the search dies, or hangs
	StoppedLost       = "log lost"              // of a cluster: the server has lost records
	StoppedSimulation = "simulation"            // a Walk has run as many schedules as were wanted
)

// Counts count what a search of executions has done.
type Counts = dpor.Counts

// A Result has the findings and counts of a search. A schedule is a list of actions (step.Machine.ProcOf, ChoiceOf): of
// processes, in a program without choice.
type Result struct {
	Algorithm string
	Verdict   Verdict
	Stopped   string
	Workers   int // how many have explored
	Unread    int // of a cluster: records of the log that could not be read, or did not fit

	Counts           // of a search of executions; Executions also of one of states
	Ended      int64 // of its Executions, ended normally
	Deadlocked int64 // of those, deadlocked
	Failed     int64 // of those, with a failed process
	Dropped    int64 // executions in which an assumption failed and nothing else did; not among Executions
	Cut        int64 // executions given up at the depth limit
	Barred     int64 // nodes at which the preemption bound forbade something
	Events     int64 // steps executed
	Races      int64 // races found

	Constrained bool // constraints were in use when the search ended
	// Ends says how executions end as far as the search shows it, without lassos; nil: nothing.
	Ends      *Liveness `json:"-"`
	Decisions []string  // of auto: what was done when, and why, in words

	Share float64 // while the search is under way: the part of it that is done, as a rough estimate; 0: unknown

	// Distinct states, of a stateful search; states entered, of one that stops at visited states.
	States      int64
	Revisits    int64             // nodes given up because their state has been explored
	Cycles      int64             // nodes given up because their state is on the stack
	Stretch     Stretch           // of a search without visited states: how many states are new; see Advice
	Growing     []Growing         // of a search with long executions: variables that take ever new values
	Memory      int64             // bytes held for visited states, of a stateful search
	Symmetry    []Interchangeable `json:"-"` // templates with several threads, of a search that reduces symmetry
	Constraints happens.Uses
	// Pairs of steps whose constraints were of use or at least asked, the most useful first.
	Pairs []*happens.PairStats

	Outcomes   OutcomeSet `json:"-"` // distinct valuations of Observe over normal ends, sorted by value
	Deadlocks  OutcomeSet `json:"-"` // distinct deadlocked states, in order of discovery
	Histories  OutcomeSet `json:"-"` // distinct histories of operations, if there is a specification (package history)
	Violations []*Violation
	Excused    []*Violation `json:"-"` // that do not count (Excuse)
	Held       []Claim      `json:"-"` // what was checked, and holds in what was explored
	Unchecked  []Unchecked  `json:"-"` // what the search had no occasion to look at
	Unreleased []Unreleased `json:"-"` // mutexes that processes held when they ended, when the search is over

	// Covered is the coverage of the explored executions, of a machine that notes it. CoveredAll: no execution covers
	// more; CoveredStates is the number of states that Cover has looked at.
	Covered       step.Coverage `json:"-"`
	CoveredAll    bool          `json:"-"`
	CoveredStates int64         `json:"-"`
	// NotLinearizable is how many of Histories are not, when the search is over.
	NotLinearizable int64
	Liveness        *Liveness `json:"-"` // what was found out about it; nil if nothing was looked for

	// What claims are weighed by (claims.go).
	machine    *step.Machine
	reached    []bool          // per property of check.reachable
	inDropped  []bool          // it holds at the end of an execution that an assumption dropped
	performed  []bool          // per operation of the specification
	everywhere *InvariantCheck // nil: invariants were looked at wherever the search came, or are proved
}

// Interchangeable says of a template with several threads whether these can be taken for each other.
type Interchangeable = symmetry.Interchangeable

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
	NotLinear      ViolationKind = "not linearizable"
	NoWayToEnd     ViolationKind = "no way to end" // an execution comes to where none of its continuations ends
	// An execution need not end although the scheduler is fair, as is required.
	Endless      ViolationKind = "endless"
	NeverHolds   ViolationKind = "eventually"
	NeverFollows ViolationKind = "leads to"
	NeverStays   ViolationKind = "eventually always"
)

// An Outcome is a distinct end.
type Outcome = outcomes.Outcome

// An OutcomeSet is a set of outcomes, each with values of its own. There may be millions of them, so they are kept as
// bytes: about 60 for each, plus one for each event of its schedule.
type OutcomeSet struct {
	Set     outcomes.Set
	counted int // how many there are, if the set does not have them
}

// Len is the number of ends.
func (e OutcomeSet) Len() int { return max(e.Set.Len(), e.counted) }

// At is the end of a number: outcomes are in the order of their values, deadlocks in that of discovery.
func (e OutcomeSet) At(i int) Outcome { return e.Set.At(i) }

// Read is At that uses the slices of another outcome again.
func (e OutcomeSet) Read(i int, o *Outcome) { e.Set.Read(i, o) }

// All are all ends with their numbers.
func (e OutcomeSet) All() iter.Seq2[int, Outcome] { return e.Set.All() }

// A Violation is a distinct violation with the first execution that showed it.
type Violation struct {
	Kind     ViolationKind
	Property *step.Property // final, not reachable, reachable, invariant, always, transition
	Proc     int            // failure, always, transition: whose step it was
	Fault    step.Fault     // failure: with what; also when a property could not be evaluated
	Node     *step.Node     // failure, always, transition: where; nil for an always that is false before the first step
	Words    []int64        // outcome missing or not listed: the valuation; deadlock: the state
	// Count is how many complete executions show it, of an invariant how many steps. It is 0 if no execution that
	// shows it came to its end: beside a thread that never ends, or because all that did were cut.
	Count int64
	// Schedule shows it first; a failure is its last step. It is nil when there is no execution to show (something is
	// missing).
	Schedule []int32
	// Cycle goes on for ever behind the schedule: of violations that only an execution without an end shows.
	Cycle []int32
}

// A Collector collects a Result during a search.
type Collector struct {
	Result
	M          *step.Machine
	run        *step.Runner
	Outcome    *Valuation
	final      []property
	finalAny   []property
	Reachable  []property
	unreach    []property
	Invariants []property
	always     []property
	violations map[violationKey]*Violation
	FalseFirst map[*step.Property]bool // what must always hold and does not before the first step
	words      []int64
	bytes      []byte // scratch: values and schedule of an end
	packed     []byte
	actions    []int32
	preludes   []int       // processes that may fail as they are started
	failed     []Violation // scratch
	hook       func(step.State)
	listed     map[string]bool       // the outcomes of check.outcomes; nil: any is allowed
	Found      func(*Violation) bool // Options.Found, or nil
	Violated   bool                  // something wrong has been found since the search began or was resumed
	EveryWay   bool                  // see coverage.go
	unnoted    bool                  // some of the search is not in Covered
	Linear     *linear               // nil: there is no specification
	mutexes    []int                 // shared words
	unreleased map[[2]int]int64      // executions, by process and word
}

type property struct {
	*step.Property
	holds   func(*step.Runner, step.State) (holds, ok bool)
	reads   step.Footprint
	reached bool
	Dropped bool // it holds at the end of an execution that an assumption dropped
}

func NewCollector(m *step.Machine, a *dpor.Algorithm, hook func(step.State)) (*Collector, error) {
	r := &Collector{Result: Result{Algorithm: a.Name, Covered: m.NewCoverage()}, M: m, run: m.NewRunner(), hook: hook,
		violations: map[violationKey]*Violation{}}
	var err error
	if r.Outcome, err = NewValuation(m); err != nil {
		return nil, err
	}
	compile := func(from []*step.Property) (to []property) {
		for _, p := range from {
			to = append(to, property{Property: p, holds: m.CompileCondition(p.Expr, -1, -1), reads: m.Reads(p.Expr)})
		}
		return
	}
	c := &m.Program.Checks
	r.final, r.finalAny = compile(c.Final), compile(c.FinalAny)
	r.Reachable, r.unreach = compile(c.Reachable), compile(c.Unreachable)
	r.Invariants, r.always = compile(m.Program.Invariants), compile(c.Always)
	r.FalseFirst = map[*step.Property]bool{}
	for i := range r.always {
		holds, ok := r.always[i].holds(r.run, m.Initial())
		r.FalseFirst[r.always[i].Property] = !holds || !ok
	}
	if c.Outcomes != nil {
		r.listed = map[string]bool{}
		for _, row := range c.Outcomes {
			r.listed[string(stateset.EncodeWords(nil, row))] = true
		}
	}
	for p, proc := range m.Program.Procs {
		if proc.Template.Pool != nil && proc.Template.HasPrelude() {
			r.preludes = append(r.preludes, p)
		}
	}
	r.unreleased = map[[2]int]int64{}
	for _, v := range m.Program.Shared {
		r.mutexes = mutexes(v.Type, v.Offset, r.mutexes)
	}
	if m.Program.Spec != nil {
		if r.Linear, err = newLinear(m); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// A Trail knows how the search came to the present state: it appends the actions to a list.
type Trail interface{ Schedule(list []int32) []int32 }

// An indirectTrail is one whose schedule stands for another one, which is found when the search is over.
type indirectTrail interface {
	Trail
	// LastSteps tells in which order the processes that have failed did so.
	LastSteps() map[int]int
}

// Started looks at the initial state: what must always hold, the invariants, and the processes that failed before their
// first steps.
func (r *Collector) Started(x Trail, s step.State) {
	for i := range r.always {
		p := &r.always[i]
		if holds, ok := p.holds(r.run, s); !holds || !ok {
			r.violate(x, propertyViolation(AlwaysBroken, p, ok))
		}
	}
	r.CheckInvariants(x, s, nil)
	for p := range r.M.NumProcs() {
		if fault, node, failed := r.M.Failure(s, p); failed {
			r.Record(x, Violation{Kind: FailedStep, Proc: p, Fault: fault, Node: node})
		}
	}
}

// MayFail reports whether a step of a process, given by its id, may have made something fail. Hardly any step has.
func (r *Collector) MayFail(after step.State, proc, id int) bool {
	return r.M.Failed(after, proc) || len(r.preludes) > 0 && r.M.Info(id).Starts
}

// NewFailures lists what an action of a process has made fail: the process itself, or processes that the action
// started. A search asks for it after every action for which mayFail says so, because a failure counts when it happens:
// beside a thread that never ends, no execution ends. The list is valid until the next call.
//
// Of several processes that break the same always or transition, only the first counts: the others find it broken, as
// all do when it is false at the start.
func (r *Collector) NewFailures(before, after step.State, proc int) []Violation {
	r.failed = r.failed[:0]
	if r.M.Failed(after, proc) {
		r.addFailure(before, after, proc)
	}
	for _, p := range r.preludes {
		if r.M.Asleep(before, p) && r.M.Failed(after, p) {
			r.addFailure(before, after, p)
		}
	}
	return r.failed
}

func (r *Collector) addFailure(before, after step.State, proc int) {
	fault, node, _ := r.M.Failure(after, proc)
	if node.Property == nil {
		r.failed = append(r.failed, Violation{Kind: FailedStep, Proc: proc, Fault: fault, Node: node})
		return
	}
	if r.FalseFirst[node.Property] {
		return
	}
	for p := range r.M.NumProcs() {
		if _, at, failed := r.M.Failure(before, p); failed && at.Property == node.Property {
			return
		}
	}
	r.failed = append(r.failed, r.brokenBy(proc, fault, node))
}

// brokenBy is the violation of an always or transition by a process.
func (r *Collector) brokenBy(proc int, fault step.Fault, node *step.Node) Violation {
	v := Violation{Kind: StepBroken, Property: node.Property, Proc: proc, Fault: fault, Node: node}
	if slices.Contains(r.M.Program.Checks.Always, node.Property) {
		v.Kind = AlwaysBroken
	}
	if fault != step.Assertion {
		v.Fault = step.BadProperty
	}
	return v
}

// CheckInvariants looks at a state that the search has come to: invariants whose variables may have changed must
// hold. foot is the footprint of the step that led there, nil for the initial state.
func (r *Collector) CheckInvariants(x Trail, s step.State, foot step.Footprint) {
	for i := range r.Invariants {
		p := &r.Invariants[i]
		if foot != nil && !step.Conflict(p.reads, foot) {
			continue
		}
		if holds, ok := p.holds(r.run, s); !holds || !ok {
			r.violate(x, propertyViolation(InvariantFalse, p, ok))
		}
	}
}

// A violationKey tells distinct violations apart.
type violationKey struct {
	Kind     ViolationKind
	Property *step.Property
	Proc     int
	Fault    step.Fault // of a step
	Node     *step.Node
	Words    string
}

func (v *Violation) Key() violationKey {
	k := violationKey{v.Kind, v.Property, v.Proc, v.Fault, v.Node, string(step.State(v.Words).Bytes())}
	if v.Node == nil { // of a property it does not matter whether it is false or cannot be evaluated
		k.Fault = step.NoFault
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

// Record records a violation. If it is new, it is kept with the present schedule. What was recorded is returned, to
// be counted.
func (r *Collector) Record(x Trail, v Violation) (recorded *Violation, isNew bool) {
	key := v.Key()
	if old := r.violations[key]; old != nil {
		return old, false
	}
	recorded = &Violation{}
	*recorded = v // v itself stays on the stack
	recorded.Words = slices.Clone(v.Words)
	if x != nil {
		recorded.Schedule = x.Schedule([]int32{}) // not nil, even if nothing has happened yet
	}
	r.violations[key] = recorded
	r.Violations = append(r.Violations, recorded)
	if x != nil {
		r.announce(recorded)
	}
	return recorded, true
}

// violate records a violation and counts it.
func (r *Collector) violate(x Trail, v Violation) {
	recorded, _ := r.Record(x, v)
	recorded.Count++
}

// Terminal records a state in which nothing is enabled.
func (r *Collector) Terminal(x Trail, s step.State) {
	end := r.M.EndingOf(s)
	if end == step.Cut {
		r.dropped(s)
		return
	}
	r.Executions++
	r.countUnreleased(s)
	if r.hook != nil {
		r.hook(s)
	}
	switch end {
	case step.Failed:
		r.Failed++
		r.countFailures(x, s)
		return
	}
	if r.Linear != nil {
		r.compareHistory(x, s)
		s = r.Outcome.Unrecorded(s) // for what looks at whole states
	}
	switch end {
	case step.Deadlocked:
		r.Deadlocked++
		r.distinct(x, &r.Deadlocks.Set, s)
		if r.M.Program.Checks.Deadlock == step.DeadlockForbidden {
			r.violate(x, Violation{Kind: DeadlockFound, Words: s})
		}
		r.check(x, r.finalAny, s)
		return
	}
	r.Ended++
	r.words = r.words[:0]
	r.words = r.Outcome.Words(r.words, s)
	if r.distinct(x, &r.Outcomes.Set, r.words) && r.listed != nil && !r.listed[string(r.bytes)] { // finish records it
		r.announce(&Violation{Kind: OutcomeExtra, Words: slices.Clone(r.words), Schedule: slices.Clone(r.actions)})
	}
	r.check(x, r.final, s)
	r.check(x, r.finalAny, s)
	for i := range r.unreach {
		p := &r.unreach[i]
		if holds, ok := p.holds(r.run, s); holds || !ok {
			r.violate(x, propertyViolation(ReachedAnyway, p, ok))
		}
	}
	for i := range r.Reachable {
		if p := &r.Reachable[i]; !p.reached {
			p.reached, _ = p.holds(r.run, s)
		}
	}
}

// dropped records a state at the end of an execution that an assumption dropped.
func (r *Collector) dropped(s step.State) {
	r.Dropped++
	for i := range r.Reachable {
		if p := &r.Reachable[i]; !p.Dropped {
			p.Dropped, _ = p.holds(r.run, s)
		}
	}
}

func (r *Collector) check(x Trail, props []property, s step.State) {
	for i := range props {
		p := &props[i]
		if holds, ok := p.holds(r.run, s); !holds || !ok {
			r.violate(x, propertyViolation(FinalBroken, p, ok))
		}
	}
}

// distinct records an end with some values; if no other has them, with the present schedule.
func (r *Collector) distinct(x Trail, list *outcomes.Set, words []int64) (isNew bool) {
	r.bytes = stateset.EncodeWords(r.bytes[:0], words)
	i, isNew := list.Add(r.bytes, 1)
	if isNew {
		r.actions = x.Schedule(r.actions[:0])
		r.packed = outcomes.PackSchedule(r.packed[:0], r.actions)
		list.Keep(i, r.bytes, r.packed)
	}
	return isNew
}

// countFailures counts the failures of a terminal state. They were recorded when they happened, but maybe by another
// worker.
func (r *Collector) countFailures(x Trail, s step.State) {
	broken := map[*step.Property]Violation{}
	var last map[int]int // the position of the last step of each process
	for p := range r.M.NumProcs() {
		fault, node, failed := r.M.Failure(s, p)
		switch {
		case !failed || r.FalseFirst[node.Property]:
		case node.Property == nil:
			r.countFailure(x, Violation{Kind: FailedStep, Proc: p, Fault: fault, Node: node})
		default:
			if last == nil {
				last = r.lastSteps(x)
			}
			if v, ok := broken[node.Property]; !ok || last[p] < last[v.Proc] {
				broken[node.Property] = r.brokenBy(p, fault, node)
			}
		}
	}
	if len(broken) == 0 {
		return
	}
	for _, prop := range properties(r.M.Program) {
		if v, ok := broken[prop]; ok {
			r.countFailure(x, v)
		}
	}
}

func (r *Collector) lastSteps(x Trail) map[int]int {
	if a, ok := x.(indirectTrail); ok {
		return a.LastSteps()
	}
	last := map[int]int{}
	for i, a := range x.Schedule(nil) {
		last[r.M.ProcOf(int(a))] = i
	}
	return last
}

// countFailure counts a failure of a process in the execution that has just ended. A schedule that shows it ends with
// the step that failed.
func (r *Collector) countFailure(x Trail, v Violation) {
	recorded, isNew := r.Record(x, v)
	recorded.Count++
	if _, elsewhere := x.(indirectTrail); isNew && !elsewhere {
		recorded.EndWithFailure(r.M)
	}
}

// EndWithFailure ends the schedule of a failure with the step that failed. A process that failed as it was started has
// none.
func (v *Violation) EndWithFailure(m *step.Machine) {
	for k := len(v.Schedule); k > 0; k-- {
		if m.ProcOf(int(v.Schedule[k-1])) == v.Proc {
			v.Schedule = v.Schedule[:k]
			return
		}
	}
}

// Finish draws the conclusions that need the whole search. stop says why it ended early, if it did.
func (r *Collector) Finish(stop string, pairs map[[2]*step.Step]*happens.PairStats) *Result {
	r.Stopped, r.Share, r.Workers = stop, 0, 1
	switch {
	case stop != "":
	case r.Cut > 0:
		r.Stopped = StoppedDepth
	case r.Barred > 0:
		r.Stopped = StoppedPreemption
	case r.Dropped > 0 && r.M.Program.Bounded:
		r.Stopped = StoppedBounds
	default:
		r.Stopped = StoppedComplete
	}
	complete := r.Stopped == StoppedComplete
	r.Outcomes.Set.Sort()
	c := &r.M.Program.Checks
	if complete {
		for i := range r.Reachable {
			if p := &r.Reachable[i]; !p.reached && !r.Fails() {
				r.violate(nil, Violation{Kind: NotReached, Property: p.Property})
			}
		}
		if c.Deadlock == step.DeadlockRequired && r.Deadlocked == 0 {
			r.violate(nil, Violation{Kind: NoDeadlock})
		}
	}
	if c.Outcomes != nil {
		for _, row := range c.Outcomes {
			if complete && !r.Outcomes.Set.Has(stateset.EncodeWords(nil, row)) {
				r.violate(nil, Violation{Kind: OutcomeMissing, Words: row})
			}
		}
		for i := range r.Outcomes.Len() {
			if !r.listed[string(r.Outcomes.Set.Values(i))] { // there may be many, which are known to be distinct
				o := r.Outcomes.At(i)
				r.Violations = append(r.Violations,
					&Violation{Kind: OutcomeExtra, Words: o.Words, Count: o.Count, Schedule: o.Schedule})
			}
		}
	}
	if r.Linear != nil {
		r.countHistories()
		r.performed = r.operations()
	}
	r.profile(pairs)
	r.CoveredAll = complete && r.EveryWay && !r.unnoted && r.Covered != nil
	r.Unreleased = r.listUnreleased()
	r.machine = r.M
	for i := range r.Reachable {
		r.reached = append(r.reached, r.Reachable[i].reached)
		r.inDropped = append(r.inDropped, r.Reachable[i].Dropped)
	}
	r.Weigh()
	r.SetVerdict()
	return &r.Result
}

// Excuse takes violations for none, and judges anew.
func (r *Result) Excuse(which func(*Violation) bool) {
	var left []*Violation
	for _, v := range r.Violations {
		if which(v) {
			r.Excused = append(r.Excused, v)
		} else {
			left = append(left, v)
		}
	}
	if len(left) < len(r.Violations) {
		r.Violations = left
		r.Weigh()
		r.SetVerdict()
	}
}

// profile sums up the use of constraints.
func (r *Collector) profile(pairs map[[2]*step.Step]*happens.PairStats) {
	for _, p := range pairs {
		if p.Static == 0 && p.Evaluated == 0 {
			continue
		}
		r.Pairs = append(r.Pairs, p)
		r.Constraints.Add(&p.Uses)
	}
	slices.SortFunc(r.Pairs, func(a, b *happens.PairStats) int {
		return cmp.Or(cmp.Compare(b.Removed+b.Static+b.Sequences, a.Removed+a.Static+a.Sequences),
			cmp.Compare(a.A.Name(), b.A.Name()), cmp.Compare(a.B.Name(), b.B.Name()))
	})
}

// What the counts of a search let expect of other algorithms.

// A Stretch counts the nodes that a search has entered for a while.
type Stretch struct {
	Nodes  int64 // entered one after another; 0: it has not looked yet
	States int64 // different ones among them
}

// Short writes a number with commas.
func Short(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
