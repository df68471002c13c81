package types

import (
	"fmt"
	"strings"

	"cdpor/lang/step"
)

// KindWord is the name of a type in messages.
func KindWord(t *step.Type) string {
	if t.Ref != "" {
		return "a reference"
	}
	switch t.Kind {
	case step.Array:
		return "an array"
	case step.List:
		return "a list"
	case step.Queue:
		return "a queue"
	case step.Option:
		return "an optional value"
	case step.Mutex:
		return "a mutex"
	case step.Bool:
		return "a bool"
	case step.Enum:
		return "an enum"
	case step.Record:
		return "a record"
	case step.Set:
		return "a set"
	case step.Bag:
		return "a bag"
	case step.Map:
		return "a map"
	}
	return "an integer"
}

// String is a type in source syntax.
func String(t *step.Type) string {
	if t.Name != "" {
		return t.Name
	}
	return Structure(t)
}

// Structure is a type in source syntax without declared names.
func Structure(t *step.Type) string {
	if t.Ref != "" {
		return t.Ref
	}
	switch t.Kind {
	case step.Int:
		return "int"
	case step.Range:
		return fmt.Sprintf("%d..%d", t.Lo, t.Hi)
	case step.Bool:
		return "bool"
	case step.Enum:
		return "enum [" + strings.Join(t.Names, ", ") + "]"
	case step.Array:
		return fmt.Sprintf("array[%d] %s", t.Len, Structure(t.Elem))
	case step.List:
		return fmt.Sprintf("list[%s, %d]", Structure(t.Elem), t.Len)
	case step.Queue:
		return fmt.Sprintf("queue[%s, %d]", Structure(t.Elem), t.Len)
	case step.Set:
		return fmt.Sprintf("set[%s, %d]", Structure(t.Elem), t.Len)
	case step.Bag:
		return fmt.Sprintf("bag[%s, %d]", Structure(t.Elem), t.Len)
	case step.Map:
		return fmt.Sprintf("map[%s, %s, %d]", Structure(t.Elem.Fields[0].Type), Structure(t.Elem.Fields[1].Type), t.Len)
	case step.Sized:
		word := "int"
		if t.Unsigned {
			word = "uint"
		}
		return fmt.Sprint(word, t.Bits)
	case step.Record:
		if t.Sync != "" {
			return syncString(t)
		}
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + " " + Structure(f.Type)
		}
		return "record {" + strings.Join(parts, ", ") + "}"
	case step.Option:
		if t.Elem.Kind == step.Array || t.Elem.Kind == step.Range {
			return "(" + Structure(t.Elem) + ")?"
		}
		return Structure(t.Elem) + "?"
	}
	return "mutex"
}

// syncString is a primitive's type in source syntax.
func syncString(t *step.Type) string {
	switch {
	case t.Sync == "sem" || t.Sync == "barrier":
		return fmt.Sprintf("%s(%d)", t.Sync, t.Len)
	case t.Sync == "cond" && t.Len == 1:
		return "cond(spurious)"
	case t.Sync == "chan" && t.Len > 0:
		return fmt.Sprintf("chan[%s, %d]", Structure(t.Elem), t.Len)
	case t.Sync == "chan":
		return fmt.Sprintf("chan[%s]", Structure(t.Elem))
	}
	return t.Sync
}

// FutureOf names futures by the type of the result; nil is none.
func FutureOf(result *step.Type) string {
	if result == nil {
		return ""
	}
	return Structure(result)
}
