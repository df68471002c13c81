package synth

import (
	"context"
	"fmt"
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/symbolic"
)

// Change is how a condition of one set compares with that of another, over the states that the facts leave possible.
type Change string

const (
	Equal        Change = "equal"
	Weaker       Change = "weaker"       // the new one holds in more states
	Stronger     Change = "stronger"     // the new one holds in fewer states
	Incomparable Change = "incomparable" // each holds where the other does not
	Undecided    Change = "undecided"    // the comparison could not be finished
	Added        Change = "new"          // of two versions of a program: the older one has not both steps
	Gone         Change = "gone"         // the newer one has not both steps
)

// A Difference is the comparison of one pair. An absent pair counts as false in every state.
type Difference struct {
	Old, New         *constraints.Pair // nil: absent
	Commute, Uniform Change
	// A state in which only the old or only the new condition holds, where there is one.
	OnlyOldCommutes, OnlyNewCommutes []Binding
	OnlyOldUniform, OnlyNewUniform   []Binding
	// Why is the reason of Undecided, and of Incomparable where the newer program cannot say the older condition.
	Why string
}

// Name is the pair as "a, b".
func (d *Difference) Name() string {
	p := d.Old
	if p == nil {
		p = d.New
	}
	return p.A.Name() + ", " + p.B.Name()
}

// Same reports whether the pair means the same in both sets.
func (d *Difference) Same() bool { return d.Commute == Equal && d.Uniform == Equal }

// Diff compares two constraint sets of a program by what they mean, pair by pair in program order. Pairs that are in
// neither set are left out.
func Diff(ctx context.Context, prog *step.Program, old, renewed *constraints.Set, opt Options) ([]*Difference, error) {
	s, err := NewSession(opt)
	if err != nil {
		return nil, err
	}
	return s.Diff(ctx, prog, old, renewed)
}

// Diff is like the function, with the solver of the session.
func (s *Session) Diff(ctx context.Context, prog *step.Program, old, renewed *constraints.Set) (
	list []*Difference, err error) {
	defer internal(&err)
	e, err := s.engine(ctx, prog)
	if err != nil {
		return nil, err
	}
	e.invariants()
	for ab := range constraints.PairsOf(prog) {
		left, right := sideOf(old, ab), sideOf(renewed, ab)
		if !left.written(old) && !right.written(renewed) {
			continue
		}
		list = append(list, e.compare(ab, left, right))
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("comparison interrupted after %d pairs: %w", len(list), err)
		}
	}
	return list, nil
}

// mentioned are the bindings of a state that conditions are about.
func mentioned(state []Binding, conditions ...*step.Expr) []Binding {
	named := map[string]bool{}
	for _, c := range conditions {
		c.EachVar(func(x *step.Expr) {
			switch x.Of {
			case step.P:
				named["p."+x.Var.Name] = true
			case step.Q:
				named["q."+x.Var.Name] = true
			default:
				named[x.Var.Name] = true
			}
		})
		c.Walk(func(x *step.Expr) { // of whom it is asked who he is
			if x.Op == step.Self || x.Op == step.Me {
				named["p.self"], named["q.self"] = true, true
			}
		})
	}
	return slices.DeleteFunc(slices.Clone(state), func(b Binding) bool { return !named[b.Name] })
}

// DiffVersions compares the constraints of two versions of a program by what they mean, over the states of the newer
// one. Pairs whose steps have no common data in either are left out.
func DiffVersions(ctx context.Context, old, renewed *constraints.Set, opt Options) (list []*Difference, err error) {
	c := constraints.Carry(old, renewed.Program)
	all, err := Diff(ctx, renewed.Program, c.Set, renewed, opt)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		apart := d.New == nil || constraints.Independent(d.New.A, d.New.B)
		if d.Old == nil {
			if !c.Had(d.New.A, d.New.B) {
				d = &Difference{New: d.New, Commute: Added, Uniform: Added}
			}
			if !apart {
				list = append(list, d)
			}
			continue
		}
		why := c.Fails(d.Old.A, d.Old.B)
		if d.Old = c.Was(d.Old.A, d.Old.B); apart && constraints.Independent(d.Old.A, d.Old.B) {
			continue
		}
		if why[0] != "" {
			d.Commute, d.OnlyOldCommutes, d.OnlyNewCommutes, d.Why = Incomparable, nil, nil, why[0]
		}
		if why[1] != "" {
			d.Uniform, d.OnlyOldUniform, d.OnlyNewUniform, d.Why = Incomparable, nil, nil, why[1]
		}
		list = append(list, d)
	}
	for _, p := range c.Gone {
		if !constraints.Independent(p.A, p.B) {
			list = append(list, &Difference{Old: p, Commute: Gone, Uniform: Gone})
		}
	}
	return list, nil
}

// A side is an entry of a set with its conditions, in the order of PairsOf.
type side struct {
	pair             *constraints.Pair
	commute, uniform *step.Expr
}

func sideOf(set *constraints.Set, ab [2]*step.Step) side {
	pair, swapped := set.Find(ab[0], ab[1])
	if pair == nil {
		return side{commute: constraints.Truth(false), uniform: constraints.Truth(false)}
	}
	if swapped {
		pair = pair.Exchanged()
	}
	return side{pair, pair.Commute, pair.Uniform}
}

// written reports whether the entry stands in the file of the set.
func (s *side) written(in *constraints.Set) bool { return s.pair != nil && !in.Unwritten(s.pair) }

func (e *engine) compare(ab [2]*step.Step, left, right side) *Difference {
	d := &Difference{Old: left.pair, New: right.pair}
	never := func(s side) bool { return s.pair != nil && s.pair.Status == constraints.Ordered }
	if (never(left) || never(right)) && e.Ordered(ab[0], ab[1]) { // there is no state in which they could differ
		d.Commute, d.Uniform = Equal, Equal
		return d
	}
	plain := func(x *step.Expr) bool { return constraints.IsTrue(x) || constraints.IsFalse(x) }
	n := &commute.Entry{Pair: commute.Pair{A: ab[0], B: ab[1]}}
	for _, c := range []struct {
		old, renewed         *step.Expr
		change               *Change
		onlyOld, onlyRenewed *[]Binding
	}{{left.commute, right.commute, &d.Commute, &d.OnlyOldCommutes, &d.OnlyNewCommutes},
		{left.uniform, right.uniform, &d.Uniform, &d.OnlyOldUniform, &d.OnlyNewUniform}} {
		if plain(c.old) && plain(c.renewed) && constraints.IsTrue(c.old) == constraints.IsTrue(c.renewed) {
			*c.change = Equal
			continue
		}
		lost, won := false, false
		failed := e.Explore("the difference of two entries of", func(r *symbolic.Run) {
			before, now := r.Holds(c.old, 0, 1), r.Holds(c.renewed, 0, 1)
			witness := func(seen *bool, state *[]Binding) {
				f := &Finding{}
				if !*seen && e.showPair(r.Path, n, f) {
					*state = mentioned(f.State, c.old, c.renewed)
				}
				*seen = true
			}
			switch {
			case before && !now:
				witness(&lost, c.onlyOld)
			case now && !before:
				witness(&won, c.onlyRenewed)
			}
		}, n.A, n.B)
		switch {
		case lost && won:
			*c.change = Incomparable
		case failed != "":
			*c.change, d.Why = Undecided, failed
		case lost:
			*c.change = Stronger
		case won:
			*c.change = Weaker
		default:
			*c.change = Equal
		}
	}
	return d
}
