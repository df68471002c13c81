package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/lang"
)

// TestProblemMatcher: the problem matcher for GitHub Actions recognises errors, remarks and violations as they are
// printed.
func TestProblemMatcher(t *testing.T) {
	text, err := os.ReadFile("../../.github/cdpor-problem-matcher.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		ProblemMatcher []struct {
			Pattern []struct {
				Regexp                                      string
				File, Line, Column, Severity, Code, Message int
			}
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	match := func(line string) (parts [6]string, ok bool) {
		for _, m := range file.ProblemMatcher {
			p := m.Pattern[0]
			if found := regexp.MustCompile(p.Regexp).FindStringSubmatch(line); found != nil {
				found[0] = ""
				return [6]string{found[p.File], found[p.Line], found[p.Column], found[p.Severity], found[p.Code],
					found[p.Message]}, true
			}
		}
		return parts, false
	}
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("bad.yaml", "cdpor: 1\nthreads: {p: x = 1}\n")
	write("odd.yaml", "cdpor: 1\nshared: {x: int}\nthreads:\n  p: {count: 2, run: x += 1}\n")
	write("wrong.yaml", "cdpor: 1\nshared: {x: int}\nthreads:\n  p: assert x == 1, \"no\"\n")
	for _, test := range []struct {
		args []string
		want [6]string
	}{
		{[]string{"run", "bad.yaml"}, [6]string{"bad.yaml", "2", "14", "error", "E201", "unknown name x"}},
		{[]string{"vet", "odd.yaml"}, [6]string{"odd.yaml", "4", "22", "warning", "W001",
			"x += 1 reads and writes shared data in one step"}},
		{[]string{"run", "--algorithm", "source", "wrong.yaml"},
			[6]string{"wrong.yaml", "4", "6", "", "", "p: assertion failed: no"}},
	} {
		var out bytes.Buffer
		runMain(test.args, nil, &out, &out)
		var got [][6]string
		for line := range strings.Lines(out.String()) {
			if parts, ok := match(strings.TrimSuffix(line, "\n")); ok {
				got = append(got, parts)
			}
		}
		if len(got) != 1 || got[0] != test.want {
			t.Errorf("%v: got %q, want %q from\n%s", test.args, got, test.want, &out)
		}
	}
}

// TestExplainAll: every code is explained, and its wrong example gives the code on the command line as well.
func TestExplainAll(t *testing.T) {
	dir := t.TempDir()
	for _, d := range lang.Diagnostics() {
		var out bytes.Buffer
		if code := runMain([]string{"explain", strings.ToLower(d.Code)}, nil, &out, &out); code != fault.ExitOK ||
			!strings.Contains(out.String(), d.Title) {
			t.Errorf("%s: exit code %d\n%s", d.Code, code, &out)
		}
		if d.Wrong == "" {
			continue
		}
		path := filepath.Join(dir, d.Code+".yaml")
		if err := os.WriteFile(path, []byte(d.Wrong), 0o666); err != nil {
			t.Fatal(err)
		}
		want := fault.ExitInput
		if d.Severity() == "warning" {
			want = fault.ExitViolation
		}
		out.Reset()
		if code := runMain([]string{"vet", path}, nil, &out, &out); code != want ||
			!strings.Contains(out.String(), "["+d.Code+"]: ") {
			t.Errorf("%s: exit code %d\n%s", d.Code, code, &out)
		}
	}
}
