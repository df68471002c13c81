package step

// steps is the table of the steps of all processes, by number.
type steps struct {
	count   int
	control []controlWord // per process
	info    []Info
	selects bool // some step begins with a guarded choice
	idles   bool // some step is idle
}

// A controlWord says where in a state a process has its control word, and the number of its first step. They lie side
// by side: a search looks at all of them all the time.
type controlWord struct{ word, first int32 }

// Info is what holds of a step of a process in every state.
type Info struct {
	Guarded   bool // it may be disabled when the process stands at it
	Selects   bool // it begins with a guarded choice: which alternatives are possible depends on what others do
	Begins    bool // it may be the first step of a process that another one starts
	Starts    bool // it may start processes
	Refinable bool // Machine.Unwritten can hold for it
	Fixed     bool // it has the same footprint in all states
	Idle      bool // it stands for the passing of time (Node.Idle)

	Widest Footprint // the union of its footprints over all states: AnyFootprint

	Adds, Awaits []Count // what it adds to, whatever the state, and what it waits for
}

// gather lets all footprints, of so many words, lie side by side: a search compares them all the time.
func (t *steps) gather(words int) {
	all := make(Footprint, len(t.info)*words)
	for i := range t.info {
		one := all[i*words : (i+1)*words : (i+1)*words]
		copy(one, t.info[i].Widest)
		t.info[i].Widest = one
	}
}

// FirstStepID is the id of step 0 of a process; its other steps follow.
func (t *steps) FirstStepID(proc int) int { return int(t.control[proc].first) }

// NumSteps is the number of steps of all processes.
func (t *steps) NumSteps() int { return t.count }

// Info is that of a step, given by its id.
func (t *steps) Info(id int) *Info { return &t.info[id] }

// HasSelects reports whether some step begins with a guarded choice.
func (t *steps) HasSelects() bool { return t.selects }

// HasIdle reports whether some step is idle.
func (t *steps) HasIdle() bool { return t.idles }

// LiveIn tells for each local word whether its value at the entry of the node may still be read. Words of Keep
// variables are live everywhere. Dead words are zeroed when a step ends, so that states differing only in them are
// equal.
func (t *Template) LiveIn(node int) []bool {
	set := t.noWords()
	if node == End {
		t.keep(set)
	} else {
		t.liveness()
		set = t.live[node]
	}
	live := make([]bool, t.LocalWords)
	for w := range live {
		live[w] = set.has(w)
	}
	return live
}

// IsLive reports whether a local is among those of LiveIn. One that has no words, such as an empty struct, never is.
func (v *Var) IsLive(live []bool) bool { return v.Type.Words() > 0 && live[v.Offset] }

func (t *Template) keep(live wordSet) {
	for _, v := range t.Locals {
		if v.Keep {
			live.put(v, true)
		}
	}
}

// A wordSet is a set of the local words of a template.
type wordSet []uint64

func (t *Template) noWords() wordSet { return make(wordSet, (t.LocalWords+63)/64) }

func (s wordSet) has(word int) bool { return s[word/64]>>(word%64)&1 != 0 }

// put puts the words of a local into the set, or takes them out.
func (s wordSet) put(v *Var, in bool) {
	for w := v.Offset; w < v.Offset+v.Type.Words(); w++ {
		s[w/64] &^= 1 << (w % 64)
		if in {
			s[w/64] |= 1 << (w % 64)
		}
	}
}

// hasAny reports whether a word of a local is in the set.
func (s wordSet) hasAny(v *Var) bool {
	for w := v.Offset; w < v.Offset+v.Type.Words(); w++ {
		if s.has(w) {
			return true
		}
	}
	return false
}

// add adds another set, and reports whether that changes anything.
func (s wordSet) add(other wordSet) (changed bool) {
	for i, w := range other {
		changed = changed || w&^s[i] != 0
		s[i] |= w
	}
	return changed
}

// liveness computes live, the classical backward data-flow analysis, once per template.
func (t *Template) liveness() {
	t.liveOnce.Do(func() {
		live := make([]wordSet, len(t.Nodes))
		for i := range live {
			live[i] = t.noWords()
		}
		in := t.noWords()
		for changed := true; changed; {
			changed = false
			for i := len(t.Nodes) - 1; i >= 0; i-- {
				clear(in)
				n := t.Nodes[i]
				for _, next := range n.Successors() {
					if next != End {
						in.add(live[next])
					}
				}
				if n.writesAll() && !n.Dst.Var.Shared {
					in.put(n.Dst.Var, false)
				}
				n.EachRead(func(e *Expr) {
					if !e.Var.Shared {
						in.put(e.Var, true)
					}
				})
				t.keep(in)
				changed = live[i].add(in) || changed // what is live grows only
			}
		}
		t.live = live
	})
}

// EachRead calls f for every VarRef whose value the node may read. The variable at the root of a partly written place
// (an element of an array, a list that is appended to) counts as read too: its other words survive.
func (n *Node) EachRead(f func(*Expr)) {
	n.Src.EachVar(f)
	n.Cond.EachVar(func(e *Expr) {
		if n.Kind != Choose || e.Var != n.Dst.Var { // else it is chosen by then
			f(e)
		}
	})
	for _, a := range n.Args {
		a.EachVar(f)
	}
	n.Counter.EachVar(f)
	n.Maker.EachVar(f)
	if n.Dst != nil && !n.writesAll() {
		n.Dst.EachVar(f)
	}
}

// writesAll reports whether the node overwrites a whole variable.
func (n *Node) writesAll() bool {
	return (n.Kind == Assign || n.Kind == Choose || n.Kind == Spawn) && n.Dst != nil && n.Dst.Op == VarRef
}

// Successors are the nodes that may come after a node, End among them.
func (n *Node) Successors() []int {
	if n.Kind == Branch {
		return []int{n.Next, n.Else}
	}
	return []int{n.Next}
}

// Reach lists some nodes of a graph and all that next leads to from them, each once.
func Reach[N comparable](next func(N) []N, from ...N) (list []N) {
	seen := map[N]bool{}
	add := func(nodes []N) {
		for _, n := range nodes {
			if !seen[n] {
				seen[n] = true
				list = append(list, n)
			}
		}
	}
	add(from)
	for i := 0; i < len(list); i++ {
		add(next(list[i]))
	}
	return list
}
