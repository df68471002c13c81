package future

import (
	"slices"

	"cdpor/lang/step"
)

// An abstract execution of what a process and those that it starts may do from a state on, without regard to order: all
// values that a variable is ever given are put together. Of interest are numbers that say which element of an array is
// meant, above all which actor; most of them never change.

// A value is an abstract value of a variable or a part of it: nothing, one of some numbers, or anything.
type value struct {
	any   bool
	known []int64
	// fresh are numbers of processes that will have been started by the process whose future this is, or by what that
	// has started.
	fresh []newcomer
}

// A newcomer is the identity that some process of a pool will have, plus a constant.
type newcomer struct {
	pool *step.Pool
	plus int64
}

var anyValue = value{any: true}

// maxKnown bounds how many numbers a value has.
const maxKnown = 24

func knownValue(words []int64) (v value) {
	for _, w := range words {
		v.join(value{known: []int64{w}})
	}
	return v
}

// join adds what another value may be. It reports whether that is more.
func (v *value) join(o value) (more bool) {
	if v.any {
		return false
	}
	if len(v.known)+len(v.fresh) == 0 && !o.any { // values share memory; what is added goes elsewhere
		*v = o
		return len(o.known)+len(o.fresh) > 0
	}
	for _, k := range o.known {
		if !slices.Contains(v.known, k) {
			v.known, more = append(slices.Clip(v.known), k), true
		}
	}
	for _, n := range o.fresh {
		if !slices.Contains(v.fresh, n) {
			v.fresh, more = append(slices.Clip(v.fresh), n), true
		}
	}
	if o.any || len(v.known)+len(v.fresh) > maxKnown {
		*v, more = anyValue, true
	}
	return more
}

// plus is the sum of two values, or their difference.
func (v value) plus(o value, sign int64) (sum value) {
	for _, list := range [][]int64{v.known, o.known} {
		if slices.ContainsFunc(list, func(k int64) bool { return k < -1<<32 || k > 1<<32 }) {
			return anyValue // it might overflow
		}
	}
	if v.any || o.any || len(o.fresh) > 0 && (len(v.fresh) > 0 || sign < 0) {
		return anyValue
	}
	for _, b := range o.known {
		for _, a := range v.known {
			sum.join(value{known: []int64{a + sign*b}})
		}
		for _, n := range v.fresh {
			sum.join(value{fresh: []newcomer{{n.pool, n.plus + sign*b}}})
		}
	}
	for _, n := range o.fresh {
		for _, a := range v.known {
			sum.join(value{fresh: []newcomer{{n.pool, n.plus + a}}})
		}
	}
	return sum
}

// An interpretation is the abstract execution.
type interpretation struct {
	x       *Analysis
	now     step.State
	roles   []*role // of the process, then one for each template that is started
	of      map[*step.Template]*role
	given   map[*step.Var]value // arguments of what is started, by the array they go to
	changed bool
}

// A role stands for a process, or for all that are started of a template.
type role struct {
	c        *interpretation
	template *step.Template
	proc     int   // -1 for those that are started
	before   []int // nodes before the first step, of those
	steps    []int
	locals   map[*step.Var]value
}

// interpret executes what follows in a state from a step of a process on.
func (x *Analysis) interpret(now step.State, proc, id int) *interpretation {
	c := &interpretation{x: x, now: now, given: map[*step.Var]value{}, of: map[*step.Template]*role{}}
	p := x.m.Program.Procs[proc]
	own := &role{c: c, template: p.Template, proc: proc, steps: x.onward(p.Template.Steps[id-x.m.FirstStepID(proc)]),
		locals: map[*step.Var]value{}}
	base := x.m.LocalBase(proc)
	for _, v := range p.Template.Locals {
		if x.steering[v] {
			own.locals[v] = knownValue(now[base+v.Offset : base+v.Offset+v.Type.Words()])
		}
	}
	c.roles = append(c.roles, own)
	for c.changed = true; c.changed; {
		c.changed = false
		for i := 0; i < len(c.roles); i++ {
			c.roles[i].follow()
		}
	}
	return c
}

// follow does what the steps do to the variables that are followed.
func (r *role) follow() {
	r.through(r.before)
	for _, k := range r.steps {
		r.through(r.template.Steps[k].Nodes)
	}
}

func (r *role) through(nodes []int) {
	for _, i := range nodes {
		n := r.template.Nodes[i]
		if v := n.Dst.Root(); v != nil && r.c.x.steering[v] {
			switch n.Kind {
			case step.Spawn:
				r.give(v, value{fresh: []newcomer{{n.Target.Pool, int64(n.Target.Pool.First)}}})
			case step.Assign, step.Append:
				r.give(v, r.eval(n.Src))
			case step.PopHead, step.PopTail: // what is left was there before
			default:
				r.give(v, anyValue)
			}
		}
		if v := n.Counter.Root(); v != nil && r.c.x.steering[v] {
			r.give(v, anyValue)
		}
		if n.Kind == step.Spawn {
			r.start(n)
		}
	}
}

