package explore

import (
	"fmt"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/wakeup"
)

// drawTree writes a tree as its branches from the left to the right, behind each in parentheses what lies below it.
func drawTree(f *wakeup.Forest, tree wakeup.Branch, name func(action int32) string) string {
	var words []string
	for b := tree; b != wakeup.None; b = f.Next(b) {
		text := name(int32(f.Action(b)))
		if child := f.Child(b); child != wakeup.None {
			text += "(" + drawTree(f, child, name) + ")"
		}
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

// TestPlanAll plans what is enabled, awake and not planned.
func TestPlanAll(t *testing.T) {
	w, n := dpor.NewOptimal(), &dpor.Node{}
	for a := int('g'); a < 'l'; a++ {
		n.Enabled.Add(a)
	}
	n.Sleep.Add('j')
	n.Tree = w.New('g', w.New('h', wakeup.None))
	n.Tree = w.Append(n.Tree, w.New('i', wakeup.None))
	w.PlanAll(n)
	equal(t, "everything", drawTree(w.Forest, n.Tree, func(a int32) string { return string(rune(a)) }), "g(h) i h k")
}

// TestPlannedReversal plans the reversals of the races of an execution made by hand, at its end, by the clocks of its
// events and by running.
func TestPlannedReversal(t *testing.T) {
	for _, c := range []struct {
		name, text, schedule string
		asleep               string // at the bottom
		want                 []string
	}{
		{"two writes", handmade("x: int", "p: x = 1", "q: x = 2"), "p q", "", []string{"0: p q"}},
		{"what sleeps is not planned", handmade("x: int", "p: x = 1", "q: x = 2"), "p q", "q", []string{"0: p"}},
		{"notdep comes with it", handmade("x: int, y: int", "p: x = 1", "q: y = 1; x = 2"),
			"p q q", "", []string{"0: p q(q)"}},
		{"a leaf that has nothing to do with it is enough",
			handmade("x: int, y: int, z: int", "p: atomic { x = 1; y = 1 }", "q: x = 2", "r: z = y"),
			"p r q", "", []string{"0: p r"}},
		{"three writes", handmade("x: int", "p: x = 1", "q: x = 2", "r: x = 3"),
			"p q r", "", []string{"0: p q", "1: q r"}},
		{"what runs later is in the sequence", handmade("x: int, y: int", "p: x = 1", "q: x = 2", "r: y = 1"),
			"p q r", "", []string{"0: p r(q)"}},
		{"one sequence for two races with independent steps",
			handmade("x: int, a: int, b: int", "p: x = 1", "q: a = x", "r: b = x"),
			"p q r", "", []string{"0: p q"}},
		{"a guarded step", handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 0 && y == 0"),
			"p q", "", []string{"0: p r"}},
		{"a guarded step that was enabled", handmade("x: int", "p: x = 1", "q: x = 2", "r: await x != 7"),
			"p q r", "", []string{"0: p q r", "1: q r"}},
	} {
		for _, without := range []happens.FastPaths{{}, {Clocks: true}, referencePath} {
			x := executing(t, c.text, nil, "")
			x.Without = without
			o := x.Strategy.(*dpor.Optimal)
			takeAll(t, x, c.schedule)
			for d := range x.Depth { // as if the search had taken them
				lv := x.Stack[d]
				lv.Node.Tree = o.New(int32(lv.Event.Action), wakeup.None)
			}
			x.Stack[0].Node.Sleep = actionsNamed(t, x, c.asleep)
			o.Reverse(&x.Search)
			var got []string
			name := func(a int32) string { return named(x, []int32{a}) }
			for d := range x.Depth {
				if n := &x.Stack[d].Node; d == 0 || o.Next(n.Tree) != wakeup.None {
					got = append(got, fmt.Sprintf("%d: %s", d, drawTree(o.Forest, n.Tree, name)))
				}
			}
			equalWords(t, fmt.Sprintf("%s, without %+v", c.name, without), got, c.want)
		}
	}
}

// TestWeakInitials goes through notdep(e).n for a race made by hand: the weak initials and the actions left, before
// something has been taken and after each action.
func TestWeakInitials(t *testing.T) {
	text := handmade("x: int, y: int, z: int, u: int",
		"p: x = 1; u = 5", "q: y = 1; x = 2", "r: z = 1", "s: let a = y; z = a + 2", "o: u = 1", "v: z = 9")
	x := executing(t, text, nil, "p r q s s q p o")
	v := &x.Strategy.(*dpor.Optimal).Clocked.Reversal
	// The race of p at 0 with the second event of q at 5: notdep is r q s s, as o happens after p, and q's second event
	// comes last.
	v.Begin(x.Execution, 0, 5)
	for _, c := range []struct{ take, weak, rest string }{
		{"", "q r o", "r q s s q"},
		{"o", "q r", "r q s s q"},
		{"q", "q r s", "r s s q"},
		{"s", "q r", "r s q"},
		{"r", "q s", "s q"},
		{"q", "p s", "s"},
	} {
		if c.take != "" {
			a := actionNamed(t, x, c.take)
			at, _ := v.Weak(x.Execution, a)
			v.Follow(x.Execution, a, at)
		}
		var weak actionset.Set
		for a := range machineOf(x).NumActions() {
			if runnerOf(x).CanTake(v.State(x.Execution), a) {
				if _, yes := v.Weak(x.Execution, a); yes {
					weak.Add(a)
				}
			}
		}
		equal(t, fmt.Sprintf("after %v: left", named(x, v.Path)), named(x, v.Rest(x.Execution, nil)), c.rest)
		equal(t, fmt.Sprintf("after %v: weak initials", named(x, v.Path)), namedSet(x, &weak), c.weak)
	}
}
