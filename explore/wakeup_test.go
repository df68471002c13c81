package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/internal/actionset"
)

// Trees are written as their branches from the left to the right, behind each in parentheses what lies below it; an
// action is a letter.

func drawTree(w *forest, first branchID, name func(action int32) string) string {
	var words []string
	for b := first; b != none; b = w.branches[b].next {
		text := name(w.branches[b].action)
		if child := w.branches[b].child; child != none {
			text += "(" + drawTree(w, child, name) + ")"
		}
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

func letter(a int32) string { return string(rune(a)) }

// readTree makes the tree that a text draws.
func readTree(w *forest, text string) branchID {
	var read func() branchID
	read = func() (first branchID) {
		last := none
		for text = strings.TrimLeft(text, " "); text != "" && text[0] != ')'; text = strings.TrimLeft(text, " ") {
			b := w.new(int32(text[0]), none)
			if text = text[1:]; text != "" && text[0] == '(' {
				text = text[1:]
				child := read()
				w.branches[b].child = child
				text = text[1:]
			}
			if last == none {
				first = b
			} else {
				w.branches[last].next = b
			}
			last = b
		}
		return first
	}
	return read()
}

// TestWakeupInsert holds the insertion of a sequence into a wakeup tree against POPL'14, definition of insert: what is
// there already when a leaf has a weak initial prefix of it, else a new branch as the last one below the place where
// that ends. Letters are actions of processes of their own, of which some pairs are dependent. The first branch is
// under way and so not asked.
func TestWakeupInsert(t *testing.T) {
	for _, c := range []struct {
		name, tree, dependent, sequence string
		want                            string
		end                             bool // it has come to a leaf
	}{
		{"nothing is planned", "e", "", "ab", "e a(b)", false},
		{"what is under way does not count", "a(b)", "ab", "ab", "a(b) a(b)", false},
		{"it is there", "e a(b)", "ab", "ab", "e a(b)", true},
		{"it goes on behind a leaf", "e a", "ab", "ab", "e a", true},
		{"a branch goes on behind it", "e a(b)", "ab", "a", "e a(b)", false},
		{"in another order", "e b(a)", "", "ab", "e b(a)", true},
		{"not in another order", "e b(a)", "ab", "ab", "e b(a) a(b)", false},
		{"a new branch below", "e a(b)", "ab ac bc", "acb", "e a(b c(b))", false},
		{"the first weak initial from the left", "e b(d) a(d)", "bd ad cd", "abc", "e b(d a(c)) a(d)", false},
		{"past a dependent one", "e b a(d)", "ab ad cd", "abc", "e b a(d b(c))", false},
		{"a branch that the sequence has nothing to do with", "e d(b)", "ab", "ab", "e d(b a(b))", false},
		{"a leaf that it has nothing to do with", "e d", "ab", "ab", "e d", true},
		{"a branch that it depends on", "e d(b)", "ad ab", "ab", "e d(b) a(b)", false},
		{"deep", "e a(b(c(d)))", "ab bc cd cf df", "abcf", "e a(b(c(d f)))", false},
	} {
		f := &forest{}
		w := &wakeup{forest: f, own: f}
		n := &node{tree: readTree(f, c.tree)}
		rest := []int32{}
		for _, a := range c.sequence {
			rest = append(rest, a)
		}
		depend := func(a, b int32) bool {
			return strings.Contains(c.dependent, letter(a)+letter(b)) || strings.Contains(c.dependent, letter(b)+letter(a))
		}
		weak := func(a int) (int, bool) {
			at := slices.Index(rest, int32(a))
			before := rest
			if at >= 0 {
				before = rest[:at]
			}
			return at, !slices.ContainsFunc(before, func(b int32) bool { return depend(int32(a), b) })
		}
		follow := func(_, at int) bool {
			if at >= 0 {
				rest = slices.Delete(rest, at, at+1)
			}
			return len(rest) > 0
		}
		end := w.place(n, weak, follow, func() []int32 { return rest })
		equal(t, c.name, drawTree(f, n.tree, letter), c.want)
		equal(t, c.name+": a leaf", end, c.end)
	}
}

// TestWakeupTree takes trees apart.
func TestWakeupTree(t *testing.T) {
	for _, tree := range []string{"", "a", "a b", "a(b(c) d) e", "a(b c(d e(f))) g(h)"} {
		f, other := &forest{}, &forest{}
		w := &wakeup{forest: f, own: f}
		n := &node{tree: readTree(f, tree)}
		branches := strings.Count(tree, "") - 1 - strings.Count(tree, "(") - strings.Count(tree, ")") - strings.Count(tree, " ")
		equal(t, tree+": size", f.size(n.tree), branches)

		restored, err := w.restore(w.save(n.tree, nil))
		if err != nil {
			t.Error(err)
		}
		equal(t, "saved and restored", drawTree(f, restored, letter), tree)
		equal(t, "moved", drawTree(other, other.move(f, restored), letter), tree)
		equal(t, "given back by moving", len(f.unused), branches)

		var leaves []string
		f.eachLeaf(n.tree, nil, func(path []int32) {
			text := ""
			for _, a := range path {
				text += letter(a)
			}
			leaves = append(leaves, text)
		})
		equalWords(t, tree+": leaves", leaves, map[string][]string{"a": {"a"}, "a b": {"a", "b"}, "a(b(c) d) e": {"abc", "ad", "e"},
			"a(b c(d e(f))) g(h)": {"ab", "acd", "acef", "gh"}}[tree])
	}
	f := &forest{}
	w := &wakeup{forest: f, own: f}
	n := &node{tree: readTree(f, "a(b(c) d) e(f) g")}
	equal(t, "waiting", letter(f.branches[w.waiting(n)].action), "e")
	equal(t, "taken for the child", drawTree(f, w.take(n), letter), "b(c) d")
	equal(t, "what is left", drawTree(f, n.tree, letter), "a e(f) g")
	w.drop(n)
	equal(t, "when the first one is done", drawTree(f, n.tree, letter), "e(f) g")
	w.drop(n)
	equal(t, "when the second one is done", drawTree(f, n.tree, letter), "g")
	equal(t, "given back", len(f.unused), 3) // a, e and f
	w.append(n, n.tree, w.new('h', none))
	w.append(n, none, w.new('i', none))
	equal(t, "appended", drawTree(f, n.tree, letter), "g(h) i")
	n.enabled = actionset.Set{}
	for a := range int('l') {
		if a >= 'g' {
			n.enabled.Add(a)
		}
	}
	n.sleep.Add('j')
	w.planAll(n)
	equal(t, "everything", drawTree(f, n.tree, letter), "g(h) i h k")
	for _, saved := range [][]int32{{1}, {1, 0, 2}} {
		if _, err := w.restore(saved); err == nil {
			t.Errorf("%v is restored", saved)
		}
	}
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
		{"notdep comes with it", handmade("x: int, y: int", "p: x = 1", "q: y = 1; x = 2"), "p q q", "", []string{"0: p q(q)"}},
		{"a leaf that has nothing to do with it is enough", handmade("x: int, y: int, z: int", "p: atomic { x = 1; y = 1 }", "q: x = 2", "r: z = y"), "p r q", "",
			[]string{"0: p r"}},
		{"three writes", handmade("x: int", "p: x = 1", "q: x = 2", "r: x = 3"), "p q r", "", []string{"0: p q", "1: q r"}},
		{"what runs later is in the sequence", handmade("x: int, y: int", "p: x = 1", "q: x = 2", "r: y = 1"), "p q r", "", []string{"0: p r(q)"}},
		{"one sequence for two races with independent steps", handmade("x: int, a: int, b: int", "p: x = 1", "q: a = x", "r: b = x"), "p q r", "", []string{"0: p q"}},
		{"a guarded step", handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 0 && y == 0"), "p q", "", []string{"0: p r"}},
		{"a guarded step that was enabled", handmade("x: int", "p: x = 1", "q: x = 2", "r: await x != 7"), "p q r", "", []string{"0: p q r", "1: q r"}},
	} {
		for _, without := range []fastPaths{{}, {clocks: true}, referencePath} {
			x := executing(t, c.text, nil, "")
			x.without = without
			o := x.strategy.(*optimal)
			takeAll(t, x, c.schedule)
			for d := range x.depth { // as if the search had taken them
				lv := x.levels[d]
				lv.node.tree = o.new(int32(lv.event.action), none)
			}
			x.levels[0].node.sleep = actionsNamed(t, x, c.asleep)
			o.reverse(x)
			var got []string
			name := func(a int32) string { return named(x, []int32{a}) }
			for d := range x.depth {
				if n := &x.levels[d].node; d == 0 || o.branches[n.tree].next != none {
					got = append(got, fmt.Sprintf("%d: %s", d, drawTree(o.forest, n.tree, name)))
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
	v := &x.strategy.(*optimal).reversal
	// The race of p at 0 with the second event of q at 5: notdep is r q s s, as o happens after p, and q's second event
	// comes last.
	v.begin(&x.execution, 0, 5)
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
			at, _ := v.weak(&x.execution, a)
			v.follow(&x.execution, a, at)
		}
		var weak actionset.Set
		for a := range x.m.NumActions() {
			if x.run.CanTake(v.state(&x.execution), a) {
				if _, yes := v.weak(&x.execution, a); yes {
					weak.Add(a)
				}
			}
		}
		equal(t, fmt.Sprintf("after %v: left", named(x, v.path)), named(x, v.rest(&x.execution, nil)), c.rest)
		equal(t, fmt.Sprintf("after %v: weak initials", named(x, v.path)), namedSet(x, &weak), c.weak)
	}
}
