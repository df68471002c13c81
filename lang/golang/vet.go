package golang

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"

	"cdpor/lang/golang/internal/source"
)

// An Obstacle is something that is not supported where a program can get to it.
type Obstacle struct {
	File      string // empty if it has no place
	Line, Col int
	Message   string
	Entries   []string // the functions that get there
}

// Entries are the functions of the packages that one can begin with: main and the tests.
func (s *Set) Entries() []Entry { return s.of.Entries() }

// Folders are the folders of the packages that were loaded, the library aside, relative to this one.
func (s *Set) Folders() []string { return s.of.Folders() }

// An Entry is a function that one can begin with, in the package of a folder; empty: in the one that was named.
type Entry = source.Entry

// Chosen are the functions that are meant: main, or else all tests; or those that a pattern names, as go test -run
// takes it. A name that a function has means that one alone.
func (s *Set) Chosen(functions string) ([]Entry, error) { return s.of.Chosen(functions) }

// A Refusal says why a package does not load, one place a line.
type Refusal = source.Refusal

// Refused are the packages that do not load.
func (s *Set) Refused() []Refusal { return s.of.Refused() }

// Vet says which of the entries can be explored, and what is in the way of the others.
func (s *Set) Vet(ctx context.Context, opt Options) (supported []Entry, obstacles []Obstacle, err error) {
	for _, e := range s.Entries() {
		opt.Func = e.Func
		_, err := s.program(ctx, e.Folder, opt)
		switch {
		case ctx.Err() != nil:
			return nil, nil, err
		case err == nil:
			supported = append(supported, e)
			continue
		}
		lines := source.Error{err.Error()}
		errors.As(err, &lines)
		for _, line := range lines {
			o := obstacle(line)
			k := slices.IndexFunc(obstacles, func(p Obstacle) bool {
				return p.File == o.File && p.Line == o.Line && p.Col == o.Col && p.Message == o.Message
			})
			if k < 0 {
				k = len(obstacles)
				obstacles = append(obstacles, o)
			}
			obstacles[k].Entries = append(obstacles[k].Entries, e.Func)
		}
	}
	return supported, obstacles, nil
}

var placed = regexp.MustCompile(`(?s)^([^:\n]+\.go):(\d+):(\d+): (.*)$`)

func obstacle(line string) Obstacle {
	m := placed.FindStringSubmatch(line)
	if m == nil {
		return Obstacle{Message: line}
	}
	at, _ := strconv.Atoi(m[2])
	col, _ := strconv.Atoi(m[3])
	return Obstacle{File: m[1], Line: at, Col: col, Message: m[4]}
}
