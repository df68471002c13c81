package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/explore"
)

// TestRanges expands parameters with ranges.
func TestRanges(t *testing.T) {
	for _, test := range []struct {
		params, rows, swept, err string
	}{
		{"", "[[]]", "[]", ""},
		{"N=3", "[[N=3]]", "[]", ""},
		{"N=2..4", "[[N=2] [N=3] [N=4]]", "[N]", ""},
		{"N=-1..0 X=N+1", "[[N=-1 X=N+1] [N=0 X=N+1]]", "[N]", ""},
		{"N=1..2 M=5..6", "[[N=1 M=5] [N=1 M=6] [N=2 M=5] [N=2 M=6]]", "[N M]", ""},
		{"N=3..2", "", "", "-p N=3..2: the range is empty"},
		{"N=1..1001", "", "", "-p N=1..1001: more than 1000 values"},
		{"N=-9223372036854775808..9223372036854775807", "", "",
			"-p N=-9223372036854775808..9223372036854775807: more than 1000 values"},
		{"N=1..99999999999999999999", "", "", "-p N=1..99999999999999999999: more than 1000 values"},
		{"N=1..40 M=1..40", "", "", "-p N=1..40 -p M=1..40: more than 1000 combinations"},
	} {
		rows, swept, err := Ranges(strings.Fields(test.params))
		if got := fmt.Sprint(err); err != nil && got != test.err || err == nil && test.err != "" {
			t.Errorf("%s: %s, want %s", test.params, got, test.err)
		}
		if test.err == "" {
			if diff := cmp.Diff(test.rows+test.swept, fmt.Sprint(rows)+fmt.Sprint(swept)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.params, diff)
			}
		}
	}
}

// TestDisagreement: two complete searches must find the same; of an incomplete one nothing can be said.
func TestDisagreement(t *testing.T) {
	violated := []*explore.Violation{{Kind: explore.FailedStep}}
	invariant := []*explore.Violation{{Kind: explore.InvariantFalse}}
	for _, test := range []struct {
		name string
		a, b explore.Result
		want string
	}{
		{"the same", explore.Result{Verdict: explore.OK}, explore.Result{Verdict: explore.OK}, ""},
		{"a violation", explore.Result{Verdict: explore.OK},
			explore.Result{Verdict: explore.Violated, Violations: violated}, "verdict"},
		{"an invariant, which a reduction may miss", explore.Result{Verdict: explore.OK},
			explore.Result{Verdict: explore.Violated, Violations: invariant}, ""},
		{"vacuous", explore.Result{Verdict: explore.OK}, explore.Result{Verdict: explore.Vacuous}, "verdict"},
	} {
		test.a.Stopped, test.b.Stopped = explore.StoppedComplete, explore.StoppedComplete
		if got := Disagreement(&test.a, &test.b); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if test.b.Stopped = explore.StoppedTime; Disagreement(&test.a, &test.b) != "" {
			t.Errorf("%s: an incomplete search disagrees", test.name)
		}
	}
}
