package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/lang"
	"cdpor/lang/step"
)

// A Step is one step of a schedule for people.
type Step struct {
	Step string `json:"step"` // process.label
	// Goroutine and File, of a Go program, are what people call the process, and where the line is.
	Goroutine string   `json:"goroutine,omitempty"`
	File      string   `json:"file,omitempty"`
	Line      int      `json:"line"`
	Column    int      `json:"column"`
	Text      string   `json:"text"`
	Takes     []string `json:"takes,omitempty"`  // which alternatives: of choose, any, select, receive
	Reads     []Value  `json:"reads,omitempty"`  // shared variables, as they were before the step wrote them
	Writes    []Change `json:"writes,omitempty"` // shared variables, and locals that have another value than before
	Prints    []Value  `json:"prints,omitempty"`
	Starts    []string `json:"starts,omitempty"` // of a Go program: goroutines
	Fails     string   `json:"fails,omitempty"`  // what is wrong with the step, if it fails
	// Then says why the process cannot go on by itself after the step; empty if it can.
	Then string `json:"then,omitempty"`

	Proc  int    `json:"-"` // the process, as a number
	Acts  bool   `json:"-"` // of a Go program: it writes, or uses what goroutines synchronise by
	Label string `json:"-"` // the step without its process
	Who   string `json:"-"` // what people call the step and its process

	fault string // see Player.failureText
}

// A Change is the effect of a step on a named part of the state.
type Change struct {
	Value
	// Before is the value that it had; empty of a local that had none that mattered.
	Before string `json:"-"`
	// Was is the same as JSON.
	Was Raw `json:"before,omitempty"`
}

// String is x: 0 -> 1, or x = 1.
func (c Change) String() string {
	if c.Before == "" {
		return c.Name + " = " + c.Text
	}
	return c.Name + ": " + c.Before + " -> " + c.Text
}

// A Divergence is the error of a schedule that the program does not follow.
type Divergence struct {
	Step int // the first one that is not possible, from 1
	Why  string
}

func (d *Divergence) Error() string {
	return fmt.Sprintf("the program does not follow the schedule: step %d: %s", d.Step, d.Why)
}

// A Player runs schedules of a program, one after the other. It is not safe for concurrent use.
type Player struct {
	// Expect are the names of the steps that schedules are expected to take, process.label each, nil if there is no
	// expectation: where another step comes, or none, the schedule is not followed any further.
	Expect []string

	m         *step.Machine
	t         *step.Tracer
	r         *step.Runner
	deadlocks *deadlock.Explainer // made when it is first needed
}

// New makes a player. The error is an internal one.
func New(m *step.Machine) (*Player, error) {
	t, err := step.NewTracer(m)
	if err != nil {
		return nil, err
	}
	return &Player{m: m, t: t, r: m.NewRunner()}, nil
}

// Machine is the program that is run.
func (p *Player) Machine() *step.Machine { return p.m }

// Enabled reports whether a process can take a step in a state.
func (p *Player) Enabled(s step.State, proc int) bool { return p.r.Enabled(s, proc) }

// Follow executes a schedule from the initial state and returns the state it leads to; after is called behind every
// step, with a state that it must not keep. The error is a *Divergence; then the state is the one before that step.
func (p *Player) Follow(schedule []int32, after func(s step.State, done Step)) (step.State, error) {
	return p.FollowLast(schedule, len(schedule), after)
}

// FollowLast is Follow when only some steps at the end are of interest: after is called behind these.
func (p *Player) FollowLast(schedule []int32, last int, after func(s step.State, done Step)) (step.State, error) {
	s := p.m.Initial()
	before := slices.Clone(s)
	for i, a := range schedule {
		if why := p.impossible(s, i, int(a)); why != "" {
			return s, &Divergence{i + 1, why}
		}
		if i < len(schedule)-last {
			p.r.Take(s, int(a))
			continue
		}
		copy(before, s)
		after(s, p.Take(s, before, int(a)))
	}
	return s, nil
}

