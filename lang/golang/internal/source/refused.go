package source

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// A Refusal says why a package does not load.
type Refusal struct {
	Folder string // as one writes it from here
	Err    Error
}

// causes are the lines of refusals.
func causes(refused []Refusal) (list Error) {
	for _, r := range refused {
		for _, line := range r.Err {
			if !slices.Contains(list, line) {
				list = append(list, line)
			}
		}
	}
	return list
}

// refuse takes the folders out of packages in which something is wrong with one: a package is not explored without its
// tests that do not load.
func refuse(found []*packages.Package, wrong func(*packages.Package) Error) (fine []*packages.Package,
	refused []Refusal) {
	at := map[string]int{} // in refused
	for _, p := range found {
		lines := wrong(p)
		if len(lines) == 0 {
			continue
		}
		k, known := at[folderOf(p)]
		if !known {
			k = len(refused)
			at[folderOf(p)], refused = k, append(refused, Refusal{Folder: folderOf(p)})
		}
		refused[k].Err = causes([]Refusal{refused[k], {Err: lines}})
	}
	for _, p := range found {
		if _, known := at[folderOf(p)]; !known {
			fine = append(fine, p)
		}
	}
	return fine, refused
}

// folderOf is the folder of a package as one writes it from here; its path if it has none.
func folderOf(p *packages.Package) string {
	if p.Dir == "" {
		return p.PkgPath
	}
	return below(p.Dir)
}

// broken lists what is wrong with a package, or with what it imports.
func broken(p *packages.Package, library string) (list Error) {
	list = brokenImports(p, library)
	for _, e := range p.Errors {
		if len(list) > 0 && strings.Contains(e.Msg, "could not import ") {
			continue // it has been said why
		}
		if line := errorLine(e); !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	written := slices.DeleteFunc(slices.Clone(list), func(l string) bool { return strings.Contains(l, entryFile) })
	if len(written) > 0 { // what cdpor adds does not compile because of that
		list = written
	}
	if len(p.Errors) > 0 {
		list = append(list, cgo(p.IgnoredFiles...)...)
	}
	if list == nil && p.IllTyped {
		list = Error{p.PkgPath + ": its types cannot be checked"}
	}
	return list
}

// brokenImports lists the imports of a package that do not load, each with the cause, which may lie far behind it.
func brokenImports(p *packages.Package, library string) (list Error) {
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		imported := p.Imports[path]
		if !imported.IllTyped && len(imported.Errors) == 0 {
			continue
		}
		at, cause := importPlace(p, path), p.PkgPath
		root := rootOf(imported, map[*packages.Package]bool{})
		if len(root.Errors) > 0 {
			cause = strings.TrimPrefix(errorLine(root.Errors[0]), at+": ")
		}
		line := fmt.Sprintf("%s: the import of %s does not load: %s", at, path, cause)
		switch {
		case len(root.GoFiles) > 0 && strings.HasPrefix(root.GoFiles[0], library):
			line += "; cdpor has models in place of some packages of the library, which lack this: explore a package " +
				"without the import"
		case root.Module != nil && !root.Module.Main:
			line += fmt.Sprintf("; if go vet %s finds nothing wrong, cdpor's model of a package of the library "+
				"differs: explore a package without the import", root.PkgPath)
		}
		list = append(list, line)
	}
	return list
}

// rootOf is the package for which one does not load: itself, or one behind its imports.
func rootOf(p *packages.Package, seen map[*packages.Package]bool) *packages.Package {
	seen[p] = true
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		if q := p.Imports[path]; !seen[q] && (q.IllTyped || len(q.Errors) > 0) {
			return rootOf(q, seen)
		}
	}
	return p
}

// importPlace is where a package imports another one; the package itself if that cannot be told.
func importPlace(p *packages.Package, path string) string {
	for _, f := range p.Syntax {
		for _, s := range f.Imports {
			if name, _ := strconv.Unquote(s.Path.Value); name == path {
				return fromHere(p.Fset.PositionFor(s.Pos(), false).String())
			}
		}
	}
	return p.PkgPath
}

// errorLine is an error of a package in one line.
func errorLine(e packages.Error) string {
	text := strings.Join(strings.Fields(e.Msg), " ")
	if strings.Contains(text, "does not contain main module") {
		return "there is no Go module here; run it in the folder of one, or below"
	}
	if e.Pos == "" || e.Pos == "-" {
		return text
	}
	return fromHere(e.Pos) + ": " + text
}

// fromHere is a place as one writes it from here, if it is below.
func fromHere(place string) string {
	if dir, name := filepath.Split(place); filepath.IsAbs(place) && !filepath.IsAbs(below(dir)) {
		return filepath.Join(below(dir), name)
	}
	return place
}

// cgo lists those of some files that are left out because they call C.
func cgo(files ...string) (list Error) {
	for _, name := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, s := range file.Imports {
			if s.Path.Value == `"C"` {
				list = append(list, fmt.Sprintf("%s: cgo is not supported: write what the C functions do in Go, in a "+
					"file with //go:build !cgo", fromHere(fset.PositionFor(s.Pos(), false).String())))
			}
		}
	}
	return list
}

// built makes the SSA form. A package for which that fails is refused, and so is each package that imports it.
func built(ctx context.Context, prog *ssa.Program, found []*packages.Package) ([]*packages.Package, []Refusal) {
	var mu sync.Mutex
	var all sync.WaitGroup
	failed := map[string]error{}
	room := make(chan bool, runtime.GOMAXPROCS(0))
	for _, p := range prog.AllPackages() {
		all.Go(func() {
			room <- true
			defer func() { <-room }()
			if ctx.Err() != nil {
				return
			}
			var err error
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failed[p.Pkg.Path()] = err
				}
			}()
			defer Recover(&err, p.Pkg.Path)
			p.Build()
		})
	}
	all.Wait()
	return refuse(found, func(p *packages.Package) (list Error) {
		packages.Visit([]*packages.Package{p}, nil, func(q *packages.Package) {
			if err := failed[q.PkgPath]; err != nil {
				list = append(list, err.Error())
			}
		})
		return list
	})
}

// Recover makes an error of a panic: a fault of cdpor, at a place of a program.
func Recover(err *error, place func() string) {
	p := recover()
	if p == nil {
		return
	}
	var stack [32]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack[:])])
	for {
		f, more := frames.Next()
		if !more || !strings.HasPrefix(f.Function, "runtime.") {
			*err = Error{fmt.Sprintf("%s: cdpor fails here, which is a fault of its own: %v (%s:%d)", place(), p,
				filepath.Base(f.File), f.Line)}
			return
		}
	}
}
