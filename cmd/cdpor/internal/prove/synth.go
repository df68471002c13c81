package prove

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/memory"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/steps"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang/step"
	"cdpor/synth"
)

type Synth struct {
	flags.ProgramFlags
	Output     string `short:"o" xor:"result" predictor:"file" placeholder:"FILE" help:"Where to write the constraints; - is stdout; a folder: as NAME.constraints.yaml in it. Default: beside the program, as NAME.constraints.yaml; stdout if the program is -."`
	Explain    string `xor:"result" placeholder:"STEP,STEP" help:"Write nothing; tell how the constraint of this pair came about, and which third step makes its uniform part smaller."`
	JSON       bool   `name:"json" help:"Print what was found as one JSON object; the constraint file is written as well."`
	WhyUnknown bool   `help:"Also say of each pair that is not exact what would make more known of it."`
	Workers    int    `default:"1" placeholder:"N" help:"Let N solvers work at once. The result is the same. Default: 1."`
	Resume     bool   `help:"Finish what an earlier run left open: what the cache holds costs nothing of the budget."`
	Weakest    bool   `help:"Write the weakest condition also where a shorter one holds as often in the first states of the program in which nothing fails."`
	Force      bool   `help:"Write the file anew: nothing of what people have written into it is kept."`
	solverFlags
	source.CacheFlags
	flags.FormatFlags
}

func (c *Synth) Help() string {
	return `What is found for a pair of steps is kept in a cache, under everything that it depends on; after an edit of one step only its
pairs are worked on again. cdpor run and cdpor compare share it. It is believed: cdpor check and the proof of a file before a run do without.
It keeps itself below 64 MB.
--dump and --explain do without it as well. --max-queries counts what comes from it as if it had been asked now, so that the
result is the same; --resume does not, and finishes pairs that the budget was not enough for. The budget bounds other work,
too, to a thousand units of about a microsecond for each question.

A file that is there already is written anew, but what people have done to it stays: entries that they have written or
edited, if they are proved for the program as it is now, names under define, and comments. What is refuted stands above its
entry as a comment, with the reason, and is told. --force keeps nothing.

After an interrupt or the timeout, the pairs that are finished are written, without uniform parts, and the others as
unknown; the exit code is 3. A file that is there already is kept then, and the unfinished one is called FILE.partial.`
}

func (c *Synth) Run(e *environment.Environment) error {
	p := progress.New(e)
	opt, questions, err := c.prepare(p)
	if err != nil {
		return err
	}
	store, folder, err := c.Open(e.Now)
	if err != nil {
		return err
	}
	if c.JSON && (c.Explain != "" || c.toStdout(c.Program)) {
		return fault.Inputf("--json prints one object; -o FILE says where the constraints go, and " +
			"--explain is for people")
	}
	if c.Workers < 1 {
		return fault.Inputf("--workers must be at least 1")
	}
	opt.Cache, opt.Workers, opt.Resume, opt.Readable = store, c.Workers, c.Resume, !c.Weakest
	source.Within(&opt, c.MaxQueries)
	ctx, cancel := e.Limited(c.Timeout)
	defer cancel()
	defer memory.FewerCollections()()
	err = c.one(ctx, e, opt, p)
	if failed := questions.close(e); failed != nil {
		return failed
	}
	folder.Trimmed(e.Stderr)
	return err
}

// one finds the constraints of the program, or explains one of them.
func (c *Synth) one(ctx context.Context, e *environment.Environment, opt synth.Options, p *progress.Progress,
) error {
	src, err := c.Load(ctx)
	switch {
	case err != nil:
		return err
	case c.Explain != "":
		return c.explain(ctx, e, src, opt, p)
	}
	return c.synthesise(ctx, e, src, opt, p)
}

// toStdout reports whether the constraints of a program are printed.
func (c *Synth) toStdout(program string) bool {
	return c.Output == "-" || c.Output == "" && program == files.StandardInput
}

