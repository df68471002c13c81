package findings

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
)

// A Row is a line in the table of a summary: a test, or a program.
type Row struct{ Name, Verdict, Text string }

const (
	maxDiagrams = 5  // in a summary
	maxSteps    = 60 // in a diagram, the last ones
)

// AppendSummary appends a summary in Markdown to a file, as GITHUB_STEP_SUMMARY wants it.
func (l *Log) AppendSummary(path string, rows []Row) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fault.FileError(err)
	}
	_, err = f.WriteString(l.markdown(rows))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return &fault.Output{Where: path, Err: err}
	}
	return nil
}

// markdown is the summary: the verdict, a table, and what is wrong with a diagram each.
func (l *Log) markdown(rows []Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s: %s\n\n", l.Command, plain(l.Verdict))
	if len(rows) > 0 {
		b.WriteString("| | verdict | |\n|---|---|---|\n")
		for _, r := range rows {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", plain(r.Name), plain(r.Verdict), plain(r.Text))
		}
		b.WriteString("\n")
	}
	for _, n := range l.Notes {
		fmt.Fprintf(&b, "- %s: %s\n\n", n.Level, plain(n.Text))
	}
	for i, f := range l.Findings {
		if i == maxDiagrams {
			fmt.Fprintf(&b, "%d more are in the log.\n\n", len(l.Findings)-i)
			break
		}
		known := ""
		if f.Known {
			known = " (known)"
		}
		at := f.File
		if f.Line > 0 {
			at = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		fmt.Fprintf(&b, "### %s%s, %s\n\n%s\n", plain(f.Kind), known, plain(at), plain(f.Says()))
		if len(f.Steps) > 0 {
			fmt.Fprintf(&b, "\n```mermaid\n%s```\n", f.mermaid())
		}
		if f.Replay != "" {
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.ReplaceAll(terminal.Visible(f.Replay), "```", "'''"))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// mermaid is the schedule as a sequence diagram: a lane for each thread, time runs down.
func (f *Finding) mermaid() string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	var lanes []string
	steps := f.Steps[max(0, len(f.Steps)-maxSteps):]
	for _, s := range steps {
		if !slices.Contains(lanes, s.Thread) {
			lanes = append(lanes, s.Thread)
			fmt.Fprintf(&b, "  participant p%d as %s\n", len(lanes)-1, label(s.Thread))
		}
	}
	if n := len(f.Steps) - len(steps); n > 0 {
		fmt.Fprintf(&b, "  Note over p0: %d steps before\n", n)
	}
	for i, s := range steps {
		text := strings.Join(append([]string{s.Text}, s.Effects...), "\n")
		text = fmt.Sprintf("%d: %s", len(f.Steps)-len(steps)+i+1, text)
		fmt.Fprintf(&b, "  Note over p%d: %s\n", slices.Index(lanes, s.Thread), label(text))
	}
	return b.String()
}

// label is a text inside of a diagram: what has a meaning there is written by its number.
func label(text string) string {
	return strings.ReplaceAll(escaped(terminal.Visible(text), "#;<>&\"`%{}", "#%d;"), "\n", "<br/>")
}

// plain is a text in one line of Markdown, in which no character has a meaning.
func plain(text string) string {
	return escaped(strings.Join(strings.Fields(terminal.Visible(text)), " "), "\\`*_{}[]<>|#~!&@$", "&#%d;")
}

// escaped is a text with the numbers of some characters in their place.
func escaped(text, special, format string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune(special, c) {
			fmt.Fprintf(&b, format, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
