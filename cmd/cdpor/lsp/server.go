package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"cdpor/lang"
)

// ErrNoShutdown means that the editor has gone without taking its leave.
var ErrNoShutdown = errors.New("the connection ended without shutdown and exit")

// readAhead is the number of messages that wait while one is answered. That several wait says that it is too early to
// analyse.
const readAhead = 256

// Serve talks to an editor until it says exit or the context is done. The error is ErrNoShutdown, or one of the
// streams; what an editor asks wrongly is answered, and is no error.
func Serve(ctx context.Context, in io.Reader, out io.Writer, version string, files Files) error {
	s := &server{version: version, files: files, out: &writer{w: out}, open: map[string]*document{},
		stale: map[string]bool{},
		last:  map[string][]lang.Mention{}}
	type result struct {
		m   *message
		err error
	}
	arrived := make(chan result, readAhead)
	go func() { // reading cannot be interrupted
		r := bufio.NewReader(in)
		for {
			m, err := read(r)
			var bad badMessage
			select {
			case arrived <- result{m, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.As(err, &bad) {
				return
			}
		}
	}()
	clock := time.NewTicker(look)
	defer clock.Stop()
	for s.out.err == nil {
		var next result
		select {
		case <-ctx.Done():
			return ErrNoShutdown
		case next = <-arrived:
		default: // nothing to do: time for what can wait
			if len(s.stale) > 0 {
				s.publishOne()
				continue
			}
			select {
			case <-ctx.Done():
				return ErrNoShutdown
			case <-clock.C:
				s.lookAtRuns()
				continue
			case next = <-arrived:
			}
		}
		var bad badMessage
		switch {
		case errors.As(next.err, &bad):
			s.out.respond(nil, nil, &responseError{parseError, "not a message: " + bad.Error()})
		case errors.Is(next.err, io.EOF) && s.state == shutDown:
			return nil
		case errors.Is(next.err, io.EOF):
			return ErrNoShutdown
		case next.err != nil:
			return next.err
		case next.m.Method == "exit" && s.state == shutDown:
			return nil
		case next.m.Method == "exit":
			return ErrNoShutdown
		default:
			s.handle(next.m)
		}
	}
	return s.out.err
}

// handle answers a message. It is a border that no panic crosses: an editor goes on after one.
func (s *server) handle(m *message) {
	var result any
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = &responseError{internalError, fmt.Sprintf("internal error of cdpor: %v", p)}
			}
		}()
		result, err = s.dispatch(m)
		return err
	}()
	var failure *responseError
	if err != nil && !errors.As(err, &failure) {
		failure = &responseError{invalidParams, err.Error()}
	}
	if m.isRequest() && m.Method != "" {
		s.out.respond(m.ID, result, failure)
	} else if failure != nil && failure.Code != serverNotInitialized {
		s.log(failure.Message)
	}
}

// A question is the parameters of a request about a document, as far as the request has them.
type question struct {
	TextDocument struct{ URI string }
	Position     position
	Range        span
	NewName      string
	Context      struct {
		IncludeDeclaration bool
		Only               []string
	}
}

// answers are the features, by the requests that ask for them. What there is nothing to say about is null.
var answers = map[string]func(s *server, d *document, q *question) (any, error){
	"textDocument/hover": func(s *server, d *document, q *question) (any, error) {
		return orNull(s.hover(d, d.pos(q.Position))), nil
	},
	"textDocument/definition": func(s *server, d *document, q *question) (any, error) {
		return orNull(s.definition(d, d.pos(q.Position))), nil
	},
	"textDocument/references": func(s *server, d *document, q *question) (any, error) {
		return s.references(d, d.pos(q.Position), q.Context.IncludeDeclaration), nil
	},
	"textDocument/prepareRename": func(s *server, d *document, q *question) (any, error) {
		return s.prepareRename(d, d.pos(q.Position))
	},
	"textDocument/rename": func(s *server, d *document, q *question) (any, error) {
		return s.rename(d, d.pos(q.Position), q.NewName)
	},
	"textDocument/completion": func(s *server, d *document, q *question) (any, error) {
		return s.completions(d, d.pos(q.Position)), nil
	},
	"textDocument/codeAction": func(s *server, d *document, q *question) (any, error) {
		return s.actions(d, q.Range, q.Context.Only), nil
	},
	"textDocument/codeLens":   func(s *server, d *document, _ *question) (any, error) { return s.lenses(d), nil },
	"textDocument/formatting": func(s *server, d *document, _ *question) (any, error) { return s.formatting(d) },
	"textDocument/documentSymbol": func(s *server, d *document, _ *question) (any, error) {
		if !s.nested {
			return flat(d, "", s.symbols(d)), nil
		}
		return s.symbols(d), nil
	},
}

// orNull is null for what is nothing.
func orNull[T any](v *T) any {
	if v == nil {
		return nil
	}
	return v
}

