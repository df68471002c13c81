package lang

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// edited is a text after an edit.
func edited(text string, e *Edit) string {
	lines := strings.SplitAfter(text, "\n")
	at := func(line, col int) int {
		return len(strings.Join(lines[:line-1], "")) + len(string([]rune(lines[line-1])[:col-1]))
	}
	return text[:at(e.Pos.Line, e.Pos.Col)] + e.Text + text[at(e.End.Line, e.End.Col):]
}

// TestEditsCure: whichever message has an edit, the program is right after it.
func TestEditsCure(t *testing.T) {
	var cured []string
	for _, f := range txtar.Parse(read(t, "testdata/mistakes.txtar")).Files {
		name, wrong := strings.CutSuffix(f.Name, ".wrong")
		if !wrong {
			continue
		}
		text := string(f.Data)
		_, err := Load(name+".yaml", f.Data, Options{})
		for edits := 0; err != nil; edits++ { // a mistake that is made twice may be reported once
			edit := err.(ErrorList)[0].Edit
			if edit == nil || edits == 2 {
				break
			}
			text = edited(text, edit)
			_, err = Load(name+".yaml", []byte(text), Options{})
		}
		switch {
		case text == string(f.Data):
		case err != nil:
			t.Errorf("%s becomes\n%s\n%s", name, text, snippets(err))
		default:
			cured = append(cured, name)
		}
	}
	if len(cured) < 30 {
		t.Errorf("only %d mistakes have an edit: %s", len(cured), strings.Join(cured, " "))
	}
}

// TestEdits: what each kind of edit does to a line of code.
func TestEdits(t *testing.T) {
	for _, c := range []struct{ wrong, right string }{
		{"cuont = 1", "count = 1"},
		{"other = 1", "var other = 1"},
		{"other = other + 1", ""}, // there is no value to begin with
		{"let n = 1; n = 2", "var n = 1; n = 2"},
		{"m.lock()", "lock m"},
		{"m.lock(1)", ""},
		{"if m.trylock() { count = 1 }", "if trylock m { count = 1 }"},
		{"ms[0].unlock()", "unlock ms[0]"},
		{"c.send(1 + 2)", "send c, 1 + 2"},
		{"x = c.recv()", "x = recv c"},
		{"s.down()", "s.acquire()"},
		{"xs.add(x)", "xs.append(x)"},
		{"x = xs.len()", "x = xs.size()"},
		{"if x == 0 and count == 0 { x = 1 }", "if x == 0 && count == 0 { x = 1 }"},
		{"if not b { x = 1 }", "if ! b { x = 1 }"},
		{"if x = 0 { x = 1 }", "if x == 0 { x = 1 }"},
		{"if x == 0 { skip } elif b { skip }", "if x == 0 { skip } else if b { skip }"},
		{"pass", "skip"},
		{"b = True", "b = true"},
		{"x = 1 − x", "x = 1 - x"},
		{"if x =! 1 { x = 1 }", ""}, // x != 1 or x = !1
		{"xs.add()", ""},
		{"n := 1", ""},
	} {
		const head = "cdpor: 1\nshared:\n  count: int\n  x: int\n  b: bool\n  m: mutex\n  ms: array[2] mutex\n" +
			"  c: chan[int, 2]\n" +
			"  s: sem(1)\n  xs: list[int, 4]\nthreads:\n  t: |\n    "
		_, err := Load("p.yaml", []byte(head+c.wrong+"\n"), Options{})
		if err == nil {
			t.Errorf("%s is right", c.wrong)
			continue
		}
		got := ""
		if e := err.(ErrorList)[0].Edit; e != nil {
			got = strings.TrimSuffix(strings.TrimPrefix(edited(head+c.wrong+"\n", e), head), "\n")
		}
		if got != c.right {
			t.Errorf("%s becomes %q, want %q; it has\n%s", c.wrong, got, c.right, snippets(err))
		}
		if _, err := Load("p.yaml", []byte(head+c.right+"\n"), Options{}); c.right != "" && err != nil {
			t.Errorf("%s is wrong:\n%s", c.right, snippets(err))
		}
	}
}
