// Package findings has what is wrong with programs in the forms that other tools read.
//
//	findings.go  a finding: where it is, and the steps that lead to it
//	files.go     the flags of files with findings
//	sarif.go     SARIF 2.1.0, with schedules as code flows
//	markdown.go  the summary of a job, with diagrams (Mermaid)
//	baseline.go  findings that are known
package findings

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"cdpor/explore/replay"
)

// A Finding is one thing that is wrong with a program.
type Finding struct {
	Kind  string // in a word or two, such as deadlock
	About string // what cdpor explain says of the kind, in a line
	Text  string // in a sentence
	Alike string // which others are the same, as far as a search has come
	Level string // error, warning or note, as SARIF calls them
	Place
	Program string // what was explored
	Func    string // of a Go program
	Replay  string // the command line that shows it again
	Steps   []Step
	Known   bool // to a baseline
}

// A Place is in a file; lines and columns count from 1, 0: not known.
type Place struct {
	File                             string
	Line, Column, EndLine, EndColumn int
}

// A Step is one step of the schedule that leads to a finding.
type Step struct {
	Place
	Thread, Text string
	Effects      []string
	Values       []replay.Value // after the step
	Bad          bool           // it fails
}

// Says describes the step in a line.
func (s *Step) Says() string {
	if len(s.Effects) == 0 {
		return s.Text
	}
	return s.Text + " (" + strings.Join(s.Effects, "; ") + ")"
}

// StepsOf are the steps of a schedule; at says in which file one is.
func StepsOf(steps []replay.Step, at func(*replay.Step) string) (list []Step) {
	for i := range steps {
		s := &steps[i]
		thread, _, _ := strings.Cut(s.Step, ".")
		if s.Goroutine != "" {
			thread = s.Goroutine
		}
		out := Step{Place: Place{File: at(s), Line: s.Line, Column: s.Column}, Thread: thread, Text: s.Text,
			Bad: s.Fails != ""}
		for _, way := range s.Takes {
			out.Effects = append(out.Effects, "takes "+way)
		}
		if len(s.Reads) > 0 {
			out.Effects = append(out.Effects, "reads "+replay.Join(s.Reads))
			out.Values = append(out.Values, s.Reads...)
		}
		for _, c := range s.Writes {
			out.Effects = append(out.Effects, c.String())
			out.Values = append(out.Values, c.Value)
		}
		if len(s.Starts) > 0 {
			out.Effects = append(out.Effects, "starts "+strings.Join(s.Starts, ", "))
		}
		if s.Fails != "" {
			out.Effects = append(out.Effects, "fails: "+s.Fails)
		}
		if s.Then != "" && (i+1 == len(steps) || steps[i+1].Proc != s.Proc) {
			out.Effects = append(out.Effects, s.Then)
		}
		list = append(list, out)
	}
	return list
}

// Rule is the kind of a finding as an identifier.
func (f *Finding) Rule() string { return strings.ReplaceAll(f.Kind, " ", "-") }

// changing matches the parts of a text that change when lines are added above, the current folder is another one, or
// the goroutines of one statement are started in another order.
var changing = regexp.MustCompile(`\b\d+:\d+\b|:\d+(#\d+)?|\b(lines?|violation) \d+|[^\s(]*/\b`)

// Says is the text, with which others are the same.
func (f *Finding) Says() string { return strings.TrimSuffix(f.Text+"\n"+f.Alike, "\n") }

// Relative is a path as seen from a folder, however it is spelled.
func Relative(folder, path string) string {
	from, _ := filepath.Abs(folder) // else they are as they are spelled
	to, _ := filepath.Abs(path)
	if rest, err := filepath.Rel(from, to); err == nil {
		path = rest
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// Fingerprint tells findings apart, but for the numbers of lines: a finding keeps it where other lines change. Its
// paths are as seen from a folder.
func (f *Finding) Fingerprint(folder string) string {
	line := ""
	if text, err := os.ReadFile(f.File); err == nil {
		if lines := bytes.Split(text, []byte("\n")); f.Line > 0 && f.Line <= len(lines) {
			line = string(bytes.TrimSpace(lines[f.Line-1]))
		}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Kind, Relative(folder, f.Program), f.Func,
		Relative(folder, f.File), line,
		changing.ReplaceAllString(f.Text, "")}, "\x00")))
	return fmt.Sprintf("%x", sum[:12])
}
