package wakeup

import (
	"encoding/binary"
	"errors"
	"slices"
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

// What Pack says of a branch beside its action.
const (
	hasChild = 1 << iota
	hasNext
	packedBits = iota
)

// Pack appends a tree to a text in preorder: of each branch the action, and whether there is something below it and to
// the right of it. That is a byte for most.
func (f *Forest) Pack(tree Branch, text []byte) []byte {
	for tree != None {
		b := f.branches[tree]
		v := uint64(b.action) << packedBits
		if b.child != None {
			v |= hasChild
		}
		if b.next != None {
			v |= hasNext
		}
		if text = binary.AppendUvarint(text, v); b.child != None {
			text = f.Pack(b.child, text)
		}
		tree = b.next
	}
	return text
}

var errPacked = errors.New("a wakeup tree has no end, or an action that does not exist")

// Unpack makes the tree that Pack has written, which is the whole text. There are so many actions.
func (f *Forest) Unpack(text []byte, actions int) (tree Branch, err error) {
	if len(text) == 0 {
		return None, nil
	}
	f.branches = slices.Grow(f.branches, max(0, len(text)+1-len(f.unused))) // at most
	var read func() Branch
	read = func() (first Branch) {
		for last := None; ; {
			v, n := binary.Uvarint(text)
			if n <= 0 || v>>packedBits >= uint64(actions) {
				err = errPacked
				return first
			}
			text = text[n:]
			b := f.New(int32(v>>packedBits), None)
			if last == None {
				first = b
			} else {
				f.branches[last].next = b
			}
			if last = b; v&hasChild != 0 {
				child := read()
				f.branches[b].child = child
			}
			if v&hasNext == 0 || err != nil {
				return first
			}
		}
	}
	if tree = read(); err == nil && len(text) > 0 {
		err = errPacked
	}
	return tree, err
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
