package wakeup

import (
	"slices"
	"strings"
	"testing"
)

// Trees are written as their branches from the left to the right, behind each in parentheses what lies below it; an
// action is a letter.

func drawTree(f *Forest, tree Branch, name func(action int32) string) string {
	var words []string
	for b := tree; b != None; b = f.Next(b) {
		text := name(int32(f.Action(b)))
		if child := f.Child(b); child != None {
			text += "(" + drawTree(f, child, name) + ")"
		}
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

func letter(a int32) string { return string(rune(a)) }

// readTree makes the tree that a text draws.
func readTree(f *Forest, text string) Branch {
	var read func() Branch
	read = func() (first Branch) {
		last := None
		for text = strings.TrimLeft(text, " "); text != "" && text[0] != ')'; text = strings.TrimLeft(text, " ") {
			b := f.New(int32(text[0]), None)
			if text = text[1:]; text != "" && text[0] == '(' {
				text = text[1:]
				child := read()
				f.branches[b].child = child
				text = text[1:]
			}
			if last == None {
				first = b
			} else {
				f.branches[last].next = b
			}
			last = b
		}
		return first
	}
	return read()
}

// letters are a sequence of letters, of which some pairs are dependent.
type letters struct {
	dependent string
	rest      []int32
}

func (l *letters) Weak(a int) (at int, yes bool) {
	at = slices.Index(l.rest, int32(a))
	before := l.rest
	if at >= 0 {
		before = l.rest[:at]
	}
	return at, !slices.ContainsFunc(before, func(b int32) bool {
		return strings.Contains(l.dependent, letter(int32(a))+letter(b)) ||
			strings.Contains(l.dependent, letter(b)+letter(int32(a)))
	})
}

func (l *letters) Follow(_, at int) (more bool) {
	if at >= 0 {
		l.rest = slices.Delete(l.rest, at, at+1)
	}
	return len(l.rest) > 0
}

func (l *letters) Rest() []int32 { return l.rest }

// TestInsert holds the insertion of a sequence into a wakeup tree against POPL'14, definition of insert: what is
// there already when a leaf has a weak initial prefix of it, else a new branch as the last one below the place where
// that ends. Letters are actions of processes of their own, of which some pairs are dependent. The first branch is
// under way and so not asked.
func TestInsert(t *testing.T) {
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
		f, v := &Forest{}, &letters{dependent: c.dependent}
		for _, a := range c.sequence {
			v.rest = append(v.rest, a)
		}
		tree := readTree(f, c.tree)
		tree, end := f.Insert(tree, f.Next(tree), v)
		equal(t, c.name, drawTree(f, tree, letter), c.want)
		equal(t, c.name+": a leaf", end, c.end)
	}
}

// TestForest takes trees apart.
func TestForest(t *testing.T) {
	for _, text := range []string{"", "a", "a b", "a(b(c) d) e", "a(b c(d e(f))) g(h)"} {
		f := &Forest{}
		tree := readTree(f, text)
		restored, err := f.Restore(f.Save(tree, nil))
		if err != nil {
			t.Error(err)
		}
		equal(t, "saved and restored", drawTree(f, restored, letter), text)

		var leaves []string
		f.EachLeaf(tree, nil, func(path []int32) {
			leaf := ""
			for _, a := range path {
				leaf += letter(a)
			}
			leaves = append(leaves, leaf)
		})
		equal(t, text+": leaves", strings.Join(leaves, " "), map[string]string{"a": "a", "a b": "a b",
			"a(b(c) d) e": "abc ad e", "a(b c(d e(f))) g(h)": "ab acd acef gh"}[text])
	}
	f := &Forest{}
	tree := readTree(f, "a(b(c) d) e(f) g")
	equal(t, "the second one", f.Action(f.Next(tree)), 'e')
	equal(t, "cut off", drawTree(f, f.Cut(tree), letter), "b(c) d")
	equal(t, "what is left", drawTree(f, tree, letter), "a e(f) g")
	tree = f.Drop(tree)
	equal(t, "without the first one", drawTree(f, tree, letter), "e(f) g")
	tree = f.Drop(tree)
	equal(t, "without the second one", drawTree(f, tree, letter), "g")
	equal(t, "given back", len(f.unused), 3) // a, e and f
	tree = f.Append(tree, f.New('i', f.New('h', None)))
	equal(t, "appended", drawTree(f, tree, letter), "g i(h)")
	equal(t, "appended to nothing", drawTree(f, f.Append(None, f.New('i', None)), letter), "i")
	for _, saved := range [][]int32{{1}, {1, 0, 2}} {
		if _, err := f.Restore(saved); err == nil {
			t.Errorf("%v is restored", saved)
		}
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}
