package terminal

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Text that is to be read on a terminal is folded to its width: between words, never inside one, and what follows
// stands below the text that it goes on with. What goes to a file or a pipe is not, so that a line stays a line for who
// searches it.

// minText is the number of columns that the continuation of a row has at least, unless it has half of them.
const minText = 16

// A folder folds the lines that are written to it.
type folder struct {
	to      io.Writer
	columns int
	pending []byte // the beginning of a line
}

func (f *folder) Write(p []byte) (int, error) {
	f.pending = append(f.pending, p...)
	for {
		line, rest, whole := bytes.Cut(f.pending, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		text := strings.Join(Fold(string(line), f.columns), "\n") + "\n"
		f.pending = rest
		if _, err := io.WriteString(f.to, text); err != nil {
			return 0, err
		}
	}
}

// end writes a last line without an end.
func (f *folder) end() error {
	if len(f.pending) == 0 {
		return nil
	}
	_, err := io.WriteString(f.to, strings.Join(Fold(string(f.pending), f.columns), "\n"))
	f.pending = nil
	return err
}

// Displayed is the number of columns that a text takes; control sequences of this program take none.
func Displayed(text string) int { return textWidth(withoutControl(text)) }

// withoutControl is a text without the control sequences of this program.
func withoutControl(text string) string {
	if !strings.Contains(text, ControlMark()) {
		return text
	}
	plain := ""
	for i, part := range strings.Split(text, ControlMark()) {
		if i%2 == 0 {
			plain += part
		}
	}
	return plain
}

// textWidth is how many columns of a terminal a text takes: a letter of Chinese, Japanese or Korean takes two, a
// combining mark none.
func textWidth(text string) int {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(text)
		}
	}
	return len(text)
}

var (
	// aKey is a key at the beginning of a line with its text behind it, or the head of a row with its columns.
	aKey = pattern(`^\S+( \S+)?  +`)
	// aCommand is a command line for a shell.
	aCommand = pattern(`: cdpor [a-z]+ `)
	// aFlag is where a command line can be broken.
	aFlag = pattern(` (-p|--[a-z-]+) `)
)

// pattern compiles a regular expression when it is first needed.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Fold breaks a line of a report to fit some columns. What it is continued with stands below its last column, below the
// text behind its key or, if that is far to the right, a little indented. A command line is continued as a shell wants
// it.
func Fold(line string, columns int) []string {
	if Displayed(line) <= columns {
		return []string{line}
	}
	if at := aCommand().FindStringIndex(line); at != nil {
		return foldCommand(line, at[0]+2, columns)
	}
	indent := strings.Repeat(" ", hang(line, columns))
	lines, text := []string{}, strings.TrimRight(line, " ")
	for Displayed(text) > columns {
		at := breakAt(text, len(text)-len(strings.TrimLeft(text, " ")), columns)
		if at < 0 {
			break // one word, which stays whole
		}
		lines = append(lines, strings.TrimRight(text[:at], " "))
		text = indent + strings.TrimLeft(text[at:], " ")
	}
	return append(lines, text)
}

// breakAt is the blank at which a text is broken behind so many bytes: the last that fits, else the first; -1 if there
// is none.
func breakAt(text string, from, columns int) int {
	at := -1
	for i := from; i < len(text); i++ {
		if text[i] != ' ' || strings.HasSuffix(text[:i], "(line") { // whose number stays with it
			continue
		}
		if Displayed(text[:i]) > columns && at >= 0 {
			break
		}
		if at = i; Displayed(text[:i]) > columns {
			break
		}
	}
	return at
}

// hang is how far the continuation of a line is indented.
func hang(line string, columns int) int {
	text := withoutControl(line)
	indent := len(text) - len(strings.TrimLeft(text, " "))
	if key := aKey().FindString(text); key != "" && textWidth(key) <= columns/2 {
		return textWidth(key)
	}
	if at := strings.LastIndex(strings.TrimRight(text, " "), "  "); at >= indent {
		if at = textWidth(text[:at]) + 2; at <= max(columns/2, columns-minText) {
			return at
		}
	}
	return min(indent+2, columns/2)
}

// foldCommand breaks a line with a command line before flags.
func foldCommand(line string, start, columns int) (lines []string) {
	indent := strings.Repeat(" ", min(start+2, columns/2))
	for text := line; ; {
		at := -1
		for _, m := range aFlag().FindAllStringIndex(text, -1) {
			if m[0] <= max(start, len(indent)) || strings.Count(text[:m[0]], "'")%2 == 1 {
				continue
			}
			if at < 0 || Displayed(text[:m[0]]) <= columns-2 {
				at = m[0]
			}
		}
		if Displayed(text) <= columns || at < 0 {
			return append(lines, text)
		}
		lines = append(lines, text[:at]+` \`)
		text, start = indent+text[at+1:], len(indent)
	}
}

// Wrap breaks a text into lines of at most a number of characters.
func Wrap(text string, most int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && Displayed(line)+1+Displayed(word) > most {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
