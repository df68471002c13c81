package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// nativeFlags let Go itself follow a schedule.
type nativeFlags struct {
	Native   bool   `help:"Of a Go program: let Go itself follow the schedule as well, and say whether it ends in the same way. Go runs a copy of the text with gates, which hold each goroutine until it is its turn."`
	NativeTo string `predictor:"dir" placeholder:"DIR" help:"--native, and keep the text with gates, what Go prints, and the command that runs it, in a new folder."`
}

// nativeLimit bounds how long the go command may take to build the program and to run it.
const nativeLimit = 5 * time.Minute

func (f *nativeFlags) nativeWanted() bool { return f.Native || f.NativeTo != "" }

// checkNative refuses what does not go together. forPeople says that the result is not for machines.
func (f *nativeFlags) checkNative(src step.Loaded, forPeople bool) error {
	_, isGo := src.(*golang.Program)
	switch {
	case f.nativeWanted() && !isGo:
		return fault.Inputf("--native is for Go programs")
	case f.nativeWanted() && !forPeople:
		return fault.Inputf("--native shows an execution for people: without --step and --json")
	}
	return nil
}

// nativeResult lets Go follow the schedule of the outcome to show, or else of the first violation that has one.
func (c *runCommand) nativeResult(e *environment.Environment, src step.Loaded, r *report.Report) error {
	if !c.nativeWanted() {
		return nil
	}
	var l *liveness.Lasso
	if c.Show > 0 {
		l = &liveness.Lasso{Stem: r.Simplify(r.Result.Outcomes.At(c.Show - 1).Schedule)}
	}
	for _, g := range r.Groups() {
		if v := g.Shown; l == nil && v.Schedule != nil {
			l = r.LassoOf(v)
		}
	}
	if l == nil {
		fmt.Fprintln(e.Stderr, "cdpor: --native: no violation has a schedule; --show N --native follows that of an "+
			"outcome")
		return nil
	}
	ctx, cancel := e.Limited(0)
	defer cancel()
	x, err := r.Player.Run(ctx, l, c.liveness())
	if err != nil {
		return execution.ReplayError(err)
	}
	return c.native(e, src, r.Machine, l, x)
}

// native lets Go follow a schedule that has been run as x, and says how it ends. The error is fault.ExitIncomplete if
// that is not as x ends.
func (f *nativeFlags) native(e *environment.Environment, src step.Loaded, m *step.Machine, l *liveness.Lasso,
	x *replay.Execution) error {
	switch {
	case !f.nativeWanted():
		return nil
	case len(l.Cycle) > 0:
		return fault.Inputf("--native follows schedules that come to an end; this one goes round for ever")
	}
	g, err := src.(*golang.Program).Gate()
	if err != nil {
		return err
	}
	s, err := g.Follow(m, l.Actions())
	if err != nil {
		return err
	}
	want := nativeEnd(m, x)
	n := &nativeRun{Gated: g, race: want != nil && want.Kind == golang.NativeRace}
	if n.dir, err = f.folder(); err != nil {
		return err
	}
	if f.NativeTo == "" {
		defer os.RemoveAll(n.dir)
	}
	if err := n.write(s); err != nil {
		return err
	}
	end, output, err := n.run(e)
	if err != nil {
		return err
	}
	same := want == nil || end.Agrees(want)
	f.say(e.Stdout, n, s, want, end, output, same)
	if !same {
		return fault.ExitIncomplete
	}
	return nil
}

// folder is a new one for the files.
func (f *nativeFlags) folder() (string, error) {
	if f.NativeTo == "" {
		return os.MkdirTemp("", "cdpor-native-")
	}
	dir, err := filepath.Abs(f.NativeTo)
	if err != nil {
		return "", err
	}
	if list, err := os.ReadDir(dir); len(list) > 0 {
		return "", fault.Inputf("%s is not empty", f.NativeTo)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fault.Input{Err: err}
	}
	return dir, nil
}

// nativeEnd is how Go ends if an execution is real; nil if it has not come to an end.
func nativeEnd(m *step.Machine, x *replay.Execution) *golang.NativeEnd {
	for _, v := range x.Violations {
		switch {
		case v.Kind == explore.DeadlockFound:
			return &golang.NativeEnd{Kind: replay.DeadlockName(m, v.Words)}
		case v.Kind != explore.FailedStep:
		case v.Fault == step.Race:
			return &golang.NativeEnd{Kind: golang.NativeRace}
		case v.Fault == step.Panicked:
			return &golang.NativeEnd{Kind: golang.NativePanic, Text: v.Node.Msg}
		default:
			return &golang.NativeEnd{Kind: golang.NativeFailed}
		}
	}
	if x.Ending == replay.Ended {
		return &golang.NativeEnd{Kind: golang.NativeEnded}
	}
	return nil
}

