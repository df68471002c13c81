package main

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEntryPoints: what LIBRARY.md names as entry points of a package is there and documented.
func TestEntryPoints(t *testing.T) {
	text, err := os.ReadFile("../../explore/LIBRARY.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `cdpor/([a-z/]+)` \\| (.*) \\|$").FindAllStringSubmatch(string(text), -1)
	if len(rows) == 0 {
		t.Fatal("LIBRARY.md has no table of packages")
	}
	for _, row := range rows {
		documented := documentedNames(t, filepath.Join("..", "..", filepath.FromSlash(row[1])), "cdpor/"+row[1])
		for _, name := range regexp.MustCompile("`([A-Z][A-Za-z.]+)`").FindAllStringSubmatch(row[2], -1) {
			if !slices.Contains(documented, name[1]) {
				t.Errorf("cdpor/%s has no %s, or does not document it", row[1], name[1])
			}
		}
	}
}

// documentedNames are the functions of a package that have a comment; methods as Type.Method.
func documentedNames(t *testing.T, dir, path string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	pkg, err := doc.NewFromFiles(set, parsed, path)
	if err != nil {
		t.Fatal(err)
	}
	add := func(prefix string, functions []*doc.Func) {
		for _, f := range functions {
			if f.Doc != "" {
				names = append(names, prefix+f.Name)
			}
		}
	}
	add("", pkg.Funcs)
	for _, typ := range pkg.Types {
		add("", typ.Funcs)
		add(typ.Name+".", typ.Methods)
	}
	return names
}
