package main

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
func (c *checkCommand) against(e *environment.Environment, src step.Loaded, path string, opt synth.Options,
	questions *dump, p *progress.Progress) error {
	if c.JSON || c.Weakest {
		return fault.Inputf("--against proves nothing: it goes with neither --json nor --weakest")
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
	equal, different, undecided := 0, 0, 0
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
		printDifference(e.Stdout, d)
	}
	fmt.Fprintf(e.Stdout, "%s: %d equal, %d different, %d undecided\n", terminal.Plural(len(list), "pair"),
		equal, different, undecided)
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
