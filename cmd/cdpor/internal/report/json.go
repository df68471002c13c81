package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
)

// The JSON form of a report.
type JSON struct {
	Cdpor       int                    `json:"cdpor"`
	Program     output.Program         `json:"program"`
	Verdict     explore.Verdict        `json:"verdict"`
	Stopped     string                 `json:"stopped"`
	Constraints jsonConstraints        `json:"constraints"`
	Search      output.Search          `json:"search"`
	Outcomes    []jsonOutcome          `json:"outcomes"`
	Deadlocks   []jsonOutcome          `json:"deadlocks"`
	Violations  []jsonViolation        `json:"violations"`
	Distinct    int                    `json:"distinct_violations"`
	Groups      []jsonGroup            `json:"violation_groups,omitempty"`
	Simulation  *jsonSimulation        `json:"simulation,omitempty"`
	Holds       []claims.JSONClaim     `json:"holds,omitempty"`
	Unchecked   []claims.JSONUnchecked `json:"unchecked,omitempty"`
	Closer      *jsonAtomicity         `json:"closer,omitempty"`
	Unreleased  []jsonUnreleased       `json:"unreleased,omitempty"`
	Bounds      []hit                  `json:"bounds,omitempty"`
	Raised      string                 `json:"raised,omitempty"`
	Early       []string               `json:"early,omitempty"`
	Coverage    *coverage              `json:"coverage,omitempty"`
	Price       *price                 `json:"always,omitempty"`
	Histories   *jsonHistories         `json:"histories,omitempty"`
	Liveness    *jsonLiveness          `json:"liveness,omitempty"`
	Invariants  *invariants.Check      `json:"invariants,omitempty"`
	Seconds     float64                `json:"seconds"`
	Checkpoint  string                 `json:"checkpoint,omitempty"`
}

// jsonHistories count the histories of operations, of a program with a specification.
type jsonHistories struct {
	Distinct        int   `json:"distinct"`
	NotLinearizable int64 `json:"not_linearizable"`
}

type jsonConstraints struct {
	Trust   source.Trust `json:"trust"`
	Origin  string       `json:"origin"`
	Path    string       `json:"path,omitempty"`
	Digest  string       `json:"digest,omitempty"`
	Seconds float64      `json:"seconds"`
	*output.PairCounts
}

type jsonOutcome struct {
	Number   int                        `json:"number"` // as for --show; deadlocks are counted for themselves
	Values   map[string]json.RawMessage `json:"values"`
	Count    int64                      `json:"count"`
	Schedule string                     `json:"schedule"`
	// Why explains a deadlock, of the first maxExplained ones.
	Why *deadlock.Explanation `json:"why,omitempty"`
}

// maxExplained is the number of deadlocks that are explained in JSON.
const maxExplained = 100

