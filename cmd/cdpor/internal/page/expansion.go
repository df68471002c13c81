package page

import (
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang"
	"cdpor/lang/step"
)

// Executions for the page: every step with what it did, what happens before it, and what the state is then. Of a state
// only what differs from the one before is written, and texts that occur again are written once.

// maxOrdered is how deep in an execution happens-before is looked for: the effort grows with the square of the depth.
const maxOrdered = 2000

// A Moment is a step of an execution with the state that it leads to; the first one of an execution has no step.
type Moment struct {
	Action int      `json:"a"`           // in Data.Actions; -1: none
	Step   int      `json:"s"`           // in Data.Steps; -1: none
	Takes  []int    `json:"h,omitempty"` // alternatives: texts
	Reads  [][2]int `json:"r,omitempty"` // name, value
	Writes [][3]int `json:"w,omitempty"` // name, value before, value
	Prints [][2]int `json:"o,omitempty"` // expression, value
	Fails  int      `json:"f,omitempty"` // text
	Then   int      `json:"t,omitempty"` // why the process cannot go on: text
	// numbers, from 1, of the steps of other processes that happen immediately before
	Before []int    `json:"b,omitempty"`
	Values [][2]int `json:"v,omitempty"` // variable in Data.Variables, value; value 0: it has none
	Places [][2]int `json:"l,omitempty"` // process, its place in Data.Places
}

// A Variable is a variable of the program text: shared, or a local of a process.
type Variable struct {
	Name string `json:"name"`
	Proc int    `json:"proc"` // -1: shared
}

// A Place is the position of a process.
type Place struct {
	Kind string `json:"kind"` // can run, waits, crashed, ended, failed, dropped, not started
	Text string `json:"text,omitempty"`
}

