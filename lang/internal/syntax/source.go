package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

// A File is a program text with its name, kept for messages.
type File struct {
	Name  string
	Lines [][]rune
}

// NewFile makes a File; carriage returns before line ends do not count.
func NewFile(name string, text []byte) *File {
	f := &File{Name: name}
	for line := range strings.SplitSeq(string(text), "\n") {
		f.Lines = append(f.Lines, []rune(strings.TrimSuffix(line, "\r")))
	}
	return f
}

// Runes is the text of a line counted from 1 from a column on; empty outside of the file.
func (f *File) Runes(line, col int) []rune {
	if line < 1 || line > len(f.Lines) {
		return nil
	}
	text := f.Lines[line-1]
	return text[min(max(0, col-1), len(text)):]
}

// Word is the name that stands at a place.
func (f *File) Word(at step.Pos) string {
	text := f.Runes(at.Line, at.Col)
	n := 0
	for n < len(text) && (text[n] == '_' || unicode.IsLetter(text[n]) || unicode.IsDigit(text[n])) {
		n++
	}
	return string(text[:n])
}

// Text is the whole file, without carriage returns.
func (f *File) Text() string {
	lines := make([]string, len(f.Lines))
	for i, l := range f.Lines {
		lines[i] = string(l)
	}
	return strings.Join(lines, "\n")
}

// Line is a line of the text, counted from 1.
func (f *File) Line(n int) string { return string(f.Runes(n, 1)) }

// maxText is the length at which quoted statements are cut.
const maxText = 200

// Between is the text from one place up to another on one line, with runs of white space shrunk to one blank. An
// expression begins behind the parentheses around its first operand; they are added.
func (f *File) Between(from, to step.Pos) string {
	text := f.between(from, to)
	return strings.Repeat("(", unopened(text)) + text
}

// unopened counts the parentheses that are closed in a text and not opened, outside of messages and comments.
func unopened(text string) (n int) {
	depth, quoted := 0, false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.HasPrefix(text[i:], "//"):
			return n
		case c == '(':
			depth++
		case c == ')':
			depth--
			n = max(n, -depth)
		}
	}
	return n
}

func (f *File) between(from, to step.Pos) string {
	var out []rune
	for at := from; at.Line <= to.Line && at.Line <= len(f.Lines); at = (step.Pos{Line: at.Line + 1, Col: 1}) {
		for i, c := range f.Runes(at.Line, at.Col) {
			if at.Line == to.Line && at.Col+i >= to.Col {
				break
			}
			if c == '\t' {
				c = ' '
			}
			if c == ' ' && (len(out) == 0 || out[len(out)-1] == ' ') {
				continue
			}
			if out = append(out, c); len(out) == maxText {
				return string(out) + " ..."
			}
		}
		if len(out) > 0 && out[len(out)-1] != ' ' {
			out = append(out, ' ')
		}
	}
	return strings.TrimRight(string(out), " ")
}

// An Error is one message about a place in a file. A zero Pos means the file as a whole.
type Error struct {
	File *File
	Pos  step.Pos
	End  step.Pos // just after the marked text; zero: only the character at Pos
	Code string   // of a Diagnostic; may be empty
	Msg  string
	Hint string // what to do about it; may be empty
	Edit *Edit  // that does it; nil where there are several ways
}

func (e *Error) Error() string {
	at := e.File.Name
	if e.Pos != (step.Pos{}) {
		at += ":" + e.Pos.String()
	}
	if e.Code == "" {
		return fmt.Sprintf("%s: %s", at, e.Msg)
	}
	return fmt.Sprintf("%s: %s[%s]: %s", at, e.Severity(), e.Code, e.Msg)
}

// Severity is "error" or "warning".
func (e *Error) Severity() string { return severity(e.Code) }

// SnippetWidth is the number of columns of a snippet where the terminal does not say how many it has.
const SnippetWidth = 168

// Snippet is the message followed by the line it is about, a caret under the place, and the hint.
func (e *Error) Snippet() string {
	lines := append([]string{e.Error()}, e.Excerpt(0)...)
	if e.Hint != "" {
		lines = append(lines, "      = "+e.Hint)
	}
	return strings.Join(lines, "\n")
}

// Excerpt is the line that a message is about and a line with carets under the place; nil if it is about the file as a
// whole. A line that is too long for so many columns, 0: SnippetWidth, is shown around the place only, with ... where
// something is left out.
func (e *Error) Excerpt(columns int) []string {
	if e.Pos.Line < 1 || e.Pos.Line > len(e.File.Lines) {
		return nil
	}
	text := e.File.Runes(e.Pos.Line, 1)
	width := 1
	switch {
	case e.End.Line == e.Pos.Line:
		width = max(1, e.End.Col-e.Pos.Col)
	case e.End.Line > e.Pos.Line:
		width = max(1, utf8.RuneCountInString(strings.TrimRight(string(text), " "))-e.Pos.Col+1)
	}
	gutter := fmt.Sprintf("%5d | ", e.Pos.Line)
	most := max(cmp.Or(columns, SnippetWidth)-len(gutter), 3*len(ellipsis))
	shown, col := text, e.Pos.Col
	if len(shown) > most {
		from := max(0, min(col-1-most/2, len(shown)-most))
		to := from + most
		shown, col = slices.Clone(shown[from:to]), col-from
		if from > 0 {
			copy(shown, []rune(ellipsis))
		}
		if to < len(text) {
			copy(shown[most-len(ellipsis):], []rune(ellipsis))
		}
	}
	width = max(1, min(width, most-col+1))
	return []string{gutter + strings.ReplaceAll(string(shown), "\t", " "),
		strings.Repeat(" ", len(gutter)-2) + "| " + strings.Repeat(" ", max(0, col-1)) + strings.Repeat("^", width)}
}

