package syntax

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

// Format lays out a program file in the one canonical way, comments kept. Declarations keep their lines and their
// order; trailing blanks go, and several empty lines become one. Code in blocks is indented by its braces, two blanks
// each, with one blank around operators, and comments at the ends of neighbouring lines stand below each other. The
// meaning does not change. A text that cannot be parsed gives an ErrorList.
func Format(path string, text []byte) ([]byte, error) {
	f := NewFile(path, text)
	r := NewReporter(f)
	root := ParseYAML(r, text)
	if root == nil || r.Count() > 0 {
		return nil, r.Err()
	}
	if root.Kind == yaml.MappingNode {
		if parseAll(r, root); r.Count() > 0 {
			return nil, r.Err()
		}
	}
	code := map[int]int{} // first line of a block of code -> its last line
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch root.Content[i].Value {
		case "threads", "functions", "procedures", "actors", "main", "spec":
			blocks(root.Content[i+1], code)
		}
	}
	var out []string
	for n := 1; n <= len(f.Lines); n++ {
		last, is := code[n]
		if !is {
			out = append(out, strings.TrimRight(f.Line(n), " \t"))
			continue
		}
		lines, ok := r.layout(n, last)
		if !ok {
			return nil, r.Err()
		}
		out = append(out, lines...)
		n = last
	}
	out = slices.CompactFunc(out, func(a, b string) bool { return a == "" && b == "" })
	return []byte(strings.Trim(strings.Join(out, "\n"), "\n") + "\n"), nil
}

// blocks finds the | blocks of code in a section.
func blocks(n *yaml.Node, code map[int]int) {
	if n.Kind == yaml.ScalarNode && n.Style&yaml.LiteralStyle != 0 {
		code[n.Line+1] = n.Line + strings.Count(strings.TrimRight(n.Value, "\n"), "\n") + 1
	}
	for _, c := range n.Content {
		blocks(c, code)
	}
}

// A laidLine is a line of code without its indentation.
type laidLine struct {
	depth         int
	code, comment string
}

// layout formats the lines of one block of code.
func (r *Reporter) layout(first, last int) ([]string, bool) {
	indent := -1
	var lines portion
	for n := first; n <= last; n++ {
		text := r.File.Line(n)
		trimmed := strings.TrimLeft(text, " ")
		if indent < 0 && trimmed != "" {
			indent = len(text) - len(trimmed)
		}
		lines = append(lines, codeLine{n, len(text) - len(trimmed) + 1, trimmed})
	}
	before := r.Count()
	toks := Lex(r, lines)
	if r.Count() > before {
		return nil, false
	}
	s := &spacer{types: r.TypeNames}
	var laid []laidLine
	for _, l := range lines {
		var here []Token
		for len(toks) > 0 && (toks[0].Pos.Line <= l.line && toks[0].Kind != TEOF) {
			if t := toks[0]; t.Kind != TSep || t.Text == ";" {
				here = append(here, t)
			}
			toks = toks[1:]
		}
		end := step.Pos{Line: l.line, Col: l.col}
		if len(here) > 0 {
			end = here[len(here)-1].End
		}
		comment := strings.TrimSpace(string(r.File.Runes(l.line, end.Col)))
		depth, code := s.line(r.File, here)
		laid = append(laid, laidLine{depth, code, comment})
	}
	return align(laid, indent), true
}

// align puts the comments at the ends of neighbouring lines below each other.
func align(lines []laidLine, indent int) []string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		if l.code != "" || l.comment != "" {
			texts[i] = strings.Repeat(" ", indent+2*l.depth) + l.code
		}
	}
	width := func(s string) int { return len([]rune(s)) }
	for i := 0; i < len(lines); i++ {
		if lines[i].comment == "" {
			continue
		}
		if lines[i].code == "" {
			texts[i] += lines[i].comment
			continue
		}
		end, most := i, 0
		for end < len(lines) && lines[end].code != "" && lines[end].comment != "" {
			most = max(most, width(texts[end]))
			end++
		}
		for ; i < end; i++ {
			texts[i] += strings.Repeat(" ", most+2-width(texts[i])) + lines[i].comment
		}
		i--
	}
	return texts
}

// A spacer decides on the blanks between tokens. It goes through the code once.
type spacer struct {
	types map[string]bool
	open  []string // brackets around: ( [ { and l for the brace of a literal
	asks  int      // ? of ?: that wait for their colon
	asked bool     // prev is one
	prev  Token
	begun bool // prev is set
	unary bool // prev is a prefix operator
	head  headState
	depth int // len(open) where the statement began
}

// A headState says whether what was read of a statement can be a place that a message is sent to: t or t[i].
type headState uint8

const (
	atStart headState = iota
	inPlace
	pastPlace
)

