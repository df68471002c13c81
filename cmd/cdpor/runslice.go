package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// cdpor run --slice explores for each property the part of the program that it depends on. Parts that are the same are explored once.

// A slicedPart is what some properties depend on.
type slicedPart struct {
	names      []string
	slice      *slice.Result
	checks     step.Checks
	spec       *step.Spec // nil: the part is not for histories
	invariants []*step.Property
	m          *step.Machine
	result     *explore.Result
	everywhere *invariantCheck // of the invariants in all states; nil if there are none, or the search has come to all
	found      []*slicedViolation
}

// A slicedViolation is what is wrong in a slice, by a schedule of the whole program if shown.
type slicedViolation struct {
	*explore.Violation
	shown bool
	of    []int32 // the schedule of the slice
}

// A slicedRun explores a program property by property. Its report is about the whole program.
type slicedRun struct {
	*report
	src      *lang.Source
	parts    []*slicedPart
	progress *progress
	reported map[string]bool
	verdict  explore.Verdict
}

// runSliced is cdpor run --slice.
func (c *runCommand) runSliced(ctx context.Context, e *environment, src *lang.Source, m *step.Machine, alg *explore.Algorithm, p *progress) error {
	switch {
	case c.CompareWith != "", c.Schedule != "", c.ProfileConstraints, c.Show > 0:
		return fault.Inputf("--slice goes with none of --compare-with, --schedule, --profile-constraints and --show")
	case c.HTML != "", c.Dot != "", c.Mermaid != "":
		return fault.Inputf("--slice explores several programs, and --html, --dot and --mermaid show one: cut it out with cdpor slice first")
	case c.checkpointFlags.every() > 0:
		return fault.Inputf("--slice explores several programs, and checkpoints are for one")
	case c.Constraints != "":
		return fault.Inputf("--slice finds constraints for each slice; a constraint file is for the whole program")
	}
	x := &slicedRun{src: src, progress: p, reported: map[string]bool{}, verdict: explore.OK, report: &report{m: m, env: e,
		colour: e.colour(e.stdout), command: c, algorithm: alg, knowledge: &source.Source{Trust: source.None},
		result: &explore.Result{Algorithm: alg.Name}}}
	var end context.CancelFunc
	x.patience, end = limits.Patience(ctx)
	defer end()
	var err error
	if x.t, err = replay.New(m); err != nil {
		return err
	}
	if x.parts, err = slicedParts(src.Program); err != nil {
		return err
	}
	if err := x.explore(ctx); err != nil {
		return err
	}
	if c.JSON {
		if err := output.Write(e.stdout, x.json()); err != nil {
			return err
		}
		return verdictCode(x.verdict)
	}
	err = terminal.Folded(e.stdout, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "\n%-12s %s\n", "verdict", x.colour.Verdict(x.verdict, slicedVerdict(x.verdict, len(x.reported))))
		return err
	})
	return cmp.Or(err, verdictCode(x.verdict))
}

// explore explores the parts and judges the whole. What is for people is printed part by part.
func (x *slicedRun) explore(ctx context.Context) error {
	c, e, start := x.command, x.env, x.env.now()
	if !c.JSON {
		if err := terminal.Folded(e.stdout, func(w io.Writer) error {
			x.printProgram(lineTo(w))
			return nil
		}); err != nil {
			return err
		}
	}
	for i, part := range x.parts {
		if err := x.explorePart(ctx, part); err != nil {
			return err
		}
		x.progress.done()
		x.result.Stopped = part.result.Stopped
		if err := x.findings(part); err != nil {
			return err
		}
		if !c.JSON {
			if err := terminal.Folded(e.stdout, func(w io.Writer) error { return x.printPart(w, part) }); err != nil {
				return err
			}
		}
		if x.verdict == explore.OK || part.result.Verdict == explore.Violated {
			x.verdict = part.result.Verdict
		}
		if c.StopAtFirst && x.verdict == explore.Violated {
			x.parts = x.parts[:i+1]
			break
		}
	}
	if err := x.judgeWhole(ctx); err != nil {
		return err
	}
	if found := x.result.Verdict; found != explore.OK && x.verdict != explore.Violated {
		x.verdict = found
	}
	for _, v := range x.result.Violations {
		x.reported[x.violationText(v)] = true
	}
	x.time = e.now().Sub(start)
	if c.JSON {
		return nil
	}
	return terminal.Folded(e.stdout, x.printWhole)
}

