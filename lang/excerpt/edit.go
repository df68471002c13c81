package excerpt

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// A textEdit takes text out of a file. What is left stays where it was, but for what is written in the place of
// something shorter.
type textEdit struct {
	file   *syntax.File
	lines  [][]rune
	puts   []put
	before map[int][]string // lines to come before one
	whole  map[int]bool     // lines that were to be left out whole
	inCode map[int]bool     // lines in blocks of code, which have to keep their indentation
}

// erased stands for a rune that was taken out.
const erased = '\x00'

// A put is a text in the place of some runes of a line.
type put struct {
	at   step.Pos
	room int
	text string
}

func newTextEdit(f *syntax.File) *textEdit {
	e := &textEdit{file: f, before: map[int][]string{}, whole: map[int]bool{}, inCode: map[int]bool{}}
	for _, l := range f.Lines {
		e.lines = append(e.lines, slices.Clone(l))
	}
	return e
}

// clear takes out everything from one place up to another.
func (e *textEdit) clear(from, to step.Pos) {
	for n := from.Line; n <= to.Line && n <= len(e.lines); n++ {
		line := e.lines[n-1]
		e.whole[n] = e.whole[n] || (n > from.Line || from.Col == 1) && n < to.Line
		for i := len(line) - len(strings.TrimLeft(string(line), " ")); i < len(line); i++ {
			if (n > from.Line || i+1 >= from.Col) && (n < to.Line || i+1 < to.Col) {
				line[i] = erased
			}
		}
	}
}

func (e *textEdit) clearLines(first, last int) {
	e.clear(step.Pos{Line: first, Col: 1}, step.Pos{Line: last + 1, Col: 1})
}

// gone reports whether nothing is left at a place.
func (e *textEdit) gone(at step.Pos) bool {
	line := e.lines[at.Line-1]
	return at.Col > len(line) || line[at.Col-1] == erased
}

// blank reports whether nothing is left of a line.
func (e *textEdit) blank(n int) bool { return strings.Trim(string(e.lines[n-1]), " \t\x00") == "" }

// write puts a text in the place of what stands from one place up to another.
func (e *textEdit) write(from, to step.Pos, text string) {
	e.clear(from, to)
	room := len([]rune(text))
	if to.Line == from.Line {
		room = to.Col - from.Col
	} else {
		room = max(0, min(room, len(e.lines[from.Line-1])+1-from.Col))
	}
	e.puts = append(e.puts, put{from, room, text})
}

// An item is an entry of a map or an element of a list.
type item struct {
	of    *yaml.Node
	n     *yaml.Node // the key or the element
	value *yaml.Node
	limit int // the line that it ends before
}

// items has the entries of a map or list that ends before a line.
func (e *textEdit) items(n *yaml.Node, limit int) (list []item) {
	stride := 1
	if n.Kind == yaml.MappingNode {
		stride = 2
	}
	for i := 0; i+stride <= len(n.Content); i += stride {
		it := item{n, n.Content[i], n.Content[i+stride-1], limit}
		if i+stride < len(n.Content) {
			it.limit = n.Content[i+stride].Line
		}
		list = append(list, it)
	}
	return list
}

func (it item) flow() bool { return it.of.Style&yaml.FlowStyle != 0 }

// last is the last line of an item in block style: comments before the next one belong to that.
func (e *textEdit) last(it item) int {
	n := min(it.limit-1, len(e.file.Lines))
	for n > it.n.Line {
		text := strings.TrimSpace(e.file.Line(n))
		if text != "" && text[0] != '#' {
			break
		}
		n--
	}
	return n
}

// end is where an item in flow style ends: at the comma or bracket after it.
func (e *textEdit) end(it item) step.Pos {
	depth, before := 0, ','
	var quote rune
	at := syntax.NodePos(it.n)
	for ; at.Line <= len(e.file.Lines); at = (step.Pos{Line: at.Line + 1, Col: 1}) {
		line := e.file.Runes(at.Line, at.Col)
		for i := 0; i < len(line); i++ {
			c := line[i]
			switch {
			case quote == '"' && c == '\\':
				i++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case (c == '\'' || c == '"') && strings.ContainsRune(",:[{-", before):
				quote = c
			case c == '#' && (i == 0 || line[i-1] == ' '):
				i = len(line)
			case strings.ContainsRune("[{(", c):
				depth++
			case depth == 0 && strings.ContainsRune(",]}", c):
				return step.Pos{Line: at.Line, Col: at.Col + i}
			case strings.ContainsRune("]})", c):
				depth--
			}
			if c != ' ' {
				before = c
			}
		}
	}
	return at
}

