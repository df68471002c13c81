package deadlock

import (
	"slices"

	"cdpor/lang/step"
)

// A history has the effects of the steps of a schedule.
type history struct {
	m        *step.Machine
	taken    []taken
	schedule []int32
}

type taken struct {
	proc    int
	node    *step.Node // the first of the step
	changed []change   // shared words
	signals []signalled
}

type change struct {
	word  int
	after int64
}

// A signalled is a signal or broadcast that a step has certainly done.
type signalled struct {
	node    *step.Node
	waiters int     // word
	before  []int64 // who waited, as words of type Mutex
	all     bool    // a broadcast
}

// replay runs a schedule that leads to a state; nil if it does not. What is recorded of operations makes no difference:
// searches give the states of deadlocks without.
func (x *Explainer) replay(schedule []int32, to step.State) *history {
	if schedule == nil {
		return nil
	}
	h := &history{m: x.m, schedule: schedule}
	s := x.m.Initial()
	before := slices.Clone(s)
	for _, a := range schedule {
		proc := x.m.ProcOf(int(a))
		next := x.m.StepOf(s, proc)
		if next == nil || !x.r.CanTake(s, int(a)) {
			return nil
		}
		t := taken{proc: proc, node: next.Template.Nodes[next.Entry], signals: x.signalsOf(s, proc, next)}
		copy(before, s)
		x.r.Take(s, int(a))
		for w := range x.m.Program.SharedWords {
			if s[w] != before[w] {
				t.changed = append(t.changed, change{w, s[w]})
			}
		}
		h.taken = append(h.taken, t)
	}
	if x.recorded != nil {
		to = slices.Clone(to)
		x.recorded.Erase(s)
		x.recorded.Erase(to)
	}
	if !slices.Equal(s, to) {
		return nil
	}
	return h
}

// signalsOf are the signals that a step does whatever it finds: those before its first branch, and that first one,
// which asks whether a process waits.
func (x *Explainer) signalsOf(s step.State, proc int, next *step.Step) (list []signalled) {
	nodes := next.Template.Nodes
	for k, first := next.Entry, true; k != step.End && (first || !nodes[k].Visible); k, first = nodes[k].Next, false {
		n := nodes[k]
		place, all := n.Dst, true
		if n.Kind == step.Branch && n.Next != step.End && nodes[n.Next].Kind == step.PopHead && n.Cond.Op == step.Gt {
			place, all = nodes[n.Next].Dst, false
		}
		signals := waiting(place) && !(all && n.Kind != step.Assign) && !withdraws(next, place.Root())
		if signals && (first || fixed(place)) {
			if word, ok := x.m.CompilePlace(place, proc)(x.r, s); ok {
				from := int(word) + 1
				list = append(list, signalled{n, int(word), slices.Clone(s[from : from+int(s[word])]), all})
			}
		}
		if n.Kind == step.Branch {
			break
		}
	}
	return list
}

// waiting reports whether a place is the list of those who wait at a condition variable.
func waiting(place *step.Expr) bool {
	if place == nil {
		return false
	}
	of, field := part(place)
	return of != nil && of.Type.Sync == "cond" && field == "waiters"
}

// fixed reports whether a place has no indices but constant ones.
func fixed(e *step.Expr) bool {
	for ; e.Op != step.VarRef; e = e.Args[0] {
		if e.Op == step.Index && e.Args[1].Op != step.Const {
			return false
		}
	}
	return true
}

func (h *history) event(i int) *Event {
	t := h.taken[i]
	prog := h.m.Program
	return &Event{Number: i + 1, Process: prog.Procs[t.proc].Name, Native: nativeOf(prog, t.proc, t.node.Pos),
		Line: t.node.Pos.Line, Text: t.node.Text}
}

// lastOf is the number of the last step of a process; 0 if there is none.
func (h *history) lastOf(proc int) int {
	for i := len(h.taken) - 1; i >= 0; i-- {
		if h.taken[i].proc == proc {
			return i + 1
		}
	}
	return 0
}

// lastChange is the last step that changed a location, nil if there is none.
func (h *history) lastChange(m *step.Machine, loc int) *Event {
	for i := len(h.taken) - 1; i >= 0; i-- {
		if slices.ContainsFunc(h.taken[i].changed, func(c change) bool { return m.Location(c.word) == loc }) {
			return h.event(i)
		}
	}
	return nil
}

// setter is the process whose step has made a word 1 last; -1 if that is not known.
func (h *history) setter(word int) int {
	if h == nil {
		return -1
	}
	for i := len(h.taken) - 1; i >= 0; i-- {
		for _, c := range h.taken[i].changed {
			if c.word == word {
				if c.after != 1 {
					return -1
				}
				return h.taken[i].proc
			}
		}
	}
	return -1
}

// joined is the step with which a process was put among those who wait, the last time; 0 if it never was.
func (h *history) joined(waiters, proc int) (number int) {
	list := make([]int64, 1+h.m.NumProcs())
	was := false
	for i, t := range h.taken {
		for _, c := range t.changed {
			if k := c.word - waiters; k >= 0 && k < len(list) {
				list[k] = c.after
			}
		}
		is := slices.Contains(list[1:1+list[0]], int64(proc)+1)
		if is && !was {
			number = i + 1
		}
		was = is
	}
	return number
}

// signals lists what was signalled at a condition variable and did not wake a process that has waited since a step:
// before that, with no process waiting, or after that, waking another one.
func (h *history) signals(waiters, proc, since int) (list []Event) {
	for i, t := range h.taken {
		for _, s := range t.signals {
			if s.waiters != waiters {
				continue
			}
			e := h.event(i)
			e.Line, e.Text = s.node.Pos.Line, s.node.Text
			switch {
			case i+1 < since && len(s.before) == 0:
				list = append(list, *e)
			case i+1 > since && len(s.before) > 0 && !s.all && s.before[0] != int64(proc)+1:
				e.Woke = h.m.Program.Procs[s.before[0]-1].Name
				list = append(list, *e)
			}
		}
	}
	return list
}

// part takes a place that is a field of a primitive apart.
func part(e *step.Expr) (of *step.Expr, field string) {
	if e.Op == step.Part && e.Args[0].Type.Sync != "" {
		return e.Args[0], e.Args[0].Type.Fields[e.Field].Name
	}
	return nil, ""
}
