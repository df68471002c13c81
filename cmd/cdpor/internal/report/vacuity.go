package report

import (
	"fmt"

	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"
)

// What a search had no occasion to look at, and what it looked at and holds.

// UncheckedTexts say what was not looked at, for people.
func UncheckedTexts(prog *step.Program, res *explore.Result) (list []string) {
	for _, u := range res.Unchecked {
		if u.Kind != explore.NeverRun {
			list = append(list, claims.Text(prog, u, res.Dropped, claims.ScopeOf(res)))
		}
	}
	return list
}

// neverRunText lists the steps that no execution takes, for people; empty if there are none.
func neverRunText(prog *step.Program, res *explore.Result) string {
	for _, u := range res.Unchecked {
		if u.Kind == explore.NeverRun {
			return claims.Text(prog, u, 0, claims.Everything)
		}
	}
	return ""
}

// maxUnreleased is how many mutexes that were held at the end are listed.
const maxUnreleased = 3

// unreleasedText says which mutex a process held when it ended.
func (r *Report) unreleasedText(u explore.Unreleased) string {
	prog := r.Machine.Program
	return fmt.Sprintf("%s ends while it holds %s (in %d of %s)", prog.Procs[u.Proc].Called(), mutexName(prog, u.Word),
		u.Count, terminal.Plural(int(r.Result.Executions), "execution"))
}

// mutexName returns the name of a mutex in the program.
func mutexName(prog *step.Program, word int) string {
	for _, v := range prog.Shared {
		if at := word - v.Offset; at >= 0 && at < v.Type.Words() {
			name, _ := lang.Locate(v.Name, v.Type, at, 1)
			return name
		}
	}
	return ""
}

type jsonUnreleased struct {
	Process    string `json:"process"`
	Lock       string `json:"lock"`
	Executions int64  `json:"executions"`
}

func (r *Report) unreleasedJSON() (list []jsonUnreleased) {
	for _, u := range r.Result.Unreleased {
		prog := r.Machine.Program
		list = append(list, jsonUnreleased{prog.Procs[u.Proc].Called(), mutexName(prog, u.Word), u.Count})
	}
	return list
}
