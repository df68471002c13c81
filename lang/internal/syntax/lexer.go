package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

type tokenKind uint8

const (
	TEOF   tokenKind = iota
	TSep             // ";" or a line end that ends a statement
	TName            // identifiers and keywords
	tInt             //
	tText            // string literal
	tPunct           // operators and brackets
)

// A Token is a word, number, text or sign of code with its place.
type Token struct {
	Kind     tokenKind
	Text     string // of a string literal: its value
	value    uint64 // of tInt
	Pos, End step.Pos
}

func (t Token) String() string {
	switch {
	case t.Kind == TEOF:
		return "the end of the code"
	case t.Kind == TSep && t.Text == "\n":
		return "the end of the line"
	case t.Kind == tText:
		return strconv.Quote(t.Text)
	}
	return t.Text
}

// A codeLine is one line of embedded code and where it stands in the file.
type codeLine struct {
	line, col int // of the first rune
	text      string
}

// A portion is embedded code: lines of a larger file that belong together.
type portion []codeLine

// PortionAt makes a portion of a text that begins at a place of a file.
func PortionAt(at step.Pos, text string) portion {
	var p portion
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			p = append(p, codeLine{at.Line, at.Col, line})
		} else {
			p = append(p, codeLine{at.Line + i, 1, line})
		}
	}
	return p
}

// Operators by length: the longest match wins.
var Operators = []string{
	"==", "!=", "<=", ">=", "&&", "||", "..", "+=", "-=", "*=", "/=", "%=", "++", "--", "<-",
	"+", "-", "*", "/", "%", "<", ">", "=", "!", "?", ":", ".", ",", "(", ")", "[", "]", "{", "}", "|", "&",
}

// Lex splits a portion into tokens, ending with TEOF. A line end becomes a separator after a token that can end a
// statement, as in Go, and never inside parentheses or brackets.
func Lex(r *Reporter, code portion) []Token {
	var toks []Token
	depth := 0
	end := step.Pos{Line: 1, Col: 1}
	for _, l := range code {
		text := []rune(l.text)
		at := func(i int) step.Pos { return step.Pos{Line: l.line, Col: l.col + i} }
		for i := 0; i < len(text); {
			c := text[i]
			start := i
			switch {
			case c == ' ':
				i++
				continue
			case c == '\t':
				r.Report(at(i), at(i+1), "use blanks", "a tab in the code")
				i = len(text)
				continue
			case c == '/' && i+1 < len(text) && text[i+1] == '/':
				i = len(text)
				continue
			case c == '#':
				r.Report(at(i), at(i+1), "write // for a comment inside code", "# is not part of the language")
				i = len(text)
				continue
			case c == '_' || c == '$' || unicode.IsLetter(c): // $ begins names that lowering makes
				i++
				i += wordLength(text[i:])
				toks = append(toks, Token{Kind: TName, Text: string(text[start:i]), Pos: at(start), End: at(i)})
				continue
			case c >= '0' && c <= '9':
				i += wordLength(text[i:])
				toks = append(toks, lexNumber(r, string(text[start:i]), at(start), at(i)))
				continue
			case c == '"':
				var t Token
				if t, i = lexText(r, text, start, at); i <= len(text) {
					toks = append(toks, t)
				}
				continue
			}
			if c == ';' {
				i++
				toks = append(toks, Token{Kind: TSep, Text: ";", Pos: at(start), End: at(i)})
				continue
			}
			if n, as := habitCharacters(r, l, text, i); n > 0 {
				if as.Kind != TEOF {
					toks = append(toks, as)
				}
				i += n
				continue
			}
			op := operator(text[i:])
			if op == "" {
				r.Report(at(i), at(i+1), "", "unexpected character %q", c)
				i++
				continue
			}
			switch op {
			case "(", "[":
				depth++
			case ")", "]":
				depth = max(0, depth-1)
			case "{", "}":
				depth = 0 // a body cannot stand inside an expression: recover from a forgotten bracket
			}
			i += len(op)
			toks = append(toks, Token{Kind: tPunct, Text: op, Pos: at(start), End: at(i)})
		}
		end = at(len(text))
		if depth == 0 && len(toks) > 0 && endsStatement(toks[len(toks)-1]) {
			toks = append(toks, Token{Kind: TSep, Text: "\n", Pos: end, End: end})
		}
	}
	return append(toks, Token{Kind: TEOF, Pos: end, End: end})
}

// Tokens reads all values below a node that may be code, one value after the other, each with an end. It reports
// nothing.
func Tokens(r *Reporter, n *yaml.Node) (list []Token) {
	switch n.Kind {
	case yaml.ScalarNode:
		return Lex(r.Silent(), PortionAt(NodePos(n), n.Value))
	case yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			list = append(list, Tokens(r, n.Content[i])...)
		}
	case yaml.SequenceNode:
		for _, c := range n.Content {
			list = append(list, Tokens(r, c)...)
		}
	}
	return list
}

// lexNumber is the number that a word with a digit at its beginning stands for.
func lexNumber(r *Reporter, word string, from, to step.Pos) Token {
	v, err := strconv.ParseUint(strings.ReplaceAll(word, "_", ""), 10, 64)
	if err != nil {
		r.Report(from, to, decimals(word), "%s is not a number of the language: decimal integers of at most 64 bits",
			word)
		v = 0
	}
	return Token{Kind: tInt, Text: word, value: v, Pos: from, End: to}
}

// lexText is the string that begins with the quotation mark at a place of a line, and where it ends, which is behind
// the line if it does not.
func lexText(r *Reporter, text []rune, start int, at func(int) step.Pos) (Token, int) {
	i := start + 1
	for i < len(text) && text[i] != '"' {
		if text[i] == '\\' {
			i++
		}
		i++
	}
	if i >= len(text) {
		r.Report(at(start), at(len(text)), "", "the string does not end on its line")
		return Token{}, len(text) + 1
	}
	i++
	s, err := strconv.Unquote(string(text[start:i]))
	if err != nil {
		r.Report(at(start), at(i), "", "malformed string")
	}
	return Token{Kind: tText, Text: s, Pos: at(start), End: at(i)}, i
}

func endsStatement(t Token) bool {
	switch t.Kind {
	case TName, tInt, tText:
		return true
	case tPunct:
		switch t.Text {
		case ")", "]", "}", "++", "--", "!", "?":
			return true
		}
	}
	return false
}

// operator is the operator that a text begins with; empty: none.
func operator(text []rune) string {
	for _, o := range Operators {
		if len(o) <= len(text) && string(text[:len(o)]) == o {
			return o
		}
	}
	return ""
}

// wordLength is how many letters, digits and _ a text begins with.
func wordLength(text []rune) (n int) {
	for n < len(text) && (text[n] == '_' || unicode.IsLetter(text[n]) || unicode.IsDigit(text[n])) {
		n++
	}
	return n
}

// decimals is the hint for a number that is not decimal.
func decimals(word string) string {
	if v, err := strconv.ParseUint(word, 0, 64); err == nil {
		return fmt.Sprintf("write %d", v)
	}
	return ""
}
