//go:build cgo && !noz3

package synth

import (
	"context"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
)

const waitingProgram = `cdpor: 1
name: test
shared: {m: mutex, c: cond, ready: bool}
threads:
  waiter:
    count: 3
    run: |
      lock m
      while !ready { c.wait(m) }
      unlock m
  waker: |
    lock m
    ready = true
    c.broadcast()
    unlock m
`

const flagsProgram = `cdpor: 1
name: test
shared: {flag: array[2] int, seen: array[2] bool, x: int, a: bool, b: bool}
threads:
  p:
    count: 2
    run: |
      set: flag[self] = 3
      all: await flag[0] >= 3 && flag[1] >= 3
      see: seen[self] = x == 1
  q: |
    look: a = flag[0] == 1
    step: x = 1
    both: atomic { await x > 0; x -= 1 }
    again: atomic { b = x == 2; a = x == 4 }
    up: x += 1
`

const swapProgram = `cdpor: 1
name: test
shared: {top: int, done: array[2] bool, from: array[2] int, to: array[2] int}
threads:
  p:
    count: 2
    run: |
      for k in 1..2 {
        let a = from[self]
        let b = to[self]
        set: done[self] = cas(top, a, b)
      }
  q: |
    for i in 0..1 { from[i] = i + 5 }
    for i in 0..1 { to[i] = i - top }
`

const votesProgram = `cdpor: 1
name: test
shared: {votes: array[5] bool, rows: array[2] array[3] bool, spent: array[3] int, leader: int, k: int}
threads:
  voter:
    count: 5
    run: |
      let yes = votes[k]
      vote: votes[self] = yes
      mark: rows[self % 2][k] = true
  counter: |
    elect: if 2 * votes.count(v, v) > 5 { leader = 1 }
    look: if rows[leader].count(v, v) == 3 { leader = 0 }
    watch: await spent.sum() < 10
  shop: |
    buy: spent[k] += 4
`

// TestShortened: conditions are written with what the language has words for, and nothing in them is superfluous.
func TestShortened(t *testing.T) {
	waiting, flags, swap := synthesize(t, waitingProgram), synthesize(t, flagsProgram), synthesize(t, swapProgram)
	votes := synthesize(t, votesProgram)
	crowd, _, err := Synthesize(t.Context(), load(t, waitingProgram+"  other: {count: 4, run: ready = true}\n"),
		Options{}) // of seven threads three wait
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		set  *constraints.Set
		a, b string
		want string
	}{
		{waiting, "waiter.1", "waiter.4", "m.held() || q.waits(c)"},
		{waiting, "waiter.4", "waiter.4", "m.held() || p.waits(c) || q.waits(c)"},
		{waiting, "waiter.4", "waker.3", "m.held() || !p.waits(c)"},
		{crowd, "waiter.4", "waiter.4", "m.held() || p.waits(c) || q.waits(c)"},
		{flags, "p.set", "p.all", "flag[p.self] >= 3 || flag[1 - p.self] < 3"},
		{flags, "p.see", "q.up", "x != 0 && x != 1"},
		{swap, "p.set", "p.set", "(top != p.a || (top == q.a) == (p.b == q.a)) && (top != q.a || (top " +
			"== p.a) == (p.a == q.b))"},
		{votes, "voter.vote", "counter.elect", "votes.count(v, v) != 2 && yes || votes.count(v, v) != 3 && !yes " +
			"|| yes == votes[p.self]"},
		{votes, "voter.mark", "counter.look", "rows[leader].count(v, v) != 2 && rows[leader].count(v, v) != 3 || " +
			"p.self % 2 != leader || rows[leader][k]"},
		{votes, "counter.watch", "shop.buy", "spent.sum() < 6 || spent.sum() >= 10"},
	} {
		p := find(t, test.set, test.a, test.b)
		if got := lang.FormatExpr(p.Commute, p.A.Template, p.B.Template); got != test.want ||
			p.Status != constraints.Exact {
			t.Errorf("%s, %s: %s (%s), want %s", test.a, test.b, got, p.Status, test.want)
		}
	}
}

// TestShortenedHolds: what is written short is proved as it stands, when it is read from a file again.
func TestShortenedHolds(t *testing.T) {
	for _, text := range []string{waitingProgram, flagsProgram, swapProgram, votesProgram} {
		set := synthesize(t, text)
		again, err := constraints.Load(set.Program, "test.yaml", set.Format())
		if err != nil {
			t.Fatal(err)
		}
		if string(again.Format()) != string(set.Format()) {
			t.Errorf("read again it is written as\n%s", again.Format())
		}
		report, err := Check(context.Background(), set.Program, again, Options{})
		if err != nil || !report.OK() {
			t.Errorf("%v, %v in\n%s", err, report, set.Format())
		}
		if strings.Contains(string(set.Format()), "waiters[") {
			t.Errorf("a queue is written out:\n%s", set.Format())
		}
	}
}

// TestDefinitionsProved: check proves conditions with what their names stand for, and refutes them after an edit of
// that.
func TestDefinitionsProved(t *testing.T) {
	prog := shipped(t)["programs/filter-lock.yaml"]
	set, _, err := Synthesize(context.Background(), prog, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(set.Format())
	_, defined, _ := strings.Cut(text, "\ndefine:")
	if len(set.Definitions) == 0 || !strings.Contains(defined, "level[p.self] >= q.l") {
		t.Fatalf("there is nothing to edit in\n%s", text)
	}
	wrong := strings.Replace(text, "level[p.self] >= q.l", "level[p.self] > q.l", 1)
	for file, ok := range map[string]bool{text: true, wrong: false} {
		again, err := constraints.Load(prog, "c.yaml", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		report, err := Check(context.Background(), prog, again, Options{})
		if err != nil || report.OK() != ok {
			t.Errorf("%v, %v in\n%s", err, report, file)
		}
	}
}
