//go:build cgo && !noz3

package synth

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
)

func check(t *testing.T, text, file string) *CheckReport {
	t.Helper()
	prog := load(t, text)
	set, err := constraints.Load(prog, "c.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	report, err := Check(context.Background(), prog, set, Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestCheckRefutes(t *testing.T) {
	tests := []struct {
		name, text, file string
		want             []string
	}{
		{"commute", program("x: int; y: int", "x = 5", "y = x"),
			"cdpor-constraints: 1\npairs:\n  - blocks: [p.s, q.s]\n    commute: x <= 5\n    status: manual\n",
			[]string{
				"commute of p.s and q.s holds in a state in which they do not commute",
				"state: x = 0, y = 0",
				"this is the initial state",
				"p:p.s; q:q.s: x = 5, y = 5",
				"q:q.s; p:p.s: x = 5, y = 0"}},
		{"uniform", slides,
			"cdpor-constraints: 1\npairs:\n  - blocks: [p.s, r.s]\n    commute: x == 5\n    uniform: x == 5\n" +
				"  - blocks: [q.s, r.s]\n    commute: x == 5\nindependent:\n  - [p.s, q.s]\n",
			[]string{
				"uniform of p.s and r.s is created by q.s, which is independent of one of them",
				"state: x = 0, y = 0",
				"this is the initial state",
				"r:q.s: x = 5, y = 0"}},
		{"implies", program("x: int; y: int", "x = 5", "y = x"),
			"cdpor-constraints: 1\npairs:\n  - blocks: [p.s, q.s]\n    commute: x == 5\n    uniform: x > 4\n",
			[]string{
				`cannot prove "uniform => commute" of p.s and q.s: it is right in all 5 reachable states, ` +
					"but not where x = 6, y = 0, which no fact under assuming rules out"}},
		{"next step", "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n  p: |\n    s: if x >= 6 { a: y = 1 } else { b: " +
			"y = 1 }\n  q: |\n    s: x = 9\n",
			"cdpor-constraints: 1\npairs:\n  - blocks: [p.s, q.s]\n    commute: x <= 5\n",
			[]string{
				"commute of p.s and q.s holds in a state in which they do not commute",
				"state: x = 0, y = 0",
				"this is the initial state",
				"p:p.s; q:q.s: x = 9, y = 0, next of p = p.b",
				"q:q.s; p:p.s: x = 9, y = 0, next of p = p.a"}},
		{"local", arrays,
			"cdpor-constraints: 1\npairs:\n  - blocks: [p.w, q.w]\n    commute: i >= 0\n",
			[]string{
				`cannot prove "commute" of p.w and q.w: it is right in all 16 reachable states, but not where ` +
					"a = [0, 0, 0, 0, 0, 0, 0, 0], idx = [0, 0, 0], p.i = 0, p.v = 0, q.j = 0, q.u = 1, " +
					"which no fact under assuming rules out"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			report := check(t, test.text, test.file)
			if len(report.Findings) != 1 || !report.Findings[0].Refuted {
				t.Fatalf("findings: %+v", report.Findings)
			}
			got := report.Findings[0].Text()
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			t.Log(strings.Join(got, "\n"), report.Findings[0].Pos)
		})
	}
}

// TestCheckAcceptsSynthesised proves what synthesis wrote, after a round trip through the file.
func TestCheckAcceptsSynthesised(t *testing.T) {
	for _, text := range []string{boundedBuffer, arrays, locks, slides, ainc, mailboxes} {
		set := synthesize(t, text)
		file := set.Format()
		report := check(t, text, string(file))
		for _, f := range report.Findings {
			t.Errorf("%s\n%s", strings.Join(f.Text(), "\n"), file)
		}
		for _, p := range report.Pairs {
			if s := p.Pair.Status; p.Weakest != (s == constraints.Exact || s == constraints.Ordered) {
				t.Errorf("%s, %s: weakest %v, status %s", p.Pair.A.Name(), p.Pair.B.Name(), p.Weakest, p.Pair.Status)
			}
		}
		again, err := constraints.Load(load(t, text), "c.yaml", file)
		if err != nil {
			t.Fatal(err)
		}
		if string(again.Format()) != string(file) {
			t.Errorf("format is not canonical:\n%s\n%s", file, again.Format())
		}
		if again.Stale() {
			t.Error("the digest differs")
		}
	}
}

func TestInvariant(t *testing.T) {
	text := "cdpor: 1\nname: i\nshared: {x: int, y: int}\ninvariant: [\"x == 0\", \"y < 1\"]\nthreads:\n" +
		"  p: |\n    s: y = x\n  q: |\n    s: y = y + 1\n  r: |\n    s: x = y * 0\n"
	set, report, err := Synthesize(context.Background(), load(t, text), Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	if !report.Invariants[0].Used || report.Invariants[1].Used {
		t.Errorf("invariants: %+v", report.Invariants)
	}
	pair := find(t, set, "p.s", "r.s")
	if got := lang.FormatExpr(pair.Commute, pair.A.Template, pair.B.Template); got != "true" {
		t.Errorf("with x == 0 assumed: %s", got)
	}
}

// TestTraps: the families of the trap programs are uniform, also for the checker.
func TestTraps(t *testing.T) {
	files, err := filepath.Glob("../testdata/traps/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no trap programs", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		set := synthesize(t, string(text))
		for _, f := range check(t, string(text), string(set.Format())).Findings {
			t.Errorf("%s: %s", file, strings.Join(f.Text(), "\n"))
		}
	}
}
