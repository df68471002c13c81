package synth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/uniform"
)

// Claim is what an entry of a constraint set promises.
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

// A Run is what happens from the state of a finding.
type Run struct {
	Steps  []string // names of the steps, in order
	Ends   []string // how each of them ends: "done", "blocked", a run-time error
	Result []Binding
}

// A PairCheck is the verdict on one entry.
type PairCheck struct {
	Pair    *constraints.Pair
	Proved  bool // all claims
	Weakest bool // commute is the weakest condition
	// Weaker is the weakest condition, if commute is not and it was found; with WeakerStatus partial only a weaker one.
	Weaker       *step.Expr
	WeakerStatus constraints.Status
}

// A CheckReport is the verdict on a constraint set.
type CheckReport struct {
	Pairs      []PairCheck
	Findings   []*Finding
	Invariants []InvariantNote // those of the program; nothing relies on one that is not proved, so it is no finding
	Queries    int
}

// OK reports whether everything was proved.
func (r *CheckReport) OK() bool { return len(r.Findings) == 0 }

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
	for _, r := range f.Runs {
		var path []string
		for i, s := range r.Steps {
			if r.Ends[i] != "done" {
				s += " (" + r.Ends[i] + ")"
			}
			path = append(path, s)
		}
		lines = append(lines, strings.Join(path, "; ")+": "+bindings(r.Result))
	}
	return lines
}

func factText(f *constraints.Fact) string {
	if f.At == nil {
		return lang.FormatExpr(f.That, nil, nil)
	}
	return lang.FormatExpr(f.That, f.At.Template, nil) + " at " + f.At.Name()
}

func bindings(list []Binding) string {
	var parts []string
	for _, b := range list {
		parts = append(parts, b.Name+" = "+b.Value)
	}
	return strings.Join(parts, ", ")
}

// Check proves every entry of a constraint set, or shows a state in which it is wrong.
func Check(ctx context.Context, prog *step.Program, set *constraints.Set, opt Options) (*CheckReport, error) {
	s, err := NewSession(opt)
	if err != nil {
		return nil, err
	}
	return s.Check(ctx, prog, set)
}

// Check is like the function, with the solver of the session.
func (s *Session) Check(ctx context.Context, prog *step.Program, set *constraints.Set) (
	report *CheckReport, err error) {
	defer internal(&err)
	e := s.engine(ctx, prog)
	report = &CheckReport{Invariants: e.invariants()}
	given := map[*commute.Entry]*constraints.Pair{}
	for _, p := range set.Pairs {
		e.Lives = e.Lives || expr.MentionsLife(p.Commute) || expr.MentionsLife(p.Uniform)
	}
	for ab := range constraints.PairsOf(prog) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("check interrupted at the start: %w", err)
		}
		n := &commute.Entry{Pair: commute.Pair{A: ab[0], B: ab[1], Independent: constraints.Independent(ab[0], ab[1])},
			Found: commute.Found{Commute: constraints.Truth(false), Uniform: constraints.Truth(false)}}
		if p, _ := set.Find(ab[0], ab[1]); p != nil {
			n.A, n.B, n.Commute, n.Uniform = p.A, p.B, p.Commute, p.Uniform
			if !set.Unwritten(p) {
				given[n] = p
			}
		}
		n.Table, n.Reads = e.Table(n.A, n.B), expr.Shared(n.Uniform, nil)
		if !constraints.IsFalse(n.Uniform) {
			n.Kept = []bool{true}
		}
		e.Entries = append(e.Entries, n)
		e.Of[ab] = n
	}
	for _, f := range set.Assumed {
		if why := e.Facts.Doubt(f); why != "" {
			report.Findings = append(report.Findings, &Finding{Fact: f, Claim: Assumed, Pos: f.Pos, Why: why})
		}
	}
	report.Findings = append(report.Findings, e.claimed(set, report.Invariants)...)
	e.refuteInvariants(report.Invariants, mostReached)
	done := 0
	for _, n := range e.Entries {
		p := given[n]
		if p == nil {
			continue
		}
		e.watch(&Stage{Phase: Proving, Done: done, Total: len(given), A: n.A, B: n.B})
		verdict := PairCheck{Pair: p, Proved: true}
		findings := e.checkPair(n, p, &verdict)
		if len(findings) == 0 {
			findings = e.checkUniform(n, p)
		}
		verdict.Proved = len(findings) == 0
		if verdict.Proved && !verdict.Weakest {
			if w := e.Pair(n.A, n.B); w.Status == constraints.Exact ||
				w.Status == constraints.Partial && constraints.IsFalse(n.Commute) {
				verdict.Weaker, verdict.WeakerStatus = w.Commute, w.Status
			}
		}
		report.Pairs = append(report.Pairs, verdict)
		report.Findings = append(report.Findings, findings...)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("check interrupted after %d of %d pairs: %w", done, len(given), err)
		}
		if done++; s.opt.Progress != nil {
			s.opt.Progress(Stage{Phase: Proving, Done: done, Total: len(given)})
		}
	}
	e.refine(report.Findings, set)
	report.Queries = e.Oracle.Queries
	return report, nil
}

