package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/lang/step"
)

// A replayed schedule and what is wrong at its end.
type replayed struct {
	Cdpor   int             `json:"cdpor"`
	Verdict explore.Verdict `json:"verdict"`
	Ending  string          `json:"ending"`          // ended, deadlock, failed, dropped, unfinished, endless
	Cycle   int             `json:"cycle,omitempty"` // the number, from 1, of the first of the steps that go round for ever
	Steps   []tracedStep    `json:"steps"`
	Values  []value         `json:"values"` // of the shared variables at the end
	Wrong   []string        `json:"violations"`
	// Why explains the deadlock, if it is one.
	Why     *deadlock.Explanation `json:"why,omitempty"`
	History *jsonHistory          `json:"history,omitempty"` // of an execution that has come to its end, of a program with a specification
}

// replay runs a schedule, and an explore.Walk along with it says what is wrong, as it does in a search. After an error
// the steps so far are in the result.
func (t *tracer) replay(schedule []int32) (*replayed, error) {
	r := &replayed{Cdpor: output.Version, Steps: []tracedStep{}, Wrong: []string{}}
	var found []*explore.Violation
	w, err := explore.NewWalk(t.m, "", func(v *explore.Violation) (more bool) {
		found = append(found, v)
		return true
	})
	if err != nil {
		return r, err
	}
	tell := func(s step.State) {
		slices.SortStableFunc(found, func(a, b *explore.Violation) int { return wrongRank(a) - wrongRank(b) })
		for _, v := range found {
			if text := t.wrongText(v, s, schedule, r.Steps); !slices.Contains(r.Wrong, text) {
				r.Wrong = append(r.Wrong, text)
			}
		}
		found = found[:0]
	}
	tell(t.m.Initial())
	s, err := t.run(schedule, func(_ int, s step.State, done tracedStep) {
		r.Steps = append(r.Steps, done)
		w.Take(int(schedule[len(r.Steps)-1]))
		tell(s)
	})
	if err != nil {
		return r, err
	}
	r.Values, r.Ending = sharedValues(t.m.Program, s), "unfinished"
	if len(w.Enabled()) == 0 {
		end := w.End()
		r.Ending = endingTexts[end]
		tell(s)
		if end == step.Deadlocked {
			r.Why = t.why(s, schedule)
		}
		if end == step.Ended || end == step.Deadlocked {
			if r.History, err = historyOf(t.m, s); err != nil {
				return r, err
			}
		}
	}
	switch {
	case len(r.Wrong) > 0:
		r.Verdict = explore.Violated
	case r.Ending == "unfinished":
		r.Verdict = explore.Incomplete
	case r.Ending == "dropped":
		r.Verdict = explore.Vacuous
	default:
		r.Verdict = explore.OK
	}
	return r, nil
}

// endingTexts are the values of replayed.Ending for the ends of executions.
var endingTexts = map[step.Ending]string{step.Ended: "ended", step.Deadlocked: "deadlock", step.Failed: "failed", step.Cut: "dropped"}

// wrongRank orders what one state shows to be wrong: always behind invariants, and the whole execution last.
func wrongRank(v *explore.Violation) int {
	switch {
	case v.Kind == explore.FailedStep && len(v.Schedule) == 0:
		return 2
	case v.Kind == explore.AlwaysBroken && v.Node == nil:
		return 1
	case v.Kind == explore.OutcomeExtra:
		return 3
	case v.Kind == explore.NotLinear:
		return 4
	}
	return 0
}

// wrongText says what is wrong with the execution of a schedule, in the state where that showed and behind the steps
// so far.
func (t *tracer) wrongText(v *explore.Violation, s step.State, schedule []int32, steps []tracedStep) string {
	prog := t.m.Program
	if v.Node != nil || v.Kind == explore.FailedStep {
		fault, at, _ := t.m.Failure(s, v.Proc)
		if at != nil && at.Property != nil && fault == at.Fault {
			return keptText(prog, at.Property, v.Proc, at)
		}
		who := prog.Procs[v.Proc].Name
		if n := len(steps); n > 0 && steps[n-1].proc == v.Proc {
			who = steps[n-1].Step
		}
		return who + ": " + faultText(fault, at)
	}
	switch v.Kind {
	case explore.DeadlockFound:
		return t.deadlockText(s, schedule)
	case explore.OutcomeExtra:
		return "the outcome " + join(observed(prog, v.Words)) + " is not listed in check.outcomes"
	case explore.NotLinear:
		return notLinearText()
	}
	kind := propertyKinds[v.Kind]
	if v.Fault == step.BadProperty {
		return kind + " " + v.Property.Text + " cannot be evaluated"
	}
	return propertyText(kind, v.Property)
}

