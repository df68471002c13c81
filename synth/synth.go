package synth

import (
	"context"
	"fmt"
	"path/filepath"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
)

// Synthesize finds the constraints of all pairs of steps of a program. The result depends on the program only. If the
// context ends meanwhile, the error says so and the set holds what was finished: the pairs that are done, without
// uniform parts, which take all pairs.
func Synthesize(ctx context.Context, prog *step.Program, opt Options) (*constraints.Set, *Report, error) {
	s, err := NewSession(opt)
	if err != nil {
		return nil, nil, err
	}
	return s.Synthesize(ctx, prog)
}

// Synthesize is like the function, with the solver of the session.
func (s *Session) Synthesize(ctx context.Context, prog *step.Program) (
	set *constraints.Set, report *Report, err error) {
	defer internal(&err)
	report = &Report{}
	set = &constraints.Set{Program: prog, Generator: Version(), ProgramName: prog.Name}
	if prog.Path != "" {
		set.ProgramName = filepath.Base(prog.Path)
	}
	set.Digest = constraints.Digest(prog)
	e, err := s.engine(ctx, prog)
	if err != nil {
		return set, report, fmt.Errorf("synthesis %w", err)
	}
	unfinished := e.all(report)
	if unfinished == nil && e.opt.Pairs == nil {
		e.refuteInvariants(report.Invariants, fewReached)
	}
	for _, n := range report.Invariants {
		if n.Used {
			set.InvariantsUsed = append(set.InvariantsUsed, n.Text)
		}
	}
	for _, inv := range e.lemma {
		set.Assumed = append(set.Assumed, &constraints.Fact{That: inv.Expr})
	}
	set.Assumed = append(set.Assumed, e.Facts.List()...)
	for _, n := range e.Entries {
		set.Pairs = append(set.Pairs, n.Result())
	}
	set.Define()
	set.SealAll()
	return set, report, unfinished
}

// all finds the entries of all pairs, and counts them.
func (e *engine) all(report *Report) error {
	defer e.count(report)
	left, err := e.begin()
	if err != nil {
		return fmt.Errorf("synthesis interrupted at the start: %w", err)
	}
	total := e.opt.budget()
	if left > 0 && len(claimed(e.Prog)) > 0 {
		e.Oracle.Share(total.Part(4), total)
		report.Invariants = e.invariants()
	}
	most := total.Minus(total.Minus(e.Oracle.Used).Part(3))
	asked := 0
	for _, n := range e.Entries {
		if n.Asked || e.opt.Pairs == nil {
			asked++
		}
	}
	done := 0
	e.pairsAhead()
	for i, n := range e.Entries {
		if e.opt.Pairs != nil && !n.Asked {
			continue
		}
		e.watch(&Stage{Phase: Commuting, Done: done, Total: asked, A: n.A, B: n.B})
		if n.Asked {
			share := most.Minus(e.Oracle.Used)
			if left > 1 {
				share = share.Part(left)
			}
			left--
			e.Oracle.Share(share, most)
			e.remembered(n)
		}
		if err := e.Ctx.Err(); err != nil {
			e.Entries = e.Entries[:i]
			e.withoutUniform()
			return fmt.Errorf("synthesis interrupted after %d of %d pairs: %w", done, asked, err)
		}
		if n.Cached {
			report.Cached++
		}
		if done++; e.opt.Progress != nil {
			e.opt.Progress(Stage{Phase: Commuting, Done: done, Total: asked})
		}
	}
	e.Oracle.Share(total.Minus(e.Oracle.Used), total)
	e.uniformParts()
	if err := e.Ctx.Err(); err != nil {
		e.withoutUniform()
		return fmt.Errorf("synthesis interrupted before the uniform parts were found: %w", err)
	}
	return nil
}

// begin makes the entries of all pairs, with what is known without any work, and says how many are to be worked on. If
// the context ends meanwhile, there are none.
func (e *engine) begin() (left int, err error) {
	for ab := range constraints.PairsOf(e.Prog) {
		if err := e.Ctx.Err(); err != nil {
			e.Entries = nil
			return 0, err
		}
		a, b := ab[0], ab[1]
		n := commute.UnknownEntry(a, b)
		switch {
		case constraints.Independent(a, b):
			n.Independent, n.Status, n.Commute, n.Uniform = true, constraints.Exact, constraints.Truth(true),
				constraints.Truth(true)
		case e.opt.Pairs != nil && !e.opt.Pairs(a, b):
			n.Why = whyNotAsked
		case !e.Meet.Possible(a, b):
			n.Status = constraints.Ordered
		default:
			n.Asked = true
			left++
		}
		e.Entries = append(e.Entries, n)
		e.Of[ab] = n
	}
	return left, nil
}

// whyNotAsked is why nothing is known of a pair that Options.Pairs leaves out.
const whyNotAsked = "not asked for"

// withoutUniform takes back the uniform parts, which are good for nothing before all of them are known.
func (e *engine) withoutUniform() {
	for _, n := range e.Entries {
		if !n.Independent {
			n.Uniform = constraints.Truth(false)
		}
	}
}

// count fills in the numbers of a report.
func (e *engine) count(report *Report) {
	for _, n := range e.Entries {
		report.Pairs++
		switch {
		case n.Independent:
			report.Independent++
			report.Exact++
		case n.Status == constraints.Exact:
			report.Exact++
		case n.Status == constraints.Partial:
			report.Partial++
		case n.Status == constraints.Ordered:
			report.Ordered++
		default:
			report.Unknown++
		}
		if n.Why != "" {
			report.Why = append(report.Why, Note{n.A, n.B, n.Why})
		}
		if n.Open {
			report.Open++
		}
		if n.Narrowed && !n.Open {
			report.Narrowed++
		}
		if n.Asked {
			report.Asked = append(report.Asked, PairReport{A: n.A, B: n.B, Status: n.Status, Why: n.Why, Open: n.Open,
				Narrowed: n.Narrowed, Cached: n.Cached, Cost: n.Cost})
		}
	}
	report.Cost = e.Oracle.Used
	report.Queries, report.GivenUp, report.Repairs = e.Oracle.Queries, e.givenUp(), e.Attempts
}

// givenUp is how many questions about this program were not decided within their units.
func (e *engine) givenUp() int { return e.Oracle.GivenUp() - e.givenUpBefore }
