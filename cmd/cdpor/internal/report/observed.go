package report

import (
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// Outcomes that are looked at to see what makes them many, and how many times fewer there must be without it.
const (
	crowdSample = 2000
	crowdShare  = 10
)

// Crowd is advice for a search that goes on: that observed variables which no property depends on make most of the
// outcomes. There is none where that is not so.
func Crowd(prog *step.Program, res *explore.Result) []string {
	ignored := map[*step.Var]bool{}
	for _, v := range slice.WithoutInfluence(prog, false) {
		ignored[v] = true
	}
	var names []string
	leaves := []bool{} // of each observed word, whether it is none of such a variable
	for _, o := range prog.Observe {
		root := o.Expr.Root()
		if ignored[root] {
			names = append(names, o.Name)
		}
		for range o.Expr.Type.Words() {
			leaves = append(leaves, !ignored[root])
		}
	}
	all, rest := 0, map[string]bool{}
	for _, o := range res.Outcomes.All() {
		var kept []int64
		for i, w := range o.Words {
			if leaves[i] {
				kept = append(kept, w)
			}
		}
		rest[fmt.Sprint(kept)] = true
		if all++; all == crowdSample {
			break
		}
	}
	if len(names) == 0 || all < crowdSample || len(rest) > all/crowdShare {
		return nil
	}
	verb := "makes"
	if len(names) > 1 {
		verb = "make"
	}
	return []string{fmt.Sprintf("%s %s most of the %s, and no property depends on it: leave it out of observe",
		strings.Join(names, ", "), verb, terminal.Plural(res.Outcomes.Len(), "outcome"))}
}
