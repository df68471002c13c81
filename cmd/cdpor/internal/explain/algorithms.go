package explain

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
)

// explainAlgorithms lists the algorithms, or explains one.
func explainAlgorithms(e *environment.Environment, name string, json bool) error {
	if name == AllAlgorithms {
		if json {
			var list []jsonAlgorithm
			for _, a := range explore.Algorithms() {
				list = append(list, algorithmJSON(a))
			}
			return output.WriteList(e.Stdout, "algorithms", list)
		}
		return terminal.Folded(e.Stdout, printAlgorithms)
	}
	a, err := flags.FindAlgorithm(name)
	if err != nil {
		_, there, _ := strings.Cut(err.Error(), "; ")
		return fault.Inputf("%s is neither a code, which cdpor explain lists, nor an algorithm: %s", name, there)
	}
	if json {
		return output.WriteList(e.Stdout, "algorithms", []jsonAlgorithm{algorithmJSON(a)})
	}
	explain(e.Stdout, a)
	return nil
}

// AllAlgorithms stands for all in place of a name.
const AllAlgorithms = "algorithms"

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

type jsonAlgorithm struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Help        string `json:"help"`
	Use         string `json:"use"`
	Paper       string `json:"paper"`
	Preserves   string `json:"preserves"`
	Constraints string `json:"constraints"`
	Executions  string `json:"executions"`
	Policy      []rule `json:"policy,omitempty"`
}

// A rule says what an algorithm does when.
type rule struct {
	When string `json:"when"`
	Then string `json:"then"`
}

func algorithmJSON(a *explore.Algorithm) jsonAlgorithm {
	j := jsonAlgorithm{a.Name, a.Title, a.Help, a.When, a.Paper, a.Preserves, constraintUse(a), executionsMeant(a), nil}
	for _, r := range a.Policy {
		j.Policy = append(j.Policy, rule{r[0], r[1]})
	}
	return j
}

// constraintUse says whether an algorithm uses constraints.
func constraintUse(a *explore.Algorithm) string {
	switch {
	case a.Constraints && a.Traces:
		return "used with --use-constraints or --constraints FILE"
	case a.Constraints:
		return "used; --no-constraints does without"
	}
	return "none"
}

// executionsMeant says how many executions an algorithm explores.
func executionsMeant(a *explore.Algorithm) string {
	switch {
	case a.Stateful:
		return "the number of distinct terminal states"
	case a.Traces && a.Constraints:
		return "one per Mazurkiewicz trace; with constraints, one per class of the uniform relation"
	case a.Traces:
		return "one per Mazurkiewicz trace"
	case a.Sequences:
		return "at most one per Mazurkiewicz trace, at least one per outcome"
	case a.Preserves == "everything":
		return "one per interleaving"
	}
	return "at least one per outcome"
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
	item("constraints", constraintUse(a))
	item("executions", executionsMeant(a))
	if len(a.Policy) > 0 {
		fmt.Fprintln(w)
	}
	for i, r := range a.Policy {
		key := ""
		if i == 0 {
			key = "policy"
		}
		item(key, "When "+r[0]+":")
		for _, line := range terminal.Wrap(r[1], 82) {
			fmt.Fprintf(w, "%-13s  %s\n", "", line)
		}
	}
}
