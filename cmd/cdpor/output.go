package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"syscall"
)

// An outputError says that something could not be written: the disk is full, or whoever read a pipe has gone.
type outputError struct {
	where string // a path, or standard output
	err   error
}

func (e *outputError) Error() string {
	why := e.err
	var at *fs.PathError
	if errors.As(why, &at) {
		why = at.Err
	}
	if errors.Is(why, syscall.EPIPE) {
		return fmt.Sprintf("%s was closed before everything was written", e.where)
	}
	return fmt.Sprintf("cannot write to %s: %v", e.where, why)
}

func (e *outputError) Unwrap() error { return e.err }

// A sink is standard output. It remembers the first write that fails, so that no command need look at each of its own.
type sink struct {
	io.Writer
	mu    sync.Mutex
	first error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err == nil {
		return n, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil {
		s.first = &outputError{"standard output", err}
	}
	return n, s.first
}

// failed is the first write that failed, nil if none has.
func (s *sink) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first
}
