package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"cdpor/lang"
)

// Version is the number behind "cdpor" in JSON output: it grows when a field changes its meaning or goes away. Fields
// may be added without that. output.schema.json describes them.
const Version = 3

// Write writes data as indented JSON.
func Write(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// WriteList writes a list with a name.
func WriteList(w io.Writer, name string, list any) error {
	return Write(w, map[string]any{"cdpor": Version, name: list})
}

// AppendText appends a JSON string as Write writes it.
func AppendText(b []byte, text string) []byte {
	var escaped bytes.Buffer
	e := json.NewEncoder(&escaped)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // cannot fail
	return append(b, bytes.TrimSuffix(escaped.Bytes(), []byte("\n"))...)
}

// A Diagnostic is a message about a place in a file, or about none. Lines and columns count from 1.
type Diagnostic struct {
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"` // just behind what is meant
	EndColumn int    `json:"end_column,omitempty"`
	Severity  string `json:"severity"`       // error or warning
	Code      string `json:"code,omitempty"` // cdpor explain tells about it
	Message   string `json:"message"`
	Cure      string `json:"cure,omitempty"` // what to do about it
}

// A Failure is the one object of a command with --json that did not come to a result.
type Failure struct {
	Cdpor  int          `json:"cdpor"`
	Errors []Diagnostic `json:"errors"`
}

// DiagnosticOf is a message of the language.
func DiagnosticOf(m *lang.Error) Diagnostic {
	d := Diagnostic{File: m.File.Name, Line: m.Pos.Line, Column: m.Pos.Col, EndLine: m.End.Line, EndColumn: m.End.Col,
		Severity: m.Severity(), Code: m.Code, Message: m.Msg, Cure: m.Hint}
	return d
}

// Diagnostics lists the messages of an error.
func Diagnostics(err error) (list []Diagnostic) {
	var messages lang.ErrorList
	if !errors.As(err, &messages) {
		return []Diagnostic{{Severity: "error", Message: err.Error()}}
	}
	for _, m := range messages {
		list = append(list, DiagnosticOf(m))
	}
	return list
}
