package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang/step"
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
	Groups      []jsonGroup     `json:"violation_groups,omitempty"`
	Simulation  *jsonSimulation `json:"simulation,omitempty"`
	Unchecked   []jsonUnchecked `json:"unchecked,omitempty"`
	Coverage    *coverage       `json:"coverage,omitempty"`
	Price       *price          `json:"always,omitempty"`
	Histories   *jsonHistories  `json:"histories,omitempty"`
	Liveness    *jsonLiveness   `json:"liveness,omitempty"`
	Invariants  *invariantCheck `json:"invariants,omitempty"`
	Seconds     float64         `json:"seconds"`
	Checkpoint  string          `json:"checkpoint,omitempty"`
}

// jsonHistories count the histories of operations, of a program with a specification.
type jsonHistories struct {
	Distinct        int   `json:"distinct"`
	NotLinearizable int64 `json:"not_linearizable"`
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
	MetAgain    int64     `json:"met_again"`
	Memory      int64     `json:"state_bytes"`
	Evaluated   int64     `json:"constraints_evaluated"`
	Held        int64     `json:"constraints_held"`
	Static      int64     `json:"constraints_static"`
	Removed     int64     `json:"races_removed"`
	Pairs       []jsonUse `json:"profile,omitempty"`
	// Symmetry, of a search that reduces it: the threads with several instances.
	Symmetry []jsonSymmetry `json:"symmetry,omitempty"`
	// Advice of a search that did not come to its end: what it expects of others.
	Advice string `json:"advice,omitempty"`
	// Decisions of auto, in words.
	Decisions []string `json:"decisions,omitempty"`
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
	// Why explains a deadlock, of the first maxExplained ones.
	Why *deadlock.Explanation `json:"why,omitempty"`
}

// maxExplained is how many deadlocks are explained in JSON.
const maxExplained = 100

type jsonViolation struct {
	Kind     explore.ViolationKind `json:"kind"`
	Text     string                `json:"text"`
	Count    int64                 `json:"count"`
	Schedule string                `json:"schedule,omitempty"` // with few switches
	Cycle    string                `json:"cycle,omitempty"`    // what goes round for ever behind it
	Found    string                `json:"found,omitempty"`    // as the search came upon it
	Replay   string                `json:"replay,omitempty"`
	History  *replay.History       `json:"history,omitempty"` // of a violation of linearizability
	// Simulated, of one that the search did not come to.
	Simulated bool `json:"simulated,omitempty"`
}

// A jsonGroup are violations at one place with one message, which happen to several instances of a thread.
type jsonGroup struct {
	Text    string `json:"text"`    // as the report shows it
	Shown   int    `json:"shown"`   // the number of the one that the report shows, from 0
	Members []int  `json:"members"` // numbers of all
	Threads string `json:"threads,omitempty"`
	// In at least and in at most so many executions.
	Least int64 `json:"at_least"`
	Most  int64 `json:"at_most"`
}

// groupsJSON lists the groups with several members.
func (r *report) groupsJSON() (list []jsonGroup) {
	for _, g := range r.groups() {
		if len(g.members) == 1 {
			continue
		}
		j := jsonGroup{Text: r.violationText(g.shown), Shown: g.number, Threads: g.threads(r.m.Program)}
		j.Least, j.Most = r.count(&g)
		for _, v := range g.members {
			j.Members = append(j.Members, slices.Index(r.result.Violations, v))
		}
		list = append(list, j)
	}
	return list
}

func searchJSON(r *explore.Result, set *constraints.Set) jsonSearch {
	c := &r.Constraints
	var symmetry []jsonSymmetry
	for _, i := range r.Symmetry {
		symmetry = append(symmetry, jsonSymmetry{i.Template.Name, i.Template.Count, i.Why == "", i.Why})
	}
	return jsonSearch{r.Algorithm, r.Stopped, r.Workers, r.Executions, r.Ended, r.Deadlocked, r.Failed, r.Dropped, r.Blocked, r.Cut, r.Barred, r.Virtual, r.Nodes,
		r.Events, r.MaxDepth, r.Races, r.Sequences, r.Compared, r.Compensated, r.States, r.Revisits + r.Cycles, r.Memory, c.Evaluated, c.Held, c.Static, c.Removed,
		usesJSON(r, set), symmetry, r.Advice(), r.Decisions}
}

// A jsonLiveness is what was found out about executions as a whole.
type jsonLiveness struct {
	Decided     bool   `json:"decided"`
	Open        string `json:"open,omitempty"`        // why not
	Termination string `json:"termination,omitempty"` // all-end, end-if-weak, end-if-strong, need-not-end, cannot-end
	// FairTo are the processes to which the scheduler must be fair so that executions end.
	FairTo   []string `json:"fair_to,omitempty"`
	Cycle    string   `json:"cycle,omitempty"` // a lasso that can be left
	Lost     int      `json:"lost,omitempty"`  // states from which no end can be reached
	Fairness string   `json:"fairness"`        // that is taken for granted for eventually and leads_to: weak or strong
	States   int      `json:"states"`          // of the full graph; 0: none was needed, or it was too large
	Edges    int      `json:"edges"`
	Bytes    int64    `json:"bytes"`
}

func livenessJSON(r *report) *jsonLiveness {
	l := r.result.Liveness
	if l == nil {
		return nil
	}
	out := &jsonLiveness{Decided: l.Open == "", Open: l.Open, Fairness: l.Fairness.String(), States: l.States, Edges: l.Edges, Bytes: l.Bytes}
	if t := l.Termination; t != nil {
		out.Termination, out.Lost = t.Class.String(), t.Lost
		for _, p := range t.Needs {
			out.FairTo = append(out.FairTo, r.m.Program.Procs[p].Name)
		}
		if t.Leavable != nil {
			out.Cycle = schedules.FormatLasso(r.m, t.Leavable)
		}
	}
	return out
}

