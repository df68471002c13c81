package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"cdpor/cmd/cdpor/dap"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore"
	lang "cdpor/explore/native"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

type dapCommand struct{}

func (dapCommand) Help() string {
	return `It speaks the Debug Adapter Protocol on stdin and stdout, and is started by an editor. A launch request names in program
a file that cdpor run --save has written, or a program together with a schedule, and for Go func; constraints may name
a file. Next takes the next step of the schedule, of whichever thread; step in goes up to the next one of the thread
that is looked at, step out up to the next switch; back and continue, in both directions and with breakpoints, are as
everywhere. Threads say why they wait, and Races which constraint removes a race of their next steps.`
}

func (c *dapCommand) Run(e *environment.Environment) error {
	err := dap.Serve(e.Context, e.Stdin, terminal.Protocol(e.Stdout), func(ctx context.Context, text json.RawMessage) (
		*dap.Recording, error) {
		var args dapArguments
		if err := json.Unmarshal(text, &args); err != nil {
			return nil, err
		}
		return args.open(ctx, e)
	})
	if err != nil {
		return fault.Input{Err: err}
	}
	return nil
}

// dapArguments are those of a launch request.
type dapArguments struct {
	Program     string
	Schedule    string
	Func        string
	Constraints string
	Parameters  map[string]string
}

// open loads a program and runs the schedule.
func (a *dapArguments) open(ctx context.Context, e *environment.Environment) (*dap.Recording, error) {
	c := &runCommand{}
	c.Program, c.Func, c.GraphStates = a.Program, a.Func, 1
	for name, value := range a.Parameters {
		c.Param = append(c.Param, name+"="+value)
	}
	if a.Schedule != "" {
		c.Schedule = &a.Schedule
	}
	rec, err := c.recorded()
	if err != nil {
		return nil, err
	}
	var src step.Loaded
	switch {
	case a.Program == "":
		return nil, fault.Inputf("program is missing: a file of --save, or a program with a schedule")
	case !fileExists(a.Program):
		return nil, fault.Inputf("%s: there is no such file", a.Program)
	case rec == nil && c.Schedule == nil:
		return nil, fault.Inputf("%s is no file of --save: add a schedule", c.Program)
	case rec == nil:
		src, err = c.goFlags.load(ctx, &c.programFlags)
	default:
		own := takeOver(c, rec)
		if rec.Go != nil && rec.Go.Engine == "run" {
			return openRun(ctx, e, c)
		}
		src, err = loadRecorded(e, c, rec, own)
	}
	if err != nil {
		return nil, err
	}
	m, err := step.NewMachine(src.Form())
	if err != nil {
		return nil, err
	}
	r := &recording{prog: m.Program, m: m, runner: m.NewRunner()}
	if r.player, err = replay.New(m); err != nil {
		return nil, err
	}
	if rec != nil {
		r.player.Expect = rec.Steps
	}
	if err := r.constraints(cmp.Or(a.Constraints, source.Beside(m.Program)), a.Constraints != ""); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, *c.Schedule, c.liveness())
	if err == nil && rec != nil && rec.Go == nil && files.Changed(rec.Program, rec.Text) {
		out.Text = map[string]string{absolute(rec.Program): rec.Text}
	}
	return out, err
}

// A recording is a program whose schedule is stepped through, with the states on its way.
type recording struct {
	prog     *step.Program
	m        *step.Machine
	runner   *step.Runner
	player   *replay.Player
	states   []step.State // before the first row, and behind each
	known    *constraints.Set
	compiled *constraints.Compiled
}

// constraints reads those that are to be shown. A file that is not named need not be there.
func (r *recording) constraints(path string, named bool) error {
	if !named && !fileExists(path) {
		return nil
	}
	text, err := files.Read(path)
	if err != nil {
		return err
	}
	if r.known, err = constraints.Load(r.prog, path, text); err != nil {
		return err
	}
	r.compiled = r.known.Compile(r.m)
	return nil
}

// run follows the schedule, and keeps its states.
func (r *recording) run(ctx context.Context, schedule string, opt explore.LivenessOptions) (*dap.Recording, error) {
	l, err := execution.ParseSchedule(r.m, schedule)
	if err != nil {
		return nil, err
	}
	x, err := r.player.Run(ctx, l, opt)
	if err != nil {
		return nil, execution.ReplayError(err)
	}
	start, err := r.player.Follow(nil, nil)
	if err != nil {
		return nil, err
	}
	all := []step.State{append(step.State(nil), start...)}
	if _, err := r.player.Follow(l.Actions()[:len(x.Steps)], func(s step.State, _ replay.Step) {
		all = append(all, append(step.State(nil), s...))
	}); err != nil {
		return nil, err
	}
	rows, ends, _ := execution.RowsWithEnds(r.prog, x.Steps, x.Cycle-1)
	r.states = append(r.states, all[0])
	for _, end := range ends {
		r.states = append(r.states, all[end])
	}
	out := &dap.Recording{Wrong: x.Wrong, At: r.at}
	for _, p := range r.prog.Procs {
		out.Threads = append(out.Threads, p.Called())
	}
	for i := range rows {
		s := &rows[i]
		out.Steps = append(out.Steps, dap.Step{Thread: s.Proc, Text: inLine(s), Place: r.place(step.Pos{File: s.File,
			Line: s.Line, Col: s.Column})})
	}
	return out, nil
}

// inLine is what a step did, in a line.
func inLine(s *replay.Step) string {
	text := s.Text
	for _, c := range s.Writes {
		text += "; " + c.String()
	}
	if s.Fails != "" {
		text += "; fails: " + s.Fails
	}
	return terminal.Visible(text)
}

