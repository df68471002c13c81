package step

import (
	"iter"
	"math/bits"
	"strconv"
	"strings"
)

// Nondeterministic choice. A step that begins with a Choose node has several alternatives; which one is taken is part
// of the schedule. So what a schedule consists of are actions: a process together with an alternative of its next step.
// Actions are numbered so that those of a process follow each other, and an action of a program without choice is just
// its process.

// MaxAlternatives is how many alternatives a step may have when the program text gives no smaller bound.
const MaxAlternatives = 32

// alternatives is the greatest number of alternatives that a Choose node can have.
func (x *compiler) alternatives(n *Node) int {
	if k, ok := x.constant(n.Src); ok {
		return int(max(1, min(k, MaxAlternatives)))
	}
	if t := n.Src.Type; t.Kind == Range {
		return int(max(1, min(t.Hi, MaxAlternatives)))
	}
	return MaxAlternatives
}

// An action is a process and an alternative of its next step.
type action struct{ proc, choice int32 }

// actions is the table of the actions of all processes, by number.
type actions struct {
	first []int32 // per process
	all   []action
}

func newActions(of procs) (a actions) {
	for p := range of {
		a.first = append(a.first, int32(len(a.all)))
		for k := range of[p].alternatives {
			a.all = append(a.all, action{int32(p), int32(k)})
		}
	}
	return a
}

// NumActions is the number of actions; at least NumProcs.
func (a *actions) NumActions() int { return len(a.all) }

// ProcOf is the process of an action.
func (a *actions) ProcOf(action int) int { return int(a.all[action].proc) }

// ChoiceOf is the alternative of an action, from 0.
func (a *actions) ChoiceOf(action int) int { return int(a.all[action].choice) }

// FirstAction is the action of a process with alternative 0; the others follow.
func (a *actions) FirstAction(proc int) int { return int(a.first[proc]) }

// Alternatives is the set of the alternatives of the next step of a process, which must be enabled: the first one
// unless it begins with a Choose node. With nothing to choose from it has that one as well, which drops the process.
func (r *Runner) Alternatives(s State, proc int) Alternatives {
	c := &r.m.procs[proc]
	code := &c.steps[s[c.control]]
	switch {
	case code.choices == nil:
		return 1
	case code.guards != nil:
		return r.possible(code.guards, s)
	}
	r.begin(s)
	return 1<<max(1, min(code.choices(r), int64(c.alternatives))) - 1
}

// possible is the set of the alternatives of a guarded choice whose guards hold.
func (r *Runner) possible(guards []intFunc, s State) (set Alternatives) {
	for k, guard := range guards {
		if guard == nil {
			if set == 0 {
				set = 1 << k
			}
			continue
		}
		if r.begin(s); guard(r) != 0 || r.fault != NoFault {
			set |= 1 << k
		}
	}
	return set
}

// Alternatives is a set of alternatives of a step, bit k for alternative k.
type Alternatives uint64

// All are the alternatives in a set, ascending.
func (a Alternatives) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; a != 0; a &= a - 1 {
			if !yield(bits.TrailingZeros64(uint64(a))) {
				return
			}
		}
	}
}

// Has reports whether an alternative is in the set.
func (a Alternatives) Has(k int) bool { return a>>k&1 != 0 }

// String lists the alternatives: 0, 2.
func (a Alternatives) String() string {
	var list []string
	for k := range a.All() {
		list = append(list, strconv.Itoa(k))
	}
	return strings.Join(list, ", ")
}

// Len is how many there are.
func (a Alternatives) Len() int { return bits.OnesCount64(uint64(a)) }

// CanTake reports whether an action is possible: its process is enabled and its step has the alternative.
func (r *Runner) CanTake(s State, action int) bool {
	p := r.m.ProcOf(action)
	return r.Enabled(s, p) && r.Alternatives(s, p).Has(r.m.ChoiceOf(action))
}

