package excerpt

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/slice"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Question says what a part of a program is for.
type Question struct {
	Options  lang.Options              // what the user had changed about the program; the part has it in its text
	Observe  []string                  // expressions that terminal states are compared on
	Observed bool                      // as in the program, Outcomes too
	Property func(*step.Property) bool // whether a property is part of the question; nil: none is
	Deadlock bool                      // whether deadlocks are those of the program
}

// Cut makes a program of the text of a part that Close has nothing to add to. Comments of what is left stay, and so do
// the names; what nothing mentions goes: declarations, parameters, procedures, threads. Expectations go too, since they
// are about the whole.
func (o *Outline) Cut(part Part, q Question) (e *Excerpt, err error) {
	w := &writer{textEdit: newTextEdit(o.src.File), selection: o.selection(part), q: q,
		lexed: map[*yaml.Node][]syntax.Token{}}
	for _, b := range o.bodies {
		w.code(b)
	}
	w.sections()
	e = w.excerpt()
	e.Text, err = lang.Format(o.src.File.Name, e.Text)
	return e, err
}

// A writer writes an excerpt.
type writer struct {
	*textEdit
	*selection
	q      Question
	lexed  map[*yaml.Node][]syntax.Token
	kept   []item                // what stays whatever else does
	tree   []*candidate          // the sections that stay if something in them does
	named  map[string]*candidate // threads, classes and methods
	checks bool                  // something is left of the section check
}

// A candidate is an item that is there if the rest of the text wants it, or if not said otherwise, if something inside
// it is there.
type candidate struct {
	item
	up     *candidate
	inner  []*candidate
	wanted func(*mentions) bool
	then   func() // what follows when it is there
	there  bool
}

// code takes out what is not in a body.
func (w *writer) code(b *body) {
	w.block(b.outermost)
	gone := func(t syntax.Token) bool {
		p := w.at[t.Pos]
		return w.gone(t.Pos) && !(p != nil && w.pauses[p])
	}
	lines := map[int]bool{} // with code -> whether some is left
	// Separators that separate nothing go.
	var before syntax.Token // on the same line
	for i, t := range b.toks {
		if t.Kind == syntax.TEOF || t.Kind == syntax.TSep && t.Text != ";" {
			continue
		}
		if t.Pos.Line != before.Pos.Line {
			before = syntax.Token{}
		}
		if t.Kind == syntax.TSep {
			next := i + 1
			for next < len(b.toks) && b.toks[next].Pos.Line == t.Pos.Line && b.toks[next].Kind != syntax.TEOF &&
				gone(b.toks[next]) {
				next++
			}
			last := next == len(b.toks) || b.toks[next].Pos.Line != t.Pos.Line || b.toks[next].Kind == syntax.TEOF ||
				b.toks[next].Kind == syntax.TSep || b.toks[next].Text == "}"
			if last || before.Text == "" || before.Text == "{" || before.Text == ";" {
				w.clear(t.Pos, t.End)
			}
		}
		if !gone(t) {
			lines[t.Pos.Line], before = true, t
		} else if !lines[t.Pos.Line] {
			lines[t.Pos.Line] = false
		}
	}
	w.pausing(b)
	if b.value.Style&yaml.LiteralStyle == 0 {
		return
	}
	last := b.toks[len(b.toks)-1].Pos.Line
	for n := b.value.Line + 1; n <= last; n++ {
		w.inCode[n] = true
	}
	for n := last; n > b.value.Line; n-- {
		left, code := lines[n]
		text := strings.TrimSpace(w.file.Line(n))
		belongs := strings.HasPrefix(text, "//") && n < last && w.blank(n+1) && !w.onLine(n+1) &&
			strings.TrimSpace(w.file.Line(n+1)) != ""
		if code && !left && !w.onLine(n) || !code && belongs {
			w.clearLines(n, n)
		}
	}
}

// onLine reports whether something is put on a line.
func (w *writer) onLine(n int) bool {
	return slices.ContainsFunc(w.puts, func(p put) bool { return p.at.Line == n })
}

// pausing writes an empty step where one has to end.
func (w *writer) pausing(b *body) {
	for _, p := range b.pieces {
		if w.pauses[p] {
			w.write(p.s.Pos, p.s.End, slice.Pause)
		}
	}
}

func (w *writer) block(b *block) {
	for _, p := range b.list {
		s := p.s
		from := s.Pos
		if s.Label != "" {
			from = s.LabelAt
		}
		if w.present[p] == nil {
			w.clear(from, s.End)
			continue
		}
		if s.Label != "" && !w.steps(p) && !w.begins(p) {
			w.clear(from, s.Pos)
		}
		for _, inner := range p.inner {
			w.block(inner)
		}
		if outer := p.atomic(); s.Kind == syntax.SAtomic && outer == nil && !p.in.of.method &&
			!w.steps(p) && w.begins(p) {
			i := slices.IndexFunc(p.in.of.toks,
				func(t syntax.Token) bool { return t.Text == "{" && after(t.Pos, s.Pos) })
			w.puts = append(w.puts, put{p.in.of.toks[i].End, 0, " " + slice.Pause + ";"})
		}
		if s.Kind == syntax.SIf && s.Orelse != nil && !w.any(p.inner[1]) {
			for _, t := range slices.Backward(p.in.of.toks) {
				if t.Kind == syntax.TName && t.Text == "else" && !after(t.Pos, s.Orelse0(s.End)) &&
					after(t.Pos, s.Pos) {
					w.clear(t.Pos, s.End)
					break
				}
			}
		}
	}
}

func after(a, b step.Pos) bool { return a.Line > b.Line || a.Line == b.Line && a.Col > b.Col }

func (w *writer) any(b *block) bool {
	return slices.ContainsFunc(b.list, func(p *piece) bool { return w.present[p] != nil || w.pauses[p] })
}

// steps reports whether a statement makes a step in the part.
func (w *writer) steps(p *piece) bool {
	makes := func(n *step.Node) bool {
		return w.part.Keeps(n) && (n.Kind == step.Choose || n.Kind == step.Await || build.Touches(n))
	}
	if slices.ContainsFunc(p.own, makes) {
		return true
	}
	if p.callee != nil && slices.ContainsFunc(p.callee.pieces, w.steps) {
		return true
	}
	return slices.ContainsFunc(p.inner, func(b *block) bool {
		return slices.ContainsFunc(b.list,
			func(p *piece) bool { return w.pauses[p] || w.present[p] != nil && w.steps(p) })
	})
}

// begins reports whether a step begins with a statement, or inside it.
func (w *writer) begins(p *piece) bool {
	return slices.ContainsFunc(p.own, func(n *step.Node) bool { return w.part.Keeps(n) && n.Visible }) ||
		slices.ContainsFunc(p.inner, func(b *block) bool { return slices.ContainsFunc(b.list, w.begins) })
}

// nothing writes skip where all the code of a body was left out.
func (w *writer) nothing(b *body) {
	for _, t := range b.toks {
		if t.Kind != syntax.TEOF && t.Kind != syntax.TSep && !w.gone(t.Pos) {
			return
		}
	}
	if slices.ContainsFunc(b.pieces, func(p *piece) bool { return w.pauses[p] }) {
		return
	}
	first := b.toks[0].Pos
	end := b.toks[len(b.toks)-1].End
	if end.Line != first.Line {
		end = step.Pos{Line: first.Line, Col: max(first.Col, len(w.lines[first.Line-1])+1)}
	}
	w.write(first, end, "skip")
}
