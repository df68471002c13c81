package explore

import (
	"math/rand"
	"slices"

	"cdpor/constraints"
	"cdpor/explore/oracle"
	"cdpor/lang/step"
)

// A table is independence in every reachable state of a small program, found by running: the weakest constraint, and a
// uniform family weakened to the fixpoint of forward and backward with repairs chosen at random. It serves as
// Conditions without a solver, and so puts far more relations to the explorer than any solver would write down.
type table struct {
	m      *step.Machine
	index  map[string]int // State.Bytes -> row
	states []step.State
	succ   [][]int  // state, action -> state, or -1
	c, u   [][]bool // state -> processes p*P+q
	disj   [][]bool
	live   [][]int // state -> processes that have a next step
}

func newTable(m *step.Machine, rng *rand.Rand, limit int) (*table, error) {
	t := &table{m: m, index: map[string]int{}}
	P, r := m.NumProcs(), m.NewRunner()
	add := func(s step.State) int {
		key := string(s.Bytes())
		if i, ok := t.index[key]; ok {
			return i
		}
		t.index[key] = len(t.states)
		t.states = append(t.states, s)
		return len(t.states) - 1
	}
	add(m.Initial())
	for i := 0; i < len(t.states); i++ {
		if len(t.states) > limit {
			return nil, oracle.ErrLimit
		}
		row := make([]int, m.NumActions())
		for a := range row {
			row[a] = -1
			if r.CanTake(t.states[i], a) {
				n := slices.Clone(t.states[i])
				r.Take(n, a)
				row[a] = add(n)
			}
		}
		t.succ = append(t.succ, row)
	}
	for i, s := range t.states {
		c, disj := make([]bool, P*P), make([]bool, P*P)
		foot := make([]step.Footprint, P)
		var live []int
		for p := range P {
			if m.StepOf(s, p) != nil {
				live = append(live, p)
				foot[p] = r.Footprint(s, p, make(step.Footprint, m.FootprintWords())).Clone()
			}
		}
		t.live = append(t.live, live)
		for _, p := range live {
			for _, q := range live {
				if p == q {
					continue
				}
				disj[p*P+q] = !step.Conflict(foot[p], foot[q])
				c[p*P+q] = t.commute(i, p, q)
			}
		}
		t.c, t.disj = append(t.c, c), append(t.disj, disj)
	}
	t.weaken(rng)
	return t, nil
}

// commute reports whether the next steps of two processes leave each other the same alternatives in a state, and lead
// to the same state in both orders, whichever they take.
func (t *table) commute(state, p, q int) bool {
	left, right := t.actions(state, p), t.actions(state, q)
	for _, a := range left {
		if !slices.Equal(t.actions(t.succ[state][a], q), right) {
			return false
		}
	}
	for _, b := range right {
		if !slices.Equal(t.actions(t.succ[state][b], p), left) {
			return false
		}
		for _, a := range left {
			if t.succ[t.succ[state][a]][b] != t.succ[t.succ[state][b]][a] {
				return false
			}
		}
	}
	return true
}

// startsAlike reports whether a process starts the same processes before the step of another one as behind it.
func (t *table) startsAlike(state, p, q int) bool {
	started := func(from, a int) (list []int) {
		for x := range t.m.NumProcs() {
			if t.m.StepOf(t.states[from], x) == nil && t.m.StepOf(t.states[t.succ[from][a]], x) != nil {
				list = append(list, x)
			}
		}
		return list
	}
	for _, a := range t.actions(state, p) {
		for _, b := range t.actions(state, q) {
			if !slices.Equal(started(state, a), started(t.succ[state][b], a)) {
				return false
			}
		}
	}
	return true
}

// actions lists what a process can do in a state.
func (t *table) actions(state, p int) (list []int) {
	for a := t.m.FirstAction(p); a < t.m.NumActions() && t.m.ProcOf(a) == p; a++ {
		if t.succ[state][a] >= 0 {
			list = append(list, a)
		}
	}
	return list
}

