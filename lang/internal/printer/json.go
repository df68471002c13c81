package printer

import (
	"encoding/json"
	"strconv"

	"cdpor/lang/step"
)

// ValueJSON is a value as JSON: numbers, truth values and null as they are, collections as lists, records and maps as
// objects. Everything else is a string, as FormatValue writes it.
func ValueJSON(prog *step.Program, t *step.Type, words []int64) string {
	text, _ := json.Marshal(plain(prog, t, words)) // cannot fail
	return string(text)
}

// plain is a value in the types that package json knows.
func plain(prog *step.Program, t *step.Type, words []int64) any {
	if len(words) < t.Words() {
		return "?"
	}
	if text, ok := native(prog, t, words); ok {
		return plainGo(text)
	}
	switch t.Kind {
	case step.Bool:
		return words[0] != 0
	case step.Enum, step.Mutex:
		return FormatValue(prog, t, words)
	case step.Option:
		if words[0] == 0 {
			return nil
		}
		return plain(prog, t.Elem, words[1:])
	case step.Record:
		out := map[string]any{}
		for i, f := range t.Fields {
			out[f.Name] = plain(prog, shown(t, f), words[t.FieldAt(i):t.FieldAt(i)+f.Type.Words()])
		}
		return out
	case step.Map:
		out := map[string]any{}
		w, k, v := t.Elem.Words(), t.Elem.Fields[0].Type, t.Elem.Fields[1].Type
		for i := range int(max(0, min(words[0], int64(t.Len)))) {
			entry := words[1+i*w : 1+(i+1)*w]
			out[FormatValue(prog, k, entry)] = plain(prog, v, entry[k.Words():])
		}
		return out
	case step.Sized:
		if t.Unsigned {
			return uint64(words[0])
		}
	case step.Array, step.List, step.Queue, step.Set, step.Bag:
		n, w, out := t.Len, t.Elem.Words(), []any{}
		if t.Kind != step.Array {
			n, words = int(max(0, min(words[0], int64(t.Len)))), words[1:]
		}
		for i := range n {
			out = append(out, plain(prog, t.Elem, words[i*w:(i+1)*w]))
		}
		return out
	}
	return words[0]
}

// plainGo is a value of a Go program whose text is known.
func plainGo(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if text == "true" || text == "false" {
		return text == "true"
	}
	if text == "nil" {
		return nil
	}
	if inside, err := strconv.Unquote(text); err == nil {
		return inside
	}
	return text
}
