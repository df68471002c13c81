package visited

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"cdpor/lang/step"
)

// Sets of steps that may still be taken below a state (STATES, "Visited states"). Beside millions of states there are
// few different sets of steps of one process, so such a set is kept once and has a number, and what may follow a state
// is a number for each process.

// FutureSteps are, per process, the number of the set of its steps that may still be taken. 0 is the empty set.
type FutureSteps []uint16

// A LaterStep is a step that may still be taken, with the footprint that it has then.
type LaterStep struct {
	Proc   int // whose step it is, or who starts, directly or not, whose step it is
	ID     int // step id; of a step of whatever process of a pool the id of the first one's
	Pool   bool
	Text   bool // the program text allows it, but it has been neither taken nor disabled
	Foot   step.Footprint
	Rivals []uint64 // bit set of the ids of steps that it may race with
	// Must is what the step conflicts with for sure, nil if that is not known: it may count as a read, or Foot may be
	// too large.
	Must    step.Footprint
	Guarded bool
	// Stands, if not nil, is a state in which the process stands at the step, with the locals that it has then; Guard
	// is the only location that the guard reads there.
	Stands step.State
	Guard  int
}

// MayRace reports whether a later step may be found dependent of a transition with a step id and a footprint.
func (s *LaterStep) MayRace(id int, foot step.Footprint) bool {
	return s.Rivals[id/64]>>(id%64)&1 != 0 && step.Conflict(s.Foot, foot)
}

// A LaterSet is a set of later steps of one process.
type LaterSet struct {
	members []uint64 // bit set of numbers of later steps
	Steps   []int32
	Foot    step.Footprint // of all of them
	rivals  []uint64       // of any of them
	size    int            // how many locations they touch, and write
}

// MayRace reports whether one of the steps may be found dependent of a transition with a step id and a footprint, as
// far as can be told without looking at each.
func (p *LaterSet) MayRace(id int, foot step.Footprint) bool {
	return p.rivals[id/64]>>(id%64)&1 != 0 && step.Conflict(p.Foot, foot)
}

// LaterSteps numbers the later steps of a process and sets of them.
type LaterSteps struct {
	Steps   []LaterStep
	numbers map[string]int32 // by what tells later steps apart
	// Per step id of a step with a guard: for how many locals of its process there are later steps.
	locals  map[int]int
	Sets    []LaterSet
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

func newLaterSteps() *LaterSteps {
	return &LaterSteps{numbers: map[string]int32{}, locals: map[int]int{}, Sets: make([]LaterSet, 1),
		index:  map[string]uint16{"": 0},
		unions: map[uint32]uint16{}}
}

// Number is the number of a later step, of which everything is known but what fill finds out. What else tells it apart
// from others is in words.
func (l *LaterSteps) Number(s LaterStep, words []int64, fill func(*LaterStep)) int32 {
	if len(words) > 0 && l.locals[s.ID] >= maxLocals {
		words = nil
	}
	code := uint32(s.ID) << 2
	if s.Pool {
		code |= 1
	}
	if s.Text {
		code |= 2
	}
	l.key = binary.LittleEndian.AppendUint32(l.key[:0], code)
	for _, w := range s.Foot {
		l.key = binary.LittleEndian.AppendUint64(l.key, w)
	}
	for _, w := range words {
		l.key = binary.LittleEndian.AppendUint64(l.key, uint64(w))
	}
	n, known := l.numbers[string(l.key)]
	if !known {
		n = int32(len(l.Steps))
		l.numbers[string(l.key)] = n
		s.Foot = slices.Clone(s.Foot)
		if fill(&s); words == nil {
			s.Stands = nil
		} else {
			l.locals[s.ID]++
		}
		l.Steps = append(l.Steps, s)
		l.singles = append(l.singles, 0)
	}
	return n
}

// Single is the set of one later step.
func (l *LaterSteps) Single(n int32) uint16 {
	if l.singles[n] == 0 {
		l.members = append(l.members[:0], make([]uint64, n/64+1)...)
		l.members[n/64] = 1 << (n % 64)
		l.singles[n] = l.intern(l.members)
	}
	return l.singles[n]
}

// intern is the number of the set with some members, the last word of which is not 0.
func (l *LaterSteps) intern(members []uint64) uint16 {
	l.key = l.key[:0]
	for _, w := range members {
		l.key = binary.LittleEndian.AppendUint64(l.key, w)
	}
	id, known := l.index[string(l.key)]
	if known {
		return id
	}
	last := len(l.Sets) - 1
	if last == maxLaterSets { // it grows, which is more than must be
		l.Sets[last] = LaterSet{members: slices.Clone(l.Sets[last].members)}
		for i, w := range members {
			if i == len(l.Sets[last].members) {
				l.Sets[last].members = append(l.Sets[last].members, 0)
			}
			l.Sets[last].members[i] |= w
		}
		l.describe(&l.Sets[last])
		return maxLaterSets
	}
	set := LaterSet{members: slices.Clone(members)}
	l.describe(&set)
	l.Sets = append(l.Sets, set)
	id = uint16(last + 1)
	l.index[string(l.key)] = id
	return id
}

// describe fills in what follows from the members of a set.
func (l *LaterSteps) describe(set *LaterSet) {
	for w, rest := range set.members {
		for ; rest != 0; rest &= rest - 1 {
			n := int32(w<<6 + bits.TrailingZeros64(rest))
			s := &l.Steps[n]
			if set.Steps = append(set.Steps, n); set.Foot == nil {
				set.Foot, set.rivals = make(step.Footprint, len(s.Foot)), make([]uint64, len(s.Rivals))
			}
			set.Foot.Union(s.Foot)
			for k, r := range s.Rivals {
				set.rivals[k] |= r
			}
		}
	}
	for _, w := range set.Foot {
		set.size += bits.OnesCount64(w)
	}
}

// Union is the union of two sets.
func (l *LaterSteps) Union(a, b uint16) uint16 {
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
	more, less := l.Sets[a].members, l.Sets[b].members
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

// Futures are the later steps of all processes.
type Futures []*LaterSteps

// NewFutures are those of so many processes, none so far.
func NewFutures(procs int) (f Futures) {
	for range procs {
		f = append(f, newLaterSteps())
	}
	return f
}

// Join adds what may follow somewhere to what may follow elsewhere.
func (f Futures) Join(to, more FutureSteps) {
	to = to[:len(more)]
	for p, b := range more {
		if a := to[p]; a != b {
			to[p] = f[p].Union(a, b)
		}
	}
}

// Size is how many locations the steps of each process touch, and write.
func (f Futures) Size(of FutureSteps) (n int) {
	for p, s := range of {
		n += f[p].Sets[s].size
	}
	return n
}
