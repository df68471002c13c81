package lsp

import (
	"path/filepath"
	"regexp"
	"strings"

	"cdpor/lang/step"
)

// A lens is a command that an editor shows above a line.
type lens struct {
	Range   span    `json:"range"`
	Command command `json:"command"`
}

// A command is carried out by the editor, which runs cdpor with the arguments, best in a terminal; the one of
// cdpor.debug is a file for cdpor dap.
type command struct {
	Title     string   `json:"title"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// lenses are explore, and where a run has left a replay file replay and debug: above the key cdpor of a program, and
// above each test in Go.
func (s *server) lenses(d *document) []lens {
	list := []lens{}
	switch {
	case !filepath.IsAbs(d.path):
	case d.isGo():
		for i, line := range d.lines {
			if m := aTest.FindStringSubmatch(line); m != nil && strings.HasSuffix(d.path, "_test.go") {
				from := step.Pos{Line: i + 1, Col: len("func ") + 1}
				at := d.span(from, step.Pos{Line: i + 1, Col: from.Col + len([]rune(m[1]))})
				list = s.lensesAt(list, at, "explore", s.files.ReplayOfTest(d.place(), m[1]), m[1], d.place(), "--func",
					m[1])
			}
		}
	case s.files.IsProgram(d.text):
		line := 0
		for i, text := range d.lines {
			if strings.HasPrefix(text, "cdpor:") {
				line = i
				break
			}
		}
		at := span{position{Line: line}, position{line, len("cdpor")}}
		list = s.lensesAt(list, at, "run", s.files.ReplayOf(d.path), "", d.path)
	}
	return list
}

// lensesAt adds the lenses of a program or a test, which run with some arguments.
func (s *server) lensesAt(list []lens, at span, title, replay, name string, arguments ...string) []lens {
	run := append([]string{"run"}, append(arguments, "--save", replay)...)
	if s.files.Runs != "" {
		run = append(run, "--sarif", s.logOf(arguments[0], name))
	}
	list = append(list, lens{at, command{title, "cdpor.run", run}})
	if _, err := s.files.Read(replay); err == nil {
		list = append(list, lens{at, command{"replay", "cdpor.replay", []string{"run", replay}}},
			lens{at, command{"debug", "cdpor.debug", []string{replay}}})
	}
	return list
}

// aTest is the first line of a function that go test takes for a test.
var aTest = regexp.MustCompile(`^func (Test(?:[\p{Lu}\p{N}_][\p{L}\p{N}_]*)?)\([\p{L}_]+ \*testing\.T\)`)
