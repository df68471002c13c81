package step

import (
	"cmp"
	"slices"
	"sync"
)

// bounds is the set of the nodes that have dropped a process for a bound. It only grows, and is safe for concurrent
// use.
type bounds struct {
	sync.Mutex
	hit map[*Node]bool
}

func (b *bounds) note(n *Node) {
	if n.Kind != Assume || n.Msg == "" {
		return
	}
	b.Lock()
	defer b.Unlock()
	b.hit[n] = true
}

// BoundsHit are the Assume nodes with a Msg that have dropped a process in some execution of the machine, or one that
// shares its code, in the order of their places.
func (m *Machine) BoundsHit() (list []*Node) {
	m.bounds.Lock()
	defer m.bounds.Unlock()
	for n := range m.bounds.hit {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(a.Msg, b.Msg))
	})
	return list
}

// waitForGood reports whether a process waits in a state in which nothing is enabled, and could not go on either if
// those that a bound has dropped did. Whoever waits could, if what it waits for reads a variable that such a process,
// or one that it could wake or start, writes anywhere in its code.
func (m *Machine) waitForGood(s State) bool {
	writes := map[*Var]bool{}
	var waiting []int
	for p := range m.procs {
		switch pc := s[m.procs[p].control]; {
		case pc >= 0:
			waiting = append(waiting, p)
		case pc == dropped:
			m.addWrites(writes, m.procs[p].template)
		}
	}
	for woken := true; woken; {
		woken = false
		waiting = slices.DeleteFunc(waiting, func(p int) bool {
			n := m.procs[p].template.Nodes[m.StepOf(s, p).Entry]
			could := n.Cond.Has(func(e *Expr) bool { return e.Op == VarRef && writes[e.Var] })
			if could {
				woken = true
				m.addWrites(writes, m.procs[p].template)
			}
			return could
		})
	}
	if e := m.Program.Entry; e != nil && e.Ends { // who waits does not matter if the entry could go on to its end
		return slices.Contains(waiting, e.Proc)
	}
	return slices.ContainsFunc(waiting, func(p int) bool { return !m.MayWaitForever(s, p) })
}

// addWrites adds the shared variables that a template, or one that it starts, may write.
func (m *Machine) addWrites(to map[*Var]bool, t *Template) {
	seen := map[*Template]bool{}
	var visit func(t *Template)
	visit = func(t *Template) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Pool != nil { // it writes how far it is
			to[t.Pool.Life] = true
		}
		for _, n := range t.Nodes {
			for _, place := range []*Expr{n.Dst, n.Counter} {
				for e := place; e != nil; e = e.Args[0] {
					if e.Op == VarRef {
						to[e.Var] = true
						break
					}
				}
			}
			if n.Kind == Spawn {
				visit(n.Target)
			}
		}
	}
	visit(t)
}
