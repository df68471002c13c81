package step

import "slices"

// Counts that processes add to and others wait for, as Done of a wait group and Wait do. Which orders of the adding
// matter to who waits is told without looking at all of them (explore/dpor/reorderings.go).

// A Count is a word of shared data: what a step adds to it, or the bound that it has where the step is enabled.
type Count struct {
	Word, Location int
	By             int64 // what the step adds: the same on all its ways
	Bound          int64
	Above, Below   bool // where the step is enabled the word is at least, or at most, the bound
}

// wordOf is the word of shared data that a place is, whatever the state; -1 if it is none.
func wordOf(e *Expr) int {
	switch {
	case e.Op == VarRef && e.Var.Shared:
		return e.Var.Offset
	case e.Op == Part:
		if w := wordOf(e.Args[0]); w >= 0 {
			return w + e.Args[0].Type.FieldAt(e.Field)
		}
	}
	return -1
}

// awaited are the counts that the guard of a step is about.
func (m *Machine) awaited(guard *Expr) (list []Count) {
	if guard.Op == And {
		return append(m.awaited(guard.Args[0]), m.awaited(guard.Args[1])...)
	}
	compares := guard.Op == Eq || guard.Op == Le || guard.Op == Ge
	if !compares || !guard.Args[0].Type.Numeric() || guard.Args[1].Op != Const {
		return nil
	}
	if w := wordOf(guard.Args[0]); w >= 0 {
		list = append(list, Count{Word: w, Location: int(m.locations.of[w]), Bound: guard.Args[1].Words[0],
			Above: guard.Op != Le, Below: guard.Op != Ge})
	}
	return list
}

// added are the counts that a step adds to.
func (m *Machine) added(s *Step) (list []Count) {
	for _, i := range s.Nodes {
		n := s.Template.Nodes[i]
		if n.Kind != Assign || !n.Dst.Type.Numeric() {
			continue
		}
		w := wordOf(n.Dst)
		if w < 0 || slices.ContainsFunc(list, func(c Count) bool { return c.Word == w }) {
			continue
		}
		if by := s.adds(w); by != 0 {
			list = append(list, Count{Word: w, Location: int(m.locations.of[w]), By: by})
		}
	}
	return list
}

// adds is what a step adds to a word of shared data on each way through it; 0 if that is not one number.
func (s *Step) adds(word int) (by int64) {
	sums, work, ended := map[int]int64{s.Entry: 0}, []int{s.Entry}, false
	for ; len(work) > 0; work = work[1:] {
		n := s.Template.Nodes[work[0]]
		more, ok := n.adds(word)
		if !ok {
			return 0
		}
		sum := sums[work[0]] + more
		for _, next := range n.Successors() {
			if next == End || s.Template.Nodes[next].Visible {
				if ended && sum != by {
					return 0
				}
				by, ended = sum, true
				continue
			}
			old, seen := sums[next]
			if seen && old != sum {
				return 0
			}
			if !seen {
				sums[next] = sum
				work = append(work, next)
			}
		}
	}
	return by
}

// adds is what a node adds to a word of shared data; ok is false if that is not a number.
func (n *Node) adds(word int) (by int64, ok bool) {
	if n.Kind == Spawn {
		return 0, false
	}
	root := n.Dst
	for root != nil && root.Op != VarRef {
		root = root.Args[0]
	}
	switch {
	case root == nil || !root.Var.Shared || word < root.Var.Offset || word >= root.Var.Offset+root.Var.Type.Words():
		return 0, true
	case wordOf(n.Dst) >= 0 && (wordOf(n.Dst) > word || wordOf(n.Dst)+n.Dst.Type.Words() <= word):
		return 0, true
	case n.Kind != Assign || n.Src.Op != Add && n.Src.Op != Sub || wordOf(n.Dst) != word ||
		wordOf(n.Src.Args[0]) != word || n.Src.Args[1].Op != Const:
		return 0, false
	case n.Src.Op == Sub:
		return -n.Src.Args[1].Words[0], true
	}
	return n.Src.Args[1].Words[0], true
}
