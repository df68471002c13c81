package main

import (
	"encoding/json"
	"io"

	"cdpor/constraints"
	"cdpor/explore"
)

// jsonVersion is the number behind "cdpor" in JSON output: it grows when a field changes its meaning or goes away. Fields may be
// added without that. output.schema.json describes them.
const jsonVersion = 2

// The JSON form of a report.
type jsonReport struct {
	Cdpor       int             `json:"cdpor"`
	Program     jsonProgram     `json:"program"`
	Verdict     explore.Verdict `json:"verdict"`
	Stopped     string          `json:"stopped"`
	Constraints jsonConstraints `json:"constraints"`
	Search      jsonSearch      `json:"search"`
	Compared    *jsonSearch     `json:"compared,omitempty"`
	Outcomes    []jsonOutcome   `json:"outcomes"`
	Deadlocks   []jsonOutcome   `json:"deadlocks"`
	Violations  []jsonViolation `json:"violations"`
	Price       *price          `json:"always,omitempty"`
	Seconds     float64         `json:"seconds"`
	Checkpoint  string          `json:"checkpoint,omitempty"`
}

type jsonProgram struct {
	Name       string   `json:"name"`
	Path       string   `json:"path"`
	Parameters []string `json:"parameters"`
	Processes  []string `json:"processes"`
}

type jsonConstraints struct {
	Trust   trust   `json:"trust"`
	Origin  string  `json:"origin"`
	Path    string  `json:"path,omitempty"`
	Digest  string  `json:"digest,omitempty"`
	Seconds float64 `json:"seconds"`
	*census
}

type jsonSearch struct {
	Algorithm   string    `json:"algorithm"`
	Stopped     string    `json:"stopped"`
	Workers     int       `json:"workers"`
	Executions  int64     `json:"executions"`
	Ended       int64     `json:"ended"`
	Deadlocked  int64     `json:"deadlocked"`
	Failed      int64     `json:"failed"`
	Dropped     int64     `json:"dropped"`
	Blocked     int64     `json:"blocked"`
	Cut         int64     `json:"cut"`
	Barred      int64     `json:"barred"`
	Virtual     int64     `json:"virtual_cuts"`
	Nodes       int64     `json:"nodes"`
	Events      int64     `json:"events"`
	MaxDepth    int       `json:"max_depth"`
	Races       int64     `json:"races"`
	Sequences   int64     `json:"sequences"`
	Compared    int64     `json:"states_compared"`
	Compensated int64     `json:"compensated"`
	States      int64     `json:"states"`
	Memory      int64     `json:"state_bytes"`
	Evaluated   int64     `json:"constraints_evaluated"`
	Held        int64     `json:"constraints_held"`
	Static      int64     `json:"constraints_static"`
	Removed     int64     `json:"races_removed"`
	Pairs       []jsonUse `json:"profile,omitempty"`
	// Symmetry, of a search that reduces it: the threads with several instances.
	Symmetry []jsonSymmetry `json:"symmetry,omitempty"`
}

// A jsonSymmetry says whether the instances of a thread are interchangeable, and if not, why.
type jsonSymmetry struct {
	Thread          string `json:"thread"`
	Count           int    `json:"count"`
	Interchangeable bool   `json:"interchangeable"`
	Why             string `json:"why,omitempty"`
}

// A jsonUse is what the constraint of a pair was good for.
type jsonUse struct {
	Steps     [2]string `json:"steps"`
	Uniform   string    `json:"uniform"`
	Commute   string    `json:"commute"`
	Evaluated int64     `json:"evaluated"`
	Held      int64     `json:"held"`
	Removed   int64     `json:"races_removed"`
	Static    int64     `json:"static"`
	Sequences int64     `json:"sequences"`
}

type jsonOutcome struct {
	Number   int               `json:"number"` // as for --show; deadlocks are counted for themselves
	Values   map[string]string `json:"values"`
	Count    int64             `json:"count"`
	Schedule string            `json:"schedule"`
}

