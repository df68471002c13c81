package partition

import (
	"slices"
	"testing"

	"cdpor/explore/internal/slots"
	"cdpor/lang/langtest"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

func machine(t *testing.T, text string) *step.Machine {
	return langtest.Machine(t, "program.yaml", text, nil)
}

// TestPartCodes: the numbers of the parts of a text follow each other like a Gray code, and all parts are there.
func TestPartCodes(t *testing.T) {
	for _, test := range []struct{ steps, places, parts int }{
		{1, 1, 2}, {2, 1, 2}, {3, 2, 4}, {7, 2, 4}, {7, 3, 8}, {40, 3, 8},
	} {
		var numbers []int // of the parts, in the order of the text
		for value := range test.steps + 1 {
			number := 0
			for place := range test.places { // at is the word of a process plus one: 0 has ended, n is at step n-1
				number |= int(partCodes(test.steps, place)[(value+1)%(test.steps+1)]) << (test.places - 1 - place)
			}
			numbers = append(numbers, number)
		}
		steps := slices.Compact(numbers)
		for i := 1; i < len(steps); i++ {
			if x := steps[i] ^ steps[i-1]; x&(x-1) != 0 {
				t.Errorf("%+v: from part %b to %b more than one bit changes", test, steps[i-1], steps[i])
			}
		}
		slices.Sort(steps)
		if got := len(slices.Compact(steps)); got != test.parts {
			t.Errorf("%+v: there are %d parts", test, got)
		}
	}
}

// TestWith: a bit of a slot is the parity of its traits, also of several of one word, whose values may be others.
func TestWith(t *testing.T) {
	odd := trait{word: 0, codes: []uint8{0, 0, 1, 0, 1}} // of the values -1 to 3: 1 and 3
	two := trait{word: 0, codes: []uint8{0, 0, 0, 1}}
	other := trait{word: 1, codes: []uint8{0, 1, 0}}
	for _, test := range []struct {
		name string
		p    Partition
		want []int // by the values 0 to 3 of word 0, word 1 being 0
	}{
		{"none", Partition{}, []int{0, 0, 0, 0}},
		{"one", Partition{}.with(odd, 4), []int{0, 4, 0, 4}},
		{"two bits", Partition{}.with(odd, 4).with(odd, 1), []int{0, 5, 0, 5}},
		{"twice", Partition{}.with(odd, 4).with(odd, 4), []int{0, 0, 0, 0}},
		{"one word", Partition{}.with(two, 4).with(odd, 4), []int{0, 4, 4, 4}},
		{"two words", Partition{}.with(odd, 4).with(other, 4), []int{4, 0, 4, 0}},
	} {
		var got []int
		for v := range int64(4) {
			got = append(got, test.p.Slot(step.State{v, 0}))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

const counters = `
cdpor: 1
shared: {a: 0..9, b: 0..9}
threads:
  p: {count: 2, run: "for i in 1..4 { a += 1 }"}
  q: "for i in 1..9 { b += 1 }"
`

const locks = `
cdpor: 1
params: {N: 4}
shared: {fork: array[N] mutex, meals: array[N] int}
threads:
  p:
    count: N
    run: |
      for i in 1..2 {
        lock fork[min(self, (self + 1) % N)]
        lock fork[max(self, (self + 1) % N)]
        meals[self] += 1
        unlock fork[self]
        unlock fork[(self + 1) % N]
      }
`

// TestNew: slots are the same on each machine, those of two owners are about equally full, and fewer steps lead from
// one to the other than if a hash of the state said who owns it.
func TestNew(t *testing.T) {
	for _, test := range []struct{ name, text string }{{"counters", counters}, {"locks", locks}} {
		m := machine(t, test.text)
		p := New(m)
		if diff := cmp.Diff(p, New(machine(t, test.text)), cmp.AllowUnexported(trait{})); diff != "" {
			t.Errorf("%s: another machine has another partition:\n%s", test.name, diff)
		}
		sample := sampleStates(m.Fresh())
		hash := trait{word: -1, bits: 1}
		var owned [2]int
		cross, byHash := 0, 0
		for _, s := range sample.states {
			slot := p.Slot(s)
			if slot < 0 || slot >= slots.Many {
				t.Fatalf("%s: slot %d", test.name, slot)
			}
			owned[slot/(slots.Many/2)]++
		}
		for i, s := range sample.after {
			from := sample.states[sample.from[i]]
			if p.Slot(s)/(slots.Many/2) != p.Slot(from)/(slots.Many/2) {
				cross++
			}
			if hash.of(s) != hash.of(from) {
				byHash++
			}
		}
		if most := max(owned[0], owned[1]); float64(most) > 0.7*float64(len(sample.states)) {
			t.Errorf("%s: an owner has %d of %d states", test.name, most, len(sample.states))
		}
		if 3*cross > byHash {
			t.Errorf("%s: %d of %d steps lead to the other owner, %d by a hash", test.name, cross, len(sample.after),
				byHash)
		}
	}
}
