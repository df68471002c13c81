package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"cdpor/lang/golang/internal/model"
)

// entryPrefix begins the names of the functions that an overlay adds to packages with tests: one for each test, which
// runs it, from TestMain if the package has one.
const entryPrefix = "cdporEntry"

// entryFile begins the names of the files that have them.
const entryFile = "cdpor_entry_"

// addEntries adds files with such functions to the overlay, one for each package with tests that a pattern may mean,
// and returns their names. Tests are found by their syntax: packages are not loaded yet.
func addEntries(cfg *packages.Config, overlay model.Overlay, pattern string) (added []string, err error) {
	found, err := testFiles(cfg, pattern)
	if err != nil {
		return nil, err
	}
	for dir, files := range found {
		tests := map[string][]string{}
		mains := "" // the package with TestMain
		for _, f := range files {
			pkg, names, main := testsOf(filepath.Join(dir, f))
			tests[pkg] = append(tests[pkg], names...)
			if main {
				mains = pkg
			}
		}
		for pkg, names := range tests {
			if len(names) == 0 {
				continue
			}
			call := "CdporRun(%q, %s)"
			switch mains {
			case "":
			case pkg:
				call = "CdporMain(%q, %s, TestMain)"
			default:
				call = "CdporMain(%q, %s, testing.CdporMainElsewhere)"
			}
			text := fmt.Appendf(nil, "package %s\n\nimport \"testing\"\n", pkg)
			for _, n := range names {
				text = fmt.Appendf(text, "\nfunc %s%s() { testing."+call+" }\n", entryPrefix, n, n, n)
			}
			name := entryFile + pkg + "_test.go"
			overlay[filepath.Join(dir, name)] = text
			added = append(added, name)
		}
	}
	return added, nil
}

// testsOf lists the tests of a file, and reports whether it has TestMain; a file that cannot be parsed has none.
func testsOf(file string) (pkg string, names []string, main bool) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, false
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Type.TypeParams != nil || !strings.HasPrefix(fn.Name.Name, "Test") ||
			len(fn.Type.Params.List) != 1 ||
			fn.Type.Results != nil || len(fn.Type.Params.List[0].Names) > 1 {
			continue
		}
		star, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		t, ok := star.X.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		switch x, ok := t.X.(*ast.Ident); {
		case !ok || x.Name != "testing":
		case t.Sel.Name == "T":
			names = append(names, fn.Name.Name)
		case t.Sel.Name == "M" && fn.Name.Name == "TestMain":
			main = true
		}
	}
	return f.Name.Name, names, main
}

// testFiles are the names of the test files of the packages that a pattern means, by their folders: those that are
// built with the tags of the environment.
func testFiles(cfg *packages.Config, pattern string) (map[string][]string, error) {
	cmd := exec.CommandContext(cfg.Context, "go", "list", "-e", "-find", "-json=Dir,TestGoFiles,XTestGoFiles", "--",
		pattern)
	cmd.Dir, cmd.Env = cfg.Dir, append(cfg.Env, "PWD="+cfg.Dir)
	out, _ := cmd.Output() // what is wrong is said when the packages are loaded
	files := map[string][]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct {
			Dir                       string
			TestGoFiles, XTestGoFiles []string
		}
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		files[p.Dir] = slices.Concat(files[p.Dir], p.TestGoFiles, p.XTestGoFiles)
	}
	return files, nil
}
