package source

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/astutil"
)

// rewriteClose makes a goroutine that only closes a channel, go close(c), one of a function literal,
//
//	{ closed := c; go func() { close(closed) }() }
//
// since a goroutine is the code of a function, and close is none. It is valid in each version of the language.
func rewriteClose(at *astutil.Cursor, s *ast.GoStmt) {
	fun, ok := s.Call.Fun.(*ast.Ident)
	if !ok || fun.Name != "close" || len(s.Call.Args) != 1 {
		return
	}
	pos := s.Pos()
	closed := func() *ast.Ident { return &ast.Ident{NamePos: pos, Name: "closed"} }
	call := &ast.CallExpr{Fun: fun, Lparen: pos, Args: []ast.Expr{closed()}, Rparen: pos}
	literal := &ast.FuncLit{Type: &ast.FuncType{Func: pos, Params: &ast.FieldList{Opening: pos, Closing: pos}},
		Body: &ast.BlockStmt{Lbrace: pos, List: []ast.Stmt{&ast.ExprStmt{X: call}}, Rbrace: s.End()}}
	at.Replace(&ast.BlockStmt{Lbrace: pos, List: []ast.Stmt{
		&ast.AssignStmt{Lhs: []ast.Expr{closed()}, TokPos: pos, Tok: token.DEFINE, Rhs: s.Call.Args},
		&ast.GoStmt{Go: pos, Call: &ast.CallExpr{Fun: literal, Lparen: pos, Rparen: s.End()}},
	}, Rbrace: s.End()})
}
