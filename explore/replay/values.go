package replay

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"
)

// A Value is one named part of a valuation.
type Value struct {
	Name string `json:"name"`
	Text string `json:"-"`
	JSON Raw    `json:"value"`
}

// Raw is a value as JSON.
type Raw string

// MarshalJSON is the value itself.
func (r Raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// valueOf is the value of a type at some words.
func valueOf(prog *step.Program, name string, t *step.Type, words []int64) Value {
	return Value{name, lang.FormatValue(prog, t, words), Raw(lang.AppendJSON(nil, prog, t, words))}
}

// String is x=1, or for what a process holds, m held by a.
func (v Value) String() string {
	if strings.HasPrefix(v.Text, "held by ") {
		return v.Name + " " + v.Text
	}
	return v.Name + "=" + v.Text
}

// itself reports whether the value says no more than the name: that a pointer a refers to what is called a.
func (v Value) itself(prog *step.Program) bool {
	return prog.Native() && (v.Text == "&"+v.Name || v.Text == v.Name)
}

// copied reports whether a local is only what was read from a shared variable of the same name.
func copied(prog *step.Program, x *step.Var) bool {
	return prog.Native() && !x.Shared && slices.ContainsFunc(prog.Shared, func(v *step.Var) bool {
		return v.Called() == x.Called() && (v.Type == x.Type || v.Type.Kind == step.Array && v.Type.Elem == x.Type)
	})
}

// A Part is a named part of an outcome or a state.
type Part struct {
	Name string
	t    *step.Type
	at   int  // its first word
	asks bool // it is left out if its value says no more than its name
}

// values are the values of parts.
func values(prog *step.Program, parts []Part, words []int64) (list []Value) {
	for _, p := range parts {
		v := valueOf(prog, p.Name, p.t, words[p.at:p.at+p.t.Words()])
		if !p.asks || !prog.Native() || !v.itself(prog) && !told(prog, p.t, v.Text) {
			list = append(list, v)
		}
	}
	return list
}

// AppendJSON appends the value that the part has in an outcome or state; ok is false if it is left out.
func (p Part) AppendJSON(b []byte, prog *step.Program, words []int64) (all []byte, ok bool) {
	if p.asks && prog.Native() && values(prog, []Part{p}, words) == nil {
		return b, false
	}
	return lang.AppendJSON(b, prog, p.t, words[p.at:p.at+p.t.Words()]), true
}

// ObservedParts are the observed expressions, as they lie in the words of an outcome.
func ObservedParts(prog *step.Program) (list []Part) {
	at := 0
	for _, o := range prog.Observe {
		list = append(list, Part{Name: o.Name, t: o.Expr.Type, at: at})
		at += o.Expr.Type.Words()
	}
	return list
}

// SharedParts are the shared variables of the program text.
func SharedParts(prog *step.Program) (list []Part) {
	for _, v := range prog.Shared {
		if !v.Temp && !v.Life && !v.Quiet && !v.Rounds && !isTally(prog, v) {
			list = append(list, Part{v.Called(), v.Type, v.Offset, true})
		}
	}
	return list
}

// Observed splits the words of an outcome into the values of the observed expressions.
func Observed(prog *step.Program, words []int64) []Value {
	return values(prog, ObservedParts(prog), words)
}

// Shared are the values of the shared variables of the program text in a state.
func Shared(prog *step.Program, s []int64) []Value { return values(prog, SharedParts(prog), s) }

// Locals are the values of the locals of a process that its next step, or one behind it, may read.
func (p *Player) Locals(s step.State, proc int) []Value {
	next := p.m.StepOf(s, proc)
	if next == nil {
		return nil
	}
	var parts []Part
	live := next.Template.LiveIn(next.Entry)
	for _, v := range next.Template.Locals {
		if from, n := v.Offset, v.Type.Words(); !v.Temp && !v.Quiet && slices.Contains(live[from:from+n], true) {
			parts = append(parts, Part{v.Called(), v.Type, p.m.LocalBase(proc) + from, true})
		}
	}
	return values(p.m.Program, parts, s)
}

// told reports whether a value of a Go program says nothing that other values do not say.
func told(prog *step.Program, t *step.Type, text string) bool {
	return prog.Native() && (lang.Handle(t, text) || t.Kind == step.Record && text == "{}")
}

// Join writes values one behind the other, with blanks between them, or semicolons where one is told in words.
func Join(values []Value) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.String()
	}
	if slices.ContainsFunc(values, func(v Value) bool { return strings.HasPrefix(v.Text, "held by ") }) {
		return strings.Join(texts, "; ")
	}
	return strings.Join(texts, " ")
}

// isTally reports whether a shared variable only counts operations.
func isTally(prog *step.Program, v *step.Var) bool {
	return slices.ContainsFunc(prog.Recorders, func(r *step.Recorder) bool { return r.Ended == v })
}

// In a program of another language, Go for one, a channel or a wait group is shown as a whole, not by the words that it
// is made of.

// whole finds the primitive that a word of a value belongs to: its name, its type and its first word.
func whole(name string, t *step.Type, word, at int) (string, *step.Type, int) {
	if t.Sync != "" {
		return name, t, word
	}
	switch t.Kind {
	case step.Array:
		i := at / t.Elem.Words()
		from := i * t.Elem.Words()
		return whole(fmt.Sprintf("%s[%d]", name, i), t.Elem, word+from, at-from)
	case step.Record:
		for i, f := range t.Fields {
			if from := t.FieldAt(i); at >= from && at < from+f.Type.Words() {
				return whole(name+"."+f.Name, f.Type, word+from, at-from)
			}
		}
	}
	return "", nil, 0
}

// primitives takes the accesses of primitives out of those of a step, and says what became of the primitives.
func (p *Player) primitives(accesses []step.Access, before, after step.State) (rest []step.Access, writes []Change) {
	prog := p.m.Program
	for _, a := range accesses {
		k := slices.IndexFunc(prog.Shared, func(v *step.Var) bool {
			return a.Word >= v.Offset && a.Word < v.Offset+v.Type.Words() && a.Word < prog.SharedWords
		})
		var name string
		var t *step.Type
		var from int
		if k >= 0 {
			v := prog.Shared[k]
			name, t, from = whole(v.Called(), v.Type, v.Offset, a.Word-v.Offset)
		}
		if t == nil {
			rest = append(rest, a)
			continue
		}
		if prog.Shared[k].Temp || slices.ContainsFunc(writes, func(c Change) bool { return c.Name == name }) {
			continue
		}
		value := func(s step.State) Value { return valueOf(prog, name, t, s[from:from+t.Words()]) }
		if was, is := value(before), value(after); was.Text != is.Text {
			writes = append(writes, Change{is, was.Text, was.JSON})
		}
	}
	return rest, writes
}
