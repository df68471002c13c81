package report

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/step"
)

// A hit is a bound of the program that cut executions.
type hit struct {
	At   string `json:"at"` // file:line:column
	What string `json:"what"`
}

// boundsHit are the bounds that cut executions, in the order of their places.
func (r *Report) boundsHit() (list []hit) {
	if !r.Machine.Program.Bounded {
		return nil
	}
	for _, n := range r.Machine.BoundsHit() {
		list = append(list, hit{r.Machine.Program.At(n.Pos), n.Msg})
	}
	return list
}

// Unended says that a bound of the program has cut every execution, so that nothing was checked, and where; empty if
// that is not so.
func (r *Report) Unended() string {
	if res := r.Result; res.Verdict != explore.Bounded || res.Executions > 0 || res.Stopped != explore.StoppedBounds {
		return ""
	}
	var where []string
	for _, h := range r.boundsHit() {
		where = append(where, h.What+", "+h.At)
	}
	return "no execution came to its end (" + strings.Join(where, "; ") + ")"
}

// Early are the places at which a test fails only if a timer fires early.
func (r *Report) Early() (list []string) {
	for _, v := range r.Result.Excused {
		list = append(list, r.Machine.Program.At(v.Node.Pos))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// AllRight is how the last line begins if the verdict is ok.
const AllRight = "ok: every outcome was explored and nothing is wrong"

// Verdict is the last line of the report.
func (r *Report) Verdict() string {
	res := r.Result
	reservation := ""
	if r.Knowledge.Trust == source.OnFaith {
		reservation = ", if the constraints are right: they were not proved"
	}
	if len(res.Excused) > 0 {
		reservation += ", unless a timer fires early"
	}
	if r.Atomicity.shown() != nil {
		reservation += ", as long as each statement is one step"
	}
	switch {
	case res.Verdict == explore.OK:
		if text := historiesText(r.Machine.Program, res); text != "" {
			reservation = "; " + text + reservation
		}
		if slices.ContainsFunc(res.Unchecked, func(u explore.Unchecked) bool { return u.Vacuous }) {
			return AllRight + ", as far as it was checked" + reservation
		}
		return AllRight + reservation
	case res.Verdict == explore.Violated && r.Simulation != nil && res.Stopped == explore.StoppedFirst:
		return fmt.Sprintf("violation: found by random run %d; --simulate 0 searches instead", r.Simulation.Schedules)
	case res.Verdict == explore.Violated && r.Simulation != nil:
		return fmt.Sprintf("violation: %s, in %s; nothing was explored", r.howMany("violation"),
			terminal.Plural(r.Simulation.Schedules, "schedule"))
	case res.Verdict == explore.Violated && len(r.onlySimulated) > 0:
		rest := "nothing else is wrong"
		if n := len(r.Groups()) - len(r.onlySimulated); n > 0 {
			rest = fmt.Sprintf("%s more", terminal.Plural(n, "violation"))
		}
		return fmt.Sprintf("violation: %s by simulation; %s in the part that was explored (%s)",
			terminal.Plural(len(r.onlySimulated), "violation"), rest, r.bound())
	case res.Verdict == explore.Violated && res.Stopped != explore.StoppedComplete &&
		!(r.Machine.Program.Native() && res.Stopped == explore.StoppedBounds): // which lines below tell
		if len(r.Groups()) == 1 {
			return fmt.Sprintf("violation; the search ended early (%s)", r.bound())
		}
		return fmt.Sprintf("violation: %s; the search ended early (%s)", r.howMany("violation"), r.bound())
	case res.Verdict == explore.Violated && len(r.Groups()) == 1:
		return "violation"
	case res.Verdict == explore.Violated:
		return "violation: " + r.howMany("distinct violation")
	case res.Stopped == explore.StoppedSimulation:
		return "incomplete: nothing wrong in " + terminal.Plural(r.Simulation.Schedules, "schedule") +
			", and nothing was explored"
	}
	if res.Verdict == explore.Vacuous {
		text := vacuousText(r.Machine.Program, res)
		if res.Stopped != explore.StoppedComplete {
			text += " (bounded by " + r.bound() + ")"
		}
		return text
	}
	if l := res.Liveness; l != nil && l.Open != "" && res.Stopped == explore.StoppedComplete {
		return fmt.Sprintf("%s: every outcome was explored, but it was not decided whether executions end%s: %s",
			res.Verdict,
			map[bool]string{true: " and do what they must"}[r.Machine.Program.Checks.Live()], openText(l))
	}
	if text := r.Unended(); text != "" {
		return "bounded, unchecked: " + text
	}
	if res.Verdict == explore.Bounded {
		return fmt.Sprintf("bounded by %s: nothing wrong within the bound%s", r.bound(), reservation)
	}
	return fmt.Sprintf("incomplete (%s): nothing wrong in the part that was explored", res.Stopped)
}

// bound says what ended the search.
func (r *Report) bound() string { return r.Options.name(r.Result.Stopped, r.Algorithm) }

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

func openText(l *explore.Liveness) string {
	if l.Open == explore.StoppedGraph {
		return fmt.Sprintf("more than %s (--graph-states)", terminal.Plural(l.Limit, "state"))
	}
	return l.Open
}
