package terminal

import (
	"io"
	"os"
	"slices"
	"strings"

	"cdpor/explore"
	"cdpor/lang"
)

// A Colour paints parts of what people read; false leaves them as they are.
type Colour bool

// ColourFor is the colour for a stream: when is always, never or auto, which colours terminals unless NO_COLOR says
// otherwise.
func ColourFor(w io.Writer, when string) Colour {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	return Colour(IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

func (c Colour) with(sequence, s string) string {
	if !c || s == "" {
		return s
	}
	return Control("\x1b["+sequence+"m") + s + Control("\x1b[0m")
}

// Bad, Good and Doubt paint what is wrong, right and uncertain; Faint what matters less.
func (c Colour) Bad(s string) string   { return c.with("1;31", s) }
func (c Colour) Good(s string) string  { return c.with("1;32", s) }
func (c Colour) Doubt(s string) string { return c.with("1;33", s) }
func (c Colour) Faint(s string) string { return c.with("2", s) }

// Verdict colours a text that begins with a verdict.
func (c Colour) Verdict(v explore.Verdict, text string) string {
	switch v {
	case explore.OK:
		return c.Good(text)
	case explore.Violated:
		return c.Bad(text)
	}
	return c.Doubt(text)
}

// Snippet is the snippet of a message, folded unless there are 0 columns, with its severity and carets coloured.
func (c Colour) Snippet(m *lang.Error, columns int) string {
	text, hint := m.Error(), []string{}
	if m.Hint != "" {
		hint = []string{"      = " + m.Hint}
	}
	lines := []string{text}
	if columns > 0 {
		lines = Fold(text, columns)
		if len(hint) > 0 {
			hint = Fold(hint[0], columns)
		}
	}
	if m.Code != "" {
		tag := m.Severity() + "[" + m.Code + "]"
		lines[0] = strings.Replace(lines[0], tag, c.severity(m)(tag), 1)
	}
	return strings.Join(slices.Concat(lines, c.Excerpt(m, columns), hint), "\n")
}

// severity paints as it becomes a message.
func (c Colour) severity(m *lang.Error) func(string) string {
	if m.Severity() == "warning" {
		return c.Doubt
	}
	return c.Bad
}

// Excerpt is the line that a message is about, cut to some columns, and a line with carets.
func (c Colour) Excerpt(m *lang.Error, columns int) []string {
	lines := m.Excerpt(columns)
	for k, line := range lines {
		gutter, rest, ok := strings.Cut(line, "| ")
		switch carets := strings.TrimLeft(rest, " "); {
		case ok && carets != "" && strings.Trim(carets, "^") == "":
			lines[k] = gutter + "| " + rest[:len(rest)-len(carets)] + c.severity(m)(carets)
		case ok:
			lines[k] = c.Faint(gutter+"|") + " " + rest
		}
	}
	return lines
}
