package explore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/history"
	"cdpor/explore/oracle"
	"cdpor/lang/step"
)

// TestUnchecked: what a program claims and no execution comes to is said, and takes the verdict ok away, under every
// algorithm.
func TestUnchecked(t *testing.T) {
	const (
		spin    = "  a: |\n    while !r { yield }\n    x = 1\n  b: x = 2\n"
		drop    = "  a: |\n    assume x == 5\n    x = 1\n  b: x = 2\n"
		stuck   = "  a: |\n    await r\n    x = 1\n  b: x = 2\n"
		running = "  a: x = 1\n  b: x = 2\n"
		some    = "  a: |\n    assume x == 2\n    x = 1\n  b: x = 2\n"
	)
	for _, c := range []struct {
		name, threads, check string
		verdict              Verdict
		unchecked            string
	}{
		{"endless", spin, "final: [x == 2]", Vacuous, "no end, not evaluated final"},
		{"endless without a property", spin, "deadlock: forbidden", Vacuous, "no end"},
		{"endless with always", spin, "always: [x <= 2]", OK, "no end"},
		{"endless with transition", spin, "transition: [x >= old(x)]", OK, "no end"},
		{"endless and unreachable", spin, "unreachable: [x == 1]\n  always: [x <= 2]",
			Vacuous, "no end, not evaluated unreachable"},
		{"dropped", drop, "final: [x == 2]", Vacuous, "all dropped, not evaluated final"},
		{"dropped with always", drop, "always: [x <= 2]", Vacuous, "all dropped"},
		{"dropped and reachable", drop, "reachable: [x == 2, x == 1]",
			Violated, "all dropped, only in dropped executions reachable"},
		{"some dropped", some, "final: [x == 1]", OK, ""},
		{"some dropped and reachable", some, "reachable: [x == 2]", Violated, "only in dropped executions reachable"},
		{"stuck", stuck, "deadlock: required\n  final: [x == 2]", Vacuous, "no normal end, not evaluated final"},
		{"stuck and allowed", stuck, "deadlock: allowed\n  final_any: [x == 2]", OK, "no normal end"},
		{"stuck and forbidden", stuck, "final: [x == 2]", Violated, "no normal end, not evaluated final"},
		{"stuck and unreachable", stuck, "deadlock: required\n  unreachable: [x == 1]",
			Vacuous, "no normal end, not evaluated unreachable"},
		{"final_any with nothing", spin, "final_any: [x == 2]", Vacuous, "no end, not evaluated final_any"},
		{"nothing amiss", running, "final: [x > 0]\n  final_any: [x > 0]\n  unreachable: [x == 0]", OK, ""},
		{"no property", running, "deadlock: forbidden", OK, ""},
	} {
		m, err := load("cdpor: 1\nshared: {r: bool, x: 0..5}\nthreads:\n" + c.threads + "check:\n  " + c.check + "\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		for _, a := range Algorithms() {
			for _, opt := range []Options{
				{MaxDepth: 50}, {MaxDepth: 50, Visited: a.Visits}, {MaxDepth: 50, Workers: 2},
			} {
				res, err := Run(context.Background(), m, a, opt)
				if err != nil {
					t.Fatal(c.name, a.Name, err)
				}
				want := c.verdict
				if want == OK && res.Stopped == StoppedDepth {
					want = Bounded
				}
				if got := kinds(res); res.Verdict != want || got != c.unchecked {
					t.Errorf("%s with %s: %s (%s), want %s (%s)", c.name, a.Name, res.Verdict, got, want, c.unchecked)
				}
				if res.AllowVacuous(); res.Verdict == Vacuous || res.Verdict == OK && res.Stopped != StoppedComplete {
					t.Errorf("%s with %s: allowed, the verdict is %s", c.name, a.Name, res.Verdict)
				}
			}
		}
	}
}

func kinds(r *Result) string {
	var list []string
	for _, u := range r.Unchecked {
		list = append(list, strings.TrimSpace(string(u.Kind)+" "+u.Section))
	}
	return strings.Join(list, ", ")
}

// TestUncheckedResumed: what was reached in dropped executions before an interruption is known after it.
func TestUncheckedResumed(t *testing.T) {
	m, err := load("cdpor: 1\nshared: {x: 0..5}\n" +
		"threads:\n  a: |\n    assume x == 2\n    x = 1\n  b: x = 2\n  c: x = 3\n" +
		"check:\n  reachable: [x == 2]\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := newResults(m, sourceAlgorithm, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.reachable[0].dropped = true
	saved := r.save()
	again, _ := newResults(m, sourceAlgorithm, nil)
	if err := again.restore(&saved); err != nil || !again.reachable[0].dropped {
		t.Error("lost in a checkpoint", err)
	}
	other, _ := newResults(m, sourceAlgorithm, nil)
	if other.merge(r); !other.reachable[0].dropped {
		t.Error("lost between workers")
	}
}

// compareUnchecked compares what a search says it had no occasion to look at, and its verdict, with the state graph.
func compareUnchecked(m *step.Machine, res *Result, g *oracle.Graph) error {
	ends := map[step.Ending]int{}
	for _, s := range g.Terminals {
		ends[m.EndingOf(s)]++
	}
	c := &m.Program.Checks
	states := len(c.Always)+len(c.Transition)+len(m.Program.Invariants) > 0
	vacuous := len(g.Terminals) == 0 && (g.Dropped > 0 || !states) ||
		ends[step.Ended] == 0 && len(c.Final)+len(c.Unreachable) > 0 ||
		ends[step.Ended]+ends[step.Deadlocked] == 0 && len(c.FinalAny) > 0
	if spec := m.Program.Spec; spec != nil && len(g.Terminals) > 0 {
		reader := history.NewReader(m)
		vacuous = vacuous || !slices.ContainsFunc(slices.Collect(maps.Values(g.Terminals)), func(s step.State) bool {
			compared := m.EndingOf(s) == step.Ended || m.EndingOf(s) == step.Deadlocked
			return compared && len(reader.Decode(reader.Words(nil, s)).Operations) > 0
		})
	}
	want := OK
	switch {
	case len(res.Violations) > 0:
		want = Violated
	case vacuous:
		want = Vacuous
		vacuousPrograms.Add(1)
	}
	if res.Verdict != want {
		return fmt.Errorf("the verdict is %s (%s), and not %s", res.Verdict, kinds(res), want)
	}
	return nil
}
