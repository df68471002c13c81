package synth

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/term"
)

// maxRegions bounds the regions of one axis. Where there are more, or more cells than Options.MaxCells, the exact
// treatment is given up, and the states are covered by proved cubes instead.
const maxRegions = 40

// extraParts bounds the parts of the states, in multiples of the cells, that are looked at and then not used.
const extraParts = 8

// A region is a part of the values of a direction: the values lo..hi, or with except all but the listed ones.
type region struct {
	lo, hi int64
	except []int64
}

// An axis cuts the values of one direction into regions at the numbers that atoms mention. When all atoms are equations
// the regions are the single values and the rest; otherwise they are intervals.
type axis struct {
	dir       int
	equations bool
	values    []int64 // equations: the values
	cuts      []int64 // else: c separates c from c+1
	regions   []region
}

// cells are the satisfiable combinations of one region per axis, and the value of a Boolean function in each.
type cells struct {
	t     *term.Table
	o     *decide.Oracle // what counts the work
	axes  []axis
	coord [][]uint8 // per cell the region on each axis
	value []bool
}

// A grid collects the atoms that the axes must separate.
type grid struct {
	t    *term.Table
	axes []axis
	of   map[int]int // direction -> axis
}

func newGrid(t *term.Table) *grid { return &grid{t: t, of: map[int]int{}} }

func (g *grid) add(l term.Literal) {
	i, ok := g.of[l.Dir]
	if !ok {
		i = len(g.axes)
		g.of[l.Dir] = i
		g.axes = append(g.axes, axis{dir: l.Dir, equations: true})
	}
	a := &g.axes[i]
	insert := func(list *[]int64, v int64) {
		if at, found := slices.BinarySearch(*list, v); !found {
			*list = slices.Insert(*list, at, v)
		}
	}
	if l.Rel == term.EqRel {
		insert(&a.values, l.K)
		insert(&a.cuts, l.K-1)
		insert(&a.cuts, l.K)
	} else {
		a.equations = false
		insert(&a.cuts, l.K)
	}
}

// finish computes the regions; it reports false if there are too many.
func (g *grid) finish() bool {
	for i := range g.axes {
		a := &g.axes[i]
		d := &g.t.Dirs[a.dir]
		if a.equations {
			for _, v := range a.values {
				a.regions = append(a.regions, region{lo: v, hi: v})
			}
			if d.Lo == math.MinInt64 || d.Hi == math.MaxInt64 || d.Hi-d.Lo >= int64(len(a.values)) {
				a.regions = append(a.regions, region{lo: d.Lo, hi: d.Hi, except: a.values})
			}
		} else {
			lo := d.Lo
			for _, c := range a.cuts {
				if c >= lo && c < d.Hi {
					a.regions = append(a.regions, region{lo: lo, hi: c})
					lo = c + 1
				}
			}
			a.regions = append(a.regions, region{lo: lo, hi: d.Hi})
		}
		if len(a.regions) > maxRegions {
			return false
		}
	}
	return true
}

// literals describe a region of the axis.
func (a *axis) literals(r region) []term.Literal {
	if r.except != nil {
		var all []term.Literal
		for _, v := range r.except {
			all = append(all, term.Literal{Dir: a.dir, Rel: term.EqRel, Neg: true, K: v})
		}
		return all
	}
	if r.lo == r.hi {
		return []term.Literal{{Dir: a.dir, Rel: term.EqRel, K: r.lo}}
	}
	var all []term.Literal
	if r.lo != math.MinInt64 {
		all = append(all, term.Literal{Dir: a.dir, Rel: term.LeRel, Neg: true, K: r.lo - 1})
	}
	if r.hi != math.MaxInt64 {
		all = append(all, term.Literal{Dir: a.dir, Rel: term.LeRel, K: r.hi})
	}
	return all
}

// holds tells the truth of a literal of the axis in a region; regions are fine enough for that.
func (r region) holds(l term.Literal) bool {
	if r.except != nil {
		return l.Neg == (l.Rel == term.EqRel) // the rest differs from every value asked for
	}
	if l.Rel == term.EqRel {
		return (r.lo == l.K && r.hi == l.K) != l.Neg
	}
	return (r.hi <= l.K) != l.Neg
}

func (r region) contains(v int64) bool {
	return v >= r.lo && v <= r.hi && !slices.Contains(r.except, v)
}

// build turns the leaves of an exploration into cells; nil if there are too many.
func build(t *term.Table, o *decide.Oracle, maxCells int, leaves []leaf, more []term.Literal) *cells {
	g := newGrid(t)
	for _, f := range leaves {
		for _, l := range f.cube {
			g.add(l)
		}
	}
	for _, l := range more {
		g.add(l)
	}
	if !g.finish() {
		return nil
	}
	b := &building{cells: &cells{t: t, o: o, axes: g.axes}, leaves: leaves, most: maxCells}
	b.parts = maxCells * (len(b.axes) + extraParts)
	var dirs, all []int
	for i := range b.axes {
		dirs = append(dirs, b.axes[i].dir)
	}
	b.prefix = decide.NewChain(o, t, dirs)
	for i := range leaves {
		all = append(all, i)
	}
	if !b.visit(all) {
		return nil
	}
	return b.cells
}

