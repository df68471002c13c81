package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
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

// replay runs a schedule and judges it as the search would: failures and invariants after every step, whether or not
// the execution is over, and properties of final states only if the program is at its end. After an error the steps
// so far are in the result.
func (t *tracer) replay(schedule []int32) (*replayed, error) {
	r := &replayed{Cdpor: jsonVersion, Steps: []tracedStep{}, Wrong: []string{}}
	prog := t.m.Program
	wrong := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(r.Wrong, text) {
			r.Wrong = append(r.Wrong, text)
		}
	}
	require := func(s step.State, list []*step.Property, want bool, kind string) {
		for _, p := range list {
			if holds, ok := t.m.CompileCondition(p.Expr, -1, -1)(t.r, s); !ok {
				wrong("%s %s cannot be evaluated", kind, p.Text)
			} else if holds != want {
				wrong("%s", propertyText(kind, p))
			}
		}
	}
	failed := make([]bool, t.m.NumProcs())
	// failures reports the processes that have failed since it was called last: the one that took a step, and those
	// it started.
	failures := func(s step.State, done tracedStep) {
		for p, before := range failed {
			var fault step.Fault
			var at *step.Node
			switch fault, at, failed[p] = t.m.Failure(s, p); {
			case before || !failed[p]:
			case at.Property != nil && fault == at.Fault:
				wrong("%s", keptText(prog, at.Property, p, at))
			case done.Step != "" && done.proc == p:
				wrong("%s: %s", done.Step, faultText(fault, at))
			default:
				wrong("%s: %s", prog.Procs[p].Name, faultText(fault, at))
			}
		}
	}
	require(t.m.Initial(), prog.Invariants, true, "invariant")
	require(t.m.Initial(), prog.Checks.Always, true, "always")
	failures(t.m.Initial(), tracedStep{})
	s, err := t.run(schedule, func(_ int, s step.State, done tracedStep) {
		r.Steps = append(r.Steps, done)
		failures(s, done)
		require(s, prog.Invariants, true, "invariant")
	})
	if err != nil {
		return r, err
	}
	r.Values = sharedValues(prog, s)
	r.Ending = "unfinished"
	if !t.anyEnabled(s) {
		switch t.m.EndingOf(s) {
		case step.Ended:
			r.Ending = "ended"
			require(s, prog.Checks.Final, true, "final")
			require(s, prog.Checks.FinalAny, true, "final")
			require(s, prog.Checks.Unreachable, false, "unreachable")
			t.requireListed(s, wrong)
		case step.Deadlocked:
			r.Ending = "deadlock"
			r.Why = t.why(s, schedule)
			if prog.Checks.Deadlock == step.DeadlockForbidden {
				wrong("%s", t.deadlockText(s, schedule))
			}
			require(s, prog.Checks.FinalAny, true, "final")
		case step.Failed:
			r.Ending = "failed"
		case step.Cut:
			r.Ending = "dropped"
		}
	}
	if r.Ending == "ended" || r.Ending == "deadlock" {
		if r.History, err = historyOf(t.m, s); err != nil {
			return r, err
		}
		if r.History != nil && !r.History.Linearizable {
			wrong("%s", notLinearText())
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

// requireListed checks the outcome of a final state against check.outcomes.
func (t *tracer) requireListed(s step.State, wrong func(string, ...any)) {
	prog := t.m.Program
	if prog.Checks.Outcomes == nil {
		return
	}
	var words []int64
	for _, o := range prog.Observe {
		value, err := t.m.CompileValue(o.Expr)
		if err != nil {
			return
		}
		part, _ := value(t.r, s)
		words = append(words, part...)
	}
	if !slices.ContainsFunc(prog.Checks.Outcomes, func(row []int64) bool { return slices.Equal(row, words) }) {
		wrong("the outcome %s is not listed in check.outcomes", join(observed(prog, words)))
	}
}

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
			printTrace(e.stdout, e.ink(e.stdout), e.columns(e.stdout), prog, 0, r.Steps, 0, 0)
		}
		return fault.Input{Err: err}
	case err != nil:
		return err
	case asJSON:
		return r.printJSON(e.stdout)
	case shown:
		return e.folded(e.stdout, func(w io.Writer) error {
			r.printEnd(w, e.ink(e.stdout), e.columns(e.stdout))
			return nil
		})
	default:
		return e.folded(e.stdout, func(w io.Writer) error {
			r.print(w, e.ink(e.stdout), e.columns(e.stdout), prog)
			return nil
		})
	}
}

func (r *replayed) print(w io.Writer, ink ink, columns int, prog *step.Program) {
	fmt.Fprintf(w, "schedule of %s\n", plural(len(r.Steps), "step"))
	cycle := 0
	if r.Cycle > 0 {
		cycle = len(r.Steps) - r.Cycle + 1
	}
	printTrace(w, ink, columns, prog, 0, r.Steps, r.Cycle-1, cycle)
	r.printEnd(w, ink, columns)
}

// printEnd writes where the schedule has led to.
func (r *replayed) printEnd(w io.Writer, ink ink, columns int) {
	fmt.Fprintf(w, "then         %s\n", join(r.Values))
	told := false // of the deadlock
	for _, text := range r.Wrong {
		if r.Why != nil && strings.HasPrefix(text, deadlockKey+": ") {
			fmt.Fprintf(w, "%s    %s\n", ink.bad("violation"), deadlockKey)
			printWhy(w, columns, 13, r.Why)
			told = true
			continue
		}
		fmt.Fprintf(w, "%s    %s\n", ink.bad("violation"), text)
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
	fmt.Fprintf(w, "verdict      %s\n", ink.verdict(r.Verdict, text))
}
