package uniform

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/unsupported"
)

// A backward violation has two repairs (uniform.go), and one choice can lead to others. So the fixpoint is computed
// for each way to choose, and the family that keeps most independence is taken: the one whose conditions hold most
// often in the first states of the program. testdata/tables/synthesis.md shows how often which one that is.

// A repairRule chooses between the two repairs of a backward violation.
type repairRule uint8

const (
	repairCheaper repairRule = iota // what costs less in the first states: the default, and where all are equal
	repairAfter                     // the states after the third step, from the pair that is judged
	repairBefore                    // the states before it, from the pairs of the third step, where that is possible
	EndOfRules
)

func (r repairRule) String() string { return [...]string{"cheaper", "after", "before"}[r] }

// An Attempt is one way to repair backward violations, and how often the conditions that remain hold in the first
// states of the program.
type Attempt struct {
	Repair string
	Kept   int
	Taken  bool
}

// decide chooses between the repairs of backward violations: the drops that are made now. The rule that takes what
// costs less begins with the choices that make the largest difference, all those that make the same together, as they
// may spare others.
func (e *Family) decide(choices []choice) (drops []Drop) {
	gains, most := make([]int, len(choices)), 0
	for i, c := range choices {
		switch e.rule {
		case repairAfter:
			gains[i] = 0
		case repairBefore:
			gains[i] = 1
		case repairCheaper:
			gains[i] = e.weightOf(c.here)
			for _, d := range c.there {
				gains[i] -= e.weightOf(d)
			}
		}
		most = max(most, gains[i], -gains[i])
	}
	chosen := map[Drop]bool{}
	add := func(d Drop, c *choice) {
		if !chosen[d] {
			chosen[d] = true
			e.tell(c.from, d)
			drops = append(drops, d)
		}
	}
	for i := range choices {
		c := &choices[i]
		switch {
		case max(gains[i], -gains[i]) < most:
		case gains[i] > 0:
			e.choices[repairBefore]++
			for _, d := range c.there {
				add(d, c)
			}
		default:
			e.choices[repairAfter]++
			add(c.here, c)
		}
	}
	return drops
}

// MakeUniform weakens the family until no violation is left, in the best of the ways there are, and writes it down.
func (e *Family) MakeUniform() {
	for _, n := range e.Entries {
		n.Begin = n.Uniform
		if n.Cells == nil && !n.Bare && !n.Independent && !constraints.IsFalse(n.Uniform) {
			n.First = []bool{true}
		}
	}
	e.alikes = map[*commute.Entry]likeness{}
	e.triples, e.twins = map[tripleKey]*triple{}, map[twinKey]*triple{}
	if e.Note != nil { // of each triple it is told where its rows come from
		e.twins = nil
	}
	try := func(rule repairRule) {
		e.reset()
		e.rule, e.choices, e.touched = rule, [EndOfRules]int{}, map[*triple]bool{}
		if e.Again != nil {
			e.Again()
		}
		e.fixpoint()
	}
	try(repairCheaper)
	best := repairCheaper
	// A rule that would have made the same choices gives the same family.
	if same := e.choices; same != [EndOfRules]int{} && e.Ctx.Err() == nil && !e.Oracle.Spent {
		most, taken := e.kept(), 0
		e.Attempts = []Attempt{{Repair: best.String(), Kept: most}}
		for rule := repairAfter; rule < EndOfRules; rule++ {
			if other := repairAfter + repairBefore - rule; same[other] == 0 {
				continue
			}
			try(rule)
			kept := e.kept()
			e.Attempts = append(e.Attempts, Attempt{Repair: rule.String(), Kept: kept})
			if kept > most {
				best, most, taken = rule, kept, len(e.Attempts)-1
			}
		}
		e.Attempts[taken].Taken = true
		if e.rule != best {
			try(best)
		}
	}
	for e.Ctx.Err() == nil && !e.written() {
		e.fixpoint()
	}
	for t := range e.touched {
		e.Facts.Used.Add(t.used)
	}
}

// reset goes back to the family that the fixpoint begins with.
func (e *Family) reset() {
	for _, n := range e.Entries {
		n.Kept, n.Because = append(n.Kept[:0], n.First...), slices.Clone(n.Before)
		n.Version++
	}
}

// written writes the cells that remain as expressions. It reports false if the language says less of some pair: then
// the others may have to shrink as well.
func (e *Family) written() bool {
	whole := true
	for _, n := range e.Entries {
		if n.Independent || slices.Equal(n.Kept, n.First) {
			n.Uniform = n.Begin
			continue
		}
		if n.Cells == nil || !n.Left() {
			n.Uniform = constraints.Truth(false)
			continue
		}
		said := false
		if why := unsupported.Attempt(func() { said = e.rewritten(n) }); why != "" {
			n.Narrowed = n.Narrowed || e.Oracle.Spent
			n.Drop(commute.Wholly)
		}
		whole = whole && said
	}
	return whole
}

// rewritten writes the cells of one pair as an expression that holds there and nowhere else. It reports false if there
// is none, and fewer cells remain.
func (e *Family) rewritten(n *commute.Entry) bool {
	plain, whole := e.Refresh(n)
	if !whole {
		return false
	}
	guarded := n.Uniform
	n.Uniform = plain
	said := e.exact(n)
	if !said && plain != guarded {
		n.Uniform = guarded
		said = e.exact(n)
	}
	if said && !e.Implies(n) {
		n.Uniform = expr.Join(step.And, []*step.Expr{n.Commute, n.Uniform})
		said = e.Implies(n)
	}
	if said && n.A == n.B { // the cells are, but it may be too much for a proof
		said = e.Symmetric(n.Uniform, n.A, n.B)
	}
	if !said {
		n.Narrowed = n.Narrowed || e.Oracle.Spent
		n.Drop(commute.Wholly)
	}
	return said
}

// exact reports whether the expression of a uniform part holds in its cells and nowhere else. One that never fails does
// by construction.
func (e *Family) exact(n *commute.Entry) bool {
	if !expr.MayFail(n.Uniform) && !expr.MayFail(n.Begin) {
		return true
	}
	same := true
	failed := e.Explore("the uniform condition means the same as its cells, of", func(r *symbolic.Run) {
		holds, begin := r.Holds(n.Uniform, 0, 1), r.Holds(n.Begin, 0, 1)
		same = same && holds == (begin && n.Kept[(&Trial{r, e}).cell(n, 0, 1)])
	}, n.A, n.B)
	return same && failed == ""
}

// kept counts how often two processes are independent in the first states of the program, because of the conditions
// that remain.
func (e *Family) kept() (count int) {
	for _, n := range e.Entries {
		e.Materialise(n)
		for cell, u := range n.Kept {
			switch {
			case !u:
			case n.A == n.B: // weighed in both orders
				count += e.weights(n)[cell]
			default:
				count += 2 * e.weights(n)[cell]
			}
		}
	}
	return count / 2
}
