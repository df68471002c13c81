// Package uniform takes from the conditions of all pairs what makes the family uniform.
package uniform

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/question"
)

// Uniformity. For steps a, b, q of three processes, in every state s in which q is enabled:
//
//	forward:  R(a,q)(s) and R(b,q)(s) and U(a,b)(s)      =>  U(a,b)(s.q)
//	backward: (R(a,q)(s) or R(b,q)(s)) and not U(a,b)(s) =>  not U(a,b)(s.q)
//
// R is the relation that explorers use: disjoint footprints or U. Footprints may be finer than package constraints sees
// (an index that is a local); as disjointness does not change while other processes run, it is enough to take the
// finest possible footprints in the premises and the coarsest for the pair that is judged.
//
// The family begins with commute (see pair) and only shrinks, by cells: a violation names the cell to drop. Forward
// drops s from U(a,b). Backward drops s.q from U(a,b), or s from those of U(a,q), U(b,q) it used; see repairs.go for
// which. All violations are read from tables (triples.go), and those of one round are repaired together, so the result
// does not depend on the order of the steps in the text.

// A Family is the uniform parts of all pairs.
type Family struct {
	*commute.Finder
	Entries []*commute.Entry
	Of      map[[2]*step.Step]*commute.Entry
	machine *step.Machine // for the first states
	first   []step.State
	reached []step.State                        // see reachedStates
	every   *[]step.State                       // see everyState
	classes map[*commute.Entry][]*commute.Entry // pairs of which the same is known
	// Pairs of steps with the same key are worked on alike.
	Key      func(a, b *step.Step) string
	alikes   map[*commute.Entry]likeness
	Watch    func(at *Position)
	Note     func(from Origin, d Drop) // of each drop, if not nil
	Again    func()                    // before each attempt, if not nil
	rule     repairRule
	choices  [EndOfRules]int // how often which repair was chosen where there were two
	Attempts []Attempt
	triples  map[tripleKey]*triple
	twins    map[twinKey]*triple
	touched  map[*triple]bool // those that the present attempt has looked at
	helps    bool             // this is a copy for a helper
}

// A Position is how far the fixpoint is.
type Position struct {
	Round, Done int
	N           *commute.Entry
}

// A Drop is a cell to take from uniform; with cell wholly it is all of it.
type Drop struct {
	N    *commute.Entry
	Cell int
}

// A choice is a backward violation with two repairs.
type choice struct {
	here  Drop
	there []Drop
	from  Origin
}

// An Origin is where a drop comes from, for explanations.
type Origin struct {
	T    *triple
	Row  row
	Kind violationKind
}

// fixpoint weakens the family until no violation is left.
func (e *Family) fixpoint() {
	steps := e.TakenSteps()
	var at Position
	e.Watch(&at)
	type versions struct{ n, aq, bq int }
	clean := map[*triple]versions{}
	for round := 1; ; round++ {
		at.Round = round
		e.roundAhead(steps)
		var forced []Drop
		var choices []choice
		force := func(d Drop, from Origin) {
			e.tell(from, d)
			forced = append(forced, d)
		}
		for i, n := range e.Entries {
			if n.Independent || !n.Left() || n.Full() && constraints.IsTrue(n.Begin) {
				continue
			}
			at.Done, at.N = i, n
			for _, q := range steps {
				if e.Ctx.Err() != nil {
					return
				}
				if !e.Disturbs(q, n) {
					continue
				}
				t := e.triple(n, q)
				now := versions{n.Version + 1, t.aq.Version, t.bq.Version}
				if clean[t] == now {
					continue
				}
				e.touched[t] = true
				if n.Full() && e.calm(t) {
					clean[t] = now
					continue
				}
				found := len(forced) + len(choices)
				choices = append(choices, t.violated(e, force)...)
				if len(forced)+len(choices) == found {
					clean[t] = now
				}
			}
		}
		if len(forced) == 0 {
			if len(choices) == 0 {
				return
			}
			forced = e.decide(choices)
		}
		for _, d := range forced {
			d.N.Drop(d.Cell)
		}
	}
}

// violated forces the drops that the present family asks for because of a triple, and lists choices. It fills the table
// if what is known forces nothing.
func (t *triple) violated(e *Family, force func(Drop, Origin)) (choices []choice) {
	forced := false
	note := func(d Drop, from Origin) {
		forced = true
		force(d, from)
	}
	for first := true; ; first = false {
		if t.ready() && t.whole() {
			e.Materialise(t.N)
			force(Drop{t.N, commute.Wholly}, Origin{T: t})
			return nil
		}
		choices = choices[:0]
		rows := t.rows()
		e.Oracle.Quietly(len(rows) / 64)
		t.violations(rows, note, func(c choice) { choices = append(choices, c) })
		if forced || t.ready() || first && !t.N.Full() && t.excerpt == nil && e.still(t) {
			return choices
		}
		e.fill(t)
	}
}