func (s *server) dispatch(m *message) (result any, err error) {
	switch {
	case m.Method == "":
		return nil, nil // a response: nothing was asked
	case s.state == starting && m.Method != "initialize":
		return nil, &responseError{serverNotInitialized, "initialize comes first"}
	case s.state == shutDown:
		return nil, &responseError{invalidRequest, "the server has been shut down"}
	}
	switch m.Method {
	case "initialize":
		return s.initialize(m.Params)
	case "initialized":
	case "shutdown":
		s.state = shutDown
	case "textDocument/didOpen":
		var p struct {
			TextDocument struct {
				URI     string
				Version *int
				Text    string
			}
		}
		if err := decode(m.Params, &p); err != nil {
			return nil, err
		}
		s.change(newDocument(p.TextDocument.URI, p.TextDocument.Version, p.TextDocument.Text))
	case "textDocument/didChange":
		return nil, s.didChange(m.Params)
	case "textDocument/didSave":
		d, err := s.document(m.Params)
		if err != nil {
			return nil, err
		}
		s.change(d) // a file that it belongs to may have changed as well
	case "textDocument/didClose":
		d, err := s.document(m.Params)
		if err != nil {
			return nil, err
		}
		delete(s.open, d.uri)
		delete(s.stale, d.uri)
		delete(s.last, d.uri)
		s.forget()
		s.publish(d, []diagnostic{})
	default:
		if answer := answers[m.Method]; answer != nil {
			var q question
			if err := decode(m.Params, &q); err != nil {
				return nil, err
			}
			d, err := s.document(m.Params)
			if err != nil {
				return nil, err
			}
			if d.isGo() && m.Method != "textDocument/codeLens" {
				return nil, nil // which the server of Go answers
			}
			return answer(s, d, &q)
		}
		if m.isRequest() {
			return nil, &responseError{methodNotFound, "cdpor has no " + m.Method}
		}
	}
	return nil, nil
}

func (s *server) initialize(params json.RawMessage) (any, error) {
	if s.state != starting {
		return nil, &responseError{invalidRequest, "initialize came already"}
	}
	var p struct {
		Capabilities struct {
			TextDocument struct {
				Hover          struct{ ContentFormat []string }
				DocumentSymbol struct{ HierarchicalDocumentSymbolSupport bool }
				Rename         struct{ PrepareSupport bool }
			}
			Workspace struct {
				CodeLens struct{ RefreshSupport bool }
			}
		}
	}
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	s.refreshes = p.Capabilities.Workspace.CodeLens.RefreshSupport
	s.markdown = slices.Contains(p.Capabilities.TextDocument.Hover.ContentFormat, "markdown")
	s.nested = p.Capabilities.TextDocument.DocumentSymbol.HierarchicalDocumentSymbolSupport
	var rename any = true
	if p.Capabilities.TextDocument.Rename.PrepareSupport {
		rename = map[string]any{"prepareProvider": true}
	}
	s.state = running
	const wholeText = 1
	return map[string]any{
		"capabilities": map[string]any{
			"positionEncoding":   "utf-16",
			"textDocumentSync":   map[string]any{"openClose": true, "change": wholeText, "save": true},
			"hoverProvider":      true,
			"definitionProvider": true,
			"referencesProvider": true,
			"renameProvider":     rename,
			"completionProvider": map[string]any{"triggerCharacters": []string{"."}},
			"codeActionProvider": map[string]any{"codeActionKinds": []string{"quickfix"}},
			"codeLensProvider":   map[string]any{},

			"documentSymbolProvider":     true,
			"documentFormattingProvider": true,
		},
		"serverInfo": map[string]any{"name": "cdpor", "version": s.version},
	}, nil
}

func (s *server) didChange(params json.RawMessage) error {
	var p struct {
		TextDocument struct {
			URI     string
			Version *int
		}
		ContentChanges []struct {
			Range *span
			Text  string
		}
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	if s.open[p.TextDocument.URI] == nil {
		return fmt.Errorf("%s is not open", p.TextDocument.URI)
	}
	for _, c := range p.ContentChanges {
		if c.Range != nil {
			return errors.New("a change of a part of the text, but the server asked for the whole")
		}
		s.change(newDocument(p.TextDocument.URI, p.TextDocument.Version, c.Text))
	}
	return nil
}

// document finds the open document that a message is about.
func (s *server) document(params json.RawMessage) (*document, error) {
	var q question
	if err := decode(params, &q); err != nil {
		return nil, err
	}
	d := s.open[q.TextDocument.URI]
	if d == nil {
		return nil, fmt.Errorf("%s is not open", q.TextDocument.URI)
	}
	return d, nil
}

func decode(params json.RawMessage, to any) error {
	if len(params) == 0 {
		return errors.New("the parameters are missing")
	}
	return json.Unmarshal(params, to)
}
