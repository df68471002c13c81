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
	return Value{name, lang.FormatValue(prog, t, words), Raw(lang.ValueJSON(prog, t, words))}
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

// Observed splits the words of an outcome into the values of the observed expressions.
func Observed(prog *step.Program, words []int64) []Value {
	var list []Value
	for _, o := range prog.Observe {
		n := o.Expr.Type.Words()
		list = append(list, valueOf(prog, o.Name, o.Expr.Type, words[:n]))
		words = words[n:]
	}
	return list
}

// Shared are the values of the shared variables of the program text in a state.
func Shared(prog *step.Program, s []int64) []Value {
	var list []Value
	for _, v := range prog.Shared {
		if v.Temp || v.Life || v.Quiet || v.Rounds || isTally(prog, v) {
			continue
		}
		x := valueOf(prog, v.Called(), v.Type, s[v.Offset:v.Offset+v.Type.Words()])
		if !x.itself(prog) && !told(prog, v.Type, x.Text) {
			list = append(list, x)
		}
	}
	return list
}

// Locals are the values of the locals of a process that its next step, or one behind it, may read.
func (p *Player) Locals(s step.State, proc int) (list []Value) {
	next := p.m.StepOf(s, proc)
	if next == nil {
		return nil
	}
	live, prog := next.Template.LiveIn(next.Entry), p.m.Program
	for _, v := range next.Template.Locals {
		from, n := v.Offset, v.Type.Words()
		if v.Temp || v.Quiet || n == 0 || !slices.Contains(live[from:from+n], true) {
			continue
		}
		at := p.m.LocalBase(proc) + from
		if x := valueOf(prog, v.Called(), v.Type, s[at:at+n]); !x.itself(prog) && !told(prog, v.Type, x.Text) {
			list = append(list, x)
		}
	}
	return list
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
