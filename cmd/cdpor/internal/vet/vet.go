// Package vet has the command that remarks on what is suspicious in programs.
package vet

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
	"cdpor/lang/golang"
)

type Command struct {
	Path    []string      `arg:"" predictor:"file" help:"Programs, and folders that are searched for programs."`
	JSON    bool          `name:"json" help:"Print the remarks as one JSON object."`
	Timeout time.Duration `placeholder:"TIME" help:"Stop after a time such as 30s."`
	flags.ChangeFlags
	findings.LogFlags
	flags.FormatFlags
}

// jsonRemarks is the JSON of cdpor vet.
type jsonRemarks struct {
	Cdpor   int                 `json:"cdpor"`
	Files   int                 `json:"files"` // that were looked at
	Remarks []output.Diagnostic `json:"remarks"`
	Errors  []output.Diagnostic `json:"errors,omitempty"` // of files that cannot be used
}

func (c *Command) Help() string {
	return `Remarks are about programs that can be run but are probably not what was meant: a statement that reads and writes shared
data in one step although nothing says that it is atomic, names that are not used, code that cannot be reached, loops
that wait by going round, properties that cannot fail. Of a Go package it lists which tests can be explored, and what the
others get to that is not supported. Exit codes: 0 nothing to remark, 1 remarks, 2 a file or a package cannot be used:
the others are looked at all the same.`
}

func (c *Command) Run(e *environment.Environment) error {
	if c.Timeout < 0 {
		return fault.Inputf("--timeout cannot be negative")
	}
	ctx, cancel := e.Limited(c.Timeout)
	defer cancel()
	inGo, others := split(c.Path)
	var paths []string
	if len(others) > 0 {
		var err error
		if paths, err = files.Programs(others); err != nil {
			return err
		}
	}
	out := jsonRemarks{Cdpor: output.Version, Files: len(paths) + len(inGo), Remarks: []output.Diagnostic{}}
	for _, path := range inGo {
		if err := c.vetGo(ctx, e, path, &out); err != nil {
			if code := e.Fail(err); code != fault.ExitInput {
				return code
			}
			out.Errors = append(out.Errors, output.Diagnostics(err)...)
		}
	}
	for _, path := range paths {
		src, err := c.LoadFile(path)
		if err != nil {
			if e.Fail(err) != fault.ExitInput {
				return fault.ExitInternal
			}
			out.Errors = append(out.Errors, output.Diagnostics(err)...)
			continue
		}
		for _, w := range lang.Vet(src) {
			out.Remarks = append(out.Remarks, output.DiagnosticOf(w))
			if !c.JSON {
				e.Message(e.Stdout, w)
			}
		}
	}
	if c.JSON {
		if err := output.Write(e.Stdout, out); err != nil {
			return err
		}
	}
	code := fault.ExitOK
	switch {
	case len(out.Errors) > 0:
		code = fault.ExitInput
	case len(out.Remarks) > 0:
		if !c.JSON {
			fmt.Fprintf(e.Stdout, "%s in %s\n", terminal.Plural(len(out.Remarks), "remark"),
				terminal.Plural(out.Files, "file"))
		}
		code = fault.ExitViolation
	}
	if err := c.Write(out.log(code), nil); err != nil {
		return err
	}
	if code == fault.ExitOK {
		if !c.JSON {
			fmt.Fprintf(e.Stderr, "cdpor: no remarks in %s\n", terminal.Plural(out.Files, "file"))
		}
		return nil
	}
	return code
}

// log has the remarks in the form that SARIF is made of.
func (r *jsonRemarks) log(code fault.Code) *findings.Log {
	out := &findings.Log{Command: "cdpor vet", Verdict: terminal.Plural(len(r.Remarks), "remark"), Code: int(code)}
	for _, d := range r.Remarks {
		f := findings.NoteOf(&d)
		f.Kind, f.Program = cmp.Or(d.Code, "not supported"), d.File
		if d.Cure != "" {
			f.Text += "\n" + d.Cure
		}
		for _, known := range lang.Diagnostics() {
			if known.Code == d.Code {
				f.About = known.Title
			}
		}
		out.Findings = append(out.Findings, f)
	}
	for _, d := range r.Errors {
		out.Notes = append(out.Notes, findings.NoteOf(&d))
	}
	return out
}

// split tells the paths of Go programs from others.
func split(paths []string) (inGo, others []string) {
	for _, p := range paths {
		if flags.IsGo(p) {
			inGo = append(inGo, p)
		} else {
			others = append(others, p)
		}
	}
	return inGo, others
}

// vetGo says of a Go package what can be explored, and what is in the way of the rest.
func (c *Command) vetGo(ctx context.Context, e *environment.Environment, path string, out *jsonRemarks) error {
	set, err := golang.Open(ctx, path)
	if err != nil {
		return flags.Unloaded(ctx, path, err)
	}
	supported, obstacles, err := set.Vet(ctx, golang.Options{Path: path})
	if err != nil {
		return flags.Unloaded(ctx, path, err)
	}
	for _, o := range obstacles {
		text := o.Message + " (" + strings.Join(o.Entries, ", ") + ")"
		out.Remarks = append(out.Remarks, output.Diagnostic{File: o.File, Line: o.Line, Column: o.Col,
			Severity: "warning", Message: text})
		if !c.JSON {
			if o.File != "" {
				text = fmt.Sprintf("%s:%d:%d: %s", o.File, o.Line, o.Col, text)
			}
			fmt.Fprintln(e.Stdout, text)
		}
	}
	for _, r := range set.Refused() {
		out.Errors = append(out.Errors, output.Diagnostics(fault.Input{Err: r.Err})...)
		if !c.JSON {
			if err := terminal.WriteRefusal(e.Stdout, r.Folder, r.Err); err != nil {
				return err
			}
		}
	}
	switch all := len(set.Entries()); {
	case c.JSON:
	case all == 0:
		fmt.Fprintf(e.Stdout, "%s: there is no test and no main function\n", path)
	default:
		var names []string
		for _, s := range supported {
			names = append(names, s.Func)
		}
		fmt.Fprintln(e.Stdout, strings.TrimSuffix(fmt.Sprintf("%s: %d of %s can be explored: %s", path, len(names),
			terminal.Plural(all, "function"), strings.Join(names, ", ")), ": "))
	}
	return nil
}
