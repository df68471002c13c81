package native

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Atomics have no function of the library behind them that could have a gate: the compiler writes them out, and the
// library itself uses them inside of its primitives. So what is outside of the library, and a few packages of it,
// import another package in place of sync/atomic, which has its functions and types with gates, and is made of the
// installed ones.

const atomicsPath = "sync/cdporatomic"

// telling are packages of the library whose callers see what their atomics hold; those of others are caches and parts
// of primitives.
var telling = []string{"database/sql", "expvar", "log", "log/slog", "net/http", "net/http/httputil"}

// atomics is the text of that package.
func atomics(root string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Package atomic is sync/atomic with gates.\npackage atomic\n\n"+
		"import (\n\t\"runtime\"\n\t\"sync/atomic\"\n\t\"unsafe\"\n)\n\nvar _ unsafe.Pointer\n")
	files := token.NewFileSet()
	dir := filepath.Join(root, "src", "sync", "atomic")
	for _, name := range []string{"doc.go", "doc_32.go", "doc_64.go", "type.go", "value.go"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if os.IsNotExist(err) {
			continue
		} else if err != nil {
			return nil, err
		}
		if name == "doc_32.go" {
			continue // the same functions as doc_64.go
		}
		f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				gated(&b, files, d)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
						parameters, of := "", ""
						if s.TypeParams != nil {
							parameters, of = "[T any]", "[T]"
						}
						fmt.Fprintf(&b, "\ntype %s%s struct{ v atomic.%s%s }\n", s.Name, parameters, s.Name, of)
					}
				}
			}
		}
	}
	return b.Bytes(), nil
}

// gated writes a function or method with a gate.
func gated(b *bytes.Buffer, files *token.FileSet, d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	kind, object, call, receiver, keeps := opStore, "", "atomic."+d.Name.Name, "", ""
	switch {
	case strings.HasPrefix(d.Name.Name, "Load"):
		kind = opLoad
	case strings.HasPrefix(d.Name.Name, "CompareAndSwap"):
		kind, keeps = opCompare, "\tif !swapped {\n\t\truntime.CdporKeeps()\n\t}\n\treturn\n"
	}
	var names []string
	for _, p := range d.Type.Params.List {
		for _, n := range p.Names {
			names = append(names, n.Name)
		}
	}
	if d.Recv != nil {
		var of bytes.Buffer
		printer.Fprint(&of, files, d.Recv.List[0].Type)
		if !ast.IsExported(strings.TrimLeft(of.String(), "*")) {
			return
		}
		object, call, receiver = "x", "x.v."+d.Name.Name, "(x "+of.String()+") "
	} else {
		object = names[0]
	}
	var signature bytes.Buffer
	printer.Fprint(&signature, files, d.Type)
	result := ""
	switch {
	case keeps != "":
		result = "swapped = "
	case d.Type.Results != nil:
		result = "return "
	}
	write := func(name string, kind Kind) {
		fmt.Fprintf(b, "\nfunc %s%s%s {\n\truntime.CdporGate(%s, unsafe.Pointer(%s), 0, 0)\n\t%s%s(%s)\n%s}\n",
			receiver, name, strings.TrimPrefix(signature.String(), "func"), number(kind), object, result, call,
			strings.Join(names, ", "), keeps)
	}
	if write(d.Name.Name, kind); strings.HasPrefix(d.Name.Name, "Add") {
		write(unused(d.Name.Name), opBump)
	}
}

// unused is the name of an add of which nobody looks at the result.
func unused(name string) string { return "Cdpor" + name }

// A listed is a package in the output of go list.
type listed struct {
	Dir, ImportPath                              string
	Standard                                     bool
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
	Module                                       *listedModule
}

// importers lays those files of a package's tests, and of all that they import outside of the library or that tells,
// that import sync/atomic, with the other package in place of that, those that link functions of the runtime, and those
// that are to be changed otherwise.
func (t *Toolchain) importers(ctx context.Context, dir string, others map[string][]edit,
	lay func(path string, text []byte) error) error {
	cmd := exec.CommandContext(ctx, filepath.Join(t.Root, "bin", "go"), "list", "-deps", "-test", "-e",
		"-json=Dir,ImportPath,Standard,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Module", ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	texts, modules := map[string][]byte{}, map[string]*listedModule{}
	var adding []adder
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if p.Standard && !slices.Contains(telling, p.ImportPath) {
			continue
		}
		full := func(names []string) (list []string) {
			for _, name := range names {
				if !filepath.IsAbs(name) {
					name = filepath.Join(p.Dir, name)
				}
				list = append(list, name)
			}
			return list
		}
		a := adder{full(slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles)), full(p.XTestGoFiles)}
		slices.Sort(a.inside) // those of a package that is built for its tests are there twice
		a.inside = slices.Compact(a.inside)
		has, may := false, false
		for _, path := range slices.Concat(a.inside, a.outside) {
			if texts[path] != nil {
				continue
			}
			if texts[path], err = os.ReadFile(path); err != nil {
				return err
			}
			modules[path] = p.Module
			has = has || bytes.Contains(texts[path], []byte(`"sync/atomic"`))
			may = may || adds.Match(texts[path])
		}
		if has && may && !p.Standard {
			adding = append(adding, a)
		}
	}
	unused, err := t.unusedAdds(adding)
	if err != nil {
		return err
	}
	t.modules.copies = map[string]string{}
	for path, text := range texts {
		if edits := slices.Concat(importing(text), linking(text), unused[path], others[path]); edits != nil {
			to, err := t.modules.place(path, modules[path])
			if err != nil {
				return err
			}
			if err := lay(to, apply(text, edits)); err != nil {
				return err
			}
		}
	}
	if len(t.modules.copies) == 0 {
		return nil
	}
	path, text, err := t.modules.replaced(ctx, t.Root, dir)
	if err != nil {
		return err
	}
	return lay(path, text)
}

