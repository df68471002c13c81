package report

import (
	"context"
	"io"
	"time"

	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/pictures"
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
	Tree      *pictures.Tree              // of the exploration, as far as a file is to show it; else nil
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