// tell notes why a cell is dropped, and tells whoever wants to know.
func (e *Family) tell(from Origin, d Drop) {
	third := from.T.Q.Name()
	if at, known := slices.BinarySearch(d.N.Because, third); !known {
		d.N.Because = slices.Insert(d.N.Because, at, third)
	}
	if e.Note != nil {
		e.Note(from, d)
	}
}

// violations are the rows in which the present family violates uniformity, as drops that it forces and choices.
func (t *triple) violations(rows []row, force func(Drop, Origin), choose func(choice)) {
	for _, line := range rows {
		switch before, after := alive(t.N, line.before), alive(t.N, line.after); {
		case before == after:
		case before && alive(t.aq, line.viaA) && alive(t.bq, line.viaB):
			force(Drop{t.N, line.before}, Origin{t, line, forward})
		case after && (alive(t.aq, line.viaA) || alive(t.bq, line.viaB)):
			c := choice{here: Drop{t.N, line.after}, from: Origin{t, line, Backward}}
			if c.there = t.there(line); c.there == nil {
				force(c.here, c.from)
			} else {
				choose(c)
			}
		}
	}
}

// roundAhead gives the triples that the next round needs to the helpers, if there are some.
func (e *Family) roundAhead(steps []*step.Step) {
	if e.Workers < 2 {
		return
	}
	var list []*triple
	for _, n := range e.Entries {
		if n.Independent || !n.Left() || n.Full() && constraints.IsTrue(n.Begin) {
			continue
		}
		for _, q := range steps {
			if !e.Disturbs(q, n) {
				continue
			}
			t := e.triple(n, q)
			if t.plain() && t.excerpt == nil && !t.ready() && !t.calmNow() &&
				(t.ahead == nil || !t.ahead.ready() && !t.ahead.calmNow()) {
				list = append(list, t)
			}
		}
	}
	e.triplesAhead(list)
}

// there are the drops that repair a backward violation before the third step, nil if that is not possible.
func (t *triple) there(line row) (list []Drop) {
	if t.N == t.aq || t.N == t.bq {
		return nil
	}
	for _, side := range []Drop{{t.aq, line.viaA}, {t.bq, line.viaB}} {
		switch {
		case !alive(side.N, side.Cell):
		case side.Cell < 0:
			return nil
		default:
			list = append(list, side)
		}
	}
	return list
}

// Disturbs reports whether a third step can change what is known of a pair, and be independent of one of its steps.
func (e *Family) Disturbs(q *step.Step, n *commute.Entry) bool {
	if !e.ThreeProcesses(n.A, n.B, q) || !e.WritesAny(q, n.Support()) {
		return false
	}
	possible := func(s *step.Step) bool {
		with := e.Find(s, q)
		return with.Independent || with.Left() || e.Separable(s, q)
	}
	return possible(n.A) || possible(n.B)
}

func (e *Family) Find(a, b *step.Step) *commute.Entry {
	if n := e.Of[[2]*step.Step{a, b}]; n != nil {
		return n
	}
	return e.Of[[2]*step.Step{b, a}]
}

const (
	None violationKind = iota
	forward
	Backward
)

// triplesAhead looks at triples, and makes the tables of those that need one.
func (e *Family) triplesAhead(list []*triple) {
	if e.Workers < 2 || e.Note != nil || len(list) < 2 {
		return
	}
	copies := make([]*triple, len(list))
	e.Spread(len(list), func(h *question.Program, i int) {
		f := *e
		f.Finder = &commute.Finder{Program: h, MaxCells: e.MaxCells}
		f.twins, f.helps = nil, true // others write to them; work for a triple that has a twin is not taken over
		t := *list[i]
		t.used = facts.NewUses()
		if !t.looked && t.N.Full() {
			t.calmTook = h.Measure(func() { f.calm(&t) })
		}
		if !t.N.Full() && !t.still.of(t.N) {
			took := h.Measure(func() { f.still(&t) })
			t.still.took = took
		}
		for kind := range t.needed() {
			p := &t.sections[kind]
			if cells := t.missing(p, sectionKind(kind)); cells != nil && !t.calmNow() {
				p.took = h.Measure(func() { f.fillSection(&t, sectionKind(kind), cells) })
			}
		}
		copies[i] = &t
	})
	for i, t := range list {
		t.ahead = copies[i]
	}
}