// importing is what gives a text the other import, nil if it has none of sync/atomic.
func importing(text []byte) (edits []edit) {
	if !bytes.Contains(text, []byte(`"sync/atomic"`)) {
		return nil
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", text, parser.ImportsOnly)
	if err != nil {
		return nil // the compiler says so
	}
	for _, s := range f.Imports {
		if s.Path.Value == `"sync/atomic"` {
			at := files.Position(s.Path.Pos()).Offset
			edits = append(edits, edit{at, at + len(s.Path.Value), strconv.Quote(atomicsPath)})
		}
	}
	return edits
}

// linked are functions of the runtime that programs get at by linkname, and what they get under control.
var linked = map[string]string{"nanotime": "time.cdporNanotime", "cputicks": "time.cdporNanotime",
	"cheaprand": "runtime.cdporFastrand", "fastrand": "runtime.cdporFastrand"}

var linknames = regexp.MustCompile(`(?m)^//go:linkname\s+\w+\s+(runtime\.(\w+))\s*$`)

// linking is what gives a text clocks and random numbers that the decision determines in place of the runtime's.
func linking(text []byte) (edits []edit) {
	for _, at := range linknames.FindAllSubmatchIndex(text, -1) {
		if to := linked[string(text[at[4]:at[5]])]; to != "" {
			edits = append(edits, edit{at[2], at[3], to})
		}
	}
	return edits
}

// adds matches what may be an atomic add that stands alone.
var adds = regexp.MustCompile(`(?m)(^|[;{])\s*(defer |go )?\S*\bAdd(Int32|Int64|Uint32|Uint64|Uintptr)?\(`)

// An adder is a package with what may be such adds: the files of the package, and those of its tests outside of it.
type adder struct{ inside, outside []string }

// unusedAdds are what calls another function for atomic adds of which nobody looks at the result, by file. Of what
// other packages declare nothing is known, so of an add behind that it is not found out.
func (t *Toolchain) unusedAdds(list []adder) (map[string][]edit, error) {
	edits := map[string][]edit{}
	if len(list) == 0 {
		return edits, nil
	}
	only := atomicOnly{}
	paths, err := filepath.Glob(filepath.Join(t.Root, "src", "sync", "atomic", "*.go"))
	if err != nil {
		return nil, err
	}
	of := slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, "_test.go") })
	only.atomic, _, _ = checked("sync/atomic", of, only)
	for _, a := range list {
		for _, paths := range [][]string{a.inside, a.outside} {
			_, info, files := checked("p", paths, only)
			for path, f := range files {
				edits[path] = unusedIn(info, f)
			}
		}
	}
	return edits, nil
}

// atomicOnly imports sync/atomic, and nothing of other packages.
type atomicOnly struct{ atomic *types.Package }

func (o atomicOnly) Import(path string) (*types.Package, error) {
	if path == "sync/atomic" && o.atomic != nil {
		return o.atomic, nil
	}
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// checked is what is known of the files of a package, whatever is wrong with it.
func checked(path string, paths []string, from types.Importer) (*types.Package, *types.Info, map[string]*ast.File) {
	set, byPath := token.NewFileSet(), map[string]*ast.File{}
	var files []*ast.File
	for _, path := range paths {
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler says so
		}
		files, byPath[path] = append(files, f), f
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	c := types.Config{Importer: from, FakeImportC: true, Error: func(error) {}}
	pkg, _ := c.Check(path, set, files, info)
	return pkg, info, byPath
}

// unusedIn are those of a file.
func unusedIn(info *types.Info, f *ast.File) (edits []edit) {
	note := func(e ast.Expr) {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			return
		}
		id, ok := call.Fun.(*ast.Ident)
		if sel, selects := call.Fun.(*ast.SelectorExpr); selects {
			id, ok = sel.Sel, plainly(info, sel)
		}
		if !ok {
			return
		}
		fn, ok := info.Uses[id].(*types.Func)
		if ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" && strings.HasPrefix(id.Name, "Add") {
			at := int(id.Pos() - f.FileStart)
			edits = append(edits, edit{at, at + len(id.Name), unused(id.Name)})
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			note(n.X)
		case *ast.DeferStmt:
			note(n.Call)
		case *ast.GoStmt:
			note(n.Call)
		}
		return true
	})
	return edits
}

// plainly reports whether what is selected is found without embedded fields, which may have types that are not known.
func plainly(info *types.Info, e ast.Expr) bool {
	yes := true
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if s := info.Selections[sel]; s != nil && len(s.Index()) > 1 {
				yes = false
			}
		}
		return yes
	})
	return yes
}