func (c *Synth) synthesise(ctx context.Context, e *environment.Environment, src step.Loaded, opt synth.Options,
	p *progress.Progress) error {
	start := e.Now()
	set, report, err := synth.Synthesize(ctx, src.Form(), opt)
	p.Done()
	seconds := e.Now().Sub(start).Seconds()
	took := source.Milliseconds(e.Now().Sub(start))
	unfinished := err != nil && ctx.Err() != nil
	switch {
	case err != nil && !unfinished:
		return err
	case unfinished && (set == nil || len(set.Pairs) == 0):
		fmt.Fprintf(e.Stderr, "cdpor: %s; nothing was written\n", environment.WhyStopped(ctx))
		if c.JSON {
			none := output.SynthesisOf(src, &constraints.Set{Program: src.Form()}, &synth.Report{})
			none.Stopped = environment.WhyStopped(ctx)
			return cmp.Or(output.Write(e.Stdout, none), error(fault.ExitIncomplete))
		}
		return fault.ExitIncomplete
	case unfinished:
		finished := output.CountsOf(set).Pairs
		complete(set)
		defer fmt.Fprintf(e.Stderr, "cdpor: %s: %d of %s finished, without uniform parts; the others are unknown\n",
			environment.WhyStopped(ctx),
			finished, output.PairsText(output.CountsOf(set).Pairs))
	}
	if c.toStdout(src.Form().Path) {
		if _, err := terminal.Verbatim(e.Stdout).Write(set.Format()); err != nil {
			return err
		}
		if err := c.summarise(e.Stderr, set, report, took); err != nil {
			return err
		}
	} else {
		path := c.target(src.Form())
		write := func() error { return c.rewrite(ctx, e, set, path, opt) }
		if _, err := os.Stat(path); err == nil && unfinished {
			path += ".partial"
			write = func() error { return c.write(path, set.Format()) }
		}
		if err := write(); err != nil {
			return err
		}
		if c.JSON {
			out := output.SynthesisOf(src, set, report)
			out.Written, out.Stopped, out.Seconds = path, explore.StoppedComplete, seconds
			if unfinished {
				out.Stopped = environment.WhyStopped(ctx)
			}
			if err := output.Write(e.Stdout, out); err != nil {
				return err
			}
		} else {
			if err := c.summarise(e.Stdout, set, report, took); err != nil {
				return err
			}
			fmt.Fprintf(e.Stdout, "written to %s\n", path)
		}
	}
	if unfinished {
		return fault.ExitIncomplete
	}
	return nil
}

// target is where the constraints of a program are written.
func (c *Synth) target(prog *step.Program) string {
	to := source.Beside(prog)
	if c.Output == "" {
		return to
	}
	if info, err := os.Stat(c.Output); err == nil && info.IsDir() {
		return filepath.Join(c.Output, filepath.Base(to))
	}
	return c.Output
}

// write writes a constraint file. Where the user has not chosen its name, a link is replaced and not followed: it may
// come from a repository, and lead to any file of the user.
func (c *Synth) write(path string, text []byte) error {
	if path == c.Output {
		return files.Write(path, text)
	}
	return files.Replace(path, text)
}

// complete adds the pairs that an interrupted synthesis did not come to.
func complete(set *constraints.Set) {
	finished := map[[2]*step.Step]bool{}
	for _, p := range set.Pairs {
		finished[[2]*step.Step{p.A, p.B}] = true
	}
	for ab := range constraints.PairsOf(set.Program) {
		if !finished[ab] {
			set.Pairs = append(set.Pairs, &constraints.Pair{A: ab[0], B: ab[1], Commute: constraints.Truth(false),
				Uniform: constraints.Truth(false), Status: constraints.Unknown})
		}
	}
}

func (c *Synth) explain(ctx context.Context, e *environment.Environment, src step.Loaded, opt synth.Options,
	p *progress.Progress) error {
	a, b, err := steps.FindPair(src.Form(), c.Explain)
	if err != nil {
		return err
	}
	x, err := synth.Explain(ctx, src.Form(), a, b, opt)
	p.Done()
	if err != nil {
		return ended(ctx, e, err, "the constraints were found")
	}
	lines := x.Text()
	if text := report.ByProperties(src.Form())(a, b); text != "" {
		lines = append(lines, text)
	}
	return terminal.Print(e.Stdout, "%s\n", strings.Join(lines, "\n"))
}

