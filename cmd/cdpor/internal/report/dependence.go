package report

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/output"
	"cdpor/constraints"
	"cdpor/lang/step"
)

// A price counts the pairs of steps of different processes that check.always and check.transition make dependent, or
// dependent in more states: a step also reads the properties that it may break.
type price struct {
	Dependent  int   `json:"pairs_made_dependent"`
	Pairs      int   `json:"pairs"`
	Always     []int `json:"always_lines"`
	Transition []int `json:"transition_lines"`
}

// priceOf is nil for a program without such properties.
func priceOf(m *step.Machine) *price {
	c := &m.Program.Checks
	if len(c.Always)+len(c.Transition) == 0 {
		return nil
	}
	p := &price{Always: linesOf(c.Always), Transition: linesOf(c.Transition)}
	made := madeDependent(m)
	for pair := range constraints.PairsOf(m.Program) {
		if constraints.Independent(pair[0], pair[1]) {
			continue
		}
		p.Pairs++
		if made(pair[0], pair[1]) {
			p.Dependent++
		}
	}
	return p
}

// madeDependent tells whether two steps of different processes are dependent, or in more states, because of a property
// that one of them checks at its end.
func madeDependent(m *step.Machine) func(a, b *step.Step) bool {
	procs := map[*step.Template][]int{}
	for i, proc := range m.Program.Procs {
		procs[proc.Template] = append(procs[proc.Template], i)
	}
	return func(a, b *step.Step) bool {
		for _, i := range procs[a.Template] {
			for _, k := range procs[b.Template] {
				if i != k && m.MadeDependent(i, a.Index, k, b.Index) {
					return true
				}
			}
		}
		return false
	}
}

// ByProperties says of a pair of steps that a property after every step makes it dependent; empty of others, and where
// the program has no such properties.
func ByProperties(prog *step.Program) func(a, b *step.Step) string {
	none := func(_, _ *step.Step) string { return "" }
	if len(prog.Checks.Always)+len(prog.Checks.Transition) == 0 {
		return none
	}
	m, err := step.NewMachine(prog)
	if err != nil {
		return none // a run of the program says so
	}
	why, made := priceOf(m).properties(), madeDependent(m)
	return func(a, b *step.Step) string {
		if !made(a, b) {
			return ""
		}
		return "dependent only because of " + why
	}
}

func linesOf(list []*step.Property) []int {
	lines := []int{}
	for _, p := range list {
		lines = append(lines, p.Pos.Line)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func (p *price) String() string {
	return fmt.Sprintf("%d of %s are dependent only because of %s", p.Dependent, output.PairsText(p.Pairs),
		p.properties())
}

// properties names those that steps look at.
func (p *price) properties() string {
	var why []string
	for _, kind := range []struct {
		name  string
		lines []int
	}{{"check.always", p.Always}, {"check.transition", p.Transition}} {
		if len(kind.lines) == 0 {
			continue
		}
		word := "line"
		if len(kind.lines) > 1 {
			word = "lines"
		}
		lines := strings.ReplaceAll(strings.Trim(fmt.Sprint(kind.lines), "[]"), " ", ", ")
		why = append(why, fmt.Sprintf("%s (%s %s)", kind.name, word, lines))
	}
	return strings.Join(why, " and ")
}
