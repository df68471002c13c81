package replay

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
)

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
