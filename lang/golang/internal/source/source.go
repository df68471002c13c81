package source

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
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
	SSA     *ssa.Program
	Fset    *token.FileSet
	Main    *ssa.Package  // the package of the entry
	Init    *ssa.Function // initialises it
	Entry   *ssa.Function // without parameters
	Name    string        // of the entry, as the user calls it
	Test    bool          // other goroutines go on after the entry has returned
	Body    *ssa.Function // what the entry is about: the test itself
	dir     string        // of the package
	given   string        // the same as the user named it
	library string        // the folder of the standard library
	lines   map[string][]string
	pkg     *packages.Package // of the entry
}

// A Set has the packages that one call of the go command loaded: programs with several entries come from it.
type Set struct {
	ssa        *ssa.Program
	fset       *token.FileSet
	candidates []candidate
	path       string // as the user named it
	library    string // the folder of the standard library
	dir        string // of the go command; empty: where we are
	refused    []Refusal
}

// An Error lists the faults of a program, one line for each place.
type Error []string

func (e Error) Error() string { return strings.Join(e, "\n") }

const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule

// Load finds packages, and what they import, with models in place of the library packages that have one. A path is a
// folder, a file, or a pattern as the go command knows it. Packages that do not load are refused, and it is an error if
// all are. Where the context ends, Load returns at once, and what is under way is left to itself.
func Load(ctx context.Context, path string) (*Set, error) {
	type result struct {
		set *Set
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		defer Recover(&r.err, func() string { return path })
		r.set, r.err = load(ctx, path)
	}()
	select {
	case r := <-done:
		if ctx.Err() == nil {
			return r.set, r.err
		}
	case <-ctx.Done():
	}
	return nil, context.Cause(ctx)
}

func load(ctx context.Context, path string) (*Set, error) {
	dir, pattern := where(path)
	env := append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	toolchain, err := model.Ask(ctx, dir, env)
	if err != nil {
		return nil, err
	}
	overlay, err := model.Models(toolchain.Library)
	if err != nil {
		return nil, err
	}
	from, err := filepath.Abs(dir) // in a relative folder, go forgets the symbolic links on the way
	if err != nil {
		return nil, err
	}
	cfg := &packages.Config{Context: ctx, Mode: mode, Tests: true, Fset: token.NewFileSet(), Dir: from, Env: env}
	added, err := addEntries(cfg, overlay, pattern)
	if err != nil {
		return nil, err
	}
	patterns := []string{pattern}
	if strings.HasSuffix(pattern, ".go") {
		patterns = append(patterns, added...)
		if list := cgo(path); list != nil { // the go command would say that there is no file
			return nil, list
		}
	}
	written, err := os.MkdirTemp("", "cdpor-overlay-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(written)
	flag, err := overlay.Write(written)
	if err != nil {
		return nil, err
	}
	cfg.BuildFlags = []string{flag}
	found, err := packages.Load(cfg, patterns...)
	if err != nil {
		_, text, ok := strings.Cut(err.Error(), "stderr: ")
		if text = strings.TrimSpace(strings.TrimPrefix(text, "go: ")); !ok {
			text = err.Error()
		} else if strings.HasPrefix(text, "go.mod file not found") {
			text = "there is no go.mod, here or above; go mod init NAME makes one"
		} else if strings.HasPrefix(text, "overlay contains a replacement for") {
			text = "this is in the module cache, where the go command replaces no files; copy the module elsewhere"
		}
		return nil, Error{path + ": " + text}
	}
	found = slices.DeleteFunc(found, func(p *packages.Package) bool {
		return strings.HasSuffix(p.ID, ".test") // its main function calls what the model of testing does not have
	})
	newChecker(ctx, cfg.Fset, overlay, toolchain).check(found)
	packages.Visit(found, nil, func(p *packages.Package) {
		for i, e := range p.Errors {
			if file, _, ok := strings.Cut(e.Pos, ":"); ok && !filepath.IsAbs(file) { // of go list: from its folder
				p.Errors[i].Pos, _ = filepath.Abs(filepath.Join(dir, e.Pos))
			}
		}
	})
	fine, refused := refuse(found, func(p *packages.Package) Error { return broken(p, toolchain.Library) })
	prog, _ := ssautil.AllPackages(fine, ssa.InstantiateGenerics|ssa.GlobalDebug)
	fine, more := built(ctx, prog, fine)
	if refused = append(refused, more...); len(fine) == 0 {
		return nil, causes(refused)
	}
	chooseErrorf(prog)
	return &Set{prog, cfg.Fset, candidates(fine, prog), path, toolchain.Library, dir, refused}, nil
}

// Refused are the packages that do not load.
func (s *Set) Refused() []Refusal { return s.refused }

// Program is the program that begins with a function: main, TestX, or one without parameters; empty stands for the only
// one there is. The folder names the package, if there are several; empty: any.
func (s *Set) Program(folder, function string) (*Program, error) {
	list, path := s.candidates, s.path
	if folder != "" {
		full, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return c.dir() != full })
		path = folder
	}
	c, wrong := pick(list, path, function)
	if wrong != nil {
		return nil, append(wrong, causes(s.refused)...)
	}
	name, given := c.name, s.dir
	if c.test {
		name = entryPrefix + c.name
	}
	if folder != "" {
		given = folder
	}
	return &Program{SSA: s.ssa, Fset: s.fset, Main: c.ssa, Init: c.ssa.Func("init"),
		Entry: c.ssa.Func(name), Name: c.name,
		Test: c.name != "main", Body: c.ssa.Func(c.name), dir: c.dir(), given: given, library: s.library,
		lines: map[string][]string{}, pkg: c.pkg}, nil
}

