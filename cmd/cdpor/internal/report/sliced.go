package report

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// A Part is the slice for some properties.
type Part struct {
	names      []string
	Slice      *slice.Result
	Checks     step.Checks
	Spec       *step.Spec // nil: the part is not for histories
	Invariants []*step.Property
	Machine    *step.Machine
	Result     *explore.Result
	// of the invariants in all states; nil if there are none, or the search has come to all
	Everywhere *invariants.Check
	found      []*slicedViolation
}

// A slicedViolation is a violation in a slice; shown says that its schedule is one of the whole program.
type slicedViolation struct {
	*explore.Violation
	shown bool
	of    []int32 // the schedule of the slice
}

// A Sliced is the report on a program that is explored property by property. It is itself about the whole program.
type Sliced struct {
	*Report
	Parts    []*Part
	Reported map[string]bool // what is wrong, in words, with the whole program or in a part that was looked at
	Verdict  explore.Verdict
	// What of the claims of the program holds, and what was not checked.
	held      []explore.Claim
	unchecked []explore.Unchecked
	outside   []*step.Step // in no part
}

// JudgeWhole judges what is about executions as a whole on the whole program: a slice need not end when that does not.
func (x *Sliced) JudgeWhole(ctx context.Context, states int) error {
	x.Result = explore.WholeOnly(x.Machine)
	return x.Judge(ctx, states)
}

