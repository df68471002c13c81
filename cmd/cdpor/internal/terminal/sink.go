package terminal

import (
	"io"
	"sync"

	"cdpor/cmd/cdpor/internal/fault"
)

// A Sink is standard output or standard error. Hidden characters are written out in what goes through it (visible.go).
// It remembers the first write that fails, so that no command need look at each of its own.
type Sink struct {
	io.Writer
	Name    string // standard output
	mu      sync.Mutex
	pending []byte // the beginning of a character
	begun   bool   // something was written
	first   error
}

func (s *Sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := p
	if len(s.pending) > 0 || !plain(p) {
		text, s.pending = shown(append(s.pending, p...))
	}
	if err := s.pass(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// pass writes text as it is.
func (s *Sink) pass(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	s.begun = true
	_, err := s.Writer.Write(text)
	if err == nil {
		return nil
	}
	if s.first == nil {
		s.first = &fault.Output{Where: s.Name, Err: err}
	}
	return s.first
}

// raw writes through a sink without changing anything.
func (s *Sink) raw() io.Writer { return rawSink{s} }

type rawSink struct{ *Sink }

func (r rawSink) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.pass(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// End writes what is left: the beginning of a character that never ended.
func (s *Sink) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) > 0 {
		s.pass([]byte(Visible(string(s.pending))))
		s.pending = nil
	}
}

// Renew begins a new result.
func (s *Sink) Renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = false
}

// Used reports whether something was written.
func (s *Sink) Used() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// Failed is the first write that failed, nil if none has.
func (s *Sink) Failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first
}
