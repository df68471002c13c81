package reachable

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
)

// Where every process writes flag[self] only, each knows its own element, as it knows its locals. Ranges keep it from
// step to step (ranges.go), and what is known of it at a step is a fact about that step.

// Owners are, for a field that is in one array, the index at which each template writes it: self, a number, or a
// parameter. No two processes have the same.
type Owners map[*step.Template]*step.Expr

// findOwners finds the fields of elements of which each has one writer.
func (a *Analysis) findOwners() {
	a.Own = map[Field]Owners{}
	spoilt := map[Field]bool{}
	note := func(v *step.Var, from, to int, t *step.Template, index *step.Expr) {
		for _, x := range Fields(v.Type) {
			at := Field{v, x.Off}
			if !x.array || x.held || x.Off < from || x.Off >= to {
				continue
			}
			if a.Own[at] == nil {
				a.Own[at] = Owners{}
			}
			old := a.Own[at][t]
			if index == nil || old != nil && (old.Op != index.Op || old.Var != index.Var ||
				!slices.Equal(old.Words, index.Words)) {
				spoilt[at] = true
			} else {
				a.Own[at][t] = index
			}
		}
	}
	for _, t := range a.prog.Templates {
		if t.Pool != nil {
			for _, v := range append([]*step.Var{t.Pool.Life}, t.Pool.Fields...) {
				if v != nil {
					note(v, 0, v.Type.Words(), t, nil)
				}
			}
		}
		for _, n := range t.Nodes {
			for _, dst := range []*step.Expr{n.Dst, n.Counter} {
				if dst == nil {
					continue
				}
				if ref, off, _, ok := placeOf(dst); ok && ref.Var.Shared && n.Kind != step.Spawn {
					note(ref.Var, off, off+dst.Type.Words(), t, ownIndex(dst, t))
					continue
				}
				for v := range expr.Shared(dst, nil) {
					note(v, 0, v.Type.Words(), t, nil)
				}
			}
		}
	}
	numbered := a.numbered()
	for at, of := range a.Own {
		seen := map[int64]bool{}
		for _, p := range a.prog.Procs {
			if index := of[p.Template]; index != nil {
				k := IndexOf(index, p)
				spoilt[at] = spoilt[at] || seen[k] || p.Template.Pool != nil || numbered[at.V] && index.Op != step.Const
				seen[k] = true
			}
		}
		if spoilt[at] {
			delete(a.Own, at)
		}
	}
}

// numbered are the shared variables of which some step asks for an element by its number. Whose that is depends on who
// is who, so what is known of flag[self] would not be known of flag[0].
func (a *Analysis) numbered() map[*step.Var]bool {
	vars := map[*step.Var]bool{}
	visit := func(e *step.Expr) {
		if e.Op == step.Index && e.Args[1].Op == step.Const {
			expr.Shared(e.Args[0], vars)
		}
	}
	for _, t := range a.prog.Templates {
		for _, n := range t.Nodes {
			for _, e := range []*step.Expr{n.Dst, n.Src, n.Cond} {
				e.Walk(visit)
			}
		}
	}
	return vars
}

// ownIndex is the only index of a place, if each process always has the same one there; else nil.
func ownIndex(e *step.Expr, t *step.Template) (index *step.Expr) {
	for ; e.Op == step.Index || e.Op == step.Part; e = e.Args[0] {
		if e.Op != step.Index {
			continue
		}
		i := e.Args[1]
		if index != nil || i.Op != step.Self && i.Op != step.Const && !(i.Op == step.VarRef && !i.Var.Shared &&
			!Assigns(t, i.Var)) {
			return nil
		}
		index = i
	}
	return index
}

// IndexOf is the value of such an index for a process.
func IndexOf(index *step.Expr, p *step.Proc) int64 {
	switch index.Op {
	case step.Const:
		return index.Words[0]
	case step.Self:
		return p.Self
	}
	return p.Init[index.Var.Offset]
}

// OwnIndex is the index of the element that each process of a template has for itself in a field; nil: it has none.
func (a *Analysis) OwnIndex(v *step.Var, off int, t *step.Template) *step.Expr {
	return a.Own[Field{v, off}][t]
}

// ownElement is the place in environments of an element that only the process itself writes.
func (f *Frame) ownElement(e *step.Expr) (slot int, ok bool) { return f.ownField(e, 0) }

// ownField is that of a field of such an element.
func (f *Frame) ownField(e *step.Expr, part int) (slot int, ok bool) {
	if f.Process == nil || e.Op != step.Index && e.Op != step.Part { // nobody in particular has no element
		return 0, false
	}
	ref, off, _, ok := placeOf(e)
	if !ok || !ref.Var.Shared {
		return 0, false
	}
	at := Field{ref.Var, off + part}
	mine, index := f.a.Own[at][f.Process.Template], ownIndex(e, f.Process.Template)
	if mine == nil || index == nil || IndexOf(mine, f.Process) != IndexOf(index, f.Process) {
		return 0, false
	}
	slot, ok = f.slot[at]
	return slot, ok
}

// findSpoilt finds what is written as processes are started, which is not followed.
func (a *Analysis) findSpoilt() {
	a.spoilt = map[Field]bool{}
	spoil := func(v *step.Var) {
		for _, x := range Fields(v.Type) {
			a.spoilt[Field{v, x.Off}] = true
		}
	}
	for _, t := range a.prog.Templates {
		if t.Pool != nil {
			for _, v := range append([]*step.Var{t.Pool.Life}, t.Pool.Fields...) {
				if v != nil {
					spoil(v)
				}
			}
		}
		for _, n := range t.Nodes {
			for _, dst := range []*step.Expr{n.Dst, n.Counter} {
				if dst == nil {
					continue
				}
				if _, _, _, ok := placeOf(dst); ok && n.Kind != step.Spawn {
					continue
				}
				for v := range expr.Shared(dst, nil) {
					spoil(v)
				}
			}
		}
	}
}

// Assigns reports whether some node of a thread assigns a local, or whether starting the thread does.
func Assigns(t *step.Template, v *step.Var) bool {
	return t.Pool != nil || slices.ContainsFunc(t.Nodes,
		func(n *step.Node) bool { return n.Dst != nil && n.Dst.Root() == v })
}
