package compare

import (
	"slices"

	"cdpor/explore"
)

// Disagreement names what two complete searches of one program found differently, which no pair of algorithms may.
func Disagreement(a, b *explore.Result) string {
	if a.Stopped != explore.StoppedComplete || b.Stopped != explore.StoppedComplete {
		return ""
	}
	words := func(list explore.OutcomeSet) [][]int64 {
		var all [][]int64
		for _, o := range list.All() {
			all = append(all, o.Words)
		}
		slices.SortFunc(all, slices.Compare)
		return all
	}
	same := func(a, b explore.OutcomeSet) bool { return slices.EqualFunc(words(a), words(b), slices.Equal) }
	switch {
	case !same(a.Outcomes, b.Outcomes):
		return "outcomes"
	case !same(a.Deadlocks, b.Deadlocks):
		return "deadlocks"
	case breaks(a) != breaks(b), a.Verdict != b.Verdict && a.Verdict != explore.Violated &&
		b.Verdict != explore.Violated:
		return "verdict"
	}
	return ""
}

// breaks reports whether a search has found something wrong that every search finds: states in which an invariant is
// false are not, as a reduction leaves states out.
func breaks(res *explore.Result) bool {
	return slices.ContainsFunc(res.Violations,
		func(v *explore.Violation) bool { return v.Kind != explore.InvariantFalse })
}
