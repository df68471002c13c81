package explore

import (
	"errors"
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// savedResults are the results of a search so far.
type savedResults struct {
	Counts     Result // without what follows
	Outcomes   savedEnds
	Deadlocks  savedEnds
	Histories  savedEnds
	Violations []savedViolation `json:",omitempty"`
	Reached    []bool           `json:",omitempty"` // per property of check.reachable
	Covered    step.Coverage    `json:",omitempty"`
	InDropped  []bool           `json:",omitempty"` // per property of check.reachable: in a dropped execution
}

// A savedViolation is a Violation without pointers.
type savedViolation struct {
	Kind     ViolationKind
	Property int // number among the properties of the program, -1 for none
	Proc     int
	Fault    step.Fault
	Node     int     // number in the template of the process, -1 for none
	Words    []int64 `json:",omitempty"`
	Count    int64
	Schedule []int32
}

// properties are all properties of a program, in an order that depends on nothing but its text.
func properties(p *step.Program) []*step.Property {
	c := &p.Checks
	return slices.Concat(p.Invariants, c.Final, c.FinalAny, c.Reachable, c.Unreachable, c.Always, c.Transition)
}

// save is valid until the search goes on.
func (r *results) save() savedResults {
	s := savedResults{Counts: r.Result}
	s.saveEnds(r)
	s.Counts.Violations = nil
	if !r.unnoted {
		s.Covered = r.Covered
	}
	all := properties(r.m.Program)
	for _, v := range r.Violations {
		node := -1
		if v.Node != nil {
			node = slices.Index(r.m.Program.Procs[v.Proc].Template.Nodes, v.Node)
		}
		s.Violations = append(s.Violations, savedViolation{v.Kind, slices.Index(all, v.Property), v.Proc, v.Fault, node, v.Words, v.Count, v.Schedule})
	}
	for i := range r.reachable {
		s.Reached = append(s.Reached, r.reachable[i].reached)
		s.InDropped = append(s.InDropped, r.reachable[i].dropped)
	}
	return s
}

// saveEnds saves the ends that a worker has found.
func (s *savedResults) saveEnds(r *results) {
	s.Outcomes.add(&r.Outcomes.set)
	s.Deadlocks.add(&r.Deadlocks.set)
	s.Histories.add(&r.Histories.set)
}

func (r *results) restore(s *savedResults) error {
	observed := 0
	for _, o := range r.m.Program.Observe {
		observed += o.Expr.Type.Words()
	}
	if !s.Outcomes.fit(observed, r.m.NumActions()) || !s.Deadlocks.fit(r.m.Words(), r.m.NumActions()) || !s.Histories.fit(-1, r.m.NumActions()) {
		return errors.New("an outcome has values or a schedule of another program")
	}
	if len(s.Reached) != len(r.reachable) || len(s.InDropped) != len(r.reachable) {
		return fmt.Errorf("%d reachable properties, the program has %d", len(s.Reached), len(r.reachable))
	}
	for i, reached := range s.Reached {
		r.reachable[i].reached, r.reachable[i].dropped = reached, s.InDropped[i]
	}
	name, symmetry, covered := r.Algorithm, r.Symmetry, r.Covered
	r.Result = s.Counts
	r.Covered = covered
	r.restoreCoverage(s.Covered)
	r.Algorithm, r.Symmetry, r.Pairs = name, symmetry, nil
	r.Outcomes.set, r.Deadlocks.set, r.Histories.set = s.Outcomes.found, s.Deadlocks.found, s.Histories.found
	r.Violations = nil
	for i := range s.Violations {
		v, err := r.restoreViolation(&s.Violations[i])
		if err != nil {
			return err
		}
		r.Violations = append(r.Violations, v)
		r.violations[v.key()] = v
	}
	return nil
}

func (r *results) restoreViolation(s *savedViolation) (*Violation, error) {
	v := &Violation{Kind: s.Kind, Proc: s.Proc, Fault: s.Fault, Words: s.Words, Count: s.Count, Schedule: s.Schedule}
	all := properties(r.m.Program)
	if s.Property >= len(all) || s.Proc < 0 || s.Proc >= r.m.NumProcs() || !r.fits(s.Schedule) {
		return nil, errors.New("a violation is one of another program")
	}
	nodes := r.m.Program.Procs[s.Proc].Template.Nodes
	needsProperty := s.Kind != FailedStep && s.Kind != DeadlockFound && s.Kind != NotLinear
	if s.Node >= len(nodes) || s.Node < 0 && s.Kind == FailedStep || s.Property < 0 && needsProperty ||
		s.Kind == DeadlockFound && len(s.Words) != r.m.Words() {
		return nil, fmt.Errorf("a violation of kind %q lacks something", s.Kind)
	}
	if s.Property >= 0 {
		v.Property = all[s.Property]
	}
	if s.Node >= 0 {
		v.Node = nodes[s.Node]
	}
	return v, nil
}

// fits reports whether a schedule is made of actions of the program.
func (r *results) fits(schedule []int32) bool {
	return !slices.ContainsFunc(schedule, func(a int32) bool { return a < 0 || int(a) >= r.m.NumActions() })
}
