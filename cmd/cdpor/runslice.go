package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// cdpor run --slice explores for each property the part of the program that it depends on. Parts that are the same are explored once.

// A sliced part is what some properties depend on.
type slicedPart struct {
	names      []string
	slice      *slice.Result
	checks     step.Checks
	spec       *step.Spec // nil: the part is not for histories
	invariants []*step.Property
	m          *step.Machine
	result     *explore.Result
}

// runSliced is cdpor run --slice.
func (c *runCommand) runSliced(ctx context.Context, e *environment, src *lang.Source, m *step.Machine, alg *explore.Algorithm, p *progress) error {
	switch {
	case c.JSON, c.CompareWith != "", c.Schedule != "", c.ProfileConstraints, c.Show > 0:
		return inputErrorf("--slice goes with none of --json, --compare-with, --schedule, --profile-constraints and --show")
	case c.HTML != "", c.Dot != "", c.Mermaid != "":
		return inputErrorf("--slice explores several programs, and --html, --dot and --mermaid show one: cut it out with cdpor slice first")
	case c.checkpointFlags.every() > 0:
		return inputErrorf("--slice explores several programs, and checkpoints are for one")
	case c.Constraints != "":
		return inputErrorf("--slice finds constraints for each slice; a constraint file is for the whole program")
	}
	parts, err := slicedParts(src.Program)
	if err != nil {
		return err
	}
	verdict := explore.OK
	r := &report{m: m, env: e, ink: e.ink(e.stdout), command: c, algorithm: alg, knowledge: &knowledge{Trust: noConstraints}}
	var end context.CancelFunc
	r.patience, end = patience(ctx)
	defer end()
	if r.t, err = newTracer(m); err != nil {
		return err
	}
	r.result = &explore.Result{Algorithm: alg.Name}
	reported := map[string]bool{}
	opt, _ := c.options(alg) // checked
	opt.Progress, opt.GiveUp, opt.StopAtFirst = p.exploring, givingUp(ctx), c.StopAtFirst
	fmt.Fprintf(e.stdout, "%-12s %s (%s), %s\n", "program", src.Program.Name, src.Program.Path, plural(m.NumProcs(), "process"))
	if list := parameters(src.Program); len(list) > 0 {
		fmt.Fprintf(e.stdout, "%-12s %s\n", "parameters", strings.Join(list, " "))
	}
	for _, part := range parts {
		program := part.slice.Cut(nil, part.checks)
		program.Spec = part.spec
		program.Invariants = part.invariants // what others are about may be cut off
		if part.m, err = step.NewMachine(program); err != nil {
			return err
		}
		cut := &lang.Source{Program: part.m.Program, File: src.File}
		if part.checks.Outcomes != nil {
			cut.Program.Observe = src.Program.Observe
		}
		set := &knowledge{Trust: noConstraints}
		var ask *asker
		if alg.Chooses && !c.NoConstraints {
			if ask, err = newAsker(part.m, p, &c.cacheFlags); err != nil {
				return err
			}
		} else if c.wanted(alg) {
			if set, err = synthesise(ctx, cut, p, &c.cacheFlags); err != nil && ctx.Err() == nil {
				return err
			}
		}
		opt.Conditions = nil
		if set != nil && set.Set != nil {
			opt.Conditions = set.Set.Compile(part.m)
		}
		opt.Synthesize = nil
		ask.answers(part.m, &opt, nil)
		part.result, err = explore.Run(ctx, part.m, alg, opt)
		if ask.close(); err != nil {
			return err
		}
		c.allow(part.result)
		p.done()
		part.print(e.stdout, src.Program)
		r.result.Stopped = part.result.Stopped
		for _, text := range uncheckedTexts(part.m.Program, part.result) {
			fmt.Fprintf(e.stdout, "%s    %s\n", r.ink.doubt("unchecked"), text)
		}
		for _, v := range part.result.Violations {
			if err := r.slicedViolation(e.stdout, part, v, reported); err != nil {
				return err
			}
		}
		if verdict == explore.OK || part.result.Verdict == explore.Violated {
			verdict = part.result.Verdict
		}
		if c.StopAtFirst && verdict == explore.Violated {
			break
		}
	}
	found, err := r.judgeWhole(ctx, e.stdout)
	if err != nil {
		return err
	}
	if found.Verdict != explore.OK && verdict != explore.Violated {
		verdict = found.Verdict
	}
	for _, v := range found.Violations {
		reported[r.violationText(v)] = true
	}
	fmt.Fprintf(e.stdout, "\n%-12s %s\n", "verdict", r.ink.verdict(verdict, slicedVerdict(verdict, len(reported))))
	return verdictCode(verdict)
}

