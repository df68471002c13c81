package constraints

import (
	"iter"
	"slices"

	"cdpor/lang"
	"cdpor/lang/step"
)

// Version of the file format that Load accepts and Format writes.
const Version = 1

// Status says how much is known about an entry.
type Status string

const (
	Exact   Status = "exact"   // commute is proved, and it is the weakest condition there is
	Partial Status = "partial" // commute is proved; it may hold in more states
	Unknown Status = "unknown" // nothing was found; the conditions are false
	Manual  Status = "manual"  // written by a person, not proved
	// no two processes are ever at the two steps in one state; the conditions are false, nothing was looked for
	Ordered Status = "ordered"
)

// unknownOpen is what stands in a file for the status of a pair that is Open.
const unknownOpen = "unknown: budget"

// Statuses are those that an entry of pairs can have, in the order in which messages list them. Pairs that are Ordered
// stand in a list of their own.
var Statuses = []Status{Exact, Partial, Unknown, Manual}

// A Pair has the constraints of two steps. The conditions are Bool expressions in which step.P means the process that
// runs A and step.Q the one that runs B. A equals B when two instances of one template stand at the same step.
type Pair struct {
	A, B             *step.Step
	Commute, Uniform *step.Expr
	Status           Status
	// unknown because a budget was not enough: with more of it there may be an answer
	Open                        bool
	Seal                        string   // see SealOf; empty if there is none
	Because                     []string // third steps that change where they commute, so that uniform is less
	Pos, CommutePos, UniformPos step.Pos // zero unless the pair comes from a file
}

// A Fact holds in every reachable state: about the shared variables, or, if At is not nil, about the locals of any
// process that stands at that step; these are locals of step.P in That. If With is not nil, it is about the shared
// variables where a process stands at At and another one at With.
type Fact struct {
	At   *step.Step
	With *step.Step
	That *step.Expr
	Pos  step.Pos // zero unless it comes from a file
}

// String is the fact as it stands in a file.
func (f *Fact) String() string {
	return f.text((*step.Step).Name)
}

func (f *Fact) text(name func(*step.Step) string) string {
	var t *step.Template
	at := "always"
	if f.At != nil {
		t, at = f.At.Template, name(f.At)
	}
	if f.With != nil {
		at += ", " + name(f.With)
	}
	return at + ": " + quote(lang.FormatExpr(f.That, t, nil))
}

// textIn is a fact as it stands in the file of the set.
func (s *Set) textIn(f *Fact) string { return f.text(s.NameOf) }

// A Set is the constraints of one program: the content of a constraint file.
type Set struct {
	Program        *step.Program
	Pairs          []*Pair
	Digest         string   // of the program the set was made for
	Generator      string   // who made it
	ProgramName    string   // file name of the program, for the reader
	InvariantsUsed []string // declared invariants that were proved inductive and taken for granted
	Invariants     []*Fact  // the same, as conditions, of a set that was loaded from a file
	Assumed        []*Fact  // facts that hold in every reachable state and were taken for granted
	// conditions with a name, which those of pairs use; these are written out in Pairs
	Definitions []*lang.Definition
	File        *lang.File // the text it was loaded from; nil when it was synthesised
	text        []byte     // of File
	seal        string     // see headSeal
	facts       []string   // those of a file, also if they do not fit the program, or those that were sealed
	statements  []statement
	now         map[string]*step.Step // see foundAgain
	was         map[*step.Step]string // the other way round

	index map[[2]*step.Step]*Pair
	texts *lang.Texts // while definitions are looked for
}

// Stale reports whether the set was made for another program, or for another version of it.
func (s *Set) Stale() bool { return s.Digest != Digest(s.Program) }

// HasManual reports whether some entry still waits for a proof.
func (s *Set) HasManual() bool {
	return slices.ContainsFunc(s.Pairs, func(p *Pair) bool { return p.Status == Manual })
}

// Find returns the entry for two steps, nil if there is none. When swapped, the entry's A is b and its B is a. Steps
// without common data need no entry in a file.
func (s *Set) Find(a, b *step.Step) (pair *Pair, swapped bool) {
	if pair, swapped = s.find(a, b); pair == nil && s.File != nil && Independent(a, b) {
		return &Pair{A: a, B: b, Commute: Truth(true), Uniform: Truth(true), Status: Exact}, false
	}
	return pair, swapped
}

func (s *Set) find(a, b *step.Step) (pair *Pair, swapped bool) {
	if s.index == nil {
		s.index = make(map[[2]*step.Step]*Pair, len(s.Pairs))
		for _, p := range s.Pairs {
			s.index[[2]*step.Step{p.A, p.B}] = p
		}
	}
	if p := s.index[[2]*step.Step{a, b}]; p != nil {
		return p, false
	}
	p := s.index[[2]*step.Step{b, a}]
	return p, p != nil
}

// Unwritten reports whether an entry that Find returns does not stand in the file.
func (s *Set) Unwritten(p *Pair) bool { return s.File != nil && p.Pos == (step.Pos{}) }

// PairsOf are the pairs of steps that two different processes of the program can stand at, in program order.
func PairsOf(prog *step.Program) iter.Seq[[2]*step.Step] {
	return func(yield func([2]*step.Step) bool) {
		for i, t := range prog.Templates {
			for _, a := range t.Steps {
				if t.Count < 1 {
					break
				}
				if t.Count >= 2 && !pairsWith(a, t.Steps[a.Index:], yield) {
					return
				}
				for _, u := range prog.Templates[i+1:] {
					if u.Count >= 1 && !pairsWith(a, u.Steps, yield) {
						return
					}
				}
			}
		}
	}
}

func pairsWith(a *step.Step, others []*step.Step, yield func([2]*step.Step) bool) (more bool) {
	return !slices.ContainsFunc(others, func(b *step.Step) bool { return !yield([2]*step.Step{a, b}) })
}

// Text is how a condition of a pair is printed: with the names of definitions for the parts that they stand for.
func (s *Set) Text(p *Pair, e *step.Expr) string {
	switch {
	case IsTrue(e):
		return "true"
	case IsFalse(e):
		return "false"
	}
	return s.texts.Condition(e, p.A.Template, p.B.Template, s.Definitions)
}

// Truth is the constant condition true or false.
func Truth(value bool) *step.Expr {
	e := &step.Expr{Op: step.Const, Type: step.BoolType, Of: step.Own, Words: []int64{0}, Name: "false"}
	if value {
		e.Words, e.Name = []int64{1}, "true"
	}
	return e
}

// IsTrue reports whether a condition is the constant true.
func IsTrue(e *step.Expr) bool { return e.Op == step.Const && e.Words[0] != 0 }

// IsFalse reports whether a condition is the constant false.
func IsFalse(e *step.Expr) bool { return e.Op == step.Const && e.Words[0] == 0 }

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
