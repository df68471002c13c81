package execution

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/deadlock"
	"cdpor/lang"
	"cdpor/lang/step"
)

const (
	whyColumns = 80 // the width of an explanation where the width of the terminal is not known
	whyIndent  = 13
	maxMarked  = 4 // lines of the program
)

// PrintWhy writes why a state is a deadlock: a paragraph for each wait, with the line of the program that it is in. A
// line is shown once. source is the text of a file, nil: none is shown.
func PrintWhy(w io.Writer, prog *step.Program, colour terminal.Colour, columns int, source func(file string) []byte,
	why *deadlock.Explanation) {
	near := onlyFile(prog, why)
	print := func(lines []string) {
		for _, text := range lines {
			text = near(text)
			sentence := strings.TrimLeft(text, " ")
			indent := whyIndent + len(text) - len(sentence)
			for i, line := range terminal.Wrap(sentence, cmp.Or(columns, whyColumns)-indent-2) {
				if i == 1 {
					indent += 2
				}
				fmt.Fprintf(w, "%*s%s\n", indent, "", line)
			}
		}
	}
	var at []step.Pos
	for i, lines := range why.Paragraphs() {
		print(lines)
		wait := &why.Waits[i]
		at = append(at, step.Pos{File: wait.File, Line: wait.Line, Col: wait.Column})
	}
	print(why.Conclusion())
	PrintLines(w, prog, colour, columns, source, at)
}

// WhyLines are the lines of an explanation, with the name of the only file once.
func WhyLines(prog *step.Program, why *deadlock.Explanation) (list []string) {
	near := onlyFile(prog, why)
	for _, text := range why.Lines() {
		list = append(list, near(text))
	}
	return list
}

// PrintLines writes lines of a program, marked, each once, in the order of the places.
func PrintLines(w io.Writer, prog *step.Program, colour terminal.Colour, columns int, source func(file string) []byte,
	at []step.Pos) {
	if source == nil {
		return
	}
	shown := map[step.Pos]bool{}
	for _, pos := range at {
		line := step.Pos{File: pos.File, Line: pos.Line}
		if pos.Line == 0 || shown[line] || len(shown) == maxMarked {
			continue
		}
		shown[line] = true
		about := &lang.Error{File: lang.NewFile(prog.At(pos), source(pos.File)), Pos: pos}
		for _, text := range colour.Excerpt(about, columns) {
			fmt.Fprintln(w, text)
		}
	}
}

// onlyFile leaves the name of the file of all places away where all waits are in one; the first has its whole path.
func onlyFile(prog *step.Program, why *deadlock.Explanation) func(string) string {
	for i := range why.Waits {
		if !prog.Native() || why.Waits[i].File != why.Waits[0].File {
			return func(text string) string { return text }
		}
	}
	file := ""
	if len(why.Waits) > 0 {
		file = prog.CalledFile(why.Waits[0].File)
	}
	said := file == ""
	return func(text string) string {
		if said {
			return step.Within(file, text)
		}
		before, after, found := strings.Cut(text, file+":")
		if said = found; !found {
			return text
		}
		return before + why.Waits[0].File + ":" + step.Within(file, after)
	}
}
