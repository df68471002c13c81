//go:build cgo && !noz3

package synth

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

// What the conditions of the shipped programs come to, in characters, as a file shows them: with the names of
// definitions, and with what these stand for as conditions of their own. true and false are not counted: a condition
// that facts decide is gone, and as these are short ones mostly, the median of the rest may rise when there is less to
// read. These are the best figures so far, but for the names of what has none in the source (last_i, test_x), which say
// more than temp and are longer; a change that makes them smaller lowers them here.
const (
	medianLength, ninthDecile, longest = 24, 78, 160
	conditionsLeft                     = 2006  // that are neither true nor false
	characters                         = 71079 // of all of them
	overLimit                          = 0     // conditions of more than constraints.MaxCondition
	writtenOut                         = 66    // the same without definitions
	definitions                        = 78
)

// TestLengths: the conditions that people read do not grow.
func TestLengths(t *testing.T) {
	if testing.Short() {
		t.Skip("counts in all shipped programs")
	}
	var lengths []int
	long, defined := 0, 0
	programs := shipped(t)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		set, _ := synthesisOf(t, programs[name], false)
		for _, p := range set.Pairs {
			for _, e := range []*step.Expr{p.Commute, p.Uniform} {
				if !constraints.IsTrue(e) && !constraints.IsFalse(e) {
					lengths = append(lengths, len(set.Text(p, e)))
					if len(lang.FormatExpr(e, p.A.Template, p.B.Template)) > constraints.MaxCondition {
						long++
					}
				}
			}
		}
		for _, d := range set.Definitions {
			lengths = append(lengths, len(d.Format(set.Definitions)))
			defined++
		}
	}
	slices.Sort(lengths)
	n, total := len(lengths), 0
	for _, l := range lengths {
		total += l
	}
	median, decile, most := lengths[n/2], lengths[n*9/10], lengths[n-1]
	at, _ := slices.BinarySearch(lengths, constraints.MaxCondition+1)
	found := fmt.Sprintf("median %d, ninth decile %d, longest %d, %d of more than %d (%d without the %d definitions)",
		median,
		decile, most, n-at, constraints.MaxCondition, long, defined)
	t.Logf("%d conditions of %d characters: %s", n, total, found)
	if n > conditionsLeft || total > characters || median > medianLength || decile > ninthDecile || most > longest ||
		n-at > overLimit || long > writtenOut ||
		defined > definitions {
		t.Errorf("the conditions have grown: %d of %d characters, %s", n, total, found)
	}
}
