package explore

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"cdpor/lang/step"
)

// Sets of steps that may still be taken below a state (README section 13). Beside millions of states there are few
// different sets of steps of one process, so such a set is kept once and has a number, and what may follow a state is a
// number for each process.

// futureSteps are, per process, the number of the set of its steps that may still be taken. 0 is the empty set.
type futureSteps []uint16

// A laterStep is a step that may still be taken, with the footprint that it has then.
type laterStep struct {
	proc   int // whose step it is, or who starts, directly or not, whose step it is
	id     int // step id; of a step of whatever process of a pool the id of the first one's
	pool   bool
	text   bool // the program text allows it, but it has been neither taken nor disabled
	foot   step.Footprint
	rivals []uint64 // bit set of the ids of steps that it may race with
	// must is what the step conflicts with for sure, nil if that is not known: it may count as a read, or foot may be
	// too large.
	must    step.Footprint
	guarded bool
	// stands, if not nil, is a state in which the process stands at the step, with the locals that it has then; guard
	// is the only location that the guard reads there.
	stands step.State
	guard  int
}

// mayRace reports whether a later step may be found dependent of a transition with a step id and a footprint.
func (s *laterStep) mayRace(id int, foot step.Footprint) bool {
	return s.rivals[id/64]>>(id%64)&1 != 0 && step.Conflict(s.foot, foot)
}

// A laterSet is a set of later steps of one process.
type laterSet struct {
	members []uint64 // bit set of numbers of later steps
	steps   []int32
	foot    step.Footprint // of all of them
	rivals  []uint64       // of any of them
	size    int            // how many locations they touch, and write
}

// mayRace reports whether one of the steps may be found dependent of a transition with a step id and a footprint, as
// far as can be told without looking at each.
func (p *laterSet) mayRace(id int, foot step.Footprint) bool {
	return p.rivals[id/64]>>(id%64)&1 != 0 && step.Conflict(p.foot, foot)
}

// laterSteps numbers the later steps of a process and sets of them.
type laterSteps struct {
	steps   []laterStep
	numbers map[string]int32 // by what tells later steps apart
	locals  map[int]int      // per step id of a step with a guard: for how many locals of its process there are later steps
	sets    []laterSet
	index   map[string]uint16 // by members
	unions  map[uint32]uint16
	singles []uint16 // per later step: the set of it alone, 0 if it has not been made
	key     []byte   // scratch
	members []uint64 // scratch
}

// maxLocals is how many locals are told apart, of a step with a guard.
const maxLocals = 64

// maxLaterSets is how many sets of steps of a process are told apart. Later ones stand for all its steps.
const maxLaterSets = math.MaxUint16

func newLaterSteps() *laterSteps {
	return &laterSteps{numbers: map[string]int32{}, locals: map[int]int{}, sets: make([]laterSet, 1), index: map[string]uint16{"": 0},
		unions: map[uint32]uint16{}}
}

// number is the number of a later step, of which everything is known but what fill finds out. What else tells it apart
// from others is in words.
func (l *laterSteps) number(s laterStep, words []int64, fill func(*laterStep)) int32 {
	if len(words) > 0 && l.locals[s.id] >= maxLocals {
		words = nil
	}
	code := uint32(s.id) << 2
	if s.pool {
		code |= 1
	}
	if s.text {
		code |= 2
	}
	l.key = binary.LittleEndian.AppendUint32(l.key[:0], code)
	for _, w := range s.foot {
		l.key = binary.LittleEndian.AppendUint64(l.key, w)
	}
	for _, w := range words {
		l.key = binary.LittleEndian.AppendUint64(l.key, uint64(w))
	}
	n, known := l.numbers[string(l.key)]
	if !known {
		n = int32(len(l.steps))
		l.numbers[string(l.key)] = n
		s.foot = slices.Clone(s.foot)
		if fill(&s); words == nil {
			s.stands = nil
		} else {
			l.locals[s.id]++
		}
		l.steps = append(l.steps, s)
		l.singles = append(l.singles, 0)
	}
	return n
}

// single is the set of one later step.
func (l *laterSteps) single(n int32) uint16 {
	if l.singles[n] == 0 {
		l.members = append(l.members[:0], make([]uint64, n/64+1)...)
		l.members[n/64] = 1 << (n % 64)
		l.singles[n] = l.intern(l.members)
	}
	return l.singles[n]
}

// intern is the number of the set with some members, the last word of which is not 0.
func (l *laterSteps) intern(members []uint64) uint16 {
	l.key = l.key[:0]
	for _, w := range members {
		l.key = binary.LittleEndian.AppendUint64(l.key, w)
	}
	id, known := l.index[string(l.key)]
	if known {
		return id
	}
	last := len(l.sets) - 1
	if last == maxLaterSets { // it grows, which is more than must be
		l.sets[last] = laterSet{members: slices.Clone(l.sets[last].members)}
		for i, w := range members {
			if i == len(l.sets[last].members) {
				l.sets[last].members = append(l.sets[last].members, 0)
			}
			l.sets[last].members[i] |= w
		}
		l.describe(&l.sets[last])
		return maxLaterSets
	}
	set := laterSet{members: slices.Clone(members)}
	l.describe(&set)
	l.sets = append(l.sets, set)
	id = uint16(last + 1)
	l.index[string(l.key)] = id
	return id
}

// describe fills in what follows from the members of a set.
func (l *laterSteps) describe(set *laterSet) {
	for w, rest := range set.members {
		for ; rest != 0; rest &= rest - 1 {
			n := int32(w<<6 + bits.TrailingZeros64(rest))
			s := &l.steps[n]
			if set.steps = append(set.steps, n); set.foot == nil {
				set.foot, set.rivals = make(step.Footprint, len(s.foot)), make([]uint64, len(s.rivals))
			}
			set.foot.Union(s.foot)
			for k, r := range s.rivals {
				set.rivals[k] |= r
			}
		}
	}
	for _, w := range set.foot {
		set.size += bits.OnesCount64(w)
	}
}

// union is the union of two sets.
func (l *laterSteps) union(a, b uint16) uint16 {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	}
	key := uint32(min(a, b))<<16 | uint32(max(a, b))
	if u, known := l.unions[key]; known {
		return u
	}
	more, less := l.sets[a].members, l.sets[b].members
	if len(more) < len(less) {
		more, less = less, more
	}
	l.members = append(l.members[:0], more...)
	for i, w := range less {
		l.members[i] |= w
	}
	u := l.intern(l.members)
	l.unions[key] = u
	return u
}

// futures are the later steps of all processes.
type futures []*laterSteps

func newFutures(procs int) (f futures) {
	for range procs {
		f = append(f, newLaterSteps())
	}
	return f
}

// join adds what may follow somewhere to what may follow elsewhere.
func (f futures) join(to, more futureSteps) {
	to = to[:len(more)]
	for p, b := range more {
		if a := to[p]; a != b {
			to[p] = f[p].union(a, b)
		}
	}
}

// size is how many locations the steps of each process touch, and write.
func (f futures) size(of futureSteps) (n int) {
	for p, s := range of {
		n += f[p].sets[s].size
	}
	return n
}
