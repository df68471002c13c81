package states

import (
	"math"

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

// Addressed is the state at an address.
func Addressed[T int32 | byte](m *step.Machine, digits []T) slots.Ref {
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
