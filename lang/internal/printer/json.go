package printer

import (
	"encoding/json"
	"strconv"

	"cdpor/lang/step"
)

// ValueJSON is a value as JSON: numbers, truth values and null as they are, collections as lists, records and maps as
// objects. Everything else is a string, as FormatValue writes it.
func ValueJSON(prog *step.Program, t *step.Type, words []int64) string {
	return string(appendJSON(nil, prog, t, words))
}

func appendJSON(b []byte, prog *step.Program, t *step.Type, words []int64) []byte {
	if len(words) < t.Words() {
		return appendString(b, "?")
	}
	if prog != nil && prog.Text != nil {
		if text, ok := prog.Text(t, words); ok {
			return appendGo(b, text)
		}
	}
	if prog != nil && prog.Native() {
		if text, ok := native(prog, t, words); ok {
			return appendGo(b, text)
		}
	}
	switch t.Kind {
	case step.Bool:
		return strconv.AppendBool(b, words[0] != 0)
	case step.Enum, step.Mutex:
		return appendString(b, FormatValue(prog, t, words))
	case step.Option:
		if words[0] == 0 {
			return append(b, "null"...)
		}
		return appendJSON(b, prog, t.Elem, words[1:])
	case step.Record:
		b = append(b, '{')
		for i, f := range t.Fields {
			b = append(appendString(separated(b, i), f.Name), ": "...)
			from := t.FieldAt(i)
			b = appendJSON(b, prog, shown(t, f), words[from:from+f.Type.Words()])
		}
		return append(b, '}')
	case step.Map:
		w, k, v := t.Elem.Words(), t.Elem.Fields[0].Type, t.Elem.Fields[1].Type
		b = append(b, '{')
		for i := range int(max(0, min(words[0], int64(t.Len)))) {
			entry := words[1+i*w : 1+(i+1)*w]
			b = append(appendString(separated(b, i), FormatValue(prog, k, entry)), ": "...)
			b = appendJSON(b, prog, v, entry[k.Words():])
		}
		return append(b, '}')
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
			b = appendJSON(separated(b, i), prog, t.Elem, words[i*w:(i+1)*w])
		}
		return append(b, ']')
	}
	return strconv.AppendInt(b, words[0], 10)
}

// separated appends what stands before an element.
func separated(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ", "...)
	}
	return b
}

// appendGo appends a value of a Go program, of which the text is known.
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
		text = inside
	}
	return appendString(b, text)
}

func appendString(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // cannot fail
	return append(b, quoted...)
}
