package explore

import (
	"math"
	"math/bits"
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
// first bit says whose a state is. A bit is whether an odd number of some processes are in the second half of their
// text, or in an odd part of more parts. So only a step from one part to the next one changes it. How many processes that
// had best be, and which, is found by trying partitions on a sample of the states.

const (
	codeBits    = 6 // of the number of a slot
	mostParts   = 6 // bits of the number of the part in which a process is
	mostRefined = 6 // hashes of words that are added
)

// A partition says in which slot a state is. It is the same wherever the program is explored.
type partition struct {
	words []int     // that matter
	codes [][]uint8 // per such word and value plus one, what is added to the slot, bit by bit; nil: a hash of the value
	all   bool      // a hash of all words instead
}

func (p *partition) slot(s step.State) int {
	if p.all {
		h := uint64(0)
		for _, w := range s {
			h = stateset.HashKey(h ^ uint64(w))
		}
		return int(h >> (64 - codeBits))
	}
	slot := uint8(0)
	for i, w := range p.words {
		slot ^= codeOf(p.codes[i], w, s[w])
	}
	return int(slot)
}

// codeOf is what the value of a word adds to the slot.
func codeOf(codes []uint8, word int, v int64) uint8 {
	if codes == nil {
		return uint8(stateset.HashKey(uint64(v)+uint64(word)<<48) >> (64 - codeBits))
	}
	return codes[min(uint64(v+1), uint64(len(codes)-1))]
}

// newPartition finds a partition that does well on a sample of the states. Of the best ones of several kinds, which fit
// the sample more or less by chance, another sample tells which it is.
func newPartition(m *step.Machine) *partition {
	fresh := m.Fresh()
	sample, other := sampleStates(fresh, 1), sampleStates(fresh, 2)
	best, least := &partition{}, math.Inf(1)
	for parts := 1; parts <= mostParts; parts++ {
		for together := 1; together <= 4; together++ {
			for first := range min(3, m.NumProcs()) {
				p := partitionBy(m, parts, together, first)
				if cost := sample.cost(sample.slots(p)); cost < least {
					best, least = p, cost
				}
			}
		}
	}
	list := []*partition{best, sample.refine(best), sample.refine(&partition{}), {all: true}}
	least = math.Inf(1)
	for _, p := range list {
		if cost := other.cost(other.slots(p)); cost < least*worthIt {
			best, least = p, cost
		}
	}
	return best
}

// partitionBy makes a partition: the text of each process is divided into 1<<parts parts, and so many bits of the
// numbers of the parts are added to make a bit of the slot.
func partitionBy(m *step.Machine, parts, together, first int) *partition {
	p := &partition{}
	next := 0 // bit of a number of parts
	for i := range m.Program.Procs {
		proc := (i + first) % m.NumProcs()
		steps := len(m.Program.Procs[proc].Template.Steps)
		codes := make([]uint8, steps+1)
		used := min(parts, bits.Len(uint(steps)))
		if next >= codeBits*together {
			break
		}
		for at := range codes {
			value := (at + steps) % (steps + 1) // it comes to a step, or has ended
			part := value << used / (steps + 1)
			part ^= part >> 1 // one bit changes from one part to the next
			for b := range used {
				if part>>(used-1-b)&1 != 0 {
					codes[at] ^= 1 << (codeBits - 1 - (next+b)%codeBits)
				}
			}
		}
		next += used
		p.words, p.codes = append(p.words, m.LocalBase(proc)-1), append(p.codes, codes)
	}
	return p
}

// refine adds hashes of words to a partition as long as it gets better.
func (s *stateSample) refine(p *partition) *partition {
	in, to := s.slots(p)
	least := s.cost(in, to)
	tryIn, tryTo := make([]uint8, len(in)), make([]uint8, len(to))
	for range mostRefined {
		best, first := -1, least
		for _, w := range s.varied() {
			if s.hashed(w, in, to, tryIn, tryTo); !slices.Contains(p.words, w) {
				if cost := s.cost(tryIn, tryTo); cost < worthIt*first && cost < least {
					best, least = w, cost
				}
			}
		}
		if best < 0 {
			break
		}
		s.hashed(best, in, to, in, to)
		p = &partition{words: append(slices.Clip(p.words), best), codes: append(slices.Clip(p.codes), nil)}
	}
	return p
}

// A stateSample are some states, and what they lead to.
type stateSample struct {
	states, after []step.State
	from          []int // per state of after, that which leads to it
}

const (
	sampleWalks = 40
	sampleSteps = 500  // of a walk
	sampleFirst = 400  // states of walks
	sampleAll   = 4000 // states that are expanded
	sampleSize  = 2000 // the last of these
	sampleWords = 2 << 20
)

// sampleStates finds the states on some random walks, and then others by expanding any of those that it knows: where
// there are many states most of them are new. The machine is not used for anything else.
func sampleStates(m *step.Machine, seed uint64) (s stateSample) {
	rng, run := rand.New(rand.NewPCG(1, seed)), m.NewRunner()
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
	return s
}

func stateKey(s step.State) string {
	b := make([]byte, 0, 8*len(s))
	for _, w := range s {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return string(b)
}

// worthIt is by how much the cost is to sink if another word is to matter, or the order of steps is not to: a sample may
// show too much.
const worthIt = 0.9

// fairShare is how many times its share the largest owner may have before that counts for itself.
const fairShare = 1.3

// crossing is how many steps that stay with an owner cost as much as one that leads to another.
const crossing = 10

// slots are those of the states.
func (s *stateSample) slots(p *partition) (in, to []uint8) {
	in, to = make([]uint8, len(s.states)), make([]uint8, len(s.after))
	for i, state := range s.states {
		in[i] = uint8(p.slot(state))
	}
	for i, state := range s.after {
		to[i] = uint8(p.slot(state))
	}
	return in, to
}

// varied are the words that have several values.
func (s *stateSample) varied() (words []int) {
	for w := range s.states[0] {
		if slices.ContainsFunc(s.states, func(state step.State) bool { return state[w] != s.states[0][w] }) {
			words = append(words, w)
		}
	}
	return words
}

// hashed adds the hash of a word to slots.
func (s *stateSample) hashed(w int, in, to, newIn, newTo []uint8) {
	for i, state := range s.states {
		newIn[i] = in[i] ^ codeOf(nil, w, state[w])
	}
	for i, state := range s.after {
		newTo[i] = to[i] ^ codeOf(nil, w, state[w])
	}
}

// cost says how long a search takes with a partition, more or less, for several numbers of owners. The share of the
// largest one counts more than it takes time: it takes memory, too, which there must be.
func (s *stateSample) cost(in, to []uint8) (cost float64) {
	for owners := 2; owners <= 8; owners *= 2 {
		each := slots.Many / owners
		has := make([]int, owners)
		most, cross := 0, 0
		for _, slot := range in {
			has[int(slot)/each]++
			most = max(most, has[int(slot)/each])
		}
		for i, slot := range to {
			if int(slot)/each != int(in[s.from[i]])/each {
				cross++
			}
		}
		share := float64(most*owners) / float64(len(in))
		much := max(1, share/fairShare)
		cost += share * much * much * much * (1 + crossing*float64(cross)/float64(max(1, len(to))))
	}
	return cost
}
