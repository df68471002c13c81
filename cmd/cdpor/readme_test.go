package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/synth"
)

var (
	consoleBlock = regexp.MustCompile("(?s)```console\n\\$ cdpor ([^\n]*)\n(.*?)```")
	solver       = regexp.MustCompile(`\bz3 \d+(\.\d+)*|sha256:[0-9a-f]+`)
	duration     = regexp.MustCompile(`\b\d+(\.\d+)?(µs|ms|s)\b`)
)

// TestReadme runs the commands whose output the README shows.
func TestReadme(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	document(t, "README.md", func(text string) string {
		parts := drawnTree.FindStringSubmatch(text)
		if parts == nil {
			t.Fatal("README.md has no tree")
		}
		file := filepath.Join(t.TempDir(), "tree.mmd")
		var stdout, stderr bytes.Buffer
		if code := runMain(strings.Fields(strings.Replace(parts[1], "tree.mmd", file, 1)), nil, &stdout, &stderr); code != exitOK {
			t.Fatalf("cdpor %s: exit code %d\n%s", parts[1], code, &stderr)
		}
		drawn, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(parts[2], string(drawn)); diff != "" && !*update {
			t.Errorf("the tree of README.md (-) is not the one that is drawn (+):\n%s", diff)
		}
		return strings.Replace(text, parts[2], string(drawn), 1)
	})
}

// drawnTree is a command that draws a tree, and the tree.
var drawnTree = regexp.MustCompile("(?s)    cdpor ([^\n]* tree\\.mmd [^\n]*)\n\n```mermaid\n(.*?)```")

// document runs the commands whose output a document shows; times, digests and the version of the solver may differ. The plots
// that the commands draw must be those that are there. more, if not nil, refreshes other parts of the text.
func document(t *testing.T, name string, more func(string) string) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir("../..")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	fresh := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		blocks++
		parts := consoleBlock.FindStringSubmatch(block)
		args, plot, drawn := strings.Fields(parts[1]), "", ""
		if i := slices.Index(args, "--plot"); i >= 0 {
			plot, drawn = args[i+1], filepath.Join(t.TempDir(), "plot.svg")
			args[i+1] = drawn
		}
		var stdout, stderr bytes.Buffer
		if code := runMain(args, nil, &stdout, &stderr); code != exitOK && code != exitViolation {
			t.Errorf("cdpor %s: exit code %d\n%s", parts[1], code, &stderr)
		}
		mask := func(s string) string { return duration.ReplaceAllString(solver.ReplaceAllString(s, "..."), "TIME") }
		if diff := cmp.Diff(mask(parts[2]), mask(stdout.String())); diff != "" && !*update {
			t.Errorf("cdpor %s (%s is -, run is +; refresh with go test ./cmd/cdpor -run %s -update):\n%s", parts[1], name, t.Name(), diff)
		}
		if plot != "" {
			comparePlot(t, plot, drawn)
		}
		return "```console\n$ cdpor " + parts[1] + "\n" + stdout.String() + "```"
	})
	if blocks == 0 {
		t.Errorf("%s shows no output", name)
	}
	if more != nil {
		fresh = more(fresh)
	}
	if *update {
		if err := os.WriteFile(name, []byte(fresh), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// comparePlot compares a plot of a document with the one that was drawn just now.
func comparePlot(t *testing.T, plot, drawn string) {
	now, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(plot, now, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(plot); err != nil || !bytes.Equal(old, now) {
		t.Errorf("%s is stale (%v)", plot, err)
	}
}

// TestReadmeCommands checks that the set-up and the files of the two commands exist.
func TestReadmeCommands(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		".ci/setup && go run ./cmd/cdpor run --compare-with source testdata/programs/producer-consumer.yaml",
		".ci/test",
	} {
		if !strings.Contains(string(text), "\n    "+command+"\n") {
			t.Errorf("README.md does not have the command %s", command)
		}
		for _, word := range strings.Fields(command) {
			if strings.HasPrefix(word, ".ci/") || strings.HasPrefix(word, "testdata/") {
				if _, err := os.Stat(word); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
