package reachable

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/span"
)

// What a step has found out about a shared variable is still known at later steps of its process, but for what others
// may have done to it meanwhile: those that can stand at a step that writes the variable while this process stands
// where it is. Who tests count < MAX under a lock, and adds to count behind that, knows there that count is less, if
// nobody else adds without the lock. So each node that writes a shared variable has an effect, and at the beginning of
// a step ranges are closed under those of other processes.

// An effect is what a node makes of the values of a field.
type effect struct {
	of       *step.Template
	node     int
	steps    []*step.Step // in which it is executed
	from, to span.Span    // the values before and after it
	by       span.Span    // what it adds to them, if relative
	relative bool
	always   bool // whatever was there before: of the value of an option, which may have been null
}

type effectKey struct {
	of   *step.Template
	node int
	at   Field
}

// on is what the node makes of a value in some range.
func (w *effect) on(s span.Span) span.Span {
	switch s = s.Meet(w.from); {
	case w.always:
		return w.to
	case s.Empty():
		return span.None
	case w.relative:
		return s.Plus(w.by).Meet(w.to)
	}
	return w.to
}

// wrote notes what the present node makes of a field. by is what it adds, nil if it does something else.
func (f *Frame) wrote(at Field, typ *step.Type, from, to span.Span, by *span.Span) {
	a, t := f.a, f.Process.Template
	key := effectKey{t, f.node, at}
	w := a.effects[key]
	if w == nil {
		w = &effect{of: t, node: f.node, from: span.None, to: span.None, by: span.None, relative: true,
			always: Optional(at.V.Type, at.Off)}
		for _, s := range t.Steps {
			if slices.Contains(s.Nodes, f.node) {
				w.steps = append(w.steps, s)
			}
		}
		a.effects[key], a.writers[at] = w, append(a.writers[at], w)
	}
	now := *w
	now.from, now.to = w.from.Join(from), w.to.Join(to)
	if by == nil {
		now.relative = false
	} else {
		now.by = w.by.Join(*by)
	}
	if a.round > hastyRounds {
		now.from, now.to = a.widen(w.from, now.from), a.widen(w.to, now.to).Meet(Leaf(typ))
	}
	if a.round > 3*hastyRounds && (now.from != w.from || now.to != w.to || now.by != w.by) {
		now.from, now.to, now.relative = span.Any, Leaf(typ), false
	}
	if now.from != w.from || now.to != w.to || now.by != w.by || now.relative != w.relative {
		*w, a.changed = now, true
	}
}

// closed is a range of a field at the beginning of a step with all that others may make of it.
func (a *Analysis) closed(s span.Span, at Field, here *step.Step) span.Span {
	if s == span.Any {
		return s
	}
	for round := 0; ; round++ {
		before := s
		for _, w := range a.writers[at] {
			if a.interferes(w, here) {
				s = s.Join(w.on(s))
			}
		}
		switch {
		case s == before:
			return s
		case round > 2*patience:
			return span.Any
		case round > hastyRounds:
			s = a.widen(before, s)
		}
	}
}

// interferes reports whether some process may execute a node while another one stands at a step.
func (a *Analysis) interferes(w *effect, here *step.Step) bool {
	switch {
	case here == nil:
		return true
	case w.of == here.Template && a.instances(w.of) < 2:
		return false
	}
	for _, s := range w.steps {
		if a.meet(s, here) {
			return true
		}
	}
	return len(w.steps) == 0
}

// Kept are the fields in no array that are followed from step to step of a template.
func (a *Analysis) Kept(t *step.Template) map[Field]bool {
	kept := map[Field]bool{}
	for at := range a.places(t).free {
		if a.Own[at] == nil && !a.spoilt[at] {
			kept[at] = true
		}
	}
	return kept
}
