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
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
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

// A listed package is what go list says of one.
type listed struct {
	Dir, ImportPath                              string
	Standard                                     bool
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
}

// importers lays those files of a package's tests, and of all that they import outside of the library or that tells,
// that import sync/atomic, with the other package in place of that, and those that are to be changed otherwise.
func (t *Toolchain) importers(ctx context.Context, dir string, others map[string][]edit,
	lay func(path string, text []byte) error) error {
	cmd := exec.CommandContext(ctx, filepath.Join(t.Root, "bin", "go"), "list", "-deps", "-test", "-e",
		"-json=Dir,ImportPath,Standard,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles", ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	texts, adding := map[string][]byte{}, map[string]bool{}
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
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
			path := name
			if !filepath.IsAbs(path) {
				path = filepath.Join(p.Dir, name)
			}
			if texts[path] != nil {
				continue
			}
			if texts[path], err = os.ReadFile(path); err != nil {
				return err
			}
			if pkg, _, _ := strings.Cut(p.ImportPath, " "); !p.Standard && adds.Match(texts[path]) {
				adding[strings.TrimSuffix(pkg, "_test")] = true
			}
		}
	}
	unused, err := unusedAdds(ctx, dir, slices.Sorted(maps.Keys(adding)))
	if err != nil {
		return err
	}
	for path, text := range texts {
		edits := importing(text)
		if edits != nil {
			edits = append(edits, unused[path]...)
		}
		if edits = append(edits, others[path]...); edits != nil {
			if err := lay(path, apply(text, edits)); err != nil {
				return err
			}
		}
	}
	return nil
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

// adds matches what may be an atomic add that stands alone.
var adds = regexp.MustCompile(`(?m)(^|[;{])\s*(defer |go )?\S*\bAdd(Int32|Int64|Uint32|Uint64|Uintptr)?\(`)

// unusedAdds are what calls another function for atomic adds of which nobody looks at the result, by file, in packages
// and in the tests of that in a folder.
func unusedAdds(ctx context.Context, dir string, paths []string) (map[string][]edit, error) {
	edits := map[string][]edit{}
	if len(paths) == 0 {
		return edits, nil
	}
	for _, tests := range []bool{false, true} {
		if tests {
			paths = []string{"."}
		}
		list, err := packages.Load(&packages.Config{Context: ctx, Dir: dir, Tests: tests,
			Mode: packages.LoadSyntax}, paths...)
		if err != nil {
			return nil, fmt.Errorf("adds whose results are not used: %w", err)
		}
		for _, p := range list {
			for _, f := range p.Syntax {
				path := p.Fset.Position(f.FileStart).Filename
				found := unusedIn(p, f)
				if _, known := edits[path]; !known && found != nil {
					edits[path] = found
				}
			}
		}
	}
	return edits, nil
}

// unusedIn are those of a file.
func unusedIn(p *packages.Package, f *ast.File) (edits []edit) {
	note := func(e ast.Expr) {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			return
		}
		id, ok := call.Fun.(*ast.Ident)
		if sel, selects := call.Fun.(*ast.SelectorExpr); selects {
			id, ok = sel.Sel, true
		}
		if !ok {
			return
		}
		fn, ok := p.TypesInfo.Uses[id].(*types.Func)
		if ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" && strings.HasPrefix(id.Name, "Add") {
			at := p.Fset.Position(id.Pos()).Offset
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
