package results

import (
	"errors"
	"fmt"
	"slices"

	"cdpor/explore/internal/checkpoint"
	"cdpor/lang/step"
)

// SavedResults are the results of a search so far.
type SavedResults struct {
	Counts     Result // without what follows
	Outcomes   checkpoint.Ends
	Deadlocks  checkpoint.Ends
	Histories  checkpoint.Ends
	Violations []checkpoint.Violation `json:",omitempty"`
	Reached    []bool                 `json:",omitempty"` // per property of check.reachable
	Covered    step.Coverage          `json:",omitempty"`
	InDropped  []bool                 `json:",omitempty"` // per property of check.reachable: in a dropped execution
	Unreleased []Unreleased           `json:",omitempty"`
}

// properties are all properties of a program, in an order that depends on nothing but its text.
func properties(p *step.Program) []*step.Property {
	c := &p.Checks
	return slices.Concat(p.Invariants, c.Final, c.FinalAny, c.Reachable, c.Unreachable, c.Always, c.Transition)
}

// Save is valid until the search goes on.
func (r *Collector) Save() SavedResults {
	s := SavedResults{Counts: r.Result}
	s.SaveEnds(r)
	s.Counts.Violations = nil
	if !r.unnoted {
		s.Covered = r.Covered
	}
	all := properties(r.M.Program)
	for _, v := range r.Violations {
		node := -1
		if v.Node != nil {
			node = slices.Index(r.M.Program.Procs[v.Proc].Template.Nodes, v.Node)
		}
		s.Violations = append(s.Violations, checkpoint.Violation{Kind: string(v.Kind),
			Property: slices.Index(all, v.Property), Proc: v.Proc, Fault: v.Fault, Node: node, Words: v.Words,
			Count: v.Count, Schedule: v.Schedule})
	}
	s.Unreleased = r.listUnreleased()
	for i := range r.Reachable {
		s.Reached = append(s.Reached, r.Reachable[i].reached)
		s.InDropped = append(s.InDropped, r.Reachable[i].Dropped)
	}
	return s
}

// SaveEnds saves the ends that a worker has found.
func (s *SavedResults) SaveEnds(r *Collector) {
	s.Outcomes.Add(&r.Outcomes.Set)
	s.Deadlocks.Add(&r.Deadlocks.Set)
	s.Histories.Add(&r.Histories.Set)
}

func (r *Collector) Restore(s *SavedResults) error {
	observed := 0
	for _, o := range r.M.Program.Observe {
		observed += o.Expr.Type.Words()
	}
	if !s.Outcomes.Fit(observed, r.M.NumActions()) || !s.Deadlocks.Fit(r.M.Words(), r.M.NumActions()) ||
		!s.Histories.Fit(-1, r.M.NumActions()) {
		return errors.New("an outcome has values or a schedule of another program")
	}
	if len(s.Reached) != len(r.Reachable) || len(s.InDropped) != len(r.Reachable) {
		return fmt.Errorf("%d reachable properties, the program has %d", len(s.Reached), len(r.Reachable))
	}
	for i, reached := range s.Reached {
		r.Reachable[i].reached, r.Reachable[i].Dropped = reached, s.InDropped[i]
	}
	for _, u := range s.Unreleased {
		if u.Proc < 0 || u.Proc >= r.M.NumProcs() || !slices.Contains(r.mutexes, u.Word) {
			return errors.New("a process holds a mutex of another program")
		}
		r.unreleased[[2]int{u.Proc, u.Word}] += u.Count
	}
	name, symmetry, covered := r.Algorithm, r.Symmetry, r.Covered
	r.Result = s.Counts
	r.Covered = covered
	r.restoreCoverage(s.Covered)
	r.Algorithm, r.Symmetry, r.Pairs = name, symmetry, nil
	r.Outcomes.Set, r.Deadlocks.Set, r.Histories.Set = s.Outcomes.Found, s.Deadlocks.Found, s.Histories.Found
	r.Violations = nil
	for i := range s.Violations {
		v, err := r.restoreViolation(&s.Violations[i])
		if err != nil {
			return err
		}
		r.Violations = append(r.Violations, v)
		r.violations[v.Key()] = v
	}
	return nil
}

func (r *Collector) restoreViolation(s *checkpoint.Violation) (*Violation, error) {
	v := &Violation{Kind: ViolationKind(s.Kind), Proc: s.Proc, Fault: s.Fault, Words: s.Words, Count: s.Count,
		Schedule: s.Schedule}
	all := properties(r.M.Program)
	if s.Property >= len(all) || s.Proc < 0 || s.Proc >= r.M.NumProcs() || !r.fits(s.Schedule) {
		return nil, errors.New("a violation is one of another program")
	}
	nodes := r.M.Program.Procs[s.Proc].Template.Nodes
	needsProperty := v.Kind != FailedStep && v.Kind != DeadlockFound && v.Kind != NotLinear
	if s.Node >= len(nodes) || s.Node < 0 && v.Kind == FailedStep || s.Property < 0 && needsProperty ||
		v.Kind == DeadlockFound && len(s.Words) != r.M.Words() {
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
func (r *Collector) fits(schedule []int32) bool {
	return !slices.ContainsFunc(schedule, func(a int32) bool { return a < 0 || int(a) >= r.M.NumActions() })
}
