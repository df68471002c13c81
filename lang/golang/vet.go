package golang

import (
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

// Entries are the functions of the packages that one can begin with: main and the tests, or what Program may be asked
// for.
func (s *Set) Entries() []string { return s.of.Entries() }

// Folders are those of the packages that were loaded, the library aside, as one writes them from here.
func (s *Set) Folders() []string { return s.of.Folders() }

// An Entry is a function that one can begin with, in the package of a folder; empty: in the only one.
type Entry = source.Entry

// Chosen are the functions that are meant: main, or else all tests; or those of some names with | between them.
func (s *Set) Chosen(functions string) []Entry { return s.of.Chosen(functions) }

// Vet says which of the entries can be explored, and what is in the way of the others.
func (s *Set) Vet(opt Options) (supported []string, obstacles []Obstacle) {
	for _, name := range s.Entries() {
		opt.Func = name
		_, err := s.program("", opt)
		if err == nil {
			supported = append(supported, name)
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
			obstacles[k].Entries = append(obstacles[k].Entries, name)
		}
	}
	return supported, obstacles
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
