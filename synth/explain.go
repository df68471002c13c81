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
	"cdpor/synth/internal/uniform"
	"cdpor/synth/internal/wording"
)

// maxReasons bounds how many reasons an explanation has.
const maxReasons = 6

// An Explanation tells how the uniform part of a pair came about.
type Explanation struct {
	Pair        *constraints.Pair
	Independent bool   // no common data: nothing to find
	Why         string // why commute is not exact, if it is not
	Reasons     []*Reason
}

// A Reason is a third step and a state in which it would break uniformity, and what was given up for that.
type Reason struct {
	A, B    *step.Step // the pair whose condition the third step changes; usually the explained one
	Third   *step.Step
	Claim   Claim      // Forward or Backward
	Dropped *step.Expr // the states taken from uniform of the explained pair; nil: all of it
	More    int        // parts of uniform that were taken as well, for the same reason in other states
	State   []Binding  // empty if no concrete state was found
	Run     Run
}

// Text renders an explanation for people.
func (x *Explanation) Text() []string {
	p := x.Pair
	show := func(e *step.Expr) string { return lang.FormatExpr(e, p.A.Template, p.B.Template) }
	lines := []string{fmt.Sprintf("%s, %s", p.A.Name(), p.B.Name())}
	if x.Independent {
		return append(lines, "no run of one can touch what the other writes: they commute in every state")
	}
	if p.Status == constraints.Ordered {
		return append(lines, "no two processes are at these steps in one state: nothing was looked for, and "+
			"they count as dependent")
	}
	lines = append(lines, fmt.Sprintf("commute: %s (%s)", show(p.Commute), p.Status))
	if x.Why != "" {
		lines = append(lines, "  "+x.Why)
	}
	lines = append(lines, "uniform: "+show(p.Uniform))
	if len(x.Reasons) == 0 {
		if show(p.Commute) == show(p.Uniform) {
			lines = append(lines, "no third step destroys or creates what commute says, so all of it is uniform")
		}
		return lines
	}
	for i, r := range x.Reasons {
		what := "destroyed by %s, which is independent of both"
		if r.Claim == Backward {
			what = "created by %s, which is independent of one of them"
		}
		given := "everything"
		if r.Dropped != nil {
			given = show(r.Dropped)
		}
		switch {
		case r.More == 1:
			given += " and one more such part"
		case r.More > 1:
			given += fmt.Sprintf(" and %d more such parts", r.More)
		}
		subject := ""
		if r.A != p.A || r.B != p.B {
			subject = fmt.Sprintf(" of %s and %s", r.A.Name(), r.B.Name())
		}
		lines = append(lines, fmt.Sprintf("%d. given up: %s, because independence%s would be "+what, i+1, given,
			subject, r.Third.Name()))
		if len(r.State) > 0 {
			lines = append(lines, "   state: "+bindings(r.State), "   "+strings.Join(r.Run.Steps, "; ")+": "+
				bindings(r.Run.Result))
		}
	}
	return lines
}

// Explain synthesises the constraints of a program and tells about one pair how they came about: in particular which
// third step and which state make its uniform part smaller than its commuting part.
func Explain(ctx context.Context, prog *step.Program, a, b *step.Step, opt Options) (*Explanation, error) {
	s, err := NewSession(opt)
	if err != nil {
		return nil, err
	}
	return s.Explain(ctx, prog, a, b)
}

// Explain is like the function, with the solver of the session.
func (s *Session) Explain(ctx context.Context, prog *step.Program, a, b *step.Step) (x *Explanation, err error) {
	defer internal(&err)
	e, err := s.engine(ctx, prog)
	if err != nil {
		return nil, err
	}
	why := &explainer{a: a, b: b}
	e.opt.Cache = nil // it does not say why
	e.Note = func(from uniform.Origin, d uniform.Drop) { why.note(e, from, d) }
	e.Again = func() { why.reasons, why.seen = nil, nil }
	e.invariants()
	if err := e.all(&Report{}); err != nil {
		return nil, err
	}
	n := e.Find(a, b)
	if n == nil {
		return nil, fmt.Errorf("no two processes can stand at %s and %s", a.Name(), b.Name())
	}
	return &Explanation{Pair: n.Result(), Independent: n.Independent, Why: n.Why, Reasons: why.reasons}, nil
}

// An explainer collects why cells of one pair were dropped.
type explainer struct {
	a, b    *step.Step
	reasons []*Reason
	seen    map[reasonKey]bool
}

type reasonKey struct {
	of   *Reason
	cell int
}

// note records why a cell is dropped. What a third step does to several cells is one reason.
func (x *explainer) note(e *engine, from uniform.Origin, d uniform.Drop) {
	if !(d.N.A == x.a && d.N.B == x.b || d.N.A == x.b && d.N.B == x.a) {
		return
	}
	n, claim := from.T.N, Forward
	if from.Kind == uniform.Backward {
		claim = Backward
	}
	i := slices.IndexFunc(x.reasons, func(r *Reason) bool {
		return r.A == n.A && r.B == n.B && r.Third == from.T.Q && r.Claim == claim
	})
	var r *Reason
	switch {
	case i >= 0:
		if r = x.reasons[i]; !x.seen[reasonKey{r, d.Cell}] {
			r.More++
		}
	case len(x.reasons) == maxReasons:
		return
	default:
		r = &Reason{A: n.A, B: n.B, Third: from.T.Q, Claim: claim, Dropped: cellText(d.N, d.Cell)}
		f := &Finding{}
		if at := from.T.Seen[from.Row]; at != nil && e.showTriple(at, n, from.T.Q, f) {
			r.State, r.Run = f.State, f.Runs[0]
		}
		x.reasons = append(x.reasons, r)
	}
	if x.seen == nil {
		x.seen = map[reasonKey]bool{}
	}
	x.seen[reasonKey{r, d.Cell}] = true
}

// cellText is a cell as a condition, nil for everything or where the language cannot say it.
func cellText(n *commute.Entry, cell int) *step.Expr {
	if n.Cells == nil || cell < 0 {
		return nil
	}
	pr := &wording.Printer{Table: n.Table, N: n.Names}
	var parts []*step.Expr
	for i := range n.Cells.Axes {
		a := &n.Cells.Axes[i]
		for _, l := range a.Literals(a.Regions[n.Cells.Coord[cell][i]]) {
			if e := pr.Literal(l); e != nil {
				parts = append(parts, e)
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return expr.Join(step.And, expr.SafeFirst(parts))
}
