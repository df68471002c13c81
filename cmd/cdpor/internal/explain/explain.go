package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
)

type Command struct {
	What string `arg:"" optional:"" predictor:"explained" help:"Explain this code, such as E201, or this algorithm, such as source; algorithms lists those. Without it all codes are listed."`
	JSON bool   `name:"json" help:"Print it, or all of them, as one JSON object."`
}

func (c *Command) Run(e *environment.Environment) error {
	list := lang.Diagnostics()
	if c.What != "" {
		list = slices.DeleteFunc(slices.Clone(list),
			func(d *lang.Diagnostic) bool { return !strings.EqualFold(c.What, d.Code) })
	}
	switch {
	case len(list) == 0 && strings.ContainsAny(c.What, "0123456789"):
		return fault.Inputf("there is no code %s; cdpor explain lists them", c.What)
	case len(list) == 0:
		return explainAlgorithms(e, c.What, c.JSON)
	case c.JSON:
		var codes []jsonCode
		for _, d := range list {
			codes = append(codes, jsonCode{d.Code, d.Severity(), d.Title, d.Text, d.Wrong, d.Right})
		}
		return output.WriteList(e.Stdout, "codes", codes)
	case c.What != "":
		explainDiagnostic(e.Stdout, list[0])
		return nil
	}
	for _, d := range list {
		fmt.Fprintf(e.Stdout, "%s  %s\n", d.Code, d.Title)
	}
	return nil
}

type jsonCode struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	Wrong    string `json:"wrong,omitempty"`
	Right    string `json:"right,omitempty"`
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
