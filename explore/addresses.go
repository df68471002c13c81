package explore

import (
	"math"

	"cdpor/explore/internal/outcomes"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/slots"
	"cdpor/lang/step"
)

// Where a schedule is to be found. A worker that shares no memory with others does not know how the search came to a
// state, only where that is written down: its address. Until the search is over, addresses stand for schedules. They
// have the form of schedules, so what has been found is saved and added up as always; of two addresses that show the
// same, the one of the state found after fewer steps counts as the simpler one.

// An address is a trail that others know.
type address struct {
	m  *step.Machine
	at slots.Ref
	e  *slots.Entry // what is there
}

// Bits of an address, from the highest ones on: how many steps there are at least, the slot, and the number in it.
const (
	depthBits  = 24
	slotBits   = 6
	numberBits = 64 - depthBits - slotBits
)

// schedule writes the address in actions, as if these were digits. Where there is one action only, the number of steps
// is the schedule.
func (a address) Schedule(list []int32) []int32 {
	base := uint64(a.m.NumActions())
	if base == 1 {
		return append(list, make([]int32, a.e.Depth)...)
	}
	v := uint64(min(a.e.Depth, 1<<depthBits-1))<<(slotBits+numberBits) | uint64(a.at.Slot)<<numberBits |
		uint64(a.at.Number)
	begin := len(list)
	for rest := uint64(math.MaxUint64); rest > 0; rest /= base {
		list = append(list, 0)
	}
	for i := len(list) - 1; i >= begin; i-- {
		list[i], v = int32(v%base), v/base
	}
	return list
}

// addressed is the state at an address.
func addressed[T int32 | byte](m *step.Machine, digits []T) slots.Ref {
	v := uint64(0)
	for _, d := range digits {
		v = v*uint64(m.NumActions()) + uint64(d)
	}
	return slots.Ref{Slot: int(v >> numberBits & (1<<slotBits - 1)), Number: int64(v & (1<<numberBits - 1))}
}

// lastSteps tells in which order the processes that have failed did so: it was their last step. Those that failed as
// they were started come first.
func (a address) LastSteps() map[int]int {
	last := map[int]int{}
	for i, p := range a.e.Failed {
		last[int(p)] = i + 1
	}
	return last
}

// Violations are copies of what is wrong that was found so far, from a number on and at most so many, with addresses in
// place of schedules.
func (f *ParcelFindings) Violations(from, most int) (list []*Violation) {
	all := f.all.Results.Violations
	for _, v := range all[min(from, len(all)):min(from+most, len(all))] {
		c := *v
		list = append(list, &c)
	}
	return list
}

// TraceViolations puts the schedules in place of the addresses of violations that were found up to the barrier that a
// stage begins with. More may be added meanwhile.
func (f *ParcelFindings) TraceViolations(list []*Violation, s *slots.Stage, store slots.Store) error {
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
func addressesOf(m *step.Machine, violations []*Violation, list []slots.Ref) []slots.Ref {
	for _, v := range violations {
		list = append(list, addressed(m, v.Schedule))
	}
	return list
}

// putSchedules puts schedules in place of the addresses of violations.
func putSchedules(m *step.Machine, list []*Violation, schedules [][]int32) {
	for i, v := range list {
		if v.Schedule = schedules[i]; v.Node != nil {
			v.EndWithFailure(m)
		}
	}
}

// Trace puts the schedules in place of the addresses in all that was found up to the barrier that a stage begins with.
// Nothing can be added afterwards. After an error nothing was found: an address means nothing to anybody else.
func (f *ParcelFindings) Trace(s *slots.Stage, store slots.Store) (err error) {
	defer func() {
		if err != nil {
			f.all.Results, _ = results.NewCollector(f.all.Results.M, exhaustiveAlgorithm, nil) // as it was made before
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
			at = append(at, addressed(r.M, digits))
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