// drop takes an item out, with the comments directly above it, or with one of the commas around it.
func (e *textEdit) drop(it item) {
	if !it.flow() {
		first := it.n.Line
		for first > 1 {
			above := e.file.Line(first - 1)
			if text := strings.TrimLeft(above, " "); !strings.HasPrefix(text, "#") ||
				len(above)-len(text) != it.of.Column-1 {
				break
			}
			first--
		}
		e.clearLines(first, e.last(it))
		return
	}
	end := e.end(it)
	e.clear(syntax.NodePos(it.n), end)
	if rest := e.file.Runes(end.Line, end.Col); len(rest) > 0 && rest[0] == ',' {
		end.Col += len(rest) - len(strings.TrimLeft(string(rest[1:]), " "))
		e.clear(syntax.NodePos(it.n), end)
		return
	}
	for at := syntax.NodePos(it.n); at.Line > 0; {
		if at.Col--; at.Col < 1 {
			if at.Line--; at.Line > 0 {
				at.Col = len(e.lines[at.Line-1]) + 1
			}
			continue
		}
		switch c := e.lines[at.Line-1][at.Col-1]; c {
		case ' ', erased:
			e.clear(at, step.Pos{Line: at.Line, Col: at.Col + 1})
			continue
		case ',':
			e.clear(at, step.Pos{Line: at.Line, Col: at.Col + 1})
		}
		return
	}
}

// give writes another value for an item; what stands behind it stays.
func (e *textEdit) give(it item, text string) {
	if last := e.last(it); !it.flow() && last > it.n.Line {
		e.clearLines(it.n.Line, last)
		e.write(syntax.NodePos(it.n), step.Pos{Line: last, Col: 1}, it.n.Value+": "+text)
		return
	}
	to := e.valueEnd(it.value)
	if it.flow() {
		to = e.end(it)
	}
	e.write(syntax.NodePos(it.value), to, text)
}

// valueEnd is where a value ends that stands on one line.
func (e *textEdit) valueEnd(n *yaml.Node) step.Pos {
	end := syntax.NodePos(n)
	switch {
	case n.Kind != yaml.ScalarNode: // behind the bracket
		end.Col++
		if len(n.Content) > 0 {
			end = syntax.NodePos(n.Content[len(n.Content)-1])
		}
		end = e.end(item{n: &yaml.Node{Line: end.Line, Column: end.Col}})
		end.Col++
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		end.Col += len([]rune(n.Value)) + 2
	default:
		for _, t := range tokens(n.Value) { // without a comment
			if t.Kind > syntax.TSep {
				end.Col = n.Column + t.End.Col - 1
			}
		}
	}
	return end
}

// An Excerpt is the text of a part of a program.
type Excerpt struct {
	Text   []byte                  // laid out
	InFile []byte                  // with blanks where something was left out
	Origin func(step.Pos) step.Pos // where a place in InFile is in the program
}

func (e *textEdit) excerpt() *Excerpt {
	slices.SortFunc(e.puts, func(a, b put) int {
		if a.at.Line != b.at.Line {
			return a.at.Line - b.at.Line
		}
		return b.at.Col - a.at.Col
	})
	moved := map[int][]put{} // by line, from right to left
	for _, p := range e.puts {
		line := e.lines[p.at.Line-1]
		for len(line) < p.at.Col-1+p.room {
			line = append(line, erased)
		}
		fill := slices.Repeat([]rune{erased}, max(0, p.room-len([]rune(p.text))))
		e.lines[p.at.Line-1] = slices.Concat(line[:p.at.Col-1], []rune(p.text), fill, line[p.at.Col-1+p.room:])
		moved[p.at.Line] = append(moved[p.at.Line], p)
	}
	var inFile, text []string
	from := []int{0} // line of InFile -> of the file
	for n := 1; n <= len(e.lines)+1; n++ {
		for _, l := range e.before[n] {
			inFile, text, from = append(inFile, l), append(text, l), append(from, n)
		}
		if n > len(e.lines) {
			break
		}
		line := string(e.lines[n-1])
		left := strings.ReplaceAll(line, string(erased), "")
		if code := strings.TrimLeft(line, " "); e.inCode[n] && strings.TrimSpace(left) != "" &&
			strings.HasPrefix(code, string(erased)) {
			left = line[:len(line)-len(code)] + strings.TrimLeft(left, " ")
			line = strings.Replace(line, string(erased), ";", 1)
		}
		inFile, from = append(inFile, strings.TrimRight(strings.ReplaceAll(line, string(erased), " "), " ")),
			append(from, n)
		if strings.TrimSpace(left) != "" || left == string(e.lines[n-1]) && !e.whole[n] {
			text = append(text, left)
		}
	}
	origin := func(at step.Pos) step.Pos {
		if at.Line >= len(from) {
			return step.Pos{}
		}
		at.Line = from[at.Line]
		for _, p := range slices.Backward(moved[at.Line]) {
			if at.Col > p.at.Col {
				at.Col -= min(at.Col-p.at.Col, max(0, len([]rune(p.text))-p.room))
			}
		}
		return at
	}
	return &Excerpt{[]byte(strings.Join(text, "\n")), []byte(strings.Join(inFile, "\n")), origin}
}
