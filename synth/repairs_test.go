//go:build cgo && !noz3

package synth

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"cdpor/lang/random"
	"cdpor/lang/step"
	"cdpor/synth/internal/uniform"

	"github.com/google/go-cmp/cmp"
)

// TestRepairs writes a section of testdata/tables/synthesis.md: how often there is a choice between repairs, and which
// one keeps most independence.
func TestRepairs(t *testing.T) {
	if testing.Short() {
		t.Skip("compares a page of measurements")
	}
	var b bytes.Buffer
	b.WriteString("## The two repairs of a backward violation\n\n" +
		"Written by `go test ./synth -run Repairs -update`. Where an independent step would create " +
		"independence, either the\n" +
		"states after that step are taken from the pair that is judged (*after*), or the states before it " +
		"from the pairs of that\n" +
		"step (*before*); *cheaper* takes the one that loses less in the first states of the program. The " +
		"fixpoint is computed\n" +
		"for each of the three, and the family that keeps most is taken, *cheaper* if several do. " +
		"*Kept* counts pairs of\n" +
		fmt.Sprintf("processes that are independent in the first %d states, summed over the programs with a choice; "+
			"a rule that would choose\n", uniform.SampleStates) +
		"as *cheaper* did counts with its result. *Best alone* counts programs in which a rule keeps more " +
		"than each of the other\n" +
		"two.\n\n" +
		"| programs | number | with a choice | kept, cheaper | after | before | taken | best alone, " +
		"cheaper | after | before |\n" +
		"|---|---|---|---|---|---|---|---|---|---|\n")
	measure := func(name string, programs []*step.Program) {
		choice, taken := 0, 0
		var kept, alone [uniform.EndOfRules]int
		for _, prog := range programs {
			_, report := synthesisOf(t, prog, false)
			if len(report.Repairs) == 0 {
				continue
			}
			choice++
			of, best := [uniform.EndOfRules]int{}, 0
			for r := range uniform.EndOfRules { // what was not tried is the same as cheaper
				of[r] = report.Repairs[0].Kept
			}
			for i, a := range report.Repairs {
				for r := range uniform.EndOfRules {
					if a.Repair == r.String() {
						of[r] = a.Kept
					}
				}
				if a.Kept > report.Repairs[best].Kept {
					best = i
				}
			}
			if !report.Repairs[best].Taken {
				t.Errorf("%s: the best repair is not taken: %+v", prog.Name, report.Repairs)
			}
			taken += report.Repairs[best].Kept
			for r := range uniform.EndOfRules {
				kept[r] += of[r]
				if of[r] > of[(r+1)%uniform.EndOfRules] && of[r] > of[(r+2)%uniform.EndOfRules] {
					alone[r]++
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, len(programs), choice, kept[0],
			kept[1], kept[2], taken,
			alone[0], alone[1], alone[2])
	}
	var all []*step.Program
	programs := shipped(t)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		all = append(all, programs[name])
	}
	measure("shipped", all)
	measure("random", measuredPrograms(t))
	measure("random, 4 small threads", drawnBy(t, func(random.Source) random.Config {
		c := random.Small()
		c.Threads, c.Steps = 4, 1
		return c
	}))
	if diff := cmp.Diff(measured(t, b.String()), b.String()); diff != "" {
		t.Errorf("%s is stale; -update rewrites it:\n%s", measurements, diff)
	}
}

// drawnOnce are the programs of measuredPrograms.
var drawnOnce []*step.Program

// measuredPrograms are the random programs of pages of measurements, the same for all tests.
func measuredPrograms(t *testing.T) []*step.Program {
	if drawnOnce == nil {
		drawnOnce = drawnBy(t, random.Draw)
	}
	return drawnOnce
}

// drawnBy draws 250 random programs.
func drawnBy(t *testing.T, config func(random.Source) random.Config) (list []*step.Program) {
	for seed := range int64(250) {
		r := rand.New(rand.NewSource(seed + 1))
		list = append(list, load(t, random.Program(r, config(r))))
	}
	return list
}