// Instead is an action by which the process of an action can take the same step: the action itself if it is possible,
// or, where that is not but others are, the first alternative of a guarded choice that is; -1 if there is none.
func (r *Runner) Instead(s State, action int) int {
	if r.CanTake(s, action) {
		return action
	}
	p := r.m.ProcOf(action)
	if !r.Enabled(s, p) || !r.m.Info(r.m.StepID(s, p)).Selects {
		return -1
	}
	for k := range r.Alternatives(s, p).All() {
		return r.m.FirstAction(p) + k
	}
	return -1
}

// guards compiles the guards of a guarded choice.
func (x *compiler) guards(code *stepCode, n *Node) {
	count := int(n.Src.Words[0])
	for k := range count {
		var guard intFunc
		if !n.Otherwise || k < count-1 {
			guard = x.scalar(n.Condition(k))
		}
		code.guards = append(code.guards, guard)
	}
	if !n.Otherwise {
		code.guard = func(r *Runner) int64 {
			for _, guard := range code.guards {
				if guard(r) != 0 || r.fault != NoFault {
					return 1
				}
			}
			return 0
		}
	}
}

// Condition is the guard of an alternative of a guarded choice, but for that of what it does otherwise.
func (n *Node) Condition(alternative int) *Expr { return n.Cond.given(n.Dst.Var, int64(alternative)) }

// Guard is the condition under which a step that begins with the node is enabled; nil: it always is.
func (n *Node) Guard() (cond *Expr) {
	switch {
	case n.Kind == Await:
		return n.Cond
	case n.Kind != Choose || n.Cond == nil || n.Otherwise:
		return nil
	}
	for k := range int(n.Src.Words[0]) {
		if c := n.Condition(k); cond == nil {
			cond = c
		} else {
			cond = &Expr{Op: Or, Type: BoolType, Of: Own, Args: []*Expr{cond, c}}
		}
	}
	return cond
}

// given is a condition for a value of a variable, as far as that decides it.
func (e *Expr) given(v *Var, k int64) *Expr {
	if e.Op == VarRef && e.Var == v {
		return &Expr{Op: Const, Type: IntType, Of: Own, Words: []int64{k}}
	}
	g := e.With(func(a *Expr) *Expr { return a.given(v, k) })
	truth := func(b bool) *Expr {
		t := &Expr{Op: Const, Type: BoolType, Of: Own, Words: []int64{0}}
		if b {
			t.Words[0] = 1
		}
		return t
	}
	number := func(i int) (int64, bool) {
		if a := g.Args[i]; a.Op == Const && len(a.Words) == 1 {
			return a.Words[0], true
		}
		return 0, false
	}
	if g.Op != Eq && g.Op != And && g.Op != Or {
		return g
	}
	a, known := number(0)
	b, other := number(1)
	switch {
	case g.Op == Eq && known && other:
		return truth(a == b)
	case g.Op == And && known && a == 0, g.Op == Or && known && a != 0:
		return g.Args[0]
	case g.Op != Eq && known:
		return g.Args[1]
	case g.Op == Or && other && b == 0, g.Op == And && other && b != 0:
		return g.Args[0]
	}
	return g
}

// Take executes an action in place; it must be possible.
func (r *Runner) Take(s State, action int) {
	r.choice = int64(r.m.ChoiceOf(action))
	r.Run(s, r.m.ProcOf(action))
	r.choice = 0
}

// choose compiles a Choose node.
func (x *compiler) choose(n *Node) nodeFunc {
	next, addr, count, limit := n.Next, x.addr(n.Dst), x.scalar(n.Src), int64(x.alternatives(n))
	guard := func(*Runner) int64 { return 0 }
	if n.Cond != nil && (x.m.instr || x.mayFail(n.Cond)) {
		guard = x.scalar(n.Cond)
	}
	made := func(*Runner) {}
	if x.m.instr && n.Decides != nil {
		made = x.chosen(n)
	}
	return func(r *Runner) int {
		switch k := count(r); {
		case k <= 0:
			return cutShort
		case k > limit:
			r.raise(TooManyChoices)
			return next
		}
		to := addr(r)
		r.writes(to, 1)
		r.s[to] = r.choice
		r.wrote(to, 1)
		guard(r)
		made(r)
		return next
	}
}