func (r *role) give(v *step.Var, what value) {
	old := r.locals[v]
	if old.join(what) {
		r.locals[v], r.c.changed = old, true
	}
}

// start adds what a Spawn node starts.
func (r *role) start(n *step.Node) {
	c, t := r.c, n.Target
	to := c.of[t]
	if to == nil {
		to = &role{c: c, template: t, proc: -1, before: c.x.entire[t].before, steps: c.x.entire[t].steps,
			locals: map[*step.Var]value{}}
		c.of[t], c.changed = to, true
		c.roles = append(c.roles, to)
	}
	for i, v := range t.Locals {
		if c.x.steering[v] && (t.Pool.Fields != nil || i >= len(n.Args)) {
			to.give(v, c.x.initial[v])
		}
	}
	for i, a := range n.Args {
		v := t.Parameter(i)
		switch {
		case !c.x.steering[v]:
		case v.Shared:
			old := c.given[v]
			if old.join(r.eval(a)) {
				c.given[v], c.changed = old, true
			}
		default:
			to.give(v, r.eval(a))
		}
	}
}

// prelude lists the nodes that come before the first step.
func prelude(t *step.Template) (list []int) {
	todo := []int{t.Start}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == step.End || t.Nodes[i].Visible || slices.Contains(list, i) {
			continue
		}
		list = append(list, i)
		if todo = append(todo, t.Nodes[i].Next); t.Nodes[i].Kind == step.Branch {
			todo = append(todo, t.Nodes[i].Else)
		}
	}
	return list
}

// eval is the abstract value of an expression, or if it is no scalar, of the parts of it.
func (r *role) eval(e *step.Expr) (v value) {
	switch e.Op {
	case step.Const:
		return knownValue(e.Words)
	case step.VarRef:
		if e.Of != step.Own || e.Var.Shared || !r.c.x.steering[e.Var] {
			return anyValue
		}
		return r.locals[e.Var]
	case step.Self:
		switch {
		case e.Of != step.Own:
			return anyValue
		case r.proc >= 0:
			return knownValue([]int64{r.c.x.m.Program.Procs[r.proc].Self})
		}
		return value{fresh: []newcomer{{r.template.Pool, 0}}}
	case step.Add, step.Sub:
		if e.Type.Kind == step.Sized { // wraps around
			return anyValue
		}
		sign := int64(1)
		if e.Op == step.Sub {
			sign = -1
		}
		return r.eval(e.Args[0]).plus(r.eval(e.Args[1]), sign)
	case step.Index:
		if a := e.Args[0]; a.Op == step.VarRef && r.c.x.born[a.Var] && r.c.x.steering[a.Var] {
			return r.born(a.Var, r.eval(e.Args[1]))
		}
		return r.eval(e.Args[0])
	case step.Some, step.Unwrap, step.Part, step.Fit, step.Slice, step.Sort, step.Reverse:
		return r.eval(e.Args[0])
	case step.MakeList, step.Make, step.Concat:
		for _, a := range e.Args {
			v.join(r.eval(a))
		}
		if e.Op == step.MakeList || e.Op == step.Make { // unused room
			v.join(knownValue([]int64{0}))
		}
		return v
	case step.Cond:
		v.join(r.eval(e.Args[1]))
		v.join(r.eval(e.Args[2]))
		return v
	}
	return anyValue
}

// born is the abstract value of the elements of an array for processes of its pool that have been started.
func (r *role) born(array *step.Var, of value) (v value) {
	c := r.c
	pool, width := c.x.poolOf[array], array.Type.Elem.Words()
	if of.any {
		return anyValue
	}
	for _, id := range of.known {
		switch {
		case id < 0 || id >= int64(pool.Size): // fails
		case pool.NotStarted(c.now, id): // another process may start it
			return anyValue
		default:
			from := array.Offset + int(id)*width
			v.join(knownValue(c.now[from : from+width]))
		}
	}
	for _, n := range of.fresh {
		if n.pool != pool || n.plus != 0 {
			return anyValue
		}
		v.join(c.given[array])
	}
	return v
}

// Values, Selves and Unborn make a role a step.Prospect.

func (r *role) Values(e *step.Expr) (list []int64, known bool) {
	v := r.eval(e)
	if v.any {
		return nil, false
	}
	list = slices.Clone(v.known)
	for _, n := range v.fresh {
		for _, id := range r.Unborn(n.pool) {
			list = append(list, id+n.plus)
		}
	}
	return list, true
}

func (r *role) Selves() []int64 {
	if r.proc >= 0 {
		return []int64{r.c.x.m.Program.Procs[r.proc].Self}
	}
	return r.Unborn(r.template.Pool)
}

func (r *role) Unborn(p *step.Pool) (list []int64) {
	for id := range int64(p.Size) {
		if p.NotStarted(r.c.now, id) {
			list = append(list, id)
		}
	}
	return list
}
