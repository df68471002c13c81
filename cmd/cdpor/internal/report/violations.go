package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// A Group is one distinct violation: a failure of one kind at one place with one message, in whichever
// instances of a thread template it happens; or a deadlocked state, whichever of its interchangeable threads is which.
type Group struct {
	Shown   *explore.Violation // one with a shortest schedule
	all     bool               // the schedules of all members were simplified to find it
	index   int                // its number among the groups, from 0
	like    int                // that of the first group whose deadlock waits at the same places, or its own
	members []*explore.Violation
	report  *Report
}

// Groups sorts the violations of the result into groups, in the order of their first members.
func (r *Report) Groups() []Group {
	if r.grouped != nil {
		return r.grouped
	}
	classes := deadlockClasses(r.Machine, r.Result.Violations)
	at, places, races := map[string]int{}, map[string]int{}, map[string]string{}
	for n, v := range r.Result.Violations {
		place := r.SameAs(v)
		if pair := racing(r.Player, v); pair != "" { // seen from either side, it is one
			if _, known := races[pair]; !known {
				races[pair] = place
			}
			place = races[pair]
		}
		key := place + "/" + strconv.Itoa(classes[v])
		if r.Options.AllViolations {
			place = strconv.Itoa(n)
			key = place
		}
		i, known := at[key]
		if !known {
			i, at[key] = len(r.grouped), len(r.grouped)
			if _, known = places[place]; !known {
				places[place] = i
			}
			r.grouped = append(r.grouped, Group{index: i, like: places[place], report: r})
		}
		r.grouped[i].members = append(r.grouped[i].members, v)
	}
	for i := range r.grouped {
		g := &r.grouped[i]
		g.Shown, g.all = r.shortest(g.members)
	}
	return r.grouped
}

// racing tells data races apart by their two accesses, but for numbers in brackets and for which of them
// writes; empty of what is none.
func racing(p *replay.Player, v *explore.Violation) string {
	var sides []string
	for _, a := range p.Accesses(v) {
		sides = append(sides, fmt.Sprintf("%s %s", a.Pos, kin(p.Machine(), a.Proc)))
	}
	slices.Sort(sides)
	return strings.Join(sides, "\n")
}

// kin returns the name of a process without the number that tells it from others that run the same code: those of
// go f(); go f() on one line have templates of their own.
func kin(m *step.Machine, proc int) string {
	return brackets().ReplaceAllString(m.Program.Procs[proc].Called(), "")
}

// Again reports whether a group before this one waits at the same places, in another state.
func (g *Group) Again() bool { return g.like != g.index }

// deadlockClasses numbers the deadlocks among the violations: those that permutations of interchangeable threads lead
// from one to another have one number.
func deadlockClasses(m *step.Machine, violations []*explore.Violation) map[*explore.Violation]int {
	var list []*explore.Violation
	var states []step.State
	for _, v := range violations {
		if v.Kind == explore.DeadlockFound {
			list, states = append(list, v), append(states, v.Words)
		}
	}
	classes := map[*explore.Violation]int{}
	for i, class := range deadlock.Classes(m, states) {
		classes[list[i]] = class
	}
	return classes
}

// maxCompared bounds the work on finding the shortest schedule of a group: to simplify one takes time that grows with
// the square of its length.
const maxCompared = 1 << 14

// shortest is the violation with the fewest steps to show, with the fewest switches, the first of those; and whether
// all have been compared. If they are many and long, these are some that were found with the fewest steps.
func (r *Report) shortest(members []*explore.Violation) (shown *explore.Violation, all bool) {
	candidates := slices.Clone(members)
	slices.SortStableFunc(candidates, func(a, b *explore.Violation) int {
		return cmp.Compare(len(a.Schedule), len(b.Schedule))
	})
	n, work := 0, 0
	for n < len(candidates) && (n == 0 || work <= maxCompared) {
		work += len(candidates[n].Schedule) * len(candidates[n].Schedule)
		n++
	}
	if n == 1 {
		return candidates[0], len(members) == 1
	}
	return slices.MinFunc(candidates[:n], func(a, b *explore.Violation) int {
		x, y := r.schedule(a), r.schedule(b)
		return cmp.Or(cmp.Compare(len(x), len(y)),
			cmp.Compare(schedules.Switches(r.Machine, x), schedules.Switches(r.Machine, y)))
	}), n == len(members)
}

// brackets are the numbers by which instances of threads, and the elements that belong to them, are told apart.
var brackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\d+\]|#\d+`) })