// A nativeRun is a gated program on disk.
type nativeRun struct {
	*golang.Gated
	race bool
	dir  string   // of its files
	from string   // the folder where the go command runs
	args []string // of the go command
	env  []string
}

// write writes the files. A program that is in no module becomes one.
func (n *nativeRun) write(s *golang.GatedSchedule) error {
	list := maps.Clone(n.Files)
	list[n.Schedule] = []byte(s.Text)
	root := n.Root
	if root == "" {
		root = n.Dir
	}
	replace := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(list)) {
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		to := filepath.Join(n.dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := files.Write(to, list[path]); err != nil {
			return err
		}
		replace[path] = to
	}
	overlay := filepath.Join(n.dir, "overlay.json")
	n.from, n.args = n.Dir, n.Arguments(overlay, n.race)
	if n.Root == "" {
		tags := build.Default.ReleaseTags
		n.from, n.args = n.dir, n.AsModule(n.race)
		text := fmt.Sprintf("module program\n\ngo %s\n", strings.TrimPrefix(tags[len(tags)-1], "go"))
		if err := files.Write(filepath.Join(n.dir, "go.mod"), []byte(text)); err != nil {
			return err
		}
	} else if text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  "); err != nil {
		return err
	} else if err := files.Write(overlay, append(text, '\n')); err != nil {
		return err
	}
	n.env = []string{"GOWORK=off", "CGO_ENABLED=0"}
	if n.race {
		n.env[1] = "CGO_ENABLED=1"
	}
	command := "#!/bin/sh\ncd " + terminal.Quote(n.from) + " && " + strings.Join(n.env, " ") + " go"
	for _, a := range n.args {
		command += " " + terminal.Quote(a)
	}
	return files.Write(filepath.Join(n.dir, "run.sh"), []byte(command+"\n"))
}

// run runs the program.
func (n *nativeRun) run(e *environment.Environment) (end *golang.NativeEnd, output string, err error) {
	ctx, cancel := e.Limited(nativeLimit)
	defer cancel()
	run := exec.CommandContext(ctx, "go", n.args...)
	run.Dir, run.Env = n.from, append(os.Environ(), n.env...)
	text, err := run.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, "", fault.Input{Err: fmt.Errorf("go %s: %w", n.args[0], err)}
	}
	if ctx.Err() != nil {
		text = fmt.Appendf(text, "cdpor: the go command was ended: %s\n", environment.WhyStopped(ctx))
	}
	if err := files.Write(filepath.Join(n.dir, "output.txt"), text); err != nil {
		return nil, "", err
	}
	return golang.ReadNative(string(text), err == nil), string(text), nil
}

// say says how Go has ended, and what it printed if that is not what was explored.
func (f *nativeFlags) say(w io.Writer, n *nativeRun, s *golang.GatedSchedule, want, end *golang.NativeEnd,
	output string, same bool) {
	switch {
	case want == nil:
		fmt.Fprintf(w, "native       behind the schedule Go goes on by itself: %s\n", end)
	case end.Kind == golang.NativeUnbuilt:
		fmt.Fprintf(w, "native       nothing was run: the text with gates does not build\n")
	case same:
		fmt.Fprintf(w, "native       Go ends in the same way: %s\n", end)
	case len(s.Nameless) > 0:
		fmt.Fprintf(w, "native       cannot be judged: goroutines that %s starts, in another module, have no "+
			"gates; Go: %s; explored was: %s\n", strings.Join(s.Nameless, " or "), end, want)
	default:
		fmt.Fprintf(w, "native       Go ends otherwise: %s; explored was: %s\n", end, want)
	}
	for _, name := range slices.Sorted(maps.Keys(end.Waits)) {
		also := ""
		if at := n.short(s.Waits[name]); same && want != nil && at != n.short(end.Waits[name]) {
			also = ", where exploring has it at " + at
		}
		fmt.Fprintf(w, "             %s waits at %s%s\n", cmp.Or(s.Called[name], name), n.short(end.Waits[name]), also)
	}
	for _, what := range s.Unsupported {
		fmt.Fprintf(w, "             gates do not decide %s\n", what)
	}
	if s.Faked {
		fmt.Fprintf(w, "             time was faked: timers fire, and Sleep returns, when the schedule says\n")
	}
	if end.Missed != "" {
		fmt.Fprintf(w, "             %s\n", end.Missed)
	}
	if !same {
		for line := range strings.Lines(output) {
			fmt.Fprintf(w, "             | %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	if f.NativeTo != "" {
		fmt.Fprintf(w, "             %s has the text with gates, what Go printed, and run.sh\n", f.NativeTo)
	}
}

// short is a place below the root of the program.
func (n *nativeRun) short(at string) string {
	for _, root := range []string{n.Root, n.dir, n.Dir} {
		if rest, ok := strings.CutPrefix(at, root+"/"); ok && root != "" {
			return rest
		}
	}
	return at
}
