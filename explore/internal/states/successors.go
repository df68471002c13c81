package states

import (
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// Where most steps lead to states that have been visited, the search finds the keys of all states that the present one
// leads to before it goes to any of them. The processor then fetches their places in the visited set all at once, where
// it would wait for each, and a state that is there already is never made.
//
// Most steps need not even be executed for that. One that cannot touch what the action before has written, nor write
// what that has touched, writes what it would have written before it: its successor is inherited.

// A successor is the state behind an action, of a state whose vector has a compact key.
type successor struct {
	key     uint64 // of what it makes
	action  int32
	many    int32 // changes; tooMany: there is no room for them
	changes [fewChanges]stateset.Change
}

// A step writes a variable or two and its own position.
const (
	fewChanges = 3
	tooMany    = -1
)

// crowded reports whether to look ahead. Where most successors are new it is not worth the while: each has to be made
// after all.
func (x *Exhaustive) crowded() bool {
	return x.plain && x.Results.Events >= x.Crowd*x.Results.States
}

// lookAhead finds the successors of the present frame, unless they are known, and has their places in the visited set
// fetched. An action without a successor has to be taken to see where it leads.
func (x *Exhaustive) lookAhead(f *frame) {
	if x.ready = -1; !x.crowded() {
		return
	}
	x.Seen.Lock()
	if !f.ahead {
		x.findSuccessors(f)
	}
	places := x.Seen.Toucher()
	for i := range f.successors {
		places.Touch(f.successors[i].key)
	}
	places.Done()
	x.Seen.Unlock()
}

// findSuccessors fills the list of successors.
func (x *Exhaustive) findSuccessors(f *frame) {
	f.ahead, f.version = true, x.Seen.Set.Version
	if f.packed.Version != f.version {
		return
	}
	below, q, span := (*frame)(nil), 0, (*step.Span)(nil) // of the action before
	if f.spanned && x.depth > x.lower.depth() && x.stack[x.depth-1].spanned {
		below = x.stack[x.depth-1]
		q = x.m.ProcOf(below.action)
		span = &below.spans[q]
	}
	for a := f.todo.Next(0); a >= 0; a = f.todo.Next(a + 1) {
		if below != nil {
			p := x.m.ProcOf(a)
			if s := below.successor(a); s != nil && s.many != tooMany && p != q && !span.Conflicts(&f.spans[p]) {
				f.inherit(x.Seen, below, s)
				continue
			}
		}
		x.foresee(f, a)
	}
}

// foresee finds the successor of an action by taking that.
func (x *Exhaustive) foresee(f *frame, a int) {
	f.action = a
	x.execute(f, x.frame(x.depth+1))
	key, fits := x.Seen.Set.KeyPlus(f.packed, x.diff.Chunks, nil)
	if !fits || x.diff.Large != 0 {
		return
	}
	s := f.addSuccessor(a, key)
	if s.many = tooMany; len(x.diff.Chunks) <= fewChanges {
		s.many = int32(copy(s.changes[:], x.diff.Chunks))
	}
}

// inherit makes a successor of the frame below one of this frame: the same bits change.
func (f *frame) inherit(seen *stateset.Writer, below *frame, s *successor) {
	to := f.addSuccessor(int(s.action), 0)
	to.many, to.changes = s.many, s.changes
	var fits bool
	if to.key, fits = seen.Set.KeyPlus(f.packed, to.changes[:to.many], below.packed); !fits {
		f.successors = f.successors[:len(f.successors)-1]
	}
}

func (f *frame) addSuccessor(a int, key uint64) *successor {
	f.successors = append(f.successors, successor{action: int32(a), key: key})
	return &f.successors[len(f.successors)-1]
}

// successor is that of an action, nil if there is none.
func (f *frame) successor(a int) *successor {
	for i := range f.successors {
		if int(f.successors[i].action) == a {
			return &f.successors[i]
		}
	}
	return nil
}

// tryAhead takes the action of a frame if it has a successor: looks for it, and makes it if it is new. done is false if
// it has none.
func (x *Exhaustive) tryAhead(f, next *frame) (added, done bool) {
	s := f.successor(f.action)
	if s == nil {
		return false, false
	}
	x.Seen.Lock()
	defer x.Seen.Unlock()
	if x.Opt.Validate && x.invalid == nil && f.version == x.Seen.Set.Version {
		x.invalid = validateSuccessor(x, f, s)
	}
	if added, done = x.Seen.AddKey(s.key, f.version); added {
		x.arrive(f, next, s)
	}
	return added, done
}

// validateSuccessor checks that a successor is what its action makes. It is for tests.
func validateSuccessor(x *Exhaustive, f *frame, s *successor) error {
	state, v := slices.Clone(f.state), x.Seen.Set.Vector()
	x.run.Take(state, int(s.action))
	x.Seen.Set.Pack(v, state)
	x.Seen.Set.Number(f.packed, v)
	if key, fits := x.Seen.Set.Key(v); v.Large != 0 || !fits || key != s.key {
		return fmt.Errorf("depth %d: the successor by action %d is taken to have the key %x, not %x",
			x.depth-1, s.action, s.key, key)
	}
	return nil
}

// arrive makes the successor of a frame the next frame.
func (x *Exhaustive) arrive(f, next *frame, s *successor) {
	switch {
	case x.ready == f.action:
	case s.many == tooMany:
		x.execute(f, next)
		x.Seen.Set.KeyPlus(f.packed, x.diff.Chunks, nil)
	default:
		copy(next.state, f.state)
		x.run.Take(next.state, f.action)
		x.diff.Chunks, x.diff.Large = append(x.diff.Chunks[:0], s.changes[:s.many]...), 0
	}
	x.Seen.Follow(f.packed, &x.diff, next.packed, s.key)
}

// findSpans finds the spans of all processes.
func (f *frame) findSpans(m *step.Machine, run *step.Runner) {
	for p := range f.spans {
		f.findSpan(m, run, p)
	}
	f.spanned = true
}

// findSpan finds the span of the next step of a process. Of one that has not been started everything is expected.
func (f *frame) findSpan(m *step.Machine, run *step.Runner, p int) {
	switch {
	case m.StepID(f.state, p) >= 0:
		f.spans[p] = run.Span(f.state, p)
	case m.Asleep(f.state, p):
		f.spans[p] = step.AnySpan()
	}
}

// disturb finds the spans of a frame from those of the frame below, and which processes, of those that were open there,
// the action in between may have to do with.
func (f *frame) disturb(m *step.Machine, run *step.Runner, below *frame, disturbed *actionset.Set) {
	if !below.spanned {
		below.findSpans(m, run)
	}
	copy(f.spans, below.spans)
	f.spanned = true
	q := m.ProcOf(below.action)
	f.findSpan(m, run, q)
	disturbed.Set(&below.open)
	disturbed.Remove(q)
	span := &below.spans[q]
	for p := disturbed.Next(0); p >= 0; p = disturbed.Next(p + 1) {
		switch {
		case f.spans[p] == step.AnySpan():
			f.findSpan(m, run, p)
		case !span.Conflicts(&f.spans[p]):
			disturbed.Remove(p)
		}
	}
}
