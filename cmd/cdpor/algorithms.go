package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
)

type algorithmsCommand struct {
	Name string `arg:"" optional:"" complete:"algorithms" help:"Explain this one."`
}

func (c *algorithmsCommand) Run(e *environment.Environment) error {
	if c.Name != "" {
		a, err := explore.Find(c.Name)
		if err != nil {
			return fault.Input{Err: err}
		}
		explain(e.Stdout, a)
		return nil
	}
	return terminal.Folded(e.Stdout, printAlgorithms)
}

func printAlgorithms(w io.Writer) error {
	table := tabwriter.NewWriter(w, 13, 0, 2, ' ', 0)
	for _, a := range explore.Algorithms() {
		fmt.Fprintf(table, "%s\t%s\n", a.Name, a.Title)
		for line := range strings.Lines(a.When) {
			fmt.Fprintf(table, "\t  %s\n", strings.TrimSpace(line))
		}
	}
	fmt.Fprintln(table, "\nFor cdpor compare also, as in the tables of the papers:")
	for _, v := range compare.Variants() {
		if v.Name != v.Algorithm.Name {
			fmt.Fprintf(table, "%s\t%s\n", v.Name, v.Title)
		}
	}
	return table.Flush()
}

func explain(w io.Writer, a *explore.Algorithm) {
	item := func(key, text string) {
		for i, line := range terminal.Wrap(text, 86) {
			if i > 0 {
				key = ""
			}
			fmt.Fprintf(w, "%-13s%s\n", key, line)
		}
	}
	fmt.Fprintf(w, "%s: %s\n\n", a.Name, a.Title)
	item("", a.Help)
	fmt.Fprintln(w)
	for line := range strings.Lines(a.When) {
		item("use", line)
	}
	item("paper", a.Paper)
	item("preserves", a.Preserves)
	use := "none"
	switch {
	case a.Constraints && a.Traces:
		use = "used with --use-constraints or --constraints FILE"
	case a.Constraints:
		use = "used; --no-constraints does without"
	}
	item("constraints", use)
	switch {
	case a.Stateful:
		item("executions", "the number of distinct terminal states")
	case a.Traces && a.Constraints:
		item("executions", "one per Mazurkiewicz trace; with constraints, one per class of the uniform relation")
	case a.Traces:
		item("executions", "one per Mazurkiewicz trace")
	case a.Sequences:
		item("executions", "at most one per Mazurkiewicz trace, at least one per outcome")
	default:
		item("executions", "one per interleaving")
	}
}
