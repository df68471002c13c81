package dpor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAlgorithmsSeeNoStates holds the algorithms to what they may know: of the program what a Program answers, neither
// the step machine nor a state, and of who takes what they add, nothing.
func TestAlgorithmsSeeNoStates(t *testing.T) {
	hidden := []string{"Machine", "Runner", "State"}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if path := strings.Trim(i.Path.Value, `"`); path == "cdpor/explore" || strings.HasPrefix(path, "cdpor/lang") {
				t.Errorf("%s imports %s", name, path)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(hidden, s.Sel.Name) {
				t.Errorf("%s: an algorithm knows of %q", files.Position(s.Sel.Pos()), s.Sel.Name)
			}
			return true
		})
	}
}
