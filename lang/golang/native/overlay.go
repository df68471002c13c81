package native

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed _runtime/*.go operations.go
var texts embed.FS

func number(k Kind) string { return strconv.Itoa(int(k)) }

// A Toolchain is an installed Go.
type Toolchain struct {
	Root    string // GOROOT
	Version string
	Whole   []Whole // types of the package under test
	modules modules
}

// Overlay writes an overlay to a folder, for the tests of a package: the files of the library that get gates, a package
// that controls them, and what imports sync/atomic; entry, if there is one, is a function of the package that becomes a
// test. It returns the path of what go build -overlay reads.
func (t *Toolchain) Overlay(ctx context.Context, pkg, dir, entry string) (path string, err error) {
	replace := map[string]string{}
	layAt := func(at string, text []byte) error {
		to := filepath.Join(dir, strconv.Itoa(len(replace))+"_"+filepath.Base(at))
		replace[at] = to
		return os.WriteFile(to, text, 0o644)
	}
	lay := func(file string, text []byte) error {
		return layAt(filepath.Join(t.Root, "src", filepath.FromSlash(file)), text)
	}
	whole, err := wholeEdits(pkg, t.Whole)
	if err != nil {
		return "", err
	}
	if err := t.importers(ctx, pkg, whole, layAt); err != nil {
		return "", err
	}
	if entry != "" {
		text, err := entryTest(pkg, entry)
		if err != nil {
			return "", err
		}
		if err := layAt(filepath.Join(pkg, "cdpor_entry_test.go"), text); err != nil {
			return "", err
		}
	}
	text, err := atomics(t.Root)
	if err != nil {
		return "", err
	}
	if err := lay(atomicsPath+"/atomic.go", text); err != nil {
		return "", err
	}
	byFile := map[string][]insertion{}
	for _, in := range insertions {
		byFile[in.file] = append(byFile[in.file], in)
	}
	for file, list := range byFile {
		text, err := t.library(file, list)
		if err != nil {
			return "", err
		}
		if err := lay(file, text); err != nil {
			return "", err
		}
	}
	for file, from := range laid {
		text, err := texts.ReadFile(from)
		if err != nil {
			return "", err
		}
		if from == "operations.go" {
			text = bytes.Replace(text, []byte("package native"), []byte("package cdpor"), 1)
		}
		if err := lay(file, text); err != nil {
			return "", err
		}
	}
	text, err = json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}

// library is a file of the library with insertions.
func (t *Toolchain) library(file string, list []insertion) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(t.Root, "src", filepath.FromSlash(file)))
	if err != nil {
		return nil, fmt.Errorf("the library of %s has no file %s, which needs gates", t.Version, file)
	}
	if text, err = inserted(file, text, list, imports[file]); err != nil {
		return nil, fmt.Errorf("gates cannot be put into the library of %s: %w", t.Version, err)
	}
	return text, nil
}

// laid are new files of the library.
var laid = map[string]string{
	"runtime/cdpor.go":             "_runtime/runtime.go",
	"sync/cdpor.go":                "_runtime/pool.go",
	"time/cdpor.go":                "_runtime/time.go",
	"testing/cdpor.go":             "_runtime/testing.go",
	"internal/cdpor/control.go":    "_runtime/control.go",
	"internal/cdpor/replay.go":     "_runtime/replay.go",
	"internal/cdpor/race.go":       "_runtime/race.go",
	"internal/cdpor/norace.go":     "_runtime/norace.go",
	"internal/cdpor/operations.go": "operations.go",
}

// An edit replaces part of a text.
type edit struct {
	from, to int
	text     string
}

// inserted is a file with insertions.
func inserted(name string, text []byte, list []insertion, needs []string) ([]byte, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	var edits []edit
	for _, in := range list {
		from, to := 0, len(text)
		if in.in != "" {
			body := function(f, in.in)
			if body == nil {
				return nil, fmt.Errorf("%s has no function %s", name, in.in)
			}
			from, to = offset(body.Lbrace)+1, offset(body.Rbrace)
		}
		if in.old == "" {
			edits = append(edits, edit{from, from, in.text})
			continue
		}
		within := text[from:to]
		if bytes.Count(within, []byte(in.old)) != 1 {
			where := name
			if in.in != "" {
				where += ": " + in.in
			}
			return nil, fmt.Errorf("%s does not have %q exactly once", where, in.old)
		}
		at := from + bytes.Index(within, []byte(in.old))
		edits = append(edits, edit{at, at + len(in.old), in.text})
	}
	var missing string
	for _, path := range needs {
		if !importsPath(f, path) {
			missing += "; import " + strconv.Quote(path)
		}
	}
	end := offset(f.Name.End())
	edits = append(edits, edit{end, end, missing})
	return apply(text, edits), nil
}

// apply makes edits, those at the same place in the order in which they come.
func apply(text []byte, edits []edit) (out []byte) {
	at := 0
	for _, e := range slices.SortedStableFunc(slices.Values(edits), func(a, b edit) int { return a.from - b.from }) {
		out = append(append(out, text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, text[at:]...)
}

func importsPath(f *ast.File, path string) bool {
	return slices.ContainsFunc(f.Imports,
		func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(path) && spec.Name == nil })
}

// function is the body of a function, by its name or (receiver) and name; nil if there is none.
func function(f *ast.File, name string) *ast.BlockStmt {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		full := fn.Name.Name
		if fn.Recv != nil {
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
				if id, ok := star.X.(*ast.Ident); ok {
					full = "(*" + id.Name + ") " + full
				}
			}
		}
		if full == name {
			return fn.Body
		}
	}
	return nil
}

// WriteSchedule writes a schedule of a test to a file of a folder, which go test with an overlay follows where the
// environment variable CDPOR_REPLAY names it (_runtime/replay.go).
func WriteSchedule(folder, test string, names []int32, width, events int, schedule []int32) (file string, err error) {
	text := fmt.Appendf(nil, "%s\n%s\n%d %d %d", test, strings.Join(settings, "\n"), width, events, len(names))
	for _, list := range [][]int32{names, schedule} {
		for _, n := range list {
			text = fmt.Appendf(text, " %d", n)
		}
	}
	file = filepath.Join(folder, test+".schedule")
	return file, os.WriteFile(file, append(text, '\n'), 0o644)
}
