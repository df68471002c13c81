package main

import (
	"fmt"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
	"cdpor/lang/step"
)

// formatFlags say for whom messages about files are written.
type formatFlags struct {
	Format string `enum:"text,github" default:"text" placeholder:"NAME" help:"How to write what is wrong with a file: text, or github for annotations in GitHub Actions. Default: text."`
}

// AfterApply tells the environment before the command runs.
func (f formatFlags) AfterApply(e *environment) error {
	e.github = f.Format == "github"
	return nil
}

// message writes a message about a place in a file, with the line it is about.
func (e *environment) message(w io.Writer, m *lang.Error) {
	if e.github {
		severity := m.Severity()
		if strings.HasPrefix(m.Msg, "note: ") {
			severity = "notice"
		}
		text := m.Msg
		if m.Hint != "" {
			text += "\n" + m.Hint
		}
		e.annotate(w, severity, m.File.Name, m.Pos, m.End, m.Code, text)
		return
	}
	fmt.Fprintln(w, e.colour(w).Snippet(m, terminal.Columns(w)))
}

// annotate writes a workflow command of GitHub Actions, which shows a text at a place in a file.
func (e *environment) annotate(w io.Writer, severity, file string, at, end step.Pos, title, text string) {
	properties := []string{"file=" + escapeProperty(file)}
	if at.Line > 0 {
		properties = append(properties, fmt.Sprintf("line=%d", at.Line), fmt.Sprintf("col=%d", at.Col))
	}
	if end.Line == at.Line && end.Col > at.Col {
		properties = append(properties, fmt.Sprintf("endColumn=%d", end.Col))
	}
	if title != "" {
		properties = append(properties, "title="+escapeProperty(title))
	}
	fmt.Fprintf(w, "::%s %s::%s\n", severity, strings.Join(properties, ","), escapeData(text))
}

// escapeData and escapeProperty hide what ends the parts of a workflow command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