// weaken makes u of c.
func (t *table) weaken(rng *rand.Rand) {
	P := t.m.NumProcs()
	for _, c := range t.c {
		t.u = append(t.u, slices.Clone(c))
	}
	// Who starts a process is part of happens-before, and two that start one may be exchanged without a trace in the
	// state. So steps are in no uniform relation where it depends on their order, as with synthesised constraints.
	for i := range t.states {
		for _, p := range t.live[i] {
			for _, q := range t.live[i] {
				if p != q && t.c[i][p*P+q] && !t.startsAlike(i, p, q) {
					t.u[i][p*P+q], t.u[i][q*P+p] = false, false
				}
			}
		}
	}
	rel := func(i, p, q int) bool { return t.disj[i][p*P+q] || t.u[i][p*P+q] }
	drop := func(i, p, q int) { t.u[i][p*P+q], t.u[i][q*P+p] = false, false }
	for changed := true; changed; {
		changed = false
		for i := range t.states {
			for _, p := range t.live[i] {
				for b, next := range t.succ[i] {
					q := t.m.ProcOf(b)
					if p == q || next < 0 || !rel(i, p, q) {
						continue
					}
					for _, r := range t.live[i] {
						if r == p || r == q {
							continue
						}
						switch now, then := rel(i, p, r), rel(next, p, r); {
						case now && rel(i, q, r) && !then:
							drop(i, p, r)
							changed = true
						case !now && then:
							if !t.disj[i][p*P+q] && rng.Intn(2) == 0 {
								drop(i, p, q)
							} else {
								drop(next, p, r)
							}
							changed = true
						}
						if !rel(i, p, q) {
							break
						}
					}
				}
			}
		}
	}
}

func (t *table) lookup(table [][]bool, p, q int) constraints.Cond {
	P := t.m.NumProcs()
	return constraints.Cond{Kind: constraints.CondEval, Eval: func(_ *step.Runner, s step.State) bool {
		i, ok := t.index[string(s.Bytes())]
		if !ok {
			panic("the explorer evaluated a constraint in a state that cannot be reached")
		}
		return table[i][p*P+q]
	}}
}

func (t *table) Uniform(p int, _ *step.Step, q int, _ *step.Step) constraints.Cond {
	return t.lookup(t.u, p, q)
}

func (t *table) Commute(p int, a *step.Step, q int, b *step.Step) constraints.Cond {
	// True only if it holds in every reachable state in which the two steps are next: then it is unconditional.
	P, always := t.m.NumProcs(), true
	for i, s := range t.states {
		if t.m.StepOf(s, p) == a && t.m.StepOf(s, q) == b && !t.c[i][p*P+q] {
			always = false
		}
	}
	if always {
		return constraints.Cond{Kind: constraints.CondTrue}
	}
	return t.lookup(t.c, p, q)
}

// footprints is the refined footprint relation as an explicit relation on the reachable states.
type relationAt func(s step.State, p, q int) bool

func footprintsAt(m *step.Machine) relationAt {
	r := m.NewRunner()
	foot := func(s step.State, p int) step.Footprint {
		f := r.Footprint(s, p, make(step.Footprint, m.FootprintWords())).Clone()
		if r.Enabled(s, p) {
			after := slices.Clone(s)
			r.Take(after, r.Instead(s, m.FirstAction(p)))
			if m.Unwritten(s, after, p) {
				f = f.ReadOnly(f)
			}
		}
		return f
	}
	return func(s step.State, p, q int) bool { return !step.Conflict(foot(s, p), foot(s, q)) }
}

func (t *table) uniformAt(s step.State, p, q int) bool {
	i := t.index[string(s.Bytes())]
	k := p*t.m.NumProcs() + q
	return t.disj[i][k] || t.u[i][k]
}

// conditionsAt is the relation that the search uses with some conditions.
func conditionsAt(m *step.Machine, c Conditions) relationAt {
	r := m.NewRunner()
	return func(s step.State, p, q int) bool {
		fp := r.Footprint(s, p, make(step.Footprint, m.FootprintWords())).Clone()
		fq := r.Footprint(s, q, make(step.Footprint, m.FootprintWords())).Clone()
		if !step.Conflict(fp, fq) {
			return true
		}
		switch cond := c.Uniform(p, m.StepOf(s, p), q, m.StepOf(s, q)); cond.Kind {
		case constraints.CondTrue:
			return true
		case constraints.CondEval:
			return cond.Eval(r, s)
		}
		return false
	}
}
