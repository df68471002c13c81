package constraints

import "cdpor/lang/step"

// CondKind is the shape of a compiled answer.
type CondKind uint8

const (
	CondUnknown CondKind = iota // the pair is absent
	CondFalse
	CondTrue
	CondEval // ask Eval
)

// A Cond is a constraint between two processes at given steps.
type Cond struct {
	Kind CondKind
	// Weakest tells that where the condition does not hold, the steps do not commute.
	Weakest bool
	// Eval tells whether the condition holds in a state; a condition that cannot be evaluated there does not hold.
	Eval func(r *step.Runner, s step.State) bool
}

// A Compiled set answers for processes. Conditions are compiled when first asked for, so it belongs to one goroutine;
// after that an answer costs two index operations and allocates nothing.
type Compiled struct {
	set  *Set
	m    *step.Machine
	base []int // per process: where its steps begin in rows
	n    int
	rows [][]answers
}

type answers struct {
	ready            bool
	commute, uniform Cond
}

// Compile prepares a set for a machine of the same program.
func (s *Set) Compile(m *step.Machine) *Compiled {
	c := &Compiled{set: s, m: m}
	for _, p := range s.Program.Procs {
		c.base = append(c.base, c.n)
		c.n += len(p.Template.Steps)
	}
	c.rows = make([][]answers, c.n)
	return c
}

// Commute is the weakest constraint between process procA at step a and process procB at step b.
func (c *Compiled) Commute(procA int, a *step.Step, procB int, b *step.Step) Cond {
	return c.get(procA, a, procB, b).commute
}

// Uniform is the constraint that may be used for happens-before.
func (c *Compiled) Uniform(procA int, a *step.Step, procB int, b *step.Step) Cond {
	return c.get(procA, a, procB, b).uniform
}

func (c *Compiled) get(procA int, a *step.Step, procB int, b *step.Step) *answers {
	i, j := c.base[procA]+a.Index, c.base[procB]+b.Index
	if c.rows[i] == nil {
		c.rows[i] = make([]answers, c.n)
	}
	got := &c.rows[i][j]
	if !got.ready {
		got.ready = true
		if pair, swapped := c.set.Find(a, b); pair != nil {
			p, q := procA, procB
			if swapped {
				p, q = q, p
			}
			got.commute, got.uniform = c.compile(pair.Commute, p, q), c.compile(pair.Uniform, p, q)
			got.commute.Weakest = pair.Status == Exact
			got.uniform.Weakest = got.commute.Weakest &&
				(pair.Uniform == pair.Commute || conditionText(pair.Uniform, pair) == conditionText(pair.Commute, pair))
		}
	}
	return got
}

func (c *Compiled) compile(e *step.Expr, p, q int) Cond {
	switch {
	case e == nil:
		return Cond{}
	case IsTrue(e):
		return Cond{Kind: CondTrue}
	case IsFalse(e):
		return Cond{Kind: CondFalse}
	}
	eval := c.m.CompileCondition(e, p, q)
	return Cond{Kind: CondEval, Eval: func(r *step.Runner, s step.State) bool {
		holds, ok := eval(r, s)
		return ok && holds
	}}
}
