package native

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cdpor/lang/golang/native"
	"cdpor/lang/step"
)

// A schedule of the reading engine, forced on the program itself. Both name operations by where they stand in the text;
// a step of the one may be several gates of the other, or none. So who goes on is looked up at each gate.

// A wish is a step of a schedule that the test is to follow.
type wish struct {
	proc   int    // 0 is the test
	place  string // file:line; empty: it is in no file of the program
	begins bool   // an operation
	sends  bool   // a case of a select sends
	choice int    // it is so many-th of those that do, or that receive; -1: no case
	starts int    // the process that it starts; -1: none
	clock  bool   // time passes
}

// wishes are those of a schedule of a machine; paths are the files of the program by what places call them.
func wishes(m *step.Machine, schedule []int32, paths map[string]string) (list []wish, err error) {
	t, err := step.NewTracer(m)
	if err != nil {
		return nil, err
	}
	last := make([]*step.Step, m.NumProcs())
	s := m.Initial()
	before := slices.Clone(s)
	for _, a := range schedule {
		proc := m.ProcOf(int(a))
		next, was := m.StepOf(s, proc), last[proc]
		node := next.Template.Nodes[next.Entry]
		last[proc] = next
		w := wish{proc: proc, place: placeOf(node, paths), choice: -1, starts: -1, clock: node.Idle}
		w.begins = was == nil || was.Template != next.Template || next.Entry <= was.Entry ||
			node.Pos != was.Template.Nodes[was.Entry].Pos
		copy(before, s)
		for _, d := range t.Take(s, int(a)).Taken {
			if d.Words == nil && d.Way < len(d.Ways) && strings.HasPrefix(d.Ways[d.Way], "select ") {
				w.choose(d.Ways[:d.Way+1])
				break
			}
		}
		for q := range m.NumProcs() {
			if m.Asleep(before, q) && !m.Asleep(s, q) {
				w.starts = q
			}
		}
		list = append(list, w)
	}
	return list, nil
}

// choose notes the last one of cases, in the order of the text.
func (w *wish) choose(cases []string) {
	const sends, none = "select send", "select default"
	last := cases[len(cases)-1]
	if w.sends = strings.HasPrefix(last, sends); last == none {
		return
	}
	for _, name := range cases {
		if strings.HasPrefix(name, sends) == w.sends {
			w.choice++
		}
	}
}

// placeOf is the innermost place of a node that is in a file of the program.
func placeOf(n *step.Node, paths map[string]string) string {
	for _, at := range slices.Backward(append(slices.Clone(n.Calls), n.Pos)) {
		if path := paths[at.File]; path != "" {
			return path + ":" + strconv.Itoa(at.Line)
		}
	}
	return ""
}

// Force lets a test follow a schedule of the machine that was read off its text, as far as it can: where an operation
// of the schedule is not possible, the next one is tried. Behind the schedule the test goes on by itself.
func Force(ctx context.Context, p *native.Process, m *step.Machine, schedule []int32, paths map[string]string,
	events int) (r *native.Record, width int, err error) {
	list, err := wishes(m, schedule, paths)
	if err != nil {
		return nil, 0, err
	}
	p.SetCold(true)
	size := tooSmall{8, 16, 1, false}
	for prefix := []int32(nil); ; {
		p.SetWidth(size.width)
		r, err := p.Execute(ctx, &native.Command{Prefix: prefix, Events: events, Places: true})
		switch {
		case err != nil:
			return nil, 0, err
		case r.End == native.Diverged:
			return nil, 0, errors.New("executions of the same schedule differ")
		}
		t := newTree(size.procs, size.objects, size.width)
		var more tooSmall
		if _, err := t.add(r); errors.As(err, &more) {
			was := int32(size.width)
			size = larger(size, more)
			for i, a := range prefix {
				prefix[i] = a/was*int32(size.width) + a%was
			}
			continue
		} else if err != nil {
			return nil, 0, err
		}
		f := &forced{tree: t, wishes: list, procs: map[int]int{0: 2}, next: map[int]*native.Change{}}
		if prefix = f.corrected(r); prefix == nil {
			return r, size.width, nil
		}
	}
}

