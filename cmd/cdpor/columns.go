package main

import (
	"fmt"
	"io"
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

// printTrace writes the steps of a schedule. Behind a step at which another process goes on stands why this one could not, if it
// could not.
func printTrace(w io.Writer, prog *step.Program, steps []tracedStep) {
	column := map[int]int{}
	var procs []int
	longest := 0
	for p := range prog.Procs {
		for _, s := range steps {
			if s.proc == p {
				column[p] = len(procs)
				procs = append(procs, p)
				longest = max(longest, len(prog.Procs[p].Name)+2)
				break
			}
		}
	}
	width := min(maxColumn, (traceWidth-traceMargin)/max(1, len(procs)))
	named := width >= longest // else every step says whose it is
	if named {
		header := ""
		for _, p := range procs {
			header += fmt.Sprintf("%-*s", width, prog.Procs[p].Name)
		}
		fmt.Fprintf(w, "%*s%s\n", traceMargin, "", strings.TrimRight(header, " "))
	}
	width = max(width, 3)
	for i, s := range steps {
		bars := ""
		for range column[s.proc] {
			bars += fmt.Sprintf("%-*s", width, "|")
		}
		label := s.label
		if !named {
			label = s.Step
		}
		head := fmt.Sprintf("%4d %7s  ", i+1, fmt.Sprintf("%d:%d", s.Line, s.Column))
		row := func(format string, args ...any) {
			fmt.Fprintf(w, "%-*s%s%s\n", traceMargin, head, bars, fmt.Sprintf(format, args...))
			head = ""
		}
		row("%s: %s", label, shorten(s.Text, 72))
		if len(s.Reads) > 0 {
			row("  reads %s", join(s.Reads))
		}
		for _, c := range s.Writes {
			row("  %s", c)
		}
		if s.Fails != "" {
			row("  FAILS: %s", s.Fails)
		}
		if s.Then != "" && (i+1 == len(steps) || steps[i+1].proc != s.proc) {
			row("  (%s)", s.Then)
		}
	}
}
