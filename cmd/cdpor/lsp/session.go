package lsp

import (
	"fmt"
	"maps"
	"slices"

	"cdpor/lang"
)

type state int

const (
	starting state = iota
	running
	shutDown
)

// A server is the session with an editor.
type server struct {
	version  string
	files    Files
	out      *writer
	state    state
	markdown bool                      // in hovers
	nested   bool                      // symbols inside of others
	open     map[string]*document      // by URI
	stale    map[string]bool           // URIs of documents whose diagnostics are to be published
	last     map[string][]lang.Mention // by URI, of the last text in which something was understood

	refreshes bool // the editor asks for lenses again when it is told to
	asked     int  // requests of the server
}

// log sends a message to the log of the editor.
func (s *server) log(text string) {
	s.out.notify("window/logMessage", map[string]any{"type": severityError, "message": text})
}

// show sends a message to the user.
func (s *server) show(text string) {
	s.out.notify("window/showMessage", map[string]any{"type": severityWarning, "message": text})
}

// change puts a document in the place of the one before.
func (s *server) change(d *document) {
	d.runs = s.runsOf(d.place())
	s.open[d.uri] = d
	s.stale[d.uri] = true
	s.forget()
}

// forget drops what is known: a text may be about another one.
func (s *server) forget() {
	for _, d := range s.open {
		d.analysis = nil
		if s.files.IsConstraintFile(d.text) {
			s.stale[d.uri] = true
		}
	}
}

// publishOne publishes the diagnostics of one document that has changed.
func (s *server) publishOne() {
	uri := slices.Min(slices.Collect(maps.Keys(s.stale)))
	delete(s.stale, uri)
	d := s.open[uri]
	defer func() {
		if p := recover(); p != nil {
			s.log(fmt.Sprintf("internal error of cdpor: %v", p))
		}
	}()
	s.publish(d, s.diagnostics(d))
}

func (s *server) publish(d *document, list []diagnostic) {
	params := map[string]any{"uri": d.uri, "diagnostics": list}
	if d.version != nil {
		params["version"] = *d.version
	}
	s.out.notify("textDocument/publishDiagnostics", params)
}
