package native

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Folders are those of the packages with tests that a pattern of the go command matches.
func Folders(ctx context.Context, pattern string) (list []string, err error) {
	root, _ := strings.CutSuffix(pattern, "/...")
	const withTests = "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}"
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-f", withTests, "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", pattern, err)
	}
	here, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	for _, dir := range strings.Fields(string(out)) {
		rest, err := filepath.Rel(here, dir)
		if err != nil {
			return nil, err
		}
		if rest = filepath.Join(root, rest); rest != "." && filepath.IsLocal(rest) {
			rest = "./" + filepath.ToSlash(rest)
		}
		list = append(list, rest)
	}
	return list, nil
}

// CompileErrors are what the go command says of the package in a folder and its tests if they do not compile as they
// are, without gates, each error with its place as one calls the folder.
func CompileErrors(ctx context.Context, dir string) (list []string) {
	cmd := exec.CommandContext(ctx, "go", "list", "-test", "-export", "-f", "{{with .Name}}{{end}}", ".")
	cmd.Dir = dir
	var said strings.Builder
	if cmd.Stderr = &said; cmd.Run() == nil || ctx.Err() != nil {
		return nil
	}
	for line := range strings.Lines(said.String()) {
		if strings.HasPrefix(line, "go: go.mod file not found") {
			return []string{dir + ": there is no go.mod, here or above; go mod init NAME makes one"}
		}
		file, rest, placed := strings.Cut(strings.TrimSpace(line), ".go:")
		if !placed {
			continue
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		if text := file + ".go:" + rest; !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// eachFunction calls f for the functions and methods in the files of a folder whose names match a pattern.
func eachFunction(dir, files string, f func(*ast.File, *ast.FuncDecl)) error {
	paths, err := filepath.Glob(filepath.Join(dir, files))
	if err != nil {
		return err
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				f(file, fn)
			}
		}
	}
	return nil
}

// Tests are the tests, fuzz targets and benchmarks of the package in a folder whose names match a pattern as go test
// -run takes it; the name of a test means that one alone, and an empty pattern all but benchmarks.
func Tests(dir, pattern string) (names []string, err error) {
	err = eachFunction(dir, "*_test.go", func(_ *ast.File, fn *ast.FuncDecl) {
		if isTest(fn) {
			names = append(names, fn.Name.Name)
		}
	})
	if err != nil {
		return nil, err
	}
	switch {
	case slices.Contains(names, pattern):
		return []string{pattern}, nil
	case pattern == "":
		return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "Benchmark") }), nil
	}
	of, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("--func: %w", err)
	}
	return slices.DeleteFunc(names, func(name string) bool { return !of.MatchString(name) }), nil
}

// EntryTest is the test that calls a function which is none.
func EntryTest(entry string) string { return "TestCdpor" + entry }

// entryTest is a file with that test, for a function without parameters of the package in a folder.
func entryTest(dir, entry string) (text []byte, err error) {
	err = eachFunction(dir, "*.go", func(f *ast.File, fn *ast.FuncDecl) {
		if fn.Recv == nil && fn.Name.Name == entry && fn.Type.TypeParams == nil && len(fn.Type.Params.List) == 0 &&
			text == nil {
			text = fmt.Appendf(nil, "package %s\n\nimport \"testing\"\n\nfunc %s(*testing.T) { %s() }\n",
				f.Name.Name, EntryTest(entry), entry)
		}
	})
	if err != nil || text != nil {
		return text, err
	}
	return nil, fmt.Errorf("%s has no function %s without parameters", dir, entry)
}

var testName = regexp.MustCompile(`^(Test|Fuzz|Benchmark)($|[^a-z])`)

// isTest reports whether a function is one that testing runs: its name says what its parameter is.
func isTest(fn *ast.FuncDecl) bool {
	of := testName.FindStringSubmatch(fn.Name.Name)
	if fn.Recv != nil || of == nil || len(fn.Type.Params.List) != 1 {
		return false
	}
	star, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == of[1][:1]
}