// A building looks for the cells: it adds a region of one axis after the other.
type building struct {
	*cells
	leaves []leaf
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
	if len(b.coord) == len(b.axes) {
		return b.add(leaves)
	}
	a := &b.axes[len(b.coord)]
	for i, r := range a.regions {
		rest := b.within(leaves, a, r)
		if len(rest) == 0 {
			continue
		}
		before := len(b.lits)
		b.lits = append(b.lits, a.literals(r)...)
		got := b.prefix.Push(b.lits[before:])
		if got == decide.Unknown && len(b.coord) > 0 {
			got = b.o.Check(b.t, b.lits)
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
func (b *building) within(leaves []int, a *axis, r region) (rest []int) {
	b.o.Spend(len(leaves) / 8)
	for _, k := range leaves {
		if !slices.ContainsFunc(b.leaves[k].cube, func(l term.Literal) bool { return l.Dir == a.dir && !r.holds(l) }) {
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
	case len(b.cells.coord) == b.most:
		return false
	}
	b.cells.coord = append(b.cells.coord, slices.Clone(b.coord))
	b.value = append(b.value, !slices.ContainsFunc(leaves, func(i int) bool { return !b.leaves[i].value }))
	return true
}

// unused tells whether a cell gives an element beyond the size of its list a value; unused elements are zero, which is
// nobody's mutex.
func (c *cells) unused(coord []uint8) bool {
	for i := range c.axes {
		d := &c.t.Dirs[c.axes[i].dir]
		s := &c.t.Syms[d.Terms[0].S]
		r := c.axes[i].regions[coord[i]]
		switch {
		case len(d.Terms) == 1:
			if r.contains(0) {
				continue
			}
		case len(d.Terms) == 2 && r.except == nil && r.lo == 0 && r.hi == 0: // compared with a process
			me := &c.t.Syms[d.Terms[1].S]
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
		for j := range c.axes {
			dj := &c.t.Dirs[c.axes[j].dir]
			if id, ok := c.t.Words[size]; ok && len(dj.Terms) == 1 && dj.Terms[0].S == id {
				if k := c.axes[j].regions[coord[j]]; k.except == nil && k.hi <= s.Idx[0].K {
					return true
				}
			}
		}
	}
	return false
}

// holds tells the truth of a literal in a cell.
func (c *cells) holds(cell int, l term.Literal) bool {
	for i := range c.axes {
		if c.axes[i].dir == l.Dir {
			return c.axes[i].regions[c.coord[cell][i]].holds(l)
		}
	}
	return false
}

// locate returns the cell with the given regions, -1 if it is empty.
func (c *cells) locate(coord []uint8) int {
	for i, other := range c.coord {
		if slices.Equal(other, coord) {
			return i
		}
	}
	return -1
}

// A leaf is the end of a run: the cube of its free decisions (those not implied by the earlier ones) and its value.
type leaf struct {
	cube  []term.Literal
	value bool
}

// inNormal tells whether a formula holds in a cell. A guard that the cells do not tell counts as false.
func (c *cells) inNormal(cell int, nf term.NormalForm) bool {
	for _, part := range nf.Terms {
		all, some := true, false
		for _, l := range part {
			h := c.holds(cell, l)
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

// single is the only value in a region, if there is just one.
func (r region) single() (v int64, ok bool) {
	i := r.interval()
	return i.Lo, i.Lo == i.Hi
}

// decides tells the truth of any literal about the direction in a region, if that determines it.
func (r region) decides(l term.Literal) (truth, known bool) {
	v := r.interval()
	return v.Decides(l)
}

// interval is the values of the region.
func (r region) interval() term.Interval {
	v := term.Interval{Lo: r.lo, Hi: r.hi}
	for _, k := range r.except {
		v.Add(term.Literal{Rel: term.EqRel, Neg: true, K: k})
	}
	return v
}

// within tells whether the values of a region lie in a range, if either all or none do.
func (r region) within(from, to int64) (truth, known bool) {
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

// truth is where a literal and its guards hold, and where they do and it does not.
func (c *cells) truth(l term.Literal, guards []term.Literal) (yes, no bitset, vague bool) {
	yes, no = newBitset(len(c.value)), newBitset(len(c.value))
	known := slices.ContainsFunc(c.axes, func(a axis) bool { return a.dir == l.Dir })
	for i := range c.value {
		switch {
		case !c.guarded(i, guards):
		case !known || c.holds(i, l): // a literal that the cells know nothing of is a guard that always holds
			yes.set(i)
		default:
			no.set(i)
		}
	}
	return yes, no, !known || slices.ContainsFunc(guards, func(g term.Literal) bool { return !c.settles(g) })
}

// settles tells whether each cell determines the truth of a literal.
func (c *cells) settles(l term.Literal) bool {
	for i := range c.axes {
		if c.axes[i].dir == l.Dir {
			return !slices.ContainsFunc(c.axes[i].regions, func(r region) bool {
				_, known := r.decides(l)
				return !known
			})
		}
	}
	return false
}

// guarded tells whether guards hold in a cell. Where a cell does not tell, they count as false if the cell knows
// anything about the direction, else as true: the steps evaluate the same places, so an undecided guard was found to be
// implied.
func (c *cells) guarded(cell int, guards []term.Literal) bool {
	for _, l := range guards {
		for i := range c.axes {
			if c.axes[i].dir != l.Dir {
				continue
			}
			r := c.axes[i].regions[c.coord[cell][i]]
			v := term.Interval{Lo: r.lo, Hi: r.hi}
			for _, k := range r.except {
				v.Add(term.Literal{Rel: term.EqRel, Neg: true, K: k})
			}
			if truth, known := v.Decides(l); !known || !truth {
				return false
			}
		}
	}
	return true
}

// everywhere is the set of all cells.
func (c *cells) everywhere() bitset {
	all := newBitset(len(c.value))
	for i := range c.value {
		all.set(i)
	}
	return all
}
