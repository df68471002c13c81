package run

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/record"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// recorded reads the replay file that --schedule names, or that stands in place of the program; nil if neither is a
// file of --save.
func (c *Command) recorded() (*replay.Record, error) {
	if c.Schedule != nil && files.Exists(*c.Schedule) {
		return record.Read(*c.Schedule)
	}
	if info, err := os.Stat(c.Program); err != nil || !info.Mode().IsRegular() { // a pipe is read once
		return nil, nil
	}
	if text, err := files.Read(c.Program); err != nil || !files.IsReplayFile(text) {
		return nil, nil
	}
	return record.Read(c.Program)
}

// follow runs a schedule that was saved: in the program that it was saved with, or in another one that is named.
func (c *Command) follow(e *environment.Environment, rec *replay.Record) error {
	own := takeOver(c, rec)
	if rec.Go != nil && rec.Go.Engine == "run" {
		return c.runTests(e)
	}
	src, err := loadRecorded(e, c, rec, own)
	if err != nil {
		return err
	}
	m, err := step.NewMachine(src.Form())
	if err != nil {
		return err
	}
	if err := c.checkNative(src, !c.JSON); err != nil {
		return err
	}
	return c.replay(e, src, m, rec)
}

// takeOver takes over what a record says, and reports whether the program is its own one.
func takeOver(c *Command, rec *replay.Record) (own bool) {
	if own = c.Schedule == nil; own {
		c.Program = rec.Program
	}
	c.Param, c.Atomicity = append(slices.Clone(rec.Param), c.Param...), cmp.Or(c.Atomicity, rec.Atomicity)
	if rec.Go != nil {
		c.GoFlags = flags.GoFlagsOf(rec.Go)
	}
	c.Schedule = &rec.Schedule
	return own
}

// loadRecorded loads the program of a record, or the one that is named in its place.
func loadRecorded(e *environment.Environment, c *Command, rec *replay.Record, own bool) (
	src step.Loaded, err error) {
	if own && rec.Go == nil {
		if files.Changed(rec.Program, rec.Text) {
			fmt.Fprintf(e.Stderr, "cdpor: note: %s has changed since; cdpor run %s --schedule FILE follows the "+
				"schedule there\n", rec.Program, terminal.Quote(rec.Program))
		}
		c.Text = []byte(rec.Text)
		src, err = c.LoadText(rec.Program, c.Text)
	} else {
		src, err = c.Load(e.Context)
	}
	if err == nil && rec.Go != nil && own && rec.Go.Digest != constraints.Digest(src.Form()) {
		fmt.Fprintf(e.Stderr, "cdpor: note: %s has changed since; the schedule is followed in what it is now\n",
			rec.Program)
	}
	return src, err
}

// replay runs exactly one schedule. rec is the record that it was saved in; nil if it stands on the command line.
func (c *Command) replay(e *environment.Environment, src step.Loaded, m *step.Machine, rec *replay.Record) error {
	l, err := execution.ParseSchedule(m, *c.Schedule)
	if err != nil {
		return err
	}
	p, err := replay.New(m)
	if err != nil {
		return err
	}
	if rec != nil {
		p.Expect = rec.Steps
	}
	ctx, cancel := e.Limited(0)
	defer cancel()
	x, err := p.Run(ctx, l, c.Liveness())
	r := execution.New(m.Program, x)
	r.Source = src.Source
	if err := r.Show(e.Stdout, e.Colour(e.Stdout), m.Program, err, c.JSON); err != nil {
		return err
	}
	if rec != nil && (r.Verdict != rec.Verdict || !slices.Equal(r.Wrong, rec.Wrong)) {
		was := strings.Join(append([]string{string(rec.Verdict)}, rec.Wrong...), "; ")
		if len(rec.Wrong) > 0 && len(r.Wrong) == 0 && len(l.Cycle) == 0 {
			fmt.Fprintf(e.Stderr, "cdpor: what the file says does not happen here: %s\n"+
				"cdpor: cdpor run %s looks at all other orders\n", was, terminal.Quote(c.Program))
		} else {
			fmt.Fprintf(e.Stderr, "cdpor: this is not what the file says: %s\n", was)
		}
	}
	if c.Save != "" {
		if err := c.save(p, l, l.Stem); err != nil {
			return err
		}
	}
	if err := c.native(e, src, m, nativeSchedule{Lasso: l, x: r.Execution}); err != nil {
		return err
	}
	c.AllowExecution(r.Execution)
	return verdictCode(r.Verdict)
}
