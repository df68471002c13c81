package constraints

import "cdpor/lang/step"

// An access is a part of a shared variable that a step may touch: index gives the constant indices from the outside in,
// -1 where the index is not constant. A shorter index covers everything below it.
type access struct {
	v     *step.Var
	index []int64
	write bool
}

// Independent reports whether no run of one step can touch what the other writes, whatever the state. Such steps
// commute always. Elements of an array are told apart only by constant indices.
func Independent(a, b *step.Step) bool {
	if step.LifeConflict(a, b) {
		return false
	}
	left, right := accesses(a), accesses(b)
	for _, x := range left {
		for _, y := range right {
			if x.v == y.v && (x.write || y.write) && overlap(x.index, y.index) {
				return false
			}
		}
	}
	return true
}

// Writes lists the shared variables a step may write, in the order of its code.
func Writes(s *step.Step) []*step.Var {
	var vars []*step.Var
	seen := map[*step.Var]bool{}
	for _, x := range accesses(s) {
		if x.write && !seen[x.v] {
			seen[x.v] = true
			vars = append(vars, x.v)
		}
	}
	return vars
}

func overlap(a, b []int64) bool {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] >= 0 && b[i] >= 0 && a[i] != b[i] {
			return false
		}
	}
	return true
}

func accesses(s *step.Step) []access {
	var all []access
	for _, i := range s.Nodes {
		n := s.Template.Nodes[i]
		all = reads(all, n.Cond)
		all = reads(all, n.Src)
		if n.Dst != nil {
			all = writes(all, n.Dst)
		}
		for _, a := range n.Args {
			all = reads(all, a)
		}
		if n.Kind == step.Spawn {
			all = writes(all, n.Counter)
			for _, v := range n.Target.Pool.Fields {
				all = append(all, access{v: v, write: true})
			}
		}
	}
	return all
}

func reads(all []access, e *step.Expr) []access {
	if e == nil {
		return all
	}
	if v, index, inner := place(e); v != nil {
		if v.Shared {
			all = append(all, access{v: v, index: index})
		}
		for _, x := range inner {
			all = reads(all, x)
		}
		return all
	}
	for _, x := range e.Args {
		all = reads(all, x)
	}
	return all
}

func writes(all []access, dst *step.Expr) []access {
	v, index, inner := place(dst)
	if v != nil && v.Shared {
		all = append(all, access{v: v, index: index, write: true})
	}
	for _, x := range inner {
		all = reads(all, x)
	}
	return all
}

// place splits a place into its variable, the constant indices of the leading arrays and records (fields are numbered),
// and the index expressions. Elements of lists and queues are not told apart: reaching one also reads the size.
func place(e *step.Expr) (v *step.Var, index []int64, inner []*step.Expr) {
	switch e.Op {
	case step.VarRef:
		return e.Var, nil, nil
	case step.Index, step.Part:
		v, index, inner = place(e.Args[0])
		if v == nil {
			return nil, nil, nil
		}
		at := int64(e.Field)
		if e.Op == step.Index {
			inner = append(inner, e.Args[1])
			at = -1
			if i := e.Args[1]; i.Op == step.Const {
				at = i.Words[0]
			}
		}
		if separate(e.Args[0]) {
			index = append(index, at)
		}
		return v, index, inner
	}
	return nil, nil, nil
}

// separate reports whether the parts of a place are told apart: it is not inside of a list.
func separate(e *step.Expr) bool {
	for ; e.Type.Kind == step.Array || e.Type.Kind == step.Record; e = e.Args[0] {
		if e.Op == step.VarRef {
			return true
		}
	}
	return false
}
