package main

import (
	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/synth"
)

// The results of cdpor synth and cdpor check for machines.

// A jsonSynthesis is what cdpor synth has found.
type jsonSynthesis struct {
	Cdpor       int              `json:"cdpor"`
	Program     string           `json:"program"`
	Written     string           `json:"written"` // the constraint file
	Stopped     string           `json:"stopped"` // complete, or what ended the synthesis
	Seconds     float64          `json:"seconds"`
	Queries     int              `json:"queries"` // to the solver
	Late        int              `json:"late"`    // of these: given up after --question-time
	Cached      int              `json:"cached"`  // pairs that came from the cache
	Open        int              `json:"open"`    // pairs that the budget was not enough for
	Totals      census           `json:"totals"`
	Pairs       []jsonPair       `json:"pairs"`
	Definitions []jsonDefinition `json:"definitions"`
	Invariants  []jsonInvariant  `json:"invariants"`
}

// A jsonPair is the constraint of two steps.
type jsonPair struct {
	Steps       [2]string          `json:"steps"`
	Status      constraints.Status `json:"status"`
	Commute     string             `json:"commute"`
	Uniform     string             `json:"uniform"`
	Independent bool               `json:"independent"` // they have no common data
	Why         string             `json:"why,omitempty"`
	Cure        string             `json:"cure,omitempty"`
}

// A jsonDefinition is a name that conditions use.
type jsonDefinition struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// A jsonInvariant is an invariant of the program.
type jsonInvariant struct {
	Text    string       `json:"text"`
	Proved  bool         `json:"proved"`
	Why     string       `json:"why,omitempty"` // not
	Refuted *jsonFinding `json:"refuted,omitempty"`
}

// A jsonFinding is what is wrong with an entry of a constraint file, or with an invariant.
type jsonFinding struct {
	jsonDiagnostic
	Steps    []string `json:"steps,omitempty"` // of the entry
	Claim    string   `json:"claim"`
	Refuted  bool     `json:"refuted"` // else it could not be decided
	Lines    []string `json:"lines"`   // a state and what both orders make of it
	Schedule []string `json:"schedule,omitempty"`
}

// A jsonCheck is what cdpor check has found.
type jsonCheck struct {
	Cdpor      int             `json:"cdpor"`
	Program    string          `json:"program"`
	File       string          `json:"file"`
	Stopped    string          `json:"stopped"`
	Queries    int             `json:"queries"`
	Foreign    bool            `json:"foreign"` // made for another version of the program, or other parameters
	Missing    []string        `json:"missing"` // pairs with common data without an entry
	Pairs      []jsonProof     `json:"pairs"`
	Findings   []jsonFinding   `json:"findings"`
	Invariants []jsonInvariant `json:"invariants"`
}

// A jsonProof is the verdict on one entry.
type jsonProof struct {
	Steps   [2]string          `json:"steps"`
	Status  constraints.Status `json:"status"`
	Line    int                `json:"line"`
	Proved  bool               `json:"proved"`
	Weakest bool               `json:"weakest"` // no weaker condition is right
	Weaker  string             `json:"weaker,omitempty"`
}

func findingJSON(file *lang.File, f *synth.Finding) jsonFinding {
	lines := f.Text()
	j := jsonFinding{jsonDiagnostic: diagnosticJSON(&lang.Error{File: file, Pos: f.Pos, Msg: lines[0]}), Claim: string(f.Claim),
		Refuted: f.Refuted, Lines: append([]string{}, lines[1:]...)}
	if f.Pair != nil {
		j.Steps = []string{f.Pair.A.Name(), f.Pair.B.Name()}
	}
	if f.Reach == synth.Reachable {
		j.Schedule = f.Schedule
	}
	return j
}

func invariantsJSON(src *lang.Source, notes []synth.InvariantNote) []jsonInvariant {
	list := []jsonInvariant{}
	for _, n := range notes {
		j := jsonInvariant{Text: n.Text, Proved: n.Used, Why: n.Why}
		if n.Refuted != nil {
			f := findingJSON(src.File, n.Refuted)
			j.Refuted = &f
		}
		list = append(list, j)
	}
	return list
}

func synthesisJSON(src *lang.Source, set *constraints.Set, report *synth.Report) *jsonSynthesis {
	out := &jsonSynthesis{Cdpor: jsonVersion, Program: src.Program.Path, Queries: report.Queries, Late: report.Late, Cached: report.Cached,
		Open: report.Open + report.Narrowed, Totals: count(set), Pairs: []jsonPair{}, Definitions: []jsonDefinition{},
		Invariants: invariantsJSON(src, report.Invariants)}
	why := map[[2]string]string{}
	for _, n := range report.Why {
		why[[2]string{n.A.Name(), n.B.Name()}] = n.Text
	}
	for _, p := range set.Pairs {
		j := jsonPair{Steps: [2]string{p.A.Name(), p.B.Name()}, Status: p.Status, Commute: set.Text(p, p.Commute),
			Uniform: set.Text(p, p.Uniform), Independent: constraints.Independent(p.A, p.B)}
		if j.Why = why[j.Steps]; j.Why != "" {
			j.Cure = cure(j.Why)
		}
		out.Pairs = append(out.Pairs, j)
	}
	for _, d := range set.Definitions {
		out.Definitions = append(out.Definitions, jsonDefinition{d.String(), d.Format(set.Definitions)})
	}
	return out
}

// proofsJSON is the result of a check.
func proofsJSON(src *lang.Source, path string, set *constraints.Set, report *synth.CheckReport) *jsonCheck {
	out := &jsonCheck{Cdpor: jsonVersion, Program: src.Program.Path, File: path, Queries: report.Queries, Missing: append([]string{}, withoutEntry(set)...),
		Foreign: set.Digest != "" && madeForAnother(set), Pairs: []jsonProof{}, Findings: []jsonFinding{},
		Invariants: invariantsJSON(src, report.Invariants)}
	for i := range report.Pairs {
		p := &report.Pairs[i]
		j := jsonProof{Steps: [2]string{p.Pair.A.Name(), p.Pair.B.Name()}, Status: p.Pair.Status, Line: p.Pair.Pos.Line, Proved: p.Proved,
			Weakest: p.Weakest}
		if p.Weaker != nil {
			j.Weaker = lang.FormatExpr(p.Weaker, p.Pair.A.Template, p.Pair.B.Template)
		}
		out.Pairs = append(out.Pairs, j)
	}
	for _, f := range report.Findings {
		out.Findings = append(out.Findings, findingJSON(set.File, f))
	}
	return out
}
