package main

import (
	"fmt"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
)

type explainCommand struct {
	Code string `arg:"" optional:"" complete:"codes" help:"Explain this code, such as E201. Without it all codes are listed."`
}

func (c *explainCommand) Run(e *environment.Environment) error {
	if c.Code == "" {
		for _, d := range lang.Diagnostics() {
			fmt.Fprintf(e.Stdout, "%s  %s\n", d.Code, d.Title)
		}
		return nil
	}
	for _, d := range lang.Diagnostics() {
		if strings.EqualFold(c.Code, d.Code) {
			explainDiagnostic(e.Stdout, d)
			return nil
		}
	}
	return fault.Inputf("there is no code %s; cdpor explain lists them", c.Code)
}

func explainDiagnostic(w io.Writer, d *lang.Diagnostic) {
	fmt.Fprintf(w, "%s[%s]: %s\n\n", d.Severity(), d.Code, d.Title)
	for _, line := range terminal.Wrap(d.Text, 96) {
		fmt.Fprintln(w, line)
	}
	example := func(title, text string) {
		if text == "" {
			return
		}
		fmt.Fprintf(w, "\n%s:\n\n", title)
		for line := range strings.Lines(text) {
			fmt.Fprintf(w, "    %s", line)
		}
	}
	example("Wrong", d.Wrong)
	example("Right", d.Right)
}
