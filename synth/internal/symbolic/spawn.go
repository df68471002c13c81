package symbolic

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// Steps that start processes, come to the end of one, or wait for that. Which identity a process gets depends on its
// name only: in whose name it is started, at which place of the program, and how many have been started there before
// (lang/step/spawn.go). So two orders of steps give a process the same identity if they give it the same name, also
// where it is started by p in one order and by q in the other: the tasks of an actor start processes in its name. The
// identity is an unknown number of the pool, which nothing knows yet, one for each name, and whether there is one left
// is unknown, too. No condition can speak about these two, so what is found holds for all.
//
// A process that stands at a step has been started and has not ended. Its first steps before the first visible node,
// its prelude, have to depend on nothing but its parameters.

// Starts reports whether one of two steps starts processes.
func Starts(a, b *step.Step) bool { return len(a.Spawns())+len(b.Spawns()) > 0 }

// asksForLives reports whether one of the steps of a question starts a process or asks how far one is, or a condition
// may do so. For other questions it does not matter that a process ends.
func (x *Run) asksForLives() bool {
	return x.Table.Lives || slices.ContainsFunc(x.Table.Actors, func(a *term.Actor) bool {
		return a.At != nil && (len(a.At.Spawns()) > 0 || a.At.ReadsLife())
	})
}

// lifeOf is how far the process in a slot is; ok is false if it is in no pool.
func (x *Run) lifeOf(slot int) (p term.Place, ok bool) {
	pool := x.Table.Actors[slot].Tmpl.Pool
	if pool == nil {
		return term.Place{}, false
	}
	return lifeAt(pool, x.selfOf(slot)), true
}

func (x *Run) selfOf(slot int) term.Form {
	if x.Concrete != nil {
		return term.Constant(x.Concrete(slot, nil, 0))
	}
	return x.Table.Self(slot, term.SelfSym)
}

func lifeAt(pool *step.Pool, id term.Form) term.Place {
	life := pool.Life
	return term.PlaceOf(term.Shared, life).Sub(0, life.Type.Elem,
		id.Plus(1, term.Constant(int64(pool.First))))
}

// Running writes down that the processes of the question are running, if one of their steps has to do with it.
func (x *Run) Running() {
	if !x.asksForLives() {
		return
	}
	for slot := range x.Table.Actors {
		if p, ok := x.lifeOf(slot); ok {
			x.write(p, term.Constant(step.RunningLife))
		}
	}
}

// over writes down that the process in a slot has come to its end.
func (x *Run) over(slot int) {
	if !x.asksForLives() {
		return
	}
	if p, ok := x.lifeOf(slot); ok {
		x.write(p, term.Constant(step.EndedLife))
	}
}

// spawn runs a node that starts a process, the one of a number among those that the step starts.
func (x *Run) spawn(slot int, n *step.Node, number int) {
	pool := n.Target.Pool
	if n.Target.HasPrelude() && !PlainPrelude(n.Target) {
		panic(unsupported.Reason("a process that is started does more than compute before its first step"))
	}
	s := processName{node: n, slot: slot, number: number}
	var args [][]term.Form
	for i, a := range n.Args {
		typ := n.Target.Parameter(i).Type
		if pool.Fields != nil {
			typ = typ.Elem
		}
		words := x.stored(typ, a)
		if x.Fault != step.NoFault {
			return
		}
		args = append(args, words)
	}
	counter := x.mustPlace(n.Counter)
	if x.Fault != step.NoFault {
		return
	}
	s.before = x.Read(counter)
	if n.Maker != nil {
		s.creator = x.Scalar(n.Maker)
		makers := term.Constant(int64(n.MakerOf.Pool.Size))
		if x.Fault != step.NoFault {
			return
		}
		if !x.Table.Within(s.creator, span.Between(0, makers.K-1)) &&
			(x.LessThan(s.creator, term.Constant(0)) || x.AtMost(makers, s.creator)) {
			x.raise(step.BadIndex)
			return
		}
	} else {
		s.creator = x.selfOf(slot)
	}
	made := start{name: x.nameOf(s), slot: slot}
	id, left := x.identity(x.started[made.name], pool)
	if left && pool.Fields == nil { // what the process does not read is not kept
		live := n.Target.LiveIn(n.Target.Start)
		for i, words := range args {
			for w, word := range words {
				if live[n.Target.Parameter(i).Offset+w] {
					made.args = append(made.args, word)
				}
			}
		}
	}
	x.Store.starts = append(x.Store.starts, made)
	if !left {
		x.raise(step.TooManyProcesses)
		return
	}
	life := lifeAt(pool, id)
	x.write(counter, s.before.Plus(1, term.Constant(1)))
	if n.Dst != nil {
		x.store(x.mustPlace(n.Dst), []term.Form{id.Plus(1, term.Constant(int64(pool.First)))})
	}
	for i, v := range pool.Fields {
		if i < len(args) {
			x.store(term.PlaceOf(term.Shared, v).Sub(0, v.Type.Elem, id), args[i])
		}
	}
	after := int64(step.RunningLife)
	if n.Target.Start == step.End {
		after = step.EndedLife
	}
	x.write(life, term.Constant(after))
}

