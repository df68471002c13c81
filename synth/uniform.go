package synth

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
)

// Uniformity. For steps a, b, q of three processes, in every state s in which q is enabled:
//
//	forward:  R(a,q)(s) and R(b,q)(s) and U(a,b)(s)      =>  U(a,b)(s.q)
//	backward: (R(a,q)(s) or R(b,q)(s)) and not U(a,b)(s) =>  not U(a,b)(s.q)
//
// R is the relation that explorers use: disjoint footprints or U. Footprints may be finer than package constraints sees
// (an index that is a local); as disjointness does not change while other processes run, it is enough to take the finest
// possible footprints in the premises and the coarsest for the pair that is judged.
//
// The family begins with commute (see pair) and only shrinks, by cells: a violation names the cell to drop. Forward drops s from
// U(a,b). Backward drops s.q from U(a,b), or s from those of U(a,q), U(b,q) it used; see repairs.go for which.

// fixpoint weakens the family until no violation is left.
func (e *engine) fixpoint() {
	var steps []*step.Step
	for _, t := range e.prog.Templates {
		if t.Count > 0 {
			steps = append(steps, t.Steps...)
		}
	}
	type seen struct{ n, aq, bq int }
	checked := map[[2]int]seen{}
	stage := Stage{Phase: Uniform, Total: len(e.entries)}
	e.watch(&stage)
	for changed := true; changed; {
		changed = false
		e.rounds++
		stage.Round = e.rounds
		for i, n := range e.entries {
			stage.Done, stage.A, stage.B = i, n.a, n.b
			for j, q := range steps {
				if e.ctx.Err() != nil {
					return
				}
				if n.independent || n.uniform.Op == step.Const || !e.threeProcesses(n.a, n.b, q) || !e.writesAny(q, n.reads) {
					continue
				}
				aq, bq := e.find(n.a, q), e.find(n.b, q)
				now := seen{n.version + 1, aq.version, bq.version}
				if checked[[2]int{i, j}] == now {
					continue
				}
				if e.repair(n, q, aq, bq) {
					changed = true
				} else {
					checked[[2]int{i, j}] = now
				}
			}
		}
	}
}

// symmetric tells whether the condition of a step with itself means the same when the processes are exchanged.
func (e *engine) symmetric(n *entry) bool {
	same := true
	failed := explore(e.ctx, e.table(n.a, n.b), e.o, func(x *path) bool {
		r := newRun(x, nil)
		same = same && r.holds(n.commute, 0, 1) == r.holds(n.commute, 1, 0)
		return true
	}, func(*path, bool) {})
	return same && failed == nil
}

func (e *engine) find(a, b *step.Step) *entry {
	if n := e.of[[2]*step.Step{a, b}]; n != nil {
		return n
	}
	return e.of[[2]*step.Step{b, a}]
}

// threeProcesses tells whether three different processes can stand at the steps.
func (e *engine) threeProcesses(steps ...*step.Step) bool {
	for _, s := range steps {
		n := 0
		for _, r := range steps {
			if r.Template == s.Template {
				n++
			}
		}
		if n > len(e.actors[s.Template].procs) {
			return false
		}
	}
	return true
}

func (e *engine) writesAny(q *step.Step, vars map[*step.Var]bool) bool {
	w := e.writes[q]
	if w == nil {
		w = map[*step.Var]bool{}
		for _, v := range constraints.Writes(q) {
			w[v] = true
		}
		e.writes[q] = w
	}
	for v := range vars {
		if w[v] {
			return true
		}
	}
	return false
}

// refresh writes the cells of uniform as an expression.
func (e *engine) refresh(n *entry) {
	c := *n.c
	c.value = n.u
	n.uniform = c.minimise(n.names, &printer{pairSlots}).guarded
	if slices.Equal(n.u, n.c.value) && n.status == constraints.Exact {
		n.uniform = n.commute
	}
	n.reads = sharedOf(n.uniform, nil)
	n.version++
}

// A drop is a cell to take from uniform; cell -1 means all of it.
type drop struct {
	n    *entry
	cell int
}

