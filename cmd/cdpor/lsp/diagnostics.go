package lsp

import (
	"slices"
	"strings"

	"cdpor/lang"
)

type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code,omitempty"`
	Source   string `json:"source"`
	Message  string `json:"message"`
	// Related, of what a run has found: the steps that lead to it.
	Related []related `json:"relatedInformation,omitempty"`
}

// Severities of the protocol.
const (
	severityError = iota + 1
	severityWarning
	severityInformation
)

// diagnostics are the errors of a text, or else the remarks of cdpor vet, and what the last runs have found.
func (s *server) diagnostics(d *document) []diagnostic {
	list := []diagnostic{} // empty is not the same as nothing: it takes back what was said before
	for _, m := range s.analyse(d).messages {
		if m.File != nil && m.File.Name != d.path {
			continue
		}
		list = append(list, diagnosticOf(d, m))
	}
	return append(list, s.found(d)...)
}

func diagnosticOf(d *document, m *lang.Error) diagnostic {
	return diagnostic{Range: d.span(m.Pos, m.End), Severity: severityOf(m), Code: m.Code, Source: "cdpor",
		Message: wording(m)}
}

func severityOf(m *lang.Error) int {
	switch {
	case strings.HasPrefix(m.Msg, "note: "):
		return severityInformation
	case m.Severity() == "warning":
		return severityWarning
	}
	return severityError
}

func wording(m *lang.Error) string {
	if m.Hint == "" {
		return m.Msg
	}
	return m.Msg + "\n" + m.Hint
}

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
