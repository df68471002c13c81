package expect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/cmd/cdpor/internal/junit"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang"
	"cdpor/lang/step"
)

// A Runner runs expect sections.
type Runner struct {
	Env           *environment.Environment
	Context       context.Context // ends the run
	Progress      *progress.Progress
	Host          *source.Host
	NoConstraints bool // entries that name an algorithm with constraints are skipped
	AllowVacuous  bool // a vacuous verdict is taken for ok where it is not what is wanted
	// EveryAlgorithm runs entries that name no algorithm under all of them.
	EveryAlgorithm bool

	Passed, Failed, Skipped int                 // entries
	Unusable                bool                // some file could not be used
	Found                   []*findings.Finding // expectations that do not hold
	Errors                  []output.Diagnostic // of files that could not be used

	junit *junit.Report
	json  *jsonTests // nil: the results are for people
}

// Run runs the entries of programs and prints what came of them: for people, or as one JSON object. They are also
// written to a file in the XML form of JUnit, unless xml is empty. Only internal errors are returned.
func (t *Runner) Run(programs []string, json bool, xml string) error {
	t.junit = junit.New("cdpor test", t.Env.Now)
	if json {
		t.json = &jsonTests{Cdpor: output.Version, Stopped: explore.StoppedComplete, Entries: []jsonEntry{}}
	}
	for _, path := range programs {
		t.junit.Begin(path)
		if err := t.file(path); err != nil {
			return err
		}
		if t.Context.Err() != nil {
			t.junit.Stopped(environment.WhyStopped(t.Context) + ": entries of this and of later programs are missing")
			break
		}
	}
	t.Progress.Done()
	if xml != "" {
		if err := t.junit.Write(xml); err != nil {
			return err
		}
	}
	return t.printTotals(t.Env.Stdout)
}

// file runs the entries of one program. Only internal errors are returned.
func (t *Runner) file(path string) error {
	src, err := load(path, nil)
	if err != nil {
		return t.unusableFile(path, err)
	}
	entries := src.Expect
	if len(entries) == 0 {
		entries = []*lang.Expect{{}}
	}
	subjects := map[string]*subject{} // by parameters, so that constraints are synthesised once for all
	for _, e := range entries {
		if t.Context.Err() != nil {
			return nil
		}
		key := Overrides(e)
		if subjects[key] == nil {
			s := &subject{}
			if s.src, err = load(path, e.With); err != nil {
				return t.unusableFile(path, err)
			}
			if s.m, err = step.NewMachine(s.src.Program); err != nil {
				return err
			}
			if s.t, err = replay.New(s.m); err != nil {
				return err
			}
			s.live = explore.JudgeLiveness(t.Context, s.m, explore.LivenessOptions{GiveUp: limits.GivingUp(t.Context)})
			subjects[key] = s
		}
		x := &expectation{Runner: t, subject: subjects[key], want: e, results: map[string]*explore.Result{}}
		if err := x.run(); err != nil {
			return err
		}
		x.print(path)
	}
	return nil
}

// unusableFile reports a file that cannot be loaded and goes on with the next.
func (t *Runner) unusableFile(path string, err error) error {
	t.Progress.Done()
	if t.Env.Fail(err) != fault.ExitInput {
		return err
	}
	if t.Errors = append(t.Errors, output.Diagnostics(err)...); t.json == nil {
		fmt.Fprintf(t.Env.Stdout, "FAIL  %s: cannot be loaded\n", path)
	}
	t.junit.Add(unusable(err))
	t.Failed++
	t.Unusable = true
	return nil
}

// unusable is the case of a program that cannot be loaded.
func unusable(err error) *junit.Case {
	c := &junit.Case{Name: "can be loaded", Error: &junit.Message{Message: err.Error()}}
	var list lang.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		c.Line, c.Error.Message = list[0].Pos.Line, list[0].Error()
		var text []string
		for _, m := range list {
			text = append(text, m.Snippet())
		}
		c.Error.Text = strings.Join(text, "\n")
	}
	return c
}

// load loads a program with the parameters of an entry.
func load(path string, params map[string]string) (*lang.Source, error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	return lang.Load(path, text, lang.Options{Params: params})
}

// printTotals writes how many entries passed, or everything for machines.
func (t *Runner) printTotals(w io.Writer) error {
	if t.json != nil {
		t.json.Passed, t.json.Failed, t.json.Skipped, t.json.Errors = t.Passed, t.Failed, t.Skipped, t.Errors
		if t.Context.Err() != nil {
			t.json.Stopped = environment.WhyStopped(t.Context)
		}
		return output.Write(w, t.json)
	}
	if t.Skipped > 0 {
		fmt.Fprintf(w, "%d skipped\n", t.Skipped)
	}
	_, err := fmt.Fprintln(w, t.Totals())
	return err
}

// Totals are the numbers of entries in a line.
func (t *Runner) Totals() string { return fmt.Sprintf("%d passed, %d failed", t.Passed, t.Failed) }
