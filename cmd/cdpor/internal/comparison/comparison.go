// Package comparison has the command that tabulates what algorithms cost on a program.
package comparison

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/memory"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/prove"
	"cdpor/cmd/cdpor/internal/remote"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/step"
)

type Command struct {
	flags.ProgramFlags
	source.ConstraintFlags
	Algorithm []string `default:"source,optimal,context,constrained" predictor:"variants" placeholder:"NAME" help:"What to compare; ratios are to the first. cdpor explain algorithms lists the names. Default: source,optimal,context,constrained."`
	Columns   []string `default:"executions,blocked,nodes,events,time,synthesis,memory,executions-ratio,time-ratio" predictor:"columns" placeholder:"NAME" help:"Columns: ${columns}. Default: all up to time-ratio."`
	Format    string   `enum:"text,markdown,csv,json" default:"text" placeholder:"NAME" help:"text, markdown, csv or json. Default: text."`
	JSON      bool     `name:"json" help:"The same as --format json."`
	flags.BoundFlags
	flags.VacuousFlag
	remote.ConnectFlags
}

func (c *Command) Help() string {
	return `A parameter with a range is swept: -p N=2..6. With several ranges all combinations are run. Values may mention other
parameters: -p N=2..6 -p MAX=N+2.

Where a bound or the time was not enough, numbers are written >N, and the exit code is 3. --timeout is per exploration. Time
is that of the exploration and, for an algorithm that uses constraints, of finding or proving them, which the column synthesis
has alone. One set of constraints serves all algorithms, and each is charged for it; with a cache that knows some it takes
less (--no-cache). Memory is how much the heap grew at most during the run, in bytes: objects including uncollected
garbage, sampled every 2 ms.

The algorithms must agree on outcomes, deadlocks and verdict; otherwise nothing is printed. If the verdict is vacuous, because
no property was checked or one was never evaluated, that is said, and the exit code is 3.

With --connect the workers of a cluster explore, one algorithm after the other, and optimal, which explores with one worker,
is left out; time is from the submission of a job to its end, and memory that of this process.`
}

// wholeText names what a program says it checks of executions as a whole.
func wholeText(prog *step.Program) string {
	var list []string
	for _, c := range []struct {
		said bool
		name string
	}{{prog.Checks.TerminationPos.Line > 0 && prog.Checks.Termination != step.TerminationAllowed, "termination"},
		{len(prog.Checks.Eventually) > 0, "eventually"}, {len(prog.Checks.LeadsTo) > 0, "leads_to"},
		{len(prog.Checks.Stabilises) > 0, "eventually_always"}} {
		if c.said {
			list = append(list, c.name)
		}
	}
	return strings.Join(list, ", ")
}

func (c *Command) Run(e *environment.Environment) error {
	if err := cmp.Or(c.BoundFlags.Check(), c.ConnectFlags.Check()); err != nil {
		return err
	}
	var chosen []*compare.Variant
	for _, name := range c.Algorithm {
		v, err := compare.FindVariant(name)
		if err != nil {
			return err
		}
		if c.Connect != "" && v.Algorithm.Alone && len(c.Algorithm) > 1 {
			fmt.Fprintf(e.Stderr, "cdpor: %s is left out: it explores with one worker\n", name)
			continue
		}
		chosen = append(chosen, v)
	}
	columns, err := compare.FindColumns(c.Columns)
	if err != nil {
		return err
	}
	rows, swept, err := compare.Ranges(c.Param)
	if err != nil {
		return err
	}
	if c.JSON {
		c.Format = "json"
	}
	t := &compare.Table{Title: filepath.Base(c.Program), Swept: swept, Columns: columns}
	p := progress.New(e)
	if err := c.Reach(e.Context, p); err != nil {
		p.Done()
		return err
	}
	defer p.Done()
	for _, params := range rows {
		row, err := c.measure(e.Context, params, chosen, p)
		if err != nil {
			return err
		}
		if row == nil { // interrupted; what was measured before is shown
			break
		}
		t.Rows = append(t.Rows, row)
	}
	p.Done()
	if len(t.Rows) == 0 {
		fmt.Fprintf(e.Stderr, "cdpor: %s; nothing was measured\n", environment.WhyStopped(e.Context))
		return fault.ExitIncomplete
	}
	if err := t.Print(e.Stdout, terminal.Columns(e.Stdout), c.Format); err != nil {
		return err
	}
	if e.Context.Err() != nil {
		fmt.Fprintf(e.Stderr, "cdpor: %s\n", environment.WhyStopped(e.Context))
	}
	if text := t.Rows[0].Unjudged; text != "" {
		fmt.Fprintf(e.Stderr, "cdpor: compare counts executions and does not judge %s; cdpor run does\n", text)
	}
	if e.Context.Err() != nil || !t.Complete() || t.Vacuous(e.Stderr) {
		return fault.ExitIncomplete
	}
	return nil
}

