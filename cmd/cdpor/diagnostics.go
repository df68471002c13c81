package main

import (
	"errors"
	"strconv"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"

	"github.com/alecthomas/kong"
)

// What is wrong with files and command lines, for machines.

// A jsonDiagnostic is a message about a place in a file, or about none. Lines and columns count from 1.
type jsonDiagnostic struct {
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

// A jsonFailure is the one object of a command with --json that did not come to a result.
type jsonFailure struct {
	Cdpor  int              `json:"cdpor"`
	Errors []jsonDiagnostic `json:"errors"`
}

func diagnosticJSON(m *lang.Error) jsonDiagnostic {
	d := jsonDiagnostic{File: m.File.Name, Line: m.Pos.Line, Column: m.Pos.Col, EndLine: m.End.Line, EndColumn: m.End.Col,
		Severity: m.Severity(), Code: m.Code, Message: m.Msg, Cure: m.Hint}
	return d
}

// diagnosticsOf is what an error says.
func diagnosticsOf(err error) (list []jsonDiagnostic) {
	var messages lang.ErrorList
	if !errors.As(err, &messages) {
		return []jsonDiagnostic{{Severity: "error", Message: err.Error()}}
	}
	for _, m := range messages {
		list = append(list, diagnosticJSON(m))
	}
	return list
}

// wantsJSON reports whether the flags of a command ask for JSON.
func wantsJSON(c *kong.Context) bool {
	if c.Selected() == nil {
		return false
	}
	for _, f := range c.Selected().Flags {
		switch value := c.FlagValue(f).(type) {
		case bool:
			if f.Name == "json" && value {
				return true
			}
		case string:
			if f.Name == "format" && value == "json" {
				return true
			}
		}
	}
	return false
}

// asksForJSON is wantsJSON for a command line that could not be understood.
func asksForJSON(args []string) bool {
	for i, a := range args {
		switch {
		case a == "--":
			return false
		case a == "--format=json", a == "--format" && i+1 < len(args) && args[i+1] == "json":
			return true
		case strings.HasPrefix(a, "--json"):
			on, err := strconv.ParseBool(strings.TrimPrefix(a, "--json="))
			if a == "--json" || err == nil && on {
				return true
			}
		}
	}
	return false
}

// end reports the error that ended a command; for machines, too, unless they have got a result.
func (e *environment) end(err error) fault.Code {
	code := e.fail(err)
	var ended fault.Code
	var output *fault.Output
	if !e.json || errors.As(err, &ended) || errors.As(err, &output) {
		return code
	}
	if s, ok := e.stdout.(*terminal.Sink); ok && s.Used() {
		return code
	}
	if err := writeJSON(e.stdout, jsonFailure{jsonVersion, diagnosticsOf(err)}); err != nil {
		return fault.ExitInternal
	}
	return code
}
