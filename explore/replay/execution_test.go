package replay_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang/langtest"
	"cdpor/lang/step"
)

func load(t testing.TB, text string) *step.Machine {
	return langtest.Machine(t, "p.yaml", text, nil)
}

// play runs a schedule of a program of shared variables, threads and a rest.
func play(t testing.TB, shared, threads, rest, schedule string) (*replay.Player, *replay.Execution, error) {
	t.Helper()
	m := load(t, "cdpor: 1\n"+strings.TrimSuffix("shared: {"+shared+"}\nthreads:\n  "+threads+"\n"+rest, "\n")+"\n")
	p, err := replay.New(m)
	if err != nil {
		t.Fatal(err)
	}
	l, err := schedules.ParseLasso(m, schedule)
	if err != nil {
		t.Fatal(err)
	}
	x, err := p.Run(context.Background(), l, explore.LivenessOptions{})
	return p, x, err
}

// outline is a step on a line: its name, what it takes, reads, writes and prints, why it fails or goes on no further.
func outline(s replay.Step) string {
	text := s.Step
	if len(s.Takes) > 0 {
		text += " takes " + strings.Join(s.Takes, " ")
	}
	if len(s.Reads) > 0 {
		text += " reads " + replay.Join(s.Reads)
	}
	for _, w := range s.Writes {
		text += "; " + w.String()
	}
	for _, v := range s.Prints {
		text += "; prints " + v.String()
	}
	if s.Fails != "" {
		text += "; FAILS: " + s.Fails
	}
	if s.Then != "" {
		text += "; " + s.Then
	}
	return text
}

// Threads of several executions.
const (
	inc    = "a: 'let t = x; x = t + 1'\n  b: 'let t = x; x = t + 1'"
	cross  = "a: 'lock l; lock m'\n  b: 'lock m; lock l'"
	toggle = "a: 'while true { x = 1 - x }'"
)