// A Step is a step of the program text.
type Step struct {
	Label  string `json:"label"`
	Text   string `json:"text"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	File   string `json:"file,omitempty"` // of a program of several
}

// Between stands between what people call a process and its step.
func Between(prog *step.Program) string {
	if prog.Native() {
		return " at "
	}
	return "."
}

// Near is a text that names lines of the first file of a Go program without it, if all goroutines begin there.
func Near(prog *step.Program, text string) string {
	if len(prog.Files) == 0 {
		return text
	}
	file := prog.Files[0].Called + ":"
	for _, p := range prog.Procs {
		if name := p.Called(); strings.Contains(name, ".go:") && !strings.Contains(name, file) {
			return text
		}
	}
	return strings.ReplaceAll(text, file, ":")
}

// near is the number of a text without the name of the only file.
func (u *Expander) near(text string) int { return u.texts.of(Near(u.prog, text)) }

// step names a step on the page. In Go steps have no names: their places stand for them.
func (u *Expander) step(s *replay.Step) Step {
	out := Step{Label: s.Label, Text: s.Text, Line: s.Line, Column: s.Column, File: s.File}
	if prog := u.prog; prog.Native() {
		out.Label = Near(prog, prog.Place(step.Pos{File: s.File, Line: s.Line}))
	}
	return out
}

// label names the step that a process takes next.
func (u *Expander) label(next *step.Step) string {
	if prog := u.prog; prog.Native() {
		return Near(prog, prog.Place(next.Pos))
	}
	return next.Label
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

// An Expander runs executions and writes moments. It goes through a tree in depth-first order: Take after back.
type Expander struct {
	t         *replay.Player
	prog      *step.Program
	order     *explore.Causality
	texts     index[string] // 0 is the empty one
	steps     index[Step]
	places    index[Place]
	variables []Variable
	where     []*step.Var // of the variables
	stack     []*expanded // the initial state, and the states behind the steps taken
	taken     []replay.Step
	// Look, if there is one, is shown each node of a tree that is written, with its state.
	Look func(node int, s step.State)
}

// An expanded state: the words, and what of them has been written.
type expanded struct {
	state  step.State
	values []int
	places []int
}

// NewExpander is one for the executions of a player. Conditions are those that the search used, nil: none.
func NewExpander(t *replay.Player, conditions explore.Conditions) (*Expander, error) {
	order, err := explore.NewCausality(t.Machine(), conditions)
	if err != nil {
		return nil, err
	}
	u := &Expander{t: t, prog: t.Machine().Program, order: order}
	u.texts.of("")
	add := func(vars []*step.Var, proc int) {
		for _, v := range vars {
			if !v.Temp && !v.Life && !v.Quiet {
				u.variables, u.where = append(u.variables, Variable{v.Called(), proc}), append(u.where, v)
			}
		}
	}
	prog := u.prog
	add(prog.Shared, -1)
	for _, p := range prog.Procs {
		add(p.Template.Locals, p.Index)
	}
	return u, nil
}

// Begin goes to the initial state.
func (u *Expander) Begin() Moment {
	u.order.Back(0)
	u.stack = u.stack[:0]
	m := Moment{Action: -1, Step: -1}
	u.push(u.t.Machine().Initial(), &m)
	return m
}

// Fill adds to the data of a page what its moments refer to.
func (u *Expander) Fill(d *Data) {
	d.Steps, d.Places, d.Texts, d.Variables = u.steps.list, u.places.list, u.texts.list, u.variables
}

// State is where the steps taken so far have led.
func (u *Expander) State() step.State { return u.stack[len(u.stack)-1].state }

// Back undoes all but the first n steps.
func (u *Expander) Back(n int) {
	u.stack = u.stack[:n+1]
	u.order.Back(n)
}

// Take takes an action, which must be possible.
func (u *Expander) Take(action int) Moment {
	depth := len(u.stack) - 1
	before := u.stack[depth].state
	s := slices.Clone(before)
	done := u.t.Take(s, before, action)
	m := u.moment(&done)
	m.Action = action
	if depth < maxOrdered {
		for _, j := range u.order.Take(action) {
			m.Before = append(m.Before, j+1)
		}
	}
	u.push(s, &m)
	u.taken = append(u.taken[:depth], done)
	return m
}

// Schedule is an execution from its beginning, with the rows that people read of it: what steps of one row did is one
// moment. rows are those of some steps, with the number of steps up to the end of each. cycle is how many steps at the
// end go round for ever; of these moments, round do.
func (u *Expander) Schedule(actions []int32, cycle int, rows func(steps []replay.Step, stem int) ([]replay.Step, []int,
	int)) (list []Moment, round int) {
	begun := u.Begin()
	moments := []Moment{}
	for _, a := range actions {
		moments = append(moments, u.Take(int(a)))
	}
	told, ends, stem := rows(slices.Clone(u.taken), len(actions)-cycle)
	row, at := make([]int, len(moments)+1), 0 // the row of each step, both from 1
	for i := range moments {
		if at < len(ends)-1 && i >= ends[at] {
			at++
		}
		row[i+1] = at + 1
	}
	list = append(list, begun)
	for k := range told {
		m := u.moment(&told[k])
		for i, part := range moments {
			if row[i+1] != k+1 {
				continue
			}
			m.Action = part.Action
			m.Values, m.Places = append(m.Values, part.Values...), append(m.Places, part.Places...)
			for _, b := range part.Before {
				if b := row[b]; b <= k && !slices.Contains(m.Before, b) {
					m.Before = append(m.Before, b)
				}
			}
		}
		list = append(list, m)
	}
	if cycle > 0 {
		round = len(told) - stem
	}
	return list, round
}

// moment describes a step that was taken.
func (u *Expander) moment(done *replay.Step) Moment {
	m := Moment{Step: u.steps.of(u.step(done)), Fails: u.near(done.Fails), Then: u.near(done.Then)}
	for _, way := range done.Takes {
		m.Takes = append(m.Takes, u.texts.of(terminal.Shorten(way, 72)))
	}
	for _, v := range done.Reads {
		m.Reads = append(m.Reads, [2]int{u.near(v.Name), u.near(v.Text)})
	}
	for _, v := range done.Writes {
		m.Writes = append(m.Writes, [3]int{u.near(v.Name), u.near(v.Before), u.near(v.Text)})
	}
	for _, v := range done.Prints {
		m.Prints = append(m.Prints, [2]int{u.texts.of(v.Name), u.texts.of(v.Text)})
	}
	return m
}

// push adds a state and writes what differs from the one before.
func (u *Expander) push(s step.State, m *Moment) {
	now := &expanded{s, make([]int, len(u.variables)), make([]int, len(u.prog.Procs))}
	var last *expanded
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
func (u *Expander) value(s step.State, v Variable, at *step.Var, last *expanded, i int) int {
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
	prog := u.prog
	text := lang.FormatValue(prog, at.Type, words)
	if prog.Native() && (text == "&"+v.Name || lang.Handle(at.Type, text)) {
		return 0 // which thing it is matters, not what is in it
	}
	return u.near(text)
}

// live reports whether something may still read a local of a process.
func (u *Expander) live(s step.State, proc int, v *step.Var) bool {
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

func (u *Expander) place(s step.State, proc int) Place {
	m := u.t.Machine()
	if fault, at, failed := m.Failure(s, proc); failed {
		return Place{"failed", replay.FailureText(fault, at)}
	}
	next := m.StepOf(s, proc)
	switch {
	case m.Asleep(s, proc):
		return Place{"not started", ""}
	case m.Dropped(s, proc):
		return Place{"dropped", "an assumption is false"}
	case next == nil:
		return Place{"ended", ""}
	case m.Crashed(s, proc):
		return Place{"crashed", "before " + u.label(next) + ": " + next.Template.Nodes[next.Entry].Text}
	case u.t.Enabled(s, proc):
		return Place{"can run", u.label(next) + ": " + next.Template.Nodes[next.Entry].Text}
	}
	return Place{"waits", u.label(next) + ": " + Near(m.Program, u.t.Waiting(s, proc))}
}