// propertyKinds are the sections in which properties of states stand, by how they are violated.
var propertyKinds = map[explore.ViolationKind]string{explore.FinalBroken: "final", explore.NotReached: "reachable",
	explore.ReachedAnyway: "unreachable", explore.InvariantFalse: "invariant", explore.AlwaysBroken: "always"}

func (t *tracer) anyEnabled(s step.State) bool {
	for p := range t.m.NumProcs() {
		if t.r.Enabled(s, p) {
			return true
		}
	}
	return false
}

// lastWrong is what a schedule shows to be wrong last, empty if it shows nothing.
func (t *tracer) lastWrong(schedule []int32) string {
	r, err := t.replay(schedule)
	if err != nil || len(r.Wrong) == 0 {
		return ""
	}
	return r.Wrong[len(r.Wrong)-1]
}

// show prints a schedule that has been run, or how far it could be followed; err is what replay returned. The steps may have been
// shown already.
func (r *replayed) show(e *environment, prog *step.Program, err error, asJSON, shown bool) error {
	switch {
	case errDiverged(err):
		if !asJSON && !shown {
			printTrace(e.stdout, e.colour(e.stdout), terminal.Columns(e.stdout), prog, 0, r.Steps, 0, 0)
		}
		return fault.Input{Err: err}
	case err != nil:
		return err
	case asJSON:
		return r.printJSON(e.stdout)
	case shown:
		return terminal.Folded(e.stdout, func(w io.Writer) error {
			r.printEnd(w, e.colour(e.stdout), terminal.Columns(e.stdout))
			return nil
		})
	default:
		return terminal.Folded(e.stdout, func(w io.Writer) error {
			r.print(w, e.colour(e.stdout), terminal.Columns(e.stdout), prog)
			return nil
		})
	}
}

func (r *replayed) print(w io.Writer, colour terminal.Colour, columns int, prog *step.Program) {
	fmt.Fprintf(w, "schedule of %s\n", terminal.Plural(len(r.Steps), "step"))
	cycle := 0
	if r.Cycle > 0 {
		cycle = len(r.Steps) - r.Cycle + 1
	}
	printTrace(w, colour, columns, prog, 0, r.Steps, r.Cycle-1, cycle)
	r.printEnd(w, colour, columns)
}

// printEnd writes where the schedule has led to.
func (r *replayed) printEnd(w io.Writer, colour terminal.Colour, columns int) {
	fmt.Fprintf(w, "then         %s\n", join(r.Values))
	told := false // of the deadlock
	for _, text := range r.Wrong {
		if r.Why != nil && strings.HasPrefix(text, deadlockKey+": ") {
			fmt.Fprintf(w, "%s    %s\n", colour.Bad("violation"), deadlockKey)
			printWhy(w, columns, 13, r.Why)
			told = true
			continue
		}
		fmt.Fprintf(w, "%s    %s\n", colour.Bad("violation"), text)
	}
	if r.Why != nil && !told {
		fmt.Fprintln(w, deadlockKey)
		printWhy(w, columns, 13, r.Why)
	}
	if r.History != nil {
		fmt.Fprintln(w, "history")
		r.History.print(w, columns)
	}
	text := fmt.Sprintf("%s: %s", r.Verdict, map[string]string{
		"ended":      "the execution ended normally",
		"deadlock":   "the execution is deadlocked",
		"failed":     "the execution failed",
		"dropped":    "the execution was dropped by an assumption",
		"unfinished": "the schedule ends before the program does",
		endless:      "the execution goes round for ever",
	}[r.Ending])
	fmt.Fprintf(w, "verdict      %s\n", colour.Verdict(r.Verdict, text))
}