// claimed checks the invariants of a file: each is one that the program declares and that is proved inductive, or it
// follows from the ranges of the variables.
func (e *engine) claimed(set *constraints.Set, notes []InvariantNote) (findings []*Finding) {
	for _, f := range set.Invariants {
		text, why := lang.FormatExpr(f.That, nil, nil), ""
		declared := slices.IndexFunc(e.Prog.Invariants, func(inv *step.Property) bool {
			return lang.FormatExpr(inv.Expr, nil, nil) == text
		})
		switch {
		case declared >= 0 && notes[declared].Used || e.Facts.Doubt(f) == "":
			continue
		case declared >= 0:
			why = notes[declared].Why
		default:
			why = "the program does not declare it, and the ranges of the variables do not show it"
		}
		findings = append(findings, &Finding{Fact: f, Claim: Always, Pos: f.Pos, Why: why})
	}
	return findings
}

// checkPair checks commute, and that uniform implies it.
func (e *engine) checkPair(n *commute.Entry, p *constraints.Pair, verdict *PairCheck) (findings []*Finding) {
	if n.Independent && constraints.IsTrue(n.Commute) || p.Status == constraints.Ordered && e.Ordered(n.A, n.B) {
		verdict.Weakest = true // of the reachable states, which are none in the second case
		return nil
	}
	found := map[Claim]*Finding{}
	verdict.Weakest = true
	note := func(x *symbolic.Run, claim Claim, pos step.Pos, w func(*Finding) bool) {
		if old := found[claim]; (old == nil || !old.Refuted) && x.Allowed() {
			f := &Finding{Pair: p, Claim: claim, Pos: pos}
			if f.Refuted = w(f); !f.Refuted {
				f.Why = "the solver found no concrete state"
			}
			if old == nil {
				findings = append(findings, f)
			} else {
				*old = *f
			}
			if old == nil {
				found[claim] = f
			}
		}
	}
	failed := e.Explore("the entry of", func(r *symbolic.Run) {
		start := r.Store
		commute, uniform := r.Holds(n.Commute, 0, 1), r.Holds(n.Uniform, 0, 1)
		if uniform && !commute {
			note(r, Implies, p.UniformPos, func(f *Finding) bool { return e.showPair(r.Path, n, f) })
		}
		r.Store = start
		switch real := r.Commute(n.A, n.B); {
		case commute && !real:
			note(r, Commutes, p.CommutePos, func(f *Finding) bool { return e.showPair(r.Path, n, f) })
		case real && !commute && verdict.Weakest:
			verdict.Weakest = !r.Allowed()
		}
	}, n.A, n.B)
	if failed != "" {
		verdict.Weakest = false
		if !constraints.IsFalse(n.Commute) && len(findings) == 0 {
			findings = append(findings, &Finding{Pair: p, Claim: Commutes, Pos: p.CommutePos, Why: failed})
		}
	}
	if len(findings) > 0 {
		verdict.Weakest = false
	}
	return findings
}

// checkUniform checks forward and backward for one pair and all third steps.
func (e *engine) checkUniform(n *commute.Entry, p *constraints.Pair) (findings []*Finding) {
	if !n.Independent && symbolic.Starts(n.A, n.B) && !constraints.IsFalse(n.Uniform) {
		return []*Finding{{Pair: p, Claim: Forward, Third: n.B, Pos: p.UniformPos,
			Why: "steps that start processes are in no uniform relation: what is started happens after them"}}
	}
	if n.Independent || n.Uniform.Op == step.Const {
		return nil
	}
	if n.A == n.B && !e.symmetricUniform(n) {
		return []*Finding{{Pair: p, Claim: Forward, Third: n.B, Pos: p.UniformPos,
			Why: "uniform of a step with itself must mean the same when p and q are exchanged"}}
	}
	for _, t := range e.Prog.Templates {
		for _, q := range t.Steps {
			if !e.Disturbs(q, n) {
				continue
			}
			aq, bq := e.Find(n.A, q), e.Find(n.B, q)
			var first *Finding
			failed := e.Explore("the uniform part of the entry, beside a third step, of", func(r *symbolic.Run) {
				v := (&uniform.Trial{Run: r, E: e.Family}).Violation(n, q, aq, bq)
				if v.Kind == uniform.None || first != nil && first.Refuted || !r.Allowed() {
					return
				}
				first = &Finding{Pair: p, Claim: Forward, Third: q, Pos: p.UniformPos}
				if v.Kind == uniform.Backward {
					first.Claim = Backward
				}
				if first.Refuted = e.showTriple(r.Path, n, q, first); !first.Refuted {
					first.Why = "the solver found no concrete state"
				}
			}, n.A, n.B, q)
			if failed != "" && first == nil {
				first = &Finding{Pair: p, Claim: Forward, Third: q, Pos: p.UniformPos, Why: failed}
			}
			if first != nil {
				findings = append(findings, first)
			}
		}
	}
	return findings
}

func (e *engine) symmetricUniform(n *commute.Entry) bool {
	m := *n
	m.Commute = n.Uniform
	return e.Symmetric(&m)
}