// Print writes the report: the verdict, what is wrong, what holds, and what was explored.
func (x *Sliced) Print(w io.Writer) error {
	to := &text{x.Report, w}
	to.line("verdict", "%s", x.Colour.Verdict(x.Verdict, x.verdictText()))
	for _, part := range x.Parts {
		if err := x.printFound(to, part); err != nil {
			return err
		}
	}
	for _, v := range x.Result.Violations {
		fmt.Fprintln(w)
		if err := to.printViolation(v); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	x.printClaims(w)
	to.printLiveness()
	for _, part := range x.Parts {
		fmt.Fprintln(w)
		x.printPart(to, part)
	}
	fmt.Fprintln(w)
	to.printProgram()
	return nil
}

// Weigh puts together what the parts, and executions of the whole program, say of its claims, and gives the verdict.
// Assertions are all in the first part, which keeps whatever can fail.
func (x *Sliced) Weigh(allowVacuous bool) {
	x.held, x.unchecked = nil, nil
	for i, part := range x.Parts {
		about := func(c *explore.Claim) bool {
			if c.Node != nil {
				c.Node = original(x.Machine.Program, part.Machine.Program, c.Node)
			}
			return c.Section != "assert" || i == 0
		}
		for _, h := range part.Result.Held {
			if about(&h) {
				x.held = append(x.held, h)
			}
		}
		for _, u := range part.Result.Unchecked {
			if about(&u.Claim) && u.Kind != explore.NeverRun && (i == 0 || u.Section != "") {
				x.unchecked = append(x.unchecked, u)
			}
		}
		part.Result.AllowVacuous()
		if x.Verdict == explore.OK || part.Result.Verdict == explore.Violated {
			x.Verdict = part.Result.Verdict
		}
	}
	x.held, x.unchecked = append(x.held, x.Result.Held...), append(x.unchecked, x.Result.Unchecked...)
	x.weighSteps()
	l, c := x.Result.Liveness, &x.Machine.Program.Checks
	explore.TakeAway(x.unchecked, x.held, l != nil && l.Open != "" && c.Live(), c)
	if x.Result.AllowVacuous(); x.Verdict != explore.Violated && x.Result.Verdict != explore.OK {
		x.Verdict = x.Result.Verdict
	}
	if vacuous := slices.ContainsFunc(x.unchecked, func(u explore.Unchecked) bool { return u.Vacuous }); vacuous &&
		x.Verdict == explore.OK && !allowVacuous {
		x.Verdict = explore.Vacuous
	}
}

// weighSteps lists the steps that are never run: those that a part has and no execution of it takes, since a part has
// the executions of the whole program, and perhaps more. Of steps that are in no part nothing is known.
func (x *Sliced) weighSteps() {
	never, unsure := explore.Unchecked{Kind: explore.NeverRun}, explore.Unchecked{Kind: explore.NeverRun, Unsure: true}
	for k, t := range x.Machine.Program.Templates {
		for _, s := range t.Steps {
			parts, sure, perhaps := 0, false, 0
			for _, part := range x.Parts {
				cut := part.Machine.Program.Templates[k]
				of := slices.IndexFunc(cut.Steps, func(c *step.Step) bool { return c.Entry == s.Entry })
				if of < 0 {
					continue
				}
				parts++
				for _, u := range part.Result.Unchecked {
					if u.Kind == explore.NeverRun && slices.Contains(u.Steps, cut.Steps[of]) {
						sure, perhaps = sure || !u.Unsure, perhaps+1
					}
				}
			}
			switch {
			case t.Count == 0:
			case parts == 0:
				x.outside = append(x.outside, s)
			case sure:
				never.Steps = append(never.Steps, s)
			case perhaps == parts:
				unsure.Steps = append(unsure.Steps, s)
			}
		}
	}
	inText := func(a, b *step.Step) int { return explore.InText(a.Pos, b.Pos) }
	for _, u := range []explore.Unchecked{never, unsure} {
		if slices.SortStableFunc(u.Steps, inText); len(u.Steps) > 0 {
			x.unchecked = append(x.unchecked, u)
		}
	}
	slices.SortStableFunc(x.outside, inText)
}

// scope returns the scope of the searches of all parts.
func (x *Sliced) scope() claims.Scope {
	for _, part := range x.Parts {
		if s := claims.ScopeOf(part.Result); s != claims.Everything {
			return s
		}
	}
	return claims.Everything
}

// dropped is how many executions assumptions dropped where all that is kept can fail.
func (x *Sliced) dropped() int64 { return x.Parts[0].Result.Dropped }

// printClaims writes what was not checked, and what was and holds.
func (x *Sliced) printClaims(w io.Writer) {
	claims.Print(w, x.Colour.Doubt, x.Machine.Program, x.unchecked, x.dropped(), x.held, x.scope(), len(x.unchecked))
	if len(x.outside) > 0 {
		fmt.Fprintf(w, "%-12s %s: nothing is known of whether they run\n", "in no slice",
			claims.Steps(x.Machine.Program, x.outside))
	}
}

// verdictText is the first line of such a report, with the number of distinct violations.
func (x *Sliced) verdictText() string {
	switch v := x.Verdict; v {
	case explore.OK:
		return "ok: every property was checked on the part that it depends on; outcomes were not looked at"
	case explore.Violated:
		text := "violation"
		if len(x.Reported) > 1 {
			text += ": " + terminal.Plural(len(x.Reported), "distinct violation")
		}
		for _, part := range x.Parts {
			stuck := func(f *slicedViolation) bool { return f.Kind == explore.DeadlockFound }
			if slices.ContainsFunc(part.found, stuck) {
				return text + "; deadlocks that wait at the same places count once, " +
					"whatever else differs in their states"
			}
		}
		return text
	case explore.Vacuous:
		return "vacuous: nothing wrong, but not everything was checked"
	}
	return string(x.Verdict) + ": nothing wrong in the part that was explored"
}

// PartsOf are the parts of a program that its properties depend on.
func PartsOf(p *step.Program) (parts []*Part, err error) {
	g := slice.New(p, slice.Deadlock)
	add := func(name string, c slice.Criterion, set func(*Part)) {
		if err != nil {
			return
		}
		var r *slice.Result
		if r, err = g.Slice(c, slice.Context, 0, nil); err != nil {
			return
		}
		for _, part := range parts {
			if slices.Equal(part.Slice.Nodes(), r.Nodes()) {
				part.names = append(part.names, name)
				set(part)
				return
			}
		}
		part := &Part{names: []string{name}, Slice: r, Checks: step.Checks{Deadlock: step.DeadlockAllowed}}
		set(part)
		parts = append(parts, part)
	}
	c := p.Checks
	// All that can fail is there when it matters how executions end, the checks of always and transition included.
	add("deadlocks and failures", slice.Deadlocks(), func(to *Part) {
		to.Checks.Deadlock, to.Checks.DeadlockPos = c.Deadlock, c.DeadlockPos
		to.Checks.Always, to.Checks.Transition = c.Always, c.Transition
		to.Checks.RacesForbidden = c.RacesForbidden
	})
	for i, f := range p.Invariants {
		add(fmt.Sprintf("invariant:%d", i+1), g.Invariant(f), func(to *Part) {
			to.Invariants = append(to.Invariants, f)
		})
	}
	for i, f := range c.Final {
		add(fmt.Sprintf("final:%d", i+1), slice.Final(f), func(to *Part) {
			to.Checks.Final = append(to.Checks.Final, f)
		})
	}
	for i, f := range c.FinalAny {
		add(fmt.Sprintf("final_any:%d", i+1), slice.Join(slice.FinalAny(f), slice.Deadlocks()), func(to *Part) {
			to.Checks.FinalAny = append(to.Checks.FinalAny, f)
		})
	}
	for i, f := range c.Reachable {
		add(fmt.Sprintf("reachable:%d", i+1), slice.Final(f), func(to *Part) {
			to.Checks.Reachable = append(to.Checks.Reachable, f)
		})
	}
	for i, f := range c.Unreachable {
		add(fmt.Sprintf("unreachable:%d", i+1), slice.Final(f), func(to *Part) {
			to.Checks.Unreachable = append(to.Checks.Unreachable, f)
		})
	}
	if c.Outcomes != nil {
		add("outcomes", slice.Outcomes(p), func(to *Part) {
			to.Checks.Outcomes, to.Checks.OutcomesPos = c.Outcomes, c.OutcomesPos
		})
	}
	if p.Spec != nil {
		add("linearizable", slice.Histories(p), func(to *Part) { to.Spec = p.Spec })
	}
	return parts, err
}

// left counts the steps of the program that are not in the slice, and names the threads without any step in it.
func (s *Part) left(whole *step.Program) (left, steps int, gone []string) {
	gone = []string{}
	for _, t := range whole.Templates {
		of := 0
		for _, step := range t.Steps {
			if slices.ContainsFunc(step.Nodes, func(i int) bool { return s.Slice.Keeps(t.Nodes[i]) }) {
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

// printPart writes what a part is, and how it was explored.
func (x *Sliced) printPart(to *text, s *Part) {
	to.line("slice", "for %s", strings.Join(s.names, ", "))
	count, steps, gone := s.left(x.Machine.Program)
	left := "nothing"
	if count > 0 {
		left = terminal.Plural(count, "step") + " of " + fmt.Sprint(steps)
	}
	if len(gone) > 0 {
		left += ", among them all of " + strings.Join(gone, ", ")
	}
	to.line("left out", "%s", left)
	to.line("explored", "%s: %s, %s", s.Result.Algorithm, terminal.Plural(int(s.Result.Executions), "execution"),
		s.Result.Stopped)
	s.Everywhere.Print(len(s.Invariants), to.line)
}

// printFound writes what a part has shown.
func (x *Sliced) printFound(to *text, s *Part) error {
	for _, v := range s.found {
		fmt.Fprintln(to.w)
		if v.shown {
			if err := to.printViolation(v.Violation); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(to.w, "%s    %s\n", x.Colour.Bad("violation"), x.ViolationText(v.Violation))
		if v.of != nil {
			fmt.Fprintf(to.w, "  a schedule of the slice, which the whole program does not follow: %s\n",
				schedules.Format(s.Machine, v.of))
		}
	}
	return nil
}

// Findings lists the violations of a slice that no slice before had, by schedules of the whole program. save,
// if it is not nil, saves the first one, and reports whether it could.
func (x *Sliced) Findings(part *Part, save func(shown *liveness.Lasso, found []int32) bool) error {
	for _, found := range part.Result.Violations {
		v := *found
		if v.Node != nil {
			v.Node = original(x.Machine.Program, part.Machine.Program, v.Node)
		}
		f := &slicedViolation{Violation: &v, of: found.Schedule}
		if v.Schedule != nil {
			v.Schedule = part.Slice.Extend(part.Machine, x.Machine, found.Schedule, !replay.AtOnce(v.Kind))
		}
		if v.Schedule != nil {
			var err error
			if f.shown, err = x.Player.Confirm(&v); err != nil {
				return err
			}
		}
		text := x.ViolationText(&v)
		if x.Reported[text] {
			continue
		}
		x.Reported[text] = true
		part.found = append(part.found, f)
		if f.shown && save != nil && x.Recorded == nil && save(x.LassoOf(&v), v.Schedule) {
			x.Recorded = &v
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
