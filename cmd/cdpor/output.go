package main

import (
	"io"
	"sync"

	"cdpor/cmd/cdpor/internal/fault"
)

// A sink is standard output or standard error. Hidden characters are written out in what goes through it (visible.go). It
// remembers the first write that fails, so that no command need look at each of its own.
type sink struct {
	io.Writer
	name    string // standard output
	mu      sync.Mutex
	pending []byte // the beginning of a character
	begun   bool   // something was written
	first   error
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, rest := shown(append(s.pending, p...))
	s.pending = rest
	if err := s.pass(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// pass writes text as it is.
func (s *sink) pass(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	s.begun = true
	_, err := s.Writer.Write(text)
	if err == nil {
		return nil
	}
	if s.first == nil {
		s.first = &fault.Output{Where: s.name, Err: err}
	}
	return s.first
}

// raw writes through a sink without changing anything.
func (s *sink) raw() io.Writer { return rawSink{s} }

type rawSink struct{ *sink }

func (r rawSink) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.pass(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// end writes what is left: the beginning of a character that never ended.
func (s *sink) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) > 0 {
		s.pass([]byte(visible(string(s.pending))))
		s.pending = nil
	}
}

// renew begins a new result.
func (s *sink) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = false
}

// used reports whether something was written.
func (s *sink) used() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// failed is the first write that failed, nil if none has.
func (s *sink) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first
}