func usesJSON(r *explore.Result, set *constraints.Set) (list []jsonUse) {
	for _, u := range uses(r, set) {
		list = append(list, jsonUse{u.steps, u.uniform, u.commute, u.Evaluated, u.Held, u.Removed, u.Static, u.Sequences})
	}
	return list
}

// printJSON writes the report for programs. There may be millions of outcomes: they are written one by one to where the
// rest has empty lists.
func (r *report) printJSON(to io.Writer) error {
	var text bytes.Buffer
	if err := writeJSON(&text, r.json()); err != nil {
		return err
	}
	w := bufio.NewWriterSize(to, 1<<16)
	rest := text.Bytes()
	for _, list := range []struct {
		name   string
		ends   explore.OutcomeSet
		values func(*step.Program, []int64) []replay.Value
	}{{"outcomes", r.result.Outcomes, replay.Observed}, {"deadlocks", r.result.Deadlocks, replay.Shared}} {
		start := []byte("\n  \"" + list.name + "\": [")
		before, after, _ := bytes.Cut(rest, start)
		w.Write(before)
		w.Write(start)
		var b []byte
		for i, o := range list.ends.All() {
			b = appendOutcome(b[:0], i+1, list.values(r.m.Program, o.Words), o.Count)
			b = schedules.Append(append(b, `"schedule": "`...), r.m, o.Schedule)
			b = append(b, '"')
			if list.name == "deadlocks" && i < maxExplained {
				b = appendWhy(b, r.t.Why(o.Words, o.Schedule))
			}
			b = append(b, "\n    }"...)
			if i+1 < list.ends.Len() {
				b = append(b, ',')
			} else {
				b = append(b, "\n  "...)
			}
			w.Write(b)
		}
		rest = after
	}
	w.Write(rest)
	return w.Flush() // with the first error of all
}

// appendOutcome appends a jsonOutcome up to its schedule, as writeJSON would write it in the list of a report.
func appendOutcome(b []byte, number int, values []replay.Value, count int64) []byte {
	b = strconv.AppendInt(append(b, "\n    {\n      \"number\": "...), int64(number), 10)
	b = append(b, ",\n      \"values\": {"...)
	slices.SortStableFunc(values, func(a, b replay.Value) int { return cmp.Compare(a.Name, b.Name) })
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(b, "\n        "...), v.Name)
		b = appendText(append(b, ": "...), v.Text)
	}
	if len(values) > 0 {
		b = append(b, "\n      "...)
	}
	b = append(b, "},\n      \"count\": "...)
	return append(strconv.AppendInt(b, count, 10), ",\n      "...)
}

// appendWhy appends the explanation of a deadlock to its jsonOutcome.
func appendWhy(b []byte, why *deadlock.Explanation) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("      ", "  ")
	_ = e.Encode(why) // cannot fail
	return append(append(b, ",\n      \"why\": "...), bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}

// appendText appends a JSON string as writeJSON writes it.
func appendText(b []byte, text string) []byte {
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			var escaped bytes.Buffer
			e := json.NewEncoder(&escaped)
			e.SetEscapeHTML(false)
			_ = e.Encode(text) // cannot fail
			return append(b, bytes.TrimSuffix(escaped.Bytes(), []byte("\n"))...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

func programJSON(prog *step.Program) jsonProgram {
	j := jsonProgram{Name: prog.Name, Path: prog.Path, Parameters: append([]string{}, parameters(prog)...)}
	for _, p := range prog.Procs {
		j.Processes = append(j.Processes, p.Name)
	}
	return j
}

// json is the report for programs, without outcomes and deadlocks.
func (r *report) json() *jsonReport {
	prog, k := r.m.Program, r.knowledge
	out := &jsonReport{Cdpor: jsonVersion, Verdict: r.result.Verdict, Stopped: r.result.Stopped, Search: searchJSON(r.result, k.Set),
		Program:     programJSON(prog),
		Constraints: jsonConstraints{Trust: k.Trust, Origin: k.Origin, Path: k.Path, Seconds: k.Time.Seconds()},
		Price:       priceOf(r.m), Liveness: livenessJSON(r), Invariants: r.invariants,
		Outcomes: []jsonOutcome{}, Deadlocks: []jsonOutcome{}, Violations: []jsonViolation{}, Seconds: r.time.Seconds(), Checkpoint: r.checkpoint,
		Unchecked: uncheckedJSON(prog, r.result), Coverage: r.coverage}
	if prog.Spec != nil {
		out.Histories = &jsonHistories{r.result.Histories.Len(), r.result.NotLinearizable}
	}
	if k.Set != nil {
		c := count(k.Set)
		out.Constraints.census, out.Constraints.Digest = &c, k.Set.Digest
	}
	if r.rival != nil {
		s := searchJSON(r.rival, k.Set)
		out.Compared = &s
	}
	for _, v := range r.result.Violations {
		out.Violations = append(out.Violations, r.violationJSON(v))
	}
	out.Groups, out.Simulation = r.groupsJSON(), r.simulationJSON()
	return out
}

func (r *report) violationJSON(v *explore.Violation) jsonViolation {
	j := jsonViolation{Kind: v.Kind, Text: r.violationText(v), Count: v.Count, History: r.historyOf(v), Simulated: slices.Contains(r.onlySimulated, v)}
	if v.Schedule != nil {
		schedule := r.schedule(v)
		j.Cycle = schedules.Format(r.m, v.Cycle)
		j.Schedule, j.Found, j.Replay = schedules.Format(r.m, schedule), schedules.Format(r.m, v.Schedule), r.replayOf(v)
	}
	return j
}

func (r replayed) printJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
