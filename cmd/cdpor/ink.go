package main

import (
	"io"
	"os"
	"strings"

	"cdpor/explore"
	"cdpor/lang"
)

// An ink colours parts of what people read; false leaves them as they are.
type ink bool

// ink is the ink for a stream: colour goes to terminals only, unless --color or NO_COLOR say otherwise.
func (e *environment) ink(w io.Writer) ink {
	switch e.color {
	case "always":
		return true
	case "never":
		return false
	}
	return ink(isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

func (i ink) with(sequence, s string) string {
	if !i || s == "" {
		return s
	}
	return own("\x1b["+sequence+"m") + s + own("\x1b[0m")
}

func (i ink) bad(s string) string   { return i.with("1;31", s) }
func (i ink) good(s string) string  { return i.with("1;32", s) }
func (i ink) doubt(s string) string { return i.with("1;33", s) }
func (i ink) faint(s string) string { return i.with("2", s) }

// verdict colours a text that begins with a verdict.
func (i ink) verdict(v explore.Verdict, text string) string {
	switch v {
	case explore.OK:
		return i.good(text)
	case explore.Violated:
		return i.bad(text)
	}
	return i.doubt(text)
}

// snippet is the snippet of a message, folded unless there are 0 columns, with its severity and carets coloured.
func (i ink) snippet(m *lang.Error, columns int) string {
	text := m.Snippet()
	if columns > 0 {
		lines := append(fold(m.Error(), columns), m.Excerpt(columns)...)
		if m.Hint != "" {
			lines = append(lines, fold("      = "+m.Hint, columns)...)
		}
		text = strings.Join(lines, "\n")
	}
	if !i {
		return text
	}
	paint := i.bad
	if m.Severity() == "warning" {
		paint = i.doubt
	}
	lines := strings.Split(text, "\n")
	if m.Code != "" {
		tag := m.Severity() + "[" + m.Code + "]"
		lines[0] = strings.Replace(lines[0], tag, paint(tag), 1)
	}
	for k, line := range lines[1:] {
		gutter, rest, ok := strings.Cut(line, "| ")
		switch carets := strings.TrimLeft(rest, " "); {
		case ok && carets != "" && strings.Trim(carets, "^") == "":
			lines[k+1] = gutter + "| " + rest[:len(rest)-len(carets)] + paint(carets)
		case ok:
			lines[k+1] = i.faint(gutter+"|") + " " + rest
		}
	}
	return strings.Join(lines, "\n")
}