// where is the folder in which go list is asked, and for what.
func where(path string) (dir, pattern string) {
	if root, all := strings.CutSuffix(path, "/..."); all {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			return root, "./..."
		}
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return path, "."
	case err == nil:
		return filepath.Dir(path), filepath.Base(path)
	}
	return "", path
}

// A candidate is a function that one can begin with.
type candidate struct {
	pkg  *packages.Package
	ssa  *ssa.Package
	name string
	test bool // takes *testing.T
}

// dir is the folder of its package.
func (c candidate) dir() string { return filepath.Dir(c.pkg.GoFiles[0]) }

// candidates are the main function, the tests, and then the other functions without parameters and results.
func candidates(found []*packages.Package, prog *ssa.Program) (list []candidate) {
	seen := map[string]bool{}
	order := make([]int, len(found))
	for i := range order {
		order[i] = i
	}
	// The variant of a package with its tests comes first.
	sort.SliceStable(order, func(i, j int) bool {
		return len(found[order[i]].GoFiles) > len(found[order[j]].GoFiles)
	})
	for _, i := range order {
		p := found[i]
		if prog.Package(p.Types) == nil || len(p.GoFiles) == 0 {
			continue
		}
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv != nil || fn.Type.TypeParams != nil || fn.Body == nil ||
					strings.HasPrefix(fn.Name.Name, entryPrefix) {
					continue
				}
				key := filepath.Dir(p.GoFiles[0]) + " " + fn.Name.Name
				obj, _ := p.TypesInfo.Defs[fn.Name].(*types.Func)
				if obj == nil || obj.Name() == "init" {
					continue
				}
				sig := obj.Signature()
				test := sig.Params().Len() == 1 && sig.Params().At(0).Type().String() == "*testing.T" &&
					strings.HasPrefix(obj.Name(), "Test")
				if !seen[key] && sig.Results().Len() == 0 && (test || sig.Params().Len() == 0) {
					seen[key] = true
					list = append(list, candidate{p, prog.Package(p.Types), obj.Name(), test})
				}
			}
		}
	}
	return list
}

// A Place is where something stands in the text: lines and columns count from 1.
type Place struct {
	File      string // below the path that the user gave, if it is in that folder
	Line, Col int
}

// At is the place of a position.
func (p *Program) At(pos token.Pos) Place {
	if !pos.IsValid() {
		return Place{}
	}
	at := p.Fset.Position(pos)
	return Place{p.short(at.Filename), at.Line, at.Column}
}

// Where is the place of a position as messages begin with it.
func (p *Program) Where(pos token.Pos) string {
	at := p.At(pos)
	return fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Col)
}

// short is the path of a file below the folder that the user named, or its last two parts if it is elsewhere.
func (p *Program) short(file string) string {
	if rel, err := filepath.Rel(p.dir, file); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.Join(p.given, rel)
	}
	return filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
}

// InModel reports whether a position is in a model of a library package.
func (p *Program) InModel(pos token.Pos) bool {
	name := filepath.Base(p.Fset.Position(pos).Filename)
	return name == model.File || name == model.RestFile
}

// InEntry reports whether a position is in a function that was added to run a test.
func (p *Program) InEntry(pos token.Pos) bool {
	return strings.HasPrefix(filepath.Base(p.Fset.Position(pos).Filename), entryFile)
}

// InLibrary reports whether a position is in the standard library, or a model of it.
func (p *Program) InLibrary(pos token.Pos) bool {
	return pos.IsValid() && strings.HasPrefix(p.Fset.Position(pos).Filename, p.library)
}

// Line is the text of the line of a position, without the space around it.
func (p *Program) Line(pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	at := p.Fset.Position(pos)
	lines, known := p.lines[at.Filename]
	if !known {
		if text, err := os.ReadFile(at.Filename); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		p.lines[at.Filename] = lines
	}
	if at.Line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[at.Line-1])
}

// Paths are the files of the package of the entry and of what it imports, without the library: absolute paths, by what
// places call them.
func (p *Program) Paths() map[string]string {
	paths, seen := map[string]string{}, map[*packages.Package]bool{}
	var add func(pkg *packages.Package)
	add = func(pkg *packages.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, imported := range pkg.Imports {
			add(imported)
		}
		for _, f := range pkg.Syntax {
			path := p.Fset.Position(f.Package).Filename
			if !strings.HasPrefix(filepath.Base(path), entryFile) && !strings.HasPrefix(path, p.library) {
				paths[p.short(path)] = path
			}
		}
	}
	add(p.pkg)
	return paths
}

// Dir is the folder of the package of the entry.
func (p *Program) Dir() string { return p.dir }