// ellipsis stands for what is left out of a text.
const ellipsis = "..."

// Bounded is a text of a message without its middle, if it is longer than a line should be: it may quote
// what a file has without an end.
func Bounded(text string) string { return boundedTo(text, 2*maxText) }

// bounded is a text without its middle, if it is long.
func bounded(text string) string { return boundedTo(text, maxText) }

func boundedTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if r := []rune(text); len(r) > most {
		half := (most - len(" "+ellipsis+" ")) / 2
		return string(r[:half]) + " " + ellipsis + " " + string(r[len(r)-half:])
	}
	return text
}

// An ErrorList is everything found wrong with a file, by position.
type ErrorList []*Error

func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// MaxErrors is how many errors of one file are kept: what follows is rarely worth reading.
const MaxErrors = 30

// A Reporter collects the errors of one load. Several reporters may share one list for texts besides the program
// file, such as overrides of parameters.
type Reporter struct {
	File      *File
	list      *ErrorList
	TypeNames map[string]bool // of declared types, for the parser: T{a: 1}
	Mentions  *mentions       // nil unless they are asked for
}

// NewReporter collects errors about a file.
func NewReporter(f *File) *Reporter {
	return &Reporter{File: f, list: new(ErrorList), TypeNames: map[string]bool{}}
}

// In reports into the same list about another file.
func (r *Reporter) In(f *File) *Reporter {
	return &Reporter{File: f, list: r.list, TypeNames: r.TypeNames}
}

// Report adds an error about the text between two places. Its code is the code of the format in the catalogue.
func (r *Reporter) Report(pos, end step.Pos, hint, format string, args ...any) {
	edit := r.editOf(pos, end, hint, format, args)
	said := slices.Clone(args)
	for i, a := range said {
		if text, is := a.(string); is { // a name or a type may be as long as the program
			said[i] = bounded(text)
		}
	}
	*r.list = append(*r.list, &Error{File: r.File, Pos: pos, End: end, Code: codes()[format],
		Msg:  fmt.Sprintf(format, said...),
		Hint: bounded(hint), Edit: edit})
}

// Count is how many errors have been reported.
func (r *Reporter) Count() int { return len(*r.list) }

// Err is the collected list as an error: sorted, without repetitions, capped; nil if there is none.
func (r *Reporter) Err() error {
	list := *r.list
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b *Error) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Col - b.Pos.Col
	})
	list = slices.CompactFunc(list,
		func(a, b *Error) bool { return a.File == b.File && a.Pos == b.Pos && a.Msg == b.Msg })
	if more := len(list) - MaxErrors; more > 0 {
		last := list[MaxErrors]
		list = append(list[:MaxErrors:MaxErrors],
			&Error{File: last.File, Pos: last.Pos, Msg: fmt.Sprintf("too many errors, %d more not shown", more)})
	}
	return list
}

// DidYouMean is a hint naming the candidate that differs least from a name, or empty when none is close.
func DidYouMean(name string, candidates []string) string {
	if best := nearest(name, candidates); best != "" {
		return "did you mean " + best + "?"
	}
	return ""
}

// nearest is the candidate that a name was probably meant to be, empty if none is close.
func nearest(name string, candidates []string) string {
	best, dist := "", 1+len(name)/3
	for _, c := range candidates {
		if d := EditDistance(strings.ToLower(name), strings.ToLower(c), dist); d <= dist &&
			2*d <= max(len(name), len(c)) && c != name && (best == "" || d < dist) {
			best, dist = c, d
		}
	}
	return best
}

// EditDistance counts insertions, deletions, replacements and swaps of neighbours; beyond limit the value is inexact.
func EditDistance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	two, one := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, one = one, row
	}
	return one[len(b)]
}

// Silent reports into a list that is thrown away, for asking again what has been checked already.
func (r *Reporter) Silent() *Reporter {
	return &Reporter{File: r.File, list: new(ErrorList), TypeNames: r.TypeNames}
}

// Plural is a number with its word: 1 error, 2 errors.
func Plural(n int, word string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// mentions collects them. Code may be elaborated many times over.
type mentions struct {
	List []Mention
	seen map[mentionKey]bool
	text func(*step.Type) string
}

// An Edit does what a hint says: it puts a text in the place of another, or in between where Pos and End are the same.
// Messages have one only where the hint names a single cure.
type Edit struct {
	Pos, End step.Pos
	Text     string
}

// NodePos is the place of a node.
func NodePos(n *yaml.Node) step.Pos { return step.Pos{Line: n.Line, Col: n.Column} }

// NamePos is where the text of a key begins.
func NamePos(k *yaml.Node) step.Pos {
	at := NodePos(k)
	if k.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		at.Col++
	}
	return at
}
