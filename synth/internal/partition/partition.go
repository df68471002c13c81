// Package partition turns the leaves of an exploration into a Boolean function over cells, which are intervals of the
// linear forms that occur, and covers such a function with conjunctions.
package partition

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/term"
)

// MaxRegions bounds the regions of one axis. Where there are more, or more cells than Options.MaxCells, the exact
// treatment is given up, and the states are covered by proved cubes instead.
const MaxRegions = 40

// extraParts bounds the parts of the states, in multiples of the cells, that are looked at and then not used.
const extraParts = 8

// A Region is a part of the values of a direction: the values lo..hi, or with except all but the listed ones.
type Region struct {
	Lo, Hi int64
	Except []int64
}

// An Axis cuts the values of one direction into regions at the numbers that atoms mention. When all atoms are equations
// the regions are the single values and the rest; otherwise they are intervals.
type Axis struct {
	Dir       int
	Equations bool
	Values    []int64 // equations: the values
	Cuts      []int64 // else: c separates c from c+1
	Regions   []Region
}

// Cells are the satisfiable combinations of one region per axis, and the value of a Boolean function in each.
type Cells struct {
	Table  *term.Table
	Oracle *decide.Oracle // what counts the work
	Axes   []Axis
	Coord  [][]uint8 // per cell the region on each axis
	Value  []bool
	Bound  []bool // see Leaf
	Fails  []bool // see Leaf
}

// A grid collects the atoms that the axes must separate.
type grid struct {
	t    *term.Table
	axes []Axis
	of   map[int]int // direction -> axis
}

func newGrid(t *term.Table) *grid { return &grid{t: t, of: map[int]int{}} }

func (g *grid) add(l term.Literal) {
	i, ok := g.of[l.Dir]
	if !ok {
		i = len(g.axes)
		g.of[l.Dir] = i
		g.axes = append(g.axes, Axis{Dir: l.Dir, Equations: true})
	}
	a := &g.axes[i]
	insert := func(list *[]int64, v int64) {
		if at, found := slices.BinarySearch(*list, v); !found {
			*list = slices.Insert(*list, at, v)
		}
	}
	if l.Rel == term.EqRel {
		insert(&a.Values, l.K)
		insert(&a.Cuts, l.K-1)
		insert(&a.Cuts, l.K)
	} else {
		a.Equations = false
		insert(&a.Cuts, l.K)
	}
}

// finish computes the regions; it reports false if there are too many.
func (g *grid) finish() bool {
	for i := range g.axes {
		a := &g.axes[i]
		d := &g.t.Dirs[a.Dir]
		if a.Equations {
			for _, v := range a.Values {
				a.Regions = append(a.Regions, Region{Lo: v, Hi: v})
			}
			rest := Region{Lo: d.Lo, Hi: d.Hi, Except: a.Values}
			switch v, one := rest.Single(); { // not green for a colour that is red, and blue rather than neither of two
			case one && len(a.Values) > 1 && (v > d.Lo && v < d.Hi || g.named(d)):
				a.Values = append(slices.Clone(a.Values), v)
				a.Regions = append(a.Regions, Region{Lo: v, Hi: v})
			case d.Lo == math.MinInt64 || d.Hi == math.MaxInt64 || d.Hi-d.Lo >= int64(len(a.Values)):
				a.Regions = append(a.Regions, rest)
			}
		} else {
			lo := d.Lo
			for _, c := range a.Cuts {
				if c >= lo && c < d.Hi {
					a.Regions = append(a.Regions, Region{Lo: lo, Hi: c})
					lo = c + 1
				}
			}
			a.Regions = append(a.Regions, Region{Lo: lo, Hi: d.Hi})
		}
		if len(a.Regions) > MaxRegions {
			return false
		}
	}
	return true
}

// named reports whether the last value of a direction has a word of its own, as all colours have, and a full queue.
func (g *grid) named(d *term.Direction) bool {
	s := &g.t.Syms[d.Terms[0].S]
	return len(d.Terms) == 1 && s.Kind == term.WordSym && (s.Typ.Kind == step.Enum || s.Typ.Counted())
}

// Literals describe a region of the axis.
func (a *Axis) Literals(r Region) []term.Literal {
	if r.Except != nil {
		var all []term.Literal
		for _, v := range r.Except {
			all = append(all, term.Literal{Dir: a.Dir, Rel: term.EqRel, Neg: true, K: v})
		}
		return all
	}
	if r.Lo == r.Hi {
		return []term.Literal{{Dir: a.Dir, Rel: term.EqRel, K: r.Lo}}
	}
	var all []term.Literal
	if r.Lo != math.MinInt64 {
		all = append(all, term.Literal{Dir: a.Dir, Rel: term.LeRel, Neg: true, K: r.Lo - 1})
	}
	if r.Hi != math.MaxInt64 {
		all = append(all, term.Literal{Dir: a.Dir, Rel: term.LeRel, K: r.Hi})
	}
	return all
}

