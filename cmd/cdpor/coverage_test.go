package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/cli"
)

// TestScriptsCover: each command, and each flag of each command, occurs in a script.
func TestScriptsCover(t *testing.T) {
	app := model(t)
	paths, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{} // "run", and "run --json"
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			_, args, ok := strings.Cut(line, "cdpor ")
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			words := strings.Fields(args)
			for i, word := range words {
				words[i] = strings.Trim(word, `'"`)
			}
			used[" "+words[0]] = true
			for _, n := range cli.Commands(app.Node) {
				own := strings.Fields(cli.CommandName(n))
				at := slices.Index(words, own[0])
				if at < 0 || !slices.Equal(words[at:min(len(words), at+len(own))], own) {
					continue
				}
				used[cli.CommandName(n)] = true
				for _, f := range slices.Concat(cli.CommandFlags(app.Node), cli.CommandFlags(n)) {
					if slices.ContainsFunc(words, func(word string) bool {
						name, _, _ := strings.Cut(word, "=")
						return name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short)
					}) {
						used[cli.CommandName(n)+" --"+f.Name], used[" --"+f.Name] = true, true
					}
				}
			}
		}
	}
	for _, f := range cli.CommandFlags(app.Node) {
		if f.Name != "help" && !used[" --"+f.Name] { // help is in testdata/help
			t.Errorf("no script uses --%s", f.Name)
		}
	}
	for _, n := range cli.Commands(app.Node) {
		if !used[cli.CommandName(n)] {
			t.Errorf("no script uses cdpor %s", cli.CommandName(n))
		}
		for _, f := range cli.CommandFlags(n) {
			if f.Name != "help-all" && !used[cli.CommandName(n)+" --"+f.Name] {
				t.Errorf("no script uses cdpor %s --%s", cli.CommandName(n), f.Name)
			}
		}
	}
}
