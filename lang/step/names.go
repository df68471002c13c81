package step

import (
	"cmp"
	"fmt"
)

// Names for people. Processes and steps have names that schedules and constraint files can write; where the language
// of a program calls them otherwise, people see that.

// Called is the name of the variable for people.
func (v *Var) Called() string { return cmp.Or(v.Shown, v.Name) }

// Called is the name of the process for people.
func (p *Proc) Called() string { return cmp.Or(p.Shown, p.Name) }

// Native reports whether steps have no names in the language of the program, so that people see places instead.
func (p *Program) Native() bool { return len(p.Files) > 0 }

// Place is a place in few words: x.go:31, or line 31 of the only file.
func (p *Program) Place(pos Pos) string {
	if pos.File == "" {
		return fmt.Sprint("line ", pos.Line)
	}
	for _, f := range p.Files {
		if f.Path == pos.File {
			return fmt.Sprintf("%s:%d", f.Called, pos.Line)
		}
	}
	return fmt.Sprintf("%s:%d", pos.File, pos.Line)
}

// StepCalled is the name of a step of a process for people: process.label, or the process and the place.
func (p *Program) StepCalled(proc int, s *Step) string {
	who := p.Procs[proc].Called()
	if !p.Native() {
		return who + "." + s.Label
	}
	return who + " at " + p.Place(s.Pos)
}