type jsonViolation struct {
	Kind explore.ViolationKind `json:"kind"`
	Text string                `json:"text"`
	output.Place
	Count    int64           `json:"count"`
	Schedule string          `json:"schedule,omitempty"` // with few switches
	Cycle    string          `json:"cycle,omitempty"`    // what goes round for ever behind it
	Found    string          `json:"found,omitempty"`    // as the search came upon it
	Replay   string          `json:"replay,omitempty"`
	History  *replay.History `json:"history,omitempty"` // of a violation of linearizability
	// Simulated, of one that the search did not come to.
	Simulated bool `json:"simulated,omitempty"`
	Known     bool `json:"known,omitempty"` // to a baseline
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

// inOrder are the violations as the text has them: those that it shows, and then the other members of their groups.
func (r *Report) inOrder() (list []*explore.Violation) {
	for _, g := range r.Groups() {
		list = append(list, g.Shown)
	}
	for _, g := range r.Groups() {
		list = append(list, slices.DeleteFunc(slices.Clone(g.members),
			func(v *explore.Violation) bool { return v == g.Shown })...)
	}
	return list
}

// groupsJSON lists the groups with several members, by the numbers that the violations have in a list.
func (r *Report) groupsJSON(violations []*explore.Violation) (list []jsonGroup) {
	for _, g := range r.Groups() {
		if len(g.members) == 1 {
			continue
		}
		j := jsonGroup{Text: r.ViolationText(g.Shown), Shown: g.index, Threads: g.threads()}
		j.Least, j.Most = g.count()
		for _, v := range g.members {
			j.Members = append(j.Members, slices.Index(violations, v))
		}
		list = append(list, j)
	}
	return list
}

// A jsonLiveness has the results about termination and liveness.
type jsonLiveness struct {
	Decided     bool   `json:"decided"`
	Open        string `json:"open,omitempty"`        // why not
	Termination string `json:"termination,omitempty"` // all-end, end-if-weak, end-if-strong, need-not-end, cannot-end
	// FairTo are the processes to which the scheduler must be fair so that executions end.
	FairTo   []string `json:"fair_to,omitempty"`
	Cycle    string   `json:"cycle,omitempty"` // a lasso that can be left
	Fairness string   `json:"fairness"`        // that is taken for granted for eventually and leads_to: weak or strong
	States   int      `json:"states"`          // of the full graph; 0: none was needed, or it was too large
	Edges    int      `json:"edges"`
	Bytes    int64    `json:"bytes"`
}

func livenessJSON(r *Report) *jsonLiveness {
	l := r.Result.Liveness
	if l == nil {
		return nil
	}
	out := &jsonLiveness{Decided: l.Open == "", Open: l.Open, Fairness: l.Fairness.String(), States: l.States,
		Edges: l.Edges, Bytes: l.Bytes}
	if t := l.Termination; t != nil {
		out.Termination = t.Class.String()
		for _, p := range t.Needs {
			out.FairTo = append(out.FairTo, r.Machine.Program.Procs[p].Name)
		}
		if t.Leavable != nil {
			out.Cycle = schedules.FormatLasso(r.Machine, t.Leavable)
		}
	}
	return out
}

// printJSON writes the report for programs. There may be millions of outcomes: they are written one by one to where the
// rest has empty lists.
func (r *Report) printJSON(to io.Writer) error {
	var text bytes.Buffer
	if err := output.Write(&text, r.json()); err != nil {
		return err
	}
	w := bufio.NewWriterSize(to, 1<<16)
	rest := text.Bytes()
	for _, list := range []struct {
		name  string
		ends  explore.OutcomeSet
		parts []replay.Part
	}{
		{"outcomes", r.Result.Outcomes, replay.ObservedParts(r.Machine.Program)},
		{"deadlocks", r.Result.Deadlocks, replay.SharedParts(r.Machine.Program)},
	} {
		start := []byte("\n  \"" + list.name + "\": [")
		before, after, _ := bytes.Cut(rest, start)
		w.Write(before)
		w.Write(start)
		slices.SortStableFunc(list.parts, func(a, b replay.Part) int { return cmp.Compare(a.Name, b.Name) })
		names := make([][]byte, len(list.parts))
		for i, p := range list.parts {
			names[i] = append(output.AppendText([]byte("\n        "), p.Name), ": "...)
		}
		var b []byte
		var o explore.Outcome
		for i := range list.ends.Len() {
			list.ends.Read(i, &o)
			b = strconv.AppendInt(append(b[:0], "\n    {\n      \"number\": "...), int64(i+1), 10)
			b = r.appendValues(append(b, ",\n      \"values\": {"...), list.parts, names, o.Words)
			b = strconv.AppendInt(append(b, "},\n      \"count\": "...), o.Count, 10)
			b = schedules.Append(append(b, ",\n      \"schedule\": \""...), r.Machine, o.Schedule)
			b = append(b, '"')
			if list.name == "deadlocks" && i < maxExplained {
				b = appendWhy(b, r.Player.Why(o.Words, o.Schedule))
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

// appendValues appends the values of an end, each behind its name.
func (r *Report) appendValues(b []byte, parts []replay.Part, names [][]byte, words []int64) []byte {
	empty := len(b)
	for i, p := range parts {
		start := len(b)
		if start > empty {
			b = append(b, ',')
		}
		var ok bool
		if b, ok = p.AppendJSON(append(b, names[i]...), r.Machine.Program, words); !ok {
			b = b[:start]
		}
	}
	if len(b) > empty {
		b = append(b, "\n      "...)
	}
	return b
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

// json is the report for programs, without outcomes and deadlocks.
func (r *Report) json() *JSON {
	prog, k := r.Machine.Program, r.Knowledge
	out := &JSON{Cdpor: output.Version, Verdict: r.Result.Verdict, Stopped: r.Result.Stopped,
		Search:      output.SearchOf(r.Result, k.Set),
		Program:     output.ProgramOf(prog),
		Constraints: jsonConstraints{Trust: k.Trust, Origin: k.Origin, Path: k.Path, Seconds: k.Time.Seconds()},
		Price:       priceOf(r.Machine), Liveness: livenessJSON(r), Invariants: r.Invariants,
		Outcomes: []jsonOutcome{}, Deadlocks: []jsonOutcome{}, Violations: []jsonViolation{}, Seconds: r.Time.Seconds(),
		Checkpoint: r.Checkpoint,
		Holds:      claims.HeldJSON(prog, r.Result.Held),
		Unchecked:  claims.UncheckedJSON(prog, r.Result.Unchecked, r.Result.Dropped, claims.ScopeOf(r.Result)),
		Bounds:     r.boundsHit(), Raised: r.Raised, Early: r.Early(),
		Coverage: r.coverage, Closer: r.Atomicity.json(prog), Unreleased: r.unreleasedJSON()}
	if prog.Spec != nil {
		out.Histories = &jsonHistories{r.Result.Histories.Len(), r.Result.NotLinearizable}
	}
	if k.Set != nil {
		c := output.CountsOf(k.Set)
		out.Constraints.PairCounts, out.Constraints.Digest = &c, k.Set.Digest
	}
	violations := r.inOrder()
	for _, v := range violations {
		out.Violations = append(out.Violations, r.violationJSON(v))
	}
	out.Distinct, out.Groups, out.Simulation = len(r.Groups()), r.groupsJSON(violations), r.simulationJSON()
	return out
}

func (r *Report) violationJSON(v *explore.Violation) jsonViolation {
	j := jsonViolation{Kind: v.Kind, Text: r.ViolationText(v), Place: r.Place(v), Count: v.Count,
		History: historyOf(r.Player, v), Simulated: slices.Contains(r.onlySimulated, v), Known: r.known[v]}
	if v.Schedule != nil {
		schedule := r.schedule(v)
		j.Cycle = schedules.Format(r.Machine, v.Cycle)
		j.Schedule, j.Found, j.Replay = schedules.Format(r.Machine, schedule), schedules.Format(r.Machine, v.Schedule),
			r.replayOf(v)
	}
	return j
}
