package distributed

import (
	"cdpor/explore/internal/outcomes"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/slots"
	"cdpor/explore/internal/states"
	"cdpor/lang/step"
)

// Violations are copies of what is wrong that was found so far, from a number on and at most so many, with addresses in
// place of schedules.
func (f *Findings) Violations(from, most int) (list []*results.Violation) {
	all := f.all.Results.Violations
	for _, v := range all[min(from, len(all)):min(from+most, len(all))] {
		c := *v
		list = append(list, &c)
	}
	return list
}

// TraceViolations puts the schedules in place of the addresses of violations that were found up to the barrier that a
// stage begins with. More may be added meanwhile.
func (f *Findings) TraceViolations(list []*results.Violation, s *slots.Stage, store slots.Store) error {
	if f.m.NumActions() == 1 {
		return nil
	}
	paths, err := s.Paths(store, addressesOf(f.m, list, nil))
	if err == nil {
		putSchedules(f.m, list, paths)
	}
	return err
}

// addressesOf appends the addresses of violations to a list.
func addressesOf(m *step.Machine, violations []*results.Violation, list []slots.Ref) []slots.Ref {
	for _, v := range violations {
		list = append(list, states.Addressed(m, v.Schedule))
	}
	return list
}

// putSchedules puts schedules in place of the addresses of violations.
func putSchedules(m *step.Machine, list []*results.Violation, schedules [][]int32) {
	for i, v := range list {
		if v.Schedule = schedules[i]; v.Node != nil {
			v.EndWithFailure(m)
		}
	}
}

// Trace puts the schedules in place of the addresses in all that was found up to the barrier that a stage begins with.
// Nothing can be added afterwards. After an error nothing was found: an address means nothing to anybody else.
func (f *Findings) Trace(s *slots.Stage, store slots.Store) (err error) {
	defer func() {
		if err != nil {
			f.all.Results, _ = results.NewCollector(f.all.Results.M, states.Algorithm, nil) // as it was made before
		}
	}()
	r := f.all.Results
	if r.M.NumActions() == 1 {
		return nil
	}
	var at []slots.Ref
	ends := []*outcomes.Set{&r.Outcomes.Set, &r.Deadlocks.Set, &r.Histories.Set}
	for _, set := range ends {
		for i := range set.Len() {
			_, digits := set.Packed(i)
			at = append(at, states.Addressed(r.M, digits))
		}
	}
	paths, err := s.Paths(store, addressesOf(r.M, r.Violations, at))
	if err != nil {
		return err
	}
	var packed []byte
	for _, set := range ends {
		for i := range set.Len() {
			packed = outcomes.PackSchedule(packed[:0], paths[0])
			set.Keep(i, set.Values(i), packed)
			paths = paths[1:]
		}
	}
	putSchedules(r.M, r.Violations, paths)
	return nil
}
