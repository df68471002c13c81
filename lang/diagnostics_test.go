package lang

import (
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDiagnosticExamples: the wrong example of a code gives just that code, the right one nothing.
func TestDiagnosticExamples(t *testing.T) {
	for _, d := range Diagnostics() {
		if !regexp.MustCompile(`^[EW]\d{3}$`).MatchString(d.Code) || d.Title == "" || d.Text == "" {
			t.Errorf("%s: incomplete", d.Code)
		}
		if (d.Wrong == "") != (d.Right == "") {
			t.Errorf("%s: an example without its counterpart", d.Code)
		}
		if d.Wrong == "" {
			continue
		}
		found := diagnose(d.Wrong)
		if len(found) == 0 {
			t.Errorf("%s: the wrong example is right", d.Code)
		}
		for _, e := range found {
			if e.Code != d.Code {
				t.Errorf("%s: the wrong example gives\n%s", d.Code, e.Snippet())
			}
		}
		for _, e := range diagnose(d.Right) {
			if d.Severity() == e.Severity() || e.Severity() == "error" {
				t.Errorf("%s: the right example gives\n%s", d.Code, e.Snippet())
			}
		}
	}
}

// diagnose is what Load or else Vet says about a program.
func diagnose(text string) ErrorList {
	s, err := Load("example.yaml", []byte(text), Options{})
	if err != nil {
		return err.(ErrorList)
	}
	return Vet(s)
}

// TestDiagnosticCodes: every message of the package has a code, every format of the catalogue belongs to one code and
// is used.
func TestDiagnosticCodes(t *testing.T) {
	used := messageFormats(t)
	owner := map[string]string{}
	for _, d := range Diagnostics() {
		for _, f := range d.Formats {
			if owner[f] != "" {
				t.Errorf("%q belongs to %s and %s", f, owner[f], d.Code)
			}
			if owner[f] = d.Code; used[f] == "" {
				t.Errorf("%s: no message is %q", d.Code, f)
			}
		}
	}
	for f, at := range used {
		if owner[f] == "" {
			t.Errorf("%s: the message %q has no code: add it to a Diagnostic in catalogue.yaml", at, f)
		}
	}
}

// messageFormats finds the formats of all messages in the source text, with a place each.
func messageFormats(t *testing.T) map[string]string {
	at := map[string]int{"report": 3, "errorf": 2, "at": 2, "fail": 2, "remark": 3} // argument that is the format
	found := map[string]string{}
	files := gotoken.NewFileSet()
	for _, path := range sources(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := goparser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			k := -1
			switch fun := call.Fun.(type) {
			case *ast.SelectorExpr:
				if i, ok := at[strings.ToLower(fun.Sel.Name[:1])+fun.Sel.Name[1:]]; ok {
					k = i
				}
			case *ast.Ident:
				if fun.Name == "report" { // a closure around the method
					k = 0
				}
			}
			if k < 0 || k >= len(call.Args) {
				return true
			}
			if text, ok := call.Args[k].(*ast.BasicLit); ok && text.Kind == gotoken.STRING {
				format, err := strconv.Unquote(text.Value)
				if err != nil {
					t.Fatal(err)
				}
				found[format] = filepath.Base(files.Position(call.Pos()).String())
			}
			return true
		})
	}
	if len(found) < 200 {
		t.Fatalf("only %d messages found", len(found))
	}
	return found
}

// sources are the files of the front end.
func sources(t *testing.T) []string {
	return append(glob(t, "*.go"), glob(t, "internal/*/*.go")...)
}
