package wakeup

import "slices"

// A Sequence of actions v is inserted into a tree. It is asked about weak initials (POPL'14, section 4), and
// taken apart on the way down.
type Sequence interface {
	// Weak tells whether an action is a weak initial of what is left of v, and at which position it stands in v; -1: it
	// is not in v but independent of all that is left of it.
	Weak(action int) (at int, yes bool)
	// Follow goes down along an action, leaving out what stands in v at a position, and reports whether anything is
	// left of v.
	Follow(action, at int) (more bool)
	// Rest are the actions that are left. It is valid until the next call.
	Rest() []int32
}

// Insert finds where a sequence belongs in a tree, and adds what is missing there (POPL'14, definition of insert). The
// branches before from, which is one of the tree or None, do not count. It returns the tree, and reports whether the
// sequence has come to the end of a branch. The sequence meets no sleep set of where the tree stands.
func (f *Forest) Insert(tree, from Branch, v Sequence) (_ Branch, leaf bool) {
	parent, covered := f.follow(from, v)
	if covered {
		return tree, f.branches[parent].child == None
	}
	chain := None
	for _, a := range slices.Backward(v.Rest()) {
		chain = f.New(a, chain)
	}
	if parent == None {
		return f.Append(tree, chain), false
	}
	f.branches[parent].child = f.Append(f.branches[parent].child, chain)
	return tree, false
}

// follow goes down along a sequence from some siblings, and returns the branch where it ends, None if that is at once.
// covered tells that it ends there because nothing is left of the sequence, or nothing lies below the branch.
func (f *Forest) follow(from Branch, v Sequence) (parent Branch, covered bool) {
	for b := from; b != None; {
		a := int(f.branches[b].action)
		at, yes := v.Weak(a)
		if !yes {
			b = f.branches[b].next
			continue
		}
		more, below := v.Follow(a, at), f.branches[b].child
		if parent = b; !more || below == None {
			return parent, true
		}
		b = below
	}
	return parent, false
}