// A forced execution is compared with a schedule.
type forced struct {
	*tree
	wishes []wish // that are still to come
	procs  map[int]int
	next   map[int]*native.Change
}

// corrected is the prefix of an execution up to the first event that is not as the schedule wishes, with that one as it
// does; nil: there is none.
func (f *forced) corrected(r *native.Record) []int32 {
	n := f.root
	for i := range r.Steps {
		if i > 0 {
			if n = n.child(r.Steps[i].Action); n == nil {
				return nil
			}
		}
		for k := range r.Steps[i].Changes {
			c := &r.Steps[i].Changes[k]
			f.next[c.Proc] = c
		}
		a := f.wanted(n)
		if a < 0 {
			return nil
		}
		if i+1 == len(r.Steps) || a != r.Steps[i+1].Action {
			if n.ends {
				return nil
			}
			return append(Actions(r)[:i:i], a)
		}
	}
	return nil
}

// wanted is the action that the schedule wishes from a node, -1 behind its end.
func (f *forced) wanted(n *node) int32 {
	for ; len(f.wishes) > 0; f.wishes = f.wishes[1:] {
		w := &f.wishes[0]
		if w.clock {
			if n.enabled.Has(0) {
				f.wishes = f.wishes[1:]
				return 0
			}
			continue
		}
		proc, started := f.procs[w.proc]
		if !started {
			continue
		}
		if proc == 2 && f.next[2] == nil { // the test has not begun
			return int32(f.EnabledOf(&n.enabled, 1))
		}
		c, next := f.next[proc], f.nextOfProc(n, proc)
		if next == nil || w.place == "" {
			continue
		}
		a := int32(f.EnabledOf(&n.enabled, proc))
		there := place(c) == w.place && !c.Library
		starts := there && w.starts >= 0
		switch {
		case !there && f.later(w.proc, place(c)) && !c.Library, there && !starts && !w.begins && !next.op.Continues():
			continue // a step without a gate
		case a < 0:
			if a = f.unknown(n); a >= 0 {
				return a
			}
			continue
		case !there || starts && next.op.Starts() < 0: // a gate without a step
			return a
		case starts:
			f.procs[w.starts] = next.op.Starts()
		}
		a = f.chosen(n, proc, w, c)
		f.wishes = f.wishes[1:]
		return a
	}
	return -1
}

func (f *forced) nextOfProc(n *node, proc int) *nextStep {
	if proc < len(n.next) {
		return n.next[proc]
	}
	return nil
}

// later reports whether a process of the schedule still comes to a place.
func (f *forced) later(proc int, place string) bool {
	return slices.ContainsFunc(f.wishes, func(w wish) bool { return w.proc == proc && w.place == place })
}

// unknown is an action that the schedule does not speak of, as that of a deferred call, -1 if there is none.
func (f *forced) unknown(n *node) int32 {
	for q, proc := range f.procs {
		if f.nextOfProc(n, proc) != nil && !f.later(q, place(f.next[proc])) {
			if a := f.EnabledOf(&n.enabled, proc); a >= 0 {
				return int32(a)
			}
		}
	}
	return -1
}

// chosen is the action of a process with the case that a wish has, if that is possible.
func (f *forced) chosen(n *node, proc int, w *wish, c *native.Change) int32 {
	first := int32(f.EnabledOf(&n.enabled, proc))
	if !c.Op.Chooses() {
		return first
	}
	choice := len(c.Op.Objects)
	if w.choice >= 0 {
		choice = c.Op.Case(w.sends, w.choice)
	}
	if a := proc*f.width + choice; choice < f.width && n.enabled.Has(a) {
		return int32(a)
	}
	return first
}

// place is where an operation stands, file:line with an absolute path.
func place(c *native.Change) string {
	if c == nil {
		return ""
	}
	at, _, _ := strings.Cut(c.Place, " ")
	return filepath.Clean(at)
}
