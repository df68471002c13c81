package lsp

import (
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
