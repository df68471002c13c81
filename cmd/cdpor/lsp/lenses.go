package lsp

import (
	"path/filepath"
	"strings"
)

// A lens is a command that an editor shows above a line.
type lens struct {
	Range   span    `json:"range"`
	Command command `json:"command"`
}

// A command is carried out by the editor, which runs cdpor with the arguments, best in a terminal.
type command struct {
	Title     string   `json:"title"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// lenses are run, above the key cdpor of a program, and replay, if a run has left a replay file beside it.
func (s *server) lenses(d *document) []lens {
	list := []lens{}
	if !s.files.IsProgram(d.text) || !filepath.IsAbs(d.path) {
		return list
	}
	line := 0
	for i, text := range d.lines {
		if strings.HasPrefix(text, "cdpor:") {
			line = i
			break
		}
	}
	at := span{position{Line: line}, position{line, len("cdpor")}}
	replay := s.files.ReplayOf(d.path)
	list = append(list, lens{at, command{"run", "cdpor.run", []string{"run", d.path, "--save", replay}}})
	if _, err := s.files.Read(replay); err == nil {
		list = append(list, lens{at, command{"replay", "cdpor.replay", []string{"run", replay}}})
	}
	return list
}
