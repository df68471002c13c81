package estimate

import (
	"math"
	"testing"
)

func TestShare(t *testing.T) {
	var none, halves Census
	for i := range 3 {
		halves.Finished(i, 50, 100)
	}
	one := func(begun int64, done, planned int) Level { return Level{begun, done, planned, 1} }
	for _, c := range []struct {
		name    string
		census  Census
		visited int64
		stack   []Level
		want    float64
	}{
		{"only the root", none, 1, []Level{one(1, 0, 0)}, 1},
		{"nothing planned", none, 10, []Level{one(1, 0, 0), one(2, 0, 0), one(10, 3, 0)}, 1},
		// The first child of the root has 9 nodes, and so will the second one: 10 of 1 + 9 + 9.
		{"a sibling of the same size", none, 10, []Level{one(1, 0, 1), one(2, 0, 0)}, 10.0 / 19},
		{"two", none, 10, []Level{one(1, 0, 2), one(2, 0, 0)}, 10.0 / 28},
		// Each later sibling has half the nodes of the one before it: 1 + 8 + 4 + 2.
		{"smaller siblings", halves, 9, []Level{one(1, 0, 2), one(2, 0, 0)}, 9.0 / 15},
		// The second child of the root begins at 6: 1 + 4 of the first one, 5 of the second, 5 to come.
		{"the second of three", none, 10, []Level{one(1, 1, 1), one(6, 0, 0)}, 10.0 / 15},
		// The subtree below has 2 nodes and a sibling to come: 4 and its parent; so has the parent: 1 + 5 + 5.
		{"two levels", none, 4, []Level{one(1, 0, 1), one(2, 0, 1), one(3, 0, 0)}, 4.0 / 11},
		// What is planned is left to two workers.
		{"shared", none, 10, []Level{{1, 0, 1, 2}, one(2, 0, 0)}, 10.0 / (1 + 9 + 4.5)},
		// The search has been in other subtrees before.
		{"a part of a search", none, 10, []Level{one(5, 0, 1), one(6, 0, 0)}, 10.0 / (4 + 1 + 5 + 5)},
	} {
		if got := c.census.Share(c.visited, c.stack); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestFactor: what is known of children with a number counts, else what is known of all.
func TestFactor(t *testing.T) {
	var c Census
	if got := c.factor(1); got != 1 {
		t.Errorf("nothing known: %v", got)
	}
	c.Finished(0, 7, 0) // has none before it
	if c != (Census{}) {
		t.Errorf("a first child counts: %v", c)
	}
	c.Finished(1, 30, 40)
	c.Finished(2, 10, 40)
	c.Finished(Siblings+5, 90, 30)
	for number, want := range map[int]float64{1: 0.75, 2: 0.25, 3: 1, Siblings - 1: 1, Siblings + 9: 1} {
		if got := c.factor(number); got != want {
			t.Errorf("child %d: %v, want %v", number, got, want)
		}
	}
}
