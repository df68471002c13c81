package environment

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
)

// Message writes a message about a place in a file, with the line it is about.
func (e *Environment) Message(w io.Writer, m *lang.Error) {
	if e.GitHub {
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
	fmt.Fprintln(w, terminal.Redact(e.Colour(w).Snippet(m, terminal.Columns(w))))
}

// Fail reports an error that ended a command.
func (e *Environment) Fail(err error) fault.Code {
	var code fault.Code
	var list lang.ErrorList
	var input fault.Input
	var unfinished fault.Unfinished
	var output *fault.Output
	switch {
	case errors.As(err, &code):
		return code
	case errors.As(err, &output):
		if s, ok := e.Stdout.(*terminal.Sink); !ok || s.Failed() == nil { // runMain reports that one
			fmt.Fprintf(e.Stderr, "cdpor: %v\n", err)
		}
		return fault.ExitInput
	case errors.As(err, &list):
		for _, m := range list {
			e.Message(e.Stderr, m)
		}
		return fault.ExitInput
	case errors.As(err, &unfinished):
		fmt.Fprintf(e.Stderr, "cdpor: %v\n", err)
		return fault.ExitIncomplete
	case errors.As(err, &input):
		fmt.Fprintf(e.Stderr, "cdpor: %v\n", err)
		return fault.ExitInput
	}
	fmt.Fprintf(e.Stderr, "cdpor: internal error: %v\n", err)
	return fault.ExitInternal
}

// End reports the error that ended a command; for machines, too, unless they have got a result.
func (e *Environment) End(err error) fault.Code {
	code := e.Fail(err)
	var ended fault.Code
	var unwritten *fault.Output
	if !e.JSON || errors.As(err, &ended) || errors.As(err, &unwritten) {
		return code
	}
	if s, ok := e.Stdout.(*terminal.Sink); ok && s.Used() {
		return code
	}
	if err := output.Write(e.Stdout,
		output.Failure{Cdpor: output.Version, Errors: output.Diagnostics(err)}); err != nil {
		return e.Fail(err)
	}
	return code
}
