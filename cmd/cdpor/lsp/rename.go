package lsp

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
	"unicode/utf8"

	"cdpor/lang"
	"cdpor/lang/step"
)

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

// A workspaceEdit is edits by the URI of the document.
type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type renameable struct {
	Range       span   `json:"range"`
	Placeholder string `json:"placeholder"`
}

// prepareRename is the name at a place, if it can be renamed.
func (s *server) prepareRename(d *document, at step.Pos) (*renameable, error) {
	list, err := s.toRename(d, at)
	if err != nil {
		return nil, err
	}
	here := mentionsAt(list, at)[0]
	return &renameable{d.span(here.Pos, here.End), d.between(here.Pos, here.End)}, nil
}

// toRename are the places where a name stands that can be renamed.
func (s *server) toRename(d *document, at step.Pos) ([]lang.Mention, error) {
	a := s.analyse(d)
	list := sameAs(a.mentions, at)
	switch {
	case a.about != "":
		return nil, errors.New("names are renamed in the program, not in the constraint file")
	case len(list) == 0:
		return nil, errors.New("here stands no name that can be renamed")
	case list[0].What == "thread" && list[0].Name == "main":
		return nil, errors.New("main is a section of the file")
	case a.program == nil:
		return nil, errors.New("the program has errors: correct them first, so that no place is missed")
	}
	return list, nil
}

// rename gives the thing that is named at a place another name. It refuses a name with which the program would have
// errors, or with which some name would mean something else: every mention must mean the same as before.
func (s *server) rename(d *document, at step.Pos, name string) (*workspaceEdit, error) {
	list, err := s.toRename(d, at)
	if err != nil {
		return nil, err
	}
	old := d.between(list[0].Pos, list[0].End)
	if !lang.IsName(name) {
		return nil, fmt.Errorf("%q cannot be a name: letters, digits and _, and no word of the language", name)
	}
	var edits []textEdit
	moved := mover{list: list, by: utf8.RuneCountInString(name) - utf8.RuneCountInString(old)}
	for _, m := range list {
		edits = append(edits, textEdit{d.span(m.Pos, m.End), name})
	}
	before := s.analyse(d)
	after := newDocument(d.uri, nil, d.replaced(list, name))
	src, mentions, err := lang.LoadMentions(d.path, after.text, lang.Options{})
	if err != nil {
		return nil, fmt.Errorf("with the name %s the program would be wrong: %w", name, messages(err)[0])
	}
	if !moved.same(before.mentions, mentions) {
		return nil, fmt.Errorf("%s is another thing already where %s is used", name, old)
	}
	// The step form may differ, because variables of one name share a place; else an unknown use may mean another thing
	// now.
	unknown := d.unknown(before.mentions, old)
	if unknown != 0 && normal(before.program, old, name) != normal(src.Program, old, name) {
		return nil, fmt.Errorf("what %s means on line %d is not known", old, unknown)
	}
	if path, set := s.constraintsOf(d, before.program); set != nil {
		s.show(fmt.Sprintf("%s speaks of the names before: run cdpor synth again", path))
	}
	return &workspaceEdit{map[string][]textEdit{d.uri: edits}}, nil
}

// unknown is a line where a name stands that is not mentioned, outside of comments; 0: there is none.
func (d *document) unknown(mentions []lang.Mention, name string) int {
	known := map[step.Pos]bool{}
	for _, m := range mentions {
		known[m.Pos] = true
	}
	for i, line := range d.lines {
		if at := comment().FindStringIndex(line); at != nil {
			line = line[:at[0]]
		}
		for _, at := range words().FindAllStringIndex(line, -1) {
			if line[at[0]:at[1]] == name &&
				!known[step.Pos{Line: i + 1, Col: utf8.RuneCountInString(line[:at[0]]) + 1}] {
				return i + 1
			}
		}
	}
	return 0
}

var words = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL_][\pL\pN_]*`) })

// normal is the meaning of a program, in which two names are the same.
func normal(p *step.Program, old, name string) string {
	return words().ReplaceAllStringFunc(string(lang.NormalForm(p)), func(word string) string {
		if word == name {
			return old
		}
		return word
	})
}

// A mover tells where a place is after the words at some places have become longer.
type mover struct {
	list []lang.Mention
	by   int
}

func (m mover) to(at step.Pos) step.Pos {
	col := at.Col
	for _, w := range m.list {
		if w.Pos.Line == at.Line && w.Pos.Col < at.Col {
			col += m.by
		}
	}
	return step.Pos{Line: at.Line, Col: col}
}

// same reports whether the same things are mentioned at the same places.
func (m mover) same(before, after []lang.Mention) bool {
	type key struct {
		at, decl step.Pos
		what     string
	}
	places := map[key]int{}
	for _, b := range before {
		places[key{m.to(b.Pos), m.to(b.Decl), b.What}]++
	}
	for _, a := range after {
		places[key{a.Pos, a.Decl, a.What}]--
	}
	for _, n := range places {
		if n != 0 {
			return false
		}
	}
	return true
}
