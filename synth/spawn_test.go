//go:build cgo && !noz3

package synth

import (
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
)

// TestStarts asks for the constraints of steps that start, begin, end or wait for processes: what the starting of processes does is
// not encoded, so these are unknown; steps of the processes among themselves are not.
func TestStarts(t *testing.T) {
	set := synthesize(t, `cdpor: 1
shared: {x: int, y: int}
bounds: {w: 3}
threads:
  main: |
    first: let h = spawn w(1)
    second: spawn w(2)
    wait: atomic { join h; y = x }
    after: y = x
  w:
    params: [k int]
    run: "set: x = k"
`)
	status := map[string]constraints.Status{}
	for _, p := range set.Pairs {
		status[p.A.Name()+" "+p.B.Name()] = p.Status
		status[p.B.Name()+" "+p.A.Name()] = p.Status
	}
	for pair, want := range map[string]constraints.Status{
		"main.first w.set": constraints.Ordered, "main.second w.set": constraints.Unknown, "main.wait w.set": constraints.Unknown,
		"main.after w.set": constraints.Exact, "w.set w.set": constraints.Exact,
	} {
		if status[pair] != want {
			t.Errorf("%s: %v, not %v", pair, status[pair], want)
		}
	}
	for _, p := range set.Pairs {
		got := lang.FormatExpr(p.Commute, p.A.Template, p.B.Template)
		if p.A == p.B && p.A.Name() == "w.set" && got != "p.k == q.k" {
			t.Errorf("w.set w.set: %s: the parameters of a spawned thread are not known", got)
		}
	}
}
