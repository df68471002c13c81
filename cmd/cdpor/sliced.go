package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// A slicedPart is what some properties depend on.
type slicedPart struct {
	names      []string
	slice      *slice.Result
	checks     step.Checks
	spec       *step.Spec // nil: the part is not for histories
	invariants []*step.Property
	m          *step.Machine
	result     *explore.Result
	everywhere *invariants.Check // of the invariants in all states; nil if there are none, or the search has come to all
	found      []*slicedViolation
}

// A slicedViolation is what is wrong in a slice, by a schedule of the whole program if shown.
type slicedViolation struct {
	*explore.Violation
	shown bool
	of    []int32 // the schedule of the slice
}

// A sliced is the report on a program that is explored property by property. It is itself about the whole program.
type sliced struct {
	*report
	parts    []*slicedPart
	reported map[string]bool // what is wrong, in words, with the whole program or in a part that was looked at
	verdict  explore.Verdict
}

// judgeWhole judges what is about executions as a whole on the whole program: a slice need not end when that does not.
func (x *sliced) judgeWhole(ctx context.Context, states int) error {
	x.result = &explore.Result{Verdict: explore.OK, Stopped: x.result.Stopped}
	return x.judge(ctx, states)
}

// printWhole writes what was found out about executions as a whole.
func (x *sliced) printWhole(w io.Writer) error {
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
func (x *sliced) printPart(w io.Writer, s *slicedPart) error {
	line := lineTo(w)
	fmt.Fprintln(w)
	line("slice", "for %s", strings.Join(s.names, ", "))
	count, steps, gone := s.left(x.m.Program)
	left := "nothing"
	if count > 0 {
		left = terminal.Plural(count, "step") + " of " + fmt.Sprint(steps)
	}
	if len(gone) > 0 {
		left += ", among them all of " + strings.Join(gone, ", ")
	}
	line("left out", "%s", left)
	line("explored", "%s: %s, %s", s.result.Algorithm, terminal.Plural(int(s.result.Executions), "execution"), s.result.Stopped)
	s.everywhere.Print(len(s.invariants), line)
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

// findings are what is wrong in a slice and in none before, by schedules of the whole program. save, if it is not nil, saves
// the first one.
func (x *sliced) findings(part *slicedPart, save func(shown *liveness.Lasso, found []int32) error) error {
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
		if f.shown && save != nil && x.recorded == nil {
			x.recorded = &v
			if err := save(x.lassoOf(&v), v.Schedule); err != nil {
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
