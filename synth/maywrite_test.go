//go:build cgo && !noz3

package synth

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// TestReach: that a message is received from the mailbox of a third node does not concern what two others send. To see
// it the receiving is not gone through, message by message, with questions.
func TestReach(t *testing.T) {
	prog := load(t, `cdpor: 1
params: {N: 3}
shared: {leader: "array[N] int"}
threads:
  node:
    count: N
    mailbox: {of: int, order: bag, capacity: 6}
    run: |
      var best = self
      node[(self + 1) % N]!self
      for i in 1..N {
        receive {
          case m if m > best { best = m; if i < N { node[(self + 1) % N]!m } }
          case m { if i < N { node[(self + 1) % N]!best } }
        }
      }
      leader[self] = best
check: {deadlock: allowed}
`)
	_, stats, err := Synthesize(context.Background(), prog, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Cost.Queries > 4000 { // 5478 if it is
		t.Errorf("%d questions", stats.Cost.Queries)
	}
}

// TestReachAgainstInterpreter compares constraints of programs in which steps choose elements of arrays by locals that
// they change, by shared variables, and by numbers that may be out of range.
func TestReachAgainstInterpreter(t *testing.T) {
	count := againstInterpreter(t, *flagN/6, reaching)
	if count.unknown*20 > count.pairs {
		t.Errorf("%d of %d pairs are unknown", count.unknown, count.pairs)
	}
}

// reaching draws such a program.
func reaching(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	index := func() string {
		return pick("self", "self", "k", "k", "(k + 1) % 2", "(self + 1) % 2", "2 * k", "b", "0")
	}
	place := func() string {
		return pick("a["+index()+"].x", "a["+index()+"].y", "a["+index()+"].x", "c["+index()+"]", "b",
			"g["+index()+"]["+index()+"]")
	}
	value := func() string { return pick("0", "1", "k", place(), "1 - k", "b") }
	var statement func(depth int) string
	statement = func(depth int) string {
		switch r.Intn(5 - depth) {
		case 0, 1:
			return place() + " = " + value()
		case 2:
			return pick("k = 1 - k", "k = b", "k = a[self].x", "k = (self + k) % 2")
		case 3:
			return fmt.Sprintf("if %s == %s { %s }", place(), value(), statement(1))
		}
		return fmt.Sprintf("%s; %s", statement(1), statement(1))
	}
	var b strings.Builder
	b.WriteString("cdpor: 1\ntypes:\n  R: record {x 0..1, y 0..1}\n" +
		"shared: {a: \"array[2] R\", c: \"array[2] 0..1\", b: 0..1, g: \"array[2] array[2] 0..1\"}\nthreads:\n")
	for i := range 3 {
		fmt.Fprintf(&b, "  t%d:\n    count: %d\n    run: |\n      var k 0..1\n", i, 1+r.Intn(2))
		for range 1 + r.Intn(2) {
			fmt.Fprintf(&b, "      atomic { %s; %s }\n", statement(0), statement(0))
		}
	}
	b.WriteString("check: {deadlock: allowed}\n")
	return b.String()
}
