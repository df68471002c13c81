package terminal

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestFold: lines are broken between words, and go on below their last column; a command is continued as a shell wants
// it.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    []string
	}{
		{"verdict      ok: every outcome was explored", 100, []string{"verdict      ok: every outcome was explored"}},
		{"verdict      ok: every outcome was explored", 30,
			[]string{"verdict      ok: every outcome", "             was explored"}},
		{"             p.1 | q.1  x == 1 && y == 2", 50, []string{"             p.1 | q.1  x == 1 && y == 2"}},
		{"      p.1 | q.1  x == 1 && y == 2 && z == 3", 36,
			[]string{"      p.1 | q.1  x == 1 && y == 2 &&", "                 z == 3"}},
		{"ééééé ééééé", 11, []string{"ééééé ééééé"}},
		{"面 面面面 面面面", 12, []string{"面 面面面", "  面面面"}},
		{"é     one two three", 14, []string{"é     one two", "      three"}},
		{"  one_word_that_is_longer_than_the_columns", 20, []string{"  one_word_that_is_longer_than_the_columns"}},
		{"a one_word_that_is_longer_than_the_columns b", 20,
			[]string{"a", "  one_word_that_is_longer_than_the_columns", "  b"}},
		{"  replay: cdpor run p.yaml -p N=3 --schedule 0,1,2", 40,
			[]string{`  replay: cdpor run p.yaml -p N=3 \`, "            --schedule 0,1,2"}},
		{"  replay: cdpor run 'a --b c.yaml' --schedule '0,(1)'", 40,
			[]string{`  replay: cdpor run 'a --b c.yaml' \`, "            --schedule '0,(1)'"}},
		{Control("\x1b[1m") + "red words" + Control("\x1b[0m") + " that go on", 16,
			[]string{Control("\x1b[1m") + "red words" + Control("\x1b[0m") + " that", "  go on"}},
	} {
		if diff := cmp.Diff(c.want, Fold(c.line, c.columns)); diff != "" {
			t.Errorf("%q in %d columns (-want +got):\n%s", c.line, c.columns, diff)
		}
	}
}

// TestFoldWords: whatever the line, no word is lost or broken, and only a line of one word is too long.
func TestFoldWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`( {0,14})([a-zé面|=]{1,30} {1,4}){0,12}[a-z]{0,60}`).Draw(t, "line")
		columns := rapid.IntRange(20, 60).Draw(t, "columns")
		lines := Fold(line, columns)
		if got, want := strings.Fields(strings.Join(lines, " ")), strings.Fields(line); !slices.Equal(got, want) {
			t.Fatalf("words %q, want %q", got, want)
		}
		for _, l := range lines {
			if Displayed(l) > columns && len(strings.Fields(l)) > 1 {
				t.Fatalf("more than %d columns: %q", columns, l)
			}
		}
	})
}

// TestParts: every column of a table stands in one part, behind the first ones, and only a part of one column is too
// wide.
func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SliceOfN(rapid.IntRange(1, 30), 1, 20).Draw(t, "width")
		first, columns := rapid.IntRange(0, len(width)).Draw(t, "first"), rapid.IntRange(1, 90).Draw(t, "columns")
		next := first
		for _, part := range parts(width, first, columns) {
			used := -2
			for i, c := range part {
				used += 2 + width[c]
				if i < first && c != i || i >= first && c != next {
					t.Fatalf("column %d stands at %d of %v", c, i, part)
				}
				if i >= first {
					next++
				}
			}
			if used > columns && len(part) > first+1 {
				t.Fatalf("%v is wider than %d columns", part, columns)
			}
		}
		if next != len(width) {
			t.Fatalf("%d of %d columns", next, len(width))
		}
	})
}
