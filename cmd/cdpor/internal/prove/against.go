package prove

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth"
)

// against compares a constraint file with an older one by what they mean.
func (c *Check) against(e *environment.Environment, src step.Loaded, path string, opt synth.Options,
	questions *dump, p *progress.Progress) error {
	if c.Weakest {
		return fault.Inputf("--against proves nothing: it does not go with --weakest")
	}
	var sets []*constraints.Set
	for _, path := range []string{c.Against, path} {
		set, err := source.Load(src.Form(), path)
		if err != nil {
			return err
		}
		if output.MadeForAnother(set) {
			fmt.Fprintf(e.Stderr, "cdpor: %s was made for another version of the program or other parameters\n", path)
		}
		sets = append(sets, set)
	}
	ctx, cancel := e.Limited(c.Timeout)
	defer cancel()
	list, err := synth.Diff(ctx, src.Form(), sets[0], sets[1], opt)
	p.Done()
	if failed := questions.close(e); failed != nil {
		return failed
	}
	if err != nil {
		if ctx.Err() != nil {
			fmt.Fprintf(e.Stderr, "cdpor: %s before everything was compared\n", environment.WhyStopped(ctx))
			return fault.ExitIncomplete
		}
		return err
	}
	return c.compared(e, list)
}

// jsonDifferences is the JSON of cdpor check --against.
type jsonDifferences struct {
	Cdpor     int              `json:"cdpor"`
	Equal     int              `json:"equal"`
	Different int              `json:"different"`
	Undecided int              `json:"undecided"`
	Pairs     []jsonDifference `json:"differences"` // those that are not equal
}

// A jsonDifference is a pair whose condition has changed, for each that has.
type jsonDifference struct {
	Steps   string            `json:"steps"`
	Subject string            `json:"subject"` // commute, uniform, or both
	Change  string            `json:"change"`
	Why     string            `json:"why,omitempty"` // it is not decided
	Old     string            `json:"old"`
	New     string            `json:"new"`
	OnlyOld map[string]string `json:"only_old,omitempty"` // a state in which only this one holds
	OnlyNew map[string]string `json:"only_new,omitempty"`
}

// compared reports what a comparison has come to.
func (c *Check) compared(e *environment.Environment, list []*synth.Difference) error {
	equal, different, undecided := 0, 0, 0
	out := jsonDifferences{Cdpor: output.Version, Pairs: []jsonDifference{}}
	for _, d := range list {
		changed := func(c synth.Change) bool { return c != synth.Equal && c != synth.Undecided }
		switch {
		case d.Same():
			equal++
			continue
		case changed(d.Commute) || changed(d.Uniform):
			different++
		default:
			undecided++
		}
		if c.JSON {
			out.Pairs = append(out.Pairs, jsonDifferencesOf(d)...)
		} else {
			printDifference(e.Stdout, d)
		}
	}
	if out.Equal, out.Different, out.Undecided = equal, different, undecided; c.JSON {
		if err := output.Write(e.Stdout, out); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(e.Stdout, "%s: %d equal, %d different, %d undecided\n", terminal.Plural(len(list), "pair"),
			equal, different, undecided)
	}
	switch {
	case different > 0:
		return fault.ExitViolation
	case undecided > 0:
		return fault.ExitIncomplete
	}
	return nil
}

// A change compares a condition of a pair in both files, or both conditions if they changed alike.
type change struct {
	subject          string // "commute is"
	change           synth.Change
	old, renewed     string
	onlyOld, onlyNew []synth.Binding
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
		text := lang.FormatExpr(x, p.A.Template, p.B.Template)
		if d.Old != nil && p.A != d.Old.A { // the other way round, so that p and q are exchanged
			text += " (" + p.A.Name() + " | " + p.B.Name() + ")"
		}
		return text
	}
	c := change{"commute is", d.Commute, condition(d.Old, false), condition(d.New, false),
		d.OnlyOldCommutes, d.OnlyNewCommutes}
	u := change{"uniform is", d.Uniform, condition(d.Old, true), condition(d.New, true),
		d.OnlyOldUniform, d.OnlyNewUniform}
	if c.change == u.change && c.old == u.old && c.renewed == u.renewed {
		c.subject = "commute and uniform are"
		return []change{c}
	}
	return slices.DeleteFunc([]change{c, u}, func(c change) bool { return c.change == synth.Equal })
}

func jsonDifferencesOf(d *synth.Difference) (list []jsonDifference) {
	state := func(bindings []synth.Binding) map[string]string {
		if len(bindings) == 0 {
			return nil
		}
		out := map[string]string{}
		for _, b := range bindings {
			out[b.Name] = b.Value
		}
		return out
	}
	for _, c := range changes(d) {
		j := jsonDifference{Steps: d.Name(), Subject: strings.TrimSuffix(strings.TrimSuffix(c.subject, " is"), " are"),
			Change: string(c.change), Old: c.old, New: c.renewed, OnlyOld: state(c.onlyOld), OnlyNew: state(c.onlyNew)}
		if c.change == synth.Undecided {
			j.Why = d.Why
		}
		list = append(list, j)
	}
	return list
}

// printDifference writes what became of a pair: the conditions of both files, and states that tell them apart.
func printDifference(w io.Writer, d *synth.Difference) {
	fmt.Fprintln(w, strings.Replace(d.Name(), ", ", " | ", 1))
	for _, c := range changes(d) {
		meaning := map[synth.Change]string{synth.Weaker: " (true in more states)",
			synth.Stronger:     " (true in fewer states)",
			synth.Incomparable: " (true in other states)", synth.Undecided: ": " + d.Why}[c.change]
		fmt.Fprintf(w, "  %s %s%s\n    - %s\n    + %s\n", c.subject, c.change, meaning, c.old, c.renewed)
		if len(c.onlyOld) > 0 {
			fmt.Fprintf(w, "    only - is true in: %s\n", joinBindings(c.onlyOld))
		}
		if len(c.onlyNew) > 0 {
			fmt.Fprintf(w, "    only + is true in: %s\n", joinBindings(c.onlyNew))
		}
	}
}

func joinBindings(state []synth.Binding) string {
	var parts []string
	for _, b := range state {
		parts = append(parts, b.Name+" = "+b.Value)
	}
	return strings.Join(parts, ", ")
}
