//go:build cgo && !noz3

package synth

import (
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
)

// conditions are the commuting and uniform parts of the pairs of a set, with status, by the names of the steps.
func conditions(set *constraints.Set) map[string]string {
	list := map[string]string{}
	for _, p := range set.Pairs {
		text := string(p.Status)
		if p.Status != constraints.Ordered {
			text = lang.FormatExpr(p.Commute, p.A.Template, p.B.Template) + " | " +
				lang.FormatExpr(p.Uniform, p.A.Template, p.B.Template) + " | " + text
		}
		list[p.A.Name()+" "+p.B.Name()] = text
	}
	return list
}

// TestStarts asks for the constraints of steps that start, end or wait for processes.
func TestStarts(t *testing.T) {
	got := conditions(synthesize(t, `cdpor: 1
shared: {x: int, y: int}
bounds: {w: 3, v: 1}
threads:
  main: |
    first: let h = spawn w(1)
    second: spawn w(2)
    wait: atomic { join h; y = x }
    after: y = x
    ask: if h.done() { y = 3 }
  other: |
    same: spawn w(3)
    last: spawn v(x)
  w:
    params: [k int]
    run: "set: x = k"
  v:
    params: [k int]
    run: "set: y = k"
`))
	for pair, want := range map[string]string{
		"main.first w.set":      "true | true | exact", // another w, started by other
		"main.first other.same": "true | true | exact", // two starts of one pool
		"main.first other.last": "true | true | exact", // of different pools
		"main.second w.set":     "true | true | exact",
		"other.last w.set":      "x == k | false | exact",
		"main.wait w.set":       "h != q && (k == x || !h.done()) | h != q && !h.done() | exact",
		"main.ask w.set":        "h != q | h != q | exact",
		"main.after w.set":      "x == k | false | exact",
		"w.set w.set":           "p.k == q.k | p.k == q.k | exact",
	} {
		if got[pair] != want {
			t.Errorf("%s: %s, not %s", pair, got[pair], want)
		}
	}
}

// TestStartsRefuted: what is started happens after its start, so a file that says that a start is uniformly independent
// of something that it shares data with is refuted, whatever the condition.
func TestStartsRefuted(t *testing.T) {
	const text = `cdpor: 1
shared: {x: int}
bounds: {w: 2}
threads:
  main: |
    start: spawn w(x)
  other: |
    set: x = 3
  w:
    params: [k int]
    run: "set: x = k"
`
	for _, uniform := range []string{"x == 3", "\"true\""} {
		report := check(t, text, "cdpor-constraints: 1\npairs:\n  - blocks: [main.start, other.set]\n"+
			"    commute: x == 3\n    uniform: "+uniform+"\n")
		if len(report.Findings) != 1 {
			t.Errorf("uniform: %s: findings: %+v", uniform, report.Findings)
		}
	}
	report := check(t, text, "cdpor-constraints: 1\npairs:\n  - blocks: [main.start, other.set]\n"+
		"    commute: x == 3\n    uniform: \"false\"\n")
	if len(report.Findings) != 0 || !report.Pairs[0].Weakest {
		t.Errorf("%+v %+v", report.Findings, report.Pairs)
	}
}

// TestEndsInConditions: a condition by hand may ask whether a process has ended where neither step does; that a third
// step ends it is then a violation.
func TestEndsInConditions(t *testing.T) {
	report := check(t, `cdpor: 1
shared: {x: int, y: int}
bounds: {w: 1}
threads:
  main: |
    let h = spawn w(3)
    set: x = 1
    join h
  other: |
    set: x = 1
  w:
    params: [k int]
    run: "set: y = k"
`, `cdpor-constraints: 1
pairs:
  - blocks: [main.set, other.set]
    commute: "true"
    uniform: h.done()
`)
	if len(report.Findings) != 1 || report.Findings[0].Claim != Backward {
		t.Errorf("%+v", report.Findings)
	}
}

// TestCalls: functions are run in conditions as in steps, up to a depth.
func TestCalls(t *testing.T) {
	got := conditions(synthesize(t, `cdpor: 1
shared: {a: int, b: int}
functions:
  most(i int, j int) int: if i > j { return i } else { return j }
  half(n int) int: |
    if n <= 1 { return 0 }
    return half(n - 2) + 1
  pick(i int) int: |
    var t array[3] int
    t[i] = 4
    var s int = 0
    for k in 0..2 { s += t[k] * k }
    return s
threads:
  p: |
    s: b = most(b, a)
  q: |
    s: b = most(b, 4)
  r: |
    s: b = half(5)
  u: |
    s: a = pick(a)
  v: |
    s: a = half(a)
`))
	for pair, want := range map[string]string{
		"p.s q.s": "true | true | exact",
		"p.s r.s": "a <= 2 | false | exact",
		"p.s u.s": "(a != 1 || b >= 4) && (a != 2 || b >= 8) | a != 1 && a != 2 | exact",
		"u.s v.s": "false | false | unknown", // the depth depends on a
	} {
		if got[pair] != want {
			t.Errorf("%s: %s, not %s", pair, got[pair], want)
		}
	}
}
