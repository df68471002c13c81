package main

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/fault"

	"github.com/alecthomas/kong"
	gocmp "github.com/google/go-cmp/cmp"
)

// golden compares a text with a file, which -update rewrites.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s is stale (-) against the command line (+); refresh with go test ./cmd/cdpor -run %s -update:\n%s",
			path, t.Name(), diff)
	}
}

// TestHelp compares the help of every command with a file in testdata/help; without a command there is the help of all.
func TestHelp(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	files := map[string]bool{}
	lines := []string{"", "run --help-all"}
	for _, n := range allCommands(model(t).Node) {
		lines = append(lines, cli.CommandName(n))
	}
	for _, line := range lines {
		name, args := strings.ReplaceAll(cmp.Or(line, "cdpor"), " ", "-"), strings.Fields(line)
		if !strings.Contains(line, "--") {
			args = append(args, "--help")
		}
		var stdout, stderr bytes.Buffer
		if code := runMain(args, nil, &stdout, &stderr); code != fault.ExitOK || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d\n%s", name, code, &stderr)
		}
		files[name+".txt"] = true
		golden(t, filepath.Join("testdata", "help", name+".txt"), stdout.String())
	}
	there, err := os.ReadDir(filepath.Join("testdata", "help"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		if !files[f.Name()] {
			t.Errorf("testdata/help/%s is the help of no command", f.Name())
		}
	}
}

// allCommands are the commands below one, those that only have others below them included.
func allCommands(n *kong.Node) (list []*kong.Node) {
	for _, c := range n.Children {
		list = append(append(list, c), allCommands(c)...)
	}
	return list
}

// TestManPage has mandoc find nothing wrong with the man page, and man show it.
func TestManPage(t *testing.T) {
	page := cli.ManPage(model(t))
	for _, n := range cli.Commands(model(t).Node) {
		if !strings.Contains(page, `\fB`+cli.CommandName(n)) {
			t.Errorf("the man page does not have %s", cli.CommandName(n))
		}
	}
	for _, tool := range [][]string{{"mandoc", "-Tlint", "-Wwarning"},
		{"man", "--warnings", "-E", "ascii", "-l", "-"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			t.Logf("not tried: %v", err)
			continue
		}
		cmd := exec.Command(tool[0], tool[1:]...)
		cmd.Stdin = strings.NewReader(page)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil || stderr.Len() > 0 {
			t.Errorf("%s: %v\n%s%s", tool, err, &stdout, &stderr)
		}
		if text := strings.Join(strings.Fields(stdout.String()), " "); tool[0] == "man" &&
			!strings.Contains(text, "How to explore; cdpor explain algorithms lists the ways.") {
			t.Errorf("man does not show the flags:\n%s", &stdout)
		}
	}
}
