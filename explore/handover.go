package explore

// How optimal hands over what is planned (README section 11). What an earlier sibling finds may belong below a later one that another
// worker has taken already, along a sequence planned there before. So what is shared goes on along planned sequences, and a new sequence
// follows them to where it parts from them. If nobody has that node on a stack any more, a parcel leads there.

// A descent is a way from a node on the stack to where a sequence is to be planned.
type descent struct {
	node *node // held, if it is shared
	at   int   // stack position of the node where the way begins
	path []taken
}

// descend looks whether a sequence, as for place, is covered by what has been explored or planned from the node at a stack position, and
// if it is not, goes to where it is to be planned.
func (w *wakeup) descend(x *search, i int, weak func(a int) (at int, yes bool), follow func(a, at int) (left int)) (d descent, covered bool) {
	d = descent{node: &x.levels[i].node, at: i}
	x.hold(d.node)
	if d.node.shared == nil {
		return d, meetsWeakly(&d.node.sleep, weak)
	}
	later := false // than what is under way on the stack
	for {
		if meetsWeakly(&d.node.shared.before, weak) {
			return d, true
		}
		var next taken
		for _, t := range d.node.shared.taken {
			if at, yes := weak(t.action); yes {
				if !later || t.child == nil || follow(t.action, at) == 0 {
					return d, true
				}
				next = t
				break
			}
			later = later || t.action == x.levels[i].event.action
		}
		if next.child == nil {
			return d, false
		}
		later = true
		x.release(d.node)
		d.path = append(d.path, next)
		w.there = node{shared: next.child}
		d.node = &w.there
		x.hold(d.node)
	}
}

// meetsWeakly reports whether a set has a weak initial.
func meetsWeakly(s *actionSet, weak func(a int) (at int, yes bool)) bool {
	for a := s.next(0); a >= 0; a = s.next(a + 1) {
		if _, yes := weak(a); yes {
			return true
		}
	}
	return false
}

// release ends a descent. If something waits where it has led, and nobody is going to come there, a parcel sees to it.
func (d *descent) release(x *search) {
	n := d.node
	if len(d.path) > 0 && n.tree != none && n.shared.refs.Load() == 0 {
		p := parcel{path: d.path}
		for _, lv := range x.levels[:d.at+1] {
			p.levels = append(p.levels, lv.copy())
		}
		for _, t := range d.path {
			t.child.refs.Add(1)
		}
		x.crew.give(p)
	}
	x.release(n)
}
