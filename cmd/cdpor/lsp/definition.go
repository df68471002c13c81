package lsp

import (
	"regexp"
	"sync"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

// definition is where the name at a place is declared; from a constraint file, the step in the program, or where the
// file itself defines the name of a condition. nil if that is unknown.
func (s *server) definition(d *document, at step.Pos) *location {
	a := s.analyse(d)
	if a.about != "" {
		if named, _ := definitionAt(d, at, a.set); named != nil {
			return &location{d.uri, d.span(named.Head,
				step.Pos{Line: named.Head.Line, Col: named.Head.Col + len(named.Name)})}
		}
		st, _ := stepAt(d, at, a.program)
		p := s.load(a.about)
		if st == nil || p == nil {
			return nil
		}
		return &location{p.uri, p.span(st.Pos, step.Pos{})}
	}
	for _, m := range mentionsAt(a.mentions, at) {
		if m.Decl != (step.Pos{}) {
			end := m.Decl
			if m.What != "member" { // that is declared with its type
				end.Col += m.End.Col - m.Pos.Col
			}
			return &location{d.uri, d.span(m.Decl, end)}
		}
	}
	return nil
}

var stepName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL_][\pL\pN_]*(\.[\pL\pN_]+)+`) })

// stepAt is the step that a constraint file names at a place, and where its name begins; nil if there is none.
func stepAt(d *document, at step.Pos, prog *step.Program) (*step.Step, step.Pos) {
	if prog == nil {
		return nil, step.Pos{}
	}
	name, from := d.wordAt(at, stepName())
	for _, t := range prog.Templates {
		for _, st := range t.Steps {
			if st.Name() == name {
				return st, from
			}
		}
	}
	return nil, step.Pos{}
}

var conditionName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`) })

// definitionAt finds the definition of a constraint file whose name stands at a place, and where the name begins; nil
// if there is none.
func definitionAt(d *document, at step.Pos, set *constraints.Set) (*lang.Definition, step.Pos) {
	if set == nil {
		return nil, step.Pos{}
	}
	name, from := d.wordAt(at, conditionName())
	for _, named := range set.Definitions {
		if named.Name == name {
			return named, from
		}
	}
	return nil, step.Pos{}
}
