package prove

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth"
)

// solverFlags bound what the solver does, and record it.
type solverFlags struct {
	Timeout       time.Duration `placeholder:"TIME" help:"Stop after a time such as 30s."`
	QuestionUnits int           `default:"40000" placeholder:"N" help:"Let a question to the solver about products of unknowns, or quotients by them, take at most N of its resource units (rlimit of Z3): steps of reasoning, counted and not timed. Default: 40000."`
	MaxQueries    int           `placeholder:"N" help:"Ask the solver at most N questions; pairs that this is not enough for are unknown. Default of synth: 100000."`
	Dump          string        `predictor:"dir" placeholder:"DIR" help:"Write every question to the solver and its answer into this folder, one SMT-LIB file each."`
}

// solverOptions prepares for the use of the solver: what a command that shows progress and can be interrupted needs.
func solverOptions(p *progress.Progress) synth.Options {
	p.Env.Interrupts.Guard()
	return synth.Options{Progress: p.Solving,
		Interrupted: p.Env.Interrupts.Interrupt}
}

// Host lends the progress, the clock and the solver of a command to those who find constraints.
func Host(p *progress.Progress) *source.Host {
	return &source.Host{Now: p.Env.Now, Messages: p.Env.Stderr,
		Solver: func() synth.Options { return solverOptions(p) },
		Prove: func(ctx context.Context, prog *step.Program, set *constraints.Set) (wrong, open int, err error) {
			return prove(ctx, p, prog, set)
		}}
}

// prepare checks the flags and turns them into options.
func (f *solverFlags) prepare(p *progress.Progress) (synth.Options, *dump, error) {
	opt := solverOptions(p)
	opt.MaxQueries, opt.RLimit = f.MaxQueries, uint(max(f.QuestionUnits, 0))
	if err := synth.Available(); err != nil {
		return opt, nil, fault.Input{Err: err}
	}
	if f.Timeout < 0 || f.MaxQueries < 0 || f.QuestionUnits < 1 || f.QuestionUnits > math.MaxUint32 {
		return opt, nil, fault.Inputf("--timeout and --max-queries cannot be negative, --question-units is from 1 "+
			"to %d", math.MaxUint32)
	}
	d := &dump{dir: f.Dump}
	if f.Dump != "" {
		if err := d.open(); err != nil {
			return opt, nil, err
		}
		opt.Dump = d.write
	}
	return opt, d, nil
}

// A dump is a folder of questions to the solver.
type dump struct {
	dir   string // "": nothing is dumped
	files int
	err   error // the first one
}

// open makes the folder. It must be empty, so that it holds the questions of one command only.
func (d *dump) open() error {
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return fault.FileError(err)
	}
	old, err := os.ReadDir(d.dir)
	if err != nil {
		return fault.FileError(err)
	}
	if len(old) > 0 {
		return fault.Inputf("--dump %s: the folder is not empty", d.dir)
	}
	return nil
}

// write stores one question. The answer is stated as SMT-LIB does, so that another solver objects if it disagrees.
func (d *dump) write(number int, question, answer string) {
	if d.err != nil {
		return
	}
	text := fmt.Sprintf("; question %d of cdpor\n(set-info :status %s)\n%s\n", number, answer,
		strings.TrimSpace(question))
	d.err = os.WriteFile(filepath.Join(d.dir, fmt.Sprintf("%06d.smt2", number)), []byte(text), 0o644)
	d.files++
}

// close reports what was dumped.
func (d *dump) close(e *environment.Environment) error {
	if d.err != nil {
		return fault.FileError(d.err)
	}
	if d.dir != "" {
		fmt.Fprintf(e.Stderr, "cdpor: %s written to %s\n", terminal.Plural(d.files, "question"), d.dir)
	}
	return nil
}