// impossible says why an action cannot be taken in a state, or is not the one that is expected to be step i, from 0.
// It is empty if nothing is wrong.
func (p *Player) impossible(s step.State, i, action int) string {
	proc := p.m.ProcOf(action)
	next := p.m.StepOf(s, proc)
	if next == nil {
		return p.m.Program.Procs[proc].Called() + " has no further step"
	}
	name, called := p.m.Program.Procs[proc].Name+"."+next.Label, p.m.Program.StepCalled(proc, next)
	switch {
	case i < len(p.Expect) && p.Expect[i] != name:
		return fmt.Sprintf("it was %s, and now %s comes next", p.Expect[i], called)
	case !p.r.Enabled(s, proc):
		return fmt.Sprintf("%s is not enabled: it %s", called, p.Waits(s, proc))
	case !p.r.CanTake(s, action):
		choice, possible := p.m.ChoiceOf(action), p.r.Alternatives(s, proc)
		if p.m.Info(p.m.StepID(s, proc)).Selects {
			return fmt.Sprintf("%s cannot take alternative %d now, but %s", called, choice, possible)
		}
		return fmt.Sprintf("%s has no alternative %d: the last one is %d", called, choice, possible.Len()-1)
	}
	return ""
}

// failureText is faultText of an action that is taken in a state, with both sides of a data race, and with the text
// that the program gives with it.
func (p *Player) failureText(before step.State, action int, fault step.Fault, at *step.Node) string {
	text := faultText(fault, at)
	if at == nil || fault != at.Fault || fault != step.Race && p.m.Program.Said == nil {
		return text
	}
	failed, proc := p.failed(before, action), p.m.ProcOf(action)
	if fault == step.Race {
		text = p.withRival(text, before, failed, proc, at.Cond)
	}
	if fault == step.Assertion { // the program has its own words for that
		text = at.Msg
	}
	if said := p.said(before, failed, action, at); said != "" {
		text += ": " + said
	}
	return text
}

// failed is the state inside of a failing action that is taken in a state, where it fails.
func (p *Player) failed(before step.State, action int) step.State {
	s, failed := slices.Clone(before), make(step.State, len(before))
	p.r.FailedAt(failed)
	p.r.Take(s, action)
	p.r.FailedAt(nil)
	return failed
}

// said is the text that the program gives with a failure at a node of an action that is taken in a state; empty if
// there is none. A local of which nothing reads what it had before the step, and which the step has not written, has
// lost that.
func (p *Player) said(before, failed step.State, action int, at *step.Node) string {
	if p.m.Program.Said == nil {
		return ""
	}
	proc := p.m.ProcOf(action)
	next, base, written := p.m.StepOf(before, proc), p.m.LocalBase(proc), map[int]bool{}
	live := next.Template.LiveIn(next.Entry)
	for _, a := range p.t.Take(slices.Clone(before), action).Accesses {
		for i := range a.Words {
			written[a.Word+i] = written[a.Word+i] || a.Write
		}
	}
	return p.m.Program.Said(at, func(e *step.Expr) (int64, bool) { return p.m.CompileOwn(e, proc)(p.r, failed) },
		func(v *step.Var) (words []int64, lost []bool) {
			if !v.Shared && !slices.Contains(next.Template.Locals, v) {
				return nil, nil // of another process
			}
			place := &step.Expr{Op: step.VarRef, Type: v.Type, Var: v, Of: step.Own}
			word, ok := p.m.CompilePlace(place, proc)(p.r, failed)
			if !ok {
				return nil, nil
			}
			lost = make([]bool, v.Type.Words())
			for i := range lost {
				lost[i] = !v.Shared && !live[int(word)-base+i] && !written[int(word)+i]
			}
			return failed[word : int(word)+len(lost)], lost
		})
}

// withRival names the other side of a data race, and where it stands.
func (p *Player) withRival(text string, before, failed step.State, proc int, check *step.Expr) string {
	q, pos := p.rival(before, failed, proc, check)
	if q < 0 {
		return text
	}
	rival, where := deadlock.Subject(p.m.Program, q), pos.String()
	if p.m.Program.Native() {
		where = p.m.Program.Place(pos)
	}
	return strings.NewReplacer("another thread", rival, "another goroutine", rival).Replace(text) + " at " + where
}

// rival is the other side of a data race, and where it stands: the process whose next step takes away the mark that a
// check has found not to be free; -1 if there is none.
func (p *Player) rival(before, failed step.State, proc int, check *step.Expr) (int, step.Pos) {
	if check.Op == step.Or { // the access is made only if a condition holds
		check = check.Args[1]
	}
	mark, ok := p.m.CompilePlace(check.Args[0], proc)(p.r, failed)
	for q := range p.m.Program.Procs {
		next := p.m.StepOf(before, q)
		if !ok || q == proc || next == nil || !p.r.Enabled(before, q) {
			continue
		}
		after := slices.Clone(before)
		if p.r.Take(after, p.m.FirstAction(q)); after[mark] != before[mark] {
			return q, next.Template.Nodes[next.Entry].Pos
		}
	}
	return -1, step.Pos{}
}

