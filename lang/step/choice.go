package step

// Nondeterministic choice. A step that begins with a Choose node has several alternatives; which one is taken is part of the
// schedule. So what a schedule consists of are actions: a process together with an alternative of its next step. Actions are
// numbered so that those of a process follow each other, and an action of a program without choice is just its process.

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

// numberActions fills the action tables once all processes are compiled.
func (m *Machine) numberActions() {
	for p := range m.procs {
		m.firstAction = append(m.firstAction, int32(len(m.actions)))
		for k := range m.procs[p].alternatives {
			m.actions = append(m.actions, action{int32(p), int32(k)})
		}
	}
}

// NumActions is the number of actions; at least NumProcs.
func (m *Machine) NumActions() int { return len(m.actions) }

// ProcOf is the process of an action.
func (m *Machine) ProcOf(action int) int { return int(m.actions[action].proc) }

// ChoiceOf is the alternative of an action, from 0.
func (m *Machine) ChoiceOf(action int) int { return int(m.actions[action].choice) }

// FirstAction is the action of a process with alternative 0; the others follow.
func (m *Machine) FirstAction(proc int) int { return int(m.firstAction[proc]) }

// Alternatives is the number of alternatives of the next step of a process, which must be enabled: 1 unless it begins with a
// Choose node. With nothing to choose from there is one as well, which drops the process.
func (r *Runner) Alternatives(s State, proc int) int {
	c := &r.m.procs[proc]
	count := c.steps[s[c.control]].choices
	if count == nil {
		return 1
	}
	r.begin(s)
	return int(max(1, min(count(r), int64(c.alternatives))))
}

// CanTake reports whether an action is possible: its process is enabled and its step has the alternative.
func (r *Runner) CanTake(s State, action int) bool {
	p := r.m.ProcOf(action)
	return r.Enabled(s, p) && r.m.ChoiceOf(action) < r.Alternatives(s, p)
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
		made(r)
		return next
	}
}
