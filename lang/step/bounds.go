package step

import (
	"cmp"
	"slices"
	"sync"
)

// bounds is the set of the nodes that have dropped a process for a bound. It only grows, and is safe for concurrent use.
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
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(a.Msg, b.Msg))
	})
	return list
}
