package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/report"
)

// Threads of the programs below.
const (
	ending     = "{a: x = 1, b: y = 1}"
	endless    = `{a: "while true { x = 1 - x }", b: y = 1}`
	stuck      = `{a: "await r; x = 2", b: y = 1}`
	dropped    = `{a: "assume r; x = 2", b: y = 1}`
	operations = "procedures:\n  put(v int): x = v\n  get() int: return x\n  wrong() int: return 7\n" +
		"spec:\n  state: {s: int}\n  operations:\n    put(v int): s = v\n    get() int: return s\n" +
		"    wrong() int: return s"
	reading = `{a: "let v = x; x = v", b: y = 1}`
)

// verdictCases are programs by what they claim: the verdict, the kinds of violations, and what was not checked.
var verdictCases = []struct {
	name, more, threads, check string
	verdict, wrong, unchecked  string
	holds                      string // a section that must be among what holds; empty: any
}{
	{name: "final holds", threads: ending, check: "final: x == 1", verdict: "ok", holds: "final"},
	{name: "final fails", threads: ending, check: "final: x == 2", verdict: "violation", wrong: "final"},
	{name: "final never evaluated", threads: stuck, check: "deadlock: allowed, final: x == 2", verdict: "vacuous",
		unchecked: "not evaluated final"},
	{name: "final without an end", threads: endless, check: "termination: allowed, final: x == 2", verdict: "vacuous",
		unchecked: "no end, not evaluated final"},
	{name: "final_any holds", threads: stuck, check: "deadlock: allowed, final_any: y == 1", verdict: "ok",
		holds: "final_any"},
	{name: "final_any fails", threads: stuck, check: "deadlock: allowed, final_any: y == 2", verdict: "violation",
		wrong: "final"},
	{name: "final_any without an end", threads: endless, check: "termination: allowed, final_any: x == 2",
		verdict: "vacuous", unchecked: "no end, not evaluated final_any"},
	{name: "reachable holds", threads: ending, check: "reachable: x == 1", verdict: "ok", holds: "reachable"},
	{name: "reachable fails", threads: ending, check: "reachable: x == 2", verdict: "violation",
		wrong: "not reachable"},
	{name: "unreachable holds", threads: ending, check: "unreachable: x == 2", verdict: "ok", holds: "unreachable"},
	{name: "unreachable fails", threads: ending, check: "unreachable: x == 1", verdict: "violation",
		wrong: "reachable"},
	{name: "unreachable never evaluated", threads: stuck, check: "deadlock: allowed, unreachable: x == 2",
		verdict: "vacuous", unchecked: "not evaluated unreachable"},
	{name: "all dropped", threads: dropped, check: "final: x == 2", verdict: "vacuous",
		unchecked: "all dropped, not evaluated final"},
	{name: "deadlock forbidden", threads: ending, check: "deadlock: forbidden", verdict: "ok", holds: "deadlock"},
	{name: "deadlock", threads: stuck, check: "deadlock: forbidden", verdict: "violation", wrong: "deadlock"},
	{name: "deadlock required", threads: stuck, check: "deadlock: required", verdict: "ok", holds: "deadlock"},
	{name: "no deadlock", threads: ending, check: "deadlock: required", verdict: "violation", wrong: "no deadlock"},
	{name: "always holds", threads: ending, check: "always: x <= 1", verdict: "ok", holds: "always"},
	{name: "always fails", threads: ending, check: "always: x == 0", verdict: "violation", wrong: "always"},
	{name: "always of what nobody writes", threads: ending, check: "always: z == 0", verdict: "vacuous",
		unchecked: "only at the start always"},
	{name: "always without an end", threads: endless, check: "termination: allowed, always: x <= 1", verdict: "ok",
		unchecked: "no end", holds: "always"},
	{name: "always where nothing runs", threads: `{a: "await r; z = 1"}`, check: "deadlock: allowed, always: z == 0",
		verdict: "vacuous", unchecked: "only at the start always"},
	{name: "transition holds", threads: ending, check: "transition: x >= old(x)", verdict: "ok", holds: "transition"},
	{name: "transition fails", threads: ending, check: "transition: x == old(x)", verdict: "violation",
		wrong: "transition"},
	{name: "transition of what nobody writes", threads: ending, check: "transition: z == old(z)", verdict: "vacuous",
		unchecked: "only at the start transition"},
	{name: "assert holds", threads: `{a: "x = 1; assert x < 5", b: y = 1}`, verdict: "ok", holds: "assert"},
	{name: "assert fails", threads: `{a: "x = 1; assert x > 5", b: y = 1}`, verdict: "violation", wrong: "failure"},
	{name: "assert never reached", threads: `{a: "if x == 7 { assert y < 5 }", b: y = 1}`, verdict: "vacuous",
		unchecked: "never reached assert"},
	{name: "assert behind a deadlock", threads: `{a: "await r; assert y < 5", b: y = 1}`, check: "deadlock: allowed",
		verdict: "vacuous", unchecked: "never reached assert"},
	{name: "assert that forbids", threads: `{a: "if x == 7 { assert false }", b: y = 1}`, verdict: "ok",
		holds: "assert"},
	{name: "assert without an end", threads: `{a: "while true { x = 1 - x; assert x < 5 }", b: y = 1}`,
		check: "termination: allowed", verdict: "ok", unchecked: "no end", holds: "assert"},
	{name: "eventually holds", threads: ending, check: "eventually: x == 1", verdict: "ok", holds: "eventually"},
	{name: "eventually fails", threads: ending, check: "eventually: x == 2", verdict: "violation", wrong: "eventually"},
	{name: "eventually at the start", threads: ending, check: "eventually: x == 0", verdict: "vacuous",
		unchecked: "nothing to do eventually"},
	{name: "eventually without an end", threads: endless, check: "termination: allowed, eventually: y == 1",
		verdict: "ok", unchecked: "no end", holds: "eventually"},
	{name: "leads_to holds", threads: ending, check: "leads_to: {from: x == 1, to: y == 1}", verdict: "ok",
		holds: "leads_to"},
	{name: "leads_to fails", threads: ending, check: "leads_to: {from: x == 1, to: y == 2}", verdict: "violation",
		wrong: "leads to"},
	{name: "leads_to from nothing", threads: ending, check: "leads_to: {from: x == 4, to: y == 1}", verdict: "vacuous",
		unchecked: "nothing to do leads_to"},
	{name: "leads_to without an end", threads: endless,
		check:   "termination: allowed, leads_to: {from: x == 1, to: x == 0}",
		verdict: "ok", unchecked: "no end", holds: "leads_to"},
	{name: "eventually_always holds", threads: ending, check: "eventually_always: x == 1", verdict: "ok",
		holds: "eventually_always"},
	{name: "eventually_always fails", threads: ending, check: "eventually_always: x == 0", verdict: "violation",
		wrong: "eventually always"},
	{name: "eventually_always in every state", threads: ending, check: "eventually_always: z == 0",
		verdict: "vacuous", unchecked: "nothing to do eventually_always"},
	{name: "eventually_always without an end", threads: endless,
		check:   "termination: allowed, eventually_always: y == 1",
		verdict: "ok", unchecked: "no end", holds: "eventually_always"},
	{name: "one checked, one not", threads: ending, check: "final: x == 1, leads_to: {from: x == 4, to: y == 1}",
		verdict: "ok", unchecked: "nothing to do leads_to", holds: "final"},
	{name: "invariant holds", more: "invariant: [x <= 1]", threads: ending, verdict: "ok", holds: "invariant"},
	{name: "invariant fails", more: "invariant: [x == 0]", threads: ending, verdict: "violation", wrong: "invariant"},
	{name: "invariant of what nobody writes", more: "invariant: [z == 0]", threads: ending, verdict: "vacuous",
		unchecked: "only at the start invariant"},
	{name: "histories hold", more: operations, threads: `{a: op put(1), b: "let v = op get()"}`, verdict: "ok",
		unchecked: "not performed spec", holds: "spec"},
	{name: "histories fail", more: operations, threads: `{a: op put(1), b: "let v = op wrong()"}`,
		verdict: "violation", wrong: "not linearizable"},
	{name: "an operation is never performed", more: operations,
		threads: `{a: op put(1), b: "if x == 9 { let v = op get() }"}`,
		verdict: "ok", unchecked: "not performed spec, not performed spec", holds: "spec"},
	{name: "no operation is performed", more: operations, threads: `{a: "if x == 9 { op put(1) }", b: y = 1}`,
		verdict: "vacuous", unchecked: "no operation spec"},
	{name: "no race", threads: `{a: "lock m; x = 1; unlock m", b: "lock m; x = 2; unlock m"}`,
		check: "races: forbidden", verdict: "ok", holds: "races"},
	{name: "a race", threads: `{a: x = 1, b: x = 1}`, check: "races: forbidden", verdict: "violation",
		wrong: "failure"},
	{name: "nothing that could race runs", threads: `{a: "await r; x = 1", b: "await r; x = 2"}`,
		check: "deadlock: allowed, races: forbidden", verdict: "vacuous", unchecked: "never reached races"},
	{name: "termination holds", threads: ending, check: "termination: fair", verdict: "ok", holds: "termination"},
	{name: "termination fails", threads: endless, check: "termination: fair", verdict: "violation",
		wrong: "no way to end"},
	{name: "outcomes hold", more: "observe: [x]", threads: ending, check: "outcomes: [[1]]", verdict: "ok",
		holds: "outcomes"},
	{name: "outcomes fail", more: "observe: [x]", threads: ending, check: "outcomes: [[2]]", verdict: "violation",
		wrong: "outcome missing, outcome not listed"},
	{name: "no end and no property", threads: endless, check: "termination: allowed", verdict: "vacuous",
		unchecked: "no end"},
	{name: "no property", threads: reading, verdict: "ok", holds: "deadlock"},
}

