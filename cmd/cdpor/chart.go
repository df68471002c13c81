package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/lang/step"
)

// A schedule on paper: time runs down, every process has a column. In a row only one process moves, so its text may run over the
// columns to its right.

const (
	traceMargin = 14  // number of the step and place in the source
	traceWidth  = 100 // all columns should begin within this width
	maxColumn   = 34
)

// A chart places the steps of a schedule on paper.
type chart struct {
	prog  *step.Program
	ink   ink
	of    map[int]int // process -> column; those that never move have none
	procs []int       // column -> process
	width int
	named bool // there is room for the names above the columns; else every step says whose it is
	first int  // how many steps have gone before the first one
}

func newChart(ink ink, prog *step.Program, steps []tracedStep) *chart {
	c := &chart{prog: prog, ink: ink, of: map[int]int{}}
	longest := 0
	for p := range prog.Procs {
		if slices.ContainsFunc(steps, func(s tracedStep) bool { return s.proc == p }) {
			c.of[p] = len(c.procs)
			c.procs = append(c.procs, p)
			longest = max(longest, len(prog.Procs[p].Name)+2)
		}
	}
	c.width = min(maxColumn, (traceWidth-traceMargin)/max(1, len(c.procs)))
	c.named = c.width >= longest
	c.width = max(c.width, 3)
	return c
}

func (c *chart) header(w io.Writer) {
	if !c.named {
		return
	}
	text := ""
	for _, p := range c.procs {
		text += fmt.Sprintf("%-*s", c.width, c.prog.Procs[p].Name)
	}
	fmt.Fprintf(w, "%*s%s\n", traceMargin, "", strings.TrimRight(text, " "))
}

// step writes step i. If it is the last one that its process takes for now and that cannot go on, then it says why.
func (c *chart) step(w io.Writer, steps []tracedStep, i int) {
	s := &steps[i]
	bars := ""
	for range c.of[s.proc] {
		bars += c.ink.faint("|") + strings.Repeat(" ", c.width-1)
	}
	label := s.label
	if !c.named {
		label = s.Step
	}
	head := fmt.Sprintf("%4d %7s  ", c.first+i+1, fmt.Sprintf("%d:%d", s.Line, s.Column))
	row := func(format string, args ...any) {
		fmt.Fprintf(w, "%-*s%s%s\n", traceMargin, head, bars, fmt.Sprintf(format, args...))
		head = ""
	}
	row("%s: %s", label, shorten(s.Text, 72))
	for _, way := range s.Takes {
		row("  takes %s", way)
	}
	if len(s.Reads) > 0 {
		row("  %s", c.ink.faint("reads "+join(s.Reads)))
	}
	for _, change := range s.Writes {
		row("  %s", change)
	}
	for _, v := range s.Prints {
		row("  prints %s: %s", v.Name, v.Text)
	}
	if s.Fails != "" {
		row("  %s", c.ink.bad("FAILS: "+s.Fails))
	}
	if s.Then != "" && (i+1 == len(steps) || steps[i+1].proc != s.proc) {
		row("  %s", c.ink.doubt("("+s.Then+")"))
	}
}

// printTrace writes the steps of a schedule, of which some may have gone before. If it goes round for ever, a line stands
// before the last steps, those of the cycle, which begins behind a stem.
func printTrace(w io.Writer, ink ink, prog *step.Program, before int, steps []tracedStep, stem, cycle int) {
	c := newChart(ink, prog, steps)
	c.first = before
	c.header(w)
	for i := range steps {
		if cycle > 0 && before+i == stem {
			fmt.Fprintf(w, "%*s%s\n", traceMargin, "", ink.faint(fmt.Sprintf("--- for ever: %s", plural(cycle, "step"))))
		}
		c.step(w, steps, i)
	}
}
