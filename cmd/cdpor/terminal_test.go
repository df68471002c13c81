package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
)

// TestFoldShipped: no line of a report about a shipped program is wider than the terminal, but for single words.
func TestFoldShipped(t *testing.T) {
	paths, err := files.Programs([]string{"../../testdata"})
	if err != nil {
		t.Fatal(err)
	}
	widths, every := []int{80, 100, 120}, 3 // each takes a search
	if testing.Short() {
		every = 10
	}
	for i := 0; i < len(paths); i += every {
		path := paths[i]
		columns := widths[i/every%len(widths)]
		t.Setenv("COLUMNS", strconv.Itoa(columns))
		for _, args := range [][]string{
			{"run", "--no-constraints", "--algorithm", "source", "--max-executions", "20", "--graph-states", "200",
				"--simulate", "5", path},
			{"vet", path},
		} {
			var stdout, stderr bytes.Buffer
			if code := runMain(args, nil, &stdout, &stderr); code > fault.ExitIncomplete {
				t.Fatalf("%s: exit code %d\n%s", path, code, &stderr)
			}
			for line := range strings.Lines(stdout.String()) {
				line = strings.TrimSuffix(line, "\n")
				if terminal.Displayed(line) > columns && len(strings.Fields(line)) > 1 {
					t.Errorf("%s: more than %d columns:\n%s", path, columns, line)
				}
			}
		}
	}
}

// TestNothingIsRaw runs commands over such a program, in a file of such a name, with such flags.
func TestNothingIsRaw(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a\x1b[2Jb\u202ec.yaml")
	if err := os.WriteFile(path, []byte(treacherous), 0o666); err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	if code := runMain([]string{"run", "--no-constraints", path}, nil, &messages,
		&messages); code != fault.ExitViolation {
		t.Fatalf("exit code %d: %s", code, &messages)
	}
	page, xml := filepath.Join(folder, "p.html"), filepath.Join(folder, "j.xml")
	for _, args := range [][]string{
		{"run", "--no-constraints", "--html", page, path},
		{"run", "--no-constraints", "--show", "1", path},
		{"run", "--no-constraints", "--json", path},
		{"run", "--no-constraints", "--coverage", "-v", path},
		{"test", "--junit", xml, path},
		{"fmt", "--steps", path},
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
			if err := json.Unmarshal(out.Bytes(), &report); err != nil || report.Program.Path != path ||
				report.Program.Name != "evil \x1b[2J\u202egnp\u009b31m" {
				t.Errorf("the JSON means %q, %v", report, err)
			}
		}
	}
	for file, want := range map[string]string{page: `evil \u001b[2J\u202egnp\u009b31m`, xml: `a\u001b[2Jb\u202ec.yaml`} {
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
	if text := out.String(); !strings.Contains(text, "\x1b[1;31m") || !strings.Contains(text, "\x1b[0m") ||
		strings.Contains(text, terminal.ControlMark()) {
		t.Errorf("colour of our own: %q", text)
	}
}

// treacherous is a program whose texts act on a terminal or change the order of reading.
const treacherous = "cdpor: 1\nname: \"evil \\e[2J\\u202Egnp\\u009B31m\"\nabout: \"\\e]0;title\\a\"\n" +
	"shared: {x: int = 0}\nthreads:\n" +
	"  a: |\n    x = 1 // \u202e\u2066 reversed\n  b: |\n    x = 2\n    assert x == 2, \"\\u009b2J \u202eback\"\n" +
	"observe: [x]\nexpect: {outcomes: 7}\n"

var forbiddenOnScreens = regexp.MustCompile(
	"[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