// ways are the ways in which each program is looked at.
var ways = [][]string{
	{"--algorithm", "auto"}, {"--algorithm", "exhaustive"}, {"--algorithm", "exhaustive", "--symmetry"},
	{"--algorithm", "interleavings"}, {"--algorithm", "sleep"}, {"--algorithm", "persistent"},
	{"--algorithm", "classic"}, {"--algorithm", "source"}, {"--algorithm", "source", "--visited"},
	{"--algorithm", "source", "--workers", "2"}, {"--algorithm", "optimal"}, {"--algorithm", "context"},
	{"--algorithm", "constrained"},
}

// TestVerdicts: the verdict of a program, and what it says of each claim, is the same under every algorithm,
// and in the replay of one of its executions, as far as that goes.
func TestVerdicts(t *testing.T) {
	for _, c := range verdictCases {
		path := filepath.Join(t.TempDir(), "p.yaml")
		text := "cdpor: 1\nshared: {x: 0..9, y: 0..9, z: 0..9, r: bool, m: mutex}\n" + c.more +
			"\nthreads: " + c.threads + "\n"
		if c.check != "" {
			text += "check: {" + c.check + "}\n"
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		schedule := ""
		var never []string
		for i, way := range ways {
			args := append([]string{"run", path, "--json", "--no-constraints", "--max-depth", "40"}, way...)
			var r report.JSON
			runJSON(t, args, &r)
			bounded := r.Stopped != "complete"
			got := string(r.Verdict)
			if got != c.verdict && !(bounded && got == "bounded" && c.verdict != "violation") {
				t.Errorf("%s %v: %s, want %s", c.name, way, got, c.verdict)
			}
			if steps := neverRun(&r); i == 0 {
				never = steps
			} else if !bounded && !slices.Equal(steps, never) {
				t.Errorf("%s %v: never run %v, want %v", c.name, way, steps, never)
			}
			wrong, unchecked, holds := told(&r)
			if wrong != c.wrong || !bounded && c.verdict != "violation" && unchecked != c.unchecked {
				t.Errorf("%s %v: wrong %q, unchecked %q; want %q and %q", c.name, way, wrong, unchecked,
					c.wrong, c.unchecked)
			}
			if c.holds != "" && !bounded && !slices.Contains(holds, c.holds) {
				t.Errorf("%s %v: %v hold, %s is missing", c.name, way, holds, c.holds)
			}
			if schedule == "" {
				schedule = shownBy(&r)
			}
		}
		if schedule == "" {
			continue
		}
		var x struct {
			Verdict    string
			Violations []string
		}
		runJSON(t, []string{"run", path, "--json", "--schedule", schedule}, &x)
		want := c.verdict
		if c.name == "no deadlock" || c.name == "reachable fails" {
			want = x.Verdict // which one execution cannot show
		}
		if x.Verdict != want || (len(x.Violations) > 0) != (want == "violation") {
			t.Errorf("%s: the replay of %s says %s %v, want %s", c.name, schedule, x.Verdict, x.Violations, want)
		}
	}
}

// runJSON runs a command in this process and reads what it prints.
func runJSON(t *testing.T, args []string, into any) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	runMain(args, nil, &stdout, &stderr)
	if err := json.Unmarshal(stdout.Bytes(), into); err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, &stdout, &stderr)
	}
}

