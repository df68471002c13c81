package execution

import (
	"bufio"
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/explore/replay"
)

// A Walk shows a schedule one step at a time, as the user asks for it.
type Walk struct {
	Env      *environment.Environment
	Player   *replay.Player
	Schedule []int32
	Steps    []replay.Step
	Chart    *Chart
}

// Run reads commands until the user wants to go beyond the last step; left tells that the user did not want to see the
// rest.
func (w *Walk) Run() (left bool) {
	out := w.Env.Stdout
	w.Chart.Header(out)
	lines := w.lines()
	for taken := 0; ; {
		fmt.Fprintf(out, "[%d of %d] Enter: next, b: back, s: state, q: quit > ", taken, len(w.Steps))
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
			if taken == len(w.Steps) {
				return false
			}
			w.Chart.Step(out, w.Steps, taken)
			taken++
		case "b":
			if taken--; taken > 0 {
				w.Chart.Step(out, w.Steps, taken-1)
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
	s, err := w.Player.FollowLast(w.Schedule[:taken], 0, nil)
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
			fmt.Fprintf(out, "  %s is at its end\n", proc.Called())
		case m.Crashed(s, p):
			fmt.Fprintf(out, "  %s has crashed before: %s\n", m.Program.StepCalled(p, next),
				next.Template.Nodes[next.Entry].Text)
		case w.Player.Enabled(s, p):
			fmt.Fprintf(out, "  %s can run: %s\n", m.Program.StepCalled(p, next), next.Template.Nodes[next.Entry].Text)
		default:
			fmt.Fprintf(out, "  %s %s\n", m.Program.StepCalled(p, next), w.Player.Waits(s, p))
		}
	}
}
