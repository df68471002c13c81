package report

import (
	"fmt"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/step"
)

// What a search had no occasion to look at, in words.

// UncheckedText says in one line what was not looked at.
func UncheckedText(prog *step.Program, res *explore.Result, u explore.Unchecked) string {
	none := "no execution"
	if res.Stopped != explore.StoppedComplete {
		none = "in the part that was explored, no execution"
	}
	at := func() string { return prog.At(u.Property.Pos) + ": " }
	switch u.Kind {
	case explore.NoEnd:
		return none + " came to an end: " + notLooked(prog)
	case explore.AllDropped:
		if prog.Bounded {
			return "a bound cut every execution that came to an end"
		}
		return none + " that came to an end satisfies every assumption: assume dropped " +
			terminal.Plural(int(res.Dropped), "execution")
	case explore.NoNormalEnd:
		return none + " ended normally"
	case explore.NoOperation:
		return none + " that came to an end performed an operation: the specification was compared with nothing"
	case explore.NotEverywhere:
		return at() + u.Property.Text + " was looked at where the search came, which are not all states; " +
			"check.always is about all of them"
	case explore.OnlyDropped:
		return at() + u.Property.Text + " holds at the end of executions that an assumption dropped, and of no other"
	}
	return at() + u.Property.Text + " was never evaluated"
}

// notLooked says what nothing is known of when no execution ends.
func notLooked(prog *step.Program) string {
	c := &prog.Checks
	switch always := len(prog.Invariants)+len(c.Always)+len(c.Transition) > 0; {
	case always && c.Live():
		return "only what must always hold and executions as a whole were checked"
	case always:
		return "only what must always hold was checked"
	case c.Live():
		return "only executions as a whole were checked"
	}
	for _, t := range prog.Templates {
		for _, n := range t.Nodes {
			if n.Kind == step.Check && n.Fault == step.Assertion && n.Property == nil {
				return "no property was checked, but for assertions where executions came to them"
			}
		}
	}
	return "no property was checked"
}

// UncheckedTexts are all of them, for people.
func UncheckedTexts(prog *step.Program, res *explore.Result) (list []string) {
	for _, u := range res.Unchecked {
		list = append(list, UncheckedText(prog, res, u))
	}
	return list
}

// printUnchecked writes what was not looked at.
func (r *Report) printUnchecked(w io.Writer) {
	for i, text := range UncheckedTexts(r.Machine.Program, r.Result) {
		if i == maxViolations {
			fmt.Fprintf(w, "%-12s ... and %d more\n", "", len(r.Result.Unchecked)-i)
			return
		}
		fmt.Fprintf(w, "%s    %s\n", r.Colour.Doubt("unchecked"), text)
	}
}

// annotateUnchecked repeats for GitHub Actions what takes the verdict ok away.
func (r *Report) annotateUnchecked(w io.Writer) {
	for _, u := range r.Result.Unchecked {
		if !u.Vacuous || r.Result.Verdict != explore.Vacuous {
			continue
		}
		at, text := step.Pos{}, UncheckedText(r.Machine.Program, r.Result, u)
		if u.Property != nil {
			at = u.Property.Pos
			text = strings.TrimPrefix(text, r.Machine.Program.At(at)+": ")
		}
		terminal.Annotate(w, "warning", r.Machine.Program.Path, at, step.Pos{}, string(u.Kind), text)
	}
}

// vacuousText is the verdict of a search that looked at too little.
func vacuousText(prog *step.Program, res *explore.Result) string {
	var missed []string
	for _, u := range res.Unchecked {
		switch {
		case !u.Vacuous:
		case u.Kind == explore.NotEvaluated:
			missed = append(missed, u.Section+" "+u.Property.Text+" was never evaluated")
		case u.Kind == explore.NoOperation:
			missed = append(missed, "no execution that came to an end performed an operation of spec")
		case u.Kind == explore.AllDropped:
			return "vacuous: assumptions dropped every execution that came to an end"
		case u.Kind == explore.NoEnd:
			return "vacuous: no execution came to an end, so " + notLooked(prog)
		}
	}
	if len(missed) > 2 {
		missed = append(missed[:1], fmt.Sprintf("%d more properties were not either", len(missed)-1))
	}
	return "vacuous: nothing wrong, but " + strings.Join(missed, ", and ")
}

// A jsonUnchecked is something that was not looked at.
type jsonUnchecked struct {
	Kind     explore.UncheckedKind `json:"kind"`
	Section  string                `json:"section,omitempty"`
	Property string                `json:"property,omitempty"`
	Vacuous  bool                  `json:"vacuous"`
	Text     string                `json:"text"`
}

func uncheckedJSON(prog *step.Program, res *explore.Result) (list []jsonUnchecked) {
	for _, u := range res.Unchecked {
		j := jsonUnchecked{Kind: u.Kind, Section: u.Section, Vacuous: u.Vacuous, Text: UncheckedText(prog, res, u)}
		if u.Property != nil {
			j.Property = u.Property.Text
		}
		list = append(list, j)
	}
	return list
}
