package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/synth"
)

// TestSynthCache: the second run takes everything from the folder and writes the same file.
func TestSynthCache(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	program, err := filepath.Abs("../../testdata/programs/dining-philosophers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	run := func(out string, args ...string) string {
		var stdout, stderr bytes.Buffer
		if code := runMain(append([]string{"synth", "-o", out, program}, args...), nil, &stdout,
			&stderr); code != fault.ExitOK {
			t.Fatalf("exit code %d\n%s", code, &stderr)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return stdout.String() + string(text)
	}
	first, second := run("c.yaml", "--cache", "kept"), run("c.yaml", "--cache", "kept")
	const all = "10 pairs of steps with common data"
	if !strings.Contains(first, "\n"+all+": ") || !strings.Contains(second, all+", 10 from the cache: ") {
		t.Errorf("the summaries do not tell what comes from the cache:\n%s\n%s", first, second)
	}
	_, one, _ := strings.Cut(first, "written to")
	_, two, _ := strings.Cut(second, "written to")
	if one != two {
		t.Errorf("the cache changes the file:\n%s\n%s", one, two)
	}
	if none := run("c.yaml", "--no-cache"); strings.Contains(none, "from the cache") {
		t.Errorf("--no-cache uses one:\n%s", none)
	}
	if three := run("c.yaml", "--cache", "kept", "-p", "N=4"); strings.Contains(three, all+", 10 from the cache") {
		t.Errorf("other parameters do not count:\n%s", three)
	}
}

// TestRunCache: whatever the cache holds, a run says the same, but for where its constraints come from.
func TestRunCache(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile("../../testdata/programs/producer-consumer.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	edited := strings.Replace(string(text), "if !buf.full() { buf.push(i) }", "if !buf.full() { buf.push(i + 1) }", 1)
	if edited == string(text) {
		t.Fatal("the program has another text")
	}
	for name, text := range map[string]string{"p.yaml": string(text), "edited.yaml": edited} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	origin, took := regexp.MustCompile(`(?m)^constraints .*$`), regexp.MustCompile(`(?m)^(search .*), \S+$`)
	run := func(args ...string) (line, rest string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := runMain(append([]string{"run", "--algorithm", "constrained", "-v"}, args...), nil,
			&stdout, &stderr); code != fault.ExitOK {
			t.Fatalf("%v: exit code %d\n%s", args, code, &stderr)
		}
		said := took.ReplaceAllString(stdout.String(), "$1")
		return origin.FindString(said), origin.ReplaceAllString(said, "")
	}
	same := func(what, want string, cached bool, args ...string) {
		t.Helper()
		line, got := run(append(args, "--cache", "kept")...)
		if got != want {
			t.Errorf("with a cache that is %s:\n%s\nwithout:\n%s", what, got, want)
		}
		if strings.Contains(line, "from the cache") != cached {
			t.Errorf("with a cache that is %s: %s", what, line)
		}
	}
	_, plain := run("p.yaml", "--no-cache")
	_, changed := run("edited.yaml", "--no-cache")
	_, larger := run("p.yaml", "--no-cache", "-p", "MAX=4")
	same("empty", plain, false, "p.yaml")
	same("filled", plain, true, "p.yaml")
	same("stale, as a step has changed", changed, false, "edited.yaml")
	same("stale, as a parameter has changed", larger, false, "p.yaml", "-p", "MAX=4")
	files := func() (list []string) {
		list, err := filepath.Glob("kept/??/*")
		if err != nil || len(list) < 2 {
			t.Fatal(list, err)
		}
		return list
	}
	// Entries under the names of others, and spoiled ones.
	all := files()
	var contents [][]byte
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, text)
	}
	for what, spoil := range map[string]func(i int) []byte{
		"exchanged": func(i int) []byte { return contents[(i+1)%len(contents)] },
		"cut":       func(i int) []byte { return contents[i][:len(contents[i])/2] },
		"edited": func(i int) []byte {
			return bytes.ReplaceAll(contents[i], []byte("buf.size() > 0"), []byte("buf.size() > 9"))
		},
		"garbage": func(int) []byte { return []byte("\x00\xff") },
	} {
		for i, file := range all {
			if err := os.WriteFile(file, spoil(i), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		line, got := run("p.yaml", "--cache", "kept")
		if got != plain {
			t.Errorf("with entries that are %s:\n%s\nwithout:\n%s", what, got, plain)
		}
		if what != "edited" && strings.Contains(line, "from the cache") {
			t.Errorf("with entries that are %s: %s", what, line)
		}
	}
}
