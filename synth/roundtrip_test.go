//go:build cgo && !noz3

package synth

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"regexp"
	"slices"
	"testing"

	"cdpor/constraints"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// writtenAndProved: what is written for a program can be read again, means the same, and check proves each entry and
// fact of it, the exact entries as the weakest.
func writtenAndProved(t *testing.T, s *Session, name string, prog *step.Program, set *constraints.Set) {
	t.Helper()
	file := set.Format()
	again, err := constraints.Load(prog, name, file)
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, file)
		return
	}
	if string(again.Format()) != string(file) {
		t.Errorf("%s: read and written again it is another file:\n%s\ninstead of\n%s", name, again.Format(), file)
	}
	if unnamed.Match(file) {
		t.Errorf("%s: a value is called by a name that says nothing:\n%s", name, file)
	}
	report, err := s.Check(context.Background(), prog, again)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, f := range report.Findings {
		t.Errorf("%s: %s\n%s", name, f.Text(), file)
	}
	for _, p := range report.Pairs {
		if p.Pair.Status == constraints.Exact && !p.Weakest {
			t.Errorf("%s: %s and %s are called exact, but check does not prove that\n%s", name, p.Pair.A.Name(),
				p.Pair.B.Name(), file)
		}
	}
}

// unnamed matches what a local of lowering would be called if nothing were known of it.
var unnamed = regexp.MustCompile(`\b(temp|unset)\d*\b|\$`)

// TestShippedFiles: what is written for the shipped programs is proved.
func TestShippedFiles(t *testing.T) {
	s, err := NewSession(Options{Readable: true})
	if err != nil {
		t.Fatal(err)
	}
	programs := shipped(t)
	for i, name := range slices.Sorted(maps.Keys(programs)) {
		if testing.Short() && i%2 > 0 {
			continue
		}
		set, _ := synthesisOf(t, programs[name], true)
		writtenAndProved(t, s, name, programs[name], set)
	}
}

// TestRandomFiles: so is what is written for random programs.
func TestRandomFiles(t *testing.T) {
	s, err := NewSession(Options{Readable: true})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{`cdpor: 1
atomicity: access
shared: {a: int = 1, ra: A}
bounds: {A: 2, A.m: 2}
actors:
  A(p int):
    methods:
      m(k int) int: |
        return k
threads:
  p: |
    let a1 = new A(0); ra = a1; let f = a1!m(1); a = await f
  q: a = a
`}
	texts = append(texts, knownElements, fewColours, knownMailbox, crashedMailboxes, besideAList,
		equalLists)
	for i := range *flagN {
		r := rand.New(rand.NewSource(*flagSeed + int64(i)))
		texts = append(texts, random.Program(r, random.Draw(r)))
	}
	for i, text := range texts {
		name, prog := fmt.Sprintf("program %d", i), load(t, text)
		set, _, err := s.Synthesize(context.Background(), prog)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		writtenAndProved(t, s, name, prog, set)
		if t.Failed() {
			t.Fatal(text)
		}
	}
}

// knownMailbox is a program in which a thread knows how much is in a mailbox, as nobody else sends there.
const knownMailbox = `cdpor: 1
shared: {a: int = 1, v: int8 = 127}
threads:
  p0: {count: 2, mailbox: {of: int, capacity: 3}, run: a = a}
  p2: |
    atomic { fetch_add(a, 1); v *= 2 }
    p0[1]!a
`

// knownElements is a program in which a thread knows its own element, and reads it with an index that only may be its
// own number.
const knownElements = `cdpor: 1
shared: {ticket: "array[2] int", last: int}
threads:
  client:
    count: 2
    run: |
      let seen = ticket[1 - self]
      draw: ticket[self] = seen + 1
      for other in 0..1 {
        if other != self { wait: await ticket[other] == 0 || ticket[self] < ticket[other] || self < other }
      }
      last = self
      ticket[self] = 0
check: {deadlock: allowed}
`

// fewColours is a program in which a variable never has one of the values of its type.
const fewColours = `cdpor: 1
types: {Colour: "enum [red, green, blue]"}
shared: {light: Colour, cars: int}
threads:
  lamp: light = green
  road: "go: if light == green { cars = 1 }"
`

// crashedMailboxes is a program in which one condition is about what is in a mailbox, while another mailbox of the same
// variable is received from.
const crashedMailboxes = `cdpor: 1
threads:
  p:
    count: 3
    mailbox: {of: int, capacity: 2, order: bag}
    run: |
      receive { case got if got != 0 { skip } }
crashes: {of: [p]}
check: {deadlock: allowed}
`

// equalLists is a program with a condition of too many cases, of which not every part can be evaluated everywhere.
const equalLists = `cdpor: 1
shared:
  l: "list[0..2, 3]"
  k: "list[0..2, 3]"
  i: 0..2
  j: 0..2 = 1
  x: int
  y: bool
threads:
  t0: |
    atomic { if !l.full() { l.append(1) }; skip }
    atomic { if !l.empty() { l.pop() } }
  t1: |
    atomic { x += 1; skip }
    atomic { y = l == k }
  t2: |
    atomic { x += 1; l = l[i:] }
    atomic { k = l[i:j] }
check: {deadlock: allowed}
`

// besideAList is a program of which steps change a word of a condition for another thread, and do what is not encoded.
const besideAList = `cdpor: 1
shared: {t: "array[3] int", l: "list[int, 4]", c: int}
threads:
  w:
    count: 3
    run: |
      atomic { t[self] = 1 - t[self]; l = l.sort() }
      atomic { if t[self] > 0 { c = 1 } }
  x:
    count: 3
    run: |
      let n = any(0..1)
      t[self] = n
`
