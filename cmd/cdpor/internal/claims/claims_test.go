package claims

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/lang/golang"
	"cdpor/lang/langtest"
	"cdpor/lang/step"
)

// TestPrint says of small programs what was checked and holds, and what there was no occasion to check.
func TestPrint(t *testing.T) {
	for name, test := range map[string]struct{ program, want string }{
		"holds": {"shared: {x: int}\nthreads: {t: x = 1}\ncheck: {final: x == 1}",
			"holds        final x == 1 (line 4), no deadlock"},
		"never evaluated": {"shared: {x: int}\nthreads: {t: \"assume x == 1; x = 2\"}\ncheck: {final: x == 2}",
			"no execution that came to an end satisfies every assumption: assume dropped 1 execution"},
		"not reached": {"shared: {x: int}\nthreads: {t: \"if x == 1 { assert x == 2 }\"}",
			"p.yaml:3:27: assert x == 2: no execution comes to it"},
		"holds at the start": {"shared: {x: int}\nthreads: {t: x = 1}\ncheck: {eventually: x == 0}",
			"p.yaml:4:21: eventually x == 0 holds at the start, so nothing has to happen"},
	} {
		m := langtest.Machine(t, "p.yaml", "cdpor: 1\n"+test.program+"\n", nil)
		a, err := explore.Find("exhaustive")
		if err != nil {
			t.Fatal(err)
		}
		r, err := explore.Run(context.Background(), m, a, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Judge(explore.JudgeLiveness(context.Background(), m, explore.LivenessOptions{}))
		var out bytes.Buffer
		plain := func(s string) string { return s }
		Print(&out, plain, m.Program, r.Unchecked, r.Dropped, r.Held, ScopeOf(r), 5)
		if !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: no %q in\n%s", name, test.want, &out)
		}
	}
}

// TestGo says of Go tests, each with one bug, what holds: everything but that.
func TestGo(t *testing.T) {
	for name, want := range map[string]string{
		"lockorder/TestBug":      "no leaked goroutine, no data race, no panic",
		"timeoutleak/TestBug":    "no deadlock, no data race, no panic",
		"sendonclosed/TestBug":   "no deadlock, no leaked goroutine, no data race",
		"atomicandplain/TestBug": "no deadlock, no leaked goroutine, no panic, no failed test",
		"lostupdate/TestBug":     "no deadlock, no leaked goroutine, no panic",
		"lostupdate/TestFixed":   "no deadlock, no leaked goroutine, no data race, no panic, no failed test",
	} {
		folder, fn, _ := strings.Cut(name, "/")
		p, err := golang.Load(context.Background(), golang.Options{Path: "../../../../testdata/go/" + folder, Func: fn})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := step.NewMachine(p.Step)
		if err != nil {
			t.Fatal(err)
		}
		a, err := explore.Find("exhaustive")
		if err != nil {
			t.Fatal(err)
		}
		r, err := explore.Run(context.Background(), m, a, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := HeldText(HeldJSON(p.Step, r.Held)); got != want {
			t.Errorf("%s: holds %q, want %q", name, got, want)
		}
	}
}