func (r *recording) place(at step.Pos) dap.Place {
	return dap.Place{Path: absolute(cmp.Or(at.File, r.prog.Path)), Line: at.Line, Column: max(1, at.Col)}
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// at is the moment behind some rows.
func (r *recording) at(taken int) (*dap.Moment, error) {
	s, m := r.states[taken], r.m
	out := &dap.Moment{Shared: dapValues(replay.Shared(r.prog, s))}
	for p := range r.prog.Procs {
		next, t := m.StepOf(s, p), dap.Thread{}
		switch {
		case m.Asleep(s, p):
			t.Gone, t.Status = true, "not started"
		case next == nil:
			t.Gone, t.Status = true, "at its end"
		default:
			t.Place, t.Locals = r.place(next.Template.Nodes[next.Entry].Pos), dapValues(r.player.Locals(s, p))
			if t.Step = r.prog.StepCalled(p, next); m.Crashed(s, p) {
				t.Status = "has crashed"
			} else if _, _, failed := m.Failure(s, p); failed {
				t.Status = "has failed"
			} else if !r.player.Enabled(s, p) {
				t.Status = r.player.Waits(s, p)
			}
		}
		out.Threads = append(out.Threads, t)
	}
	if r.known != nil {
		out.Races = r.races(s)
	}
	return out, nil
}

// races are those between the next steps of processes that can go on, with the constraints that remove some.
func (r *recording) races(s step.State) []dap.Value {
	list := []dap.Value{}
	for p := range r.prog.Procs {
		for q := range p {
			a, b := r.m.StepOf(s, q), r.m.StepOf(s, p)
			if a == nil || b == nil || !r.player.Enabled(s, p) || !r.player.Enabled(s, q) ||
				constraints.Independent(a, b) {
				continue
			}
			name := r.prog.StepCalled(q, a) + ", " + r.prog.StepCalled(p, b)
			list = append(list, dap.Value{Name: name, Text: r.race(s, q, a, p, b)})
		}
	}
	return list
}

// race says of two steps that touch the same whether a constraint lets them commute in a state.
func (r *recording) race(s step.State, p int, a *step.Step, q int, b *step.Step) string {
	holds := func(c constraints.Cond) bool {
		return c.Kind == constraints.CondTrue || c.Kind == constraints.CondEval && c.Eval(r.runner, s)
	}
	pair, _ := r.known.Find(a, b)
	switch {
	case pair == nil:
		return "race: no constraint is known"
	case holds(r.compiled.Uniform(p, a, q, b)):
		return "removed by " + pair.Text(pair.Uniform)
	case holds(r.compiled.Commute(p, a, q, b)):
		return "commute by " + pair.Text(pair.Commute) + ", which is not uniform: the race stays"
	}
	return "race: " + pair.Text(pair.Commute) + " does not hold"
}

func dapValues(list []replay.Value) (out []dap.Value) {
	for _, v := range list {
		out = append(out, dap.Value{Name: v.Name, Text: terminal.Visible(v.Text), JSON: json.RawMessage(v.JSON)})
	}
	return out
}

// openRun executes a test along its schedule. What is known on the way is what its steps tell.
func openRun(ctx context.Context, e *environment.Environment, c *runCommand) (*dap.Recording, error) {
	c.Algorithm = "auto"
	if err := c.checkRun(); err != nil {
		return nil, err
	}
	names, width, schedule, err := lang.ParseSchedule(*c.Schedule)
	if err != nil {
		return nil, fault.Inputf("schedule: %w", err)
	}
	r, err := c.startRun(e)
	if err != nil {
		return nil, err
	}
	defer r.done()
	again, err := r.again(ctx, c.Func, names, width, schedule)
	if err != nil {
		return nil, err
	}
	kind := lang.Judge(again)
	t := r.tell(c.Func, kind, again, width)
	out := &dap.Recording{}
	if kind != "" {
		out.Wrong = []string{strings.TrimSuffix(fmt.Sprintf("%s: %s", kind, t.Text), ": ")}
		if waits := t.account.Waits; len(waits) > 0 {
			out.Wrong = append([]string{string(kind)}, waits...)
		}
	}
	threads := map[string]int{}
	for i := range t.Steps {
		s := &t.Steps[i]
		if _, known := threads[s.Goroutine]; !known {
			threads[s.Goroutine] = len(out.Threads)
			out.Threads = append(out.Threads, s.Goroutine)
		}
		out.Steps = append(out.Steps, dap.Step{Thread: threads[s.Goroutine], Text: inLine(s),
			Place: dap.Place{Path: filepath.Join(r.dir, s.File), Line: s.Line, Column: max(1, s.Column)}})
	}
	out.At = func(taken int) (*dap.Moment, error) { return momentOf(out, t.Steps, taken), nil }
	return out, nil
}

// momentOf is the moment behind some steps of a test that was executed: each goroutine at its next one.
func momentOf(r *dap.Recording, steps []replay.Step, taken int) *dap.Moment {
	out := &dap.Moment{Threads: make([]dap.Thread, len(r.Threads))}
	at := map[string]int{} // of a value, in the list
	for i := range steps[:taken] {
		s := &steps[i]
		for _, c := range s.Writes {
			if _, known := at[c.Name]; !known {
				at[c.Name] = len(out.Shared)
				out.Shared = append(out.Shared, dap.Value{})
			}
			out.Shared[at[c.Name]] = dapValues([]replay.Value{c.Value})[0]
		}
		t := &out.Threads[r.Steps[i].Thread]
		*t = dap.Thread{Place: r.Steps[i].Place, Step: s.Text, Status: s.Then, Gone: s.Then == "ends"}
	}
	for i := len(steps) - 1; i >= taken; i-- {
		t := &out.Threads[r.Steps[i].Thread]
		t.Place, t.Step, t.Gone = r.Steps[i].Place, steps[i].Text, false
	}
	return out
}