// SameAs is equal for two violations of one kind at one place. What happens at a step is told apart by the step and by
// what runs the same code; a deadlock by where threads stand and what they wait for, but for numbers in brackets.
func (r *Report) SameAs(v *explore.Violation) string {
	kind := fmt.Sprintf("%s/%p/%d", v.Kind, v.Property, v.Fault)
	switch {
	case v.Node != nil:
		proc := r.Machine.Program.Procs[v.Proc]
		return fmt.Sprintf("%s/%s/%s/%s/%d", kind, v.Node.Pos.File, v.Node.Pos, kin(r.Machine, v.Proc),
			slices.Index(proc.Template.Nodes, v.Node))
	case v.Kind == explore.DeadlockFound:
		var list []string
		for p := range r.Machine.Program.Procs {
			if next := r.Machine.StepOf(v.Words, p); next != nil {
				list = append(list, kin(r.Machine, p)+"."+next.Label+" "+
					brackets().ReplaceAllString(r.Player.Waiting(v.Words, p), ""))
			}
		}
		slices.Sort(list)
		return kind + "/" + strings.Join(list, "\n")
	}
	return fmt.Sprintf("%s/%d/%v", kind, v.Proc, v.Words)
}

// count says in how many executions the members of a group happen. A deadlocked execution ends in one state; a failed
// one may show several failures, so that the number lies between two numbers unless all failures are of this group.
func (g *Group) count() (least, most int64) {
	for _, v := range g.members {
		most += v.Count
		least = max(least, v.Count)
	}
	if g.Shown.Kind == explore.DeadlockFound {
		return most, most
	}
	most = max(least, min(most, g.report.Result.Failed))
	others := slices.ContainsFunc(g.report.Result.Violations, func(v *explore.Violation) bool {
		return !slices.Contains(g.members, v) && (v.Node != nil || v.Kind == explore.AlwaysBroken)
	})
	if !others {
		least = most
	}
	return least, most
}

// threads names the threads that the members of a group happen to; empty if they are about a state.
func (g *Group) threads() string {
	if g.Shown.Node == nil {
		return ""
	}
	var names []string
	for _, v := range g.members {
		names = append(names, g.report.Machine.Program.Procs[v.Proc].Called())
	}
	return instances(names)
}

// same says of a group with several members which they are; it is empty for one member.
func (g *Group) same() string {
	if len(g.members) == 1 {
		return ""
	}
	who := "with the " + threadsOf(g.report.Machine.Program) + " permuted"
	if threads := g.threads(); threads != "" {
		who = "in " + threads
	}
	which := "the shortest of them is shown"
	if !g.all {
		which = "one that was found in few steps is shown"
	}
	return fmt.Sprintf("the same %s: %d in all; %s", who, len(g.members), which)
}

// Text says in one line what is violated. Of a deadlock that waits where another one does it also says the state;
// who has crashed stands in what is violated already.
func (g *Group) Text() string {
	text := g.report.ViolationText(g.Shown)
	if g.Again() {
		text += fmt.Sprintf(" (waits at the same places as violation %d, in the state %s)", g.like+1,
			variables(g.report.Machine, g.Shown.Words)+g.whoWaits())
	}
	return text
}

// whoWaits names the threads that wait in a deadlock, if one before it that waits at the same places has a state that
// is told in the same words.
func (g *Group) whoWaits() string {
	m := g.report.Machine
	for _, h := range g.report.Groups()[:g.index] {
		if h.like == g.like && stateText(m, h.Shown.Words) == stateText(m, g.Shown.Words) {
			return "; " + waiting(m, g.Shown.Words)
		}
	}
	return ""
}

// waiting names the threads that wait in a deadlock.
func waiting(m *step.Machine, s step.State) string {
	var names []string
	for p, proc := range m.Program.Procs {
		if m.StepOf(s, p) != nil && !m.Crashed(s, p) {
			names = append(names, proc.Called())
		}
	}
	return instances(names) + " " + map[bool]string{true: "waits", false: "wait"}[len(names) == 1]
}

// stateText is a deadlocked state: the shared variables, and who has crashed where.
func stateText(m *step.Machine, s step.State) string {
	return strings.Join(append([]string{variables(m, s)}, deadlock.Crashed(m, s)...), "; ")
}

// variables are the shared variables of a deadlocked state, but for flags of threads that have crashed before their
// ends: that is told in words beside them.
func variables(m *step.Machine, s step.State) string {
	said := map[string]bool{}
	for p, proc := range m.Program.Procs {
		if flag := proc.Template.Crashed; flag != nil && m.Crashed(s, p) {
			so, known := said[flag.Called()]
			said[flag.Called()] = (so || !known) && m.StepOf(s, p) != nil
		}
	}
	told := func(v replay.Value) bool { return said[v.Name] }
	return replay.Join(slices.DeleteFunc(replay.Shared(m.Program, s), told))
}

