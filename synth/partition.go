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
	vague bool // some cell may be empty, or some leaf was
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
	c := &cells{t: t, axes: g.axes}
	for _, f := range leaves {
		c.vague = c.vague || f.vague
	}
	var coord []uint8
	var lits []term.Literal
	c.o = o
	parts := maxCells * (len(c.axes) + extraParts) // that may be looked at on the way to cells
	var dirs []int
	for i := range c.axes {
		dirs = append(dirs, c.axes[i].dir)
	}
	prefix := decide.NewChain(o, t, dirs)
	var visit func(set []int) bool
	visit = func(set []int) bool {
		if parts--; parts < 0 {
			return false
		}
		if len(coord) == len(c.axes) {
			if c.unused(coord) {
				return true
			}
			if len(c.coord) == maxCells {
				return false
			}
			c.coord = append(c.coord, append([]uint8(nil), coord...))
			value := true
			for _, i := range set {
				value = value && leaves[i].value
			}
			c.value = append(c.value, value)
			return true
		}
		a := &c.axes[len(coord)]
		for i, r := range a.regions {
			var rest []int
			o.Spend(len(set) / 8)
		next:
			for _, k := range set {
				for _, l := range leaves[k].cube {
					if l.Dir == a.dir && !r.holds(l) {
						continue next
					}
				}
				rest = append(rest, k)
			}
			if len(rest) == 0 {
				continue
			}
			before := len(lits)
			lits = append(lits, a.literals(r)...)
			got := prefix.Push(lits[before:])
			switch {
			case len(coord) == 0:
				got = decide.Sat
			case got == decide.Unknown:
				got = o.Check(t, lits)
			}
			if got != decide.Unsat {
				c.vague = c.vague || got == decide.Unknown
				coord = append(coord, uint8(i))
				if !visit(rest) {
					return false
				}
				coord = coord[:len(coord)-1]
			}
			lits = lits[:before]
			prefix.Pop()
		}
		return true
	}
	all := make([]int, len(leaves))
	for i := range all {
		all[i] = i
	}
	if !visit(all) {
		return nil
	}
	return c
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
	vague bool
}
