package main

import (
	"bytes"
	"os"
	"regexp"
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

// TestReadme runs the commands whose output the README shows; times, digests and the version of the solver may differ.
func TestReadme(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	t.Chdir("../..")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	fresh := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		blocks++
		parts := consoleBlock.FindStringSubmatch(block)
		var stdout, stderr bytes.Buffer
		if code := runMain(strings.Fields(parts[1]), nil, &stdout, &stderr); code != exitOK && code != exitViolation {
			t.Errorf("cdpor %s: exit code %d\n%s", parts[1], code, &stderr)
		}
		mask := func(s string) string { return duration.ReplaceAllString(solver.ReplaceAllString(s, "..."), "TIME") }
		if diff := cmp.Diff(mask(parts[2]), mask(stdout.String())); diff != "" && !*update {
			t.Errorf("cdpor %s (README.md is -, run is +; refresh with go test ./cmd/cdpor -run Readme -update):\n%s", parts[1], diff)
		}
		return "```console\n$ cdpor " + parts[1] + "\n" + stdout.String() + "```"
	})
	if blocks == 0 {
		t.Error("README.md shows no output")
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(fresh), 0o666); err != nil {
			t.Fatal(err)
		}
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