// judgeWhole judges what is about executions as a whole on the whole program: a slice need not end when that does not.
func (r *report) judgeWhole(ctx context.Context, w io.Writer) (*explore.Result, error) {
	stopped := r.result.Stopped
	r.result = &explore.Result{Verdict: explore.OK, Stopped: stopped}
	if err := r.judge(ctx); err != nil || r.result.Liveness == nil {
		return r.result, err
	}
	first := true
	r.printLiveness(func(key, format string, args ...any) {
		if first {
			fmt.Fprintln(w)
		}
		first = false
		fmt.Fprintf(w, "%-12s %s\n", key, fmt.Sprintf(format, args...))
	})
	for _, v := range r.result.Violations {
		fmt.Fprintln(w)
		if err := r.printViolation(w, &violationGroup{shown: v, members: []*explore.Violation{v}}); err != nil {
			return nil, err
		}
	}
	return r.result, nil
}

func slicedVerdict(v explore.Verdict, violations int) string {
	switch v {
	case explore.OK:
		return "ok: every property was checked on the part that it depends on; outcomes were not looked at"
	case explore.Violated:
		return "violation: " + plural(violations, "distinct violation")
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

// print says what was explored for which properties, and what was left out.
func (s *slicedPart) print(w io.Writer, whole *step.Program) {
	steps, kept, gone := 0, 0, []string{}
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
		steps, kept = steps+len(t.Steps), kept+of
	}
	fmt.Fprintf(w, "\n%-12s %s\n", "slice", "for "+strings.Join(s.names, ", "))
	left := "nothing"
	if kept < steps {
		left = plural(steps-kept, "step") + " of " + fmt.Sprint(steps)
	}
	if len(gone) > 0 {
		left += ", among them all of " + strings.Join(gone, ", ")
	}
	fmt.Fprintf(w, "%-12s %s\n", "left out", left)
	fmt.Fprintf(w, "%-12s %s: %s, %s\n", "explored", s.result.Algorithm, plural(int(s.result.Executions), "execution"), s.result.Stopped)
}

// slicedViolation reports what is wrong in a slice by a schedule of the whole program.
func (r *report) slicedViolation(w io.Writer, part *slicedPart, found *explore.Violation, reported map[string]bool) error {
	v := *found
	if v.Node != nil {
		v.Node = original(r.m.Program, part.m.Program, v.Node)
	}
	shows := false
	if v.Schedule != nil {
		if v.Schedule = part.slice.Extend(part.m, r.m, found.Schedule, !shownAtOnce(v.Kind)); v.Schedule != nil {
			var err error
			if shows, err = r.shows(&v); err != nil {
				return err
			}
		}
	}
	text := r.violationText(&v)
	if reported[text] {
		return nil
	}
	reported[text] = true
	fmt.Fprintln(w)
	if shows {
		if r.command.Save != "" && r.recorded == nil {
			r.recorded = &v
			if err := r.command.save(r.t, r.lassoOf(&v), v.Schedule); err != nil {
				return err
			}
		}
		return r.printViolation(w, &violationGroup{shown: &v, members: []*explore.Violation{&v}})
	}
	fmt.Fprintf(w, "%s    %s\n", r.ink.bad("violation"), text)
	if found.Schedule != nil {
		fmt.Fprintf(w, "  a schedule of the slice, which the whole program does not follow: %s\n", formatSchedule(part.m, found.Schedule))
	}
	return nil
}

// shownAtOnce reports whether violations of a kind count when they happen, whether or not the execution comes to its
// end.
func shownAtOnce(kind explore.ViolationKind) bool {
	switch kind {
	case explore.FailedStep, explore.AlwaysBroken, explore.StepBroken, explore.InvariantFalse:
		return true
	}
	return false
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

// shows reports whether the schedule of a violation shows it in the whole program, and completes what the violation says about the state.
func (r *report) shows(v *explore.Violation) (bool, error) {
	end, err := r.t.runLast(v.Schedule, 0, nil)
	if err != nil {
		return false, err
	}
	holds := func() bool {
		is, ok := r.m.CompileCondition(v.Property.Expr, -1, -1)(r.t.r, end)
		return is && ok
	}
	switch v.Kind {
	case explore.FailedStep, explore.AlwaysBroken, explore.StepBroken:
		for p := range r.m.NumProcs() {
			if fault, at, failed := r.m.Failure(end, p); failed && fault == v.Fault && at == v.Node {
				v.Proc = p
				return true, nil
			}
		}
		return false, nil
	case explore.InvariantFalse:
		return !holds(), nil
	case explore.DeadlockFound:
		v.Words = end
		return !r.t.anyEnabled(end) && r.m.EndingOf(end) == step.Deadlocked, nil
	case explore.NotLinear:
		h, err := historyOf(r.m, end)
		return !r.t.anyEnabled(end) && h != nil && !h.Linearizable, err
	case explore.FinalBroken:
		return !r.t.anyEnabled(end) && !holds(), nil
	case explore.ReachedAnyway:
		return !r.t.anyEnabled(end) && holds(), nil
	}
	return !r.t.anyEnabled(end), nil
}
