package main

import (
	"fmt"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
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
		terminal.Annotate(w, severity, m.File.Name, m.Pos, m.End, m.Code, text)
		return
	}
	fmt.Fprintln(w, e.colour(w).Snippet(m, terminal.Columns(w)))
}
