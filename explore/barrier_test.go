package explore

import (
	"context"
	"strings"
	"testing"

	"cdpor/explore/internal/states"
	"cdpor/lang/langtest"
	"cdpor/lang/step"
)

// Barriers in loops: the round alternates where it can, so that searches that compare states end, and counts where a
// waiting thread could else miss it.

func barrierMachine(t *testing.T, text string) *step.Machine {
	return langtest.Machine(t, "barrier.yaml", "cdpor: 1\n"+text, nil)
}

// TestEndlessBarrier: threads that meet at a barrier for ever have few states.
func TestEndlessBarrier(t *testing.T) {
	for _, c := range []struct {
		threads string
		states  int64 // of the full graph
	}{{"2", 29}, {"3", 125}} {
		text := strings.ReplaceAll(`params: {N: 2}
shared: {b: barrier(N), x: int}
threads: {t: {count: N, run: "while true { x = 1; b.wait() }"}}
check: {termination: allowed, deadlock: forbidden}
`, "N: 2", "N: "+c.threads)
		m := barrierMachine(t, text)
		for _, name := range []string{"exhaustive", "auto", "source"} {
			a, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			res, err := Run(context.Background(), m, a, Options{MaxDepth: 3000, Visited: name == "source"})
			if err != nil {
				t.Fatal(err)
			}
			if res.Stopped != StoppedComplete || len(res.Violations) > 0 ||
				name == "exhaustive" && res.States != c.states {
				t.Errorf("%s with %s threads: %s, %d violations, %d states instead of %d",
					name, c.threads, res.Stopped, len(res.Violations), res.States, c.states)
			}
		}
	}
}

// TestBarrierRounds: whether the round alternates or counts, which it does where it is read, the ends are the same.
func TestBarrierRounds(t *testing.T) {
	const text = `shared: {b: barrier(2), x: int, y: int}
threads:
  p: "for i in 1..3 { x += i; b.wait(); y = 2 * y + x; b.wait() }"
  q: "for i in 1..3 { y += i; b.wait(); x = 3 * x - y; b.wait() }"
observe: [x, y]
`
	run := func(text string) (outcomes []string, visited int64) {
		res, err := Run(context.Background(), barrierMachine(t, text), states.Algorithm, Options{})
		if err != nil || len(res.Violations) > 0 || res.Deadlocks.Len() > 0 {
			t.Fatal(err, res.Violations)
		}
		for _, o := range res.Outcomes.All() {
			outcomes = append(outcomes, string(step.State(o.Words).Bytes()))
		}
		return outcomes, res.States
	}
	alternates, fewer := run(text)
	counts, more := run(text + "check: {final: b.round == 6}\n")
	if len(counts) < 4 || !sameTexts(alternates, counts) || fewer > more {
		t.Errorf("%d outcomes in %d states; where the round counts, %d in %d",
			len(alternates), fewer, len(counts), more)
	}
}

func sameTexts(a, b []string) bool {
	all := map[string]bool{}
	for _, s := range a {
		all[s] = true
	}
	for _, s := range b {
		if !all[s] {
			return false
		}
	}
	return len(a) == len(b)
}

// TestOvertakenAtBarrier: two rounds go by while a waits to go on after the first.
func TestOvertakenAtBarrier(t *testing.T) {
	m := barrierMachine(t, `shared: {b: barrier(2), x: int}
threads:
  a: "b.wait(); x = 1"
  c: "b.wait(); b.wait()"
  d: "b.wait()"
check: {deadlock: forbidden}
`)
	res, err := Run(context.Background(), m, states.Algorithm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Outcomes.Len() == 0 || res.Stopped != StoppedComplete {
		t.Fatal(res.Stopped)
	}
	// c may stand at the barrier alone when the others have met: nobody is left who could come.
	for _, d := range res.Deadlocks.All() {
		for p, proc := range m.Program.Procs {
			if proc.Name != "c" && m.StepOf(step.State(d.Words), p) != nil {
				t.Errorf("%s misses its round", proc.Name)
			}
		}
	}
}
