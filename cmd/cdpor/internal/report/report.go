package report

import (
	"context"
	"fmt"
	"io"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/page"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/explore/simulate"
	"cdpor/lang/step"
)

// A Report has the results of a run.
type Report struct {
	Machine   *step.Machine
	Player    *replay.Player
	Source    func(file string) []byte // the text of a file of a Go program, nil if it is not the user's
	Out       io.Writer
	Colour    terminal.Colour
	Options   Options
	Algorithm *explore.Algorithm
	Knowledge *source.Source
	Result    *explore.Result
	Tree      *page.Tree                  // of the exploration, as far as a file is to show it; else nil
	Drawn     *explore.Result             // of the search whose tree it is, if that was another one
	Page      string                      // the file with the page, if it is written
	Time      time.Duration               // of the exploration
	Raised    string                      // what came of raising the bounds of the program, if they were
	Recorded  *explore.Violation          // the one that --save has written
	known     map[*explore.Violation]bool // to a baseline
	Idle      []*step.Var                 // that no property depends on
	Atomicity *Atomicity                  // nil: not wanted
	// checkpoint is the file from which an unfinished search can be gone on with, empty if there is none.
	Checkpoint string
	Lost       string            // what is to be said if it does not have all that was explored
	Invariants *invariants.Check // in all states; nil if the search has come to them, or did not end
	coverage   *coverage         // nil if it is not wanted
	Patience   context.Context   // when it has ended, schedules are shown as they were found
	grouped    []Group
	simplified map[*explore.Violation][]int32 // see schedule
	Simulated  []string                       // schedules that showed something wrong before the search
	Simulation *simulate.Result               // nil if the result is that of a search
	// onlySimulated are violations of the result that the search did not come to.
	onlySimulated []*explore.Violation
}

// Options say what a report shows, and how to run the program again.
type Options struct {
	Program   string // its file
	Arguments string // the program and what was changed about it, for a command line
	Saved     string // the file with the schedule of a violation, if there is one
	Bounds
	Symmetry      bool // interchangeable threads were looked for
	Constrained   bool // the algorithm uses the constraints, if there are any
	Alone         bool // random schedules are all there is to run
	Verbose       bool // how the search went is shown as well
	AllViolations bool
	NoMinimize    bool
	EarlyCounts   bool // a failed test counts also if it fails only since a timer fires early
	GitHub        bool // what is wrong is repeated as annotations for GitHub Actions
	Show          int  // the number of an outcome whose schedule is shown, 0: none
}

// Bounds limit a search.
type Bounds struct {
	MaxExecutions int64
	MaxDepth      int
	Preemptions   *int
}

// name names the bound that ended a search, as the flag that moves it, and what else must be said about it.
func (f *Bounds) name(stopped string, a *explore.Algorithm) string {
	switch stopped {
	case explore.StoppedExecutions:
		return fmt.Sprintf("--max-executions %d", f.MaxExecutions)
	case explore.StoppedBounds:
		return "what --bound sets"
	case explore.StoppedFirst:
		return "--stop-at-first"
	case explore.StoppedEnough:
		return "--keep-going explores the rest"
	case explore.StoppedDepth:
		depth := f.MaxDepth
		if depth == 0 {
			depth = explore.DefaultMaxDepth
		}
		return fmt.Sprintf("--max-depth %d", depth)
	case explore.StoppedPreemption:
		text := fmt.Sprintf("--preemptions %d", *f.Preemptions)
		if a.Name != "interleavings" && !a.Stateful {
			text += ", and " + a.Name + " may explore only a part of that"
		}
		return text
	}
	return stopped
}

// Judge finds out whether executions end, and what must happen in all of them, and adds that to the results; on a full
// graph of at most n states.
func (r *Report) Judge(ctx context.Context, n int) error {
	if n < 0 {
		return fault.Inputf("--graph-states cannot be negative")
	}
	if s := r.Result.Stopped; ctx.Err() != nil || s == explore.StoppedContext || s == explore.StoppedEnough {
		return nil
	}
	l := explore.JudgeLiveness(ctx, r.Machine, explore.LivenessOptions{MaxStates: n, GiveUp: limits.GivingUp(ctx),
		Searched: []*explore.Result{r.Result}})
	r.Result.Judge(l)
	return explore.Settle(ctx, r.Result, limits.GivingUp(ctx))
}