// Holds tells the truth of a literal of the axis in a region; regions are fine enough for that.
func (r Region) Holds(l term.Literal) bool {
	if r.Except != nil {
		return l.Neg == (l.Rel == term.EqRel) // the rest differs from every value asked for
	}
	if l.Rel == term.EqRel {
		return (r.Lo == l.K && r.Hi == l.K) != l.Neg
	}
	return (r.Hi <= l.K) != l.Neg
}

func (r Region) contains(v int64) bool {
	return v >= r.Lo && v <= r.Hi && !slices.Contains(r.Except, v)
}

// Build turns the leaves of an exploration into cells; nil if there are too many.
func Build(t *term.Table, o *decide.Oracle, maxCells int, leaves []Leaf, more []term.Literal) *Cells {
	g := newGrid(t)
	for _, f := range leaves {
		for _, l := range f.Cube {
			g.add(l)
		}
	}
	for _, l := range more {
		g.add(l)
	}
	if !g.finish() {
		return nil
	}
	b := &building{Cells: &Cells{Table: t, Oracle: o, Axes: g.axes}, leaves: leaves, most: maxCells}
	b.parts = maxCells * (len(b.Axes) + extraParts)
	var dirs, all []int
	for i := range b.Axes {
		dirs = append(dirs, b.Axes[i].Dir)
	}
	b.prefix = decide.NewChain(o, t, dirs)
	for i := range leaves {
		all = append(all, i)
	}
	if !b.visit(all) {
		return nil
	}
	return b.Cells
}

// A building looks for the cells: it adds a region of one axis after the other.
type building struct {
	*Cells
	leaves []Leaf
	most   int // cells
	parts  int // of the states that may be looked at on the way to cells
	prefix *decide.Chain
	coord  []uint8
	lits   []term.Literal // of the regions
}

// visit adds the cells in the regions so far, which some leaves meet. It reports false if there are too many.
func (b *building) visit(leaves []int) bool {
	if b.parts--; b.parts < 0 {
		return false
	}
	if len(b.coord) == len(b.Axes) {
		return b.add(leaves)
	}
	a := &b.Axes[len(b.coord)]
	for i, r := range a.Regions {
		rest := b.within(leaves, a, r)
		if len(rest) == 0 {
			continue
		}
		before := len(b.lits)
		b.lits = append(b.lits, a.Literals(r)...)
		got := b.prefix.Push(b.lits[before:])
		if got == decide.Unknown && len(b.coord) > 0 {
			got = b.Oracle.Check(b.Table, b.lits)
		}
		if got != decide.Unsat || len(b.coord) == 0 {
			b.coord = append(b.coord, uint8(i))
			if !b.visit(rest) {
				return false
			}
			b.coord = b.coord[:len(b.coord)-1]
		}
		b.lits = b.lits[:before]
		b.prefix.Pop()
	}
	return true
}

// within are those of some leaves that meet a region of an axis.
func (b *building) within(leaves []int, a *Axis, r Region) (rest []int) {
	b.Oracle.Spend(len(leaves) / 8)
	for _, k := range leaves {
		if !slices.ContainsFunc(b.leaves[k].Cube, func(l term.Literal) bool { return l.Dir == a.Dir && !r.Holds(l) }) {
			rest = append(rest, k)
		}
	}
	return rest
}

// add adds a cell, with its value. It reports false if there are too many.
func (b *building) add(leaves []int) bool {
	switch {
	case b.unused(b.coord):
		return true
	case len(b.Cells.Coord) == b.most:
		return false
	}
	b.Cells.Coord = append(b.Cells.Coord, slices.Clone(b.coord))
	b.Value = append(b.Value, !slices.ContainsFunc(leaves, func(i int) bool { return !b.leaves[i].Value }))
	b.Fails = append(b.Fails, !slices.ContainsFunc(leaves, func(i int) bool { return !b.leaves[i].Fails }))
	b.Bound = append(b.Bound, slices.ContainsFunc(leaves, func(i int) bool { return b.leaves[i].Bound }))
	return true
}

// unused reports whether a cell gives an element beyond the size of its list a value; unused elements are zero, or as
// near to it as they can be where they are used, which is nobody's mutex.
func (c *Cells) unused(coord []uint8) bool {
	for i := range c.Axes {
		d := &c.Table.Dirs[c.Axes[i].Dir]
		s := &c.Table.Syms[d.Terms[0].S]
		r := c.Axes[i].Regions[coord[i]]
		switch {
		case len(d.Terms) == 1:
			if r.contains(s.Nearest(0)) {
				continue
			}
		case len(d.Terms) == 2 && r.Except == nil && r.Lo == 0 && r.Hi == 0: // compared with a process
			me := &c.Table.Syms[d.Terms[1].S]
			if s.Kind == term.MeSym {
				s, me = me, s
			}
			if me.Kind != term.MeSym || s.Kind != term.WordSym || s.Typ.Kind != step.Mutex {
				continue
			}
		default:
			continue
		}
		if s.Kind != term.WordSym || len(s.Idx) != 1 || s.Mem.View == term.Keyed || !s.Idx[0].Constant() {
			continue
		}
		size := term.WordKey{Mem: term.MemKey{Slot: s.Mem.Slot, V: s.Mem.V, Off: s.Mem.Off - 1, View: term.Direct},
			A: -1, B: -1}
		for j := range c.Axes {
			dj := &c.Table.Dirs[c.Axes[j].Dir]
			if id, ok := c.Table.Words[size]; ok && len(dj.Terms) == 1 && dj.Terms[0].S == id {
				if k := c.Axes[j].Regions[coord[j]]; k.Except == nil && k.Hi <= s.Idx[0].K {
					return true
				}
			}
		}
	}
	return false
}

