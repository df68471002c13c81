package report

import (
	"fmt"

	"cdpor/explore"
)

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
