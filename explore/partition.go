package explore

import (
	"math/rand/v2"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/slots"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// Which slot a state is in (exhaustiveslots.go). What matters is that few steps lead from the slots of one owner to those
// of another, because such a state has to be sent, and that all owners have about as many states.
//
// A slot is a number of six bits, and owners have slots that follow each other, as far as possible: with two owners the
// first bit says whose a state is, with four the first two. A bit is whether an odd number of some traits are there: that
// a process is in a later part of its text, which only a step from one part to the next one changes, or what a hash of a
// word says. Which traits these are is found by trying them on a sample of the states, bit by bit.

// A partition says in which slot a state is. It is the same wherever the program is explored.
type partition []trait

// A trait adds something to the number of a slot, bit by bit.
type trait struct {
	word  int     // that matters; -1: all
	codes []uint8 // per value plus one of the word; nil: a bit of a hash is added at the one of bit
	bit   uint8
}

func (p partition) slot(s step.State) int {
	slot := uint8(0)
	for i := range p {
		slot ^= p[i].of(s)
	}
	return int(slot)
}

func (t *trait) of(s step.State) uint8 {
	switch {
	case t.codes != nil:
		return t.codes[min(uint64(s[t.word]+1), uint64(len(t.codes)-1))]
	case t.word >= 0:
		return uint8(stateset.HashKey(uint64(s[t.word])+uint64(t.word)<<48)>>63) * t.bit
	}
	h := uint64(t.bit)
	for _, w := range s {
		h = stateset.HashKey(h ^ uint64(w))
	}
	return uint8(h>>63) * t.bit
}

const (
	codeBits   = 6   // of the number of a slot
	mostParts  = 3   // bits of the number of the part in which a process is
	mostTraits = 4   // of a bit
	mostTried  = 150 // traits
)

// newPartition finds a partition that does well on a sample of the states.
func newPartition(m *step.Machine) (p partition) {
	sample := sampleStates(m.Fresh())
	list := sample.traits(m)
	for bit := range codeBits {
		sample.choose(bit, list, func(t trait) { p = append(p, t.at(uint8(1)<<(codeBits-1-bit))) })
	}
	return p.joined()
}

// at is the trait for one bit.
func (t trait) at(bit uint8) trait {
	codes := slices.Clone(t.codes)
	for i := range codes {
		codes[i] *= bit
	}
	return trait{t.word, codes, bit}
}

// joined makes one trait of those that are about the same process.
func (p partition) joined() (list partition) {
	for _, t := range p {
		i := slices.IndexFunc(list, func(u trait) bool { return t.codes != nil && u.codes != nil && u.word == t.word })
		if i < 0 {
			list = append(list, t)
			continue
		}
		for at, code := range t.codes {
			list[i].codes[at] ^= code
		}
	}
	return list
}

// traits are those that are tried, for the last bit.
func (s *stateSample) traits(m *step.Machine) (list []trait) {
	for parts := range mostParts {
		for i, proc := range m.Program.Procs {
			word, steps := m.LocalBase(i)-1, len(proc.Template.Steps)
			if steps >= 1<<parts {
				list = append(list, trait{word: word, codes: partCodes(steps, parts)})
			}
		}
	}
	list = append(list, trait{word: -1, bit: 1})
	for w := range s.states[0] {
		if slices.ContainsFunc(s.states, func(state step.State) bool { return state[w] != s.states[0][w] }) {
			list = append(list, trait{word: w, bit: 1})
		}
	}
	return list[:min(mostTried, len(list))]
}

// partCodes are the bits at one place of the numbers of the parts in which a process is. From one part to the next one
// bit changes.
func partCodes(steps, place int) []uint8 {
	codes := make([]uint8, steps+1)
	for at := range codes {
		value := (at + steps) % (steps + 1) // it comes to a step, or has ended
		part := value << (place + 1) / (steps + 1)
		codes[at] = uint8((part ^ part>>1) & 1)
	}
	return codes
}

// A stateSample are some states, and what they lead to.
type stateSample struct {
	states, after []step.State
	from          []int // per state of after, that which leads to it
	// The bits of slots that have been chosen, and of those with another one that is tried.
	in, to, tryIn, tryTo []uint8
}

const (
	sampleWalks = 200
	sampleSteps = 500  // of a walk
	sampleFirst = 1500 // states of walks
	sampleAll   = 4000 // states that are expanded
	sampleSize  = 2000 // the last of these
	sampleWords = 2 << 20
)

// sampleStates finds the states on some random walks, and then others by expanding any of those that it knows: where
// there are many states most of them are new. The machine is not used for anything else.
func sampleStates(m *step.Machine) (s *stateSample) {
	s = &stateSample{}
	rng, run := rand.New(rand.NewPCG(1, 2)), m.NewRunner()
	var enabled, open actionset.Set
	seen, list := map[string]bool{}, []step.State{}
	add := func(state step.State) {
		if key := stateKey(state); !seen[key] {
			seen[key] = true
			list = append(list, slices.Clone(state))
		}
	}
	for range sampleWalks {
		now := slices.Clone(m.Initial())
		add(now)
		for range sampleSteps {
			if findEnabled(m, run, now, &enabled, &open); enabled.Empty() || len(list) >= sampleFirst {
				break
			}
			a := enabled.Next(0)
			for skip := rng.IntN(enabled.Len()); skip > 0; skip-- {
				a = enabled.Next(a + 1)
			}
			run.Take(now, a)
			add(now)
		}
	}
	next, most := make(step.State, m.Words()), sampleWords/m.Words()/m.NumProcs()
	for n := 0; n < min(sampleAll, most, len(list)); n++ {
		i := n + rng.IntN(len(list)-n)
		list[i], list[n] = list[n], list[i]
		now := list[n]
		findEnabled(m, run, now, &enabled, &open)
		s.states = append(s.states, now)
		for a := enabled.Next(0); a >= 0; a = enabled.Next(a + 1) {
			copy(next, now)
			run.Take(next, a)
			add(next)
			s.after, s.from = append(s.after, slices.Clone(next)), append(s.from, n)
		}
	}
	if early := len(s.states) - sampleSize; early > 0 {
		s.states = s.states[early:]
		first := slices.IndexFunc(s.from, func(n int) bool { return n >= early })
		if first < 0 {
			first = len(s.from)
		}
		s.after, s.from = s.after[first:], s.from[first:]
		for i := range s.from {
			s.from[i] -= early
		}
	}
	s.in, s.tryIn = make([]uint8, len(s.states)), make([]uint8, len(s.states))
	s.to, s.tryTo = make([]uint8, len(s.after)), make([]uint8, len(s.after))
	return s
}

func stateKey(s step.State) string {
	b := make([]byte, 0, 8*len(s))
	for _, w := range s {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return string(b)
}

// choose finds the traits of the next bit.
func (s *stateSample) choose(bit int, list []trait, chosen func(t trait)) {
	for i := range s.in {
		s.in[i] <<= 1
	}
	for i := range s.to {
		s.to[i] <<= 1
	}
	owners := 2 << bit
	least := s.cost(owners, s.in, s.to)
	for range mostTraits {
		best, first := -1, least
		for i := range list {
			s.with(&list[i], s.tryIn, s.tryTo)
			if cost := s.cost(owners, s.tryIn, s.tryTo); cost < worthIt*first && cost < least {
				best, least = i, cost
			}
		}
		if best < 0 {
			return
		}
		chosen(list[best])
		s.with(&list[best], s.in, s.to)
	}
}

// with adds a trait to the last bit.
func (s *stateSample) with(t *trait, in, to []uint8) {
	for i, state := range s.states {
		in[i] = s.in[i] ^ t.of(state)
	}
	for i, state := range s.after {
		to[i] = s.to[i] ^ t.of(state)
	}
}

// worthIt is by how much the cost is to sink if another trait is to matter: a sample may show too much.
const worthIt = 0.9

// crossing is how many steps that stay with an owner cost as much as one that leads to another.
const crossing = 20

// fairShare is how many times its share the largest owner may have before that counts for itself: it takes memory, which
// there must be.
const fairShare = 1.2

// cost says how long a search takes by so many owners, more or less.
func (s *stateSample) cost(owners int, in, to []uint8) float64 {
	var has [slots.Many]int
	cross, most := 0, 0
	for _, slot := range in {
		has[slot]++
	}
	for i, slot := range to {
		if slot != in[s.from[i]] {
			cross++
		}
	}
	for _, n := range has {
		most = max(most, n)
	}
	share := float64(most*owners) / float64(len(in))
	much := max(1, share/fairShare)
	return share * much * much * much * much * (1 + crossing*float64(cross)/float64(max(1, len(to))))
}
