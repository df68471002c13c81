package source

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"cdpor/lang/golang/internal/model"
)

// A Program is a Go program in SSA form, with the function to begin with.
type Program struct {
	SSA   *ssa.Program
	Fset  *token.FileSet
	Main  *ssa.Package  // the package of the entry
	Init  *ssa.Function // initialises it
	Entry *ssa.Function // without parameters
	Name  string        // of the entry, as the user calls it
	Test  bool          // other goroutines go on after the entry has returned
	Body  *ssa.Function // what the entry is about: the test itself
	dir   string        // of the package
	given string        // the same as the user named it
	lines map[string][]string
}

// Options say what to load.
type Options struct {
	Path string // a folder, a file, or a pattern as go list knows it
	Func string // main, TestX, or a function without parameters; empty: the only one there is
}

// An Error is what is wrong with a program, one line for each place.
type Error []string

func (e Error) Error() string { return strings.Join(e, "\n") }

const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
	packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax | packages.NeedTypesSizes | packages.NeedModule

// Load finds a package, and what it imports, with models in place of the library packages that have one.
func Load(ctx context.Context, opt Options) (*Program, error) {
	overlay, err := model.Overlay(ctx)
	if err != nil {
		return nil, err
	}
	cfg := &packages.Config{Context: ctx, Mode: mode, Tests: true, Overlay: overlay, Fset: token.NewFileSet(),
		Env: append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")}
	var pattern string
	cfg.Dir, pattern = where(opt.Path)
	found, err := packages.Load(cfg, pattern)
	if err != nil {
		return nil, Error{fmt.Sprintf("%s: %v", opt.Path, err)}
	}
	if err := broken(found); err != nil {
		return nil, err
	}
	entries := candidates(found)
	entry, err := pick(entries, opt)
	if err != nil {
		return nil, err
	}
	return entry.load(cfg, found, pattern, opt)
}

// where is the folder in which go list is asked, and for what.
func where(path string) (dir, pattern string) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return path, "."
	case err == nil:
		return filepath.Dir(path), filepath.Base(path)
	}
	return "", path
}

// broken lists the errors of the packages that were asked for.
func broken(found []*packages.Package) error {
	var list Error
	for _, p := range found {
		if strings.HasSuffix(p.ID, ".test") {
			continue // its main function calls what the model of testing does not have
		}
		for _, e := range p.Errors {
			line := e.Msg
			if e.Pos != "" && e.Pos != "-" {
				line = e.Pos + ": " + e.Msg
			}
			if !slices.Contains(list, line) {
				list = append(list, line)
			}
		}
	}
	if len(list) > 0 {
		return list
	}
	return nil
}

// A candidate is a function that one can begin with.
type candidate struct {
	pkg  *packages.Package
	name string
	test bool // takes *testing.T
}

// candidates are the main function, the tests, and then the other functions without parameters and results.
func candidates(found []*packages.Package) (list []candidate) {
	seen := map[string]bool{}
	sort.SliceStable(found, func(i, j int) bool { return len(found[i].CompiledGoFiles) > len(found[j].CompiledGoFiles) })
	for _, p := range found {
		if strings.HasSuffix(p.ID, ".test") || p.Types == nil {
			continue
		}
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv != nil || fn.Type.TypeParams != nil || seen[fn.Name.Name] || fn.Body == nil {
					continue
				}
				obj, _ := p.TypesInfo.Defs[fn.Name].(*types.Func)
				if obj == nil || obj.Name() == "init" {
					continue
				}
				sig := obj.Signature()
				test := sig.Params().Len() == 1 && sig.Params().At(0).Type().String() == "*testing.T" && strings.HasPrefix(obj.Name(), "Test")
				if sig.Results().Len() == 0 && (test || sig.Params().Len() == 0) {
					seen[obj.Name()] = true
					list = append(list, candidate{p, obj.Name(), test})
				}
			}
		}
	}
	return list
}

// pick chooses the entry.
func pick(list []candidate, opt Options) (candidate, error) {
	var tests []string
	for _, c := range list {
		if c.name == opt.Func {
			return c, nil
		}
		if c.test {
			tests = append(tests, c.name)
		}
	}
	if opt.Func != "" {
		var names []string
		for _, c := range list {
			names = append(names, c.name)
		}
		return candidate{}, Error{fmt.Sprintf("%s: there is no function %s without parameters; there are: %s", opt.Path, opt.Func, strings.Join(names, ", "))}
	}
	for _, c := range list {
		switch {
		case c.name == "main" && c.pkg.Name == "main", len(tests) == 1 && c.test:
			return c, nil
		}
	}
	if len(tests) == 0 {
		return candidate{}, Error{fmt.Sprintf("%s: there is neither a main function nor a test; --func NAME begins with a function without parameters", opt.Path)}
	}
	return candidate{}, Error{fmt.Sprintf("%s: there are several tests; choose one with --func: %s", opt.Path, strings.Join(tests, ", "))}
}

// unsupported lists the imports of packages that cannot be used: a library package that needs more of another one than its
// model has.
func unsupported(found []*packages.Package) error {
	var list Error
	for _, p := range found {
		if !p.IllTyped || strings.HasSuffix(p.ID, ".test") {
			continue
		}
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			if p.Imports[path].IllTyped {
				line := fmt.Sprintf("%s: the import of %s is not supported", p.PkgPath, path)
				if !slices.Contains(list, line) {
					list = append(list, line)
				}
			}
		}
	}
	if len(list) > 0 {
		return list
	}
	return nil
}

// entryName is the function that an overlay adds to the package of a test: it runs the test.
const entryName = "cdporEntry"

// load builds the SSA form. For a test it loads again, with a function that runs the test.
func (c candidate) load(cfg *packages.Config, found []*packages.Package, pattern string, opt Options) (*Program, error) {
	dir := filepath.Dir(c.pkg.GoFiles[0])
	name := c.name
	if c.test {
		file := filepath.Join(dir, "cdpor_entry_test.go")
		cfg.Overlay[file] = fmt.Appendf(nil, "package %s\n\nimport \"testing\"\n\nfunc %s() { testing.CdporRun(%q, %s) }\n", c.pkg.Name, entryName, c.name, c.name)
		cfg.Fset = token.NewFileSet()
		patterns := []string{pattern}
		if strings.HasSuffix(pattern, ".go") {
			patterns = append(patterns, filepath.Base(file))
		}
		var err error
		if found, err = packages.Load(cfg, patterns...); err != nil {
			return nil, Error{fmt.Sprintf("%s: %v", opt.Path, err)}
		}
		if err := broken(found); err != nil {
			return nil, err
		}
		name = entryName
	}
	if err := unsupported(found); err != nil {
		return nil, err
	}
	prog, pkgs := ssautil.AllPackages(found, ssa.InstantiateGenerics|ssa.GlobalDebug)
	for i, p := range pkgs {
		if p == nil || p.Func(name) == nil || found[i].Name != c.pkg.Name {
			continue
		}
		prog.Build()
		return &Program{SSA: prog, Fset: cfg.Fset, Main: p, Init: p.Func("init"), Entry: p.Func(name), Name: c.name,
			Test: name != "main", Body: p.Func(c.name), dir: dir, given: cfg.Dir, lines: map[string][]string{}}, nil
	}
	return nil, Error{fmt.Sprintf("%s: %s has no SSA form", opt.Path, c.name)}
}
