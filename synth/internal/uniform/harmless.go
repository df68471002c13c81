package uniform

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/question"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// Before a table is made inside of a family from which something has been taken, one looks whether there is anything
// to be found in it: whether some state violates uniformity for the cells that are left now. That takes fewer
// questions than a table, as it matters of a cell only whether it is left: most of what a step changes changes no more
// than the cell. The answer is good for these cells of the pair whatever is taken from its steps with the third one
// later, as that only removes premises.

// A stillness is what is known of the triple while some cells of its pair are left.
type stillness struct {
	u     []bool          // the cells that are left, nil: nothing is known
	holds bool            // nothing violates uniformity
	took  *question.Ahead // what a helper needed for it
}

// of reports whether something is known of the cells that are left now.
func (s *stillness) of(n *commute.Entry) bool { return s.u != nil && slices.Equal(s.u, n.Kept) }

// still reports whether nothing violates uniformity for the cells of the pair that are left now.
func (e *Family) still(t *triple) bool {
	if t.still.of(t.N) {
		return t.still.holds
	}
	if s := e.twin(t); s != t && s.still.of(t.N) && t.plain() && s.plain() && alikeCells(t.N, s.N) {
		t.still = s.still
		t.uses(s)
		return t.still.holds
	}
	e.Facts.Using(t.used, func() {
		if s := t.ahead; s != nil && s.still.of(t.N) && e.Accept(s.still.took) {
			e.Facts.Used.Add(s.used)
			t.still = s.still
			return
		}
		holds := e.Explore("the third step changes nothing that is left, of", func(r *symbolic.Run) {
			if (&Trial{r, e}).stirred(t) {
				panic(unsupported.Reason("uniformity is violated"))
			}
		}, t.N.A, t.N.B, t.Q) == ""
		t.still = stillness{u: slices.Clone(t.N.Kept), holds: holds}
	})
	return t.still.holds
}

// stirred reports whether uniformity is violated in the current store for the cells of the pair that are left. The
// steps of the pair may still be independent of the third one wherever they were to begin with.
func (x *Trial) stirred(t *triple) bool {
	before := x.Store
	x.E.Materialise(t.N)
	if t.N.Cells == nil {
		panic(unsupported.Reason("there are no cells"))
	}
	m := movement{n: t.N, exact: t.N.PlainCells, now: true, then: true}
	if !m.exact {
		m.now = x.Holds(t.N.Begin, 0, 1)
	}
	m.begin()
	if x.narrowFixed(&m, t.Q); m.settled(m.open) && (m.exact || !m.n.Kept[m.open[0]]) {
		return false
	}
	if x.narrowAside(&m, t.Q); m.settled(m.open) && (m.exact || !m.n.Kept[m.open[0]]) {
		return false
	}
	if !x.Enabled(2, t.Q) {
		return false
	}
	after := before.Clone()
	x.Store = after
	x.Exec(2, t.Q)
	if !m.exact {
		m.then = x.Holds(t.N.Begin, 0, 1)
	}
	if m.now || m.then {
		x.finish(&m, before, after)
	}
	if x.Store = before; m.now == m.then {
		return false
	}
	violated := x.premise(t.aq, t.N.A, 0, t.Q).holds
	if violated == m.now {
		violated = x.premise(t.bq, t.N.B, 1, t.Q).holds
	}
	if violated {
		x.AssumeRanges(after)
	}
	return violated
}

// A movement is what a step does to the cell of a pair: the cells that come into question before the step and after
// it, as far as it has been looked.
type movement struct {
	n         *commute.Entry
	exact     bool // the cells tell by themselves where the condition holds
	now, then bool // the pair is in a cell that is left, or may be
	open      []int
	movable   []int // axes that the step may change
}

// begin lets all cells come into question.
func (m *movement) begin() {
	for c, first := range m.n.First {
		if first || m.exact {
			m.open = append(m.open, c)
		}
	}
}

// settled reports whether cells are all left or all not.
func (m *movement) settled(cells []int) bool {
	for _, c := range cells {
		if m.n.Kept[c] != m.n.Kept[cells[0]] {
			return false
		}
	}
	return true
}

