package main

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestFold: lines are broken between words, and go on below their last column; a command is continued as a shell wants it.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    []string
	}{
		{"verdict      ok: every outcome was explored", 100, []string{"verdict      ok: every outcome was explored"}},
		{"verdict      ok: every outcome was explored", 30, []string{"verdict      ok: every outcome", "             was explored"}},
		{"             p.1 | q.1  x == 1 && y == 2", 50, []string{"             p.1 | q.1  x == 1 && y == 2"}},
		{"      p.1 | q.1  x == 1 && y == 2 && z == 3", 36, []string{"      p.1 | q.1  x == 1 && y == 2 &&", "                 z == 3"}},
		{"ééééé ééééé", 11, []string{"ééééé ééééé"}},
		{"面 面面面 面面面", 12, []string{"面 面面面", "  面面面"}},
		{"é     one two three", 14, []string{"é     one two", "      three"}},
		{"  one_word_that_is_longer_than_the_columns", 20, []string{"  one_word_that_is_longer_than_the_columns"}},
		{"a one_word_that_is_longer_than_the_columns b", 20, []string{"a", "  one_word_that_is_longer_than_the_columns", "  b"}},
		{"  replay: cdpor run p.yaml -p N=3 --schedule 0,1,2", 40, []string{`  replay: cdpor run p.yaml -p N=3 \`, "            --schedule 0,1,2"}},
		{"  replay: cdpor run 'a --b c.yaml' --schedule '0,(1)'", 40, []string{`  replay: cdpor run 'a --b c.yaml' \`, "            --schedule '0,(1)'"}},
		{own("\x1b[1m") + "red words" + own("\x1b[0m") + " that go on", 16, []string{own("\x1b[1m") + "red words" + own("\x1b[0m") + " that", "  go on"}},
	} {
		if diff := cmp.Diff(c.want, fold(c.line, c.columns)); diff != "" {
			t.Errorf("%q in %d columns (-want +got):\n%s", c.line, c.columns, diff)
		}
	}
}

// TestFoldWords: whatever the line, no word is lost or broken, and only a line of one word is too long.
func TestFoldWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`( {0,14})([a-zé面|=]{1,30} {1,4}){0,12}[a-z]{0,60}`).Draw(t, "line")
		columns := rapid.IntRange(20, 60).Draw(t, "columns")
		lines := fold(line, columns)
		if got, want := strings.Fields(strings.Join(lines, " ")), strings.Fields(line); !slices.Equal(got, want) {
			t.Fatalf("words %q, want %q", got, want)
		}
		for _, l := range lines {
			if displayed(l) > columns && len(strings.Fields(l)) > 1 {
				t.Fatalf("more than %d columns: %q", columns, l)
			}
		}
	})
}

// TestFoldShipped: no line of a report about a shipped program is wider than the terminal, but for single words.
func TestFoldShipped(t *testing.T) {
	files, err := programsIn([]string{"../../testdata"})
	if err != nil {
		t.Fatal(err)
	}
	widths := []int{80, 100, 120}
	for i := 0; i < len(files); i += 3 { // each takes a search
		path := files[i]
		columns := widths[i/3%len(widths)]
		t.Setenv("COLUMNS", strconv.Itoa(columns))
		for _, args := range [][]string{
			{"run", "--no-constraints", "--algorithm", "source", "--max-executions", "20", "--graph-states", "200", "--simulate", "5", path},
			{"vet", path},
		} {
			var stdout, stderr bytes.Buffer
			if code := runMain(args, nil, &stdout, &stderr); code > fault.ExitIncomplete {
				t.Fatalf("%s: exit code %d\n%s", path, code, &stderr)
			}
			for line := range strings.Lines(stdout.String()) {
				line = strings.TrimSuffix(line, "\n")
				if displayed(line) > columns && len(strings.Fields(line)) > 1 {
					t.Errorf("%s: more than %d columns:\n%s", path, columns, line)
				}
			}
		}
	}
}

// TestParts: every column of a table stands in one part, behind the first ones, and only a part of one column is too wide.
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