type jsonViolation struct {
	Kind     explore.ViolationKind `json:"kind"`
	Text     string                `json:"text"`
	Count    int64                 `json:"count"`
	Schedule string                `json:"schedule,omitempty"` // with few switches
	Found    string                `json:"found,omitempty"`    // as the search came upon it
	Replay   string                `json:"replay,omitempty"`
}

func searchJSON(r *explore.Result, set *constraints.Set) jsonSearch {
	c := &r.Constraints
	var symmetry []jsonSymmetry
	for _, i := range r.Symmetry {
		symmetry = append(symmetry, jsonSymmetry{i.Template.Name, i.Template.Count, i.Why == "", i.Why})
	}
	return jsonSearch{r.Algorithm, r.Stopped, r.Workers, r.Executions, r.Ended, r.Deadlocked, r.Failed, r.Dropped, r.Blocked, r.Cut, r.Barred, r.Virtual, r.Nodes,
		r.Events, r.MaxDepth, r.Races, r.Sequences, r.Compared, r.Compensated, r.States, r.Memory, c.Evaluated, c.Held, c.Static, c.Removed,
		usesJSON(r, set), symmetry}
}

func usesJSON(r *explore.Result, set *constraints.Set) (list []jsonUse) {
	for _, u := range uses(r, set) {
		list = append(list, jsonUse{u.steps, u.uniform, u.commute, u.Evaluated, u.Held, u.Removed, u.Static, u.Sequences})
	}
	return list
}

func (r *report) printJSON(w io.Writer) error { return writeJSON(w, r.json()) }

// json is the report for programs.
func (r *report) json() *jsonReport {
	prog, k := r.m.Program, r.knowledge
	out := &jsonReport{Cdpor: jsonVersion, Verdict: r.result.Verdict, Stopped: r.result.Stopped, Search: searchJSON(r.result, k.Set),
		Program:     jsonProgram{Name: prog.Name, Path: prog.Path, Parameters: append([]string{}, parameters(prog)...)},
		Constraints: jsonConstraints{Trust: k.Trust, Origin: k.Origin, Path: k.Path, Seconds: k.Time.Seconds()},
		Price:       priceOf(r.m),
		Outcomes:    []jsonOutcome{}, Deadlocks: []jsonOutcome{}, Violations: []jsonViolation{}, Seconds: r.time.Seconds(), Checkpoint: r.checkpoint}
	for _, p := range prog.Procs {
		out.Program.Processes = append(out.Program.Processes, p.Name)
	}
	if k.Set != nil {
		c := count(k.Set)
		out.Constraints.census, out.Constraints.Digest = &c, k.Set.Digest
	}
	if r.rival != nil {
		s := searchJSON(r.rival, k.Set)
		out.Compared = &s
	}
	named := func(values []value) map[string]string {
		m := map[string]string{}
		for _, v := range values {
			m[v.Name] = v.Text
		}
		return m
	}
	for i, o := range r.result.Outcomes.All() {
		out.Outcomes = append(out.Outcomes, jsonOutcome{i + 1, named(observed(prog, o.Words)), o.Count, formatSchedule(r.m, o.Schedule)})
	}
	for i, o := range r.result.Deadlocks.All() {
		out.Deadlocks = append(out.Deadlocks, jsonOutcome{i + 1, named(sharedValues(prog, o.Words)), o.Count, formatSchedule(r.m, o.Schedule)})
	}
	for _, v := range r.result.Violations {
		j := jsonViolation{Kind: v.Kind, Text: r.violationText(v), Count: v.Count}
		if v.Schedule != nil {
			schedule := r.schedule(v)
			j.Schedule, j.Found, j.Replay = formatSchedule(r.m, schedule), formatSchedule(r.m, v.Schedule), r.replayOf(v)
		}
		out.Violations = append(out.Violations, j)
	}
	return out
}

func (r *replayed) printJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
