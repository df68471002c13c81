package main

import (
	"bufio"
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/explore/replay"
)

// A walk shows a schedule one step at a time, as the user asks for it.
type walk struct {
	env      *environment.Environment
	p        *replay.Player
	schedule []int32
	steps    []replay.Step
	chart    *execution.Chart
}

// run reads commands until the user wants to go beyond the last step; left tells that the user did not want to see the
// rest.
func (w *walk) run() (left bool) {
	out := w.env.Stdout
	w.chart.Header(out)
	lines := w.lines()
	for taken := 0; ; {
		fmt.Fprintf(out, "[%d of %d] Enter: next, b: back, s: state, q: quit > ", taken, len(w.steps))
		var line string
		ok := false
		select {
		case line, ok = <-lines:
		case <-w.env.Context.Done():
		}
		if !ok {
			fmt.Fprintln(out)
			return true
		}
		if !w.env.Terminal {
			fmt.Fprintln(out)
		}
		switch strings.TrimSpace(line) {
		case "", "n":
			if taken == len(w.steps) {
				return false
			}
			w.chart.Step(out, w.steps, taken)
			taken++
		case "b":
			if taken--; taken > 0 {
				w.chart.Step(out, w.steps, taken-1)
			}
			taken = max(0, taken)
		case "s":
			w.state(taken)
		case "q":
			return true
		default:
			fmt.Fprintln(out, "write one of n, b, s, q, or nothing for n")
		}
	}
}

// lines reads the input on the side, so that an interrupt need not wait for a line.
func (w *walk) lines() <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(w.env.Stdin); in.Scan(); {
			select {
			case lines <- in.Text():
			case <-w.env.Context.Done():
				return
			}
		}
	}()
	return lines
}

// state shows the shared variables after some steps, and where every process stands.
func (w *walk) state(taken int) {
	out, m := w.env.Stdout, w.p.Machine()
	s, err := w.p.FollowLast(w.schedule[:taken], 0, nil)
	if err != nil {
		return // the steps have been run before
	}
	for _, v := range replay.Shared(m.Program, s) {
		fmt.Fprintf(out, "  %s\n", v)
	}
	for p, proc := range m.Program.Procs {
		next := m.StepOf(s, p)
		switch {
		case m.Asleep(s, p):
		case next == nil:
			fmt.Fprintf(out, "  %s is at its end\n", proc.Name)
		case w.p.Enabled(s, p):
			fmt.Fprintf(out, "  %s.%s can run: %s\n", proc.Name, next.Label, next.Template.Nodes[next.Entry].Text)
		default:
			fmt.Fprintf(out, "  %s.%s waits in %s\n", proc.Name, next.Label, w.p.Waiting(s, p))
		}
	}
}
