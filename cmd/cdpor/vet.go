package main

import (
	"fmt"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
)

type vetCommand struct {
	Path []string `arg:"" help:"Programs, and folders that are searched for programs."`
	JSON bool     `name:"json" help:"Print the remarks as one JSON object."`
	changeFlags
	formatFlags
}

// jsonRemarks is the JSON of cdpor vet.
type jsonRemarks struct {
	Cdpor   int                 `json:"cdpor"`
	Files   int                 `json:"files"` // that were looked at
	Remarks []output.Diagnostic `json:"remarks"`
	Errors  []output.Diagnostic `json:"errors,omitempty"` // of files that cannot be used
}

func (c *vetCommand) Help() string {
	return `Remarks are about programs that can be run but are probably not what was meant: a statement that reads and writes shared
data in one step although nothing says that it is atomic, names that are not used, code that cannot be reached, loops
that wait by going round, properties that cannot fail. Exit codes: 0 nothing to remark, 1 remarks, 2 a file cannot be used.`
}

func (c *vetCommand) Run(e *environment.Environment) error {
	files, err := programsIn(c.Path)
	if err != nil {
		return err
	}
	out := jsonRemarks{Cdpor: output.Version, Files: len(files), Remarks: []output.Diagnostic{}}
	for _, path := range files {
		src, err := c.loadFile(path)
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
	switch {
	case len(out.Errors) > 0:
		return fault.ExitInput
	case len(out.Remarks) > 0:
		if !c.JSON {
			fmt.Fprintf(e.Stdout, "%s in %s\n", terminal.Plural(len(out.Remarks), "remark"), terminal.Plural(len(files), "file"))
		}
		return fault.ExitViolation
	}
	return nil
}
