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

// TestShortened: conditions are written with what the language has words for, and nothing in them is superfluous.
func TestShortened(t *testing.T) {
	waiting, flags := synthesize(t, waitingProgram), synthesize(t, flagsProgram)
	for _, test := range []struct {
		set  *constraints.Set
		a, b string
		want string
	}{
		{waiting, "waiter.1", "waiter.4", "m.held() || q.waits(c)"},
		{waiting, "waiter.4", "waiter.4", "m.held() || p.waits(c) || q.waits(c)"},
		{waiting, "waiter.4", "waker.3", "m.held() || !p.waits(c)"},
		{flags, "p.set", "p.all", "flag[p.self] >= 3 || flag[1 - p.self] < 3"},
		{flags, "p.see", "q.up", "!(x in 0..1)"},
	} {
		p := find(t, test.set, test.a, test.b)
		if got := lang.FormatExpr(p.Commute, p.A.Template, p.B.Template); got != test.want || p.Status != constraints.Exact {
			t.Errorf("%s, %s: %s (%s), want %s", test.a, test.b, got, p.Status, test.want)
		}
	}
}

// TestShortenedHolds: what is written short is proved as it stands, when it is read from a file again.
func TestShortenedHolds(t *testing.T) {
	for _, text := range []string{waitingProgram, flagsProgram} {
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