// repair looks for violations by one third step and drops the cells they name. It reports whether there were any.
func (e *engine) repair(n *entry, q *step.Step, aq, bq *entry) bool {
	var order []drop
	known := map[drop]bool{}
	add := func(d drop) {
		if !known[d] {
			known[d] = true
			order = append(order, d)
		}
	}
	t := e.table(n.a, n.b, q)
	assume := e.related(n.a, n.b, q)
	failed := explore(e.ctx, t, e.o, func(x *path) bool {
		r := newRun(x, nil)
		r.assumeInvariants(assume)
		v := e.violation(r, n, q, aq, bq)
		switch v.kind {
		case forward:
			e.materialise(n)
			r.st = v.before
			d := drop{n, r.locate(n, 0, 1)}
			e.explain.note(e, x, n, q, v.kind, d)
			add(d)
		case backward:
			e.materialise(n, aq, bq)
			r.st = v.after
			here := drop{n, r.locate(n, 0, 1)}
			for _, d := range e.either(r, v, here, n, q, aq, bq) {
				e.explain.note(e, x, n, q, v.kind, d)
				add(d)
			}
		}
		return true
	}, func(*path, bool) {})
	if failed != nil {
		add(drop{n, -1})
	}
	for _, d := range order {
		d.n.drop(d.cell)
	}
	for _, d := range order { // once per entry, in order
		if known[drop{d.n, -2}] {
			continue
		}
		known[drop{d.n, -2}] = true
		if d.n.uniform.Op != step.Const {
			if d.n.c != nil {
				e.refresh(d.n)
			}
		} else if constraints.IsTrue(d.n.uniform) && d.n.c != nil {
			e.refresh(d.n)
		}
	}
	return len(order) > 0
}