// executions are what programs do along schedules, and what is wrong with it.
var executions = []struct {
	name, shared, threads, rest, schedule string
	steps                                 []string
	values                                string
	ending                                replay.Ending
	verdict                               explore.Verdict
	wrong                                 string
	kind                                  explore.ViolationKind
}{
	{"a data race with a writer", "x: int, y: int", "a: 'let t = x; y = t'\n  b: 'y = 0; x = 1'",
		"check: {races: forbidden}", "1,1,1,0", []string{"b.1", "b.1.end; y: 0 -> 0", "b.2",
			"a.1; FAILS: data race: x is read while b writes it at 5:14"},
		"x=0 y=0", replay.Unfinished, explore.Violated,
		"a.1: data race: x is read while b writes it at 5:14", explore.FailedStep},
	{"a data race with a reader", "x: int, y: int", "a: 'let t = x; y = t'\n  b: 'atomic { x = 1 }'",
		"check: {races: forbidden}", "0,1", []string{"a.1",
			"b.1; FAILS: data race: x is written while a reads it at 4:7"},
		"x=0 y=0", replay.Unfinished, explore.Violated,
		"b.1: data race: x is written while a reads it at 4:7", explore.FailedStep},
	{"a local that is written again", "x: int", "a: 'var t = x; while t < 2 { t = x }; x = t'\n  b: 'x = 1; x = 2'", "",
		"0,1,0,1,0,0", []string{"a.1 reads x=0", "b.1; x: 0 -> 1", "a.2 reads x=1; t = 1", "b.2; x: 1 -> 2; ends",
			"a.2 reads x=2; t = 2", "a.3; x: 2 -> 2; ends"},
		"x=2", replay.Ended, explore.OK, "", ""},
	{"a lost update", "x: int", inc, "check: {final: x == 2}", "0,1,0,1",
		[]string{"a.1 reads x=0", "b.1 reads x=0", "a.2; x: 0 -> 1; ends", "b.2; x: 1 -> 1; ends"},
		"x=1", replay.Ended, explore.Violated, "x == 2 does not hold at the end", explore.FinalBroken},
	{"a schedule that ends early", "x: int", inc, "check: {final: x == 2}", "0,1",
		[]string{"a.1 reads x=0", "b.1 reads x=0"}, "x=0", replay.Unfinished, explore.Incomplete, "", ""},
	{"an assertion", "x: int", "a: x = 1\n  b: 'assert x == 0, \"too late\"; x = 2'", "", "0,1",
		[]string{"a.1; x: 0 -> 1; ends", "b.1 reads x=1; FAILS: assertion failed: too late"},
		"x=1", replay.Failed, explore.Violated, "b.1: assertion failed: too late", explore.FailedStep},
	{"which holds before", "x: int", "a: x = 1\n  b: 'assert x == 0, \"too late\"; x = 2'", "", "1,0,1",
		[]string{"b.1 reads x=0", "a.1; x: 0 -> 1; ends", "b.2; x: 1 -> 2; ends"},
		"x=2", replay.Ended, explore.OK, "", ""},
	{"an error of the run", "x: int, s: 'array[2] int'", "a: 's[x] = 1'\n  b: x = 2", "", "1,0",
		[]string{"b.1; x: 0 -> 2; ends", "a.1 reads x=2; FAILS: index out of range in s[x] = 1"},
		"x=2 s=[0, 0]", replay.Failed, explore.Violated, "a.1: index out of range in s[x] = 1", explore.FailedStep},
	{"an assumption that is false", "x: int", "a: x = 1\n  b: 'assume x == 0; x = 2'", "", "0,1",
		[]string{"a.1; x: 0 -> 1; ends", "b.1 reads x=1; is dropped by an assumption"},
		"x=1", replay.Dropped, explore.Vacuous, "", ""},
	{"an invariant, on the way", "x: int", "a: 'x = 1; x = 0'", "invariant: x == 0", "0,0",
		[]string{"a.1; x: 0 -> 1", "a.2; x: 1 -> 0; ends"},
		"x=0", replay.Ended, explore.Violated, "x == 0 does not hold after every step", explore.InvariantFalse},
	{"always, by who broke it first", "x: int", "a: x = 1\n  b: x = 2", "check: {always: x <= 0}", "1,0",
		[]string{"b.1; x: 0 -> 2; FAILS: breaks x <= 0", "a.1; x: 2 -> 1; FAILS: breaks x <= 0"},
		"x=1", replay.Failed, explore.Violated, "x <= 0 does not hold after b.1", explore.AlwaysBroken},
	{"always, before the first step", "x: int", "a: x = 1", "check: {always: x == 1}", "0",
		[]string{"a.1; x: 0 -> 1; ends"}, "x=1",
		replay.Ended, explore.Violated, "x == 1 does not hold before the first step", explore.AlwaysBroken},
	{"an outcome that is not listed", "x: int", "a: x = 1\n  b: x = 2",
		"observe: [x]\ncheck: {outcomes: [[1]]}", "0,1",
		[]string{"a.1; x: 0 -> 1; ends", "b.1; x: 1 -> 2; ends"},
		"x=2", replay.Ended, explore.Violated,
		"the outcome x=2 is not listed in check.outcomes", explore.OutcomeExtra},
	{"a deadlock", "l: mutex, m: mutex", cross, "", "0,1",
		[]string{"a.1; l: free -> held by a",
			"b.1; m: free -> held by b; waits in lock l (l held by a)"},
		"l held by a; m held by b", replay.Deadlocked, explore.Violated,
		"deadlock: a.2 waits in lock m (m held by b), " +
			"b.2 waits in lock l (l held by a), each waits for the next: a -> b -> a", explore.DeadlockFound},
	{"one that is allowed", "l: mutex, m: mutex", cross, "check: {deadlock: allowed}", "0,1",
		[]string{"a.1; l: free -> held by a",
			"b.1; m: free -> held by b; waits in lock l (l held by a)"},
		"l held by a; m held by b", replay.Deadlocked, explore.OK, "", ""},
	{"what a step chooses, and what one prints", "x: int", "a: 'x = any(3..5); print x'", "", "0:2,0,0",
		[]string{"a.1 takes any(3..5) = 5", "a.2; x: 0 -> 5", "a.3 reads x=5; prints x=5; ends"},
		"x=5", replay.Ended, explore.OK, "", ""},
	{"a cycle that starves somebody is not fair", "x: int", "a: 'while x == 0 { skip }'\n  b: x = 1",
		"check: {termination: fair}", "(0)", []string{"a.1 reads x=0"},
		"x=0", replay.Endless, explore.Incomplete, "", ""},
	{"nobody ends the loop", "x: int", "a: 'while x == 0 { skip }'\n  b: x = 0", "", "1,(0)",
		[]string{"b.1; x: 0 -> 0; ends", "a.1 reads x=0"}, "x=0", replay.Endless, explore.Violated,
		"no way to end: a goes round for ever, and whatever happens then, the program does not end",
		explore.NoWayToEnd},
	{"a fair scheduler goes round for ever", "x: int", "a: 'while any(0..1) == 0 { x = 1 - x }'",
		"check: {termination: fair}", "(0,0,0,0)",
		[]string{"a.1 takes any(0..1) = 0", "a.2 reads x=0; x: 0 -> 1", "a.1 takes any(0..1) = 0",
			"a.2 reads x=1; x: 1 -> 0"}, "x=0", replay.Endless, explore.Violated,
		"endless: a goes round for ever although the scheduler is fair", explore.Endless},
	{"what must happen does not, at an end", "x: int", "a: x = 1", "check: {eventually: x == 2}", "0",
		[]string{"a.1; x: 0 -> 1; ends"}, "x=1", replay.Ended, explore.Violated,
		"eventually x == 2: it never holds in an execution that ends", explore.NeverHolds},
	{"nor in a cycle", "x: int, y: int", toggle + "\n  b: y = 1",
		"check: {termination: allowed, eventually: y == 2}",
		"1,(0,0)", []string{"b.1; y: 0 -> 1; ends", "a.1 reads x=0; x: 0 -> 1", "a.1 reads x=1; x: 1 -> 0"},
		"x=0 y=1", replay.Endless, explore.Violated,
		"eventually y == 2: it never holds while a goes round for ever, under weak fairness", explore.NeverHolds},
	{"what follows in every round", "x: int", toggle,
		"check: {termination: allowed, leads_to: {from: x == 0, to: x == 1}}", "(0,0)",
		[]string{"a.1 reads x=0; x: 0 -> 1", "a.1 reads x=1; x: 1 -> 0"}, "x=0", replay.Endless, explore.Incomplete,
		"", ""},
	{"what never follows", "x: int", toggle,
		"check: {termination: allowed, leads_to: {from: x == 0, to: x == 2}}", "(0,0)",
		[]string{"a.1 reads x=0; x: 0 -> 1", "a.1 reads x=1; x: 1 -> 0"}, "x=0", replay.Endless, explore.Violated,
		"x == 0 leads to x == 2: the latter never follows while a goes round for ever, under weak fairness",
		explore.NeverFollows},
}

