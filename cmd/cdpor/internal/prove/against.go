package prove

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth"
)

// against compares the constraints of the program with older ones by what they mean: those of a file, or those of an
// older version of the program.
func (c *Check) against(e *environment.Environment, src step.Loaded, opt synth.Options, questions *dump,
	p *progress.Progress) error {
	if c.Weakest {
		return fault.Inputf("--against proves nothing: it does not go with --weakest")
	}
	ctx, cancel := e.Limited(c.Timeout)
	defer cancel()
	older, err := c.older(ctx)
	if err != nil {
		return err
	}
	compare := c.files
	if !files.IsConstraintFile(older.text) {
		compare = c.versions
	}
	list, err := compare(ctx, e, src.Form(), older, opt)
	p.Done()
	if failed := questions.close(e); failed != nil {
		return failed
	}
	if err != nil {
		return ended(ctx, e, err, "everything was compared")
	}
	return c.compared(e, list)
}

// An olderFile is the operand of --against: a constraint file, or a program with the constraint file beside it, if
// there is one.
type olderFile struct {
	name         string
	text, beside []byte
}

// older reads what --against names: a file, or a revision of git that has the program.
func (c *Check) older(ctx context.Context) (*olderFile, error) {
	text, err := files.Read(c.Against)
	if err == nil {
		f := &olderFile{name: c.Against, text: text}
		if !files.IsConstraintFile(text) && files.Exists(source.FileBeside(c.Against)) {
			f.beside, err = files.Read(source.FileBeside(c.Against))
		}
		return f, err
	}
	folder, name := filepath.Split(c.Program)
	show := func(name string) ([]byte, error) {
		text, err := files.Git(ctx, folder, "show", "--end-of-options", c.Against+":./"+name)
		if err != nil {
			return nil, err
		}
		return []byte(text), nil
	}
	if _, known := files.Git(ctx, folder, "rev-parse", "--verify", "--quiet", "--end-of-options",
		c.Against+"^{commit}"); known != nil {
		return nil, err
	}
	f := &olderFile{name: c.Against + ":" + name}
	if f.text, err = show(name); err == nil {
		f.beside, _ = show(source.FileBeside(name)) // where there is none, they are synthesised
	}
	return f, err
}

// files compares two constraint files of the program.
func (c *Check) files(ctx context.Context, e *environment.Environment, prog *step.Program, older *olderFile,
	opt synth.Options) ([]*synth.Difference, error) {
	set, err := constraints.Load(prog, older.name, older.text)
	if err != nil {
		return nil, err
	}
	path := cmp.Or(c.File, source.Beside(prog))
	renewed, err := source.Load(prog, path)
	if err != nil {
		return nil, err
	}
	for _, s := range []*constraints.Set{set, renewed} {
		if output.MadeForAnother(s) {
			fmt.Fprintf(e.Stderr, "cdpor: %s was made for another version of the program or other parameters\n",
				s.File.Name)
		}
	}
	return synth.Diff(ctx, prog, set, renewed, opt)
}

// versions compares the constraints of the program with those of an older version. Where there is no file, they are
// synthesised.
func (c *Check) versions(ctx context.Context, _ *environment.Environment, prog *step.Program, older *olderFile,
	opt synth.Options) ([]*synth.Difference, error) {
	if flags.IsGo(c.Program) {
		return nil, fault.Inputf("--against: %s is no constraint file; versions of a program are compared of YAML "+
			"programs", c.Against)
	}
	before, err := c.LoadText(older.name, older.text)
	if err != nil {
		return nil, err
	}
	opt.Readable = true
	source.Within(&opt, c.MaxQueries)
	constraintsOf := func(prog *step.Program, path string, text []byte) (*constraints.Set, error) {
		if text != nil {
			return constraints.Load(prog, path, text)
		}
		set, _, err := synth.Synthesize(ctx, prog, opt)
		return set, err
	}
	path, text := cmp.Or(c.File, source.Beside(prog)), []byte(nil)
	if c.File != "" || files.Exists(path) {
		if text, err = files.Read(path); err != nil {
			return nil, err
		}
	}
	renewed, err := constraintsOf(prog, path, text)
	if err != nil {
		return nil, err
	}
	old, err := constraintsOf(before.Form(), source.FileBeside(older.name), older.beside)
	if err != nil {
		return nil, err
	}
	return synth.DiffVersions(ctx, old, renewed, opt)
}

// jsonDifferences is the JSON of cdpor check --against.
type jsonDifferences struct {
	Cdpor     int      `json:"cdpor"`
	Equal     int      `json:"equal"`
	Different int      `json:"different"`
	Undecided int      `json:"undecided"`
	New       int      `json:"new"` // pairs of steps that the older version of the program does not have
	Gone      int      `json:"gone"`
	Pairs     []change `json:"differences"` // those that are not equal
}

