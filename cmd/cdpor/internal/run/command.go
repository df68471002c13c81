package run

import (
	"context"
	"maps"
	"time"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/record"
	"cdpor/cmd/cdpor/internal/remote"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/cmd/cdpor/internal/version"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

type Command struct {
	HelpAll flags.HelpAll `help:"Show all flags, with those for rarer purposes."`
	flags.ProgramFlags
	engineFlag
	flags.AlgorithmFlags
	Schedule    *string `placeholder:"LIST" help:"Run exactly this schedule, as a report gives it, and show every step: the number of the thread that takes it, such as 0,1,1,0. 0*12 takes twelve steps, 0:2 the third alternative of a step; those that thread 0 starts are 0/0.0, 0/0.1, 0/1.0: the place in its text, and how many it has started there. The part in parentheses of 0,1,(0,0,1) goes round for ever. Of a Go program what a goroutine does in one line is shown as one step, whatever it takes of the schedule. With --engine run: h is what runs the tests, t the test, t.0 what that starts first, c the clock. Or a file that --save has written."`
	StopAtFirst bool    `help:"End the search at the first violation, as soon as the execution that shows it is over."`
	Watch       bool    `help:"Run again whenever the program or its constraint file changes, until Ctrl-C."`
	flags.ReportFlags
	flags.GoSearchFlags
	flags.SearchFlags
	simulateFlags
	estimateFlag
	pictureFlags
	flags.MemoryFlags
	flags.LivenessFlags
	flags.CheckpointFlags
	flags.VacuousFlag
	flags.CoverageFlag
	remote.ConnectFlags
	nativeFlags
	changedFlags
	publishFlags
	flags.FormatFlags
}

type Resume struct {
	File            string        `arg:"" predictor:"file" help:"A file that cdpor run has written; with --connect, the name of a job."`
	Connect         string        `placeholder:"URL" help:"Come back to a search that cdpor run --connect has left to the workers of the NATS server at URL."`
	GoProgram       string        `name:"go-program" predictor:"file" placeholder:"PATH" help:"With --connect, of a Go program: the package or file that the search is of. It is loaded from nowhere else: where it was, as the job has it, others may have written."`
	MaxExecutions   *int64        `placeholder:"N" help:"Stop after N executions that are complete or cut by the depth limit, those before included; 0: no limit. Default: as for cdpor run."`
	Timeout         time.Duration `placeholder:"TIME" help:"Stop after a time such as 30s or 5m from now."`
	CheckpointEvery time.Duration `placeholder:"TIME" help:"How often to save the search in FILE. Default: as for cdpor run."`
	StopAtFirst     bool          `help:"End the search at the first violation that was not found before."`
	flags.ReportFlags
	flags.MemoryFlags
	flags.LivenessFlags
	flags.WorkersFlag
	flags.VacuousFlag
	flags.CoverageFlag
	publishFlags
	flags.FormatFlags
	remote.ServerFlags
}

// searching is how a run searches: once, or again within other bounds.
type searching struct {
	*Command
	env       *environment.Environment
	front     frontEnd
	algorithm *explore.Algorithm
	progress  *progress.Progress
	see       func(*explore.Result) // also called with the progress; may be nil
	cluster   *remote.Search        // of --connect; else nil
	unsaved   bool                  // there are no checkpoints
	runnable  bool                  // it is a Go test that can be run
	tried     bool                  // it has been run beside a search
	raised    map[string]int        // bounds that have been raised
	runs      map[string]*testRun   // by folder, where tests are run
}

// A frontEnd does what a run does in its own way for programs of one language.
type frontEnd interface {
	// check refuses flags that are not for its programs.
	check(*Command) error
	// tests explores functions of a program each by itself where several are meant, and reports whether it did.
	tests(context.Context, *searching) (done bool, err error)
	// untilEnough is the context of a search that ends early where that is better.
	untilEnough(context.Context, *searching, *report.Report, *explore.Options) (
		context.Context, context.CancelCauseFunc)
	// widened is the program within larger bounds where a search within its own would check nothing.
	widened(context.Context, *searching, step.Loaded, *step.Machine) (step.Loaded, *step.Machine, error)
	// rebound searches again within other bounds where that is better.
	rebound(context.Context, *searching, step.Loaded, *report.Report) (step.Loaded, *report.Report, error)
	// atomicity says which statements are to be explored with each access a step of its own, nil if none is.
	atomicity(*Command, step.Loaded) *report.Atomicity
	// watched are the files whose change matters, some as patterns.
	watched(context.Context, *Command) []string
}

// newReport is the report on a search of a machine, without a result.
func (c *Command) newReport(e *environment.Environment, alg *explore.Algorithm, m *step.Machine) (
	*report.Report, error) {
	p, err := replay.New(m)
	return &report.Report{Machine: m, Player: p, Out: e.Stdout, Colour: e.Colour(e.Stdout),
		Options: c.reported(e, alg), Algorithm: alg}, err
}

// reported returns the options of the report.
func (c *Command) reported(e *environment.Environment, alg *explore.Algorithm) report.Options {
	return report.Options{Program: c.Program, Arguments: c.Arguments(), Saved: c.Save,
		Bounds:   report.Bounds{MaxExecutions: c.MaxExecutions, MaxDepth: c.MaxDepth, Preemptions: c.Preemptions},
		Symmetry: c.Symmetry, Constrained: c.Wanted(alg), Alone: c.alone(),
		Verbose:       c.Verbose,
		EarlyCounts:   c.EarlyTimers || c.StopAtFirst,
		AllViolations: c.AllViolations, NoMinimize: c.NoMinimize, GitHub: e.GitHub, Show: c.Show}
}

// checkSize refuses a program with more actions than a search can tell apart.
func (c *Command) checkSize(m *step.Machine) error {
	if n := m.NumActions(); n > explore.MaxActions {
		return fault.Inputf("%s has %s with %s, too many to explore: at most %d can be. cdpor run --simulate "+
			"N runs random schedules",
			c.Program, terminal.Plural(m.NumProcs(), "process"), terminal.Plural(n, "alternative"), explore.MaxActions)
	}
	return nil
}

// savedRun is the run for a checkpoint.
func (c *Command) savedRun(k *source.Source, prog *step.Program) *checkpoint.Run {
	return &checkpoint.Run{Cdpor: version.Text, Program: c.Program, Param: c.Param, Atomicity: c.Atomicity,
		Text: string(c.Text), Constraints: checkpoint.SaveConstraints(k), Go: c.savedGo(prog)}
}

// savedGo returns the flags that a checkpoint keeps; nil for a program of another language.
func (c *Command) savedGo(prog *step.Program) *checkpoint.Go {
	if prog.From == "" {
		return nil
	}
	return &checkpoint.Go{Func: prog.From, Given: c.Func, Bounds: maps.Clone(c.Bound), NoRaces: c.NoRaces,
		EarlyTimers: c.EarlyTimers}
}

// save writes a schedule to the file of --save. found is the schedule before it was simplified.
func (c *Command) save(p *replay.Player, l *liveness.Lasso, found []int32) error {
	rec, err := p.Record(context.Background(), l, found, c.Liveness())
	if err != nil {
		return execution.ReplayError(err)
	}
	rec.Program, rec.Param, rec.Atomicity, rec.Text = c.Program, c.Param, c.Atomicity, string(c.Text)
	rec.Go = c.GoFlags.Record(p.Machine().Program)
	return record.Write(rec, c.Save)
}

// verdictCode is the exit code of a verdict as an error, nil for ok.
func verdictCode(v explore.Verdict) error {
	switch v {
	case explore.OK:
		return nil
	case explore.Violated:
		return fault.ExitViolation
	}
	return fault.ExitIncomplete
}

// A givenFlag says whether a flag is on the command line.
type givenFlag struct {
	given bool
	flag  string
}

// firstGiven is the first of some flags that is given; empty if none is.
func firstGiven(flags []givenFlag) string {
	for _, f := range flags {
		if f.given {
			return f.flag
		}
	}
	return ""
}
