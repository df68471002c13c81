package step

import "slices"

// What a step may touch when only so much is known of the values it will find.

// A Prospect knows something of the values that expressions will have, in a process or in any of several.
type Prospect interface {
	// Values are all that a scalar expression may have when it is evaluated; known is false if it may have any.
	Values(e *Expr) (list []int64, known bool)
	// Selves are the identities that the processes may have.
	Selves() []int64
	// Unborn are the identities in a pool that processes started from now on may get.
	Unborn(p *Pool) []int64
}

// A touch is an access of a step to a part of the shared variables. fixed says that all indices depend on nothing but
// locals as they are when the step begins: a Footprint tells then which element is meant. Otherwise it has all
// elements, but where constant indices come first.
type touch struct {
	place    *Expr
	write    bool
	fixed    bool
	template *Template
}

// follows reports whether a Footprint looks at the value of an index.
func (t *touch) follows(index *Expr) bool {
	if t.fixed {
		return true
	}
	switch index.Op {
	case Const, Self, Me:
		return true
	case VarRef:
		return !index.Var.Shared && !t.template.assigns(index.Var)
	case Neg, Add, Sub, Mul, Div, Mod, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight:
		return !slices.ContainsFunc(index.Args, func(a *Expr) bool { return !t.follows(a) })
	}
	return false
}

// touches lists what a step touches, leaving aside what belongs to processes that it starts, begins or ends.
func (s *Step) touches() (list []touch) {
	modified := s.Template.modifiedBefore(s)
	for _, i := range s.Nodes {
		s.Template.Nodes[i].accesses(func(place *Expr, write bool) {
			whole := place.location()
			list = append(list, touch{whole, write, whole.fixed(modified[i]), s.Template})
		})
	}
	return list
}

// FootprintOver adds to a footprint what a step may touch: at least what Footprint says, whichever the values are when
// the step is next. How processes that have not been started begin and end goes to another one.
func (m *Machine) FootprintOver(s *Step, over Prospect, f, unborn Footprint) {
	add := func(f Footprint, from, words int, write bool) {
		if words > 0 {
			f.add(int(m.locations.of[from]), int(m.locations.of[from+words-1]), write)
		}
	}
	for _, t := range m.touched[s] {
		for _, r := range t.ranges(t.place, over) {
			add(f, r.from, r.words, t.write)
		}
	}
	for _, i := range s.Nodes {
		n := s.Template.Nodes[i]
		if n.Kind != Spawn {
			continue
		}
		pool := n.Target.Pool
		for _, id := range over.Unborn(pool) {
			add(unborn, pool.word(id), 1, true)
			for _, v := range pool.Fields {
				add(unborn, v.Offset+int(id)*v.Type.Elem.Words(), v.Type.Elem.Words(), true)
			}
		}
	}
	if begins, ends := s.begins(), s.Ends(); begins || ends {
		pool := s.Template.Pool
		late := over.Unborn(pool)
		for _, id := range over.Selves() {
			to := f
			if slices.Contains(late, id) {
				to = unborn
			}
			add(to, pool.word(id), 1, ends)
		}
	}
}

// A wordRange is a part of the shared variables.
type wordRange struct{ from, words int }

// ranges are where a place may be. What lies outside of an array fails before it is touched; a Footprint knows that
// only of indices that are all known.
func (t *touch) ranges(e *Expr, over Prospect) (list []wordRange) {
	switch e.Op {
	case VarRef:
		return []wordRange{{e.Var.Offset, e.Type.Words()}}
	case Part:
		whole, at := e.Args[0].Type, e.Args[0].Type.FieldAt(e.Field)
		for _, r := range t.ranges(e.Args[0], over) {
			if r.words == whole.Words() {
				r = wordRange{r.from + at, e.Type.Words()}
			}
			list = append(list, r)
		}
		return list
	}
	array := e.Args[0].Type
	var values []int64
	known := false
	if t.follows(e.Args[1]) {
		values, known = over.Values(e.Args[1])
	}
	for _, r := range t.ranges(e.Args[0], over) {
		if !known || r.words != array.Words() { // anywhere in there
			list = append(list, r)
			continue
		}
		for _, i := range values {
			switch {
			case i >= 0 && i < int64(array.Len):
				list = append(list, wordRange{r.from + int(i)*e.Type.Words(), e.Type.Words()})
			case !t.fixed:
				list = append(list, r)
			}
		}
	}
	return list
}

// NotStarted reports whether a process of a pool has not been started.
func (p *Pool) NotStarted(s State, id int64) bool { return s[p.word(id)] == notStarted }

// Entries are the steps that a process may begin with.
func (t *Template) Entries() (list []int) {
	first := t.entries()
	for _, s := range t.Steps {
		if first[s.Entry] {
			list = append(list, s.Index)
		}
	}
	return list
}

// EachIndex calls f for every expression that says which part of a shared array a node reads or writes.
func (n *Node) EachIndex(f func(*Expr)) {
	n.accesses(func(place *Expr, _ bool) {
		for e := place.location(); e.Op != VarRef; e = e.Args[0] {
			if e.Op == Index {
				f(e.Args[1])
			}
		}
	})
}
