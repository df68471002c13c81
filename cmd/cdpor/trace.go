package main

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/deadlock"
	"cdpor/lang"
	"cdpor/lang/step"
)

// A tracedStep is one step of a schedule for people.
type tracedStep struct {
	Step   string    `json:"step"` // process.label
	Line   int       `json:"line"`
	Column int       `json:"column"`
	Text   string    `json:"text"`
	Takes  []string  `json:"takes,omitempty"` // which alternatives: of choose, any, select, receive
	Reads  []value   `json:"reads,omitempty"`
	Writes []written `json:"writes,omitempty"` // what has another value than before
	Prints []value   `json:"prints,omitempty"`
	Fails  string    `json:"fails,omitempty"`
	// Then says why the process cannot go on by itself after the step; empty if it can.
	Then string `json:"then,omitempty"`

	proc  int
	label string
}

// A written value is what a step did to a named part of the state.
type written struct {
	value
	Before string `json:"before"`
}

func (c written) String() string { return c.Name + ": " + c.Before + " -> " + c.Text }

// A divergence is a schedule that the program does not follow.
type divergence struct {
	at  int // counted from 0
	why string
}

func (d *divergence) Error() string {
	return fmt.Sprintf("the program does not follow the schedule: step %d: %s", d.at+1, d.why)
}

// A tracer runs schedules step by step.
type tracer struct {
	m         *step.Machine
	t         *step.Tracer
	r         *step.Runner
	deadlocks *deadlock.Explainer // made when it is first needed
	// steps are the names of the steps that the schedule is expected to take, nil if there is no expectation.
	steps []string
}

func newTracer(m *step.Machine) (*tracer, error) {
	t, err := step.NewTracer(m)
	if err != nil {
		return nil, err
	}
	return &tracer{m: m, t: t, r: m.NewRunner()}, nil
}

// run executes a schedule from the initial state; after is called behind every step.
func (t *tracer) run(schedule []int32, after func(proc int, s step.State, done tracedStep)) (step.State, error) {
	return t.runLast(schedule, len(schedule), after)
}

// runLast is run when only some steps at the end are of interest: after is called behind these.
func (t *tracer) runLast(
	schedule []int32, last int, after func(proc int, s step.State, done tracedStep),
) (step.State, error) {
	s := t.m.Initial()
	before := slices.Clone(s)
	for i, a := range schedule {
		action := int(a)
		proc := t.m.ProcOf(action)
		name := t.m.Program.Procs[proc].Name
		next := t.m.StepOf(s, proc)
		if next == nil {
			return s, &divergence{i, name + " has no further step"}
		}
		if i < len(t.steps) && t.steps[i] != name+"."+next.Label {
			return s, &divergence{i, fmt.Sprintf("it was %s, and now %s comes next", t.steps[i], name+"."+next.Label)}
		}
		if !t.r.Enabled(s, proc) {
			return s, &divergence{i, fmt.Sprintf("%s.%s is not enabled: it waits in %s", name, next.Label, t.wait(s, proc))}
		}
		if !t.r.CanTake(s, action) {
			return s, &divergence{i, fmt.Sprintf("%s.%s has only %s", name, next.Label, terminal.Plural(t.r.Alternatives(s, proc), "alternative"))}
		}
		if i < len(schedule)-last {
			t.r.Take(s, action)
			continue
		}
		copy(before, s)
		after(proc, s, t.take(s, before, action))
	}
	return s, nil
}

// take takes an action that is possible in a state. before is a copy of the state.
func (t *tracer) take(s, before step.State, action int) tracedStep {
	proc := t.m.ProcOf(action)
	next := t.m.StepOf(s, proc)
	node := next.Template.Nodes[next.Entry]
	done := tracedStep{Step: t.m.Program.Procs[proc].Name + "." + next.Label, Line: node.Pos.Line, Column: node.Pos.Col, Text: node.Text,
		proc: proc, label: next.Label}
	trace := t.t.Take(s, action)
	done.Takes = t.taken(trace)
	done.Reads, done.Writes = t.describe(trace.Accesses, before)
	done.Prints = t.printed(proc, trace.Accesses)
	for p, started := range t.m.Program.Procs {
		if fault, at, failed := t.m.Failure(s, p); failed && t.m.Asleep(before, p) {
			done.Fails = fmt.Sprintf("%s, as it is started: %s", started.Name, failureText(fault, at))
		}
	}
	switch fault, at, failed := t.m.Failure(s, proc); {
	case failed:
		done.Fails = failureText(fault, at)
	case t.m.Finished(s, proc):
		done.Then = "ends"
	case t.m.Dropped(s, proc):
		done.Then = "is dropped by an assumption"
	case !t.r.Enabled(s, proc):
		done.Then = "waits in " + t.wait(s, proc)
	}
	return done
}

