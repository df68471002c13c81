package lang

import (
	"strconv"
	"strings"
	"unicode"

	"cdpor/lang/step"
)

type tokenKind uint8

const (
	tEOF   tokenKind = iota
	tSep             // ";" or a line end that ends a statement
	tName            // identifiers and keywords
	tInt             //
	tText            // string literal
	tPunct           // operators and brackets
)

type token struct {
	kind     tokenKind
	text     string // of a string literal: its value
	value    uint64 // of tInt
	pos, end step.Pos
}

func (t token) String() string {
	switch {
	case t.kind == tEOF:
		return "the end of the code"
	case t.kind == tSep && t.text == "\n":
		return "the end of the line"
	case t.kind == tText:
		return strconv.Quote(t.text)
	}
	return t.text
}

// A codeLine is one line of embedded code and where it stands in the file.
type codeLine struct {
	line, col int // of the first rune
	text      string
}

// A portion is embedded code: lines of a larger file that belong together.
type portion []codeLine

// portionAt makes a portion of a text that begins at a place of a file.
func portionAt(at step.Pos, text string) portion {
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

// operators by length: the longest match wins.
var operators = []string{
	"==", "!=", "<=", ">=", "&&", "||", "..", "+=", "-=", "*=", "/=", "%=", "++", "--", "<-",
	"+", "-", "*", "/", "%", "<", ">", "=", "!", "?", ":", ".", ",", "(", ")", "[", "]", "{", "}", "|", "&",
}

// lex splits a portion into tokens, ending with tEOF. A line end becomes a separator after a token that can end a
// statement, as in Go, and never inside parentheses or brackets.
func lex(r *reporter, code portion) []token {
	var toks []token
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
				r.report(at(i), at(i+1), "use blanks", "a tab in the code")
				i = len(text)
				continue
			case c == '/' && i+1 < len(text) && text[i+1] == '/':
				i = len(text)
				continue
			case c == '#':
				r.report(at(i), at(i+1), "write // for a comment inside code", "# is not part of the language")
				i = len(text)
				continue
			case c == '_' || c == '$' || unicode.IsLetter(c): // $ begins names that lowering makes
				i++
				for i < len(text) && (text[i] == '_' || unicode.IsLetter(text[i]) || unicode.IsDigit(text[i])) {
					i++
				}
				toks = append(toks, token{kind: tName, text: string(text[start:i]), pos: at(start), end: at(i)})
				continue
			case c >= '0' && c <= '9':
				for i < len(text) && (text[i] == '_' || unicode.IsLetter(text[i]) || unicode.IsDigit(text[i])) {
					i++
				}
				word := string(text[start:i])
				v, err := strconv.ParseUint(strings.ReplaceAll(word, "_", ""), 10, 64)
				if err != nil {
					r.report(at(start), at(i), decimals(word), "%s is not a number of the language: decimal integers of at most 64 bits", word)
					v = 0
				}
				toks = append(toks, token{kind: tInt, text: word, value: v, pos: at(start), end: at(i)})
				continue
			case c == '"':
				i++
				for i < len(text) && text[i] != '"' {
					if text[i] == '\\' {
						i++
					}
					i++
				}
				if i >= len(text) {
					r.report(at(start), at(len(text)), "", "the string does not end on its line")
					i = len(text)
					continue
				}
				i++
				s, err := strconv.Unquote(string(text[start:i]))
				if err != nil {
					r.report(at(start), at(i), "", "malformed string")
				}
				toks = append(toks, token{kind: tText, text: s, pos: at(start), end: at(i)})
				continue
			}
			if c == ';' {
				i++
				toks = append(toks, token{kind: tSep, text: ";", pos: at(start), end: at(i)})
				continue
			}
			if n, as := habitCharacters(r, l, text, i); n > 0 {
				if as.kind != tEOF {
					toks = append(toks, as)
				}
				i += n
				continue
			}
			op := ""
			for _, o := range operators {
				if i+len(o) <= len(text) && string(text[i:i+len(o)]) == o {
					op = o
					break
				}
			}
			if op == "" {
				r.report(at(i), at(i+1), "", "unexpected character %q", c)
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
			toks = append(toks, token{kind: tPunct, text: op, pos: at(start), end: at(i)})
		}
		end = at(len(text))
		if depth == 0 && len(toks) > 0 && endsStatement(toks[len(toks)-1]) {
			toks = append(toks, token{kind: tSep, text: "\n", pos: end, end: end})
		}
	}
	return append(toks, token{kind: tEOF, pos: end, end: end})
}

func endsStatement(t token) bool {
	switch t.kind {
	case tName, tInt, tText:
		return true
	case tPunct:
		switch t.text {
		case ")", "]", "}", "++", "--", "!", "?":
			return true
		}
	}
	return false
}
