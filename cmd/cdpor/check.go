package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/synth"
)

type checkCommand struct {
	programFlags
	File    string        `arg:"" optional:"" help:"The constraint file. Default: beside the program, NAME.constraints.yaml."`
	Timeout time.Duration `placeholder:"TIME" help:"Give up after a time such as 30s."`
}

func (c *checkCommand) Run(e *environment) error {
	if err := synth.Available(); err != nil {
		return inputError{err}
	}
	src, err := c.load()
	if err != nil {
		return err
	}
	path := c.File
	if path == "" {
		path = constraintPath(src.Program.Path)
	}
	set, err := loadConstraints(src, path)
	if err != nil {
		return err
	}
	ctx, cancel := e.limited(c.Timeout)
	defer cancel()
	p := newProgress(e)
	report, err := synth.Check(ctx, src.Program, set, synth.Options{Progress: p.solving})
	p.done()
	if err != nil {
		if ctx.Err() != nil {
			fmt.Fprintf(e.stderr, "cdpor: %s before everything was proved\n", whyStopped(ctx))
			return exitIncomplete
		}
		return err
	}
	refuted, open := printFindings(e.stdout, set, report)
	proved, notWeakest := 0, 0
	for _, pair := range report.Pairs {
		if pair.Proved {
			proved++
			if !pair.Weakest {
				notWeakest++
				if pair.Pair.Status == constraints.Exact {
					at := &lang.Error{File: set.File, Pos: pair.Pair.CommutePos, Msg: "note: sound, but not exact: the steps commute in more states"}
					fmt.Fprintln(e.stdout, at.Snippet())
				}
			}
		}
	}
	if set.Stale() {
		fmt.Fprintln(e.stdout, "note: the file was made for another version of the program or other parameters")
	}
	fmt.Fprintf(e.stdout, "%s: %d proved (%d of them not the weakest), %d refuted, %d undecided\n", plural(len(report.Pairs), "pair"),
		proved, notWeakest, refuted, open)
	switch {
	case refuted > 0:
		return exitViolation
	case open > 0:
		return exitIncomplete
	}
	return nil
}

// prove checks constraints before they are used; what cannot be proved is reported on stderr.
func prove(ctx context.Context, src *lang.Source, set *constraints.Set, p *progress) (refuted, open int, err error) {
	report, err := synth.Check(ctx, src.Program, set, synth.Options{Progress: p.solving})
	if err != nil {
		return 0, 0, err
	}
	p.done()
	refuted, open = printFindings(p.env.stderr, set, report)
	return refuted, open, nil
}

// printFindings writes what is wrong at its place in the file, with a state and what both orders make of it, and counts the
// entries that are refuted and those that are undecided.
func printFindings(w io.Writer, set *constraints.Set, report *synth.CheckReport) (refuted, open int) {
	worst := map[*constraints.Pair]bool{} // whether refuted
	for _, f := range report.Findings {
		lines := f.Text()
		at := &lang.Error{File: set.File, Pos: f.Pos, Msg: lines[0]}
		fmt.Fprintln(w, at.Snippet())
		for _, line := range lines[1:] {
			fmt.Fprintf(w, "      %s\n", line)
		}
		worst[f.Pair] = worst[f.Pair] || f.Refuted
	}
	for _, is := range worst {
		if is {
			refuted++
		} else {
			open++
		}
	}
	return refuted, open
}