// drop takes a cell, with its mirror image, from uniform.
func (n *entry) drop(cell int) {
	if n.c == nil || cell < 0 || !n.u[cell] {
		for i := range n.u {
			n.u[i] = false
		}
		n.uniform, n.reads = truth(false), nil
		n.version++
		return
	}
	n.u[cell] = false
	if n.a == n.b {
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
	before, after *store
	viaA, viaB    bool // the premises that hold
}

// violation runs q (slot 2) next to a (slot 0) and b (slot 1).
func (e *engine) violation(r *run, n *entry, q *step.Step, aq, bq *entry) (v violation) {
	v.before = r.st
	if !r.enabled(2, q) {
		return
	}
	now := r.holds(n.uniform, 0, 1)
	v.after = r.st.clone()
	r.st = v.after
	r.exec(2, q)
	then := r.holds(n.uniform, 0, 1)
	r.st = v.before
	if now == then {
		return
	}
	v.viaA = e.unordered(r, aq, n.a, 0, q)
	if now && !v.viaA {
		return
	}
	v.viaB = e.unordered(r, bq, n.b, 1, q)
	switch {
	case now && v.viaB:
		v.kind = forward
	case !now && (v.viaA || v.viaB):
		v.kind = backward
	}
	return
}

// unordered is R between a step in a slot and q in slot 2, in the current store: U, or footprints that may be disjoint.
func (e *engine) unordered(r *run, n *entry, s *step.Step, slot int, q *step.Step) bool {
	return n.independent || n.at(r, s, slot) || e.disjoint(r, s, slot, q, 2)
}

// at evaluates the uniform constraint between step s in a slot and the other step in slot 2.
func (n *entry) at(r *run, s *step.Step, slot int) bool {
	if n.a == s {
		return r.holds(n.uniform, slot, 2)
	}
	return r.holds(n.uniform, 2, slot)
}

// either chooses between the two repairs of a backward violation.
func (e *engine) either(r *run, v violation, here drop, n *entry, q *step.Step, aq, bq *entry) []drop {
	loss := e.weightOf(here)
	if n == aq || n == bq {
		return []drop{here}
	}
	var there []drop
	other := 0
	r.st = v.before
	for _, side := range []struct {
		used bool
		n    *entry
		s    *step.Step
		slot int
	}{{v.viaA, aq, n.a, 0}, {v.viaB, bq, n.b, 1}} {
		if !side.used {
			continue
		}
		if side.n.independent || side.n.c == nil || e.disjoint(r, side.s, side.slot, q, 2) {
			return []drop{here}
		}
		p, o := side.slot, 2
		if side.n.a != side.s {
			p, o = o, p
		}
		d := drop{side.n, r.locate(side.n, p, o)}
		if d.cell < 0 || !side.n.u[d.cell] {
			return []drop{here}
		}
		there = append(there, d)
		other += e.weightOf(d)
	}
	if e.rule == repairBefore || e.rule == repairCheaper && other < loss {
		e.choices[repairBefore]++
		return there
	}
	e.choices[repairAfter]++
	return []drop{here}
}

// locate finds the cell of a pair in which the current store lies, with the processes of the pair in slots p and q.
func (x *run) locate(n *entry, p, q int) int {
	if n.c == nil {
		return -1
	}
	coord := make([]uint8, len(n.c.axes))
	x.fault = step.NoFault
	for i := range n.c.axes {
		a := &n.c.axes[i]
		f := x.transfer(n.t, form{terms: n.t.dirs[a.dir].terms}, [2]int{p, q})
		if x.fault != step.NoFault {
			x.fault = step.NoFault
			return -1
		}
		last := len(a.regions) - 1
		at := 0
		for at < last {
			if r := a.regions[at]; a.equations && x.equal(f, constant(r.lo)) || !a.equations && x.atMost(f, constant(r.hi)) {
				break
			}
			at++
		}
		coord[i] = uint8(at)
	}
	return n.c.locate(coord)
}

// transfer reads a form of a pair's table as a value of the current store.
func (x *run) transfer(t *table, f form, slots [2]int) form {
	sum := constant(f.k)
	for _, y := range f.terms {
		sum = sum.plus(y.c, x.transferSymbol(t, &t.syms[y.s], slots))
	}
	return sum
}

func (x *run) transferSymbol(t *table, s *symbol, slots [2]int) form {
	slot := s.mem.slot
	if slot != shared {
		slot = slots[slot]
	}
	switch s.kind {
	case selfSym, meSym:
		return x.t.self(slot, s.kind)
	case choiceSym:
		return x.t.choice(slot)
	}
	var idx []form
	for _, f := range s.idx {
		idx = append(idx, x.transfer(t, f, slots))
	}
	switch s.kind {
	case mulSym:
		return x.product(idx[0], idx[1])
	case divSym:
		return x.quotient(step.Div, idx[0], idx[1])
	case modSym:
		return x.quotient(step.Mod, idx[0], idx[1])
	}
	return x.read(place{slot: slot, v: s.mem.v, off: s.mem.off, view: s.mem.view, idx: idx, typ: s.typ})
}

// A place0 is an access of a step whose array indices are expressions, nil where they depend on shared state.
type place0 struct {
	v     *step.Var
	idx   []*step.Expr
	lens  []int
	write bool
}

// accessesOf lists what a step may touch.
func (e *engine) accessesOf(s *step.Step) []place0 {
	if list, ok := e.access[s]; ok {
		return list
	}
	var list []place0
	var visit func(x *step.Expr, write bool)
	visit = func(x *step.Expr, write bool) {
		if x == nil {
			return
		}
		if v := root(x); v != nil {
			p := place0{v: v, write: write}
			for y := x; y.Op != step.VarRef; y = y.Args[0] {
				whole := y.Args[0].Type
				if y.Op == step.Part { // fields are told apart like elements of an array
					p.idx = append([]*step.Expr{number(int64(y.Field))}, p.idx...)
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

// disjoint tells whether the footprints of two steps may be disjoint for the locals of the current store: false only if
// some location is certainly in both and written by one.
func (e *engine) disjoint(r *run, a *step.Step, slotA int, b *step.Step, slotB int) bool {
	left, right := e.accessesOf(a), e.accessesOf(b)
	conflicts := func(each func(p, q place0) bool) bool {
		for _, p := range left {
			for _, q := range right {
				if p.v == q.v && (p.write || q.write) && !each(p, q) {
					return false
				}
			}
		}
		return true
	}
	separable := conflicts(func(p, q place0) bool { // without looking at the state
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
	return separable && conflicts(func(p, q place0) bool {
		i, okI := r.indices(p, slotA)
		j, okJ := r.indices(q, slotB)
		if !okI || !okJ {
			return true
		}
		for k := range min(len(i), len(j)) {
			if p.idx[k] != nil && q.idx[k] != nil && !r.equal(i[k], j[k]) {
				return true
			}
		}
		return false
	})
}

// indices evaluates the known indices of an access; ok is false if one is out of range.
func (x *run) indices(p place0, slot int) (idx []form, ok bool) {
	for k, i := range p.idx {
		f := constant(0)
		if i != nil {
			x.own, x.fault = slot, step.NoFault
			f = x.scalar(i)
			if x.fault != step.NoFault || x.lessThan(f, constant(0)) || x.atMost(constant(int64(p.lens[k])), f) {
				x.fault = step.NoFault
				return nil, false
			}
		}
		idx = append(idx, f)
	}
	return idx, true
}