// nameOf is the place of a name among those that the run has met, in all orders of the steps.
func (x *Run) nameOf(s processName) int {
	for i, t := range x.started {
		if s.node.Target == t.node.Target && s.node.Counter.Root() == t.node.Counter.Root() &&
			(s.node.Maker != nil || s.slot == t.slot) && x.Equal(s.creator, t.creator) && x.Equal(s.before, t.before) {
			return i
		}
	}
	for slices.ContainsFunc(x.started, func(t processName) bool { return s.slot == t.slot && s.number == t.number }) {
		s.number += maxNodes // another name for the same start: it is told apart from those of all starts of a step
	}
	x.started = append(x.started, s)
	return len(x.started) - 1
}

// identity is that of a process to be started, and whether there is one.
func (x *Run) identity(s processName, pool *step.Pool) (id term.Form, left bool) {
	if x.Concrete != nil {
		panic(unsupported.Reason("a process is started from a known state"))
	}
	if pool.Size == 0 || !x.Table.Enough[pool] && x.zero(x.Table.Given(term.LeftSym, s.slot, s.number, pool)) {
		return term.Form{}, false
	}
	return x.Table.Given(term.IdentitySym, s.slot, s.number, pool), true
}

// Enough finds the pools that always have an identity left, because what the program starts cannot have more names.
func Enough(prog *step.Program) map[*step.Pool]bool {
	names := map[*step.Pool]int{}
	for _, t := range prog.Templates {
		for i, n := range t.Nodes {
			if n.Kind != step.Spawn {
				continue
			}
			most := t.Count // processes that pass there, once each
			if n.Maker != nil {
				most *= n.MakerOf.Count
			}
			if inLoop(t, i) {
				most = math.MaxInt32
			}
			names[n.Target.Pool] = min(names[n.Target.Pool]+most, math.MaxInt32)
		}
	}
	left := map[*step.Pool]bool{}
	for pool, most := range names {
		left[pool] = most <= pool.Size
	}
	return left
}

// inLoop reports whether a process may pass a node of its template twice.
func inLoop(t *step.Template, node int) bool {
	seen := map[int]bool{}
	var visit func(at int) bool
	visit = func(at int) bool {
		if at == node || at == step.End || seen[at] {
			return at == node
		}
		seen[at] = true
		n := t.Nodes[at]
		return visit(n.Next) || n.Kind == step.Branch && visit(n.Else)
	}
	n := t.Nodes[node]
	return visit(n.Next)
}

// sameStarts decides whether two stores have started the same processes.
func (x *Run) sameStarts(a, b *Store) bool {
	if len(a.starts) != len(b.starts) {
		return false
	}
	for _, s := range a.starts {
		i := slices.IndexFunc(b.starts, func(t start) bool { return s.name == t.name })
		if i < 0 || len(s.args) != len(b.starts[i].args) {
			return false
		}
		for k, arg := range s.args {
			if !x.Equal(arg, b.starts[i].args[k]) {
				return false
			}
		}
	}
	return true
}

// exchanged reports whether two stores have started a process of one name by different steps.
func exchanged(a, b *Store) bool {
	return slices.ContainsFunc(a.starts, func(s start) bool {
		return slices.ContainsFunc(b.starts, func(t start) bool { return s.name == t.name && s.slot != t.slot })
	})
}

// PlainPrelude reports whether what a process does as it is started only computes with its own locals and does not end.
func PlainPrelude(t *step.Template) bool {
	seen := map[int]bool{}
	var visit func(at int) bool
	visit = func(at int) bool {
		switch {
		case at == step.End:
			return false
		case seen[at] || t.Nodes[at].Visible:
			return true
		}
		seen[at] = true
		n := t.Nodes[at]
		own := true
		for _, e := range append([]*step.Expr{n.Cond, n.Src, n.Dst}, n.Args...) {
			own = own && (e == nil || !e.TouchesShared())
		}
		switch n.Kind {
		case step.Nop, step.Assign, step.Check:
			return own && visit(n.Next)
		case step.Branch:
			return own && visit(n.Next) && visit(n.Else)
		}
		return false
	}
	return visit(t.Start)
}
