package execution

import (
	"bufio"
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/replay"
)

// A Walk shows a schedule one step at a time, as the user asks for it.
type Walk struct {
	Env      *environment.Environment
	Player   *replay.Player
	Schedule []int32
	rows     []replay.Step
	ends     []int // how much of the schedule is behind each
	chart    *Chart
}

// NewWalk prepares a walk along a schedule, whose steps are shown as a report shows them.
func NewWalk(e *environment.Environment, p *replay.Player, schedule []int32, x *replay.Execution) *Walk {
	prog := p.Machine().Program
	rows, ends, before := RowsWithEnds(prog, x.Steps, x.Cycle-1)
	w := &Walk{Env: e, Player: p, Schedule: schedule, rows: rows, ends: ends,
		chart: NewChart(e.Colour(e.Stdout), terminal.Columns(e.Stdout), prog, rows)}
	if x.Cycle > 0 {
		w.chart.goesRound(before, len(rows)-before)
	}
	return w
}

// Run reads commands until the user wants to go beyond the last step; left tells that the user did not want to see the
// rest.
func (w *Walk) Run() (left bool) {
	out := w.Env.Stdout
	w.chart.Header(out)
	lines := w.lines()
	for taken := 0; ; {
		fmt.Fprintf(out, "[%d of %d] Enter: next, b: back, s: state, q: quit > ", taken, len(w.rows))
		var line string
		ok := false
		select {
		case line, ok = <-lines:
		case <-w.Env.Context.Done():
		}
		if !ok {
			fmt.Fprintln(out)
			return true
		}
		if !w.Env.Terminal {
			fmt.Fprintln(out)
		}
		switch strings.TrimSpace(line) {
		case "", "n":
			if taken == len(w.rows) {
				return false
			}
			w.chart.Step(out, w.rows, taken)
			taken++
		case "b":
			if taken--; taken > 0 {
				w.chart.Step(out, w.rows, taken-1)
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
func (w *Walk) lines() <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(w.Env.Stdin); in.Scan(); {
			select {
			case lines <- in.Text():
			case <-w.Env.Context.Done():
				return
			}
		}
	}()
	return lines
}

// state shows the shared variables after some steps, and where every process stands.
func (w *Walk) state(taken int) {
	out, m := w.Env.Stdout, w.Player.Machine()
	if taken > 0 {
		taken = w.ends[taken-1]
	}
	s, err := w.Player.FollowLast(w.Schedule[:taken], 0, nil)
	if err != nil {
		return // the steps have been run before
	}
	for _, v := range replay.Shared(m.Program, s) {
		fmt.Fprintf(out, "  %s\n", w.chart.near(v.String()))
	}
	for p := range m.Program.Procs {
		next, name := m.StepOf(s, p), w.chart.name(p)
		at := name
		switch {
		case next == nil:
		case !m.Program.Native():
			at = m.Program.StepCalled(p, next)
		default:
			at = fmt.Sprintf("%s, in line %d,", name, next.Pos.Line)
		}
		_, _, failed := m.Failure(s, p)
		switch {
		case m.Asleep(s, p):
		case failed:
			fmt.Fprintf(out, "  %s has failed\n", name)
		case next == nil:
			fmt.Fprintf(out, "  %s is at its end\n", name)
		case m.Crashed(s, p):
			fmt.Fprintf(out, "  %s has crashed before: %s\n", at,
				next.Template.Nodes[next.Entry].Text)
		case w.Player.Enabled(s, p):
			fmt.Fprintf(out, "  %s can run: %s\n", at, next.Template.Nodes[next.Entry].Text)
		default:
			fmt.Fprintf(out, "  %s %s\n", at, w.chart.near(w.Player.Waits(s, p)))
		}
	}
}
