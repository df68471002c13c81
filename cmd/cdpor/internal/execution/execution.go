package execution

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang/step"
)

// A Replayed schedule, as it is shown.
type Replayed struct {
	Cdpor int `json:"cdpor"`
	*replay.Execution
	Holds     []claims.JSONClaim       `json:"holds,omitempty"`
	Unchecked []claims.JSONUnchecked   `json:"unchecked,omitempty"`
	Source    func(file string) []byte `json:"-"` // nil: lines of the program are not shown
	prog      *step.Program
}

// New prepares an execution of a program for being shown.
func New(prog *step.Program, x *replay.Execution) Replayed {
	return Replayed{output.Version, x, claims.HeldJSON(prog, x.Held),
		claims.UncheckedJSON(prog, x.Unchecked, 0, claims.OneExecution), nil, prog}
}

// ReplayError is the error of replay.Player.Run for the user.
func ReplayError(err error) error {
	if at := (*replay.Divergence)(nil); errors.As(err, &at) {
		return fault.Input{Err: err}
	}
	if at := (*explore.NotRound)(nil); errors.As(err, &at) {
		return fault.Inputf("schedule: %w", err)
	}
	return err
}

// Show prints a schedule that has been run, or how far it could be followed; err is what Run returned.
func (r Replayed) Show(out io.Writer, colour terminal.Colour, prog *step.Program, err error, asJSON bool) error {
	switch at := (*replay.Divergence)(nil); {
	case errors.As(err, &at) && prog.Native(): // several numbers of the schedule may be one of the steps that are shown
		rows, _ := Rows(prog, r.Steps, -1)
		if !asJSON {
			PrintTrace(out, colour, terminal.Columns(out), prog, 0, rows, 0, 0)
		}
		return fault.Inputf("the program does not follow the schedule behind step %d, at number %d of the schedule: %s",
			len(rows), at.Step, at.Why)
	case err != nil:
		if at != nil && !asJSON {
			PrintTrace(out, colour, terminal.Columns(out), prog, 0, r.Steps, 0, 0)
		}
		return ReplayError(err)
	case asJSON:
		return output.Write(out, r)
	default:
		return terminal.Folded(out, func(w io.Writer) error {
			r.print(w, colour, terminal.Columns(out), prog)
			return nil
		})
	}
}

func (r Replayed) print(w io.Writer, colour terminal.Colour, columns int, prog *step.Program) {
	rows, stem := Rows(prog, r.Steps, r.Cycle-1)
	fmt.Fprintf(w, "schedule of %s\n", terminal.Plural(len(rows), "step"))
	cycle := 0
	if r.Cycle > 0 {
		cycle = len(rows) - stem
	}
	PrintTrace(w, colour, columns, prog, 0, rows, stem, cycle)
	r.printEnd(w, colour, columns)
}

// printEnd writes where the schedule has led to.
func (r Replayed) printEnd(w io.Writer, colour terminal.Colour, columns int) {
	fmt.Fprintf(w, "then         %s\n", replay.Join(r.Values))
	told := false // of the deadlock
	for i, text := range r.Wrong {
		if name, _, _ := strings.Cut(text, ": "); r.Why != nil && slices.Contains(replay.DeadlockNames, name) {
			fmt.Fprintf(w, "%s    %s\n", colour.Bad("violation"), name)
			PrintWhy(w, r.prog, colour, columns, r.Source, r.Why)
			told = true
			continue
		}
		if i < len(r.Places) && r.Places[i] != "" {
			text = r.Places[i] + ": " + text
		}
		fmt.Fprintf(w, "%s    %s\n", colour.Bad("violation"), text)
	}
	if r.Why != nil && !told {
		fmt.Fprintln(w, explore.DeadlockFound)
		PrintWhy(w, r.prog, colour, columns, r.Source, r.Why)
	}
	if r.History != nil {
		fmt.Fprintln(w, "history")
		PrintHistory(w, columns, r.History)
	}
	held := r.Held
	if r.Verdict == explore.Violated && r.prog.Native() {
		held = nil // what goes without saying, in an execution that does not end there
	}
	claims.Print(w, colour.Doubt, r.prog, r.Execution.Unchecked, 0, held, claims.OneExecution, maxUnchecked)
	text := fmt.Sprintf("%s: %s", r.Verdict, map[replay.Ending]string{
		replay.Ended:      "the execution ended normally",
		replay.Deadlocked: "the execution is deadlocked",
		replay.Failed:     "the execution failed",
		replay.Dropped:    "the execution was dropped by an assumption",
		replay.Unfinished: "the schedule ends before the program does",
		replay.Endless:    "the execution goes round for ever",
	}[r.Ending])
	if r.Verdict == explore.Violated && r.Ending == replay.Unfinished {
		text = fmt.Sprintf("%s: a step of the schedule shows it", r.Verdict)
	}
	if r.Verdict == explore.Vacuous && r.Ending != replay.Dropped {
		text += ", and nothing was checked in it"
	}
	fmt.Fprintf(w, "verdict      %s\n", colour.Verdict(r.Verdict, text))
}

// maxUnchecked is the number of lines that say what was not checked.
const maxUnchecked = 5

// executed is how a schedule of a test that was executed begins.
var executed = regexp.MustCompile(`^[cht](\.\d+)*(:\d+)?(\*\d+)?$`)

// ParseSchedule reads a schedule of the command line or of a file.
func ParseSchedule(m *step.Machine, text string) (*liveness.Lasso, error) {
	l, err := schedules.ParseLasso(m, text)
	if err != nil {
		if first, _, _ := strings.Cut(text, ","); m.Program.Native() && executed.MatchString(first) {
			return nil, fault.Inputf("schedule: %s is of a test that was executed: add --engine run", text)
		}
		return nil, fault.Inputf("schedule: %w", err)
	}
	return l, nil
}

// Histories of operations, for people.

const (
	laneWidth  = 80 // of lanes among other text, unless it is known how many columns there are
	laneIndent = "  "
)

// PrintHistory writes the lanes of a history, and why it is not linearizable.
func PrintHistory(w io.Writer, columns int, h *replay.History) {
	if len(h.Operations) == 0 {
		fmt.Fprintln(w, laneIndent+"no operations")
	}
	for _, lane := range h.Draw(cmp.Or(columns, laneWidth) - len(laneIndent)) {
		fmt.Fprintln(w, strings.TrimRight(laneIndent+lane, " "))
	}
	for _, text := range h.Reasons() {
		fmt.Fprintln(w, laneIndent+text)
	}
}
