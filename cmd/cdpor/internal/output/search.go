package output

import (
	"fmt"

	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"
)

// A Search has the counts of a search.
type Search struct {
	Algorithm   string `json:"algorithm"`
	Stopped     string `json:"stopped"`
	Workers     int    `json:"workers"`
	Executions  int64  `json:"executions"`
	Ended       int64  `json:"ended"`
	Deadlocked  int64  `json:"deadlocked"`
	Failed      int64  `json:"failed"`
	Dropped     int64  `json:"dropped"`
	Blocked     int64  `json:"blocked"`
	Cut         int64  `json:"cut"`
	Barred      int64  `json:"barred"`
	Virtual     int64  `json:"virtual_cuts"`
	Nodes       int64  `json:"nodes"`
	Events      int64  `json:"events"`
	MaxDepth    int    `json:"max_depth"`
	Races       int64  `json:"races"`
	Sequences   int64  `json:"sequences"`
	Compared    int64  `json:"states_compared"`
	Compensated int64  `json:"compensated"`
	States      int64  `json:"states"`
	MetAgain    int64  `json:"met_again"`
	Memory      int64  `json:"state_bytes"`
	Evaluated   int64  `json:"constraints_evaluated"`
	Held        int64  `json:"constraints_held"`
	Static      int64  `json:"constraints_static"`
	Removed     int64  `json:"races_removed"`
	Pairs       []Use  `json:"profile,omitempty"`
	// Symmetry, of a search that reduces it: the threads with several instances.
	Symmetry []Symmetry `json:"symmetry,omitempty"`
	// Advice of a search that did not come to its end: what it expects of others.
	Advice string `json:"advice,omitempty"`
	// Decisions of auto, in words.
	Decisions []string `json:"decisions,omitempty"`
	// Unread records of the log of a cluster: they could not be read, and were dropped.
	Unread int `json:"unread,omitempty"`
}

// A Symmetry says whether the instances of a thread are interchangeable, and if not, why.
type Symmetry struct {
	Thread          string `json:"thread"`
	Count           int    `json:"count"`
	Interchangeable bool   `json:"interchangeable"`
	Why             string `json:"why,omitempty"`
}

// A Use counts the evaluations and savings of the constraint of a pair.
type Use struct {
	A, B      *step.Step `json:"-"`     // as the search calls them
	Steps     [2]string  `json:"steps"` // as the conditions call them p and q
	Uniform   string     `json:"uniform"`
	Commute   string     `json:"commute"`
	Evaluated int64      `json:"evaluated"`
	Held      int64      `json:"held"`
	Removed   int64      `json:"races_removed"`
	Static    int64      `json:"static"`
	Sequences int64      `json:"sequences"`
}

// SearchOf has the numbers of a result; the set holds the constraints that were used, nil: none.
func SearchOf(r *explore.Result, set *constraints.Set) Search {
	c := &r.Constraints
	var symmetry []Symmetry
	for _, i := range r.Symmetry {
		symmetry = append(symmetry, Symmetry{i.Template.Name, i.Template.Count, i.Why == "", i.Why})
	}
	return Search{r.Algorithm, r.Stopped, r.Workers, r.Executions, r.Ended, r.Deadlocked, r.Failed, r.Dropped,
		r.Blocked, r.Cut, r.Barred, r.Virtual, r.Nodes,
		r.Events, r.MaxDepth, r.Races, r.Sequences, r.Compared, r.Compensated, r.States, r.Revisits + r.Cycles,
		r.Memory, c.Evaluated, c.Held, c.Static, c.Removed,
		Uses(r, set), symmetry, explore.Advice(r), r.Decisions, r.Unread}
}

// Uses lists the constraints that a search asked, the most useful first.
func Uses(r *explore.Result, set *constraints.Set) (list []Use) {
	if set == nil {
		return nil
	}
	for _, s := range r.Pairs {
		u := Use{s.A, s.B, [2]string{s.A.Name(), s.B.Name()}, "none", "none", s.Evaluated, s.Held, s.Removed, s.Static,
			s.Sequences}
		if p, _ := set.Find(s.A, s.B); p != nil {
			u.Steps = [2]string{p.A.Name(), p.B.Name()}
			u.Uniform = lang.FormatExpr(p.Uniform, p.A.Template, p.B.Template)
			u.Commute = lang.FormatExpr(p.Commute, p.A.Template, p.B.Template)
		}
		list = append(list, u)
	}
	return list
}

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

// A Place is a position in a program: of a deadlock, that of the first process that waits. Line 0: nowhere in
// particular.
type Place struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}
