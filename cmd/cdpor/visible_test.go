package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"cdpor/cmd/cdpor/internal/fault"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain, ä → ∀ 日本 🙂\n\tx", "plain, ä → ∀ 日本 🙂\n\tx"},
		{"\x1b[31mred\x1b[0m", `\u001b[31mred\u001b[0m`},
		{"a\rb\x00\x07\x7f", `a\u000db\u0000\u0007\u007f`},
		{"\u009b31m", `\u009b31m`},
		{"\u202eabc\u2066\u200f", `\u202eabc\u2066\u200f`},
		{"a\u2028b\u200bc\ufeff", `a\u2028b\u200bc\ufeff`},
		{"a\xffb", `a\xffb`},
		{"\U000e0001", `\udb40\udc01`},
		{"क्\u200dष", "क्\u200dष"},
	} {
		if got := visible(c.text); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.text, got, c.want)
		}
	}
}

// TestSinkParts writes a text in all ways of two parts: what comes out is the same, and colour of our own passes.
func TestSinkParts(t *testing.T) {
	text := "é→🙂\u202e\x1b[2J" + own("\x1b[1m") + "x" + own("\x1b[0m") + "\xe2\x82"
	want := "é→🙂" + `\u202e\u001b[2J` + "\x1b[1mx\x1b[0m" + `\xe2\x82`
	for cut := range len(text) {
		if at := strings.Index(text, "\x1b{"); cut > at && cut < len(text)-2 {
			continue // a sequence of our own is written at once
		}
		var out bytes.Buffer
		s := &sink{Writer: &out}
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := s.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		s.end()
		if out.String() != want {
			t.Errorf("cut at %d: %q, want %q", cut, &out, want)
		}
	}
}

func TestVisibleJSON(t *testing.T) {
	in := map[string]any{"a\u202e\"\\": []any{"\x1b[31m", "\\", 1.5, nil, "\u2028"}}
	text, err := visibleJSON(in)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string][]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	list := out[`a\u202e"\`]
	if len(list) != 5 || list[0] != `\u001b[31m` || list[1] != `\` || list[2] != 1.5 || list[3] != nil || list[4] != `\u2028` {
		t.Errorf("%s is read as %q", text, out)
	}
}

// treacherous is a program whose texts act on a terminal or change the order of reading.
const treacherous = "cdpor: 1\nname: \"evil \\e[2J\\u202Egnp\\u009B31m\"\nabout: \"\\e]0;title\\a\"\nshared: {x: int = 0}\nthreads:\n" +
	"  a: |\n    x = 1 // \u202e\u2066 reversed\n  b: |\n    x = 2\n    assert x == 2, \"\\u009b2J \u202eback\"\n" +
	"observe: [x]\nexpect: {outcomes: 7}\n"

var forbiddenOnScreens = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")

// TestNothingIsRaw runs commands over such a program, in a file of such a name, with such flags.
func TestNothingIsRaw(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a\x1b[2Jb\u202ec.yaml")
	if err := os.WriteFile(path, []byte(treacherous), 0o666); err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	if code := runMain([]string{"run", "--no-constraints", path}, nil, &messages, &messages); code != fault.ExitViolation {
		t.Fatalf("exit code %d: %s", code, &messages)
	}
	page, xml, dot, mermaid := filepath.Join(folder, "p.html"), filepath.Join(folder, "j.xml"), filepath.Join(folder, "t.dot"), filepath.Join(folder, "t.mmd")
	for _, args := range [][]string{
		{"run", "--no-constraints", "--html", page, "--dot", dot, "--mermaid", mermaid, path},
		{"run", "--no-constraints", "--show", "1", path},
		{"run", "--no-constraints", "--json", path},
		{"run", "--no-constraints", "--coverage", "--compare-with", "source", path},
		{"test", "--junit", xml, path},
		{"ast", path},
		{"run", "--no-constraints", "--schedule", "0,\x1b[31m", path},
		{"run", "--no-constraints", "--algorithm", "s\u202eource", path},
		{"run", "--\u009b2J", path},
		{"run", path + "\x1b[31m"},
		{"\x1b[31m"},
		{"run", "-p", "N\u202e=3", path},
	} {
		var out, messages bytes.Buffer
		runMain(args, nil, &out, &messages)
		if out.Len()+messages.Len() == 0 {
			t.Errorf("cdpor %q says nothing", args)
		}
		for name, text := range map[string]string{"stdout": out.String(), "stderr": messages.String()} {
			if at := forbiddenOnScreens.FindStringIndex(text); at != nil || !utf8.ValidString(text) {
				t.Errorf("cdpor %q: %s has %q", args, name, text[max(0, at[0]-40):min(len(text), at[1]+20)])
			}
		}
		if args[0] == "run" && len(args) > 3 && args[2] == "--json" {
			var report struct{ Program struct{ Name, Path string } }
			if err := json.Unmarshal(out.Bytes(), &report); err != nil || report.Program.Path != path || report.Program.Name != "evil \x1b[2J\u202egnp\u009b31m" {
				t.Errorf("the JSON means %q, %v", report, err)
			}
		}
	}
	for file, want := range map[string]string{page: `evil \u001b[2J\u202egnp\u009b31m`, xml: `a\u001b[2Jb\u202ec.yaml`, dot: `\\u001b[2J`, mermaid: `\u001b[2J`} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if at := forbiddenOnScreens.FindIndex(text); at != nil {
			t.Errorf("%s has %q", filepath.Base(file), text[max(0, at[0]-40):at[1]])
		}
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s does not show %s", filepath.Base(file), want)
		}
	}
	var out bytes.Buffer
	runMain([]string{"fmt", path}, nil, &out, &messages)
	runMain([]string{"run", "--no-constraints", "--color=always", path}, nil, &out, &messages)
	if text := out.String(); !strings.Contains(text, "\x1b[1;31m") || !strings.Contains(text, "\x1b[0m") || strings.Contains(text, ownMark()) {
		t.Errorf("colour of our own: %q", text)
	}
}
