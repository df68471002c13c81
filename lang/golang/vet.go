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

// An Entry is a function that one can begin with, in the package of a folder; empty: in the one that was named.
type Entry = source.Entry

// A Refusal says why a package does not load, one place a line.
type Refusal = source.Refusal

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
