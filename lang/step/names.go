package step

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names for people. Processes and steps have names that schedules and constraint files can write; where the language
// of a program calls them otherwise, people see that.

// Called is the name of the variable for people.
func (v *Var) Called() string { return cmp.Or(v.Shown, v.Name) }

// Called is the name of the process for people.
func (p *Proc) Called() string { return cmp.Or(p.Shown, p.Name) }

// Task is the task of a goroutine of the library, such as timer; empty for those that the program starts.
func (p *Proc) Task() string {
	task, _, ofLibrary := strings.Cut(p.Shown, " ")
	if !ofLibrary {
		return ""
	}
	return task
}

// StartedAt is a goroutine of the program by its name, which is the place where it was started, as sentences call it.
func StartedAt(name string) string {
	place, number, several := strings.Cut(name, "#")
	if several {
		number = " #" + number
	}
	return "goroutine" + number + " started at " + place
}

// Within is a text that names places, for where a file is known: it leaves the name of the file away.
func Within(file, text string) string {
	if file == "" {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, file+":")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if last, _ := utf8.DecodeLastRuneInString(before); before != "" && strings.ContainsRune("./-_", last) ||
			unicode.IsLetter(last) || unicode.IsDigit(last) { // the end of a longer name
			b.WriteString(file)
		}
		b.WriteString(":")
		text = after
	}
}

// Native reports whether steps have no names in the language of the program, so that people see places instead.
func (p *Program) Native() bool { return len(p.Files) > 0 }

// CalledFile is the name by which people know a file of the program.
func (p *Program) CalledFile(path string) string {
	for _, f := range p.Files {
		if f.Path == path {
			return f.Called
		}
	}
	return path
}

// Place is a place in few words: x.go:31, or line 31 of the only file.
func (p *Program) Place(pos Pos) string {
	if pos.File == "" {
		return fmt.Sprint("line ", pos.Line)
	}
	return fmt.Sprintf("%s:%d", p.CalledFile(pos.File), pos.Line)
}

// StepCalled is the name of a step of a process for people: process.label, or the process and the place.
func (p *Program) StepCalled(proc int, s *Step) string {
	who := p.Procs[proc].Called()
	if !p.Native() {
		return who + "." + s.Label
	}
	return who + " at " + p.Place(s.Pos)
}