// follow keeps head up to date after a token.
func (s *spacer) follow(t Token) {
	inside := len(s.open) > s.depth
	switch {
	case t.Text == ";" && t.Kind == TSep, t.Kind == tPunct && t.Text == "}",
		t.Kind == tPunct && t.Text == "{" && s.open[len(s.open)-1] == "{",
		t.Kind == tPunct && t.Text == ":" && s.head == inPlace && !inside: // a label
		s.head = atStart
	case s.head == atStart && t.Kind == TName && !IsKeyword(t.Text):
		s.head, s.depth = inPlace, len(s.open)
	case s.head == inPlace && (inside || t.Kind == tPunct && t.Text == "]"):
	default:
		s.head = pastPlace
	}
}

// line lays out the tokens of a line and tells how deep it stands.
func (s *spacer) line(f *File, toks []Token) (depth int, code string) {
	depth = len(s.open)
	for _, t := range toks { // a line that begins by closing stands with the line that opened
		if t.Kind != tPunct || t.Text != ")" && t.Text != "]" && t.Text != "}" {
			break
		}
		depth--
	}
	var b strings.Builder
	for i, t := range toks {
		var next Token
		if i+1 < len(toks) {
			next = toks[i+1]
		}
		raw := string(f.Runes(t.Pos.Line, t.Pos.Col)[:t.End.Col-t.Pos.Col])
		blank, unary := s.between(t, next)
		if i > 0 && blank {
			b.WriteByte(' ')
		}
		b.WriteString(raw)
		s.prev, s.begun, s.unary = t, true, unary
		s.follow(t)
	}
	if len(toks) > 0 {
		s.begun = s.begun && s.prev.Kind == tPunct && !endsStatement(s.prev) // else the next line is a new statement
		if !s.begun {
			s.head = atStart
		}
	}
	return max(0, depth), b.String()
}

func operand(t Token) bool {
	return t.Kind == tInt || t.Kind == tText || t.Kind == TName && !slices.Contains(spacedWords, t.Text) ||
		t.Kind == tPunct && (t.Text == ")" || t.Text == "]" || t.Text == "}" || t.Text == "!" || t.Text == "?")
}

// spacedWords are words after which an operand begins.
var spacedWords = []string{"if", "while", "for", "in", "return", "await", "assert", "assume", "lock", "unlock",
	"trylock", "let", "var",
	"atomic", "else", "with", "once", "send", "recv", "case", "default", "choose", "select", "receive", "after", "or"}

// between reports whether a blank stands before a token, and whether the token is a prefix operator.
func (s *spacer) between(t, next Token) (blank, unary bool) {
	after := s.begun && !s.unary && !s.asked && operand(s.prev) // something that an operator could follow
	s.asked = false
	prev := s.prev.Text
	if s.prev.Kind != tPunct && s.prev.Kind != TName {
		prev = ""
	}
	tight := !s.begun || s.unary || prev == "(" || prev == "[" || prev == "." || prev == ".." || prev == "|"
	top := ""
	if len(s.open) > 0 {
		top = s.open[len(s.open)-1]
	}
	if t.Kind == TSep {
		return false, false
	}
	if t.Kind != tPunct {
		literal := prev == "{" && top == "l"
		message := prev == "!" && t.Kind == TName && !IsKeyword(t.Text)
		return !tight && !literal && !message, false
	}
	switch t.Text {
	case "{":
		literal := s.begun && (!after && s.prev.Kind != TName || prev == "return" ||
			s.types[prev] && s.prev.End == t.Pos)
		s.open = append(s.open, map[bool]string{true: "l", false: "{"}[literal])
		return !tight && !(literal && s.prev.Kind == TName && prev != "return") && !(prev == "{" && top == "l"), false
	case "}":
		s.pop()
		return !(top == "l" || !s.begun), false
	case "(", "[":
		s.open = append(s.open, t.Text)
		call := after && s.prev.Kind != tInt
		return !tight && !call && !(prev == "{" && top == "l"), false
	case ")", "]":
		s.pop()
		return false, false
	case ",", ".", "..", "++", "--", "|":
		return false, false
	case ":":
		if s.asks > 0 && top != "[" {
			s.asks--
			return true, false
		}
		if top == "[" { // a slice
			return false, true
		}
		return false, false
	case "?":
		if next.Kind == tInt || next.Kind == tText || next.Kind == TName ||
			next.Kind == tPunct && slices.Contains([]string{"(", "[", "{", "-", "!"}, next.Text) {
			s.asks++
			s.asked = true
			return true, false
		}
		return false, false
	case "!":
		if after {
			return false, s.head == inPlace && len(s.open) == s.depth // before a message, like a prefix operator
		}
		return !tight, true
	case "-":
		if !after {
			return !tight, true
		}
		fallthrough
	case "+", "*", "/", "%":
		apart := s.prev.End != t.Pos // as the author wrote it
		return apart, !apart
	}
	return true, false
}

func (s *spacer) pop() {
	if len(s.open) > 0 {
		s.open = s.open[:len(s.open)-1]
	}
}
