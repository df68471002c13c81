package synth

import (
	"testing"

	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/term"
)

func TestRelevant(t *testing.T) {
	lit := func(dir int, neg bool) term.Literal { return term.Literal{Dir: dir, Rel: term.EqRel, Neg: neg, K: 3} }
	leaves := []partition.Leaf{
		{Cube: []term.Literal{lit(0, false), lit(1, false)}, Value: true},
		{Cube: []term.Literal{lit(0, false), lit(1, true)}, Value: true},
		{Cube: []term.Literal{lit(0, true), lit(2, false)}, Value: false},
		{Cube: []term.Literal{lit(0, true), lit(2, true)}, Value: false},
	}
	for i, f := range partition.Relevant(leaves, func(int) bool { return true }) {
		if len(f.Cube) != 1 || f.Cube[0].Dir != 0 {
			t.Errorf("leaf %d: %v", i, f.Cube)
		}
	}
	if kept := partition.Relevant(leaves, func(dir int) bool { return dir == 2 }); len(kept[0].Cube) != 2 ||
		len(kept[2].Cube) != 1 {
		t.Errorf("%v", kept)
	}
}