// place is where a violation is in the program: its property or step, or the first step that a deadlock waits in.
func place(m *step.Machine, v *explore.Violation) step.Pos {
	switch {
	case v.Property != nil:
		return v.Property.Pos
	case v.Node != nil:
		return v.Node.Pos
	case v.Kind == explore.NotLinear:
		return m.Program.Spec.Pos
	case v.Kind == explore.OutcomeMissing || v.Kind == explore.OutcomeExtra:
		return m.Program.Checks.OutcomesPos
	case v.Kind == explore.NoDeadlock:
		return m.Program.Checks.DeadlockPos
	case v.Kind == explore.DeadlockFound:
		for p := range m.NumProcs() {
			if next := m.StepOf(v.Words, p); next != nil {
				return next.Template.Nodes[next.Entry].Pos
			}
		}
	}
	return step.Pos{}
}

// Place is where a violation is, with the file.
func (r *Report) Place(v *explore.Violation) output.Place {
	at := place(r.Machine, v)
	return output.Place{File: cmp.Or(at.File, r.Machine.Program.Path), Line: at.Line, Column: at.Col}
}

// instances writes names of threads with runs of numbers drawn together: consumer[0..2], consumer[4].
func instances(names []string) string {
	type instance struct {
		template string
		number   int
	}
	var list []instance
	for _, name := range names {
		template, rest, _ := strings.Cut(name, "[")
		if n, err := strconv.Atoi(strings.TrimSuffix(rest, "]")); err == nil {
			list = append(list, instance{template, n})
		} else {
			list = append(list, instance{name, -1})
		}
	}
	slices.SortFunc(list, func(a, b instance) int {
		return cmp.Or(cmp.Compare(a.template, b.template), a.number-b.number)
	})
	list = slices.Compact(list)
	var texts []string
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[i].number >= 0 && list[j] == (instance{list[i].template, list[i].number + j - i}) {
			j++
		}
		switch first := list[i]; {
		case first.number < 0:
			texts = append(texts, first.template)
		case j == i+1:
			texts = append(texts, fmt.Sprintf("%s[%d]", first.template, first.number))
		default:
			texts = append(texts, fmt.Sprintf("%s[%d..%d]", first.template, first.number, list[j-1].number))
		}
		i = j
	}
	return strings.Join(texts, ", ")
}

// ViolationsInShort says what the first violation is and how many others there are.
func (r *Report) ViolationsInShort() string {
	g := &r.Groups()[0]
	text := r.ViolationText(g.Shown)
	more := -1
	for _, other := range r.Groups() {
		if !r.Machine.Program.Native() || !other.Again() { // states have little to say of a Go program
			more++
		}
	}
	if more > 0 {
		text += fmt.Sprintf(", and %s more", terminal.Plural(more, "violation"))
	}
	return text
}

// howMany says how many violations there are.
func (r *Report) howMany(noun string) string {
	groups, all := len(r.Groups()), len(r.Result.Violations)
	places := 0
	for _, g := range r.Groups() {
		if !g.Again() {
			places++
		}
	}
	if r.Machine.Program.Native() && places < groups { // states have little to say of a Go program
		return fmt.Sprintf("%s, in %s", terminal.Plural(places, noun), terminal.Plural(groups, "state"))
	}
	if groups == all {
		return terminal.Plural(all, noun)
	}
	return fmt.Sprintf("%s (%d with the %s told apart)", terminal.Plural(groups, noun), all,
		threadsOf(r.Machine.Program))
}

// threadsOf is the word for the processes of a program.
func threadsOf(prog *step.Program) string {
	if prog.Native() {
		return "goroutines"
	}
	return "threads"
}

// maxReplay is the number of bytes that a command line in an announcement may have.
const maxReplay = 2000

// MayBeEarly reports whether a violation counts only if it also happens where no timer fires early, which is known at
// the end: a failed test, or a panic of the goroutine of the test, of a program with timers.
func (r *Report) MayBeEarly(v *explore.Violation) bool {
	return !r.Options.EarlyCounts && v.Kind == explore.FailedStep &&
		(v.Node.Fault == step.Assertion && v.Node.Msg == golang.TestFails || v.Fault == step.Panicked && v.Proc == 0) &&
		(r.Machine.HasIdle() || r.Machine.Program.Patient != nil)
}

// Announcement is a violation in short; empty if it may turn out to be none.
func (r *Report) Announcement(colour terminal.Colour, v *explore.Violation, by string) string {
	if r.MayBeEarly(v) {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cdpor: %s: %s\n", colour.Bad("violation"), r.ViolationText(v))
	fmt.Fprintf(&b, "  found by the %s, in %s", by, terminal.Plural(len(v.Schedule), "step"))
	if len(v.Schedule) == 0 {
		b.WriteString("\n")
	} else if line := r.ReplayLine(v.Schedule); len(line) <= maxReplay {
		fmt.Fprintf(&b, "\n  replay: %s\n", line)
	} else {
		b.WriteString("; the report at the end has its schedule\n")
	}
	return b.String()
}

// ViolationText says in one line what is violated.
func (r *Report) ViolationText(v *explore.Violation) string { return r.Player.Text(v) }
