package synth

import (
	"context"
	"fmt"
	"slices"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/uniform"
)

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
	e, err := s.engine(ctx, prog)
	if err != nil {
		return nil, fmt.Errorf("check %w", err)
	}
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
		lemma := func(inv *step.Property) bool { return f.At == nil && inv.Text == lang.FormatExpr(f.That, nil, nil) }
		if why := e.Facts.Doubt(f); why != "" && !slices.ContainsFunc(e.lemma, lemma) {
			report.Findings = append(report.Findings, &Finding{Fact: f, Claim: Assumed, Pos: f.Pos, Why: why})
		}
	}
	report.Findings = append(report.Findings, e.listed(set, report.Invariants)...)
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

// listed checks the invariants of a file: each is one that the program declares and that is proved inductive, or it
// follows from the ranges of the variables.
func (e *engine) listed(set *constraints.Set, notes []InvariantNote) (findings []*Finding) {
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
	failed := ""
	ask := func(r *symbolic.Run) {
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
	}
	e.Facts.Together(func() { failed = e.Explore("the entry of", ask, n.A, n.B) })
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
	if !n.Independent && symbolic.Starts(n.A, n.B) && !e.orderless(n) {
		return []*Finding{{Pair: p, Claim: Forward, Third: n.B, Pos: p.UniformPos,
			Why: "which step starts a process depends on their order, and the process happens after it"}}
	}
	if n.Independent || n.Uniform.Op == step.Const {
		return nil
	}
	if n.A == n.B && !e.Symmetric(n.Uniform, n.A, n.B) {
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

// orderless reports whether the uniform part of a pair holds only where each step starts the same in both orders.
func (e *engine) orderless(n *commute.Entry) bool {
	proved := true
	return e.Explore("each starts the same in both orders, of", func(r *symbolic.Run) {
		if start := r.Store; r.Holds(n.Uniform, 0, 1) {
			r.Store = start
			_, orderless, _ := r.Orderless(n.A, n.B)
			proved = proved && orderless
		}
	}, n.A, n.B) == "" && proved || constraints.IsFalse(n.Uniform)
}
