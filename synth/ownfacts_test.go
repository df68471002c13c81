//go:build cgo && !noz3

package synth

import (
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
)

const monitor = `
cdpor: 1
name: monitor
shared: {m: mutex, ms: "array[2] mutex", c: cond, x: int, stop: bool, want: "array[2] bool", seen: "array[2] bool"}
threads:
  t:
    count: 2
    run: |
      raise: want[self] = true
      with lock m { while x == 0 { c.wait(m) } }
      ask: await !want[1 - self] || stop
      lower: want[self] = false
      note: seen[1 - self] = true
      get: lock ms[self]
      put: unlock ms[self]
  u: |
    with lock m { x = 1; c.signal() }
    close: stop = true
    again: if stop { x = 2 }
    other: lock ms[0]
    back: unlock ms[0]
`

// TestStepFacts: what a process holds at a step, and what it alone has written, is assumed there, proved, and no
// condition says it.
func TestStepFacts(t *testing.T) {
	src, err := lang.Load("monitor.yaml", []byte(monitor), lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set, _, err := Synthesize(t.Context(), src.Program, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(set.Format())
	for _, want := range []string{
		"- t.4: self.holds(m)\n", `- u.close: "!stop"`, "- t.put: self.holds(ms[self])\n",
		"[t.2, t.4]\n    commute: \"false\"", "[t.4, t.5]\n    commute: q.waits(c)\n", "- [t.4, t.4, t.6, u.3, u.4]\n",
		"- t.lower: want[self]", "[t.ask, t.lower]\n    commute: stop\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, unwanted := range []string{"always: \"!stop\"", "seen"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("%q is in\n%s", unwanted, text)
		}
	}
	for edit, refuted := range map[string]bool{"": false, "self.holds(m)=self.holds(ms[0])": true,
		"!stop\"=stop\"":        true,
		"ms[self]=ms[1 - self]": true, "commute: q.waits(c)=commute: q.waits(c) || c.waiters.size() == 2": true} {
		from, to, _ := strings.Cut(edit, "=")
		edited := strings.Replace(text, from, to, 1)
		again, err := constraints.Load(set.Program, "c.yaml", []byte(edited))
		if err != nil {
			t.Fatalf("%s: %v", edit, err)
		}
		report, err := Check(t.Context(), set.Program, again, Options{})
		if err != nil || report.OK() == refuted {
			t.Errorf("%q: %v, findings %v", edit, err, report.Findings)
		}
	}
}

const twoLocks = `cdpor: 1
name: two-locks
params: {CAP: 3}
shared: {count: int, front: mutex, back: mutex, seen: bool}
threads:
  producer:
    count: 2
    run: |
      for i in 1..9 {
        lock back
        room: await count < CAP
        grow: count += 1
        unlock back
      }
  consumer:
    count: 2
    run: |
      for i in 1..9 {
        lock front
        some: await count > 0
        shrink: count -= 1
        unlock front
      }
  monitor: "look: seen = count in 0..CAP"
`

// TestInterference: what a step has tested is known at the next ones as far as others leave it, and conditions do not
// speak of what cannot be.
func TestInterference(t *testing.T) {
	for edit, want := range map[string][]string{
		"": {"- always: count in 0..CAP\n", "[producer.room, consumer.shrink]\n    commute: count < CAP\n",
			"[producer.grow, consumer.some]\n    commute: count > 0\n"},
		"look: seen=look: count += 1; seen": { // without the lock
			"- always: count in 0..19\n", "[producer.room, consumer.shrink]\n    commute: count != CAP\n"},
	} {
		from, to, _ := strings.Cut(edit, "=")
		set, _, err := Synthesize(t.Context(), load(t, strings.Replace(twoLocks, from, to, 1)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if text := string(set.Format()); !strings.Contains(text, line) {
				t.Errorf("%q: %q is missing in\n%s", edit, line, text)
			}
		}
		report, err := Check(t.Context(), set.Program, set, Options{})
		if err != nil || !report.OK() {
			t.Errorf("%q: %v, findings %v", edit, err, report.Findings)
		}
	}
}