// failureText says in a few words what a step fails with.
func failureText(fault step.Fault, at *step.Node) string {
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
		return fault.String() + " in " + at.Text
	}
	return fault.String()
}

// describe words accesses: shared variables that were read before the step wrote them, without parts of those read whole, and
// everything written that has a name and another value than before.
func (t *tracer) describe(accesses []step.Access, before step.State) (reads []value, writes []written) {
	own := map[int]bool{} // words that the step has written itself
	for _, a := range accesses {
		v, shared, ok := t.value(a)
		switch {
		case !ok:
		case a.Write:
			old, _, _ := t.value(step.Access{Word: a.Word, Words: before[a.Word : a.Word+len(a.Words)]})
			c := written{v, old.Text}
			if k := slices.IndexFunc(writes, func(o written) bool { return o.Name == v.Name }); k >= 0 {
				writes[k] = c
			} else {
				writes = append(writes, c)
			}
		case shared && !own[a.Word]:
			if k := slices.IndexFunc(reads, func(o value) bool { return o.Name == v.Name }); k < 0 {
				reads = append(reads, v)
			}
		}
		if a.Write {
			for i := range a.Words {
				own[a.Word+i] = true
			}
		}
	}
	writes = slices.DeleteFunc(writes, func(c written) bool { return c.Before == c.Text })
	return withoutParts(reads), writes
}

// taken names the alternatives that a step takes.
func (t *tracer) taken(trace step.Trace) (list []string) {
	for _, d := range trace.Taken {
		name := ""
		if d.Words != nil {
			name = d.Of + " = " + lang.FormatValue(t.m.Program, d.Value.Type, d.Words)
		} else if d.Way < len(d.Ways) {
			name = d.Ways[d.Way]
		}
		if name != "" {
			list = append(list, shorten(name, 72))
		}
	}
	return list
}

// printed lists what a step of a process prints.
func (t *tracer) printed(proc int, accesses []step.Access) (list []value) {
	base := t.m.LocalBase(proc)
	for _, a := range accesses {
		for _, v := range t.m.Program.Procs[proc].Template.Locals {
			if a.Write && v.Printed != "" && a.Word == base+v.Offset {
				list = append(list, value{v.Printed, lang.FormatValue(t.m.Program, v.Type, a.Words)})
			}
		}
	}
	return list
}

// withoutParts leaves out what is part of another value of the list.
func withoutParts(list []value) []value {
	all := slices.Clone(list)
	return slices.DeleteFunc(list, func(v value) bool {
		return slices.ContainsFunc(all, func(whole value) bool {
			rest, ok := strings.CutPrefix(v.Name, whole.Name)
			return ok && rest != "" && strings.ContainsAny(rest[:1], ".[!")
		})
	})
}

// value names the words of an access.
func (t *tracer) value(a step.Access) (v value, shared, ok bool) {
	prog := t.m.Program
	find := func(vars []*step.Var, word int) bool {
		for _, x := range vars {
			if !x.Temp && word >= x.Offset && word < x.Offset+x.Type.Words() {
				path, typ := lang.Locate(x.Name, x.Type, word-x.Offset, len(a.Words))
				if typ == nil {
					return false
				}
				v = value{path, lang.FormatValue(prog, typ, a.Words)}
				return true
			}
		}
		return false
	}
	if a.Word < prog.SharedWords {
		ok = find(prog.Shared, a.Word)
		return v, true, ok
	}
	for i, p := range prog.Procs {
		if word := a.Word - t.m.LocalBase(i); word >= 0 && word < p.Template.LocalWords {
			ok = find(p.Template.Locals, word)
			return v, false, ok
		}
	}
	return v, false, false
}

func shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}
