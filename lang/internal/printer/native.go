package printer

import (
	"fmt"
	"strings"

	"cdpor/lang/step"
)

// Primitives of Go: what is in a channel and who holds a lock, in place of the words that say so.

// native is a value in words of the front end, or the value of a primitive of Go; ok is false for any other.
func native(prog *step.Program, t *step.Type, words []int64) (text string, ok bool) {
	if prog != nil && prog.Text != nil {
		if text, ok = prog.Text(t, words); ok {
			return text, true
		}
	}
	if prog == nil || !prog.Native() {
		return "", false
	}
	who := func(k int64) string { return prog.Procs[k-1].Called() }
	field := func(name string) []int64 {
		for i, f := range t.Fields {
			if f.Name == name {
				return words[t.FieldAt(i) : t.FieldAt(i)+f.Type.Words()]
			}
		}
		return nil
	}
	switch t.Sync {
	case "waitgroup":
		return fmt.Sprint(field("count")[0]), true
	case "rwlock":
		var list []string
		if w := field("writer")[0]; w > 0 {
			list = append(list, "held by "+who(w))
		}
		for k, n := range field("readers") {
			if n > 0 {
				list = append(list, "read by "+prog.Procs[k].Called())
			}
		}
		if list == nil {
			return "free", true
		}
		return strings.Join(list, ", "), true
	case "chan":
		return channel(prog, t, field), true
	case "":
		if t.Kind == step.Record && len(t.Fields) > 0 && prog.Text != nil {
			return record(prog, t, words), true
		}
	}
	return "", false
}

// record shows the fields of a struct that have values of their own.
func record(prog *step.Program, t *step.Type, words []int64) string {
	var list []string
	for i, f := range t.Fields {
		text := FormatValue(prog, f.Type, words[t.FieldAt(i):t.FieldAt(i)+f.Type.Words()])
		if !Handle(f.Type, text) {
			list = append(list, f.Name+": "+text)
		}
	}
	if t.Name == "Once" && len(t.Fields) == 2 && t.Fields[1].Name == "done" { // of the library
		return map[bool]string{true: "done", false: "not done"}[words[t.FieldAt(1)] != 0]
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// Handle reports whether a value of a Go program is a function, a channel, a map, or what the library has made: what is
// done with it matters, not which it is. So does an array of them.
func Handle(t *step.Type, text string) bool {
	if t.Kind == step.Array {
		return Handle(t.Elem, text) && !strings.Contains(text, "&") && !strings.Contains(text, "nil")
	}
	return t.Name == step.Reference && text != "nil" && !strings.HasPrefix(text, "&")
}

// channel shows the contents of a channel: values in its buffer, or that of a sender that waits.
func channel(prog *step.Program, t *step.Type, field func(string) []int64) string {
	text := ""
	if buf := field("buf"); buf != nil {
		var list []string
		for i := range int(max(0, min(buf[0], int64(t.Len)))) {
			list = append(list, FormatValue(prog, t.Elem, buf[1+i*t.Elem.Words():1+(i+1)*t.Elem.Words()]))
		}
		text = fmt.Sprintf("[%s]", strings.Join(list, ", "))
	} else if s := field("sender")[0]; s > 0 {
		text = fmt.Sprintf("[%s] from %s", FormatValue(prog, t.Elem, field("value")), prog.Procs[s-1].Called())
	}
	switch {
	case field("closed")[0] == 0 && text == "":
		return "empty"
	case field("closed")[0] == 0:
		return text
	case text == "" || text == "[]":
		return "closed"
	}
	return text + " closed"
}
