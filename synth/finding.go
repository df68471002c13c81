package synth

import (
	"fmt"
	"strings"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

// A Claim is the promise of an entry of a constraint set.
type Claim string

const (
	Commutes Claim = "commute"            // where commute holds, both orders lead to the same state
	Implies  Claim = "uniform => commute" // uniform is a part of commute
	Forward  Claim = "forward"            // an independent step does not destroy independence
	Backward Claim = "backward"           // an independent step does not create independence
	Assumed  Claim = "assuming"           // a fact of the file holds in every reachable state
	Always   Claim = "invariants"         // an invariant of the file does
)

// A Finding is a claim that is false, or that could not be proved.
type Finding struct {
	Pair    *constraints.Pair // nil for a fact
	Fact    *constraints.Fact // nil for a pair
	Claim   Claim
	Third   *step.Step // the step that breaks it: forward and backward, and declared invariants
	Pos     step.Pos   // of the condition, in the constraint file
	Refuted bool       // State shows that the claim is false; otherwise it could not be decided, for the reason Why
	Why     string
	State   []Binding
	Runs    []Run
	// Reach reports whether State can be reached, for which Looked states were looked at; if so, Schedule lists what
	// leads there: a process each, as step.Machine.ProcName names it, and behind a colon the alternative if it is not
	// the first.
	Reach    Reach
	Looked   int
	Schedule []string
}

// A Binding is a variable with its value. Locals are called p.x, q.x, r.x after the process of the first, second and
// third step.
type Binding struct{ Name, Value string }

// A Run is an execution from the state of a finding.
type Run struct {
	Steps  []string // names of the steps, in order
	Ends   []string // how each of them ends: "done", "blocked", a run-time error
	Result []Binding
}

// A Reach says whether the state of a finding can be reached.
type Reach string

const (
	ReachUnknown Reach = ""            // none of the states that were looked at shows it
	Reachable    Reach = "reachable"   // by the schedule of the finding
	Unreachable  Reach = "unreachable" // all reachable states were looked at, and none shows it
)

// Wrong reports whether the claim is false in a state that may be reached. One that is false only where the program
// never comes is not proved, and right.
func (f *Finding) Wrong() bool { return f.Refuted && f.Reach != Unreachable }

// Text renders a finding for people, several lines without the position.
func (f *Finding) Text() []string {
	if f.Fact != nil {
		what := "fact"
		if f.Claim == Always {
			what = "invariant"
		}
		if !f.Wrong() {
			return []string{fmt.Sprintf("cannot prove the %s %s: %s", what, factText(f.Fact), f.Why)}
		}
		if f.Third != nil {
			what = fmt.Sprintf("the %s %s does not hold after %s", what, factText(f.Fact), f.Third.Name())
		} else {
			what = fmt.Sprintf("the %s %s does not hold in a reachable state", what, factText(f.Fact))
		}
		return []string{what, "state: " + bindings(f.State), f.reachText()}
	}
	a, b := f.Pair.A.Name(), f.Pair.B.Name()
	var lines []string
	switch {
	case !f.Wrong():
		return []string{fmt.Sprintf("cannot prove %q of %s and %s: %s", string(f.Claim), a, b, f.Why)}
	case f.Claim == Commutes:
		lines = append(lines, fmt.Sprintf("commute of %s and %s holds in a state in which they do not commute", a, b))
	case f.Claim == Implies:
		lines = append(lines, fmt.Sprintf("uniform of %s and %s holds in a state in which commute does not", a, b))
	case f.Claim == Forward:
		lines = append(lines, fmt.Sprintf("uniform of %s and %s is destroyed by %s, which is independent of both",
			a, b, f.Third.Name()))
	default:
		lines = append(lines, fmt.Sprintf("uniform of %s and %s is created by %s, which is independent of one of them",
			a, b, f.Third.Name()))
	}
	lines = append(lines, "state: "+bindings(f.State))
	if text := f.reachText(); text != "" {
		lines = append(lines, text)
	}
	return append(lines, f.runTexts()...)
}

func factText(f *constraints.Fact) string {
	if f.At == nil {
		return lang.FormatExpr(f.That, nil, nil)
	}
	at := f.At.Name()
	if f.With != nil {
		at += " and " + f.With.Name()
	}
	return lang.FormatExpr(f.That, f.At.Template, nil) + " at " + at
}

func bindings(list []Binding) string {
	var parts []string
	for _, b := range list {
		parts = append(parts, b.Name+" = "+b.Value)
	}
	return strings.Join(parts, ", ")
}

// reachText says whether the state of a finding can be reached.
func (f *Finding) reachText() string {
	switch {
	case f.Reach == Reachable && len(f.Schedule) == 0:
		return "this is the initial state"
	case f.Reach == Reachable && len(f.Schedule) == 1:
		return "this state can be reached, in 1 step"
	case f.Reach == Reachable:
		return fmt.Sprintf("this state can be reached, in %d steps", len(f.Schedule))
	case f.Looked > 0:
		return fmt.Sprintf("none of the first %d reachable states shows it; whether this one can "+
			"be reached is not known", f.Looked)
	}
	return ""
}
