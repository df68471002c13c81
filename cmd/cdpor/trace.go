package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"cdpor/lang"
	"cdpor/lang/step"
)

// A tracedStep is one step of a schedule for people.
type tracedStep struct {
	Step     string   `json:"step"` // process.label
	Line     int      `json:"line"`
	Text     string   `json:"text"`
	Accesses []string `json:"accesses,omitempty"`
}

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
	m *step.Machine
	t *step.Tracer
	r *step.Runner
}

func newTracer(m *step.Machine) (*tracer, error) {
	t, err := step.NewTracer(m)
	if err != nil {
		return nil, err
	}
	return &tracer{m, t, m.NewRunner()}, nil
}

// run executes a schedule from the initial state; after is called behind every step.
func (t *tracer) run(schedule []int32, after func(proc int, s step.State, done tracedStep)) (step.State, error) {
	s := t.m.Initial()
	for i, a := range schedule {
		action := int(a)
		proc := t.m.ProcOf(action)
		name := t.m.Program.Procs[proc].Name
		next := t.m.StepOf(s, proc)
		if next == nil {
			return s, &divergence{i, name + " has no further step"}
		}
		if !t.r.Enabled(s, proc) {
			return s, &divergence{i, fmt.Sprintf("%s.%s is not enabled", name, next.Label)}
		}
		if !t.r.CanTake(s, action) {
			return s, &divergence{i, fmt.Sprintf("%s.%s has only %d alternatives", name, next.Label, t.r.Alternatives(s, proc))}
		}
		node := next.Template.Nodes[next.Entry]
		done := tracedStep{Step: name + "." + next.Label, Line: node.Pos.Line, Text: node.Text}
		done.Accesses = t.describe(t.t.Take(s, action))
		if fault, at, failed := t.m.Failure(s, proc); failed {
			done.Accesses = append(done.Accesses, "fails: "+failureText(fault, at))
		}
		after(proc, s, done)
	}
	return s, nil
}

// failureText says in a few words what a step fails with.
func failureText(fault step.Fault, at *step.Node) string {
	switch {
	case at.Property == nil:
		return fault.String()
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

// describe words accesses: shared variables that were read before the step wrote them, without parts of those read whole, and the last value of everything
// written that has a name.
func (t *tracer) describe(accesses []step.Access) []string {
	var reads, writes []value
	put := func(list []value, v value) []value {
		for i := range list {
			if list[i].Name == v.Name {
				list[i] = v
				return list
			}
		}
		return append(list, v)
	}
	written := map[int]bool{}
	for _, a := range accesses {
		v, shared, ok := t.value(a)
		switch {
		case !ok:
		case a.Write:
			writes = put(writes, v)
		case shared && !written[a.Word]:
			reads = put(reads, v)
		}
		if a.Write {
			for i := range a.Words {
				written[a.Word+i] = true
			}
		}
	}
	all := slices.Clone(reads)
	reads = slices.DeleteFunc(reads, func(v value) bool {
		return slices.ContainsFunc(all, func(whole value) bool {
			rest, ok := strings.CutPrefix(v.Name, whole.Name)
			return ok && rest != "" && strings.ContainsAny(rest[:1], ".[!")
		})
	})
	var texts []string
	if len(reads) > 0 {
		texts = append(texts, "reads "+join(reads))
	}
	if len(writes) > 0 {
		texts = append(texts, "writes "+join(writes))
	}
	return texts
}

// value names the words of an access.
func (t *tracer) value(a step.Access) (v value, shared, ok bool) {
	prog := t.m.Program
	find := func(vars []*step.Var, word int) bool {
		for _, x := range vars {
			if !x.Temp && word >= x.Offset && word < x.Offset+x.Type.Words() {
				path, typ := locate(x.Name, x.Type, word-x.Offset, len(a.Words))
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

// locate finds the part of a variable that lies at some words; typ is nil if no part does.
func locate(path string, t *step.Type, at, n int) (string, *step.Type) {
	if at == 0 && t.Words() == n {
		return path, t
	}
	switch t.Kind {
	case step.Array:
		i := at / t.Elem.Words()
		return locate(fmt.Sprintf("%s[%d]", path, i), t.Elem, at-i*t.Elem.Words(), n)
	case step.Record:
		for i, f := range t.Fields {
			if from := t.FieldAt(i); at >= from && at < from+f.Type.Words() {
				return locate(path+"."+f.Name, f.Type, at-from, n)
			}
		}
	case step.List, step.Queue, step.Set, step.Bag, step.Map:
		if at == 0 {
			if n == 1 {
				return path + ".size()", step.IntType
			}
			return "", nil
		}
		i := (at - 1) / t.Elem.Words()
		return locate(fmt.Sprintf("%s[%d]", path, i), t.Elem, at-1-i*t.Elem.Words(), n)
	case step.Option:
		if at == 0 && n == 1 {
			return path + " != null", step.BoolType
		}
		if at > 0 {
			return locate(path+"!", t.Elem, at-1, n)
		}
	}
	return "", nil
}

// printTrace writes the steps of a schedule as a numbered table.
func printTrace(w io.Writer, steps []tracedStep) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, s := range steps {
		fmt.Fprintf(table, "  %3d  %s\tline %d\t%s\t%s\n", i+1, s.Step, s.Line, shorten(s.Text, 48), strings.Join(s.Accesses, "; "))
	}
	table.Flush()
}

func shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}