// explorePart explores the part of the program for some properties.
func (x *slicedRun) explorePart(ctx context.Context, part *slicedPart) (err error) {
	c, alg := x.command, x.algorithm
	program := part.slice.Cut(nil, part.checks)
	program.Spec = part.spec
	program.Invariants = part.invariants // what others are about may be cut off
	if part.m, err = step.NewMachine(program); err != nil {
		return err
	}
	cut := &lang.Source{Program: part.m.Program, File: x.src.File}
	if part.checks.Outcomes != nil {
		cut.Program.Observe = x.src.Program.Observe
	}
	opt, _ := c.options(alg) // checked
	opt.Progress, opt.GiveUp, opt.StopAtFirst = x.progress.exploring, limits.GivingUp(ctx), c.StopAtFirst
	var set *source.Source
	var ask *source.Asker
	if alg.Chooses && !c.NoConstraints {
		if ask, err = source.NewAsker(part.m, x.progress.host(), &c.CacheFlags); err != nil {
			return err
		}
	} else if c.wanted(alg) {
		set, err = source.Synthesise(ctx, cut, x.progress.host(), &c.CacheFlags)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if set != nil && set.Set != nil {
			opt.Conditions = set.Set.Compile(part.m)
		}
	}
	ask.Answers(part.m, &opt, nil)
	part.result, err = explore.Run(ctx, part.m, alg, opt)
	if ask.Close(); err != nil {
		return err
	}
	if part.everywhere, err = everywhere(ctx, part.m, set, c.GraphStates, part.result); err != nil {
		return err
	}
	c.allow(part.result)
	return nil
}

// judgeWhole judges what is about executions as a whole on the whole program: a slice need not end when that does not.
func (x *slicedRun) judgeWhole(ctx context.Context) error {
	x.result = &explore.Result{Verdict: explore.OK, Stopped: x.result.Stopped}
	return x.judge(ctx)
}

// printWhole writes what was found out about executions as a whole.
func (x *slicedRun) printWhole(w io.Writer) error {
	first := true
	x.printLiveness(func(key, format string, args ...any) {
		if first {
			fmt.Fprintln(w)
		}
		first = false
		fmt.Fprintf(w, "%-12s %s\n", key, fmt.Sprintf(format, args...))
	})
	for _, v := range x.result.Violations {
		fmt.Fprintln(w)
		if err := x.printViolation(w, &violationGroup{shown: v, members: []*explore.Violation{v}}); err != nil {
			return err
		}
	}
	return nil
}

func slicedVerdict(v explore.Verdict, violations int) string {
	switch v {
	case explore.OK:
		return "ok: every property was checked on the part that it depends on; outcomes were not looked at"
	case explore.Violated:
		return "violation: " + terminal.Plural(violations, "distinct violation")
	case explore.Vacuous:
		return "vacuous: nothing wrong, but not everything was checked"
	}
	return string(v) + ": nothing wrong in the part that was explored"
}

// slicedParts are the parts of a program that its properties depend on.
func slicedParts(p *step.Program) (parts []*slicedPart, err error) {
	g := slice.New(p, slice.Deadlock)
	add := func(name string, c slice.Criterion, set func(*slicedPart)) {
		if err != nil {
			return
		}
		var r *slice.Result
		if r, err = g.Slice(c, slice.Context, 0, nil); err != nil {
			return
		}
		for _, part := range parts {
			if slices.Equal(part.slice.Nodes(), r.Nodes()) {
				part.names = append(part.names, name)
				set(part)
				return
			}
		}
		part := &slicedPart{names: []string{name}, slice: r, checks: step.Checks{Deadlock: step.DeadlockAllowed}}
		set(part)
		parts = append(parts, part)
	}
	c := p.Checks
	// All that can fail is there when it matters how executions end, the checks of always and transition included.
	add("deadlocks and failures", slice.Deadlocks(), func(to *slicedPart) {
		to.checks.Deadlock, to.checks.DeadlockPos = c.Deadlock, c.DeadlockPos
		to.checks.Always, to.checks.Transition = c.Always, c.Transition
	})
	for i, f := range p.Invariants {
		add(fmt.Sprintf("invariant:%d", i+1), g.Invariant(f), func(to *slicedPart) {
			to.invariants = append(to.invariants, f)
		})
	}
	for i, f := range c.Final {
		add(fmt.Sprintf("final:%d", i+1), slice.Final(f), func(to *slicedPart) {
			to.checks.Final = append(to.checks.Final, f)
		})
	}
	for i, f := range c.FinalAny {
		add(fmt.Sprintf("final_any:%d", i+1), slice.Join(slice.FinalAny(f), slice.Deadlocks()), func(to *slicedPart) {
			to.checks.FinalAny = append(to.checks.FinalAny, f)
		})
	}
	for i, f := range c.Reachable {
		add(fmt.Sprintf("reachable:%d", i+1), slice.Final(f), func(to *slicedPart) {
			to.checks.Reachable = append(to.checks.Reachable, f)
		})
	}
	for i, f := range c.Unreachable {
		add(fmt.Sprintf("unreachable:%d", i+1), slice.Final(f), func(to *slicedPart) {
			to.checks.Unreachable = append(to.checks.Unreachable, f)
		})
	}
	if c.Outcomes != nil {
		add("outcomes", slice.Outcomes(p), func(to *slicedPart) {
			to.checks.Outcomes, to.checks.OutcomesPos = c.Outcomes, c.OutcomesPos
		})
	}
	if p.Spec != nil {
		add("linearizable", slice.Histories(p), func(to *slicedPart) { to.spec = p.Spec })
	}
	return parts, err
}

