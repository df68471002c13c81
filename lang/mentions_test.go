package lang

import (
	"bytes"
	"fmt"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// TestMentions: what every name means, in a text with an error too.
func TestMentions(t *testing.T) {
	for _, path := range glob(t, "testdata/mentions/*.yaml") {
		_, list, err := LoadMentions(filepath.Base(path), read(t, path), Options{})
		var b strings.Builder
		for _, m := range list {
			fmt.Fprintf(&b, "%-6s %s: %s", m.Pos, m.Name, m.What)
			if m.Type != "" {
				fmt.Fprintf(&b, " %s", m.Type)
			}
			if m.Value != "" {
				fmt.Fprintf(&b, " = %s", m.Value)
			}
			if m.Decl != (step.Pos{}) && m.Decl != m.Pos {
				fmt.Fprintf(&b, ", see %s", m.Decl)
			}
			b.WriteByte('\n')
		}
		if err != nil {
			b.WriteString(snippets(err))
		}
		golden(t, path, b.String())
	}
}

// TestMentionsComplete: in the programs that are shipped, every name in code is mentioned, and where it is said to be
// declared there is that name.
func TestMentionsComplete(t *testing.T) {
	names := 0
	for _, path := range slices.Concat(glob(t, "../testdata/*/*.yaml"), glob(t, "testdata/examples/*.yaml"),
		glob(t, "testdata/lower/*.yaml")) {
		text := read(t, path)
		src, list, err := LoadMentions(path, text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		at := map[step.Pos]bool{}
		for _, m := range list {
			at[m.Pos] = true
			if word := src.File.Word(m.Decl); m.Decl != (step.Pos{}) && m.What != "member" &&
				!strings.HasSuffix("."+m.Name, "."+word) {
				t.Errorf("%s:%s: %s is declared at %s, where there is %q", path, m.Pos, m.Name, m.Decl, word)
			}
		}
		for _, tok := range namesIn(t, src, text) {
			names++
			if !at[tok.Pos] {
				t.Errorf("%s:%s: %s is not mentioned", path, tok.Pos, tok.Text)
			}
		}
	}
	if names < 2500 {
		t.Errorf("only %d names", names)
	}
}

// FuzzMentions: whatever the text, asking for mentions changes nothing about the program, and what is mentioned stands
// there.
func FuzzMentions(f *testing.F) {
	for _, path := range glob(f, "testdata/*/*.yaml") {
		f.Add(read(f, path))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		src, err := Load("fuzz.yaml", text, Options{})
		with, list, errWith := LoadMentions("fuzz.yaml", text, Options{})
		if fmt.Sprint(err) != fmt.Sprint(errWith) ||
			err == nil && !bytes.Equal(NormalForm(src.Program), NormalForm(with.Program)) {
			t.Errorf("the program is %v, with mentions %v", err, errWith)
		}
		file := NewFile("fuzz.yaml", bytes.TrimPrefix(text, []byte("\ufeff")))
		for _, m := range list {
			if word := file.Word(m.Pos); !strings.HasSuffix("."+m.Name, "."+word) {
				t.Errorf("%s: %s is mentioned, and %q stands there", m.Pos, m.Name, word)
			}
		}
	})
}

// namesIn finds the names in the code of threads that are not words of the language.
func namesIn(t *testing.T, src *Source, text []byte) (list []syntax.Token) {
	r := syntax.NewReporter(NewFile(src.File.Name, text))
	words := parserWords(t)
	body := func(n *yaml.Node) {
		code, ok := r.Code(n, "a body")
		if !ok {
			t.Fatal(r.Err())
		}
		toks := syntax.Lex(r, code)
		for i, tok := range toks {
			word := tok.Text != "self" && (words[tok.Text] || syntax.IsTypeWord(tok.Text) ||
				slices.Contains(check.Builtins, tok.Text))
			method := i > 0 && toks[i-1].Text == "."
			if label := toks[min(i+1, len(toks)-1)].Text == ":"; tok.Kind == syntax.TName &&
				!word && !method && !label {
				list = append(list, tok)
			}
		}
	}
	for _, section := range r.Entries(syntax.ParseYAML(r, text), "a program") {
		switch name, n := section[0].Value, section[1]; {
		case name == "main" && n.Kind == yaml.ScalarNode:
			body(n)
		case name == "threads":
			for _, thread := range r.Entries(n, name) {
				if thread[1].Kind == yaml.ScalarNode {
					body(thread[1])
					continue
				}
				for _, kv := range r.Entries(thread[1], "a thread") {
					if kv[0].Value == "run" {
						body(kv[1])
					}
				}
			}
		}
	}
	return list
}

// parserWords finds the words that the parser knows in its source text: what it compares tokens with.
func parserWords(t *testing.T) map[string]bool {
	words := map[string]bool{}
	for _, k := range syntax.Keywords {
		words[k] = true
	}
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
			if word, err := strconv.Unquote(lit.Value); err == nil && syntax.PlainName(word) {
				words[word] = true
			}
		}
	}
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr: // t.text == "with"
			if sel, ok := n.X.(*ast.SelectorExpr); ok && sel.Sel.Name == "Text" {
				add(n.Y)
			}
		case *ast.CaseClause: // switch t.text { case "if":
			for _, e := range n.List {
				add(e)
			}
		case *ast.CallExpr: // p.accept("any")
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 0 &&
				slices.Contains([]string{"is", "accept", "acceptBelow", "expect"}, sel.Sel.Name) {
				add(n.Args[0])
			}
		}
		return true
	}
	for _, name := range []string{"parse", "expressions", "types"} {
		file, err := goparser.ParseFile(gotoken.NewFileSet(), "internal/syntax/"+name+".go", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, look)
	}
	return words
}
