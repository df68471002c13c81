package source

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
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
// and returns their names. Tests are found by their syntax: go list has not run yet.
func addEntries(cfg *packages.Config, overlay model.Overlay, pattern string) (added []string, err error) {
	dirs, err := folders(cfg, pattern)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		files := []string{filepath.Join(dir, pattern)}
		if !strings.HasSuffix(pattern, ".go") {
			if files, err = filepath.Glob(filepath.Join(dir, "*_test.go")); err != nil {
				return nil, err
			}
		}
		tests := map[string][]string{}
		mains := "" // the package with TestMain
		for _, f := range files {
			pkg, names, main := testsOf(f)
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

// testsOf lists the tests of a file that is built here, and reports whether it has TestMain; a file that cannot be read
// or parsed has none.
func testsOf(file string) (pkg string, names []string, main bool) {
	if ok, err := build.Default.MatchFile(filepath.Dir(file), filepath.Base(file)); err != nil || !ok {
		return "", nil, false
	}
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

// folders are the folders that a pattern means, as absolute paths.
func folders(cfg *packages.Config, pattern string) (dirs []string, err error) {
	if pattern == "." || strings.HasSuffix(pattern, ".go") {
		dir, err := filepath.Abs(cfg.Dir)
		return []string{dir}, err
	}
	if root, all := strings.CutSuffix(pattern, "/..."); all && build.IsLocalImport(root) {
		full, err := filepath.Abs(filepath.Join(cfg.Dir, root))
		if err != nil {
			return nil, err
		}
		err = filepath.WalkDir(full, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				dirs = append(dirs, path)
			}
			return err
		})
		return dirs, err
	}
	light := *cfg
	light.Mode = packages.NeedName | packages.NeedFiles
	found, err := packages.Load(&light, pattern)
	if err != nil {
		return nil, Error{fmt.Sprintf("%s: %v", pattern, err)}
	}
	for _, p := range found {
		if len(p.GoFiles) > 0 {
			dirs = append(dirs, filepath.Dir(p.GoFiles[0]))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs), nil
}
