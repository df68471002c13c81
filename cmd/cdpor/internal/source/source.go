package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang/step"
	"cdpor/synth"
)

// A Source is the constraints that a run uses, and why they may be believed.
type Source struct {
	Set    *constraints.Set // nil: none
	Origin string           // one line on where they come from and who has proved them, or why there are none
	Trust  Trust
	Path   string // the file, if there is one
	Time   time.Duration
	// Inductive says of the invariants of the program whether they were proved when the constraints were synthesised.
	Inductive []synth.InvariantNote
}

// Trust says why constraints may be believed.
type Trust string

// What a run may use.
const (
	None        Trust = "none"
	Synthesised Trust = "synthesised"
	proved      Trust = "proved" // a file whose every entry was proved in this run
	// a file for this very program, written by cdpor synth; not proved again for want of a solver
	recorded Trust = "recorded"
	OnFaith  Trust = "trusted" // a file that the user vouches for
)

// Blame is the error of two algorithms that find different things: the user's, who vouched for the constraints, or else
// a bug. k may be nil.
func (k *Source) Blame(a, b, difference string) error {
	if k != nil && k.Trust == OnFaith {
		return fault.Inputf("%s is wrong: %s and %s find different %s", k.Path, a, b, difference)
	}
	return fmt.Errorf("%s and %s disagree on the %s: please report this program", a, b, difference)
}

// ConstraintFlags choose constraints.
type ConstraintFlags struct {
	Constraints      string `xor:"source" predictor:"file" placeholder:"FILE" help:"Constraint file. Without the flag the file beside the program is used if there is one, else constraints are synthesised in memory."`
	NoConstraints    bool   `xor:"source" help:"Use no constraints."`
	TrustConstraints bool   `help:"Use a constraint file without proving it."`
	CacheFlags
}

// FileBeside is where the constraints of a YAML program are kept.
func FileBeside(program string) string { return WithoutYAML(program) + ".constraints.yaml" }

// Beside is where the constraints of a program are kept: beside it, those of a Go program in the folder of the package
// under the name of the function that it begins with.
func Beside(prog *step.Program) string {
	if prog.From == "" {
		return FileBeside(prog.Path)
	}
	folder := prog.Path
	if strings.HasSuffix(folder, ".go") {
		folder = filepath.Dir(folder)
	}
	return filepath.Join(folder, prog.From+".constraints.yaml")
}

// CommandLine is how a command names a program, for a shell.
func CommandLine(prog *step.Program) string {
	if prog.From == "" {
		return terminal.Quote(prog.Path)
	}
	return terminal.Quote(prog.Path) + " --func " + terminal.Quote(prog.From)
}

// WithoutYAML is the path of a program without .yaml or .yml.
func WithoutYAML(path string) string {
	if ext := filepath.Ext(path); ext == ".yaml" || ext == ".yml" {
		return strings.TrimSuffix(path, ext)
	}
	return path
}

// Find returns the constraints for an exploration, if they are wanted.
func (f *ConstraintFlags) Find(ctx context.Context, prog *step.Program, alg *explore.Algorithm, wanted bool, h *Host) (
	*Source, error) {
	path := f.Constraints
	if path == "" && alg.Constraints && !f.NoConstraints {
		path = Beside(prog)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			path = ""
		} else if err != nil {
			return nil, fault.FileError(err)
		} else if outdated(prog, path) {
			fmt.Fprintf(h.Messages, "cdpor: note: %s is of another version of the program, and is not used; "+
				"cdpor synth %s writes it anew\n", path, CommandLine(prog))
			path = ""
		}
	}
	switch {
	case !alg.Constraints:
		return &Source{Trust: None, Origin: "none: the algorithm " + alg.Name + " uses none"}, nil
	case f.NoConstraints:
		return &Source{Trust: None, Origin: "none: switched off"}, nil
	case alg.Chooses && path == "":
		return later(), nil
	case !wanted:
		return &Source{Trust: None, Origin: "none; --use-constraints makes " + alg.Name + " use some"}, nil
	}
	if path == "" {
		return Synthesise(ctx, prog, h, &f.CacheFlags)
	}
	k, err := f.fromFile(ctx, prog, path, h)
	if err != nil && f.Constraints == "" {
		fmt.Fprintf(h.Messages, "cdpor: %s is used because it stands beside the program; "+
			"--no-constraints does without\n", path)
	}
	return k, err
}

