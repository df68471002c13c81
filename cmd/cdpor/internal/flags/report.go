package flags

import (
	"github.com/alecthomas/kong"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// ReportFlags say what is shown of a search.
type ReportFlags struct {
	Verbose       bool   `short:"v" help:"Show how the search went as well: constraints and what each was good for, decisions, all counts, the schedule of each outcome."`
	Show          int    `placeholder:"N" help:"Print the schedule of outcome number N of the table of outcomes, step by step."`
	Save          string `predictor:"file" placeholder:"FILE" help:"Write the chosen schedule, else that of the first violation or deadlock, to a file, together with the program; cdpor run FILE follows it again."`
	AllViolations bool   `help:"Show every violation. Else those that happen at the same place in several instances of a thread are shown as one, and five at most."`
	NoMinimize    bool   `help:"Show schedules as they were found, not the equivalent ones with the fewest switches between processes."`
	JSON          bool   `name:"json" help:"Print the result as one JSON object."`
}

// LivenessFlags bound what is done to find out whether executions end.
type LivenessFlags struct {
	GraphStates int `default:"500000" placeholder:"N" help:"How many states the full graph may have on which termination, eventually, eventually_always and leads_to are judged; with more they are not decided. Default: 500000."`
}

// Liveness are the bounds for package explore, for one execution.
func (f *LivenessFlags) Liveness() explore.LivenessOptions {
	return explore.LivenessOptions{MaxStates: f.GraphStates}
}

// CoverageFlag is whether coverage is wanted.
type CoverageFlag struct {
	Coverage bool `help:"Show which statements, sides of conditions and alternatives no execution takes, and which constraints are never true. Where the algorithm leaves too much out to tell, the state graph is searched as well, up to a million states."`
}

// Machine makes the machine of a program.
func (f *CoverageFlag) Machine(p *step.Program) (*step.Machine, error) {
	if f.Coverage {
		return step.NewCoveringMachine(p)
	}
	return step.NewMachine(p)
}

// VacuousFlag is how a vacuous verdict is taken.
type VacuousFlag struct {
	AllowVacuous bool `help:"Take it for ok if no property was checked, or one was never evaluated, because no execution came there. Otherwise the verdict is vacuous then, and the exit code 3."`
}

// Allow changes a vacuous verdict if that is wanted.
func (f *VacuousFlag) Allow(r *explore.Result) {
	if f.AllowVacuous {
		r.AllowVacuous()
	}
}

// AllowExecution changes the verdict of a schedule that an assumption dropped, if that is wanted.
func (f *VacuousFlag) AllowExecution(r *replay.Execution) {
	if f.AllowVacuous && r.Verdict == explore.Vacuous {
		r.Verdict = explore.OK
	}
}

// FormatFlags say for whom messages about files are written.
type FormatFlags struct {
	Format string `enum:"text,github" default:"text" placeholder:"NAME" help:"How to write what is wrong with a file: text, or github for annotations in GitHub Actions. Default: text."`
}

// AfterApply tells the environment before the command runs.
func (f FormatFlags) AfterApply(e *environment.Environment) error {
	e.GitHub = f.Format == "github"
	return nil
}

// HelpAll is the flag that shows all flags of a command.
type HelpAll bool

// IgnoreDefault and BeforeReset are called by kong, as they are for --help.
func (HelpAll) IgnoreDefault() {}

func (HelpAll) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	ctx.Exit(0)
	return nil
}
