package report

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
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
	procs := map[*step.Template][]int{}
	for i, proc := range m.Program.Procs {
		procs[proc.Template] = append(procs[proc.Template], i)
	}
	made := func(a, b *step.Step) bool {
		for _, i := range procs[a.Template] {
			for _, k := range procs[b.Template] {
				if i != k && m.MadeDependent(i, a.Index, k, b.Index) {
					return true
				}
			}
		}
		return false
	}
	for pair := range constraints.PairsOf(m.Program) {
		p.Pairs++
		if made(pair[0], pair[1]) {
			p.Dependent++
		}
	}
	return p
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
		why = append(why, fmt.Sprintf("%s (%s %s)", kind.name, word, strings.Trim(fmt.Sprint(kind.lines), "[]")))
	}
	return fmt.Sprintf("%d of %s of steps became dependent because of %s", p.Dependent,
		terminal.Plural(p.Pairs, "pair"), strings.Join(why, " and "))
}
