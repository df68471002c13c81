package wakeup

import "slices"

// A Branch is the number of a branch in a forest. A tree is known by its first, leftmost branch.
type Branch int32

// None is no branch, and the empty tree.
const None Branch = 0

type branch struct {
	action int32
	child  Branch // first branch below
	next   Branch // the sibling to the right
}

// A Forest is memory for wakeup trees: branches that are given back are used again.
type Forest struct {
	branches []branch
	unused   []Branch
}

// New makes a branch with no sibling to the right.
func (f *Forest) New(action int32, child Branch) Branch {
	b := branch{action: action, child: child}
	if k := len(f.unused); k > 0 {
		id := f.unused[k-1]
		f.unused = f.unused[:k-1]
		f.branches[id] = b
		return id
	}
	if len(f.branches) == 0 {
		f.branches = append(f.branches, branch{}) // None
	}
	if n := len(f.branches); n == cap(f.branches) {
		f.branches = slices.Grow(f.branches, n) // append would copy a large forest more often
	}
	f.branches = append(f.branches, b)
	return Branch(len(f.branches) - 1)
}

// Action is the action of a branch.
func (f *Forest) Action(b Branch) int { return int(f.branches[b].action) }

// Next is the sibling to the right of a branch.
func (f *Forest) Next(b Branch) Branch { return f.branches[b].next }

// Child is the first branch below a branch.
func (f *Forest) Child(b Branch) Branch { return f.branches[b].child }

// Free gives a branch with everything below it back.
func (f *Forest) Free(b Branch) {
	for c := f.branches[b].child; c != None; {
		next := f.branches[c].next
		f.Free(c)
		c = next
	}
	f.unused = append(f.unused, b)
}

// Drop gives the first branch of a tree back, and returns the rest of the tree.
func (f *Forest) Drop(tree Branch) Branch {
	rest := f.branches[tree].next
	f.Free(tree)
	return rest
}

// Cut takes away and returns what lies below a branch.
func (f *Forest) Cut(b Branch) (child Branch) {
	child, f.branches[b].child = f.branches[b].child, None
	return child
}

// Append adds a branch as the last one of a tree, which it returns.
func (f *Forest) Append(tree, b Branch) Branch {
	if tree == None {
		return b
	}
	last := tree
	for f.branches[last].next != None {
		last = f.branches[last].next
	}
	f.branches[last].next = b
	return tree
}

// EachLeaf calls g for all sequences from the root of a tree to a leaf; path is the way to the tree. What g is given is
// valid until it returns.
func (f *Forest) EachLeaf(tree Branch, path []int32, g func([]int32)) {
	for b := tree; b != None; b = f.branches[b].next {
		way := append(path, f.branches[b].action)
		if child := f.branches[b].child; child != None {
			f.EachLeaf(child, way, g)
		} else {
			g(way)
		}
	}
}
