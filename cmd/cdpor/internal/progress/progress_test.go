package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/explore"
)

// TestEstimate: how long a search takes is told once an estimate has held for a while, and only where it says
// something. share is what is estimated to be done after so many seconds.
func TestEstimate(t *testing.T) {
	for _, test := range []struct {
		name  string
		share func(seconds float64) float64
		total float64 // executions in all
		want  string  // after 100 seconds
	}{
		{"steady", func(s float64) float64 { return s / 400 }, 4000, ", roughly 25% of 4.0k, 5m left,"},
		{"faster and faster", func(s float64) float64 { return s / (400 - s) }, 3000,
			", roughly 33% of 3.0k, 3m left,"},
		{"nearly done for ever", func(s float64) float64 { return 0.9999 }, 8400, ""},
		{"ever longer", func(s float64) float64 { return 1 / (s + 1) }, 8400, ""},
		{"for years", func(s float64) float64 { return s / 1e9 }, 1e12, ""},
		{"without number", func(s float64) float64 { return s / 400 }, 1e20, ""},
		{"unknown", func(s float64) float64 { return 0 }, 1, ""},
	} {
		var out bytes.Buffer
		seconds := int64(0)
		p := New(&environment.Environment{Stderr: &out, Now: func() time.Time { return time.Unix(seconds, 0) }})
		for ; seconds <= 100; seconds++ {
			out.Reset()
			p.Env.Asked.Store(true)
			share := test.share(float64(seconds))
			p.Exploring(&explore.Result{Algorithm: "source", Share: share, Events: seconds,
				Counts: explore.Counts{Executions: int64(min(test.total*share, 1e18))}})
		}
		if got := out.String(); test.want == "" && strings.Contains(got, "left") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q does not say %q", test.name, got, test.want)
		}
	}
}

// TestEstimateFits: the time left stands in the first 80 columns, whatever the numbers are.
func TestEstimateFits(t *testing.T) {
	var out bytes.Buffer
	seconds := int64(0)
	p := New(&environment.Environment{Stderr: &out, Now: func() time.Time { return time.Unix(seconds, 0) }})
	share := func() float64 { return float64(seconds) / 20_000_000 }
	for ; seconds <= 100_000; seconds += 1000 {
		out.Reset()
		p.Env.Asked.Store(true)
		p.Exploring(&explore.Result{Algorithm: "interleavings", Share: share(), Events: seconds,
			Counts: explore.Counts{Executions: int64(999e12 * share())}})
	}
	if got := fit(out.String(), 79); !strings.HasSuffix(got, " days left") {
		t.Errorf("the line in 80 columns is %q", got)
	}
}

// TestAdvice: advice is asked for once, when a search has visited many nodes, or is slow.
func TestAdvice(t *testing.T) {
	var out bytes.Buffer
	seconds, asked := int64(0), 0
	p := New(&environment.Environment{Stderr: &out, Now: func() time.Time { return time.Unix(seconds, 0) }})
	p.Advise = func(*explore.Result) []string { asked++; return []string{"leave log out"} }
	for nodes := int64(0); nodes < 2*adviseAfter; nodes += adviseAfter / 10 {
		p.Exploring(&explore.Result{Algorithm: "auto", Events: nodes, Counts: explore.Counts{Nodes: nodes}})
		if (asked > 0) != (nodes >= adviseAfter) {
			t.Errorf("asked %d times after %d nodes", asked, nodes)
		}
	}
	if n := strings.Count(out.String(), "cdpor: advice: leave log out\n"); asked != 1 || n != 1 {
		t.Errorf("asked %d times, told %d times:\n%s", asked, n, out.String())
	}
	p.Advise = func(*explore.Result) []string { asked++; return nil }
	for asked, seconds = 0, 100; seconds < 110; seconds++ {
		p.Exploring(&explore.Result{Algorithm: "source", Events: seconds, Counts: explore.Counts{Nodes: adviseFrom}})
		if (asked > 0) != (seconds >= 105) {
			t.Errorf("asked %d times after %d seconds", asked, seconds-100)
		}
	}
}

// TestFit: a line loses whole parts at its end, none in its middle.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"1s: a, b; c", 11, "1s: a, b; c"},
		{"1s: a, b; c", 10, "1s: a, b"},
		{"1s: a, b; c", 8, "1s: a, b"},
		{"1s: a, b; c", 7, "1s: a"},
		{"1s: ä, b; c", 5, "1s: ä"},
		{"one long part", 10, "one lon..."},
	} {
		if got := fit(c.text, c.most); got != c.want {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.most, got, c.want)
		}
	}
}
