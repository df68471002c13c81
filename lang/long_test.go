package lang

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"cdpor/lang/internal/syntax"
)

// TestLongLines: an enum of 80,000 members is read in a moment (twice as many take twice as long, not four times), and
// a message shows a window of its line and a beginning and an end of what it quotes.
func TestLongLines(t *testing.T) {
	const members = 80_000
	var names []string
	for i := range members {
		names = append(names, fmt.Sprintf("m%d", i))
	}
	enum := "enum [" + strings.Join(names, ", ") + "]"
	for _, text := range []string{
		"cdpor: 1\nshared: {x: \"" + enum + "\", y: int}\nthreads:\n  p: \"y = x\"\n",
		"cdpor: 1\nshared: {y: int}\nthreads:\n  p: \"y = " + strings.Repeat("a", members) + "\"\n",
		"cdpor: 1\nshared: {y: int}\nthreads:\n  p: \"y = 1 // " + strings.Repeat("a", members) + "\"\n" +
			strings.Repeat("b", members) + ": 1\n",
		"cdpor: 1\nshared: {x: \"" + strings.Replace(enum, "m7,", "m7, m7,", 1) + "\"}\nthreads:\n  p: \"x = m1\"\n",
	} {
		_, err := Load("long.yaml", []byte(text), Options{})
		var list ErrorList
		if !errors.As(err, &list) {
			t.Fatalf("no error: %v", err)
		}
		for _, e := range list {
			for _, columns := range []int{40, 80, syntax.SnippetWidth} {
				for _, line := range e.Excerpt(columns) {
					if utf8.RuneCountInString(line) > columns {
						t.Errorf("more than %d columns: %s", columns, line)
					}
				}
			}
			if text := e.Snippet(); len(text) > 1000 {
				t.Errorf("%d bytes: %.300s", len(text), text)
			}
		}
	}
}

// TestExcerpt: the window lies round the place, and ... stands where something is left out.
func TestExcerpt(t *testing.T) {
	line := "a = 1; b = 2; c = 3; wrong = 4; d = 5; e = 6; f = 7"
	e := &Error{File: NewFile("p.yaml", []byte(line))}
	e.Pos.Line, e.Pos.Col = 1, strings.Index(line, "wrong")+1
	e.End.Line, e.End.Col = 1, e.Pos.Col+len("wrong")
	got := strings.Join(e.Excerpt(34), "\n")
	want := "    1 | ...2; c = 3; wrong = 4;..." + "\n" + "      |              ^^^^^"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
