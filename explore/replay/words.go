package replay

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/lang/step"
)

// What is wrong, in words: the same of a search, a slice and a replay.

// Text says in one line what is violated, with the place in the program text where there is one.
func (p *Player) Text(v *explore.Violation) string {
	prog := p.m.Program
	at := func(pos step.Pos, text string) string {
		return prog.At(pos) + ": " + step.Within(prog.CalledFile(pos.File), text)
	}
	if v.Fault == step.BadProperty && v.Property != nil {
		after := ""
		if v.Node != nil {
			after = " after " + stepName(prog, v.Proc, v.Node)
		}
		return at(v.Property.Pos, v.Property.Text+" cannot be evaluated"+after)
	}
	switch v.Kind {
	case explore.FailedStep:
		text := deadlock.Subject(prog, v.Proc) + ": " + p.faultOf(v)
		if v.Node != nil {
			return at(v.Node.Pos, text)
		}
		return text
	case explore.AlwaysBroken, explore.StepBroken:
		return at(v.Property.Pos, keptText(prog, v.Property, v.Proc, v.Node))
	case explore.DeadlockFound:
		return p.deadlockText(v.Words, v.Schedule)
	case explore.NotLinear:
		return at(prog.Spec.Pos, notLinear)
	case explore.NoWayToEnd, explore.Endless:
		return p.lassoText(v)
	case explore.NeverHolds, explore.NeverFollows, explore.NeverStays:
		return at(v.Property.Pos, p.lassoText(v))
	case explore.NoDeadlock:
		return "no execution deadlocks, which check.deadlock requires"
	case explore.OutcomeMissing:
		return "no execution has the outcome " + Join(Observed(prog, v.Words))
	case explore.OutcomeExtra:
		return outcomeText(prog, v)
	}
	return at(v.Property.Pos, propertyText(v.Kind, v.Property))
}

// faultOf is failureText of the step that a violation ends with.
func (p *Player) faultOf(v *explore.Violation) string {
	last := len(v.Schedule) - 1
	if last < 0 || p.m.ProcOf(int(v.Schedule[last])) != v.Proc {
		return faultText(v.Fault, v.Node)
	}
	s, err := p.FollowLast(v.Schedule[:last], 0, nil)
	if err != nil {
		return faultText(v.Fault, v.Node)
	}
	return p.failureText(s, int(v.Schedule[last]), v.Fault, v.Node)
}

// shownText says what is wrong with the execution of a schedule, in the state where that showed and behind the steps
// so far.
func (p *Player) shownText(v *explore.Violation, s step.State, schedule []int32, steps []Step) string {
	prog := p.m.Program
	if v.Node != nil || v.Kind == explore.FailedStep {
		fault, at, _ := p.m.Failure(s, v.Proc)
		if at != nil && at.Property != nil && fault == at.Fault {
			return keptText(prog, at.Property, v.Proc, at)
		}
		who, text := prog.Procs[v.Proc].Called(), faultText(fault, at)
		if n := len(steps); n > 0 && steps[n-1].Proc == v.Proc {
			who, text = steps[n-1].Who, steps[n-1].fault
			if last := &steps[n-1]; prog.Native() {
				file := prog.CalledFile(last.File)
				return fmt.Sprintf("%s:%d: %s", file, last.Line,
					step.Within(file, deadlock.Subject(prog, v.Proc)+": "+text))
			}
		}
		return who + ": " + text
	}
	switch v.Kind {
	case explore.DeadlockFound:
		return p.deadlockText(s, schedule)
	case explore.OutcomeExtra:
		return outcomeText(prog, v)
	case explore.NotLinear:
		return notLinear
	}
	if v.Fault == step.BadProperty {
		return sections[v.Kind] + " " + v.Property.Text + " cannot be evaluated"
	}
	return propertyText(v.Kind, v.Property)
}

const notLinear = "not linearizable: the specification allows no order of the operations"

func outcomeText(prog *step.Program, v *explore.Violation) string {
	return "the outcome " + Join(Observed(prog, v.Words)) + " is not listed in check.outcomes"
}

// sections are those in which properties of states stand, by how they are violated.
var sections = map[explore.ViolationKind]string{explore.FinalBroken: "final", explore.NotReached: "reachable",
	explore.ReachedAnyway: "unreachable", explore.InvariantFalse: "invariant", explore.AlwaysBroken: "always"}

// propertyText says that a property of states is violated.
func propertyText(kind explore.ViolationKind, p *step.Property) string {
	what := map[explore.ViolationKind]string{
		explore.FinalBroken:    "does not hold at the end",
		explore.InvariantFalse: "does not hold after every step",
		explore.AlwaysBroken:   "does not hold before the first step",
		explore.NotReached:     "holds at the end of no execution",
		explore.ReachedAnyway:  "holds at the end, and should not",
	}[kind]
	return withMessage(p.Text+" "+what, p)
}

func withMessage(text string, p *step.Property) string {
	if p.Msg != "" {
		text += ": " + p.Msg
	}
	return text
}

