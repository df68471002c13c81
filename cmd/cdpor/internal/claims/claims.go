package claims

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/step"
)

// A Scope is the part of the executions that a search has covered.
type Scope uint8

const (
	Everything   Scope = iota // all executions
	Part                      // those of a search that ended early
	NotFailing                // those that do not fail, where others do
	OneExecution              // a schedule that was run
)

// ScopeOf returns the scope of a search.
func ScopeOf(res *explore.Result) Scope {
	switch {
	case res.Stopped != explore.StoppedComplete:
		return Part
	case res.Fails():
		return NotFailing
	}
	return Everything
}

// none says that no execution does something.
func (s Scope) none(does string) string {
	switch s {
	case OneExecution:
		return "this execution does not " + strings.Replace(does, "comes", "come", 1)
	case Part:
		return "in the part that was explored, no execution " + does
	}
	return "no execution " + does
}

// maxListed is the number of steps that are listed.
const maxListed = 4

// Text says in one line what was not looked at.
func Text(prog *step.Program, u explore.Unchecked, dropped int64, s Scope) string {
	name := Name(prog, u.Claim)
	if u.Property != nil {
		name = prog.At(u.Property.Pos) + ": " + u.Property.Text
	}
	switch u.Kind {
	case explore.NoEnd:
		return s.none("came to an end, so ") + notLooked(prog)
	case explore.AllDropped:
		if prog.Bounded {
			return "a bound cut every execution that came to an end"
		}
		return s.none("that came to an end satisfies every assumption: assume dropped ") +
			terminal.Plural(int(dropped), "execution")
	case explore.NoNormalEnd:
		return s.none("ended normally")
	case explore.NoOperation:
		return s.none("that came to an end performed an operation: the specification was compared with nothing")
	case explore.NotPerformed:
		return prog.At(u.Operation.Pos) + ": operation " + u.Operation.Name + " was never performed"
	case explore.NotEverywhere:
		return name + " was looked at where the search came, which are not all states; check.always is " +
			"about all of them"
	case explore.OnlyDropped:
		return name + " holds at the end of executions that an assumption dropped, and of no other"
	case explore.NotReachedYet:
		return name + " holds at the end of no execution, but some fail before their end"
	case explore.NeverReached:
		what := s.none("comes to an access that could be part of a data race")
		if u.Node != nil {
			what = prog.At(u.Node.Pos) + ": " + u.Node.Text + ": " + s.none("comes to it")
		}
		if u.Unsure && s != Part && s != OneExecution {
			what += " of those that were explored; there are too many states to look at all"
		}
		return what
	case explore.OnlyAtStart:
		return prog.At(u.Property.Pos) + ": " + Name(prog, u.Claim) +
			" was looked at in the initial state only: no step that was taken writes what it reads"
	case explore.NothingToDo:
		claim := prog.At(u.Property.Pos) + ": " + Name(prog, u.Claim)
		switch u.Section {
		case "eventually":
			return claim + " holds at the start, so nothing has to happen"
		case "eventually_always":
			return claim + " holds in every state, so nothing has to settle; check.always says that"
		}
		return name + ": the left side never holds, so nothing has to follow"
	case explore.TestSkipped:
		return "the test skips itself in every execution"
	case explore.NeverRun:
		text := Steps(prog, u.Steps)
		if u.Unsure {
			text += ", in what was explored; there are too many states to look at all"
		}
		return text
	}
	return name + " was never evaluated"
}

// Steps names some of the steps of a program, and says how many there are.
func Steps(prog *step.Program, list []*step.Step) string {
	var names []string
	for _, s := range list {
		names = append(names, fmt.Sprintf("%s (%s)", s.Name(), prog.Place(s.Pos)))
	}
	all := 0
	for _, t := range prog.Templates {
		if t.Count > 0 {
			all += len(t.Steps)
		}
	}
	return fmt.Sprintf("%d of %s: %s", len(list), terminal.Plural(all, "step"), terminal.Listed(names, maxListed))
}

// notLooked says what nothing is known of when no execution ends.
func notLooked(prog *step.Program) string {
	c := &prog.Checks
	switch always := len(prog.Invariants)+len(c.Always)+len(c.Transition) > 0; {
	case always && c.Live():
		return "only what must always hold and executions as a whole were checked"
	case always:
		return "only what must always hold was checked"
	case c.Live():
		return "only executions as a whole were checked"
	}
	if prog.Asserts() {
		return "no property was checked, but for assertions where executions came to them"
	}
	return "no property was checked"
}

// Name calls a claim as the program does.
func Name(prog *step.Program, c explore.Claim) string {
	switch c.Section {
	case "assert":
		text, _, _ := strings.Cut(c.Node.Text, `, "`) // the message is for who breaks it
		return text
	case "spec":
		return "every history is linearizable"
	case "races":
		return "no data race"
	case "leak":
		return "no leaked goroutine"
	case "panic":
		return "no panic"
	case "test":
		return "no failed test"
	case "deadlock":
		if prog.Checks.Deadlock == step.DeadlockRequired {
			return "deadlock required"
		}
		return "no deadlock"
	case "termination":
		return "termination " + prog.Checks.Termination.String()
	}
	if c.Property != nil {
		return c.Section + " " + c.Property.Text
	}
	return c.Section
}

