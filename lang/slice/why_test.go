package slice_test

import (
	"strings"
	"testing"

	"cdpor/lang/slice"
)

// TestWhy asks for the chain that brings what a thread read to what another prints.
func TestWhy(t *testing.T) {
	src := load(t, "testdata/figure6.yaml")
	c, err := slice.Named(src.Program, "print")
	if err != nil {
		t.Fatal(err)
	}
	r, err := slice.New(src.Program, slice.Values).Slice(c, slice.Context, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range r.Why(8) {
		got = append(got, l.Thread+": "+l.Node.Text+" ("+l.Kind.String()+")")
	}
	want := "p: a = input (interference), q: b = a (interference), p: a = 2 * b (data), p: out = a (criterion)"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// TestNamed asks for criteria that there are none of.
func TestNamed(t *testing.T) {
	src := parse(t, `cdpor: 1
shared: {x: int}
threads:
  a: |
    l: x = 1
    x: x = 2
  b: |
    l: x = 2
    assert x == 2
`)
	for text, want := range map[string]string{
		"y":        "y is neither a shared variable nor the label of a step",
		"l":        "l is ambiguous: a.l, b.l",
		"x":        "x is a variable and a step; the step is also called a.x",
		"line:1":   "no thread executes anything of line 1",
		"line:x":   `"line:x": line is followed by a number from 1`,
		"assert:2": "there is no assertion 2, only 1 of them",
		"final:1":  "final:1: the program has 0 final properties",
		"last:1":   `"last" is none of line, assert, final, final_any, reachable, unreachable, always and transition`,
		"always:1": "always:1: the program has 0 always properties",
		"deadlock": "",
		"a.l":      "",
		"assert:1": "",
		"line:5":   "",
	} {
		_, err := slice.Named(src.Program, text)
		if got := ""; err != nil {
			got = err.Error()
			if got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		} else if want != "" {
			t.Errorf("%s: no error, want %s", text, want)
		}
	}
}