// Holds tells the truth of a literal in a cell.
func (c *Cells) Holds(cell int, l term.Literal) bool {
	for i := range c.Axes {
		if c.Axes[i].Dir == l.Dir {
			r := c.Axes[i].Regions[c.Coord[cell][i]]
			if truth, known := r.Decides(l); known { // also of literals that the regions were not made for
				return truth
			}
			return r.Holds(l)
		}
	}
	return false
}

// Locate returns the cell with the given regions, -1 if it is empty.
func (c *Cells) Locate(coord []uint8) int {
	for i, other := range c.Coord {
		if slices.Equal(other, coord) {
			return i
		}
	}
	return -1
}

// A Leaf is the end of a run: the cube of its free decisions (those not implied by the earlier ones) and its value.
type Leaf struct {
	Cube  []term.Literal
	Value bool
	Bound bool // the value is true, and not for the uniform part
	Fails bool // the value is true, because something fails in any case
}

// InNormal reports whether a formula holds in a cell. A guard that the cells do not tell counts as false.
func (c *Cells) InNormal(cell int, nf term.NormalForm) bool {
	for _, part := range nf.Terms {
		all, some := true, false
		for _, l := range part {
			h := c.Holds(cell, l)
			all, some = all && h, some || h
		}
		if nf.Clauses && !some {
			return false
		}
		if !nf.Clauses && all {
			return true
		}
	}
	return nf.Clauses
}

// Single is the only value in a region, if there is just one.
func (r Region) Single() (v int64, ok bool) {
	i := r.interval()
	return i.Lo, i.Lo == i.Hi
}

// Decides tells the truth of any literal about the direction in a region, if that determines it.
func (r Region) Decides(l term.Literal) (truth, known bool) {
	v := r.interval()
	return v.Decides(l)
}

// interval is the values of the region.
func (r Region) interval() term.Interval {
	v := term.Interval{Lo: r.Lo, Hi: r.Hi}
	for _, k := range r.Except {
		v.Add(term.Literal{Rel: term.EqRel, Neg: true, K: k})
	}
	return v
}

// Within reports whether the values of a region lie in a range, if either all or none do.
func (r Region) Within(from, to int64) (truth, known bool) {
	v := r.interval()
	lo, hi := max(v.Lo, from), min(v.Hi, to)
	left := int64(0) // how many of the range are in the region
	if lo <= hi {
		left = hi - lo + 1
	}
	for _, k := range v.Holes {
		if k >= lo && k <= hi {
			left--
		}
	}
	return left > 0, left == 0 || v.Lo >= from && v.Hi <= to
}

// Truth is where a literal and its guards hold, and where they do and it does not.
func (c *Cells) Truth(l term.Literal, guards []term.Literal) (yes, no Bitset, vague bool) {
	yes, no = NewBitset(len(c.Value)), NewBitset(len(c.Value))
	known := slices.ContainsFunc(c.Axes, func(a Axis) bool { return a.Dir == l.Dir })
	for i := range c.Value {
		switch {
		case !c.Guarded(i, guards):
		case !known || c.Holds(i, l): // a literal that the cells know nothing of is a guard that always holds
			yes.Set(i)
		default:
			no.Set(i)
		}
	}
	return yes, no, !known || slices.ContainsFunc(guards, func(g term.Literal) bool { return !c.Settles(g) })
}

// Settles reports whether each cell determines the truth of a literal.
func (c *Cells) Settles(l term.Literal) bool {
	for i := range c.Axes {
		if c.Axes[i].Dir == l.Dir {
			return !slices.ContainsFunc(c.Axes[i].Regions, func(r Region) bool {
				_, known := r.Decides(l)
				return !known
			})
		}
	}
	return false
}

// Guarded reports whether guards hold in a cell. Where a cell does not tell, they count as false if the cell knows
// anything about the direction, else as true: the steps evaluate the same places, so an undecided guard was found to be
// implied.
func (c *Cells) Guarded(cell int, guards []term.Literal) bool {
	for _, l := range guards {
		for i := range c.Axes {
			if c.Axes[i].Dir != l.Dir {
				continue
			}
			r := c.Axes[i].Regions[c.Coord[cell][i]]
			v := term.Interval{Lo: r.Lo, Hi: r.Hi}
			for _, k := range r.Except {
				v.Add(term.Literal{Rel: term.EqRel, Neg: true, K: k})
			}
			if truth, known := v.Decides(l); !known || !truth {
				return false
			}
		}
	}
	return true
}

// Everywhere is the set of all cells.
func (c *Cells) Everywhere() Bitset {
	all := NewBitset(len(c.Value))
	for i := range c.Value {
		all.Set(i)
	}
	return all
}
