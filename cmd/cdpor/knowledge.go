package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang"
	"cdpor/synth"
)

// knowledge is the constraints a run uses, and why they may be believed.
type knowledge struct {
	Set    *constraints.Set // nil: none
	Origin string           // one line on where they come from and who has proved them, or why there are none
	Trust  trust
	Path   string // the file, if there is one
	Time   time.Duration
	// Inductive says of the invariants of the program whether they were proved when the constraints were synthesised.
	Inductive []synth.InvariantNote
}

// trust says why constraints may be believed.
type trust string

const (
	noConstraints trust = "none"
	synthesised   trust = "synthesised"
	proved        trust = "proved"   // a file whose every entry was proved in this run
	recorded      trust = "recorded" // a file for this very program, written by cdpor synth; not proved again for want of a solver
	onFaith       trust = "trusted"  // a file that the user vouches for
)

// blame is the error of two algorithms that find different things: the user's, who vouched for the constraints, or else a bug. k may be nil.
func (k *knowledge) blame(a, b, difference string) error {
	if k != nil && k.Trust == onFaith {
		return fault.Inputf("%s is wrong: %s and %s find different %s", k.Path, a, b, difference)
	}
	return fmt.Errorf("%s and %s disagree on the %s: please report this program", a, b, difference)
}

// constraintFlags choose constraints.
type constraintFlags struct {
	Constraints      string `xor:"source" placeholder:"FILE" help:"Constraint file. Without the flag the file beside the program is used if there is one, else constraints are synthesised in memory."`
	NoConstraints    bool   `xor:"source" help:"Use no constraints."`
	TrustConstraints bool   `help:"Use a constraint file without proving it."`
	cacheFlags
}

// constraintPath is where the constraints of a program are kept.
func constraintPath(program string) string { return withoutYAML(program) + ".constraints.yaml" }

// withoutYAML is the path of a program without .yaml or .yml.
func withoutYAML(path string) string {
	if ext := filepath.Ext(path); ext == ".yaml" || ext == ".yml" {
		return strings.TrimSuffix(path, ext)
	}
	return path
}

// find returns the constraints for an exploration, if they are wanted.
func (f *constraintFlags) find(ctx context.Context, src *lang.Source, alg *explore.Algorithm, wanted bool, p *progress) (*knowledge, error) {
	switch {
	case !alg.Constraints:
		return &knowledge{Trust: noConstraints, Origin: "none: the algorithm " + alg.Name + " uses none"}, nil
	case f.NoConstraints:
		return &knowledge{Trust: noConstraints, Origin: "none: switched off"}, nil
	case alg.Chooses && f.Constraints == "" && !f.beside(src):
		return later(), nil
	case !wanted:
		return &knowledge{Trust: noConstraints, Origin: "none; --use-constraints makes " + alg.Name + " use some"}, nil
	}
	path := f.Constraints
	if path == "" {
		beside := constraintPath(src.Program.Path)
		if _, err := os.Stat(beside); err == nil {
			path = beside
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, fault.FileError(err)
		}
	}
	if path == "" {
		return synthesise(ctx, src, p, &f.cacheFlags)
	}
	k, err := f.fromFile(ctx, src, path, p)
	if err != nil && f.Constraints == "" {
		fmt.Fprintf(p.env.stderr, "cdpor: %s is used because it stands beside the program; --no-constraints does without\n", path)
	}
	return k, err
}

// beside reports whether there is a constraint file beside the program.
func (f *constraintFlags) beside(src *lang.Source) bool {
	_, err := os.Stat(constraintPath(src.Program.Path))
	return !errors.Is(err, fs.ErrNotExist)
}

// synthesise finds constraints. What earlier runs found is taken from the cache.
func synthesise(ctx context.Context, src *lang.Source, p *progress, cache *cacheFlags) (*knowledge, error) {
	if err := synth.Available(); err != nil {
		return &knowledge{Trust: noConstraints, Origin: "none: " + err.Error()}, nil
	}
	opt := p.solver()
	store, folder, err := cache.open(p.env)
	if err != nil {
		return nil, err
	}
	opt.Cache = store
	within(&opt, 0)
	start := p.env.now()
	set, report, err := synth.Synthesize(ctx, src.Program, opt)
	if err != nil {
		return nil, err
	}
	took := p.env.now().Sub(start)
	folder.trimmed(p.env)
	origin := "synthesised in " + milliseconds(took)
	if report.Cached > 0 {
		origin += fmt.Sprintf(", %d of %s from the cache", report.Cached, terminal.Plural(report.Pairs, "pair"))
	}
	if report.Late > 0 {
		origin += fmt.Sprintf(", %s given up after %v", terminal.Plural(report.Late, "question"), questionTime)
	}
	return &knowledge{Set: set, Trust: synthesised, Time: took, Origin: origin, Inductive: report.Invariants}, nil
}

// fromFile loads a constraint file and proves it. The file is not believed on its word: even an entry marked exact may have
// been edited.
func (f *constraintFlags) fromFile(ctx context.Context, src *lang.Source, path string, p *progress) (*knowledge, error) {
	set, err := loadConstraints(src, path)
	if err != nil {
		return nil, err
	}
	k := &knowledge{Set: set, Path: path}
	if f.TrustConstraints {
		k.Trust, k.Origin = onFaith, path+", TRUSTED without proof"
		return k, nil
	}
	if err := synth.Available(); err != nil {
		reason := ""
		switch {
		case set.Stale():
			reason = "was made for another version of the program or other parameters"
		case set.HasManual():
			reason = "has entries written by hand"
		default:
			k.Trust, k.Origin = recorded, path+", as recorded: there is no solver to prove it again"
			return k, nil
		}
		return nil, fault.Inputf("%s %s and must be proved first, but %w; --trust-constraints uses it nevertheless", path, reason, err)
	}
	start := p.env.now()
	wrong, err := prove(ctx, src, set, p)
	if err != nil {
		return nil, err
	}
	k.Time = p.env.now().Sub(start)
	switch {
	case wrong.refuted+wrong.falseFacts > 0:
		return nil, fault.Inputf("%s is wrong and was not used; correct it, or write it anew with: cdpor synth %s", path, quoteArgument(src.Program.Path))
	case wrong.open+wrong.facts > 0:
		fmt.Fprintf(p.env.stderr, "cdpor: the solver cannot decide all of %s; --trust-constraints uses it nevertheless\n", path)
		return nil, fault.ExitIncomplete
	}
	k.Trust, k.Origin = proved, fmt.Sprintf("%s, proved in %s", path, milliseconds(k.Time))
	return k, nil
}

func loadConstraints(src *lang.Source, path string) (*constraints.Set, error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	return constraints.Load(src.Program, path, text)
}

func milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// conditions is the constraints of a set in words, without those of pairs that are true or false throughout.
func conditions(set *constraints.Set) [][2]string {
	var lines [][2]string
	for _, p := range set.Pairs {
		if constraints.IsFalse(p.Commute) || constraints.IsTrue(p.Uniform) {
			continue
		}
		commute := set.Text(p, p.Commute)
		uniform := set.Text(p, p.Uniform)
		if uniform != commute {
			commute += "  (uniform: " + uniform + ")"
		}
		lines = append(lines, [2]string{p.A.Name() + " | " + p.B.Name(), commute})
	}
	return lines
}
