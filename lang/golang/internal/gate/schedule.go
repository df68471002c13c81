package gate

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang/step"
)

// A Schedule is one of a gated program.
type Schedule struct {
	Text        string   // as the package of gates reads it
	Unsupported []string // what gates cannot decide; each once
	// Waits are the places, file:line, where goroutines wait at the end, by name.
	Waits map[string]string
	// Nameless are the places in other modules that start goroutines: which is which is not known when Go runs them.
	Nameless []string
	// Faked says that time passes when the schedule says: a timer fires, or Sleep returns.
	Faked bool
}

// An entry is a step of a schedule.
type entry struct {
	proc   int
	at     string // the gate
	inner  bool   // it has none: it goes on with an operation, or is in no file of the user
	fires  bool   // a timer fires
	way    int    // which case of a select; -1: none, or default
	number int    // which alternative
	starts int    // which process; -1: none
}

func (e *entry) String() string {
	text := fmt.Sprintf("%d %s", e.proc, e.at)
	switch {
	case e.fires:
		text += " fires"
	case e.inner:
		text += " inner"
	}
	if e.way >= 0 {
		text += fmt.Sprintf(" case=%d", e.way)
	}
	if e.number > 0 {
		text += fmt.Sprintf(" number=%d", e.number)
	}
	if e.starts >= 0 {
		text += fmt.Sprintf(" starts=%d", e.starts)
	}
	return text
}

// A recorder runs a schedule, and notes its gates.
type recorder struct {
	*Program
	m       *step.Machine
	t       *step.Tracer
	r       *step.Runner
	s       step.State
	before  step.State // the last step
	won     *step.Var  // which offer of a process was taken, by process; nil: there are no offers
	out     *Schedule
	list    []*entry
	steps   map[int]int    // of the operation that a process is in
	updates map[string]int // steps of an update, by process and place
	started map[int]string // where a process is started, until its first step
	held    []*hold
}

// A hold is a gate that is held back, of an operation in two steps: in the first one the goroutine says that it is
// there, unseen until another goroutine meets it. Its gate comes just before that. In between it is as if the goroutine
// came later, as a receiver that Go finds waiting gets what the first sender brings.
type hold struct {
	*entry
	words []int // of a send, those of its channel; whoever writes one meets it. nil: it is an offer
}

// ScheduleOf makes the gates of a schedule of the program's machine, which must be possible.
func (p *Program) ScheduleOf(m *step.Machine, schedule []int32) (*Schedule, error) {
	t, err := step.NewTracer(m)
	if err != nil {
		return nil, err
	}
	r := &recorder{Program: p, m: m, t: t, r: m.NewRunner(), s: m.Initial(), out: &Schedule{Waits: map[string]string{}},
		steps: map[int]int{}, updates: map[string]int{}, started: map[int]string{}}
	r.before = slices.Clone(r.s)
	for _, v := range m.Program.Shared {
		if v.Temp && v.Name == "won" {
			r.won = v
		}
	}
	for _, a := range schedule {
		r.take(int(a))
	}
	r.end()
	var b strings.Builder
	for i, proc := range m.Program.Procs {
		fmt.Fprintf(&b, "goroutine %d %s\n", i, proc.Name)
	}
	for _, e := range r.list {
		fmt.Fprintln(&b, e)
	}
	r.out.Text = b.String()
	return r.out, nil
}

