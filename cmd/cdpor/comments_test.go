package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mixedCase is what can only be a name of the code, or of a product.
var mixedCase = regexp.MustCompile(`\b(?:[a-z]+[a-z0-9]*|[A-Z][a-z0-9]+)[A-Z]\w*\b`)

// products are the names that others have given, and one of a paper.
var products = []string{"W3C", "WebDriver", "TextMate", "PlusCal", "JavaScript", "WuT"}

// TestCommentNames: a name in a comment is one that the code has somewhere, if only in a text.
func TestCommentNames(t *testing.T) {
	fset, names, files := token.NewFileSet(), map[string]bool{}, map[string]*ast.File{}
	for path, text := range texts(t, ".go") {
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			continue // a test program
		}
		files[path] = file
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				names[n.Name] = true
			case *ast.BasicLit:
				for _, word := range mixedCase.FindAllString(n.Value, -1) {
					names[word] = true
				}
			}
			return true
		})
	}
	if len(files) < 300 {
		t.Fatalf("only %d files", len(files))
	}
	for path, file := range files {
		if strings.Contains(path, "/testdata/") {
			continue
		}
		for _, c := range file.Comments {
			for _, word := range mixedCase.FindAllString(c.Text(), -1) {
				if !names[word] && !slices.Contains(products, word) {
					t.Errorf("%s: there is no %s", fset.Position(c.Pos()), word)
				}
			}
		}
	}
}
