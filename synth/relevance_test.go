package synth

import "testing"

func TestRelevant(t *testing.T) {
	lit := func(dir int, neg bool) literal { return literal{dir: dir, rel: eqRel, neg: neg, k: 3} }
	leaves := []leaf{
		{cube: []literal{lit(0, false), lit(1, false)}, value: true},
		{cube: []literal{lit(0, false), lit(1, true)}, value: true},
		{cube: []literal{lit(0, true), lit(2, false)}, value: false},
		{cube: []literal{lit(0, true), lit(2, true)}, value: false},
	}
	for i, f := range relevant(leaves, func(int) bool { return true }) {
		if len(f.cube) != 1 || f.cube[0].dir != 0 {
			t.Errorf("leaf %d: %v", i, f.cube)
		}
	}
	if kept := relevant(leaves, func(dir int) bool { return dir == 2 }); len(kept[0].cube) != 2 ||
		len(kept[2].cube) != 1 {
		t.Errorf("%v", kept)
	}
}
