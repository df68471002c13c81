package native

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// A selectCase is a case of a select, with its text.
type selectCase struct {
	text  string
	sends bool
}

// casesAt are the cases of the select that begins at a line of a file, without default.
func casesAt(lines [][]byte, line int) (list []selectCase) {
	text := bytes.Join(lines, []byte("\n"))
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectStmt)
		if !ok || list != nil || files.Position(s.Pos()).Line != line {
			return true
		}
		for _, clause := range s.Body.List {
			if c := clause.(*ast.CommClause); c.Comm != nil {
				_, sends := c.Comm.(*ast.SendStmt)
				first, last := files.Position(c.Comm.Pos()).Offset, files.Position(c.Comm.End()).Offset
				list = append(list, selectCase{strings.Join(strings.Fields(string(text[first:last])), " "), sends})
			}
		}
		return true
	})
	return list
}
