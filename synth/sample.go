package synth

import "cdpor/lang/step"

// sampleStates is how many of the first states of a program count when a choice between repairs is made.
const sampleStates = 48

// weightOf is how often a pair of processes stands in the cell in the first states of the program.
func (e *engine) weightOf(d drop) int {
	if d.n.c == nil || d.cell < 0 {
		return 0
	}
	if d.n.weight == nil {
		d.n.weight = make([]int, len(d.n.c.value))
		e.weigh(d.n)
	}
	return d.n.weight[d.cell]
}

// firstStates lists states of the program in breadth-first order.
func (e *engine) firstStates() {
	if e.machine != nil {
		return
	}
	m, err := step.NewMachine(e.prog)
	if err != nil {
		return
	}
	e.machine = m
	r := m.NewRunner()
	e.first = []step.State{m.Initial()}
	seen := map[string]bool{string(e.first[0].Bytes()): true}
	for i := 0; i < len(e.first); i++ {
		for p := range m.NumProcs() {
			if len(e.first) == sampleStates {
				return
			}
			if s := e.first[i]; r.Enabled(s, p) {
				next := append(step.State(nil), s...)
				r.Run(next, p)
				if key := string(next.Bytes()); !seen[key] {
					seen[key] = true
					e.first = append(e.first, next)
				}
			}
		}
	}
}

func (e *engine) weigh(n *entry) {
	e.firstStates()
	for _, s := range e.first {
		for _, p := range e.actors[n.a.Template].procs {
			if e.machine.StepOf(s, p.Index) != n.a {
				continue
			}
			for _, q := range e.actors[n.b.Template].procs {
				if p == q || e.machine.StepOf(s, q.Index) != n.b {
					continue
				}
				if cell := e.cellOf(n, s, p.Index, q.Index); cell >= 0 {
					n.weight[cell]++
				}
			}
		}
	}
}

// cellOf is the cell of a concrete state.
func (e *engine) cellOf(n *entry, s step.State, procs ...int) int {
	coord := make([]uint8, len(n.c.axes))
	for i := range n.c.axes {
		a := &n.c.axes[i]
		v, ok := e.number(n.t, form{terms: n.t.dirs[a.dir].terms}, s, procs)
		if !ok {
			return -1
		}
		at := len(a.regions) - 1
		for k, r := range a.regions {
			if r.except == nil && v >= r.lo && v <= r.hi {
				at = k
			}
		}
		coord[i] = uint8(at)
	}
	return n.c.locate(coord)
}

func (e *engine) number(t *table, f form, s step.State, procs []int) (int64, bool) {
	sum := f.k
	for _, x := range f.terms {
		v, ok := e.symbolValue(t, &t.syms[x.s], s, procs)
		if !ok {
			return 0, false
		}
		sum += x.c * v
	}
	return sum, true
}

func (e *engine) symbolValue(t *table, y *symbol, s step.State, procs []int) (int64, bool) {
	var idx []int64
	for _, f := range y.idx {
		v, ok := e.number(t, f, s, procs)
		if !ok {
			return 0, false
		}
		idx = append(idx, v)
	}
	switch y.kind {
	case selfSym:
		return e.prog.Procs[procs[y.mem.slot]].Self, true
	case choiceSym:
		return 0, false
	case meSym:
		return int64(procs[y.mem.slot]) + 1, true
	case mulSym:
		return idx[0] * idx[1], true
	case divSym, modSym:
		if idx[1] == 0 || idx[1] == -1 {
			return 0, false
		}
		if y.kind == divSym {
			return idx[0] / idx[1], true
		}
		return idx[0] % idx[1], true
	}
	base := y.mem.v.Offset
	if y.mem.slot != shared {
		base += e.machine.LocalBase(procs[y.mem.slot])
	}
	if y.mem.view == keyed {
		return keyedWord(s[base:], y, idx)
	}
	word, ok := wordAt(y.mem, idx)
	return s[min(base+word, len(s)-1)], ok
}

// wordAt is the distance of an element from the beginning of its variable; ok is false if an index is out of range.
func wordAt(m memKey, idx []int64) (word int, ok bool) {
	word = m.off
	t, off := m.v.Type, m.off
	for _, i := range idx {
		length := 0
		if t, off, length = indexed(t, off); i < 0 || i >= int64(length) {
			return 0, false
		}
		word += int(i) * t.Words()
	}
	return word, true
}