// Accesses are the two accesses of a data race, in an order that does not depend on which of them comes upon the
// other: the process, the place, and whether it writes. They are empty if the other side is not found.
func (p *Player) Accesses(v *explore.Violation) (list []Access) {
	last := len(v.Schedule) - 1
	if v.Fault != step.Race || v.Node == nil || last < 0 || p.m.ProcOf(int(v.Schedule[last])) != v.Proc {
		return nil
	}
	before, err := p.FollowLast(v.Schedule[:last], 0, nil)
	if err != nil {
		return nil
	}
	q, pos := p.rival(before, p.failed(before, int(v.Schedule[last])), v.Proc, v.Node.Cond)
	if q < 0 {
		return nil
	}
	list = []Access{{v.Proc, v.Node.Pos, strings.Contains(v.Node.Msg, " is written while ")},
		{q, pos, strings.HasSuffix(v.Node.Msg, " writes it")}}
	slices.SortFunc(list, func(a, b Access) int {
		return cmp.Or(explore.InText(a.Pos, b.Pos), cmp.Compare(a.Proc, b.Proc))
	})
	return list
}

// An Access is one side of a data race.
type Access struct {
	Proc   int
	Pos    step.Pos
	Writes bool
}

// Take takes an action, which is possible in a state, and says what it did. before is a copy of the state.
func (p *Player) Take(s, before step.State, action int) Step {
	proc := p.m.ProcOf(action)
	next := p.m.StepOf(s, proc)
	node := next.Template.Nodes[next.Entry]
	done := Step{Step: p.m.Program.Procs[proc].Name + "." + next.Label, Line: node.Pos.Line, Column: node.Pos.Col,
		Text: node.Text, Proc: proc, Label: next.Label, Who: p.m.Program.StepCalled(proc, next)}
	if p.m.Program.Native() {
		done.Goroutine, done.File = p.m.Program.Procs[proc].Called(), node.Pos.File
	}
	trace := p.t.Take(s, action)
	done.Takes = p.taken(trace)
	if p.m.Program.Native() {
		p.describeGo(&done, trace.Accesses, before, s, next)
	} else {
		done.Reads, done.Writes = p.describe(trace.Accesses, before, proc, next)
	}
	done.Reads = slices.DeleteFunc(done.Reads, func(v Value) bool { // that a lock was free goes without saying
		return slices.ContainsFunc(done.Writes, func(c Change) bool {
			return c.Name == v.Name && (v.Text == "free" || strings.HasPrefix(v.Text, "held by "))
		})
	})
	done.Prints = p.printed(proc, trace.Accesses)
	for q, started := range p.m.Program.Procs {
		if p.m.Program.Native() && p.m.Asleep(before, q) && !p.m.Asleep(s, q) {
			done.Starts = append(done.Starts, started.Called())
		}
		if fault, at, failed := p.m.Failure(s, q); failed && p.m.Asleep(before, q) {
			done.Fails = fmt.Sprintf("%s, as it is started: %s", started.Called(), FailureText(fault, at))
		}
	}
	switch fault, at, failed := p.m.Failure(s, proc); {
	case failed:
		done.fault = p.failureText(before, action, fault, at)
		if done.Fails = FailureText(fault, at); at == nil || at.Property == nil {
			done.Fails = done.fault
		}
	case p.m.Finished(s, proc):
		done.Then = "ends"
	case p.m.Dropped(s, proc):
		if done.Then = "is dropped by an assumption"; p.m.Program.Native() { // which only bounds make there
			done.Then = "goes no further: a bound"
		}
	case !p.r.Enabled(s, proc):
		done.Then = p.Waits(s, proc)
	}
	return done
}

