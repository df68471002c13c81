package gate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"cdpor/lang/golang/internal/source"
)

// The name by which gated files know the package of gates.
const runtimeName = "cdporgate"

// A writer writes the text of a file with gates.
type writer struct {
	fset    *token.FileSet
	file    source.File
	text    []byte
	name    string          // of the file in gates
	visible map[string]bool // the gates that there are to be
	never   map[string]map[int]bool
	signals map[string]bool   // gates before calls of os/signal
	kinds   map[string]string // what the gates that there are stand before
	inList  map[ast.Stmt]bool // statements before which another one can stand
	gates   int               // so far
	run     int               // so far, without those in function literals
	entry   string            // the function that the program begins with; empty: it is in another file
	// instead is the text of some nodes, and prologue what comes behind the brace of some blocks.
	instead  map[ast.Node]string
	prologue map[*ast.BlockStmt]string
	uses     map[string]bool // declarations that use the imports that gates have taken the place of
	testMain bool            // there is a function TestMain
}

// write is the text of the file with gates; nil if it has none.
func (w *writer) write(runtimePath string) []byte {
	ast.Inspect(w.file.Syntax, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for _, s := range list {
			w.inList[s] = true
		}
		return true
	})
	used := false
	var b strings.Builder
	at := 0
	for _, d := range w.file.Syntax.Decls {
		before := w.gates
		text := w.node(d)
		if w.gates == before {
			continue
		}
		used = true
		b.Write(w.text[at:w.offset(d.Pos())])
		b.WriteString(text)
		at = w.offset(d.End())
	}
	if !used {
		return nil
	}
	b.Write(w.text[at:])
	for _, use := range slices.Sorted(maps.Keys(w.uses)) {
		fmt.Fprintf(&b, "\nvar _ %s\n", use)
	}
	out := b.String()
	name := w.offset(w.file.Syntax.Name.End())
	return []byte(out[:name] + fmt.Sprintf("; import %s %q", runtimeName, runtimePath) + out[name:])
}

func (w *writer) offset(pos token.Pos) int { return w.fset.Position(pos).Offset }

// gate is the name of a gate at a position, as a literal; empty if none is to be there.
func (w *writer) gate(pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	if at := w.at(pos); w.visible[at] {
		return at
	}
	return ""
}

// at is how the schedule names a position.
func (w *writer) at(pos token.Pos) string {
	p := w.fset.Position(pos)
	return Place(w.name, p.Line, p.Column)
}

// Place is how a schedule names a place of a file.
func Place(file string, line, col int) string {
	return fmt.Sprintf("%s:%d:%d", strings.ReplaceAll(filepath.ToSlash(file), " ", "_"), line, col)
}

// call is a call of the package of gates with the name of a gate, which is noted.
func (w *writer) call(function, at, kind string, args ...string) string {
	w.gates++
	w.run++
	w.kinds[at] = kind
	list := append([]string{fmt.Sprintf("%q", at)}, args...)
	return fmt.Sprintf("%s.%s(%s)", runtimeName, function, strings.Join(list, ", "))
}

// count is the text that f makes, and how many gates are run when it is evaluated.
func (w *writer) count(f func() string) (text string, gates int) {
	before := w.run
	text = f()
	return text, w.run - before
}

// plain is the text of a node, with that of its parts.
func (w *writer) plain(n ast.Node) string {
	var b strings.Builder
	at := w.offset(n.Pos())
	end := w.offset(n.End())
	for _, c := range children(n) {
		from, to := w.offset(c.Pos()), w.offset(c.End())
		if from < at || to > end || to < from {
			return string(w.text[w.offset(n.Pos()):end]) // the parser's answer to a literal that was taken apart
		}
		b.Write(w.text[at:from])
		b.WriteString(w.node(c))
		at = to
	}
	b.Write(w.text[at:end])
	return b.String()
}

// children are the parts of a node, in the order of the text.
func children(n ast.Node) (list []ast.Node) {
	first := true
	ast.Inspect(n, func(c ast.Node) bool {
		if first {
			first = false
			return true
		}
		if c != nil {
			switch c.(type) {
			case *ast.CommentGroup, *ast.Comment:
			default:
				list = append(list, c)
			}
		}
		return false
	})
	return list
}

// typeOf is the type of an expression; nil if it is not known.
func (w *writer) typeOf(e ast.Expr) types.Type { return w.file.Info.TypeOf(e) }

// node is the text of a node with gates.
func (w *writer) node(n ast.Node) string {
	if text, ok := w.instead[n]; ok {
		return text
	}
	switch n := n.(type) {
	case *ast.FuncDecl:
		return w.function(n)
	case *ast.FuncLit:
		before := w.run
		text := w.plain(n)
		w.run = before
		return text
	case *ast.BlockStmt:
		text := w.plain(n)
		return "{" + w.prologue[n] + text[1:]
	case *ast.GoStmt:
		return w.goStatement(n)
	case *ast.DeferStmt:
		return w.deferStatement(n)
	case *ast.SendStmt:
		return w.send(n)
	case *ast.SelectStmt:
		return w.selects(n)
	case *ast.RangeStmt:
		return w.ranges(n)
	case *ast.ExprStmt:
		return w.expressionStatement(n)
	case *ast.AssignStmt:
		return w.assign(n)
	case *ast.IncDecStmt:
		return w.incDec(n)
	case *ast.CallExpr:
		return w.callExpression(n)
	case *ast.UnaryExpr:
		return w.unary(n)
	case *ast.Ident, *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr:
		return w.load(n.(ast.Expr))
	case *ast.KeyValueExpr:
		return w.keyValue(n)
	}
	return w.plain(n)
}
