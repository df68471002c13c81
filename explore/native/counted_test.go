package native

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

var randomPrograms = flag.Int("random-programs", 8, "how many random programs TestCountedRandom executes")

// ends are what executions of a test come to: what it says, or who waits for what.
func ends(t *testing.T, test *native.Test, name string, opt Options) (list []string, r *Result) {
	t.Helper()
	seen := map[string]bool{}
	opt.All, opt.Executions = true, 20_000
	opt.Seen = func(r *native.Record) {
		waits := map[int]string{}
		for _, s := range r.Steps {
			for _, c := range s.Changes {
				waits[c.Proc] = c.Op.Name() // objects have numbers in the order in which they are met
			}
		}
		end := string(Judge(r)) + r.Text
		if r.End == native.Stuck {
			end += fmt.Sprint(waits)
		}
		seen[end] = true
	}
	r = explored(t, test, name, opt)
	if r.Unlike != "" {
		t.Errorf("%s: %+v", name, r)
	}
	return slices.Sorted(maps.Keys(seen)), r
}

// Sends and receives that count as dependent by their numbers only: the same ends, by no more executions.
func TestCounted(t *testing.T) {
	test := built(t, "counts")
	for _, c := range []struct {
		name           string
		plain, counted int64 // executions
	}{
		{"TestBuffered8", 1430, 1},
		{"TestPipeline", 40, 6},
		{"TestCrossing", 36, 36},
		{"TestSemaphore", 126, 72},
		{"TestWorkers", 2400, 144},
		{"TestPolled", 66, 51},
		{"TestLength", 8, 5},
		{"TestHits", 14400, 1},
		{"TestHitsSeen", 6, 4},
		{"TestTickets", 6, 6},
		{"TestElection", 6, 3},
		{"TestKeys", 36, 1},
		{"TestSameKey", 34, 34},
		{"TestRangeWaits", 22, 22},
		{"TestUnheard", 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain, all := ends(t, test, c.name, Options{Algorithm: dpor.SourceAlgorithm, Plain: true})
			for _, a := range []*dpor.Algorithm{dpor.SourceAlgorithm, dpor.OptimalAlgorithm} {
				counted, r := ends(t, test, c.name, Options{Algorithm: a})
				if !slices.Equal(plain, counted) {
					t.Errorf("%q by all, %q by numbers", plain, counted)
				}
				if all.Stopped == "executions" || all.Executions != c.plain || r.Executions != c.counted {
					t.Errorf("%s: %d and %d executions", a.Name, all.Executions, r.Executions)
				}
			}
		})
	}
}

// Random programs have the same ends, those among them where somebody waits for good.
func TestCountedRandom(t *testing.T) {
	test := built(t, "counts")
	for _, name := range []string{"TestRandom", "TestRandomAtomics", "TestRandomBubble"} {
		var plain, counted int64
		for seed := range *randomPrograms {
			t.Setenv("SEED", strconv.Itoa(seed))
			want, all := ends(t, test, name, Options{Algorithm: dpor.SleepAlgorithm, Plain: true})
			if all.Stopped == "executions" {
				continue // too many to tell
			}
			for _, a := range []*dpor.Algorithm{dpor.SourceAlgorithm, dpor.OptimalAlgorithm} {
				got, r := ends(t, test, name, Options{Algorithm: a})
				if !slices.Equal(got, want) {
					t.Errorf("%s, seed %d, %s: %q, by all %q", name, seed, a.Name, got, want)
				}
				plain, counted = plain+all.Executions, counted+r.Executions
			}
		}
		t.Logf("%s: %d executions by sleep sets, %d by numbers", name, plain, counted)
	}
}
