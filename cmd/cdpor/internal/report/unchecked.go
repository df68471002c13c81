package report

import (
	"fmt"
	"io"
	"strings"

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

// printUnchecked writes what was not looked at, and what holds.
func (r *Report) printUnchecked(w io.Writer) {
	res := r.Result
	for i, u := range res.Unreleased {
		if i == maxUnreleased {
			fmt.Fprintf(w, "%-12s ... and %d more\n", "", len(res.Unreleased)-i)
			break
		}
		fmt.Fprintf(w, "%s       %s\n", r.Colour.Doubt("remark"), r.unreleasedText(u))
	}
	held := res.Held
	if res.Verdict == explore.Violated && len(held) == 1 && held[0].Section == "deadlock" {
		held = nil // that goes without saying
	}
	claims.Print(w, r.Colour.Doubt, r.Machine.Program, res.Unchecked, res.Dropped, held, claims.ScopeOf(res),
		maxViolations)
}

// maxUnreleased is how many mutexes that were held at the end are listed.
const maxUnreleased = 3

// unreleasedText says which mutex a process held when it ended.
func (r *Report) unreleasedText(u explore.Unreleased) string {
	prog := r.Machine.Program
	return fmt.Sprintf("%s ends while it holds %s (in %d of %s)", prog.Procs[u.Proc].Called(), mutexName(prog, u.Word),
		u.Count, terminal.Plural(int(r.Result.Executions), "execution"))
}

// mutexName is what the program calls a mutex.
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

// annotateUnchecked repeats for GitHub Actions what was not looked at: as a warning what takes the verdict ok away.
func (r *Report) annotateUnchecked(w io.Writer) {
	prog, res := r.Machine.Program, r.Result
	for _, u := range res.Unreleased {
		terminal.Annotate(w, "notice", prog.Path, prog.Procs[u.Proc].Template.Pos, step.Pos{}, "lock held",
			r.unreleasedText(u))
	}
	for _, u := range res.Unchecked {
		level := "notice"
		switch {
		case u.Vacuous && res.Verdict == explore.Vacuous:
			level = "warning"
		case u.Section == "":
			continue
		}
		at := claims.Pos(prog, u.Claim)
		text := strings.TrimPrefix(claims.Text(prog, u, res.Dropped, claims.ScopeOf(res)), prog.At(at)+": ")
		terminal.Annotate(w, level, prog.Path, at, step.Pos{}, string(u.Kind), text)
	}
}

// vacuousText is the verdict of a search that looked at too little.
func vacuousText(prog *step.Program, res *explore.Result) string {
	var missed []string
	for _, u := range res.Unchecked {
		name := claims.Name(prog, u.Claim)
		switch {
		case !u.Vacuous:
		case u.Kind == explore.NotEvaluated:
			missed = append(missed, name+" was never evaluated")
		case u.Kind == explore.NoOperation:
			missed = append(missed, "no execution that came to an end performed an operation of spec")
		case u.Kind == explore.AllDropped:
			return "vacuous: assumptions dropped every execution that came to an end"
		case u.Kind == explore.NoEnd:
			return "vacuous: " + claims.Text(prog, u, 0, claims.Everything)
		case u.Kind == explore.TestSkipped:
			return "vacuous: the test skips itself"
		case u.Kind == explore.NotPerformed:
			missed = append(missed, "operation "+u.Operation.Name+" was never performed")
		case u.Kind == explore.NeverReached && u.Node != nil:
			missed = append(missed, "no execution comes to "+name)
		case u.Kind == explore.NeverReached:
			missed = append(missed, "nothing could race")
		case u.Kind == explore.OnlyAtStart:
			missed = append(missed, name+" was looked at in the initial state only")
		case u.Kind == explore.NothingToDo && u.Section == "eventually":
			missed = append(missed, name+" holds at the start")
		case u.Kind == explore.NothingToDo && u.Section == "eventually_always":
			missed = append(missed, name+" holds in every state")
		case u.Kind == explore.NothingToDo:
			missed = append(missed, "the left side of "+u.Property.Text+" never holds")
		}
	}
	if len(missed) > 2 {
		missed = append(missed[:1], fmt.Sprintf("%d more properties were not checked either", len(missed)-1))
	}
	return "vacuous: nothing wrong, but " + strings.Join(missed, ", and ")
}
