package output

import (
	"cmp"
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth"
)

// The results of cdpor synth and cdpor check for machines.

// A Synthesis is the result of cdpor synth.
type Synthesis struct {
	Cdpor       int          `json:"cdpor"`
	Program     string       `json:"program"`
	Written     string       `json:"written"` // the constraint file
	Stopped     string       `json:"stopped"` // complete, or what ended the synthesis
	Seconds     float64      `json:"seconds"`
	Queries     int          `json:"queries"`  // to the solver
	GivenUp     int          `json:"given_up"` // of these: not decided within --question-units
	Cached      int          `json:"cached"`   // pairs that came from the cache
	Open        int          `json:"open"`     // pairs that the budget was not enough for
	Totals      PairCounts   `json:"totals"`
	Pairs       []Pair       `json:"pairs"`
	Definitions []Definition `json:"definitions"`
	Invariants  []Invariant  `json:"invariants"`
}

// A Pair is the constraint of two steps.
type Pair struct {
	Steps       [2]string          `json:"steps"`
	Status      constraints.Status `json:"status"`
	Commute     string             `json:"commute"`
	Uniform     string             `json:"uniform"`
	Independent bool               `json:"independent"` // they have no common data
	Why         string             `json:"why,omitempty"`
	Cure        string             `json:"cure,omitempty"`
}

// A Definition is a name that conditions use.
type Definition struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// A Invariant is an invariant of the program.
type Invariant struct {
	Text    string   `json:"text"`
	Proved  bool     `json:"proved"`
	Why     string   `json:"why,omitempty"` // not
	Refuted *Finding `json:"refuted,omitempty"`
}

// A Finding is an error in an entry of a constraint file, or in an invariant.
type Finding struct {
	Diagnostic
	Steps    []string `json:"steps,omitempty"` // of the entry
	Claim    string   `json:"claim"`
	Refuted  bool     `json:"refuted"` // else it could not be decided
	Lines    []string `json:"lines"`   // a state and what both orders make of it
	Schedule []string `json:"schedule,omitempty"`
}

// A Check is the result of cdpor check.
type Check struct {
	Cdpor      int         `json:"cdpor"`
	Program    string      `json:"program"`
	File       string      `json:"file"`
	Stopped    string      `json:"stopped"`
	Queries    int         `json:"queries"`
	Foreign    bool        `json:"foreign"` // made for another version of the program, or other parameters
	Missing    []string    `json:"missing"` // pairs with common data without an entry
	Pairs      []Proof     `json:"pairs"`
	Findings   []Finding   `json:"findings"`
	Invariants []Invariant `json:"invariants"`
}

// A Proof is the verdict on one entry.
type Proof struct {
	Steps   [2]string          `json:"steps"`
	Status  constraints.Status `json:"status"`
	Line    int                `json:"line"`
	Proved  bool               `json:"proved"`
	Weakest bool               `json:"weakest"` // no weaker condition is right
	Weaker  string             `json:"weaker,omitempty"`
}

func findingOf(file *lang.File, f *synth.Finding) Finding {
	lines := f.Text()
	j := Finding{Diagnostic: DiagnosticOf(&lang.Error{File: file, Pos: f.Pos, Msg: lines[0]}), Claim: string(f.Claim),
		Refuted: f.Wrong(), Lines: append([]string{}, lines[1:]...)}
	if f.Pair != nil {
		j.Steps = []string{f.Pair.A.Name(), f.Pair.B.Name()}
	}
	if f.Reach == synth.Reachable {
		j.Schedule = f.Schedule
	}
	return j
}

// FileOf is the file that a place of a program is in, for messages.
func FileOf(src step.Loaded, at step.Pos) *lang.File {
	return lang.NewFile(cmp.Or(at.File, src.Form().Path), src.Source(at.File))
}

func invariantsOf(src step.Loaded, notes []synth.InvariantNote) []Invariant {
	list := []Invariant{}
	for _, n := range notes {
		j := Invariant{Text: n.Text, Proved: n.Used, Why: n.Why}
		if n.Refuted != nil {
			f := findingOf(FileOf(src, n.Refuted.Pos), n.Refuted)
			j.Refuted = &f
		}
		list = append(list, j)
	}
	return list
}

// SynthesisOf is the result of a synthesis.
func SynthesisOf(src step.Loaded, set *constraints.Set, report *synth.Report) *Synthesis {
	out := &Synthesis{Cdpor: Version, Program: src.Form().Path, Queries: report.Queries, GivenUp: report.GivenUp,
		Cached: report.Cached,
		Open:   report.Open + report.Narrowed, Totals: CountsOf(set), Pairs: []Pair{}, Definitions: []Definition{},
		Invariants: invariantsOf(src, report.Invariants)}
	why := map[[2]string]string{}
	for _, n := range report.Why {
		why[[2]string{n.A.Name(), n.B.Name()}] = n.Text
	}
	for _, p := range set.Pairs {
		j := Pair{Steps: [2]string{p.A.Name(), p.B.Name()}, Status: p.Status, Commute: set.Text(p, p.Commute),
			Uniform: set.Text(p, p.Uniform), Independent: constraints.Independent(p.A, p.B)}
		if j.Why = why[j.Steps]; j.Why != "" {
			j.Cure = Cure(j.Why)
		}
		out.Pairs = append(out.Pairs, j)
	}
	for _, d := range set.Definitions {
		out.Definitions = append(out.Definitions, Definition{d.String(), d.Format(set.Definitions)})
	}
	return out
}

