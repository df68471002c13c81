package lsp

import (
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"cdpor/lang"
	"cdpor/lang/step"
)

// A position is a place as the protocol counts: lines from 0, columns from 0 in UTF-16 code units.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A span is a part of a text, without its end.
type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// A document is a text that is open in the editor, or a file that belongs to one.
type document struct {
	uri      string
	path     string // the name in messages; the file, if there is one
	version  *int
	text     []byte
	lines    []string
	analysis *analysis // nil: not analysed since the last change
	runs     string    // the state of its runs that was looked at last
}

func newDocument(uri string, version *int, text string) *document {
	d := &document{uri: uri, path: pathOf(uri), version: version, text: []byte(text)}
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		d.lines = append(d.lines, strings.TrimSuffix(line, "\r"))
	}
	return d
}

// position converts a place of the front end, which counts from 1 and in runes.
func (d *document) position(p step.Pos) position {
	if p.Line < 1 {
		return position{}
	}
	if p.Line > len(d.lines) {
		return position{Line: len(d.lines)}
	}
	units, col := 0, 1
	for _, c := range d.lines[p.Line-1] {
		if col >= p.Col {
			break
		}
		units += utf16.RuneLen(c)
		col++
	}
	return position{p.Line - 1, units}
}

// pos converts a place of the protocol. One inside of a rune is that of the rune.
func (d *document) pos(p position) step.Pos {
	if p.Line < 0 || p.Line >= len(d.lines) {
		return step.Pos{}
	}
	units, col := 0, 1
	for _, c := range d.lines[p.Line] {
		if units += utf16.RuneLen(c); units > p.Character {
			break
		}
		col++
	}
	return step.Pos{Line: p.Line + 1, Col: col}
}

// span converts a part of the text. Without an end it is one character, without a beginning the first line.
func (d *document) span(from, to step.Pos) span {
	switch {
	case from == (step.Pos{}):
		from, to = step.Pos{Line: 1, Col: 1}, step.Pos{Line: 1, Col: 1 << 30}
	case to == (step.Pos{}):
		to = step.Pos{Line: from.Line, Col: from.Col + 1}
	}
	return span{d.position(from), d.position(to)}
}

// wordAt is the word that matches at a place, with its first column; empty if there is none.
func (d *document) wordAt(at step.Pos, word *regexp.Regexp) (text string, from step.Pos) {
	if at.Line < 1 || at.Line > len(d.lines) {
		return "", step.Pos{}
	}
	line := d.lines[at.Line-1]
	for _, m := range word.FindAllStringIndex(line, -1) {
		first := len([]rune(line[:m[0]])) + 1
		if last := first + len([]rune(line[m[0]:m[1]])); first <= at.Col && at.Col <= last {
			return line[m[0]:m[1]], step.Pos{Line: at.Line, Col: first}
		}
	}
	return "", step.Pos{}
}

// between is the text from one place to another on its line.
func (d *document) between(from, to step.Pos) string {
	return string([]rune(d.lines[from.Line-1])[from.Col-1 : to.Col-1])
}

// replaced is the text with a word in the place of names.
func (d *document) replaced(names []lang.Mention, word string) string {
	lines := slices.Clone(d.lines)
	for _, m := range slices.Backward(names) { // they are sorted by place
		line := []rune(lines[m.Pos.Line-1])
		lines[m.Pos.Line-1] = string(line[:m.Pos.Col-1]) + word + string(line[m.End.Col-1:])
	}
	return strings.Join(lines, "\n")
}

// pathOf is the file that a URI names, or the URI itself.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' { // /C:/...
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

// uriOf is the URI of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// place is the key of the runs of a document: a program, or the folder of a Go file.
func (d *document) place() string {
	if d.isGo() {
		return filepath.Dir(d.path)
	}
	return d.path
}

func (d *document) isGo() bool { return filepath.Ext(d.path) == ".go" }
