package expect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/junit"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/oracle"
	"cdpor/explore/replay"
	"cdpor/lang"
	"cdpor/lang/step"
)

const (
	// maxOracleStates bounds the plain search behind the key states.
	maxOracleStates = 5_000_000
	// maxNodes bounds what an algorithm may visit that an entry does not depend on. More than that says nothing about
	// it.
	maxNodes = 200_000
)

// A subject is a program with parameters.
type subject struct {
	src  *lang.Source
	m    *step.Machine
	t    *replay.Player
	know *source.Source // nil until it is needed
	live *explore.Liveness
	// invariants in all states, when a search that does not come to all of them has ended.
	invariants *invariants.Check
}

// An expectation is an entry that is being run.
type expectation struct {
	*Runner
	*subject
	want    *lang.Expect
	results map[string]*explore.Result
	order   []string // algorithms in the order in which they ran to the end
	tooBig  []string // algorithms that were given up
	facts   []string // what was compared
	wrong   failures
	skip    string
}

// run compares what is wanted with what the algorithms find.
func (x *expectation) run() error {
	w := x.want
	algorithms, err := x.algorithms()
	if err != nil {
		x.wrong.say("%v", err)
		return nil
	}
	if len(w.Algorithms) == 0 && (w.Executions != nil || w.Blocked != nil) {
		x.wrong.say("executions and blocked need an algorithm")
		return nil
	}
	for _, a := range algorithms {
		if a.Constraints && !a.Chooses && x.NoConstraints && x.named() {
			x.skip = "without constraints"
			return nil
		}
		if err := x.explore(a, !x.named() && a.Name != "source" && a.Name != "optimal"); err != nil {
			return err
		}
		if x.Context.Err() != nil {
			return nil
		}
	}
	for _, name := range x.order {
		x.compare(name)
	}
	if len(x.tooBig) > 0 && len(x.order) > 0 {
		x.facts = append(x.facts, "too large for "+strings.Join(x.tooBig, ", "))
	}
	if w.States != nil {
		return x.states()
	}
	return nil
}

// named reports whether the entry names its algorithms one by one.
func (x *expectation) named() bool {
	return len(x.want.Algorithms) > 0 && !slices.Contains(x.want.Algorithms, everyAlgorithm)
}

// everyAlgorithm stands in an entry for all algorithms.
const everyAlgorithm = "all"