// compared reports what a comparison has come to.
func (c *Check) compared(e *environment.Environment, list []*synth.Difference) error {
	out := jsonDifferences{Cdpor: output.Version, Pairs: []change{}}
	for _, d := range list {
		changed := func(c synth.Change) bool { return c != synth.Equal && c != synth.Undecided }
		switch {
		case d.Same():
			out.Equal++
			continue
		case d.Commute == synth.Added:
			out.New++
		case d.Commute == synth.Gone:
			out.Gone++
		case changed(d.Commute) || changed(d.Uniform):
			out.Different++
		default:
			out.Undecided++
		}
		if c.JSON {
			out.Pairs = append(out.Pairs, changes(d)...)
		} else {
			printDifference(e.Stdout, d)
		}
	}
	if c.JSON {
		if err := output.Write(e.Stdout, out); err != nil {
			return err
		}
	} else {
		line := fmt.Sprintf("%s: %d equal, %d different, %d undecided", terminal.Plural(len(list), "pair"), out.Equal,
			out.Different, out.Undecided)
		if out.New+out.Gone > 0 {
			line += fmt.Sprintf(", %d new, %d gone", out.New, out.Gone)
		}
		fmt.Fprintln(e.Stdout, line)
	}
	switch {
	case out.Different+out.New+out.Gone > 0:
		return fault.ExitViolation
	case out.Undecided > 0:
		return fault.ExitIncomplete
	}
	return nil
}

// A change compares a condition of a pair in both files, or both conditions if they changed alike.
type change struct {
	Steps   string       `json:"steps"`
	Subject string       `json:"subject"` // commute, uniform, or both
	Change  synth.Change `json:"change"`
	Why     string       `json:"why,omitempty"` // it is not decided
	Old     string       `json:"old"`
	New     string       `json:"new"`
	OnlyOld state        `json:"only_old,omitempty"` // in which only this one holds
	OnlyNew state        `json:"only_new,omitempty"`
}

// A state says what some places hold.
type state []synth.Binding

func (s state) MarshalJSON() ([]byte, error) {
	out := map[string]string{}
	for _, b := range s {
		out[b.Name] = b.Value
	}
	return json.Marshal(out)
}

func (s state) String() string {
	var parts []string
	for _, b := range s {
		parts = append(parts, b.Name+" = "+b.Value)
	}
	return strings.Join(parts, ", ")
}

// changes lists what differs in a pair.
func changes(d *synth.Difference) []change {
	condition := func(p *constraints.Pair, uniform bool) string {
		if p == nil {
			return "(not listed)"
		}
		x := p.Commute
		if uniform {
			x = p.Uniform
		}
		return p.Text(x)
	}
	list := []change{{d.Name(), "commute", d.Commute, "", condition(d.Old, false), condition(d.New, false),
		d.OnlyOldCommutes, d.OnlyNewCommutes}, {d.Name(), "uniform", d.Uniform, "", condition(d.Old, true),
		condition(d.New, true), d.OnlyOldUniform, d.OnlyNewUniform}}
	for i, c := range list {
		if c.Change == synth.Undecided || c.Change == synth.Incomparable {
			list[i].Why = d.Why
		}
		if c.Old == c.New && d.Old != nil && d.New != nil { // the constants have changed
			which := func(p *constraints.Pair) *step.Expr { return []*step.Expr{p.Commute, p.Uniform}[i] }
			list[i].Old = d.Old.Text(constraints.ByValue(which(d.Old)))
			list[i].New = d.New.Text(constraints.ByValue(which(d.New)))
		}
	}
	if c, u := list[0], list[1]; c.Change == u.Change && c.Old == u.Old && c.New == u.New {
		c.Subject = "commute and uniform"
		return []change{c}
	}
	return slices.DeleteFunc(list, func(c change) bool { return c.Change == synth.Equal })
}

// printDifference writes what became of a pair: the conditions of both files, and states that tell them apart.
func printDifference(w io.Writer, d *synth.Difference) {
	fmt.Fprintln(w, strings.Replace(d.Name(), ", ", " | ", 1))
	list := changes(d)
	if d.Commute == synth.Added || d.Commute == synth.Gone {
		sign, of := "-", func(c change) string { return c.Old }
		if d.Commute == synth.Added {
			sign, of = "+", func(c change) string { return c.New }
		}
		fmt.Fprintf(w, "  %s\n    %s %s\n", d.Commute, sign, of(list[0]))
		if len(list) > 1 {
			fmt.Fprintf(w, "      uniform: %s\n", of(list[1]))
		}
		return
	}
	for _, c := range list {
		meaning := map[synth.Change]string{synth.Weaker: " (true in more states)",
			synth.Stronger:     " (true in fewer states)",
			synth.Incomparable: " (true in other states)", synth.Undecided: ": "}[c.Change]
		if c.Why != "" {
			meaning = ": " + c.Why
		}
		is := "is"
		if strings.Contains(c.Subject, " ") {
			is = "are"
		}
		fmt.Fprintf(w, "  %s %s %s%s\n    - %s\n    + %s\n", c.Subject, is, c.Change, meaning, c.Old, c.New)
		if len(c.OnlyOld) > 0 {
			fmt.Fprintf(w, "    only - is true in: %s\n", c.OnlyOld)
		}
		if len(c.OnlyNew) > 0 {
			fmt.Fprintf(w, "    only + is true in: %s\n", c.OnlyNew)
		}
	}
}