// take takes a step.
func (r *recorder) take(action int) {
	m, proc := r.m, r.m.ProcOf(action)
	next := m.StepOf(r.s, proc)
	node := next.Template.Nodes[next.Entry]
	alternatives := r.r.Alternatives(r.s, proc).Len()
	copy(r.before, r.s)
	trace := r.t.Take(r.s, action)
	e := &entry{proc: proc, at: r.place(node.Pos), fires: node.Idle, way: -1, number: m.ChoiceOf(action), starts: -1}
	first := r.firstsOf(next.Template)[next.Entry]
	r.out.Faked = r.out.Faked || node.Idle
	if r.steps[proc]++; first {
		r.steps[proc] = 0
	}
	if next.Label == "start" || r.started[proc] != "" && r.started[proc] == e.at && !node.Idle {
		e.at, first = "start", proc > 0
	}
	delete(r.started, proc)
	e.inner = !r.gated(e, node, first, alternatives)
	for _, d := range trace.Taken {
		if d.Words == nil && d.Way < len(d.Ways) && strings.HasPrefix(d.Ways[d.Way], "select ") {
			if d.Ways[d.Way] != "select default" {
				e.way = d.Way
			}
			break
		}
	}
	for q := range m.NumProcs() {
		if m.Asleep(r.before, q) && !m.Asleep(r.s, q) {
			r.started[q], e.starts = r.place(node.Pos), q
			if at := r.m.Program.At(node.Pos); r.fetched[node.Pos.File] && !slices.Contains(r.out.Nameless, at) {
				r.out.Nameless = append(r.out.Nameless, at)
			}
			if at := r.started[q]; r.signals[at] {
				r.out.refuse(at + ": when a signal comes")
			}
		}
	}
	r.meet(proc, trace)
	if !e.inner && first && r.holds(e, trace) {
		return
	}
	if e.at == "" {
		e.at = "-"
	}
	r.list = append(r.list, e)
}

// holds holds a gate back if the operation goes on in another step.
func (r *recorder) holds(e *entry, trace step.Trace) bool {
	next := r.m.StepOf(r.s, e.proc)
	kind := r.kinds[e.at]
	if r.won == nil || next == nil || r.place(next.Template.Nodes[next.Entry].Pos) != e.at ||
		r.firstsOf(next.Template)[next.Entry] {
		return false
	}
	switch kind {
	case receives, ranges, selects:
		r.held = append(r.held, &hold{e, nil})
		return true
	case sends:
		h := &hold{e, []int{}}
		for _, a := range trace.Accesses {
			if a.Word < r.m.Program.SharedWords {
				h.words = append(h.words, a.Word)
			}
		}
		r.held = append(r.held, h)
		return true
	}
	return false
}

// meet notes the gates of those whom a step of a process meets: they come before it.
func (r *recorder) meet(proc int, trace step.Trace) {
	r.held = slices.DeleteFunc(r.held, func(h *hold) bool {
		met := h.words == nil && r.wins(r.s, h.proc)
		for _, a := range trace.Accesses {
			met = met || a.Write && slices.Contains(h.words, a.Word)
		}
		if met = met && h.proc != proc; met {
			r.list = append(r.list, h.entry)
		}
		return met
	})
}

// gated reports whether a step has a gate, and names the second gate of those operations that have two. first says that
// it is the first one of its operation.
func (r *recorder) gated(e *entry, node *step.Node, first bool, alternatives int) bool {
	if e.at == "start" || e.fires {
		return first && !e.fires
	}
	switch kind := r.kinds[e.at]; kind {
	case "":
		return false
	case updated:
		which := fmt.Sprint(e.proc, e.at)
		if first && r.updates[which] > 1 {
			r.updates[which] = 0
		}
		r.updates[which]++
		if r.updates[which] == 2 {
			e.at, first = e.at+write, true
		}
	case waits:
		if r.steps[e.proc] == 3 {
			e.at, first = e.at+relock, true
		}
	case mapRange:
		return node.Kind == step.Choose
	case mapOrder:
		if alternatives > 1 {
			r.out.refuse(e.at + ": " + mapOrder)
		}
		return false
	case receives, ranges, selects:
		if i := slices.IndexFunc(r.held, func(h *hold) bool { return h.proc == e.proc }); i >= 0 && !first {
			r.held = slices.Delete(r.held, i, i+1) // no goroutine has met it: the gate is at this step
			return true
		}
	}
	return first
}

// wins reports whether another process has taken an offer of a process.
func (r *recorder) wins(s step.State, proc int) bool { return r.won != nil && s[r.won.Offset+proc] > 0 }

// end notes where the processes stand at the end. Gates that are still held back are open then.
func (r *recorder) end() {
	for q, proc := range r.m.Program.Procs {
		next := r.m.StepOf(r.s, q)
		if next == nil {
			continue
		}
		node := next.Template.Nodes[next.Entry]
		at := r.place(node.Pos)
		if at != "" && !node.Idle {
			r.out.Waits[proc.Name] = at[:strings.LastIndex(at, ":")]
		}
	}
}

func (s *Schedule) refuse(what string) {
	if !slices.Contains(s.Unsupported, what) {
		s.Unsupported = append(s.Unsupported, what)
	}
}