// left counts the steps of the program that are not in the slice, and names the threads of which nothing is.
func (s *slicedPart) left(whole *step.Program) (left, steps int, gone []string) {
	gone = []string{}
	for _, t := range whole.Templates {
		of := 0
		for _, step := range t.Steps {
			if slices.ContainsFunc(step.Nodes, func(i int) bool { return s.slice.Keeps(t.Nodes[i]) }) {
				of++
			}
		}
		if of == 0 && len(t.Steps) > 0 && t.Count > 0 {
			gone = append(gone, t.Name)
		}
		steps, left = steps+len(t.Steps), left+len(t.Steps)-of
	}
	return left, steps, gone
}

// printPart says what was explored for which properties, what was left out, and what is wrong there.
func (x *slicedRun) printPart(w io.Writer, s *slicedPart) error {
	line := lineTo(w)
	fmt.Fprintln(w)
	line("slice", "for %s", strings.Join(s.names, ", "))
	count, steps, gone := s.left(x.src.Program)
	left := "nothing"
	if count > 0 {
		left = terminal.Plural(count, "step") + " of " + fmt.Sprint(steps)
	}
	if len(gone) > 0 {
		left += ", among them all of " + strings.Join(gone, ", ")
	}
	line("left out", "%s", left)
	line("explored", "%s: %s, %s", s.result.Algorithm, terminal.Plural(int(s.result.Executions), "execution"), s.result.Stopped)
	s.everywhere.print(len(s.invariants), line)
	for _, text := range uncheckedTexts(s.m.Program, s.result) {
		fmt.Fprintf(w, "%s    %s\n", x.colour.Doubt("unchecked"), text)
	}
	for _, v := range s.found {
		fmt.Fprintln(w)
		if v.shown {
			if err := x.printViolation(w, &violationGroup{shown: v.Violation, members: []*explore.Violation{v.Violation}}); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s    %s\n", x.colour.Bad("violation"), x.violationText(v.Violation))
		if v.of != nil {
			fmt.Fprintf(w, "  a schedule of the slice, which the whole program does not follow: %s\n", schedules.Format(s.m, v.of))
		}
	}
	return nil
}

// findings are what is wrong in a slice and in none before, by schedules of the whole program. The first one is saved, if
// that is wanted.
func (x *slicedRun) findings(part *slicedPart) error {
	for _, found := range part.result.Violations {
		v := *found
		if v.Node != nil {
			v.Node = original(x.m.Program, part.m.Program, v.Node)
		}
		f := &slicedViolation{Violation: &v, of: found.Schedule}
		if v.Schedule != nil {
			v.Schedule = part.slice.Extend(part.m, x.m, found.Schedule, !replay.AtOnce(v.Kind))
		}
		if v.Schedule != nil {
			var err error
			if f.shown, err = x.t.Confirm(&v); err != nil {
				return err
			}
		}
		text := x.violationText(&v)
		if x.reported[text] {
			continue
		}
		x.reported[text] = true
		part.found = append(part.found, f)
		if f.shown && x.command.Save != "" && x.recorded == nil {
			x.recorded = &v
			if err := x.command.save(x.t, x.lassoOf(&v), v.Schedule); err != nil {
				return err
			}
		}
	}
	return nil
}

// original is the node of a program that a node of its slice is.
func original(whole, part *step.Program, n *step.Node) *step.Node {
	for k, t := range part.Templates {
		if i := slices.Index(t.Nodes, n); i >= 0 {
			return whole.Templates[k].Nodes[i]
		}
	}
	return n
}