// describe words accesses: shared variables that were read before the step wrote them, without parts of those read
// whole, and everything written that has a name and is shared or has another value than before. What a local of the
// process had before is left out if nothing could read it.
func (p *Player) describe(accesses []step.Access, before step.State, proc int, next *step.Step) (reads []Value,
	writes []Change) {
	own := map[int]bool{} // words that the step has written itself
	live := next.Template.LiveIn(next.Entry)
	for _, a := range accesses {
		v, shared, ok := p.value(a)
		switch {
		case !ok:
		case a.Write:
			writes = slices.DeleteFunc(writes, func(c Change) bool { return c.Name == v.Name })
			old, _, _ := p.value(step.Access{Word: a.Word, Words: before[a.Word : a.Word+len(a.Words)]})
			if old.Text == v.Text && !shared { // a shared value that is overwritten by its like is lost
				break
			}
			first := a.Word - p.m.LocalBase(proc)
			if first >= 0 && first < len(live) && !slices.Contains(live[first:first+len(a.Words)], true) {
				old.Text, old.JSON = "", ""
			}
			writes = append(writes, Change{v, old.Text, old.JSON})
		case shared && !own[a.Word] && !p.m.CrashFlag(a.Word): // each step reads that of its process
			if k := slices.IndexFunc(reads, func(o Value) bool { return o.Name == v.Name }); k < 0 {
				reads = append(reads, v)
			}
		}
		if a.Write {
			for i := range a.Words {
				own[a.Word+i] = true
			}
		}
	}
	return withoutParts(reads), writes
}

// describeGo is describe for a step of a Go program.
func (p *Player) describeGo(done *Step, all []step.Access, before, after step.State, next *step.Step) {
	accesses, primitives := p.primitives(all, before, after)
	done.Reads, done.Writes = p.describe(accesses, before, done.Proc, next)
	done.Writes = append(done.Writes, primitives...)
	done.Acts = len(accesses) < len(all) || slices.ContainsFunc(accesses, func(a step.Access) bool {
		_, shared, shown := p.value(a)
		return a.Write && shared && shown
	})
}

// taken names the alternatives that a step takes.
func (p *Player) taken(trace step.Trace) (list []string) {
	for _, d := range trace.Taken {
		name := ""
		if d.Words != nil {
			name = d.Of + " = " + lang.FormatValue(p.m.Program, d.Value.Type, d.Words)
		} else if d.Way < len(d.Ways) {
			name = d.Ways[d.Way]
		}
		if name != "" {
			list = append(list, name)
		}
	}
	return list
}

// printed lists what a step of a process prints.
func (p *Player) printed(proc int, accesses []step.Access) (list []Value) {
	base := p.m.LocalBase(proc)
	for _, a := range accesses {
		for _, v := range p.m.Program.Procs[proc].Template.Locals {
			if a.Write && v.Printed != "" && a.Word == base+v.Offset {
				list = append(list, valueOf(p.m.Program, v.Printed, v.Type, a.Words))
			}
		}
	}
	return list
}

// withoutParts leaves out what is part of another value of the list.
func withoutParts(list []Value) []Value {
	all := slices.Clone(list)
	return slices.DeleteFunc(list, func(v Value) bool {
		return slices.ContainsFunc(all, func(whole Value) bool {
			rest, ok := strings.CutPrefix(v.Name, whole.Name)
			return ok && rest != "" && strings.ContainsAny(rest[:1], ".[!")
		})
	})
}

// value names the words of an access.
func (p *Player) value(a step.Access) (v Value, shared, ok bool) {
	prog := p.m.Program
	find := func(vars []*step.Var, word int) bool {
		for _, x := range vars {
			if !x.Temp && !x.Quiet && word >= x.Offset && word < x.Offset+x.Type.Words() {
				t, at := x.Type, word-x.Offset
				if x.Rounds && a.Write && x.Type.Elem.Words() == 1 {
					return false // it is told of where it is read
				}
				if x.Rounds {
					t, at = t.Elem, at%t.Elem.Words()
				}
				path, typ := lang.Locate(x.Called(), t, at, len(a.Words))
				if typ == nil {
					return false
				}
				v = valueOf(prog, path, typ, a.Words)
				return !v.itself(prog) && !told(prog, typ, v.Text) && !copied(prog, x)
			}
		}
		return false
	}
	if a.Word < prog.SharedWords {
		ok = find(prog.Shared, a.Word)
		return v, true, ok
	}
	for i, proc := range prog.Procs {
		if word := a.Word - p.m.LocalBase(i); word >= 0 && word < proc.Template.LocalWords {
			ok = find(proc.Template.Locals, word)
			return v, false, ok
		}
	}
	return v, false, false
}
