package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
)

type algorithmsCommand struct {
	Name string `arg:"" optional:"" complete:"algorithms" help:"Explain this one."`
}

func (c *algorithmsCommand) Run(e *environment) error {
	if c.Name != "" {
		a, err := explore.Find(c.Name)
		if err != nil {
			return fault.Input{Err: err}
		}
		explain(e.stdout, a)
		return nil
	}
	return terminal.Folded(e.stdout, printAlgorithms)
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
	for _, v := range variants() {
		if v.Name != v.algorithm.Name {
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

// registered are those of some names that are algorithms.
func registered(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := explore.Find(name)
		return err != nil
	})
}

// A variant is an algorithm with options, as cdpor compare names it.
type variant struct {
	Name, Title string
	algorithm   *explore.Algorithm
	options     explore.Options
	constraints bool // uses constraints if there are some
}

// variants are the algorithms themselves and those with other options than a run has by default.
func variants() (list []*variant) {
	byName := map[string]*explore.Algorithm{}
	for _, a := range explore.Algorithms() {
		byName[a.Name] = a
		list = append(list, &variant{a.Name, a.Title, a, explore.Options{}, usesConstraints(a)})
	}
	add := func(name, of, title string, opt explore.Options, constraints bool) {
		list = append(list, &variant{name, title, byName[of], opt, constraints})
	}
	add("context1", "context", "context with --no-anticipate --no-guide (CDPOR1 of CAV'17)",
		explore.Options{NoAnticipate: true, NoGuide: true}, false)
	add("context2", "context", "context with --no-guide (CDPOR2)", explore.Options{NoGuide: true}, false)
	add("context3", "context", "context as it is (CDPOR3)", explore.Options{}, false)
	add("context-attach", "context", "context with --attach", explore.Options{Attach: true}, false)
	add("source-visited", "source", "source with --visited", explore.Options{Visited: true}, false)
	add("context-visited", "context", "context with --visited", explore.Options{Visited: true}, false)
	add("constrained-visited", "constrained", "constrained with --visited", explore.Options{Visited: true}, true)
	add("optimal-constrained", "optimal", "optimal with --use-constraints", explore.Options{}, true)
	return list
}

func findVariant(name string) (*variant, error) {
	var names []string
	for _, v := range variants() {
		if v.Name == name {
			return v, nil
		}
		names = append(names, v.Name)
	}
	return nil, fault.Inputf("unknown algorithm %q; there are %s", name, strings.Join(names, ", "))
}
