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
	"io"
	"os"
	"os/exec"
	"path/filepath"
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
	kind, object, call, receiver := opStore, "", "atomic."+d.Name.Name, ""
	if strings.HasPrefix(d.Name.Name, "Load") {
		kind = opLoad
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
	if d.Type.Results != nil {
		result = "return "
	}
	fmt.Fprintf(b, "\nfunc %s%s%s {\n\truntime.CdporGate(%s, unsafe.Pointer(%s), 0, 0)\n\t%s%s(%s)\n}\n", receiver,
		d.Name.Name, strings.TrimPrefix(signature.String(), "func"), number(kind), object, result, call,
		strings.Join(names, ", "))
}

// A listed package is what go list says of one.
type listed struct {
	Dir, ImportPath                              string
	Standard                                     bool
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
}

// importers lays those files of a package's tests, and of all that they import outside of the library or that tells,
// that import sync/atomic, with the other package in place of that.
func (t *Toolchain) importers(ctx context.Context, dir string, lay func(path string, text []byte) error) error {
	cmd := exec.CommandContext(ctx, filepath.Join(t.Root, "bin", "go"), "list", "-deps", "-test", "-e",
		"-json=Dir,ImportPath,Standard,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles", ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	seen := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return nil
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
			if seen[path] {
				continue
			}
			seen[path] = true
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if changed := importing(text); changed != nil {
				if err := lay(path, changed); err != nil {
					return err
				}
			}
		}
	}
}

// importing is a text with the other import; nil if it has none of sync/atomic.
func importing(text []byte) []byte {
	if !bytes.Contains(text, []byte(`"sync/atomic"`)) {
		return nil
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", text, parser.ImportsOnly)
	if err != nil {
		return nil // the compiler says so
	}
	var edits []edit
	for _, s := range f.Imports {
		if s.Path.Value == `"sync/atomic"` {
			at := files.Position(s.Path.Pos()).Offset
			edits = append(edits, edit{at, at + len(s.Path.Value), strconv.Quote(atomicsPath)})
		}
	}
	if edits == nil {
		return nil
	}
	return apply(text, edits)
}