// keptText says that a step broke a property that steps must keep; before any step there is no node.
func keptText(prog *step.Program, p *step.Property, proc int, at *step.Node) string {
	if at == nil {
		return propertyText(explore.AlwaysBroken, p)
	}
	verb := "does not hold after"
	if p.Expr == nil { // about a step
		verb = "does not hold for"
	}
	return withMessage(fmt.Sprintf("%s %s %s", p.Text, verb, stepName(prog, proc, at)), p)
}

// stepName is the process and the step that a node belongs to which checks a property.
func stepName(prog *step.Program, proc int, at *step.Node) string {
	t := prog.Procs[proc].Template
	for _, s := range t.Steps {
		if slices.ContainsFunc(s.Nodes, func(i int) bool { return t.Nodes[i] == at }) {
			return prog.StepCalled(proc, s)
		}
	}
	return prog.Procs[proc].Called()
}

// FailureText says in a few words what a step fails with (step.Machine.Failure).
func FailureText(fault step.Fault, at *step.Node) string {
	switch {
	case at == nil || at.Property == nil:
		return faultText(fault, at)
	case fault == at.Fault:
		return "breaks " + at.Text
	}
	return fault.String() + " in " + at.Text
}

func faultText(fault step.Fault, at *step.Node) string {
	switch {
	case at != nil && at.Msg != "" && fault == at.Fault:
		return fault.String() + ": " + at.Msg
	case at != nil && at.Text != "":
		text := fault.String() + " in " + at.Text
		if calls := at.Callees(); fault == step.TooDeep && len(calls) > 0 {
			text += fmt.Sprintf(": more than %d calls of functions inside each other, from %s at %s on; bounds: "+
				"{recursion: N} "+
				"allows N", calls[0].Depth, calls[0].Name, calls[0].Pos)
		}
		return text
	}
	return fault.String()
}

// DeadlockNames are what deadlocks are called.
var DeadlockNames = []string{string(explore.DeadlockFound), "leak"}

// DeadlockName is the word for a deadlock: a leak if the process that the program is about has come to its end.
func DeadlockName(m *step.Machine, s step.State) string {
	if e := m.Program.Entry; e != nil && m.Finished(s, e.Proc) {
		return DeadlockNames[1]
	}
	return DeadlockNames[0]
}

// deadlockText says in one line that a state is a deadlock.
func (p *Player) deadlockText(s step.State, schedule []int32) string {
	why, name := p.Why(s, schedule), DeadlockName(p.m, s)+": "
	if !p.m.Program.Native() || len(why.Waits) == 0 {
		return name + strings.Join(why.Brief(), ", ")
	}
	path := why.Waits[0].File
	file := p.m.Program.CalledFile(path)
	before, after, _ := strings.Cut(strings.Join(why.Brief(), "; "), file+":")
	return name + before + path + ":" + step.Within(file, after)
}

// lassoText says what is wrong with an execution as a whole.
func (p *Player) lassoText(v *explore.Violation) string {
	how := "in an execution that ends"
	if len(v.Cycle) > 0 {
		var names []string
		for proc, process := range p.m.Program.Procs {
			if slices.ContainsFunc(v.Cycle, func(a int32) bool { return p.m.ProcOf(int(a)) == proc }) {
				names = append(names, process.Called())
			}
		}
		round := "goes round"
		if len(names) > 1 {
			round = "go round"
		}
		how = strings.Join(names, ", ") + " " + round + " for ever"
	}
	text := ""
	switch v.Kind {
	case explore.NoWayToEnd:
		return "no way to end: " + how + ", and whatever happens then, the program does not end"
	case explore.Endless:
		return "endless: " + how + " although the scheduler is fair"
	case explore.NeverHolds:
		text = "eventually " + v.Property.Text + ": it never holds"
	case explore.NeverFollows:
		text = v.Property.Text + ": the latter never follows"
	case explore.NeverStays:
		text = "eventually always " + v.Property.Text + ": it is false at the end"
		if len(v.Cycle) > 0 {
			text = "eventually always " + v.Property.Text + ": it is false again and again"
		}
	}
	if text += " "; len(v.Cycle) > 0 {
		text += "while "
	}
	if text += how; len(v.Cycle) > 0 {
		text += ", under " + explore.FairnessOf(&p.m.Program.Checks).Assumption()
	}
	return withMessage(text, v.Property)
}

// Waiting says what the next step of a process, which is not enabled, waits for: the statement, and why it cannot go
// on.
func (p *Player) Waiting(s step.State, proc int) string {
	w := p.explainer().Waiting(s, proc)
	return w.Statement()
}

// Waits says what a process does that is not enabled: waits in its statement, or for what, and why it cannot go on.
func (p *Player) Waits(s step.State, proc int) string {
	w := p.explainer().Waiting(s, proc)
	return w.Phrase()
}

// Why explains a deadlock, to which a schedule has led; the numbers of steps are those in the schedule.
func (p *Player) Why(s step.State, schedule []int32) *deadlock.Explanation {
	return p.explainer().Explain(s, schedule)
}

func (p *Player) explainer() *deadlock.Explainer {
	if p.deadlocks == nil {
		p.deadlocks = deadlock.New(p.m)
	}
	return p.deadlocks
}
