package lang

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// A Word is something that an editor may offer.
type Word struct {
	Name string
	What string // keyword, type, function, method, field, member or section
	Type string // of a field; of a section, what it is for
}

// Vocabulary are the words of the language that code may begin with: statements, types and functions, sorted by name.
func Vocabulary() (list []Word) {
	for _, name := range slices.Concat(syntax.Keywords, statementWords) {
		list = append(list, Word{Name: name, What: "keyword"})
	}
	for _, name := range syntax.PlainTypes {
		list = append(list, Word{Name: name, What: "type"})
	}
	for name, form := range syntax.TypeWords {
		list = append(list, Word{Name: name, What: "type", Type: form})
	}
	for _, name := range check.Builtins {
		if name != "int" { // that is a type, too
			list = append(list, Word{Name: name, What: "function"})
		}
	}
	return sorted(list)
}

// statementWords begin statements, or go on with them, without being reserved.
var statementWords = []string{"print", "with", "once", "choose", "or", "select", "case", "default", "receive",
	"after", "send", "recv", "closed",
	"join", "spawn", "new", "op"}

// Parts are the fields and methods of a value, which may stand behind its dot, sorted by name. Of an enum they are the
// members, which stand alone.
func Parts(t *step.Type) (list []Word) {
	if t == nil {
		return nil
	}
	if t.Kind == step.Record && t.Sync == "" {
		for _, f := range t.Fields {
			list = append(list, Word{f.Name, "field", types.String(f.Type)})
		}
	}
	if t.Kind == step.Enum && t.Ref == "" {
		for _, name := range t.Names {
			list = append(list, Word{name, "member", types.String(t)})
		}
	}
	for _, name := range check.Methods(t) {
		list = append(list, Word{Name: name, What: "method"})
	}
	return sorted(list)
}

// Sections are the keys of a program with what they are for, sorted by name.
func Sections() (list []Word) {
	var s struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal([]byte(programSchema), &s); err != nil {
		panic(err) // it is part of the program, and tested
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		list = append(list, Word{name, "section", s.Properties[name].Description})
	}
	return list
}

func sorted(list []Word) []Word {
	slices.SortFunc(list, func(a, b Word) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(list, func(a, b Word) bool { return a.Name == b.Name })
}

// IsName reports whether a word can be the name of something that a program declares.
func IsName(word string) bool { return syntax.PlainName(word) && !syntax.IsKeyword(word) }

//go:embed program.schema.json
var programSchema string

// Schema is a JSON Schema (draft 7) of program files, for editors and other tools that know YAML but not this language.
// It knows the keys of a program and the words some of them take; what is code is text to it.
func Schema() string { return programSchema }
