package uniform

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/term"
)

// SampleStates is how many of the first states of a program count when a choice between repairs is made, at least. They
// are whole levels of the breadth-first search, at most maxSampleStates, so that renaming threads does not change them.
const (
	SampleStates    = 48
	maxSampleStates = 400
)

// weightOf is how often two processes at the steps of a pair, or of one that is just like it, stand in a cell in the
// first states of the program.
func (e *Family) weightOf(d Drop) (weight int) {
	for _, n := range e.alike(d.N) {
		weight += e.weights(n)[d.Cell]
	}
	return weight
}

// alike lists the pairs of which all the same is known as of one of them, which is among them.
func (e *Family) alike(n *commute.Entry) []*commute.Entry {
	if e.classes == nil {
		e.classes = map[*commute.Entry][]*commute.Entry{}
		of := map[string][]*commute.Entry{}
		for _, m := range e.Entries {
			if m.Works() && !m.Independent && (m.Bare || len(m.First) > 0) {
				key := e.Key(m.A, m.B)
				of[key] = append(of[key], m)
			}
		}
		for _, list := range of {
			for _, m := range list {
				e.classes[m] = list
			}
		}
	}
	var list []*commute.Entry
	for _, m := range e.classes[n] {
		if e.Materialise(m); len(m.First) == len(n.First) {
			list = append(list, m)
		}
	}
	return list
}

// weights are how often the processes of a pair stand in each of its cells in the first states of the program.
func (e *Family) weights(n *commute.Entry) []int {
	if n.Weight == nil {
		if e.first == nil {
			e.first, _ = e.statesFrom(SampleStates, maxSampleStates, false)
		}
		n.Weight = make([]int, len(n.First))
		e.weigh(n, e.first, n.Weight)
	}
	return n.Weight
}

// statesFrom lists states of the program in breadth-first order: whole levels, until they are some, and no more than
// most; finished says that there are no others. Unless all alternatives are asked for, a process that has a choice
// takes the first one.
func (e *Family) statesFrom(least, most int, all bool) (states []step.State, finished bool) {
	if e.machine == nil {
		m, err := step.NewMachine(e.Prog)
		if err != nil {
			return nil, false
		}
		e.machine = m
	}
	m := e.machine
	r := m.NewRunner()
	level := []step.State{m.Initial()}
	seen := map[string]bool{string(level[0].Bytes()): true}
	for len(level) > 0 && len(states)+len(level) <= most {
		states = append(states, level...)
		if len(states) >= least {
			return states, false
		}
		var next []step.State
		for _, s := range level {
			for p := range m.NumProcs() {
				if len(next) > most || !r.Enabled(s, p) {
					continue
				}
				for k := range r.Alternatives(s, p).All() {
					after := append(step.State(nil), s...)
					r.Take(after, m.FirstAction(p)+k)
					if key := string(after.Bytes()); !seen[key] {
						seen[key] = true
						next = append(next, after)
					}
					if !all {
						break
					}
				}
			}
		}
		level = next
	}
	return states, len(level) == 0
}

// weigh counts how often the processes of a pair stand in each of its cells in some states.
func (e *Family) weigh(n *commute.Entry, states []step.State, weight []int) {
	if e.machine == nil {
		return
	}
	runner := e.machine.NewRunner()
	for _, p := range e.Actors[n.A.Template].Procs {
		for _, q := range e.Actors[n.B.Template].Procs {
			var holds func(*step.Runner, step.State) (bool, bool)
			for _, s := range states {
				if p == q || e.machine.StepOf(s, p.Index) != n.A || e.machine.StepOf(s, q.Index) != n.B {
					continue
				}
				e.Oracle.Quietly(1)
				if n.Cells != nil {
					if cell := e.cellOf(n, s, p.Index, q.Index); cell >= 0 {
						weight[cell]++
					}
					continue
				}
				if holds == nil {
					holds = e.machine.CompileCondition(n.Begin, p.Index, q.Index)
				}
				if yes, ok := holds(runner, s); yes && ok {
					weight[0]++
				}
			}
		}
	}
}

// cellOf is the cell of a concrete state.
func (e *Family) cellOf(n *commute.Entry, s step.State, procs ...int) int {
	coord := make([]uint8, len(n.Cells.Axes))
	for i := range n.Cells.Axes {
		a := &n.Cells.Axes[i]
		v, ok := e.number(n.Table, term.Form{Terms: n.Table.Dirs[a.Dir].Terms}, s, procs)
		if !ok {
			return -1
		}
		at := len(a.Regions) - 1
		for k, r := range a.Regions {
			if r.Except == nil && v >= r.Lo && v <= r.Hi {
				at = k
			}
		}
		coord[i] = uint8(at)
	}
	return n.Cells.Locate(coord)
}

func (e *Family) number(t *term.Table, f term.Form, s step.State, procs []int) (int64, bool) {
	sum := f.K
	for _, x := range f.Terms {
		v, ok := e.symbolValue(t, &t.Syms[x.S], s, procs)
		if !ok {
			return 0, false
		}
		sum += x.C * v
	}
	return sum, true
}

func (e *Family) symbolValue(t *term.Table, y *term.Symbol, s step.State, procs []int) (int64, bool) {
	var idx []int64
	for _, f := range y.Idx {
		v, ok := e.number(t, f, s, procs)
		if !ok {
			return 0, false
		}
		idx = append(idx, v)
	}
	switch y.Kind {
	case term.SelfSym:
		return e.Prog.Procs[procs[y.Mem.Slot]].Self, true
	case term.ChoiceSym, term.IdentitySym, term.LeftSym:
		return 0, false
	case term.MeSym:
		return int64(procs[y.Mem.Slot]) + 1, true
	case term.MulSym:
		return idx[0] * idx[1], true
	case term.DivSym, term.ModSym:
		if idx[1] == 0 || idx[1] == -1 {
			return 0, false
		}
		if y.Kind == term.DivSym {
			return idx[0] / idx[1], true
		}
		return idx[0] % idx[1], true
	case term.WrapSym:
		return y.Typ.Wrap(idx[0]), true
	}
	base := y.Mem.V.Offset
	if y.Mem.Slot != term.Shared {
		base += e.machine.LocalBase(procs[y.Mem.Slot])
	}
	if y.Mem.View == term.Keyed {
		return term.KeyedWord(s[base:], y, idx)
	}
	word, ok := term.WordAt(y.Mem, idx)
	return y.Nearest(s[min(base+word, len(s)-1)]), ok
}