// Pos is where a claim stands.
func Pos(prog *step.Program, c explore.Claim) step.Pos {
	switch {
	case c.Property != nil:
		return c.Property.Pos
	case c.Node != nil:
		return c.Node.Pos
	case c.Operation != nil:
		return c.Operation.Pos
	case c.Section == "spec":
		return prog.Spec.Pos
	case c.Section == "deadlock":
		return prog.Checks.DeadlockPos
	case c.Section == "outcomes":
		return prog.Checks.OutcomesPos
	case c.Section == "termination":
		return prog.Checks.TerminationPos
	}
	return step.Pos{}
}

// Held says in a few words what was checked and holds; empty if that is nothing.
func Held(prog *step.Program, held []explore.Claim, s Scope) string {
	var items []string
	for i := 0; i < len(held); {
		section, n := held[i].Section, 0
		for ; i < len(held) && held[i].Section == section; i++ {
			n++
			text := terminal.Shorten(Name(prog, held[i]), 60)
			if n > 1 {
				text = strings.TrimPrefix(text, section+" ")
			}
			if at := Pos(prog, held[i]); at != (step.Pos{}) {
				text += " (" + prog.Place(at) + ")"
			}
			if held[i].Node != nil && held[i].Node.Cond.Number(0) {
				text += ", which nothing comes to"
			}
			items = append(items, text)
		}
	}
	text := strings.Join(items, ", ")
	if text != "" {
		text += map[Scope]string{Part: ", in the part that was explored", NotFailing: ", where no execution fails"}[s]
	}
	return text
}

// HeldGo lists the checks of a Go test that was executed, in which nothing was found.
func HeldGo(without ...string) (list []JSONClaim) {
	for _, section := range explore.GoSections {
		if !slices.Contains(without, section) {
			list = append(list, JSONClaim{Section: section,
				Text: Name(&step.Program{}, explore.Claim{Section: section})})
		}
	}
	return list
}

// A JSONClaim is a claim that was checked and holds.
type JSONClaim struct {
	Section string `json:"section"`
	Text    string `json:"text"`
	At      string `json:"at,omitempty"`
}

// HeldText names claims in one line.
func HeldText(list []JSONClaim) string {
	var texts []string
	for _, c := range list {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, ", ")
}

// HeldJSON lists what was checked and holds.
func HeldJSON(prog *step.Program, held []explore.Claim) (list []JSONClaim) {
	for _, c := range held {
		j := JSONClaim{Section: c.Section, Text: Name(prog, c)}
		if at := Pos(prog, c); at != (step.Pos{}) {
			j.At = prog.At(at)
		}
		list = append(list, j)
	}
	return list
}

// A JSONUnchecked is something that was not looked at.
type JSONUnchecked struct {
	Kind     explore.UncheckedKind `json:"kind"`
	Section  string                `json:"section,omitempty"`
	Property string                `json:"property,omitempty"`
	At       string                `json:"at,omitempty"`
	Steps    []string              `json:"steps,omitempty"`
	Unsure   bool                  `json:"unsure,omitempty"`
	Vacuous  bool                  `json:"vacuous"`
	Text     string                `json:"text"`
}

// UncheckedJSON lists what was not looked at.
func UncheckedJSON(prog *step.Program, list []explore.Unchecked, dropped int64, s Scope) (out []JSONUnchecked) {
	for _, u := range list {
		j := JSONUnchecked{Kind: u.Kind, Section: u.Section, Unsure: u.Unsure, Vacuous: u.Vacuous,
			Text: Text(prog, u, dropped, s)}
		switch {
		case u.Property != nil:
			j.Property = u.Property.Text
		case u.Node != nil:
			j.Property = u.Node.Text
		case u.Operation != nil:
			j.Property = u.Operation.Name
		}
		if at := Pos(prog, u.Claim); at != (step.Pos{}) {
			j.At = prog.At(at)
		}
		for _, s := range u.Steps {
			j.Steps = append(j.Steps, s.Name())
		}
		out = append(out, j)
	}
	return out
}

// Print writes what was not looked at, at most so many lines of it, and what was checked and holds.
func Print(w io.Writer, doubt func(string) string, prog *step.Program, unchecked []explore.Unchecked, dropped int64,
	held []explore.Claim, s Scope, most int) {
	lines := 0
	for _, u := range unchecked {
		text := Text(prog, u, dropped, s)
		if u.Kind == explore.NeverRun {
			fmt.Fprintf(w, "%-12s %s\n", "never run", text)
			continue
		}
		if lines++; lines <= most {
			fmt.Fprintf(w, "%s    %s\n", doubt("unchecked"), text)
		}
	}
	if lines > most {
		fmt.Fprintf(w, "%-12s ... and %d more\n", "", lines-most)
	}
	if text := Held(prog, held, s); text != "" {
		fmt.Fprintf(w, "%-12s %s\n", "holds", text)
	}
}
