package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// longestText is how many bytes or runes a literal has at most that is taken apart: each is a place in the memory.
const longestText = 256

// parse parses a file, and writes the conversion of a text that stands there, []byte("ab"), as the elements that it
// means, []byte{97, 98}. Other texts are not taken apart. A goroutine that only closes a channel gets a function.
// Positions are places in the file itself, see withoutDirectives.
func parse(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
	file, err := parser.ParseFile(fset, name, withoutDirectives(text),
		parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
	if file == nil {
		return nil, err
	}
	astutil.Apply(file, nil, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.CallExpr:
			if elements := elementsOf(n); elements != nil {
				c.Replace(elements)
			}
		case *ast.GoStmt:
			rewriteClose(c, n)
		}
		return true
	})
	return file, err
}

// withoutDirectives takes the line directives out of a Go file: the comments //line FILE:LINE and /*line FILE:LINE*/,
// after which positions name another file. Reports print the text of the positions in a program, and a directive may
// name any file that the user can read.
func withoutDirectives(text []byte) []byte {
	if !bytes.Contains(text, []byte("//line ")) && !bytes.Contains(text, []byte("/*line ")) {
		return text
	}
	text = bytes.Clone(text)
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for pos, tok, comment := s.Scan(); tok != token.EOF; pos, tok, comment = s.Scan() {
		if tok == token.COMMENT && strings.HasPrefix(comment[2:], "line ") {
			text[file.Offset(pos)+2] = ' '
		}
	}
	return text
}

// elementsOf is the composite literal for the conversion of a text, nil if a call is none.
func elementsOf(call *ast.CallExpr) *ast.CompositeLit {
	to, ok := call.Fun.(*ast.ArrayType)
	if !ok || to.Len != nil || len(call.Args) != 1 {
		return nil
	}
	elem, ok := to.Elt.(*ast.Ident)
	literal, also := call.Args[0].(*ast.BasicLit)
	if !ok || !also || literal.Kind != token.STRING {
		return nil
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return nil
	}
	list := &ast.CompositeLit{Type: to, Lbrace: call.Lparen, Rbrace: call.Rparen}
	add := func(n int) {
		list.Elts = append(list.Elts,
			&ast.BasicLit{ValuePos: literal.ValuePos, Kind: token.INT, Value: strconv.Itoa(n)})
	}
	switch elem.Name {
	case "byte", "uint8":
		for _, b := range []byte(text) {
			add(int(b))
		}
	case "rune", "int32":
		for _, r := range text {
			add(int(r))
		}
	default:
		return nil
	}
	if len(list.Elts) > longestText {
		return nil
	}
	return list
}

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

// chooseErrorf lets calls of fmt.Errorf with a constant format go to the function of the model that wraps what the
// format says: texts are not looked into while a program runs.
func chooseErrorf(prog *ssa.Program) {
	model := prog.ImportedPackage("fmt")
	if model == nil || model.Func("Errorf") == nil || model.Func("errorf") == nil {
		return
	}
	for fn := range ssautil.AllFunctions(prog) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok && call.Common().StaticCallee() == model.Func("Errorf") {
					if instead := model.Func(errorfFor(call.Common().Args[0])); instead != nil {
						call.Common().Value = instead
					}
				}
			}
		}
	}
}

// errorfFor is the name of the function of the model for a format: errorf, and for each verb %w the number of its
// operand. It is empty if the format is no constant, or indexes its operands.
func errorfFor(format ssa.Value) string {
	k, ok := format.(*ssa.Const)
	if !ok || k.Value == nil || k.Value.Kind() != constant.String {
		return ""
	}
	name, operand := "errorf", 0
	for rest := constant.StringVal(k.Value); ; {
		at := strings.IndexByte(rest, '%')
		if at < 0 {
			break
		}
		rest = strings.TrimLeft(rest[at+1:], "+-# 0123456789.")
		switch {
		case rest == "" || rest[0] == '[' || rest[0] == '*':
			return ""
		case rest[0] == '%':
		case rest[0] == 'w':
			name += fmt.Sprint("_", operand)
			operand++
		default:
			operand++
		}
		rest = rest[1:]
	}
	return name
}
