package replay

import (
	"context"
	"slices"

	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// An Ending says how a schedule ended.
type Ending string

const (
	Ended      Ending = "ended"      // all processes have finished
	Deadlocked Ending = "deadlock"   // nothing is enabled, and not all have finished
	Failed     Ending = "failed"     // a step has failed
	Dropped    Ending = "dropped"    // an assumption is false
	Unfinished Ending = "unfinished" // something is enabled
	Endless    Ending = "endless"    // the schedule goes round for ever
)

// endings are those of executions in which nothing is enabled.
var endings = map[step.Ending]Ending{step.Ended: Ended, step.Deadlocked: Deadlocked, step.Failed: Failed,
	step.Cut: Dropped}

// An Execution is a schedule that has been run: its steps, what it has led to, and what is wrong with it.
type Execution struct {
	// Verdict is explore.Violated if anything is wrong; else explore.Incomplete if the execution has not come to an
	// end, explore.Vacuous if an assumption has dropped it or nothing that the program claims was checked in it, and
	// explore.OK.
	Verdict explore.Verdict `json:"verdict"`
	Ending  Ending          `json:"ending"`
	Cycle   int             `json:"cycle,omitempty"` // the first of the steps that go round for ever, from 1
	Steps   []Step          `json:"steps"`
	Values  []Value         `json:"values"`     // of the shared variables at the end
	Wrong   []string        `json:"violations"` // in the order in which it showed, each text once
	// Places are where in the program the first of Wrong are, as file:line:column; empty where the text says it.
	Places []string `json:"-"`
	// Why explains the deadlock, if it is one.
	Why *deadlock.Explanation `json:"why,omitempty"`
	// History is that of an execution that has come to its end, of a program with a specification.
	History *History `json:"history,omitempty"`
	// Violations are what Wrong says, as a search has it; there are several for a text if several processes do the
	// same.
	Violations []*explore.Violation `json:"-"`
	// Held is what the execution was checked for and keeps, Unchecked what it had no occasion for.
	Held      []explore.Claim     `json:"-"`
	Unchecked []explore.Unchecked `json:"-"`
	judged    *explore.Result     // as a search judges it
}

// Run runs a schedule and judges it as a search judges the execution: explore.Walk says what is wrong on the way and at
// its end, explore.JudgeLasso what is wrong with it as a whole. A schedule without a cycle may end before the program
// does; then nothing is said of how it goes on. opt bounds what is explored to see whether an end can be reached from a
// cycle. The error is a *Divergence, a *explore.NotRound or an internal one; the steps so far are in the execution.
func (p *Player) Run(ctx context.Context, l *liveness.Lasso, opt explore.LivenessOptions) (*Execution, error) {
	x, err := p.follow(l.Actions())
	if err != nil {
		return x, err
	}
	whole, err := explore.JudgeLasso(ctx, p.m, l, opt)
	if err != nil {
		return x, err
	}
	if len(l.Cycle) > 0 {
		x.Ending, x.Cycle = Endless, len(l.Stem)+1
	}
	if whole != nil {
		for _, v := range whole.Violations {
			x.Wrong = append(x.Wrong, p.lassoText(v))
		}
		x.Violations = append(x.Violations, whole.Violations...)
	}
	x.judged.Judge(whole)
	x.weigh()
	x.Verdict = verdictOf(x)
	return x, nil
}

// verdictOf is the verdict of an execution whose other parts are there.
func verdictOf(x *Execution) explore.Verdict {
	switch {
	case len(x.Wrong) > 0:
		return explore.Violated
	case x.Ending == Unfinished || x.Ending == Endless:
		return explore.Incomplete
	case x.Ending == Dropped || slices.ContainsFunc(x.Unchecked, func(u explore.Unchecked) bool { return u.Vacuous }):
		return explore.Vacuous
	}
	return explore.OK
}

// weigh says what of the claims of the program this execution alone has shown. If that is nothing, what it had no
// occasion for takes the verdict ok away.
func (x *Execution) weigh() {
	if x.Ending == Unfinished {
		return
	}
	x.Held = x.judged.Held
	for _, u := range x.judged.Unchecked {
		if u.Section != "" {
			u.Vacuous = len(x.Held) == 0
			x.Unchecked = append(x.Unchecked, u)
		}
	}
}

// follow runs a schedule, with an explore.Walk along with it.
func (p *Player) follow(schedule []int32) (*Execution, error) {
	x := &Execution{Steps: []Step{}, Wrong: []string{}}
	var found []*explore.Violation
	w, err := explore.NewWalk(p.m, "", func(v *explore.Violation) (more bool) {
		found = append(found, v)
		return true
	})
	if err != nil {
		return x, err
	}
	tell := func(s step.State) {
		slices.SortStableFunc(found, func(a, b *explore.Violation) int { return rank(a) - rank(b) })
		for _, v := range found {
			if text := p.shownText(v, s, schedule, x.Steps); !slices.Contains(x.Wrong, text) {
				x.Wrong, x.Places = append(x.Wrong, text), append(x.Places, p.placeOf(v))
			}
		}
		x.Violations = append(x.Violations, found...)
		found = nil
	}
	tell(p.m.Initial())
	s, err := p.Follow(schedule, func(s step.State, done Step) {
		x.Steps = append(x.Steps, done)
		w.Take(int(schedule[len(x.Steps)-1]))
		tell(s)
	})
	if err != nil {
		return x, err
	}
	x.Values, x.Ending = Shared(p.m.Program, s), Unfinished
	if len(w.Enabled()) == 0 {
		end := w.End()
		x.Ending = endings[end]
		tell(s)
		if end == step.Deadlocked {
			x.Why = p.Why(s, schedule)
		}
		if end == step.Ended || end == step.Deadlocked {
			if x.History, err = HistoryOf(p.m, s); err != nil {
				return x, err
			}
		}
	}
	x.judged = w.Finish(explore.StoppedSimulation)
	x.Verdict = verdictOf(x)
	return x, nil
}

// placeOf is where in the program a violation is, empty if its text says it or it is about a state.
func (p *Player) placeOf(v *explore.Violation) string {
	switch prog := p.m.Program; {
	case prog.Native():
	case v.Property != nil:
		return prog.At(v.Property.Pos)
	case v.Node != nil:
		return prog.At(v.Node.Pos)
	}
	return ""
}

// rank orders what one state shows to be wrong: always behind invariants, and the whole execution last.
func rank(v *explore.Violation) int {
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

// Shows is the last violation that a schedule shows, in words; empty if it shows none.
func (p *Player) Shows(schedule []int32) string {
	x, err := p.follow(schedule)
	if err != nil || len(x.Wrong) == 0 {
		return ""
	}
	return x.Wrong[len(x.Wrong)-1]
}
