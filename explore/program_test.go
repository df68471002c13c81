package explore

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// algorithmFiles are what an algorithm is made of.
var algorithmFiles = []string{"source.go", "classic.go", "contextual.go", "constrained.go", "compensation.go",
	"optimal.go", "plans.go", "ledger.go", "persistent.go", "sleepsets.go", "backtrack.go", "reorderings.go"}

// TestAlgorithmsSeeNoStates holds the algorithms to what they may know: of the program what program.go answers, neither
// the step machine nor a state, and of who takes what they add, nothing.
func TestAlgorithmsSeeNoStates(t *testing.T) {
	hidden := []string{"m", "run", "Machine", "Runner", "State", "pool", "shared", "sharedRecord", "above"}
	for _, name := range algorithmFiles {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if i.Path.Value == `"cdpor/lang/step"` {
				t.Errorf("%s imports %s", name, i.Path.Value)
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