// told is what a report says: the kinds of violations, what was not checked, and the sections of what holds.
func told(r *report.JSON) (wrong, unchecked string, holds []string) {
	var kinds, list []string
	for _, v := range r.Violations {
		kinds = append(kinds, string(v.Kind))
	}
	for _, u := range r.Unchecked {
		if u.Kind != "never run" && u.Kind != "no normal end" {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s", u.Kind, u.Section)))
		}
	}
	for _, h := range r.Holds {
		holds = append(holds, h.Section)
	}
	return strings.Join(slices.Compact(kinds), ", "), strings.Join(list, ", "), holds
}

// neverRun are the steps that no execution takes.
func neverRun(r *report.JSON) (steps []string) {
	for _, u := range r.Unchecked {
		if u.Kind == "never run" && !u.Unsure {
			steps = append(steps, u.Steps...)
		}
	}
	return steps
}

// shownBy is the schedule of a violation, or else of an outcome or a deadlock.
func shownBy(r *report.JSON) string {
	for _, v := range r.Violations {
		if v.Schedule != "" && v.Cycle == "" {
			return v.Schedule
		}
	}
	if len(r.Violations) > 0 {
		return ""
	}
	if len(r.Outcomes) > 0 {
		return r.Outcomes[0].Schedule
	}
	if len(r.Deadlocks) > 0 {
		return r.Deadlocks[0].Schedule
	}
	return ""
}
