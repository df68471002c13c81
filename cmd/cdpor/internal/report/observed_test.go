package report

import (
	"context"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/lang/langtest"
)

// TestCrowd: a variable that makes most of the outcomes and that no property depends on is named, others are not.
func TestCrowd(t *testing.T) {
	const program = `cdpor: 1
shared: {log: TYPE, x: 0..3, m: mutex}
threads:
  t: {count: 4, run: "for i in 1..2 { lock m; x = (x + self) % 4; log = log * 4 + TYPE(self); unlock m }"}
`
	const want = "log makes most of the 2520 outcomes, and no property depends on it: leave it out of observe"
	for name, test := range map[string]struct{ logged, more, want string }{
		"logged":              {"uint64", "check: {final: [x == 0]}", want},
		"asked to be":         {"uint64", "check: {final: [x == 0]}\nobserve: [x, log]", want},
		"a property asks":     {"uint64", "check: {final: [x == 0, log != 0]}", ""},
		"it may fail":         {"int", "check: {final: [x == 0]}", ""},
		"not observed":        {"uint64", "check: {final: [x == 0]}\nobserve: [x]", ""},
		"nothing is asked of": {"uint64", "", ""},
	} {
		text := strings.ReplaceAll(program, "TYPE", test.logged) + test.more
		m := langtest.Machine(t, "p.yaml", text, nil)
		alg, _ := explore.Find("exhaustive")
		r, err := explore.Run(context.Background(), m, alg, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(Crowd(m.Program, r), "\n"); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