// summarise writes what was found, folded.
func (c *Synth) summarise(w io.Writer, set *constraints.Set, report *synth.Report,
	took string) error {
	return terminal.Folded(w, func(w io.Writer) error {
		c.printSummary(w, set, report, took)
		return nil
	})
}

// maxListed bounds how many pairs are listed on the terminal; the file has all.
const maxListed = 60

// printSummary lists what was found for the pairs with common data, and the totals.
func (c *Synth) printSummary(w io.Writer, set *constraints.Set, found *synth.Report, took string) {
	why := map[string]string{}
	for _, n := range found.Why {
		why[n.A.Name()+" "+n.B.Name()] = n.Text
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PAIR\tSTATUS\tCOMMUTE")
	listed, byProperties := 0, report.ByProperties(set.Program)
	for i, p := range set.Pairs {
		switch {
		case constraints.Independent(p.A, p.B):
			continue
		case p.Status == constraints.Ordered: // the totals have them
			continue
		case i >= found.Pairs: // an interrupt was faster
			continue
		}
		if listed++; listed > maxListed {
			continue
		}
		uniform := set.Text(p, p.Uniform)
		commute := set.Text(p, p.Commute)
		fmt.Fprintf(table, "%s | %s\t%s\t%s\n", p.A.Name(), p.B.Name(), p.Status, commute)
		if uniform != commute {
			fmt.Fprintf(table, "\t\tuniform: %s\n", uniform)
			if len(p.Because) > 0 {
				fmt.Fprintf(table, "\t\t  because of %s\n", strings.Join(p.Because, ", "))
			}
		}
		if text := byProperties(p.A, p.B); text != "" {
			fmt.Fprintf(table, "\t\t  %s\n", text)
		}
		if text := why[p.A.Name()+" "+p.B.Name()]; text != "" {
			fmt.Fprintf(table, "\t\t  %s\n", text)
			if c.WhyUnknown {
				fmt.Fprintf(table, "\t\t  %s\n", output.Cure(text))
			}
		}
	}
	if listed > 0 {
		table.Flush()
	}
	if listed > maxListed {
		fmt.Fprintf(w, "... and %s more\n", terminal.Plural(listed-maxListed, "pair"))
	}
	for _, d := range set.Definitions {
		fmt.Fprintf(w, "%s stands for %s\n", d, d.Format(set.Definitions))
	}
	for _, i := range found.Invariants {
		switch {
		case i.Used:
			fmt.Fprintf(w, "invariant %s: proved inductive and used\n", i.Text)
		case i.Refuted != nil:
			lines := i.Refuted.Text()
			fmt.Fprintf(w, "invariant %s: not used, it is wrong: %s\n", i.Text, lines[0])
			printState(w, set.Program, i.Refuted, lines[1:])
		default:
			fmt.Fprintf(w, "invariant %s: not used: %s\n", i.Text, i.Why)
		}
	}
	limit := ""
	if open := found.Open + found.Narrowed; open > 0 {
		budget := c.MaxQueries
		if budget == 0 {
			budget = source.DefaultQuestions
		}
		limit = fmt.Sprintf("; the budget of work (--max-queries %d) was too small for %s", budget,
			terminal.Plural(open, "pair"))
	}
	if found.GivenUp > 0 {
		limit += ", " + terminal.Plural(found.GivenUp, "question") + " given up after " +
			terminal.Plural(c.QuestionUnits, "unit")
	}
	totals := output.CountsOf(set).String()
	if found.Cached > 0 {
		pairs, rest, _ := strings.Cut(totals, ":")
		totals = fmt.Sprintf("%s, %d from the cache:%s", pairs, found.Cached, rest)
	}
	fmt.Fprintf(w, "%s; %d solver queries%s; %s\n", totals, found.Queries, limit, took)
}
