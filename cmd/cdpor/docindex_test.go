package main

import (
	"go/ast"
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

// TestDocIndex holds the index of files in doc.go of every package that has one, or in the file that has the name of
// the package: it names every other file of the package but tests, and no file that is not there.
func TestDocIndex(t *testing.T) {
	name := regexp.MustCompile(`(^|[^\w./])(\w+\.go)\b`)
	packages := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && path != "../.." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if d.Name() != "doc.go" && d.Name() != filepath.Base(filepath.Dir(path))+".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil || d.Name() != "doc.go" && !name.MatchString(file.Doc.Text()) {
			return err
		}
		packages++
		var named []string
		for _, m := range name.FindAllStringSubmatch(file.Doc.Text(), -1) {
			named = append(named, m[2])
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if f := e.Name(); strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go") && f != d.Name() &&
				!slices.Contains(named, f) {
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

// TestWalks holds the three walks of explore/README.md: at most ten functions each, all of which are there.
func TestWalks(t *testing.T) {
	text, err := os.ReadFile("../../explore/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, walks, _ := strings.Cut(string(text), "\n## Three walks\n")
	walks, _, _ = strings.Cut(walks, "\n## ")
	functions := map[string]map[string]bool{} // by folder: Name, or Receiver.Name
	in := func(folder string) map[string]bool {
		if functions[folder] == nil {
			functions[folder] = map[string]bool{}
			files, _ := filepath.Glob(filepath.Join("../..", folder, "*.go"))
			for _, path := range files {
				file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok {
						functions[folder][functionName(f)] = true
					}
				}
			}
		}
		return functions[folder]
	}
	step := regexp.MustCompile(`(?m)^(\d+)\. \x60([\w/]+)\.([\w.]+)\x60 `)
	walked := 0
	for _, m := range step.FindAllStringSubmatch(walks, -1) {
		if m[1] == "1" {
			walked++
		}
		if !in(m[2])[m[3]] {
			t.Errorf("%s has no function %s", m[2], m[3])
		}
		if len(m[1]) > 1 && m[1] != "10" {
			t.Errorf("a walk has a step %s", m[1])
		}
	}
	if walked != 3 {
		t.Errorf("there are %d walks", walked)
	}
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		return name.Name + "." + f.Name.Name
	}
	return f.Name.Name
}
