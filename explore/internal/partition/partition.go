package partition

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/program"
	"cdpor/explore/internal/slots"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// Which slot a state is in (package states). What matters is that few steps lead from the slots of one owner to
// those of another, because such a state has to be sent, and that all owners have about as many states.
//
// A slot is a number of six bits, and owners have slots that follow each other, as far as possible: with two owners
// the first bit says whose a state is, with four the first two. A bit is whether an odd number of some traits are
// there: that a process is in a later part of its text, which only a step from one part to the next one changes, or
// what a hash of a word says. Which traits these are is found by trying them on a sample of the states, bit by bit.

// A Partition says in which slot a state is. It is the same wherever the program is explored.
type Partition []trait

// A trait adds something to the number of a slot, bit by bit.
type trait struct {
	word  int     // that matters; -1: all
	codes []uint8 // per value plus one of the word
	bits  uint8   // for a value that is not there: added if a bit of its hash is set
}

func (p Partition) Slot(s step.State) int {
	slot := uint8(0)
	for i := range p {
		slot ^= p[i].of(s)
	}
	return int(slot)
}

func (t *trait) of(s step.State) uint8 {
	if t.word < 0 {
		h := uint64(0)
		for _, w := range s {
			h = stateset.HashKey(h ^ uint64(w))
		}
		return uint8(h>>63) * t.bits
	}
	if v := uint64(s[t.word] + 1); v < uint64(len(t.codes)) {
		return t.codes[v]
	}
	return hashBit(s[t.word]) * t.bits
}

func hashBit(v int64) uint8 { return uint8(stateset.HashKey(uint64(v)) >> 63) }

const (
	codeBits   = 6   // of the number of a slot
	mostParts  = 3   // bits of the number of the part in which a process is
	mostTraits = 4   // of a bit
	mostTried  = 120 // traits
	mostCodes  = 256 // values of a word that are looked up
	beginnings = 6   // traits to begin a bit with
)

// New finds a partition that does well on a sample of the states.
func New(m *step.Machine) (p Partition) {
	sample := sampleStates(m.Fresh())
	sample.findTraits(m)
	for bit := range codeBits {
		for _, i := range sample.choose(2 << bit) {
			p = p.with(sample.traits[i], uint8(1)<<(codeBits-1-bit))
		}
	}
	return p
}

// with adds a trait for one bit.
func (p Partition) with(t trait, bit uint8) Partition {
	i := slices.IndexFunc(p, func(u trait) bool { return u.word == t.word })
	if i < 0 {
		i, p = len(p), append(p, trait{word: t.word, codes: make([]uint8, len(t.codes))})
	}
	if more := len(t.codes) - len(p[i].codes); more > 0 { // for values that a position does not have
		p[i].codes = append(p[i].codes, make([]uint8, more)...)
	}
	for at, code := range t.codes {
		p[i].codes[at] ^= code * bit
	}
	p[i].bits ^= t.bits * bit
	return p
}

// findTraits finds those that are tried, for the last bit.
func (s *stateSample) findTraits(m *step.Machine) {
	for place := range mostParts {
		for i, proc := range m.Program.Procs {
			if steps := len(proc.Template.Steps); steps >= 1<<place {
				s.traits = append(s.traits, trait{word: m.LocalBase(i) - 1, codes: partCodes(steps, place)})
			}
		}
	}
	s.traits = append(s.traits, trait{word: -1, bits: 1})
	hashes := make([]uint8, mostCodes)
	for v := range hashes {
		hashes[v] = hashBit(int64(v) - 1)
	}
	for w := range s.states[0] {
		if slices.ContainsFunc(s.states, func(state step.State) bool { return state[w] != s.states[0][w] }) {
			s.traits = append(s.traits, trait{word: w, codes: hashes, bits: 1})
		}
	}
	s.traits = s.traits[:min(mostTried, len(s.traits))]
	for i := range s.traits {
		s.columns = append(s.columns, column{s.apply(&s.traits[i], s.states), s.apply(&s.traits[i], s.after),
			s.traits[i].word < 0})
	}
	s.chosen = column{make([]uint8, len(s.states)), make([]uint8, len(s.after)), false}
}

