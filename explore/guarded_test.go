package explore

import (
	"fmt"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/reversal"
	"cdpor/lang/step"
)

// TestThreeSequences looks at what reverses the race of a step that is disabled at the end of an execution made by
// hand: what enabled it, notdep(e) as far as it leaves the step enabled, and all of notdep(e).
func TestThreeSequences(t *testing.T) {
	for _, c := range []struct {
		name, text, schedule string
		at                   int
		via                  string
		suffix               string // if it can run
		runs                 bool
		notdep               string
	}{
		{"a disabling event is left out",
			handmade("x: int, y: int, z: int", "p: y = 1", "q: x = 1", "r: await x == 0 && y == 0", "s: z = 1"),
			"p q s", 0, "", "s", true, "q s"},
		{"an enabling event is kept",
			handmade("x: int = 1, y: int, z: int", "p: y = 1", "q: x = 0", "r: await x == 0 && y == 0", "s: z = 1"),
			"p q s", 0, "q", "q s", true, "q s"},
		{"what happens after a disabling event is left out",
			handmade("x: int, y: int, z: int", "p: y = 1", "q: x = 1; z = 1", "r: await x == 0 && y == 0", "s: z = 2"),
			"p q q s", 0, "", "", true, "q q s"},
		{"what happens after the event is left out",
			handmade("x: int, y: int, z: int", "p: y = 1", "q: x = 1", "r: await x == 0 && y == 0", "s: z = y"),
			"p s q", 0, "", "", true, "q"},
		{"its own events come first",
			handmade("x: int, y: int, z: int, u: int",
				"p: y = 1", "q: x = 1", "r: u = 1; await x == 0 && y == 0", "s: z = 1"),
			"p q r s", 0, "r", "r s", true, "q r s"},
		{"its own event disables it for a while",
			handmade("x: int, y: int", "p: y = 1", "q: x = 0", "r: x = 1; await x == 0 && y == 0"),
			"p r q", 0, "r q", "r q", true, "r q"},
		{"what leads to it happens after a disabling event",
			handmade("x: int, y: int, z: int", "p: y = 1", "q: x = 1", "r: z = x; await x == z && y == 0"),
			"p q r", 0, "q r", "", false, "q r"},
	} {
		for _, without := range []happens.FastPaths{{}, referencePath} {
			x := executing(t, c.text, nil, "")
			x.Without = without
			takeAll(t, x, c.schedule)
			n, now := &x.Idle, x.Stack[x.Depth]
			x.Describe(n, now.State, actionNamed(t, x, "r"), make(step.Footprint, machineOf(x).FootprintWords()))
			what, found := fmt.Sprintf("%s, without %+v", c.name, without), false
			for _, r := range x.FindRaces(n, &x.IdlePast) {
				if r.At != c.at {
					continue
				}
				found = true
				chosen := func(which reversal.EventFilter) string {
					x.SelectEvents(r.At, which)
					actions := x.SelectedActions(n)
					return named(x, actions[:len(actions)-1])
				}
				x.Accesses.Follow(x.Execution)
				equal(t, what+": what enabled it", chosen(func(j int, _ *happens.Event) bool {
					return x.InSelection(r.At, j, r.Via, r.Apart, n.Proc)
				}), c.via)
				equal(t, what+": it can run behind the second", x.FindNonDisablingSuffix(r.At, n), c.runs)
				equal(t, what+": without what disables it", chosen(func(_ int, f *happens.Event) bool {
					return x.InNonDisablingSuffix(r.At, f)
				}), c.suffix)
				equal(t, what+": notdep", chosen(func(_ int, f *happens.Event) bool {
					return x.InNotdep(r.At, f)
				}), c.notdep)
			}
			if !found {
				t.Errorf("%s: no race with %d", what, c.at)
			}
		}
	}
}

// TestReorderings lists, of a step with a guard behind an execution made by hand, all places where it could run
// instead: the events before each, from before the first event that comes after it.
func TestReorderings(t *testing.T) {
	for _, c := range []struct {
		name, text, schedule string
		want                 []string
	}{
		{"two that disable it", handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 0 && y == 0"),
			"p q", []string{"0:"}},
		{"either of two disables it", handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 0 || y == 0"),
			"p q", []string{"1:", "0: q", "0:"}},
		{"one enables and one disables it",
			handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 1 && y == 0"),
			"p q", []string{"1:"}},
		{"after the event that disables it", handmade("x: int", "p: x = 1", "q: x = 2", "r: await x != 2"),
			"p q", []string{"1:", "0:"}},
		{"what it has nothing to do with", handmade("x: int, z: int", "p: x = 1", "q: z = 2", "r: await x == 0"),
			"p q", []string{"0: q"}},
		{"what must come before it",
			handmade("x: int, y: int", "p: y = 1; x = 1", "q: x = 2", "r: let a = y; await x == 0"),
			"p r p q", []string{"2:"}},
	} {
		for _, without := range []happens.FastPaths{{}, referencePath} {
			x := executing(t, c.text, nil, "")
			x.Without = without
			takeAll(t, x, c.schedule)
			x.Describe(&x.Idle, x.Stack[x.Depth].State, actionNamed(t, x, "r"),
				make(step.Footprint, machineOf(x).FootprintWords()))
			var got []string
			plan := func(_ *dpor.Search, at int, n *happens.Transition) {
				text := fmt.Sprintf("%d:", at)
				if actions := x.SelectedActions(n); len(actions) > 1 {
					text += " " + named(x, actions[:len(actions)-1])
				}
				got = append(got, text)
			}
			if tooMany := x.InsertReorderings(&x.Idle, x.Depth, plan); tooMany != nil {
				t.Errorf("%s: too many", c.name)
			}
			equalWords(t, fmt.Sprintf("%s, without %+v", c.name, without), got, c.want)
		}
	}
}
