package synth

import (
	"testing"

	"cdpor/synth/internal/term"
)

func TestRelevant(t *testing.T) {
	lit := func(dir int, neg bool) term.Literal { return term.Literal{Dir: dir, Rel: term.EqRel, Neg: neg, K: 3} }
	leaves := []leaf{
		{cube: []term.Literal{lit(0, false), lit(1, false)}, value: true},
		{cube: []term.Literal{lit(0, false), lit(1, true)}, value: true},
		{cube: []term.Literal{lit(0, true), lit(2, false)}, value: false},
		{cube: []term.Literal{lit(0, true), lit(2, true)}, value: false},
	}
	for i, f := range relevant(leaves, func(int) bool { return true }) {
		if len(f.cube) != 1 || f.cube[0].Dir != 0 {
			t.Errorf("leaf %d: %v", i, f.cube)
		}
	}
	if kept := relevant(leaves, func(dir int) bool { return dir == 2 }); len(kept[0].cube) != 2 ||
		len(kept[2].cube) != 1 {
		t.Errorf("%v", kept)
	}
}
