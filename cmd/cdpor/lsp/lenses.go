package lsp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

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
		for _, f := range tests(d) {
			at := span{d.position(f.at), d.position(step.Pos{Line: f.at.Line, Col: f.at.Col + len(f.name)})}
			list = s.lensesAt(list, at, "explore", s.files.ReplayOfTest(d.place(), f.name), f.name, d.place(), "--func",
				f.name)
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

// A test is one of a Go file, with the place of its name.
type test struct {
	name string
	at   step.Pos
}

// tests are those of a Go file, as far as it can be read.
func tests(d *document) (list []test) {
	if !strings.HasSuffix(d.path, "_test.go") {
		return nil
	}
	set := token.NewFileSet()
	file, _ := parser.ParseFile(set, "", d.text, parser.SkipObjectResolution) // of which there is a part after errors
	if file == nil {
		return nil
	}
	for _, decl := range file.Decls {
		f, is := decl.(*ast.FuncDecl)
		if !is || f.Recv != nil || f.Type.TypeParams != nil || f.Type.Params.NumFields() != 1 || !isTest(f.Name.Name) {
			continue
		}
		at := set.PositionFor(f.Name.Pos(), false)
		line := d.lines[at.Line-1]
		list = append(list, test{f.Name.Name, step.Pos{Line: at.Line,
			Col: utf8.RuneCountInString(line[:min(len(line), at.Column-1)]) + 1}})
	}
	return list
}

// isTest reports whether go test takes a function for a test by its name: Test, or TestX where X is no small letter.
func isTest(name string) bool {
	rest, is := strings.CutPrefix(name, "Test")
	first, _ := utf8.DecodeRuneInString(rest)
	return is && name != "TestMain" && (rest == "" || !unicode.IsLower(first))
}
