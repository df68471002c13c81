package terminal

import (
	"io"
	"os"
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
	text := m.Snippet()
	if columns > 0 {
		lines := append(Fold(m.Error(), columns), m.Excerpt(columns)...)
		if m.Hint != "" {
			lines = append(lines, Fold("      = "+m.Hint, columns)...)
		}
		text = strings.Join(lines, "\n")
	}
	if !c {
		return text
	}
	paint := c.Bad
	if m.Severity() == "warning" {
		paint = c.Doubt
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
			lines[k+1] = c.Faint(gutter+"|") + " " + rest
		}
	}
	return strings.Join(lines, "\n")
}