// outdated reports whether a constraint file does not fit a program, because it is of another version of that, and is
// as cdpor synth has written it.
func outdated(prog *step.Program, path string) bool {
	text, err := files.Read(path)
	if err != nil {
		return false
	}
	set, lost, err := constraints.LoadParts(prog, path, text)
	return err == nil && len(lost) > 0 && set.Stale() && len(set.Edited())+len(set.FactsByHand()) == 0 &&
		!slices.ContainsFunc(lost, func(l constraints.Lost) bool { return !l.Made })
}

// Synthesise finds constraints. What earlier runs found is taken from the cache.
func Synthesise(ctx context.Context, prog *step.Program, h *Host, cache *CacheFlags) (*Source, error) {
	if err := synth.Available(); err != nil {
		return &Source{Trust: None, Origin: "none: " + err.Error()}, nil
	}
	opt := h.Solver()
	store, folder, err := cache.Open(h.Now)
	if err != nil {
		return nil, err
	}
	opt.Cache = store
	Within(&opt, 0)
	start := h.Now()
	set, report, err := synth.Synthesize(ctx, prog, opt)
	if err != nil {
		return nil, err
	}
	took := h.Now().Sub(start)
	folder.Trimmed(h.Messages)
	origin := "synthesised in " + Milliseconds(took)
	if report.Cached > 0 {
		origin += fmt.Sprintf(", %d of %s from the cache", report.Cached, terminal.Plural(report.Pairs, "pair"))
	}
	if report.GivenUp > 0 {
		origin += fmt.Sprintf(", %s given up", terminal.Plural(report.GivenUp, "question"))
	}
	return &Source{Set: set, Trust: Synthesised, Time: took, Origin: origin, Inductive: report.Invariants}, nil
}

// fromFile loads a constraint file and proves it. The file is not believed on its word: even an entry marked exact may
// have been edited.
func (f *ConstraintFlags) fromFile(ctx context.Context, prog *step.Program, path string, h *Host) (*Source, error) {
	set, err := Load(prog, path)
	if err != nil {
		return nil, err
	}
	k := &Source{Set: set, Path: path}
	if f.TrustConstraints {
		k.Trust, k.Origin = OnFaith, path+", TRUSTED without proof"
		return k, nil
	}
	if err := synth.Available(); err != nil {
		reason := unproved(set)
		if reason == "" {
			k.Trust, k.Origin = recorded, path+", as recorded: there is no solver to prove it again"
			return k, nil
		}
		return nil, fault.Inputf("%s %s and must be proved first, but %w; --trust-constraints uses it nevertheless",
			path, reason, err)
	}
	start := h.Now()
	wrong, open, err := h.Prove(ctx, prog, set)
	if err != nil {
		return nil, err
	}
	k.Time = h.Now().Sub(start)
	switch {
	case wrong > 0:
		return nil, fault.Inputf("%s is wrong and was not used; correct it, or write it anew with: cdpor synth %s",
			path, CommandLine(prog))
	case open > 0:
		fmt.Fprintf(h.Messages, "cdpor: the solver cannot decide all of %s; --trust-constraints uses it nevertheless\n",
			path)
		return nil, fault.ExitIncomplete
	}
	k.Trust, k.Origin = proved, fmt.Sprintf("%s, proved in %s", path, Milliseconds(k.Time))
	return k, nil
}

// unproved says why a constraint file has to be proved before it can be used, empty if it is as cdpor synth wrote it.
func unproved(set *constraints.Set) string {
	edited := set.Edited()
	switch {
	case set.Stale():
		return "was made for another version of the program or other parameters"
	case len(edited) == 0 && !set.Headed():
		return "has a digest, invariants or facts that were edited by hand, or are of an older cdpor"
	case len(edited) == 0:
		return ""
	}
	var names []string
	for _, p := range edited {
		names = append(names, fmt.Sprintf("%s | %s at line %d", p.A.Name(), p.B.Name(), p.Pos.Line))
	}
	if len(names) > maxNamed {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", len(edited)-maxNamed))
	}
	return "has entries that were written or edited by hand, or by an older cdpor (" + strings.Join(names, ", ") + ")"
}

// maxNamed bounds how many entries a message names.
const maxNamed = 8

// Load reads a constraint file of a program.
func Load(prog *step.Program, path string) (*constraints.Set, error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	return constraints.Load(prog, path, text)
}

// Milliseconds writes a time with no more digits than people need.
func Milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// Conditions is the constraints of a set in words, without those of pairs that are true or false throughout.
func Conditions(set *constraints.Set) [][2]string {
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
