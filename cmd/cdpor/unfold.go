package main

import (
	"slices"

	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang"
	"cdpor/lang/step"
)

// Executions for the page: every step with what it did, what happens before it, and what the state is then. Of a state only what differs
// from the one before is written, and texts that occur again are written once.

// maxOrdered is how deep in an execution happens-before is looked for: the effort grows with the square of the depth.
const maxOrdered = 2000

// A moment is a step of an execution with the state that it leads to; the first one of an execution has no step.
type moment struct {
	Action int      `json:"a"`           // in pageData.Actions; -1: none
	Step   int      `json:"s"`           // in pageData.Steps; -1: none
	Takes  []int    `json:"h,omitempty"` // alternatives: texts
	Reads  [][2]int `json:"r,omitempty"` // name, value
	Writes [][3]int `json:"w,omitempty"` // name, value before, value
	Prints [][2]int `json:"o,omitempty"` // expression, value
	Fails  int      `json:"f,omitempty"` // text
	Then   int      `json:"t,omitempty"` // why the process cannot go on: text
	Before []int    `json:"b,omitempty"` // numbers, from 1, of the steps of other processes that happen immediately before
	Values [][2]int `json:"v,omitempty"` // variable in pageData.Variables, value; value 0: it has none
	Places [][2]int `json:"l,omitempty"` // process, its place in pageData.Places
}

// A pageVariable is a variable of the program text: shared, or a local of a process.
type pageVariable struct {
	Name string `json:"name"`
	Proc int    `json:"proc"` // -1: shared
}

// A place is where a process stands.
type place struct {
	Kind string `json:"kind"` // can run, waits, ended, failed, dropped, not started
	Text string `json:"text,omitempty"`
}

