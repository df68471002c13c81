package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/synth"
)

type synthCommand struct {
	programFlags
	Output  string        `short:"o" placeholder:"FILE" help:"Where to write the constraints; - is stdout. Default: beside the program, as NAME.constraints.yaml."`
	Timeout time.Duration `placeholder:"TIME" help:"Give up after a time such as 30s; nothing is written then."`
}

func (c *synthCommand) Run(e *environment) error {
	if err := synth.Available(); err != nil {
		return inputError{err}
	}
	src, err := c.load()
	if err != nil {
		return err
	}
	ctx, cancel := e.limited(c.Timeout)
	defer cancel()
	p := newProgress(e)
	start := e.now()
	set, report, err := synth.Synthesize(ctx, src.Program, synth.Options{Progress: p.solving})
	p.done()
	if err != nil {
		if ctx.Err() != nil {
			fmt.Fprintf(e.stderr, "cdpor: %s; nothing was written\n", whyStopped(ctx))
			return exitIncomplete
		}
		return err
	}
	took := e.now().Sub(start)
	if c.Output == "-" {
		if _, err := e.stdout.Write(set.Format()); err != nil {
			return err
		}
		printSummary(e.stderr, set, report, milliseconds(took))
		return nil
	}
	path := c.Output
	if path == "" {
		path = constraintPath(src.Program.Path)
	}
	if err := writeFile(path, set.Format()); err != nil {
		return err
	}
	printSummary(e.stdout, set, report, milliseconds(took))
	fmt.Fprintf(e.stdout, "written to %s\n", path)
	return nil
}

// printSummary lists what was found for each pair that shares data, and the totals.
func printSummary(w io.Writer, set *constraints.Set, report *synth.Report, took string) {
	why := map[string]string{}
	for _, n := range report.Why {
		why[n.A.Name()+" "+n.B.Name()] = n.Text
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PAIR\tSTATUS\tCOMMUTE\tUNIFORM")
	shown := 0
	for _, p := range set.Pairs {
		if constraints.Independent(p.A, p.B) {
			continue
		}
		shown++
		uniform := lang.FormatExpr(p.Uniform, p.A.Template, p.B.Template)
		commute := lang.FormatExpr(p.Commute, p.A.Template, p.B.Template)
		if uniform == commute {
			uniform = "same"
		}
		fmt.Fprintf(table, "%s | %s\t%s\t%s\t%s\n", p.A.Name(), p.B.Name(), p.Status, commute, uniform)
		if text := why[p.A.Name()+" "+p.B.Name()]; text != "" {
			fmt.Fprintf(table, "\t\t  %s\t\n", text)
		}
	}
	if shown > 0 {
		table.Flush()
	}
	for _, i := range report.Invariants {
		if i.Used {
			fmt.Fprintf(w, "invariant %s: proved inductive and used\n", i.Text)
		} else {
			fmt.Fprintf(w, "invariant %s: not used: %s\n", i.Text, i.Why)
		}
	}
	fmt.Fprintf(w, "%v; %d without common data; %d solver queries; %s\n", count(set), len(set.Pairs)-shown, report.Queries, took)
}

// writeFile replaces a file in one go: whoever reads it sees the old or the new content, never a part.
func writeFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fileError(err)
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fileError(err)
	}
	return nil
}
