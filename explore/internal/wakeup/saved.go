package wakeup

import (
	"errors"
)

// Save appends a tree to a list in preorder: of each branch the action and the number of branches directly below.
func (f *Forest) Save(tree Branch, list []int32) []int32 {
	for ; tree != None; tree = f.branches[tree].next {
		below := int32(0)
		for c := f.branches[tree].child; c != None; c = f.branches[c].next {
			below++
		}
		list = f.Save(f.branches[tree].child, append(list, f.branches[tree].action, below))
	}
	return list
}

// Restore makes the tree that Save has listed.
func (f *Forest) Restore(list []int32) (tree Branch, err error) {
	var read func(count int32) Branch // count branches, or if it is negative all there are
	read = func(count int32) Branch {
		first, last := None, None
		for ; count != 0 && len(list) >= 2; count-- {
			b, below := f.New(list[0], None), list[1]
			list = list[2:]
			if last == None {
				first = b
			} else {
				f.branches[last].next = b
			}
			last = b
			if below > 0 {
				child := read(below)
				f.branches[b].child = child
			}
		}
		return first
	}
	tree = read(-1)
	if len(list) > 0 {
		return None, errors.New("a wakeup tree has no end")
	}
	return tree, nil
}