// apply is what a trait is in some states.
func (s *stateSample) apply(t *trait, states []step.State) []uint8 {
	list := make([]uint8, len(states))
	for i, state := range states {
		list[i] = t.of(state)
	}
	return list
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

	traits  []trait
	columns []column // what they are there
	chosen  column   // the bits of slots that have been chosen
}

// A column has something for each state, and for what they lead to.
type column struct {
	states, after []uint8
	whole         bool // all words matter
}

// plus adds a column to the last bit of another one.
func (c column) plus(d column) column {
	c = column{slices.Clone(c.states), slices.Clone(c.after), false}
	for i, v := range d.states {
		c.states[i] ^= v
	}
	for i, v := range d.after {
		c.after[i] ^= v
	}
	return c
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
			if program.FindEnabled(m, run, now, &enabled, &open); enabled.Empty() || len(list) >= sampleFirst {
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
	next, most := make(step.State, m.Words()), max(1, sampleWords/m.Words()/m.NumProcs())
	for n := 0; n < min(sampleAll, most, len(list)); n++ {
		i := n + rng.IntN(len(list)-n)
		list[i], list[n] = list[n], list[i]
		now := list[n]
		program.FindEnabled(m, run, now, &enabled, &open)
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
	return s
}

func stateKey(s step.State) string {
	b := make([]byte, 0, 8*len(s))
	for _, w := range s {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return string(b)
}

// choose finds the traits of the next bit, with which there are so many owners: it begins with one of those that do
// best alone, and adds others.
func (s *stateSample) choose(owners int) (best []int) {
	for i := range s.chosen.states {
		s.chosen.states[i] <<= 1
	}
	for i := range s.chosen.after {
		s.chosen.after[i] <<= 1
	}
	alone := make([]float64, len(s.columns))
	order := make([]int, len(s.columns))
	for i := range s.columns {
		alone[i], order[i] = s.cost(owners, &s.chosen, &s.columns[i]), i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(alone[i], alone[j]) })
	chosen, least := s.chosen, math.Inf(1)
	for _, i := range order[:min(beginnings, len(order))] {
		list, with, cost := s.add([]int{i}, owners, s.chosen.plus(s.columns[i]), alone[i])
		if cost < least {
			best, chosen, least = list, with, cost
		}
		if owners > 4 {
			break
		}
	}
	s.chosen = chosen
	return best
}

// add adds traits to a bit as long as that gets better.
func (s *stateSample) add(list []int, owners int, with column, least float64) ([]int, column, float64) {
	for len(list) < mostTraits {
		best, first := -1, least
		for i := range s.columns {
			if cost := s.cost(owners, &with, &s.columns[i]); cost < worthIt*first && cost < least {
				best, least = i, cost
			}
		}
		if best < 0 {
			break
		}
		list, with = append(list, best), with.plus(s.columns[best])
	}
	return list, with, least
}

// worthIt is by how much the cost is to sink if another trait is to matter: a sample may show too much.
const worthIt = 0.9

// crossing is how many steps that stay with an owner cost as much as one that leads to another.
const crossing = 20

// fairShare is how many times its share the largest owner may have before that counts for itself: it takes memory,
// which there must be.
const fairShare = 1.3

// hashing is how many times as much a hash of all words costs.
const hashing = 1.2

// cost says how long a search takes by so many owners, more or less, if a trait is added to a slot.
func (s *stateSample) cost(owners int, c, t *column) float64 {
	var has [slots.Many]int
	cross, most := 0, 0
	for i, slot := range c.states {
		has[slot^t.states[i]]++
	}
	for i, slot := range c.after {
		if from := s.from[i]; slot^t.after[i] != c.states[from]^t.states[from] {
			cross++
		}
	}
	for _, n := range has {
		most = max(most, n)
	}
	share := float64(most*owners) / float64(len(c.states))
	if t.whole {
		share *= hashing
	}
	much := max(1, share/fairShare)
	return share * much * much * much * much * (1 + crossing*float64(cross)/float64(max(1, len(c.after))))
}