// A stepText is a step of the program text.
type stepText struct {
	Label  string `json:"label"`
	Text   string `json:"text"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// An index numbers things in the order in which they are first asked for.
type index[T comparable] struct {
	list []T
	at   map[T]int
}

func (x *index[T]) of(v T) int {
	if k, ok := x.at[v]; ok {
		return k
	}
	if x.at == nil {
		x.at = map[T]int{}
	}
	x.at[v] = len(x.list)
	x.list = append(x.list, v)
	return len(x.list) - 1
}

// An unfolder runs executions and writes moments. It goes through a tree in depth-first order: take after back.
type unfolder struct {
	t         *replay.Player
	order     *explore.Causality
	texts     index[string] // 0 is the empty one
	steps     index[stepText]
	places    index[place]
	variables []pageVariable
	where     []*step.Var // of the variables
	stack     []*unfolded // the initial state, and the states behind the steps taken
}

// An unfolded state: the words, and what of them has been written.
type unfolded struct {
	state  step.State
	values []int
	places []int
}

func newUnfolder(t *replay.Player, conditions explore.Conditions) (*unfolder, error) {
	order, err := explore.NewCausality(t.Machine(), conditions)
	if err != nil {
		return nil, err
	}
	u := &unfolder{t: t, order: order}
	u.texts.of("")
	add := func(vars []*step.Var, proc int) {
		for _, v := range vars {
			if !v.Temp && !v.Life {
				u.variables, u.where = append(u.variables, pageVariable{v.Name, proc}), append(u.where, v)
			}
		}
	}
	prog := t.Machine().Program
	add(prog.Shared, -1)
	for _, p := range prog.Procs {
		add(p.Template.Locals, p.Index)
	}
	return u, nil
}

// begin goes to the initial state.
func (u *unfolder) begin() moment {
	u.order.Back(0)
	u.stack = u.stack[:0]
	m := moment{Action: -1, Step: -1}
	u.push(u.t.Machine().Initial(), &m)
	return m
}

// state is where the steps taken so far have led.
func (u *unfolder) state() step.State { return u.stack[len(u.stack)-1].state }

// back undoes all but the first n steps.
func (u *unfolder) back(n int) {
	u.stack = u.stack[:n+1]
	u.order.Back(n)
}

// take takes an action, which must be possible.
func (u *unfolder) take(action int) moment {
	depth := len(u.stack) - 1
	before := u.stack[depth].state
	s := slices.Clone(before)
	done := u.t.Take(s, before, action)
	m := moment{Action: action, Step: u.steps.of(stepText{done.Label, done.Text, done.Line, done.Column}),
		Fails: u.texts.of(done.Fails), Then: u.texts.of(done.Then)}
	for _, way := range done.Takes {
		m.Takes = append(m.Takes, u.texts.of(shorten(way, 72)))
	}
	for _, v := range done.Reads {
		m.Reads = append(m.Reads, [2]int{u.texts.of(v.Name), u.texts.of(v.Text)})
	}
	for _, v := range done.Writes {
		m.Writes = append(m.Writes, [3]int{u.texts.of(v.Name), u.texts.of(v.Before), u.texts.of(v.Text)})
	}
	for _, v := range done.Prints {
		m.Prints = append(m.Prints, [2]int{u.texts.of(v.Name), u.texts.of(v.Text)})
	}
	if depth < maxOrdered {
		for _, j := range u.order.Take(action) {
			m.Before = append(m.Before, j+1)
		}
	}
	u.push(s, &m)
	return m
}

// push adds a state and writes what differs from the one before.
func (u *unfolder) push(s step.State, m *moment) {
	now := &unfolded{s, make([]int, len(u.variables)), make([]int, len(u.t.Machine().Program.Procs))}
	var last *unfolded
	if len(u.stack) > 0 {
		last = u.stack[len(u.stack)-1]
	}
	for i, v := range u.variables {
		now.values[i] = u.value(s, v, u.where[i], last, i)
		if last == nil && now.values[i] != 0 || last != nil && last.values[i] != now.values[i] {
			m.Values = append(m.Values, [2]int{i, now.values[i]})
		}
	}
	for p := range now.places {
		now.places[p] = u.places.of(u.place(s, p))
		if last == nil || last.places[p] != now.places[p] {
			m.Places = append(m.Places, [2]int{p, now.places[p]})
		}
	}
	u.stack = append(u.stack, now)
}

// value is the text of a variable in a state, 0 for a local that nothing reads any more.
func (u *unfolder) value(s step.State, v pageVariable, at *step.Var, last *unfolded, i int) int {
	from := at.Offset
	if v.Proc >= 0 {
		if !u.live(s, v.Proc, at) {
			return 0
		}
		from += u.t.Machine().LocalBase(v.Proc)
	}
	words := s[from : from+at.Type.Words()]
	if last != nil && last.values[i] != 0 && slices.Equal(words, last.state[from:from+len(words)]) {
		return last.values[i]
	}
	return u.texts.of(lang.FormatValue(u.t.Machine().Program, at.Type, words))
}

// live reports whether something may still read a local of a process.
func (u *unfolder) live(s step.State, proc int, v *step.Var) bool {
	m := u.t.Machine()
	if m.Asleep(s, proc) {
		return false
	}
	node := step.End
	if next := m.StepOf(s, proc); next != nil {
		node = next.Entry
	}
	live := m.Program.Procs[proc].Template.LiveIn(node)
	return slices.Contains(live[v.Offset:v.Offset+v.Type.Words()], true)
}

func (u *unfolder) place(s step.State, proc int) place {
	m := u.t.Machine()
	if fault, at, failed := m.Failure(s, proc); failed {
		return place{"failed", replay.FailureText(fault, at)}
	}
	next := m.StepOf(s, proc)
	switch {
	case m.Asleep(s, proc):
		return place{"not started", ""}
	case m.Dropped(s, proc):
		return place{"dropped", "an assumption is false"}
	case next == nil:
		return place{"ended", ""}
	case u.t.Enabled(s, proc):
		return place{"can run", next.Label + ": " + next.Template.Nodes[next.Entry].Text}
	}
	return place{"waits", next.Label + ": " + u.t.Waiting(s, proc)}
}
