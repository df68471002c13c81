// Package deadlock explains to people why the processes of a deadlocked state cannot go on: what each waits for,
// what the state says about it, who could bring it about as far as the program text tells, and why that will not
// happen.
//
//	deadlock.go      Explain, which makes an explanation; deadlocks that differ only in which thread is which
//	explanation.go   the explanation as plain data; circles and knots among the waits
//	guard.go         what a false guard waits for: operations are recognised by what they are lowered to
//	enabling.go      which nodes of the program may make a condition true
//	history.go       what the schedule has done to the words that a condition reads
//	text.go          the explanation in sentences
//	native.go        the same of Go programs, whose nodes say what they wait for, in the words of Go
//
// Nothing is claimed that does not follow from the state, the schedule, or the over-approximation of what processes
// may still do (package future): where a claim would need more than that, it is left out.
package deadlock

import (
	"slices"

	operations "cdpor/explore/history"
	"cdpor/explore/internal/future"
	"cdpor/explore/internal/symmetry"
	"cdpor/lang/step"
)

// New returns an Explainer for the states of a machine.
func New(m *step.Machine) *Explainer {
	x := &Explainer{m: m, r: m.NewRunner()}
	if m.Program.Spec != nil {
		x.recorded = operations.NewReader(m)
	}
	return x
}

// Explain explains a state in which nothing is enabled. schedule is how it came about, from the initial state; nil
// if that is not known.
func (x *Explainer) Explain(s step.State, schedule []int32) *Explanation {
	h := x.replay(schedule, s)
	out := &Explanation{Waits: []Wait{}, Crashed: Crashed(x.m, s)}
	for p := range x.m.NumProcs() {
		if x.m.StepOf(s, p) != nil && !x.m.Crashed(s, p) {
			out.Waits = append(out.Waits, x.wait(s, p, h))
		}
	}
	ahead := map[int][]future.AheadStep{}
	for _, w := range out.Waits {
		if x.futures == nil {
			x.futures = future.NewAhead(x.m)
		}
		ahead[w.proc] = x.futures.Of(s, w.proc)
	}
	for i := range out.Waits {
		for k := range out.Waits[i].Needs {
			x.foresee(s, out.Waits[i].proc, &out.Waits[i].Needs[k], ahead, h)
		}
	}
	if out.Cycle = x.names(cycle(out.Waits)); out.Cycle == nil {
		out.Knot = x.names(knot(out.Waits))
	}
	return out
}

// Crashed says of each process that has crashed before its end where that was: states may differ in nothing else.
func Crashed(m *step.Machine, s step.State) (list []string) {
	for p, proc := range m.Program.Procs {
		if next := m.StepOf(s, p); next != nil && m.Crashed(s, p) {
			list = append(list, proc.Called()+" has crashed before "+proc.Called()+"."+next.Label)
		}
	}
	return list
}

// Waiting says what the next step of a process, which is not enabled, waits for in any state, without who could
// change that.
func (x *Explainer) Waiting(s step.State, proc int) Wait { return x.wait(s, proc, nil) }

func (x *Explainer) wait(s step.State, proc int, h *history) Wait {
	next := x.m.StepOf(s, proc)
	n := next.Template.Nodes[next.Entry]
	w := Wait{Process: x.name(proc), Step: x.name(proc) + "." + next.Label, Line: n.Pos.Line, Column: n.Pos.Col,
		Text: n.Text, Needs: []Need{}, proc: proc}
	if h != nil {
		w.Since = h.lastOf(proc)
	}
	g := &guard{Explainer: x, s: s, proc: proc, h: h}
	switch cond := n.Guard(); {
	case cond == nil:
	case x.m.Program.Native():
		w.Native, w.waits = x.native(proc, n.Pos), n.Waits
		w.Needs = append(w.Needs, g.native(n, cond))
	default:
		w.Needs = append(w.Needs, g.needs(cond)...)
	}
	return w
}

// foresee finds who could make a need true.
func (x *Explainer) foresee(s step.State, proc int, n *Need, ahead map[int][]future.AheadStep, h *history) {
	n.only = -1
	for p := range x.m.NumProcs() {
		next := x.m.StepOf(s, p)
		if p == proc || next == nil || x.m.Crashed(s, p) {
			continue
		}
		if a, ok := x.action(p, next.Entry, n.Any, ahead[p]); ok {
			n.Could = append(n.Could, a)
		}
	}
	if holder := n.holder(); holder != nil {
		n.Could = slices.DeleteFunc(n.Could, func(a Action) bool { return a.proc != holder.proc })
		if x.m.StepOf(s, holder.proc) != nil && !x.m.Crashed(s, holder.proc) {
			n.only, n.Only = holder.proc, holder.Process
		}
		return
	}
	switch len(n.Could) {
	case 0:
		n.Ended = x.ended(s, n.Any, h)
	case 1:
		n.only, n.Only = n.Could[0].proc, n.Could[0].Process
	}
}

// holder is the process that alone can make the need true; nil if there is no such, or it is not known.
func (n *Need) holder() *Holder {
	if len(n.Any) == 1 && !n.Any[0].stray {
		return n.Any[0].Holder
	}
	return nil
}

// ended lists the processes that have ended, or crashed, and whose code may make a condition true.
func (x *Explainer) ended(s step.State, any []Condition, h *history) (list []Action) {
	for p, proc := range x.m.Program.Procs {
		crashed := x.m.Crashed(s, p)
		if !x.m.Finished(s, p) && !crashed {
			continue
		}
		var all []future.AheadStep
		for k, t := range proc.Template.Steps {
			all = append(all, future.AheadStep{Step: t, Footprint: x.m.AnyFootprint(p, k)})
		}
		if a, ok := x.action(p, proc.Template.Start, any, all); ok {
			if a.crashed = crashed; h != nil && x.m.Finished(s, p) {
				a.Ended = h.lastOf(p)
				a.returned = x.returned(h, p)
			}
			list = append(list, a)
		}
	}
	return list
}

// Classes numbers deadlocked states, from 0 in the order of their first members: two have one number if they are the
// same but for which of the interchangeable threads is which (Ip and Dill 1996).
func Classes(m *step.Machine, states []step.State) []int {
	if len(states) < 2 {
		return make([]int, len(states))
	}
	states = slices.Clone(states)
	for i, p := range m.Program.Procs {
		if p.Template.Crasher { // it has ended: what it chose is what it wrote
			for k, s := range states {
				states[k] = slices.Clone(s)
				clear(states[k][m.LocalBase(i):][:p.Template.LocalWords])
			}
		}
	}
	return symmetry.AtEnds(m).Classes(states)
}
