package explore

// A workItem is a part of a search: a stack, whose last node is the present one.
type workItem struct {
	levels []*level       // of a search of executions
	path   []*takenAction // optimal: from the last of these nodes to the present one
	frames []*frame       // of a search of states
}

func (p workItem) empty() bool { return len(p.levels)+len(p.frames) == 0 }