// algorithms are those that an entry is about: those that it names; what cdpor run takes, and for traces those whose
// executions are the traces; or all, which must agree. Then source and optimal have all the time they need, the others
// are given up when the program is too large for them, and those that store no states are left out where executions
// need not end.
func (x *expectation) algorithms() (list []*explore.Algorithm, err error) {
	names := x.want.Algorithms
	every := slices.Contains(names, everyAlgorithm) || len(names) == 0 && x.EveryAlgorithm
	if every {
		for _, a := range explore.Algorithms() {
			if a.Stateful || a.Chooses || !x.endless() {
				list = append(list, a)
			}
		}
		return list, nil
	}
	if len(names) == 0 {
		names = []string{"auto"}
		if x.want.Traces != nil {
			names = append(names, "source", "optimal")
		}
	}
	for _, name := range names {
		a, err := explore.Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// endless reports whether the program is known to have executions that do not end.
func (x *expectation) endless() bool {
	t := x.live.Termination
	return t != nil && t.Class != liveness.AllEnd
}

func (x *expectation) explore(a *explore.Algorithm, bounded bool) error {
	ctx, cancel := context.WithCancel(x.Context)
	defer cancel()
	opt := explore.Options{Progress: func(r *explore.Result) {
		x.Progress.Exploring(r)
		if bounded && r.Nodes > maxNodes {
			cancel()
		}
	}}
	if compare.UsesConstraints(a) && !x.NoConstraints {
		if x.know == nil {
			var err error
			if x.know, err = source.Synthesise(x.Context, x.m.Program, x.Host,
				&source.CacheFlags{NoCache: true}); err != nil {
				if x.Context.Err() != nil {
					return nil
				}
				return err
			}
			if x.know.Set == nil && x.named() {
				x.skip = "without a solver"
				return nil
			}
		}
		if x.know.Set != nil {
			opt.Conditions = x.know.Set.Compile(x.m)
		}
	}
	if a.Chooses && !x.NoConstraints {
		ask, err := source.NewAsker(x.m, x.Host, &source.CacheFlags{NoCache: true})
		if err != nil {
			return err
		}
		defer ask.Close()
		ask.Answers(x.m, &opt, func(*source.Source) {})
	}
	opt.GiveUp = limits.GivingUp(ctx)
	res, err := explore.Run(ctx, x.m, a, opt)
	if err != nil {
		return err
	}
	if ctx.Err() != nil && x.Context.Err() == nil {
		x.tooBig = append(x.tooBig, a.Name)
		return nil
	}
	res.Judge(x.live)
	if invariants.Missed(x.m, res) {
		if x.invariants == nil {
			if x.invariants, err = invariants.Find(x.Context, x.m, x.know, 0); err != nil {
				return err
			}
		}
		x.invariants.AddTo(res, x.m)
	}
	x.results[a.Name] = res
	x.order = append(x.order, a.Name)
	return nil
}

// compare holds one result against the entry.
func (x *expectation) compare(name string) {
	w, r := x.want, x.results[name]
	number := func(key string, want *int64, got int64) {
		if want == nil {
			return
		}
		if got != *want {
			x.wrong.gives(fmt.Sprintf("%s: %d expected", key, *want), name, fmt.Sprint(got), "")
		} else if fact := fmt.Sprintf("%s %d", key, got); !slices.Contains(x.facts, fact) {
			x.facts = append(x.facts, fact)
		}
	}
	a, err := explore.Find(name)
	if err == nil && a.Traces || x.named() {
		number("traces", w.Traces, r.Executions)
	}
	if err == nil && a.Stateful && r.States > 0 { // counted by exhaustive on its way
		number("states", w.States, r.States)
	}
	if name == "optimal" && r.Blocked > 0 {
		x.wrong.say("optimal has %s", terminal.Plural(int(r.Blocked), "blocked execution"))
	}
	number("outcomes", w.Outcomes, int64(r.Outcomes.Len()))
	number("deadlocks", w.Deadlocks, int64(r.Deadlocks.Len()))
	number("histories", w.Histories, int64(r.Histories.Len()))
	number("executions", w.Executions, r.Executions)
	number("blocked", w.Blocked, r.Blocked)
	x.verdict(name, r)
	if other := x.results[x.order[0]]; other != r {
		if difference := compare.Disagreement(other, r); difference != "" {
			x.wrong.gives("the same "+difference+" as with "+other.Algorithm+" expected", name, "others", "")
		}
	}
}

// verdict compares the verdict: ok if nothing else is wanted. A deadlock is one of several kinds of violations:
// deadlock means deadlocks and nothing else, violation something else, beside deadlocks or not.
func (x *expectation) verdict(name string, r *explore.Result) {
	want := x.want.Verdict
	if want != string(explore.Vacuous) && x.AllowVacuous {
		r.AllowVacuous()
	}
	x.fails(name, r)
	got := string(r.Verdict)
	others := slices.ContainsFunc(r.Violations,
		func(v *explore.Violation) bool { return v.Kind != explore.DeadlockFound })
	switch {
	case want == "" && len(x.want.Fails) > 0:
		want = string(explore.Violated)
	case want == "":
		want = string(explore.OK)
	case r.Deadlocked > 0 && !others && (want == "deadlock" || want == string(explore.Violated)):
		got = "deadlock"
	}
	if got != want {
		text := ""
		if len(r.Violations) > 0 {
			text = (&report.Report{Machine: x.m, Player: x.t, Result: r,
				Options: report.Options{NoMinimize: true}}).ViolationsInShort()
		} else {
			text = strings.Join(report.UncheckedTexts(x.m.Program, r), "; ")
		}
		x.wrong.gives("verdict: "+want+" expected", name, got, text)
	} else if fact := "verdict " + got; !slices.Contains(x.facts, fact) {
		x.facts = append(x.facts, fact)
	}
	for _, text := range report.UncheckedTexts(x.m.Program, r) {
		if fact := "unchecked: " + text; r.Stopped == explore.StoppedComplete && !slices.Contains(x.facts, fact) {
			x.facts = append(x.facts, fact)
		}
	}
}

// fails compares what fails with the list of the entry: each item is the kind of a violation or a part of its text, and
// stands for all that it fits.
func (x *expectation) fails(name string, r *explore.Result) {
	if x.want.Fails == nil {
		return
	}
	fits := make([]bool, len(x.want.Fails))
	for _, v := range r.Violations {
		text, listed := x.t.Text(v), false
		for i, item := range x.want.Fails {
			if item == string(v.Kind) || strings.Contains(text, item) {
				fits[i], listed = true, true
			}
		}
		if !listed {
			x.wrong.gives("fails: nothing else expected", name, text, "")
		}
	}
	for i, item := range x.want.Fails {
		if !fits[i] {
			x.wrong.gives("fails: "+item+" expected", name, "nothing of this kind or with this text", "")
		}
	}
}

// states counts the reachable states with the oracle.
func (x *expectation) states() error {
	graph, err := oracle.Search(x.m, maxOracleStates)
	fact := fmt.Sprintf("states %d", *x.want.States)
	switch {
	case errors.Is(err, oracle.ErrLimit):
		x.wrong.say("states: more than %d", maxOracleStates)
	case err != nil:
		return err
	case int64(graph.States) != *x.want.States:
		x.wrong.say("states: %d expected, there are %d", *x.want.States, graph.States)
	case !slices.Contains(x.facts, fact):
		x.facts = append(x.facts, fact)
	}
	return nil
}

// Overrides is the parameters of an entry as text.
func Overrides(e *lang.Expect) (text string) {
	for _, k := range slices.Sorted(maps.Keys(e.With)) {
		text += " " + k + "=" + e.With[k]
	}
	return text
}

// title tells an entry from the others of its program, with a space in front.
func title(e *lang.Expect) string {
	text := Overrides(e)
	if len(e.Algorithms) > 0 {
		text += " (" + strings.Join(e.Algorithms, ", ") + ")"
	}
	return text
}

// junitCase is the entry in the report for CI services.
func (x *expectation) junitCase() *junit.Case {
	c := &junit.Case{Name: strings.TrimSpace(title(x.want)), Line: x.want.Pos.Line, Facts: strings.Join(x.facts, ", ")}
	if c.Name == "" {
		c.Name = "as it is"
	}
	switch {
	case len(x.wrong) > 0:
		c.Failure = &junit.Message{Message: x.wrong[0].String(), Text: strings.Join(x.wrong.texts(), "\n")}
	case x.skip != "":
		c.Skipped = &junit.Message{Message: x.skip}
	}
	return c
}

// print writes the line of an entry, and what is wrong below it.
func (x *expectation) print(path string) {
	if x.Context.Err() != nil {
		return // neither passed nor failed
	}
	x.Progress.Done()
	x.junit.Add(x.junitCase())
	name := path + title(x.want)
	out, at := x.Env.Stdout, path
	if x.want.Pos.Line > 0 { // there is an entry
		at += ":" + x.want.Pos.String()
	}
	say := func(format string, args ...any) { terminal.Print(out, format, args...) }
	if x.json != nil {
		x.json.Entries = append(x.json.Entries, x.entry(path))
		say = func(string, ...any) {}
	}
	switch {
	case len(x.wrong) > 0:
		x.Failed++
		say("%s  %s\n", x.Env.Colour(out).Bad("FAIL"), name)
		for _, text := range x.wrong.texts() {
			say("      %s: %s\n", at, text)
			x.Found = append(x.Found, &findings.Finding{Kind: "expectation", Text: text, Level: "error", Program: path,
				Place: findings.Place{File: path, Line: x.want.Pos.Line, Column: x.want.Pos.Col}})
			if x.Env.GitHub && x.json == nil {
				terminal.Annotate(out, "error", path, x.want.Pos, step.Pos{}, "expectation", text)
			}
		}
	case x.skip != "":
		x.Skipped++
		say("%s  %s: %s\n", x.Env.Colour(out).Doubt("skip"), name, x.skip)
	default:
		x.Passed++
		say("%s    %s: %s\n", x.Env.Colour(out).Good("ok"), name, strings.Join(x.facts, ", "))
	}
}