// CheckOf is the result of a check.
func CheckOf(src step.Loaded, path string, set *constraints.Set, report *synth.CheckReport) *Check {
	out := &Check{Cdpor: Version, Program: src.Form().Path, File: path, Queries: report.Queries,
		Missing: append([]string{}, WithoutEntry(set)...),
		Foreign: set.Digest != "" && MadeForAnother(set), Pairs: []Proof{}, Findings: []Finding{},
		Invariants: invariantsOf(src, report.Invariants)}
	for i := range report.Pairs {
		p := &report.Pairs[i]
		j := Proof{Steps: [2]string{p.Pair.A.Name(), p.Pair.B.Name()}, Status: p.Pair.Status, Line: p.Pair.Pos.Line,
			Proved:  p.Proved,
			Weakest: p.Weakest}
		if p.Weaker != nil {
			j.Weaker = lang.FormatExpr(p.Weaker, p.Pair.A.Template, p.Pair.B.Template)
		}
		out.Pairs = append(out.Pairs, j)
	}
	for _, f := range report.Findings {
		out.Findings = append(out.Findings, findingOf(set.File, f))
	}
	return out
}

// A PairCounts counts the pairs of steps with common data: only these have entries in a constraint file.
type PairCounts struct {
	Pairs   int `json:"pairs"`
	Exact   int `json:"exact"`
	Partial int `json:"partial"`
	Unknown int `json:"unknown"`
	Manual  int `json:"manual"`
	Ordered int `json:"ordered"` // never met by two processes
	// What the uniform constraints of the others are.
	Always    int `json:"always"`
	Sometimes int `json:"sometimes"`
	Never     int `json:"never"`
}

// CountsOf counts the pairs of a set.
func CountsOf(set *constraints.Set) (c PairCounts) {
	for _, p := range set.Pairs {
		if constraints.Independent(p.A, p.B) {
			continue
		}
		c.Pairs++
		switch p.Status {
		case constraints.Exact:
			c.Exact++
		case constraints.Partial:
			c.Partial++
		case constraints.Manual:
			c.Manual++
		case constraints.Ordered:
			c.Ordered++
			continue
		default:
			c.Unknown++
		}
		switch {
		case constraints.IsTrue(p.Uniform):
			c.Always++
		case constraints.IsFalse(p.Uniform):
			c.Never++
		default:
			c.Sometimes++
		}
	}
	return c
}

// PairsText says how many pairs there are, in the same words everywhere.
func PairsText(n int) string { return terminal.Plural(n, "pair") + " of steps with common data" }

func (c PairCounts) String() string {
	text := fmt.Sprintf("%s: %d exact, %d partial, %d unknown", PairsText(c.Pairs), c.Exact, c.Partial, c.Unknown)
	if c.Manual > 0 {
		text += fmt.Sprintf(", %d by hand", c.Manual)
	}
	if c.Ordered > 0 {
		text += fmt.Sprintf(", %d never meet", c.Ordered)
	}
	return text + fmt.Sprintf("; independent always %d, sometimes %d, never %d", c.Always, c.Sometimes, c.Never)
}

// MadeForAnother reports whether a file says that it was made for another program than the one it was loaded for.
func MadeForAnother(set *constraints.Set) bool { return set.Digest != "" && set.Stale() }

// WithoutEntry lists the pairs of steps with common data that a constraint file says nothing about.
func WithoutEntry(set *constraints.Set) (names []string) {
	for ab := range constraints.PairsOf(set.Program) {
		if p, _ := set.Find(ab[0], ab[1]); p == nil && !constraints.Independent(ab[0], ab[1]) {
			names = append(names, ab[0].Name()+" | "+ab[1].Name())
		}
	}
	return names
}

// What would make more known of a pair of steps, by the reason that the synthesis gives.
var cures = []struct{ reason, cure string }{
	{"budget", "cdpor synth --resume goes on where this run stopped; --max-queries N allows more at once"},
	{"not asked for", "cdpor synth asks for all pairs"},
	{"before its first step", "let the process that is started begin with a step: what it does as it is " +
		"started is not analysed"},
	{"too many calls", "a loop in place of the recursion, with a bound that the program text shows"},
	{"too many cases", "split the step, or use types with fewer values: conditions are found case by case"},
	{"no small bound", "give the loop a bound that the program text shows: a constant, a parameter or a range"},
	{"too large, or the language",
		"write a condition that is enough by hand, with status: manual; cdpor check proves it"},
	{"is too large", "a smaller capacity, or a range in place of int, makes it small enough"},
	{"are too large", "use ranges: numbers of this size are not reasoned about"},
	{"wrap around", "use ranges, so that nothing can wrap around"},
	{"could not prove", "--question-units allows the solver more work; a condition by hand is proved by cdpor check"},
	{"took too long", "--question-units allows the solver more work; narrower types make its questions easier"},
	{"composite elements", "use one variable for each part, or keys that are numbers"},
	{"set, bag or map", "use it by key only, or as a whole only, in these steps"},
	{"uniform", "only the part that may prune is smaller; --explain STEP,STEP shows which third step makes it so"},
	{"interrupted", "cdpor synth --resume goes on where this run stopped"},
}

// Cure says what would make more known.
func Cure(why string) string {
	for _, c := range cures {
		if strings.Contains(why, c.reason) {
			return c.cure
		}
	}
	return "say it with other operations, or split the step: cdpor check cannot prove a condition by hand here either"
}
