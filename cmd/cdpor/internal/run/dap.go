package run

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/dap"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore"
	lang "cdpor/explore/native"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

type Debugger struct{}

func (Debugger) Help() string {
	return `It speaks the Debug Adapter Protocol on stdin and stdout, and is started by an editor. A launch request names in program
a file that cdpor run --save has written, or a program together with a schedule, and for Go func; constraints may name
a file. Next takes the next step of the schedule, of whichever thread; step in goes up to the next one of the thread
that is looked at, step out up to the next switch; back and continue, in both directions and with breakpoints, are as
everywhere. Threads say why they wait, and Races which constraint removes a race of their next steps.`
}

func (c *Debugger) Run(e *environment.Environment) error {
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
	c := &Command{}
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
	case !files.Exists(a.Program):
		return nil, fault.Inputf("%s: there is no such file", a.Program)
	case rec == nil && c.Schedule == nil:
		return nil, fault.Inputf("%s is no file of --save: add a schedule", c.Program)
	case rec == nil:
		src, err = c.Load(ctx)
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
	if path := cmp.Or(a.Constraints, source.Beside(m.Program)); a.Constraints != "" || files.Exists(path) {
		if r.known, err = source.Load(m.Program, path); err != nil {
			return nil, err
		}
		r.compiled = r.known.Compile(m)
	}
	out, err := r.run(ctx, *c.Schedule, c.Liveness())
	if err == nil && rec != nil && rec.Go == nil && files.Changed(rec.Program, rec.Text) {
		out.Changed, out.Text = absolute(rec.Program), rec.Text
	}
	return out, err
}

// A recording is a program whose schedule is stepped through.
type recording struct {
	prog     *step.Program
	m        *step.Machine
	runner   *step.Runner
	player   *replay.Player
	actions  []int32
	ends     []int            // how much of the schedule is behind each row
	known    *constraints.Set // nil: none
	compiled *constraints.Compiled
}

// run follows the schedule.
func (r *recording) run(ctx context.Context, schedule string, opt explore.LivenessOptions) (*dap.Recording, error) {
	l, err := execution.ParseSchedule(r.m, schedule)
	if err != nil {
		return nil, err
	}
	x, err := r.player.Run(ctx, l, opt)
	if err != nil {
		return nil, execution.ReplayError(err)
	}
	rows, ends, _ := execution.RowsWithEnds(r.prog, x.Steps, x.Cycle-1)
	r.actions, r.ends = l.Actions(), ends
	out := &dap.Recording{Wrong: x.Wrong, At: r.at}
	for _, p := range r.prog.Procs {
		out.Threads = append(out.Threads, p.Called())
	}
	for i, s := range findings.StepsOf(rows, func(s *replay.Step) string { return r.file(s.File) }) {
		out.Steps = append(out.Steps, dap.Step{Of: rows[i].Proc, Step: s})
	}
	return out, nil
}

// file is the path of a file of the program, empty: the program.
func (r *recording) file(name string) string { return absolute(cmp.Or(name, r.prog.Path)) }

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// at is the moment behind some rows.
func (r *recording) at(taken int) *dap.Moment {
	if taken > 0 {
		taken = r.ends[taken-1]
	}
	m := r.m
	s, _ := r.player.FollowLast(r.actions[:taken], 0, nil) // which has been run before
	out := &dap.Moment{Shared: replay.Shared(r.prog, s), Races: r.races(s)}
	for p := range r.prog.Procs {
		next, t := m.StepOf(s, p), dap.Thread{}
		switch _, _, failed := m.Failure(s, p); {
		case m.Asleep(s, p):
			t.Gone, t.Status = true, "not started"
		case next == nil:
			t.Gone, t.Status = true, "at its end"
		case m.Crashed(s, p):
			t.Status = "has crashed"
		case failed:
			t.Status = "has failed"
		case !r.player.Enabled(s, p):
			t.Status = r.player.Waits(s, p)
		}
		if !t.Gone {
			at := next.Template.Nodes[next.Entry].Pos
			t.Place = findings.Place{File: r.file(at.File), Line: at.Line, Column: max(1, at.Col)}
			t.Step, t.Locals = r.prog.StepCalled(p, next), r.player.Locals(s, p)
		}
		out.Threads = append(out.Threads, t)
	}
	return out
}

// races are those between the next steps of processes that can go on, with the constraints that remove some; nil if
// none are known.
func (r *recording) races(s step.State) []replay.Value {
	if r.known == nil {
		return nil
	}
	list := []replay.Value{}
	for p := range r.prog.Procs {
		for q := range p {
			a, b := r.m.StepOf(s, q), r.m.StepOf(s, p)
			if a == nil || b == nil || !r.player.Enabled(s, p) || !r.player.Enabled(s, q) ||
				constraints.Independent(a, b) {
				continue
			}
			name := r.prog.StepCalled(q, a) + ", " + r.prog.StepCalled(p, b)
			list = append(list, replay.Value{Name: name, Text: r.race(s, q, a, p, b)})
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

// openRun executes a test along its schedule. Its moments know no more than its steps tell.
func openRun(ctx context.Context, e *environment.Environment, c *Command) (*dap.Recording, error) {
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
	for _, s := range t.finding(r.dir, c.Func).Steps {
		of := slices.Index(out.Threads, s.Thread)
		if of < 0 {
			of, out.Threads = len(out.Threads), append(out.Threads, s.Thread)
		}
		s.Column = max(1, s.Column)
		out.Steps = append(out.Steps, dap.Step{Of: of, Step: s})
	}
	out.At = func(taken int) *dap.Moment { return momentOf(out, t.Steps, taken) }
	return out, nil
}

// momentOf is the moment behind some steps of a test that was executed: each goroutine at its next one.
func momentOf(r *dap.Recording, steps []replay.Step, taken int) *dap.Moment {
	out := &dap.Moment{Threads: make([]dap.Thread, len(r.Threads))}
	for i, s := range r.Steps[:taken] {
		then := steps[i].Then
		out.Threads[s.Of] = dap.Thread{Place: s.Place, Step: s.Text, Status: then, Gone: then == "ends"}
		for _, v := range s.Values {
			at := slices.IndexFunc(out.Shared, func(old replay.Value) bool { return old.Name == v.Name })
			if at < 0 {
				at, out.Shared = len(out.Shared), append(out.Shared, v)
			}
			out.Shared[at] = v
		}
	}
	for _, s := range slices.Backward(r.Steps[taken:]) {
		t := &out.Threads[s.Of]
		t.Place, t.Step, t.Gone = s.Place, s.Text, false
	}
	return out
}
