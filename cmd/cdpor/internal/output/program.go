package output

import (
	"fmt"

	"cdpor/lang"
	"cdpor/lang/step"
)

// A Program is the program that a result is about.
type Program struct {
	Name       string   `json:"name"`
	Path       string   `json:"path"`
	Parameters []string `json:"parameters"`
	Processes  []string `json:"processes"`
	Goroutines []string `json:"goroutines,omitempty"` // what people call the processes of a Go program
}

// ProgramOf describes a program.
func ProgramOf(prog *step.Program) Program {
	j := Program{Name: prog.Name, Path: prog.Path, Parameters: append([]string{}, Parameters(prog)...)}
	for _, p := range prog.Procs {
		j.Processes = append(j.Processes, p.Name)
		if prog.Native() {
			j.Goroutines = append(j.Goroutines, p.Called())
		}
	}
	return j
}

// Parameters is the values the parameters have, NAME=VALUE each.
func Parameters(prog *step.Program) []string {
	var list []string
	for _, p := range prog.Params {
		list = append(list, fmt.Sprintf("%s=%s", p.Name, lang.FormatValue(prog, p.Type, p.Words)))
	}
	return list
}

// A Place is where something is in a program: of a deadlock, where the first waits. Line 0: nowhere in particular.
type Place struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}
