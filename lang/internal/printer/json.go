package printer

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"cdpor/lang/step"
)

// AppendJSON appends a value as JSON: numbers, truth values and null as they are, collections as lists, records and
// maps as objects. Everything else is a string, as FormatValue writes it.
func AppendJSON(b []byte, prog *step.Program, t *step.Type, words []int64) []byte {
	if len(words) < t.Words() {
		return appendText(b, "?")
	}
	if text, ok := native(prog, t, words); ok {
		return appendGo(b, text)
	}
	switch t.Kind {
	case step.Bool:
		return strconv.AppendBool(b, words[0] != 0)
	case step.Enum, step.Mutex:
		return appendText(b, FormatValue(prog, t, words))
	case step.Option:
		if words[0] == 0 {
			return append(b, "null"...)
		}
		return AppendJSON(b, prog, t.Elem, words[1:])
	case step.Record:
		members := make([]pair, len(t.Fields))
		for i, f := range t.Fields {
			members[i] = pair{f.Name, shown(t, f), words[t.FieldAt(i) : t.FieldAt(i)+f.Type.Words()]}
		}
		return appendObject(b, prog, members)
	case step.Map:
		w, k, v := t.Elem.Words(), t.Elem.Fields[0].Type, t.Elem.Fields[1].Type
		members := make([]pair, max(0, min(words[0], int64(t.Len))))
		for i := range members {
			entry := words[1+i*w : 1+(i+1)*w]
			members[i] = pair{FormatValue(prog, k, entry), v, entry[k.Words():]}
		}
		return appendObject(b, prog, members)
	case step.Sized:
		if t.Unsigned {
			return strconv.AppendUint(b, uint64(words[0]), 10)
		}
	case step.Array, step.List, step.Queue, step.Set, step.Bag:
		n, w := t.Len, t.Elem.Words()
		if t.Kind != step.Array {
			n, words = int(max(0, min(words[0], int64(t.Len)))), words[1:]
		}
		b = append(b, '[')
		for i := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendJSON(b, prog, t.Elem, words[i*w:(i+1)*w])
		}
		return append(b, ']')
	}
	return strconv.AppendInt(b, words[0], 10)
}

// A pair is a name and its value in an object of JSON.
type pair struct {
	name  string
	t     *step.Type
	words []int64
}

// appendObject appends an object in the order of its names. Of members with one name the last one stays.
func appendObject(b []byte, prog *step.Program, members []pair) []byte {
	slices.SortStableFunc(members, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	b = append(b, '{')
	for i, m := range members {
		if i+1 < len(members) && members[i+1].name == m.name {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = AppendJSON(append(appendText(b, m.name), ':'), prog, m.t, m.words)
	}
	return append(b, '}')
}

// appendGo appends a value of a Go program whose text is known.
func appendGo(b []byte, text string) []byte {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.AppendInt(b, n, 10)
	}
	if text == "true" || text == "false" {
		return append(b, text...)
	}
	if text == "nil" {
		return append(b, "null"...)
	}
	if inside, err := strconv.Unquote(text); err == nil {
		return appendText(b, inside)
	}
	return appendText(b, text)
}

// appendText appends a string. Hardly any has something to escape.
func appendText(b []byte, text string) []byte {
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			quoted, _ := json.Marshal(text) // cannot fail
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