// narrowFixed looks at the axes that the third step cannot change, in the current store, until nothing else matters.
func (x *Trial) narrowFixed(m *movement, q *step.Step) {
	var fixed []change
	for i := range m.n.Cells.Axes {
		if x.E.WritesAny(q, m.n.AxisReads[i]) {
			m.movable = append(m.movable, i)
		} else {
			fixed = append(fixed, change{axis: i})
		}
	}
	m.open = x.narrowBy(m, m.open, fixed, func(c change) term.Form { return x.axisForm(m.n, c.axis) })
}

// narrowAside does so for those that the step could change but does not reach in the current store.
func (x *Trial) narrowAside(m *movement, q *step.Step) {
	var aside []change
	m.movable = slices.DeleteFunc(m.movable, func(i int) bool {
		c := change{axis: i}
		words := x.Seeing(func() { c.before = x.axisForm(m.n, i) })
		if x.reaches(2, q, words) {
			return false
		}
		aside = append(aside, c)
		return true
	})
	m.open = x.narrowBy(m, m.open, aside, func(c change) term.Form { return c.before })
}

// telling is the place in a list of the axis that settles most of some cells if its region is known.
func (m *movement) telling(cells []int, by []change) (best int) {
	most := -1
	for at, c := range by {
		i := c.axis
		var kept, gone [partition.MaxRegions + 1]int
		for _, c := range cells {
			if region := m.n.Cells.Coord[c][i]; m.n.Kept[c] {
				kept[region]++
			} else {
				gone[region]++
			}
		}
		settled := 0
		for region := range kept {
			settled += max(kept[region], gone[region]) - min(kept[region], gone[region])
		}
		if settled > most {
			best, most = at, settled
		}
	}
	return best
}

// A change is an axis that may be different after the step.
type change struct {
	axis          int
	before, after term.Form
}

// finish looks at the other axes in the stores before and after the step: whether the cell is left in them. Where it
// is the same in both it may say either.
func (x *Trial) finish(m *movement, before, after *symbolic.Store) {
	var changes, same []change
	for _, i := range m.movable {
		x.Store = before
		f := x.axisForm(m.n, i)
		x.Store = after
		g := x.axisForm(m.n, i)
		if f = x.Reduce(f); f.Equal(x.Reduce(g)) {
			same = append(same, change{i, f, f})
		} else {
			changes = append(changes, change{i, f, g})
		}
	}
	if m.open = x.narrowBy(m, m.open, same, func(c change) term.Form { return c.before }); m.now && m.then &&
		m.settled(m.open) {
		m.now, m.then = false, false
		return
	}
	value := func(holds bool, of func(change) term.Form) bool {
		return holds && m.n.Kept[x.narrowBy(m, m.open, changes, of)[0]]
	}
	m.now = value(m.now, func(c change) term.Form { return c.before })
	m.then = value(m.then, func(c change) term.Form { return c.after })
}

// narrowBy narrows some cells by axes, those that tell most first, until they are settled.
func (x *Trial) narrowBy(m *movement, cells []int, by []change, of func(change) term.Form) []int {
	by = slices.Clone(by)
	for len(by) > 0 && !m.settled(cells) {
		at := m.telling(cells, by)
		cells = x.narrow(m.n, cells, by[at].axis, of(by[at]))
		by = slices.Delete(by, at, at+1)
	}
	return cells
}

// axisForm is the value of an axis of a pair in the current store.
func (x *Trial) axisForm(n *commute.Entry, i int) term.Form {
	x.Fault = step.NoFault
	f := x.Transfer(n.Table, term.Form{Terms: n.Table.Dirs[n.Cells.Axes[i].Dir].Terms}, [2]int{0, 1})
	if x.Fault != step.NoFault {
		panic(unsupported.Reason("a cell cannot be evaluated"))
	}
	return f
}

// narrow keeps those of some cells that lie in the region of an axis in which a value does.
func (x *Trial) narrow(n *commute.Entry, cells []int, i int, f term.Form) []int {
	least, most := n.Cells.Coord[cells[0]][i], uint8(0)
	for _, c := range cells {
		least, most = min(least, n.Cells.Coord[c][i]), max(most, n.Cells.Coord[c][i])
	}
	if least == most {
		return cells
	}
	region := x.region(&n.Cells.Axes[i], f, int(most))
	kept := make([]int, 0, len(cells))
	for _, c := range cells {
		if int(n.Cells.Coord[c][i]) == region {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		panic(unsupported.Reason("a state is in no cell"))
	}
	return kept
}
