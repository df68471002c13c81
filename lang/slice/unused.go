package slice

import (
	"slices"

	"cdpor/lang/step"
)

// WithoutInfluence are the shared variables that threads use although nothing that the program is judged by depends on
// them. There are none if it is judged only by whether it deadlocks or fails. observed says that what is observed
// counts: not if that is everything.
func WithoutInfluence(p *step.Program, observed bool) []*step.Var {
	c := p.Checks
	list := []Criterion{{Fails: true, Ends: c.Deadlock != step.DeadlockAllowed}}
	for _, f := range slices.Concat(c.Final, c.Reachable, c.Unreachable) {
		list = append(list, Final(f))
	}
	for _, f := range c.FinalAny {
		list = append(list, FinalAny(f))
	}
	for _, f := range slices.Concat(c.Always, c.Transition) {
		list = append(list, Kept(p, f))
	}
	g := New(p, Deadlock)
	for _, f := range slices.Concat(p.Invariants, c.Eventually, c.Stabilises) {
		list = append(list, g.Invariant(f))
	}
	for _, f := range c.LeadsTo {
		list = append(list, g.Invariant(&step.Property{Expr: f.From}), g.Invariant(&step.Property{Expr: f.To}))
	}
	if observed || c.Outcomes != nil {
		list = append(list, Outcomes(p))
	}
	if p.Spec != nil {
		list = append(list, Histories(p))
	}
	if len(list) == 1 {
		return nil
	}
	criterion := Join(list...)
	r, err := g.Slice(criterion, Context, 0, nil)
	if err != nil {
		return nil // a check that no step can come to
	}
	return r.Unused(criterion)
}

// Unused are the shared variables that nodes of the program use, but neither a node of the slice nor its criterion
// does.
func (r *Result) Unused(c Criterion) (list []*step.Var) {
	program, kept := map[*step.Var]bool{}, map[*step.Var]bool{}
	mark := func(set map[*step.Var]bool, e *step.Expr) { e.EachVar(func(e *step.Expr) { set[e.Var] = true }) }
	for _, e := range c.Values {
		mark(kept, e)
	}
	for _, p := range c.Properties {
		mark(kept, p.Expr)
	}
	r.Graph.each(func(n Node) {
		node := r.Graph.threads[n.Thread].node(n.Index)
		if node == nil {
			return
		}
		for _, e := range slices.Concat(node.Args,
			[]*step.Expr{node.Dst, node.Src, node.Cond, node.Counter, node.Maker}) {
			mark(program, e)
			if r.Has(n) {
				mark(kept, e)
			}
		}
	})
	for _, v := range r.Graph.Program.Shared {
		if program[v] && !kept[v] && !v.Temp {
			list = append(list, v)
		}
	}
	return list
}
