package source

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"
)

// Goroutines that close a channel and do nothing else, go close(c). A goroutine is the code of a function, and close is
// none. So a file with such a statement gets a function that closes its parameter, and the statement calls that.

// closer adds the function to a file once it is needed.
type closer struct {
	file *ast.File
	name string // of the function; empty: it is not there yet
}

// rewrite makes go close(c) call the function.
func (c *closer) rewrite(fset *token.FileSet, s *ast.GoStmt) {
	fun, ok := s.Call.Fun.(*ast.Ident)
	if !ok || fun.Name != "close" || len(s.Call.Args) != 1 {
		return
	}
	if c.name == "" {
		c.name = "close_" + identifier(filepath.Base(fset.Position(c.file.Pos()).Filename))
		c.file.Decls = append(c.file.Decls, closing(c.name, s.Pos()))
	}
	s.Call.Fun = &ast.Ident{NamePos: fun.NamePos, Name: c.name}
}

// identifier is the name of a file as a part of an identifier, which no other file of its folder has, or hardly.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.TrimSuffix(name, ".go"))
}

// closing is func name[T any](c chan<- T) { close(c) }, all of it at one place.
func closing(name string, at token.Pos) *ast.FuncDecl {
	id := func(name string) *ast.Ident { return &ast.Ident{NamePos: at, Name: name} }
	of := func(name string, t ast.Expr) *ast.FieldList {
		return &ast.FieldList{Opening: at, List: []*ast.Field{{Names: []*ast.Ident{id(name)}, Type: t}}, Closing: at}
	}
	call := &ast.CallExpr{Fun: id("close"), Lparen: at, Args: []ast.Expr{id("c")}, Rparen: at}
	return &ast.FuncDecl{Name: id(name), Type: &ast.FuncType{Func: at, TypeParams: of("T", id("any")),
		Params: of("c", &ast.ChanType{Begin: at, Arrow: at, Dir: ast.SEND, Value: id("T")})},
		Body: &ast.BlockStmt{Lbrace: at, List: []ast.Stmt{&ast.ExprStmt{X: call}}, Rbrace: at}}
}