// measure runs the algorithms on the program with some parameters; nil after an interrupt.
func (c *Command) measure(ctx context.Context, params []string, chosen []*compare.Variant,
	p *progress.Progress) (*compare.Comparison, error) {
	program := c.ProgramFlags
	program.Param = params
	src, err := program.Load(ctx)
	if err != nil {
		return nil, err
	}
	m, err := step.NewMachine(src.Form())
	if err != nil {
		return nil, err
	}
	row := &compare.Comparison{Params: params, Unjudged: wholeText(src.Form())}
	var know *source.Source
	for _, v := range chosen {
		r := &compare.Measurement{Variant: v}
		opt := v.Options
		opt.MaxExecutions, opt.Progress = c.MaxExecutions, p.Exploring
		if v.Constraints && know == nil {
			lent := prove.Host(p)
			if know, err = c.Find(ctx, m.Program, v.Algorithm, true, lent); err != nil {
				if ctx.Err() != nil {
					return nil, nil
				}
				return nil, err
			}
			if know.Set == nil && !c.NoConstraints {
				fmt.Fprintf(p.Env.Stderr, "cdpor: %s: constraints: %s\n", v.Name, know.Origin)
			}
		}
		if v.Constraints && know.Set != nil {
			opt.Conditions, r.Synthesis = know.Set.Compile(m), know.Time
		}
		var ask *source.Asker
		used := know
		if v.Algorithm.Chooses {
			if used, ask, err = c.choosing(ctx, m, r, &opt, prove.Host(p)); err != nil {
				return nil, err
			}
		}
		run, end := c.searchBy(p, params, func() *source.Source {
			if ask != nil && ask.Found != nil {
				return ask.Found
			}
			return used
		})
		limited, cancel := p.Env.Limited(c.Timeout)
		opt.GiveUp = limits.GivingUp(limited)
		r.Memory = memory.PeakHeap(func() {
			start := p.Env.Now()
			r.Result, err = run(limited, m, v.Algorithm, opt)
			r.Exploration = p.Env.Now().Sub(start)
		})
		cancel()
		end()
		if ask != nil {
			r.Synthesis, r.Exploration = ask.Took(), r.Exploration-ask.Took()
			ask.Close()
		}
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, nil
		}
		r.Missed = report.UncheckedTexts(m.Program, r.Result)
		c.Allow(r.Result)
		row.Runs = append(row.Runs, r)
		if difference := compare.Disagreement(row.Runs[0].Result, r.Result); difference != "" {
			err := used.Blame(row.Runs[0].Variant.Name, v.Name, difference)
			if len(params) > 0 {
				err = fmt.Errorf("with %s: %w", strings.Join(params, " "), err)
			}
			return nil, err
		}
	}
	return row, nil
}

// A searcher explores as explore.Run does.
type searcher func(context.Context, *step.Machine, *explore.Algorithm, explore.Options) (*explore.Result, error)

// searchBy is how a search is run: here, or by the workers of a cluster. used are the constraints that are in use.
// After the search, end is called.
func (c *Command) searchBy(p *progress.Progress, params []string, used func() *source.Source) (
	run searcher, end func()) {
	if c.Connect == "" {
		return explore.Run, func() {}
	}
	r := &remote.Search{ConnectFlags: &c.ConnectFlags, Progress: p, Used: used, Whole: true,
		Title: strings.TrimSpace(c.Program + " " + strings.Join(params, " ")),
		Back:  func() ([]byte, error) { return []byte("null"), nil }}
	return r.Run, r.Forget
}

// choosing gives auto the constraints of a file, or else an asker that synthesises them on demand.
func (c *Command) choosing(ctx context.Context, m *step.Machine, r *compare.Measurement, opt *explore.Options,
	lent *source.Host) (*source.Source, *source.Asker, error) {
	know, err := c.Find(ctx, m.Program, r.Variant.Algorithm, true, lent)
	switch {
	case err != nil || c.NoConstraints:
		return know, nil, err
	case know.Set != nil:
		opt.Conditions, r.Synthesis = know.Set.Compile(m), know.Time
		return know, nil, nil
	}
	ask, err := source.NewAsker(m, lent, &c.CacheFlags)
	ask.Answers(m, opt, nil)
	return know, ask, err
}
