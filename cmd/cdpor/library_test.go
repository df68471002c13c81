package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"cdpor/cmd/cdpor/internal/files"

	"github.com/google/go-cmp/cmp"
)

// TestLibrary holds testdata/README.md, one line a program, against the programs there are.
func TestLibrary(t *testing.T) {
	root := filepath.Join("..", "..", "testdata")
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := files.Programs([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for _, path := range paths {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		want[filepath.ToSlash(name)] = 1
	}
	got := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| \[([^]]+)\]\(([^)]+)\) \| .+ \|$`).FindAllSubmatch(text, -1) {
		name := string(row[2])
		got[name]++
		if base := filepath.Base(name); string(row[1])+".yaml" != base {
			t.Errorf("the line of %s calls it %s", name, row[1])
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("programs (-) and lines of README.md (+):\n%s", diff)
	}
}
