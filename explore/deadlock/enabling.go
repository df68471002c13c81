package deadlock

import (
	"slices"

	"cdpor/explore/internal/future"
	"cdpor/lang/step"
)

// action finds the first place among the steps of a process, which goes on with a node, that may make one of some
// conditions true.
func (x *Explainer) action(proc, from int, any []Condition, steps []future.AheadStep) (a Action, found bool) {
	own := x.reached(proc, x.m.Program.Procs[proc].Template, from)
	started := map[*step.Template][]bool{}
	for _, s := range steps {
		reached := own
		if t := s.Step.Template; s.Started {
			if started[t] == nil {
				started[t] = x.reached(proc, t, t.Start)
			}
			reached = started[t]
		}
		for i := range any {
			c := &any[i]
			if c.Kind == End && proc == c.Holder.proc && !s.Started && s.Step.Ends() {
				n := s.Step.Template.Nodes[s.Step.Entry]
				return Action{Process: x.name(proc), Native: x.native(proc, n.Pos), Line: n.Pos.Line, Text: n.Text,
					proc: proc, deed: n.Deed}, true
			}
			if !slices.ContainsFunc(c.locs, s.Footprint.Writes) {
				continue
			}
			for _, k := range s.Step.Nodes {
				n := s.Step.Template.Nodes[k]
				if !reached[k] || !c.enabledBy(s.Step, n) {
					continue
				}
				a = Action{Process: x.name(proc), Native: x.native(proc, n.Pos), Line: n.Pos.Line, Text: n.Text,
					proc: proc, deed: n.Deed}
				if s.Started {
					a.Started = s.Step.Template.Name
				}
				return a, true
			}
		}
	}
	return a, false
}

// enabledBy reports whether a node of a step may make the condition true where it writes what the condition reads.
// What an operation of the language does is known; of data it is not asked which value is written.
func (c *Condition) enabledBy(s *step.Step, n *step.Node) bool {
	any := c.stray || c.Kind == Data
	if any && n.Kind == step.Spawn { // starting a process writes its parameters, its number and a count
		return true
	}
	if c.deed != "" && !n.Deed.Ends(c.deed) {
		return false
	}
	v := n.Dst.Root()
	if v == nil || !slices.Contains(c.roots, v) {
		return false
	}
	if (n.Kind == step.PopHead || n.Kind == step.PopTail) && n.Dst.Op == step.VarRef && slices.Contains(c.empty, v) {
		return false
	}
	if c.stray && v != c.own {
		return true
	}
	if c.deed != "" {
		return true
	}
	_, field := part(n.Dst)
	constant := n.Kind == step.Assign && n.Src.Op == step.Const
	zero := constant && len(n.Src.Words) == 1 && n.Src.Words[0] == 0
	op := func(ops ...step.Op) bool { return n.Kind == step.Assign && slices.Contains(ops, n.Src.Op) }
	switch c.Kind {
	case Lock, Reader, Actor:
		return zero
	case Signal:
		return constant || n.Kind == step.PopHead && !withdraws(s, v)
	case Semaphore:
		return op(step.Add)
	case Group:
		return op(step.Sub, step.Add)
	case Barrier:
		return field == "round"
	case Once:
		return field == "done"
	case Receive:
		return n.Kind == step.Append || field == "closed" || field == "sender" && !zero
	case Send, Taken:
		return n.Kind == step.PopHead || field == "closed" || field == "sender" && zero
	case Message:
		return n.Kind == step.Append || op(step.Put)
	case End:
		return false
	}
	return c.holds == nil || !constant || len(n.Src.Words) > 1 || c.holds(n.Src.Words[0])
}

// reached tells which nodes may be executed from one on, leaving aside branches that constants decide.
func (x *Explainer) reached(proc int, t *step.Template, from int) []bool {
	seen := make([]bool, len(t.Nodes))
	s := x.m.Initial()
	step.Reach(func(k int) []int {
		if k == step.End {
			return nil
		}
		seen[k] = true
		n := t.Nodes[k]
		if n.Kind == step.Branch && constant(n.Cond) {
			if v, known := x.m.CompileOwn(n.Cond, proc)(x.r, s); known && v != 0 {
				return []int{n.Next}
			} else if known {
				return []int{n.Else}
			}
		}
		return n.Successors()
	}, from)
	return seen
}

// constant reports whether an expression has nothing but constants.
func constant(e *step.Expr) bool {
	variable := e.Op == step.VarRef || e.Op == step.Self || e.Op == step.Me || e.Op == step.Call
	return !variable && !slices.ContainsFunc(e.Args, func(a *step.Expr) bool { return !constant(a) })
}

// withdraws reports whether a step takes its own process out of a list of waiting ones, leaving the others in.
func withdraws(s *step.Step, waiters *step.Var) bool {
	return slices.ContainsFunc(s.Nodes, func(k int) bool {
		n := s.Template.Nodes[k]
		return n.Kind == step.Append && n.Dst.Root() == waiters
	})
}
