package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/explore/schedules"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// A violationGroup is one distinct violation: a failure of one kind at one place with one message, in whichever
// instances of a thread template it happens; or a deadlocked state, whichever of its interchangeable threads is which.
type violationGroup struct {
	Shown   *explore.Violation // one with a shortest schedule
	all     bool               // the schedules of all members were simplified to find it
	number  int                // its number among the violations, from 0
	index   int                // its number among the groups, from 0
	like    int                // that of the first group whose deadlock waits at the same places, or its own
	members []*explore.Violation
}

// Groups sorts the violations of the result into groups, in the order of their first members.
func (r *Report) Groups() []violationGroup {
	if r.grouped != nil {
		return r.grouped
	}
	classes := r.deadlockClasses()
	at, places, races := map[string]int{}, map[string]int{}, map[string]string{}
	for n, v := range r.Result.Violations {
		place := r.SameAs(v)
		if pair := r.racing(v); pair != "" { // seen from either side, it is one
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
			r.grouped = append(r.grouped, violationGroup{index: i, like: places[place]})
		}
		r.grouped[i].members = append(r.grouped[i].members, v)
	}
	for i := range r.grouped {
		g := &r.grouped[i]
		g.Shown, g.all = r.shortest(g.members)
		g.number = slices.Index(r.Result.Violations, g.Shown)
	}
	return r.grouped
}

// racing tells data races apart by their two accesses, but for numbers in brackets; empty of what is none.
func (r *Report) racing(v *explore.Violation) string {
	var sides []string
	for _, a := range r.Player.Accesses(v) {
		sides = append(sides, fmt.Sprintf("%s %s %t", a.Pos, r.kin(a.Proc), a.Writes))
	}
	slices.Sort(sides)
	return strings.Join(sides, "\n")
}

// kin is what a process is called, but for the number by which it is told from others that run the same code: those of
// go f(); go f() on one line have templates of their own.
func (r *Report) kin(proc int) string {
	return brackets().ReplaceAllString(r.Machine.Program.Procs[proc].Called(), "")
}

// again reports whether a group before this one waits at the same places, in another state.
func (g *violationGroup) again() bool { return g.like != g.index }

// deadlockClasses numbers the deadlocks among the violations: those that permutations of interchangeable threads lead
// from one to another have one number.
func (r *Report) deadlockClasses() map[*explore.Violation]int {
	var list []*explore.Violation
	var states []step.State
	for _, v := range r.Result.Violations {
		if v.Kind == explore.DeadlockFound {
			list, states = append(list, v), append(states, v.Words)
		}
	}
	classes := map[*explore.Violation]int{}
	for i, class := range deadlock.Classes(r.Machine, states) {
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
		return fmt.Sprintf("%s/%s/%s/%s/%d", kind, v.Node.Pos.File, v.Node.Pos, r.kin(v.Proc),
			slices.Index(proc.Template.Nodes, v.Node))
	case v.Kind == explore.DeadlockFound:
		var list []string
		for p := range r.Machine.Program.Procs {
			if next := r.Machine.StepOf(v.Words, p); next != nil {
				list = append(list, r.kin(p)+"."+next.Label+" "+
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
func (r *Report) count(g *violationGroup) (least, most int64) {
	for _, v := range g.members {
		most += v.Count
		least = max(least, v.Count)
	}
	if g.Shown.Kind == explore.DeadlockFound {
		return most, most
	}
	most = max(least, min(most, r.Result.Failed))
	others := slices.ContainsFunc(r.Result.Violations, func(v *explore.Violation) bool {
		return !slices.Contains(g.members, v) && (v.Node != nil || v.Kind == explore.AlwaysBroken)
	})
	if !others {
		least = most
	}
	return least, most
}

// threads names the threads that the members of a group happen to; empty if they are about a state.
func (g *violationGroup) threads(prog *step.Program) string {
	if g.Shown.Node == nil {
		return ""
	}
	var names []string
	for _, v := range g.members {
		names = append(names, prog.Procs[v.Proc].Called())
	}
	return instances(names)
}

// groupText says of a group with several members which they are and how often they happen; it is empty for one member.
func (r *Report) groupText(g *violationGroup) string {
	if len(g.members) == 1 {
		return ""
	}
	least, most := r.count(g)
	often := ", in " + terminal.Plural(int(least), "execution")
	if least < most {
		often = fmt.Sprintf(", in %d to %d executions", least, most)
	} else if most == 0 { // none has come to its end
		often = ""
	}
	who := "with the " + r.threads() + " permuted"
	if threads := g.threads(r.Machine.Program); threads != "" {
		who = "in " + threads
	}
	which := "this is the shortest"
	if !g.all {
		which = "this is one that was found in few steps"
	}
	return fmt.Sprintf("the same %s: %d of them%s; %s", who, len(g.members), often, which)
}

// GroupText says in one line what is violated. Of a deadlock that waits where another one does it also says the state;
// who has crashed stands in what is violated already.
func (r *Report) GroupText(g *violationGroup) string {
	text := r.ViolationText(g.Shown)
	if g.again() {
		text += fmt.Sprintf(" (waits at the same places as violation %d, in the state %s)", g.like+1,
			r.variables(g.Shown.Words)+r.whoWaits(g))
	}
	return text
}

// whoWaits names the threads that wait in a deadlock, if one before it that waits at the same places has a state that
// is told in the same words.
func (r *Report) whoWaits(g *violationGroup) string {
	for _, h := range r.Groups()[:g.index] {
		if h.like == g.like && r.stateText(h.Shown.Words) == r.stateText(g.Shown.Words) {
			return "; " + r.waiting(g.Shown.Words)
		}
	}
	return ""
}

// place is where a violation is in the program: its property or step, or the first step that a deadlock waits in.
func (r *Report) place(v *explore.Violation) step.Pos {
	switch {
	case v.Property != nil:
		return v.Property.Pos
	case v.Node != nil:
		return v.Node.Pos
	case v.Kind == explore.NotLinear:
		return r.Machine.Program.Spec.Pos
	case v.Kind == explore.DeadlockFound:
		for p := range r.Machine.NumProcs() {
			if next := r.Machine.StepOf(v.Words, p); next != nil {
				return next.Template.Nodes[next.Entry].Pos
			}
		}
	}
	return step.Pos{}
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
	if same := r.groupText(g); same != "" {
		text += " (" + same + ")"
	}
	if more := len(r.Groups()) - 1; more > 0 {
		text += fmt.Sprintf(", and %s more", terminal.Plural(more, "violation"))
	}
	return text
}

// howMany says how many violations there are.
func (r *Report) howMany(noun string) string {
	groups, all := len(r.Groups()), len(r.Result.Violations)
	if groups == all {
		return terminal.Plural(all, noun)
	}
	return fmt.Sprintf("%s (%d with the %s told apart)", terminal.Plural(groups, noun), all, r.threads())
}

// threads is what people call the processes of the program.
func (r *Report) threads() string {
	if r.Machine.Program.Native() {
		return "goroutines"
	}
	return "threads"
}

// maxReplay is how many bytes a command line in an announcement may have.
const maxReplay = 2000

// MayBeEarly reports whether a violation counts only if it also happens where no timer fires early, which is known at
// the end: a failed test of a program with timers.
func (r *Report) MayBeEarly(v *explore.Violation) bool {
	return !r.Options.EarlyCounts && v.Kind == explore.FailedStep && v.Node.Fault == step.Assertion &&
		v.Node.Msg == golang.TestFails && (r.Machine.HasIdle() || r.Machine.Program.Patient != nil)
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
