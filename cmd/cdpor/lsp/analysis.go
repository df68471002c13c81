package lsp

import (
	"errors"
	"fmt"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

// Files says how the files of a user belong together.
type Files struct {
	IsProgram        func(text []byte) bool
	IsConstraintFile func(text []byte) bool
	ConstraintsOf    func(program string) string              // the constraint file beside a program
	ProgramOf        func(constraints string) (string, error) // the program beside a constraint file
	ReplayOf         func(program string) string              // the replay file beside a program
	ReplayOfTest     func(folder, test string) string         // the replay file of a Go test
	Runs             string                                   // the folder where runs leave what they find, or empty
	Read             func(path string) ([]byte, error)
	Format           func(path string, text []byte) ([]byte, error)
}

// An analysis has the result of the front end for a text.
type analysis struct {
	messages lang.ErrorList // errors, or else remarks
	mentions []lang.Mention // of a program
	program  *step.Program  // of a program or a constraint file; nil after errors in the program
	about    string         // of a constraint file: the path of its program
	set      *constraints.Set
}

// analyse returns what is known about a document.
func (s *server) analyse(d *document) *analysis {
	if d.analysis == nil {
		d.analysis = &analysis{} // also if the front end panics
		switch {
		case s.files.IsConstraintFile(d.text):
			d.analysis = s.constraintFile(d)
		case s.files.IsProgram(d.text):
			d.analysis = program(d)
			if s.open[d.uri] == d && len(d.analysis.mentions) > 0 {
				s.last[d.uri] = d.analysis.mentions
			}
		}
	}
	return d.analysis
}

func program(d *document) *analysis {
	a := &analysis{}
	src, mentions, err := lang.LoadMentions(d.path, d.text, lang.Options{})
	a.mentions = mentions
	if err != nil {
		a.messages = messages(err)
		return a
	}
	a.program, a.messages = src.Program, lang.Vet(src)
	return a
}

func (s *server) constraintFile(d *document) *analysis {
	a := &analysis{}
	path, err := s.files.ProgramOf(d.path)
	if err != nil {
		return a // whether it is right depends on the program
	}
	p := s.load(path)
	if p == nil {
		return a
	}
	a.about, a.program = path, s.analyse(p).program
	if a.program == nil {
		return a
	}
	if a.set, err = constraints.Load(a.program, d.path, d.text); err != nil {
		a.messages = messages(err)
	}
	return a
}

// constraintsOf is the constraint file beside a program, nil if there is none that can be used.
func (s *server) constraintsOf(d *document, prog *step.Program) (path string, set *constraints.Set) {
	path = s.files.ConstraintsOf(d.path)
	f := s.load(path)
	if f == nil {
		return path, nil
	}
	set, err := constraints.Load(prog, path, f.text)
	if err != nil {
		return path, nil
	}
	return path, set
}

// load is a file, as it is in the editor if it is open there; nil if it cannot be read.
func (s *server) load(path string) *document {
	for _, d := range s.open {
		if d.path == path {
			return d
		}
	}
	text, err := s.files.Read(path)
	if err != nil {
		return nil
	}
	return newDocument(uriOf(path), nil, string(text))
}

func messages(err error) lang.ErrorList {
	var list lang.ErrorList
	errors.As(err, &list)
	return list
}

// mentionsAt are the mentions at a place, or just before it.
func mentionsAt(list []lang.Mention, at step.Pos) (found []lang.Mention) {
	for _, m := range list {
		if m.Pos.Line == at.Line && m.Pos.Col <= at.Col && at.Col <= m.End.Col {
			if len(found) > 0 && m.Pos != found[0].Pos {
				found = nil // x!y: the second of two names without a space between
			}
			found = append(found, m)
		}
	}
	return found
}

// describe is a declaration in one line.
func describe(m *lang.Mention) string {
	switch m.What {
	case "function", "procedure", "method", "operation", "class":
		return m.What + " " + m.Type
	case "type":
		return m.What + " " + m.Name + ": " + m.Type
	case "parameter":
		return fmt.Sprintf("%s %s: %s = %s", m.What, m.Name, m.Type, m.Value)
	case "label":
		return "step " + m.Name
	case "member":
		return m.Name + ": member of " + m.Type
	case "self":
		return "self: " + m.Type
	}
	if m.Type == "" {
		return m.What + " " + m.Name
	}
	return m.What + " " + m.Name + ": " + m.Type
}
