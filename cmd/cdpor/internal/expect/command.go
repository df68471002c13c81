package expect

import (
	"fmt"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/prove"
)

type Command struct {
	Paths         []string      `arg:"" predictor:"file" name:"path" help:"Programs, and folders that are searched for programs."`
	AllAlgorithms bool          `help:"Run entries that name no algorithm under all of them, which must agree. Those that store no states are left out where executions need not end."`
	NoConstraints bool          `help:"Explore without constraints; entries that name an algorithm with constraints are skipped."`
	Timeout       time.Duration `placeholder:"TIME" help:"Stop after a time such as 5m."`
	flags.VacuousFlag
	JSON  bool   `name:"json" help:"Print the results as one JSON object."`
	JUnit string `name:"junit" predictor:"file" placeholder:"FILE" help:"Also write the results to a file in the XML form of JUnit, which CI services read."`
	findings.LogFlags
	flags.FormatFlags
}

func (c *Command) Run(e *environment.Environment) error {
	programs, err := files.Programs(c.Paths)
	if err != nil {
		return err
	}
	if err := findings.Writable(c.JUnit, c.SARIF, c.Summary); err != nil {
		return err
	}
	ctx, cancel := e.Limited(c.Timeout)
	defer cancel()
	p := progress.New(e)
	t := &Runner{Env: e, Context: ctx, Progress: p, Host: prove.Host(p), NoConstraints: c.NoConstraints,
		AllowVacuous: c.AllowVacuous, EveryAlgorithm: c.AllAlgorithms}
	if err := t.Run(programs, c.JSON, c.JUnit); err != nil {
		return err
	}
	code := fault.ExitOK
	switch {
	case t.Unusable:
		code = fault.ExitInput
	case t.Failed > 0:
		code = fault.ExitViolation
	case ctx.Err() != nil:
		fmt.Fprintf(e.Stderr, "cdpor: %s\n", environment.WhyStopped(ctx))
		code = fault.ExitIncomplete
	}
	log := &findings.Log{Command: "cdpor test", Verdict: t.Totals(), Code: int(code), Findings: t.Found}
	for i := range t.Errors {
		log.Notes = append(log.Notes, findings.NoteOf(&t.Errors[i]))
	}
	if ctx.Err() != nil {
		log.Notes = append(log.Notes, &findings.Finding{Level: "warning", Text: environment.WhyStopped(ctx)})
	}
	if err := c.Write(log, nil); err != nil || code == fault.ExitOK {
		return err
	}
	return code
}