// TestRun: the steps of executions made by hand, the values at the end, what is wrong, the ending and the verdict.
func TestRun(t *testing.T) {
	for _, c := range executions {
		t.Run(c.name, func(t *testing.T) {
			_, x, err := play(t, c.shared, c.threads, c.rest, c.schedule)
			if err != nil {
				t.Fatal(err)
			}
			var steps []string
			for _, s := range x.Steps {
				steps = append(steps, outline(s))
			}
			var kind explore.ViolationKind
			if len(x.Violations) == 1 {
				kind = x.Violations[0].Kind
			}
			if diff := cmp.Diff(c.steps, steps); diff != "" {
				t.Errorf("steps:\n%s", diff)
			}
			if wrong := strings.Join(x.Wrong, "; "); wrong != c.wrong || kind != c.kind || len(x.Violations) > 1 {
				t.Errorf("wrong: %s (%v); want %s (%s)", wrong, x.Violations, c.wrong, c.kind)
			}
			if got := replay.Join(x.Values); got != c.values || x.Ending != c.ending || x.Verdict != c.verdict {
				t.Errorf("%s, %s, %s; want %s, %s, %s", got, x.Ending, x.Verdict, c.values, c.ending, c.verdict)
			}
			if (x.Why != nil) != (c.ending == replay.Deadlocked) || (x.Cycle > 0) != (c.ending == replay.Endless) {
				t.Errorf("why: %v, cycle from step %d", x.Why, x.Cycle)
			}
		})
	}
}

