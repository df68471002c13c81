package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/history"
	"cdpor/explore/internal/results"
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
				{MaxDepth: 50}, {MaxDepth: 50, Visited: a.Visits}, {MaxDepth: 50, Workers: atMost(a, 2)},
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
		if u.Kind == NeverRun || u.Unsure {
			continue
		}
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
	r, err := results.NewCollector(m, dpor.SourceAlgorithm, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Reachable[0].Dropped = true
	saved := r.Save()
	again, _ := results.NewCollector(m, dpor.SourceAlgorithm, nil)
	if err := again.Restore(&saved); err != nil || !again.Reachable[0].Dropped {
		t.Error("lost in a checkpoint", err)
	}
	other, _ := results.NewCollector(m, dpor.SourceAlgorithm, nil)
	if other.Merge(r); !other.Reachable[0].Dropped {
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
	ended, stuck := ends[step.Ended] > 0, ends[step.Deadlocked] > 0
	apart, idle := claimsInGraph(m, g)
	vacuous := len(g.Terminals) == 0 && (g.Dropped > 0 || !apart) ||
		!ended && len(c.Final)+len(c.Unreachable) > 0 || !ended && !stuck && len(c.FinalAny) > 0
	performed := map[int]bool{}
	if spec := m.Program.Spec; spec != nil && len(g.Terminals) > 0 {
		reader := history.NewReader(m)
		for _, s := range g.Terminals {
			if end := m.EndingOf(s); end == step.Ended || end == step.Deadlocked {
				for _, o := range reader.Decode(reader.Words(nil, s)).Operations {
					performed[o.Op] = true
				}
			}
		}
		vacuous = vacuous || len(performed) == 0
	}
	claimed := apart || c.DeadlockPos != step.Pos{} && c.Deadlock != step.DeadlockAllowed || len(performed) > 0 ||
		c.Outcomes != nil ||
		ended && len(c.Final)+len(c.Unreachable)+len(c.Reachable) > 0 || (ended || stuck) && len(c.FinalAny) > 0
	vacuous = vacuous || idle && !claimed
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

// claimsInGraph says whether some assertion is come to, or something that must always hold is looked at behind a step
// that may break it; and whether some is not.
func claimsInGraph(m *step.Machine, g *oracle.Graph) (some, not bool) {
	came, claims := map[any]bool{}, map[any]bool{}
	for _, t := range m.Program.Templates {
		for k, n := range t.Nodes {
			if n.Kind != step.Check || n.Fault != step.Assertion {
				continue
			}
			var claim any = n.Pos
			if n.Property != nil {
				claim = n.Property
			}
			claims[claim] = true
			came[claim] = came[claim] || m.Of(g.Covered, t, k) != 0 || n.Cond.Number(0)
		}
	}
	for _, p := range slices.Concat(m.Program.Checks.Always, m.Program.Checks.Transition) {
		claims[p] = true
	}
	for _, p := range m.Program.Invariants {
		claims[p] = true
		for id := range m.NumSteps() {
			_, s := m.StepAt(id)
			came[p] = came[p] || m.Ran(g.Covered, s) && step.Conflict(m.Reads(p.Expr), m.Info(id).Widest)
		}
	}
	for claim := range claims {
		some, not = some || came[claim], not || !came[claim]
	}
	return some || m.Program.Checks.RacesForbidden, not
}
