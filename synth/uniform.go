package synth

import (
	"maps"
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
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

// A family is the uniform parts of all pairs.
type family struct {
	*finder
	entries []*entry
	of      map[[2]*step.Step]*entry
	machine *step.Machine // for the first states
	first   []step.State
	classes map[*entry][]*entry // pairs of which the same is known
	// Pairs of steps with the same key are worked on alike.
	key      func(a, b *step.Step) string
	watch    func(at *position)
	note     func(from origin, d drop) // of each drop, if not nil
	again    func()                    // before each attempt, if not nil
	rule     repairRule
	choices  [endOfRules]int // how often which repair was chosen where there were two
	attempts []Attempt
	triples  map[tripleKey]*triple
	twins    map[twinKey]*triple
	touched  map[*triple]bool // those that the present attempt has looked at
}

// A position is how far the fixpoint is.
type position struct {
	round, done int
	n           *entry
}

// A drop is a cell to take from uniform; with cell wholly it is all of it.
type drop struct {
	n    *entry
	cell int
}

// wholly is every cell of a pair.
const wholly = -1

// A choice is a backward violation with two repairs.
type choice struct {
	here  drop
	there []drop
	from  origin
}

// An origin is where a drop comes from, for explanations.
type origin struct {
	t    *triple
	row  row
	kind violationKind
}

// fixpoint weakens the family until no violation is left.
func (e *family) fixpoint() {
	steps := e.takenSteps()
	var at position
	e.watch(&at)
	type versions struct{ n, aq, bq int }
	clean := map[*triple]versions{}
	for round := 1; ; round++ {
		at.round = round
		e.roundAhead(steps)
		var forced []drop
		var choices []choice
		force := func(d drop, from origin) {
			e.tell(from, d)
			forced = append(forced, d)
		}
		for i, n := range e.entries {
			if n.independent || !n.left() || n.full() && constraints.IsTrue(n.begin) {
				continue
			}
			at.done, at.n = i, n
			for _, q := range steps {
				if e.ctx.Err() != nil {
					return
				}
				if !e.disturbs(q, n) {
					continue
				}
				t := e.triple(n, q)
				now := versions{n.version + 1, t.aq.version, t.bq.version}
				if clean[t] == now {
					continue
				}
				e.touched[t] = true
				if n.full() && e.calm(t) {
					clean[t] = now
					continue
				}
				if !n.full() && !t.ready() && e.still(t) {
					clean[t] = now
					continue
				}
				if e.fill(t); t.whole() {
					e.materialise(n)
					force(drop{n, wholly}, origin{t: t})
					continue
				}
				found := len(forced) + len(choices)
				for _, s := range t.needed() {
					e.o.Quietly(len(s.rows) / 64)
					t.violations(s.rows, force, func(c choice) { choices = append(choices, c) })
				}
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
			d.n.drop(d.cell)
		}
	}
}

// tell tells whoever wants to know why a cell is dropped.
func (e *family) tell(from origin, d drop) {
	if e.note != nil {
		e.note(from, d)
	}
}

// violations are the rows in which the present family violates uniformity, as drops that it forces and choices.
func (t *triple) violations(rows []row, force func(drop, origin), choose func(choice)) {
	for _, line := range rows {
		switch before, after := t.n.alive(line.before), t.n.alive(line.after); {
		case before == after:
		case before && t.aq.alive(line.viaA) && t.bq.alive(line.viaB):
			force(drop{t.n, line.before}, origin{t, line, forward})
		case after && (t.aq.alive(line.viaA) || t.bq.alive(line.viaB)):
			c := choice{here: drop{t.n, line.after}, from: origin{t, line, backward}}
			if c.there = t.there(line); c.there == nil {
				force(c.here, c.from)
			} else {
				choose(c)
			}
		}
	}
}

// roundAhead gives the triples that the next round needs to the helpers, if there are some.
func (e *family) roundAhead(steps []*step.Step) {
	if e.workers < 2 {
		return
	}
	var list []*triple
	for _, n := range e.entries {
		if n.independent || !n.left() || n.full() && constraints.IsTrue(n.begin) {
			continue
		}
		for _, q := range steps {
			if !e.disturbs(q, n) {
				continue
			}
			t := e.triple(n, q)
			if t.plain() && !t.ready() && (t.ahead == nil || !t.ahead.ready() && !t.ahead.calmNow()) && !t.calmNow() {
				list = append(list, t)
			}
		}
	}
	e.triplesAhead(list)
}

// there are the drops that repair a backward violation before the third step, nil if that is not possible.
func (t *triple) there(line row) (list []drop) {
	if t.n == t.aq || t.n == t.bq {
		return nil
	}
	for _, side := range []drop{{t.aq, line.viaA}, {t.bq, line.viaB}} {
		switch {
		case !side.n.alive(side.cell):
		case side.cell < 0:
			return nil
		default:
			list = append(list, side)
		}
	}
	return list
}

// takenSteps are the steps of threads that have processes.
func (e *questions) takenSteps() (steps []*step.Step) {
	for _, t := range e.prog.Templates {
		if t.Count > 0 {
			steps = append(steps, t.Steps...)
		}
	}
	return steps
}

// disturbs tells whether a third step can change what is known of a pair, and be independent of one of its steps.
func (e *family) disturbs(q *step.Step, n *entry) bool {
	if !e.threeProcesses(n.a, n.b, q) || !e.writesAny(q, n.support()) {
		return false
	}
	possible := func(s *step.Step) bool {
		with := e.find(s, q)
		return with.independent || with.left() || e.separable(s, q)
	}
	return possible(n.a) || possible(n.b)
}

// support are the shared variables that the cells of a pair depend on.
func (n *entry) support() map[*step.Var]bool {
	if n.reads != nil {
		return n.reads
	}
	n.reads = expr.Shared(n.begin, nil)
	for _, reads := range n.axisReads {
		maps.Copy(n.reads, reads)
	}
	return n.reads
}

// axesRead are the shared variables that each axis of a pair depends on.
func (n *entry) axesRead() []map[*step.Var]bool {
	if n.c == nil {
		return nil
	}
	list := make([]map[*step.Var]bool, len(n.c.Axes))
	for i := range n.c.Axes {
		reads := map[*step.Var]bool{}
		var visit func(terms []term.Term)
		visit = func(terms []term.Term) {
			for _, x := range terms {
				s := &n.t.Syms[x.S]
				if s.Kind == term.WordSym && s.Mem.Slot == term.Shared {
					reads[s.Mem.V] = true
				}
				for _, f := range s.Idx {
					visit(f.Terms)
				}
			}
		}
		visit(n.t.Dirs[n.c.Axes[i].Dir].Terms)
		list[i] = reads
	}
	return list
}

// symmetric tells whether the condition of a step with itself means the same when the processes are exchanged.
func (e *finder) symmetric(n *entry) bool {
	same := true
	t := e.table(n.a, n.b).Asking("the condition means the same with the processes exchanged, of", n.a, n.b)
	failed := symbolic.Explore(t, e.o, symbolic.MaxLeaves, func(r *symbolic.Run) {
		same = same && r.Holds(n.commute, 0, 1) == r.Holds(n.commute, 1, 0)
	})
	return same && failed == ""
}

func (e *family) find(a, b *step.Step) *entry {
	if n := e.of[[2]*step.Step{a, b}]; n != nil {
		return n
	}
	return e.of[[2]*step.Step{b, a}]
}

// threeProcesses tells whether three different processes can stand at the steps.
func (e *questions) threeProcesses(steps ...*step.Step) bool {
	for _, s := range steps {
		n := 0
		for _, r := range steps {
			if r.Template == s.Template {
				n++
			}
		}
		if n > len(e.actors[s.Template].Procs) {
			return false
		}
	}
	return true
}

func (e *questions) writesAny(q *step.Step, vars map[*step.Var]bool) bool {
	w := e.writes[q]
	if w == nil {
		w = map[*step.Var]bool{}
		for _, v := range constraints.Writes(q) {
			w[v] = true
		}
		for _, t := range q.Spawns() {
			w[t.Pool.Life] = true
		}
		if q.Ends() {
			w[q.Template.Pool.Life] = true
		}
		e.writes[q] = w
	}
	for v, in := range vars {
		if in && w[v] {
			return true
		}
	}
	return false
}

// refresh writes the cells of uniform as an expression that never fails; plain leaves out what may not be needed for
// that. It reports false if that takes fewer cells, which are then the ones that remain.
func (e *finder) refresh(n *entry) (plain *step.Expr, whole bool) {
	if slices.Equal(n.u, n.c.Value) && n.status == constraints.Exact {
		n.uniform = n.commute
		return n.commute, true
	}
	r := n.words.Minimise(n.u)
	n.uniform = r.Guarded
	return r.Plain, r.Complete || !e.reduce(n, r.Cells)
}

// reduce takes the cells from uniform that are not in a set, and reports whether there are any.
func (e *finder) reduce(n *entry, to partition.Bitset) (changed bool) {
	for i, u := range n.u {
		if u && !to.Has(i) {
			n.drop(i)
			changed = true
		}
	}
	return changed
}

// drop takes a cell, with its mirror image, from uniform.
func (n *entry) drop(cell int) {
	n.version++
	if cell == wholly {
		clear(n.u)
		return
	}
	n.u[cell] = false
	if n.a == n.b && n.c != nil {
		if m := n.mirrored(cell); m >= 0 {
			n.u[m] = false
		}
	}
}

type violationKind uint8

const (
	none violationKind = iota
	forward
	backward
)

// A violation is a state in which one of the two conditions fails, and the state after q.
type violation struct {
	kind          violationKind
	before, after *symbolic.Store
	viaA, viaB    bool // the premises that hold
}

// violation runs q (slot 2) next to a (slot 0) and b (slot 1).
func (x *trial) violation(n *entry, q *step.Step, aq, bq *entry) (v violation) {
	v.before = x.Store
	now := false
	read := x.Seeing(func() { now = x.Holds(n.uniform, 0, 1) })
	if !x.reaches(2, q, read) || !x.Enabled(2, q) {
		return
	}
	v.after = x.Store.Clone()
	x.Store = v.after
	x.Exec(2, q)
	then := x.Holds(n.uniform, 0, 1)
	x.Store = v.before
	if now == then {
		return
	}
	v.viaA = x.unordered(aq, n.a, 0, q)
	if now && !v.viaA {
		return
	}
	v.viaB = x.unordered(bq, n.b, 1, q)
	switch {
	case now && v.viaB:
		v.kind = forward
	case !now && (v.viaA || v.viaB):
		v.kind = backward
	}
	if v.kind != none {
		x.AssumeRanges(v.after)
	}
	return
}

// unordered is R between a step in a slot and q in slot 2, in the current store: U, or footprints that may be disjoint.
func (x *trial) unordered(n *entry, s *step.Step, slot int, q *step.Step) bool {
	return n.independent || n.at(x, s, slot) || x.disjoint(s, slot, q, 2)
}

// at evaluates the uniform constraint between step s in a slot and the other step in slot 2.
func (n *entry) at(r *trial, s *step.Step, slot int) bool {
	if n.a == s {
		return r.Holds(n.uniform, slot, 2)
	}
	return r.Holds(n.uniform, 2, slot)
}

// A place0 is an access of a step whose array indices are expressions, nil where they depend on shared state.
type place0 struct {
	v     *step.Var
	idx   []*step.Expr
	lens  []int
	write bool
}

// accessesOf lists what a step may touch.
func (e *questions) accessesOf(s *step.Step) []place0 {
	if list, ok := e.access[s]; ok {
		return list
	}
	var list []place0
	var visit func(x *step.Expr, write bool)
	visit = func(x *step.Expr, write bool) {
		if x == nil {
			return
		}
		if v := x.Root(); v != nil {
			p := place0{v: v, write: write}
			for y := x; y.Op != step.VarRef; y = y.Args[0] {
				whole := y.Args[0].Type
				if y.Op == step.Part { // fields are told apart like elements of an array
					p.idx = append([]*step.Expr{expr.Number(int64(y.Field))}, p.idx...)
					p.lens = append([]int{len(whole.Fields)}, p.lens...)
					continue
				}
				visit(y.Args[1], false)
				i := y.Args[1]
				if i.TouchesShared() {
					i = nil
				}
				if whole.Kind != step.Array {
					p.idx, p.lens = nil, nil
				} else {
					p.idx = append([]*step.Expr{i}, p.idx...)
					p.lens = append([]int{whole.Len}, p.lens...)
				}
			}
			if v.Shared {
				list = append(list, p)
			}
			return
		}
		for _, a := range x.Args {
			visit(a, false)
		}
	}
	for _, i := range s.Nodes {
		n := s.Template.Nodes[i]
		visit(n.Cond, false)
		visit(n.Src, false)
		visit(n.Dst, true)
	}
	e.access[s] = list
	return list
}

// conflicts calls a function with the accesses of two steps to a common variable of which one writes, until it reports
// false.
func (e *questions) conflicts(a, b *step.Step, each func(p, q place0) bool) bool {
	left, right := e.accessesOf(a), e.accessesOf(b)
	for _, p := range left {
		for _, q := range right {
			if p.v == q.v && (p.write || q.write) && !each(p, q) {
				return false
			}
		}
	}
	return true
}

// separable tells whether there may be states in which the footprints of two steps are disjoint.
func (e *questions) separable(a, b *step.Step) bool {
	return e.conflicts(a, b, func(p, q place0) bool {
		for i := range min(len(p.idx), len(q.idx)) {
			if p.idx[i] != nil && q.idx[i] != nil {
				return true
			}
		}
		for _, x := range append(append([]*step.Expr(nil), p.idx...), q.idx...) {
			if x != nil && x.Op != step.Const { // it may be out of range, and the access with it
				return true
			}
		}
		return false
	})
}

// disjoint tells whether the footprints of two steps may be disjoint for the locals of the current store: false only if
// some location is certainly in both and written by one.
func (x *trial) disjoint(a *step.Step, slotA int, b *step.Step, slotB int) bool {
	return x.e.separable(a, b) && x.e.conflicts(a, b, func(p, q place0) bool {
		i, okI := x.indices(p, slotA)
		j, okJ := x.indices(q, slotB)
		if !okI || !okJ {
			return true
		}
		for k := range min(len(i), len(j)) {
			if p.idx[k] != nil && q.idx[k] != nil && !x.Equal(i[k], j[k]) {
				return true
			}
		}
		return false
	})
}

// indices evaluates the known indices of an access; ok is false if one is out of range.
func (x *trial) indices(p place0, slot int) (idx []term.Form, ok bool) {
	for k, i := range p.idx {
		f := term.Constant(0)
		if i != nil {
			x.Own, x.Fault = slot, step.NoFault
			f = x.Scalar(i)
			if x.Fault != step.NoFault || x.LessThan(f, term.Constant(0)) || x.AtMost(term.Constant(int64(p.lens[k])),
				f) {
				x.Fault = step.NoFault
				return nil, false
			}
		}
		idx = append(idx, f)
	}
	return idx, true
}
