package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocIndex holds the index of files in doc.go of every package that has one: it names every file of the package but
// tests, and no file that is not there.
func TestDocIndex(t *testing.T) {
	name := regexp.MustCompile(`(^|[^\w./])(\w+\.go)\b`)
	packages := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && path != "../.." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if d.Name() != "doc.go" {
			return nil
		}
		packages++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		var named []string
		for _, m := range name.FindAllStringSubmatch(file.Doc.Text(), -1) {
			named = append(named, m[2])
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if f := e.Name(); strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go") && f != "doc.go" && !slices.Contains(named, f) {
				t.Errorf("%s does not name %s", path, f)
			}
		}
		for _, f := range named {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), f)); err != nil {
				t.Errorf("%s names %s, which is not there", path, f)
			}
		}
		return nil
	})
	if err != nil || packages < 8 {
		t.Fatalf("%d packages with doc.go: %v", packages, err)
	}
}
