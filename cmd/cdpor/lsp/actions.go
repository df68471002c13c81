package lsp

import (
	"slices"
	"strings"

	"cdpor/lang"
)

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics"`
	IsPreferred bool           `json:"isPreferred"`
	Edit        *workspaceEdit `json:"edit"`
}

// actions are the quick fixes for the messages about the lines of a part of a text: those that have an edit.
func (s *server) actions(d *document, part span, only []string) []codeAction {
	list := []codeAction{}
	if len(only) > 0 && !within(only, "quickfix") {
		return list
	}
	for _, m := range s.analyse(d).messages {
		e := m.Edit
		if e == nil || m.File != nil && m.File.Name != d.path {
			continue
		}
		about := diagnosticOf(d, m)
		if about.Range.End.Line < part.Start.Line || part.End.Line < about.Range.Start.Line {
			continue
		}
		edit := textEdit{span{d.position(e.Pos), d.position(e.End)}, e.Text}
		list = append(list, codeAction{Title: titleOf(m), Kind: "quickfix", Diagnostics: []diagnostic{about},
			IsPreferred: true, Edit: &workspaceEdit{map[string][]textEdit{d.uri: {edit}}}})
	}
	return list
}

// titleOf says in one line what an edit does.
func titleOf(m *lang.Error) string {
	e := m.Edit
	if e.Pos == e.End {
		return "insert " + strings.TrimSpace(e.Text)
	}
	return "write " + e.Text
}

// within reports whether a kind of action is one of some, or of one of their subkinds.
func within(kinds []string, kind string) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { return k == kind || k == "" })
}
