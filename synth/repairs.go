package synth

import (
	"maps"

	"cdpor/constraints"
	"cdpor/lang/step"
)

// A backward violation has two repairs (uniform.go), and one choice can lead to others. So the fixpoint is computed for each
// way to choose, and the family that keeps most independence is taken: the one whose conditions hold most often in the first
// states of the program. REPAIRS.md shows how often which one that is.

// A repairRule chooses between the two repairs of a backward violation.
type repairRule uint8

const (
	repairCheaper repairRule = iota // what costs less in the first states: the default, and where all are equal
	repairAfter                     // the states after the third step, from the pair that is judged
	repairBefore                    // the states before it, from the pairs of the third step, where that is possible
	endOfRules
)

func (r repairRule) String() string { return [...]string{"cheaper", "after", "before"}[r] }

// An Attempt is one way to repair backward violations, and how often the conditions that remain hold in the first states of
// the program.
type Attempt struct {
	Repair string
	Kept   int
	Taken  bool
}

// makeUniform weakens the family until no violation is left, in the best of the ways there are.
func (e *engine) makeUniform() {
	begin := e.checkpoint()
	e.rule, e.choices = repairCheaper, [endOfRules]int{}
	e.fixpoint()
	same := e.choices // a rule that would have made the same choices gives the same family
	if same == [endOfRules]int{} || e.ctx.Err() != nil {
		return
	}
	best, most, taken := e.checkpoint(), e.kept(), 0
	e.attempts = []Attempt{{Repair: repairCheaper.String(), Kept: most}}
	for e.rule = repairAfter; e.rule < endOfRules; e.rule++ {
		if other := repairAfter + repairBefore - e.rule; same[other] == 0 {
			continue
		}
		e.restore(begin)
		e.fixpoint()
		if e.ctx.Err() != nil {
			return
		}
		kept := e.kept()
		e.attempts = append(e.attempts, Attempt{Repair: e.rule.String(), Kept: kept})
		if kept > most {
			best, most, taken = e.checkpoint(), kept, len(e.attempts)-1
		}
	}
	e.attempts[taken].Taken = true
	e.restore(best)
}

// A checkpoint is everything that a fixpoint changes.
type checkpoint struct {
	u              [][]bool
	uniform        []*step.Expr
	used, usedWide map[factKey]bool
	reasons        []*Reason
}

func (e *engine) checkpoint() (c checkpoint) {
	for _, n := range e.entries {
		c.u = append(c.u, append([]bool(nil), n.u...))
		c.uniform = append(c.uniform, n.uniform)
	}
	c.used, c.usedWide = maps.Clone(e.known.used), maps.Clone(e.known.usedWide)
	if e.explain != nil {
		c.reasons = e.explain.reasons
	}
	return c
}

// restore goes back to a checkpoint. Entries whose cells were made meanwhile keep them.
func (e *engine) restore(c checkpoint) {
	for i, n := range e.entries {
		if n.c != nil && len(c.u[i]) == 0 {
			copy(n.u, n.first)
		} else {
			n.u = append(n.u[:0], c.u[i]...)
		}
		n.uniform = c.uniform[i]
		if !n.independent {
			n.reads = sharedOf(n.uniform, nil)
		}
		n.version++
	}
	e.known.used, e.known.usedWide = maps.Clone(c.used), maps.Clone(c.usedWide)
	if e.explain != nil {
		e.explain.reasons, e.explain.seen = c.reasons[:len(c.reasons):len(c.reasons)], nil
	}
}

// kept counts how often two processes are independent in the first states of the program.
func (e *engine) kept() (count int) {
	e.firstStates()
	if e.machine == nil {
		return 0
	}
	set := &constraints.Set{Program: e.prog}
	for _, n := range e.entries {
		set.Pairs = append(set.Pairs, n.result())
	}
	compiled, runner := set.Compile(e.machine), e.machine.NewRunner()
	for _, s := range e.first {
		for p := range e.machine.NumProcs() {
			for q := range p {
				a, b := e.machine.StepOf(s, p), e.machine.StepOf(s, q)
				if a == nil || b == nil {
					continue
				}
				switch c := compiled.Uniform(p, a, q, b); {
				case c.Kind == constraints.CondTrue, c.Kind == constraints.CondEval && c.Eval(runner, s):
					count++
				}
			}
		}
	}
	return count
}