// TestDiverged: where a program does not follow a schedule, and why; the steps before are there.
func TestDiverged(t *testing.T) {
	for _, c := range []struct {
		name, threads, schedule, err string
		steps                        int
	}{
		{"nothing left to do", "a: x = 1\n  b: x = 2", "0,0",
			"the program does not follow the schedule: step 2: a has no further step", 1},
		{"not enabled", "a: lock m\n  b: lock m", "0,1",
			"the program does not follow the schedule: " +
				"step 2: b.1 is not enabled: it waits in lock m (m held by a)", 1},
		{"no such alternative there", "a: 'x = any(0..2); choose { x = 1 } or { x = 2 }'", "0,0,0:2",
			"the program does not follow the schedule: step 3: a.3 has no alternative 2: the last one is 1", 2},
		{"no cycle", "a: 'while x < 2 { x += 1 }'", "0,(0,0)",
			"what goes round for ever does not lead back to the state after step 1", 3},
	} {
		_, x, err := play(t, "x: int, m: mutex", c.threads, "", c.schedule)
		if err == nil || err.Error() != c.err || len(x.Steps) != c.steps {
			t.Errorf("%s: %v behind %d steps; want %s behind %d", c.name, err, len(x.Steps), c.err, c.steps)
		}
		var at *replay.Divergence
		if is := errors.As(err, &at); is && at.Step != c.steps+1 || is == errors.As(err, new(*explore.NotRound)) {
			t.Errorf("%s: %#v", c.name, err)
		}
	}
}

// TestExpect: a schedule is not followed where another step comes than the one that is expected.
func TestExpect(t *testing.T) {
	p, x, err := play(t, "x: int", "a: 'x = 1; x = 2'", "", "0,0")
	if err != nil {
		t.Fatal(err)
	}
	p.Expect = []string{x.Steps[0].Step, "a.again"}
	_, err = p.Follow([]int32{0, 0}, func(step.State, replay.Step) {})
	want := "the program does not follow the schedule: step 2: it was a.again, and now a.2 comes next"
	if err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

// TestWhy: the explanation of a deadlock has the steps of the schedule.
func TestWhy(t *testing.T) {
	_, x, err := play(t, "l: mutex, m: mutex", "a: 'lock l; lock m'\n  b: 'lock m; lock l'", "", "1,0")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a (line 4) waits in lock m",
		"  m held by b since step 1 (line 5: lock m)",
		"  b waits itself, and nothing in its code from there on frees m",
		"b (line 5) waits in lock l",
		"  l held by a since step 2 (line 4: lock l)",
		"  a waits itself, and nothing in its code from there on frees l",
		"each waits for the next: a -> b -> a",
	}
	if diff := cmp.Diff(want, x.Why.Lines()); diff != "" {
		t.Error(diff)
	}
}

// TestHistory: the history of operations of an execution, and why it is not linearizable.
func TestHistory(t *testing.T) {
	const spec = `spec:
  state: {c: int}
  operations:
    inc() int: |
      c += 1
      return c
procedures:
  inc() int: |
    let t = n
    n = t + 1
    return t + 1
`
	_, x, err := play(t, "n: int", "a: let x = op inc()\n  b: let y = op inc()", spec, "0,1,0,1")
	if err != nil {
		t.Fatal(err)
	}
	if x.History == nil || x.History.Linearizable || x.Verdict != explore.Violated {
		t.Fatalf("%+v, %v", x.History, x.Wrong)
	}
	want := []string{"the longest order that the specification allows: a inc() = 1", "after these it does not allow:",
		"  b inc() = 1; it would be inc() = 2"}
	if diff := cmp.Diff(want, x.History.Reasons()); diff != "" {
		t.Error(diff)
	}
	want = []string{"not linearizable: the specification allows no order of the operations"}
	if !slices.Equal(x.Wrong, want) {
		t.Errorf("%q", x.Wrong)
	}
	if _, x, err = play(t, "n: int", "a: let x = op inc()\n  b: let y = op inc()", spec, "0,0,1,1"); err != nil {
		t.Fatal(err)
	}
	if x.History == nil || !x.History.Linearizable || x.Verdict != explore.OK {
		t.Errorf("one after the other: %+v, %v", x.History, x.Wrong)
	}
}
