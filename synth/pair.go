package synth

import (
	"maps"
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/wording"
)

// An entry is a pair on its way to its constraints.
type entry struct {
	pair
	found
	work
}

// A pair is two steps of which constraints are looked for.
type pair struct {
	a, b        *step.Step
	independent bool
	asked       bool // worked on
}

// What is found of a pair goes into the constraint set and the report.
type found struct {
	status   constraints.Status
	why      string
	commute  *step.Expr
	uniform  *step.Expr
	open     bool // the budget was not enough
	narrowed bool // nor for the uniform part
	refused  bool // some questions were not asked because of Options.Short
	cached   bool // comes from the cache
	cost     decide.Cost
}

// The work on a pair is what its condition was found with, and what of its cells is left while the family is made
// uniform.
type work struct {
	bare       bool // its cells are missing until they are needed, see materialise
	t          *term.Table
	names      *term.Names
	implied    []term.Literal       // what ranges made the answer of, see decided
	nf         term.NormalForm      // commute
	words      *wording.Wording     // of the cells
	c          *partition.Cells     // nil: commute is all or nothing for uniform
	u          []bool               // the cells of uniform
	first      []bool               // those it begins with
	plainCells bool                 // the condition it begins with holds in them and nowhere else, whatever fails
	begin      *step.Expr           // the condition it begins with
	weight     []int                // how often the first states of the program lie in each cell
	reads      map[*step.Var]bool   // see support
	axisReads  []map[*step.Var]bool // of each axis
	version    int                  // changes with u
}

// unknownEntry is an entry of which nothing is known.
func unknownEntry(a, b *step.Step) *entry {
	return &entry{pair: pair{a: a, b: b},
		found: found{status: constraints.Unknown, commute: constraints.Truth(false), uniform: constraints.Truth(false)}}
}

// works tells whether there may be something in the constraints of a pair that takes proofs.
func (n *entry) works() bool { return n.asked && !n.open }

// result is the entry for a constraint set.
func (n *entry) result() *constraints.Pair {
	return &constraints.Pair{A: n.a, B: n.b, Commute: n.commute, Uniform: n.uniform, Status: n.status, Open: n.open &&
		n.status == constraints.Unknown}
}

// beginUniform finds the cells in which the condition that was found holds; of a step with itself those that have a
// mirror image among them.
func (n *entry) beginUniform(r wording.Result) {
	if n.c == nil {
		return
	}
	n.u = make([]bool, len(n.c.Value))
	for i := range n.u {
		n.u[i] = n.c.Value[i] && (r.Opaque && r.Cells.Has(i) || !r.Opaque && n.c.InNormal(i, n.nf))
	}
	if n.a == n.b {
		was := slices.Clone(n.u)
		for i := range n.u {
			m := n.mirrored(i)
			n.u[i] = was[i] && m >= 0 && was[m]
		}
	}
}

// build turns leaves into cells; for a step with itself the cells have mirror images.
func (n *entry) build(o *decide.Oracle, maxCells int, leaves []partition.Leaf) *partition.Cells {
	more := slices.Clone(n.implied)
	if n.a == n.b {
		for _, l := range n.implied {
			more = append(more, n.t.Mirror(l))
		}
		for _, f := range leaves {
			for _, l := range f.Cube {
				more = append(more, n.t.Mirror(l))
			}
		}
	}
	return partition.Build(n.t, o, maxCells, leaves, more)
}

// mirrored is the cell with the two processes exchanged, -1 if there is none.
func (n *entry) mirrored(cell int) int {
	c := n.c
	var image []term.Literal
	for i := range c.Axes {
		a := &c.Axes[i]
		for _, l := range a.Literals(a.Regions[c.Coord[cell][i]]) {
			image = append(image, n.t.Mirror(l))
		}
	}
	c.Oracle.Spend(len(image) * (1 + len(c.Coord)/32))
	for other := range c.Coord {
		if !slices.ContainsFunc(image, func(l term.Literal) bool { return !c.Holds(other, l) }) {
			return other
		}
	}
	return -1
}

// support are the shared variables that the cells of a pair depend on.
func (n *entry) support() map[*step.Var]bool {
	if n.reads != nil {
		return n.reads
	}
	n.reads = expr.Shared(n.begin, nil)
	for _, reads := range n.axisReads {
		maps.Copy(n.reads, reads)
	}
	return n.reads
}

// axesRead are the shared variables that each axis of a pair depends on.
func (n *entry) axesRead() []map[*step.Var]bool {
	if n.c == nil {
		return nil
	}
	list := make([]map[*step.Var]bool, len(n.c.Axes))
	for i := range n.c.Axes {
		reads := map[*step.Var]bool{}
		var visit func(terms []term.Term)
		visit = func(terms []term.Term) {
			for _, x := range terms {
				s := &n.t.Syms[x.S]
				if s.Kind == term.WordSym && s.Mem.Slot == term.Shared {
					reads[s.Mem.V] = true
				}
				for _, f := range s.Idx {
					visit(f.Terms)
				}
			}
		}
		visit(n.t.Dirs[n.c.Axes[i].Dir].Terms)
		list[i] = reads
	}
	return list
}

// drop takes a cell, with its mirror image, from uniform.
func (n *entry) drop(cell int) {
	n.version++
	if cell == wholly {
		clear(n.u)
		return
	}
	n.u[cell] = false
	if n.a == n.b && n.c != nil {
		if m := n.mirrored(cell); m >= 0 {
			n.u[m] = false
		}
	}
}

// wholly is every cell of a pair.
const wholly = -1

// left tells whether a pair is independent anywhere in the present family.
func (n *entry) left() bool {
	return n.bare && !constraints.IsFalse(n.begin) || slices.Contains(n.u, true)
}

// full tells whether nothing has been taken from a pair.
func (n *entry) full() bool { return n.bare || slices.Equal(n.u, n.first) }

// several tells whether a pair has several cells.
func (n *entry) several() bool { return n.bare || len(n.first) > 1 }
