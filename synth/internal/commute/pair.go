package commute

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

// An Entry is a pair on its way to its constraints.
type Entry struct {
	Pair
	Found
	work
}

// A Pair is two steps of which constraints are looked for.
type Pair struct {
	A, B        *step.Step
	Independent bool
	Asked       bool // worked on
}

// What is found of a pair goes into the constraint set and the report.
type Found struct {
	Status   constraints.Status
	Why      string
	Commute  *step.Expr
	Uniform  *step.Expr
	Open     bool     // the budget was not enough
	Narrowed bool     // nor for the uniform part
	Refused  bool     // some questions were not asked because of Options.Short
	Cached   bool     // comes from the cache
	Because  []string // third steps that have taken something from uniform, by name
	Cost     decide.Cost
}

// The work on a pair is what its condition was found with, and what of its cells is left while the family is made
// uniform.
type work struct {
	Bare       bool // its cells are missing until they are needed, see materialise
	Table      *term.Table
	Names      *term.Names
	implied    []term.Literal       // what ranges made the answer of, see decided
	bound      bool                 // some leaves are, see partition.Leaf
	nf         term.NormalForm      // commute
	words      *wording.Wording     // of the cells
	Cells      *partition.Cells     // nil: commute is all or nothing for uniform
	Kept       []bool               // the cells of uniform
	First      []bool               // those it begins with
	Before     []string             // third steps that had taken something from these
	PlainCells bool                 // the condition it begins with holds in them and nowhere else, whatever fails
	Begin      *step.Expr           // the condition it begins with
	Weight     []int                // how often the first states of the program lie in each cell
	Reads      map[*step.Var]bool   // see support
	AxisReads  []map[*step.Var]bool // of each axis
	Version    int                  // changes with u
}

// UnknownEntry is an entry of which nothing is known.
func UnknownEntry(a, b *step.Step) *Entry {
	return &Entry{Pair: Pair{A: a, B: b},
		Found: Found{Status: constraints.Unknown, Commute: constraints.Truth(false), Uniform: constraints.Truth(false)}}
}

// Words is what the cells of a pair can be spoken of with.
func (n *Entry) Words() *wording.Wording { return n.words }

// Works reports whether there may be something in the constraints of a pair that takes proofs.
func (n *Entry) Works() bool { return n.Asked && !n.Open }

// Result is the entry for a constraint set. Where uniform is less than commute it says because of which third steps.
func (n *Entry) Result() *constraints.Pair {
	p := &constraints.Pair{A: n.A, B: n.B, Commute: expr.Unfailing(n.Commute), Uniform: expr.Unfailing(n.Uniform),
		Status: n.Status, Open: n.Open && n.Status == constraints.Unknown}
	if p.Text(p.Uniform) != p.Text(p.Commute) {
		p.Because = n.Because
	}
	return p
}

// beginUniform finds the cells in which the condition that was found holds; of a step with itself those that have a
// mirror image among them.
func (n *Entry) beginUniform(r wording.Result) {
	if n.Cells == nil {
		return
	}
	n.Kept = make([]bool, len(n.Cells.Value))
	for i := range n.Kept {
		n.Kept[i] = n.Cells.Value[i] && !n.Cells.Bound[i] &&
			(r.Opaque && r.Cells.Has(i) || !r.Opaque && n.Cells.InNormal(i, n.nf))
	}
	if n.A == n.B {
		was := slices.Clone(n.Kept)
		for i := range n.Kept {
			m := n.Mirrored(i)
			n.Kept[i] = was[i] && m >= 0 && was[m]
		}
	}
}

// build turns leaves into cells; for a step with itself the cells have mirror images.
func (n *Entry) build(o *decide.Oracle, maxCells int, leaves []partition.Leaf) *partition.Cells {
	more := slices.Clone(n.implied)
	if n.A == n.B {
		for _, l := range n.implied {
			more = append(more, n.Table.Mirror(l))
		}
		for _, f := range leaves {
			for _, l := range f.Cube {
				more = append(more, n.Table.Mirror(l))
			}
		}
	}
	return partition.Build(n.Table, o, maxCells, leaves, more)
}

// cellsOf are cells in each of which a formula is true or false; nil if there are too many.
func (n *Entry) cellsOf(o *decide.Oracle, maxCells int, nf term.NormalForm) *partition.Cells {
	n.implied = nil
	leaves := []partition.Leaf{{}}
	for _, cube := range nf.Terms {
		leaves = append(leaves, partition.Leaf{Cube: cube})
	}
	c := n.build(o, maxCells, leaves)
	if c != nil {
		for i := range c.Value {
			c.Value[i], c.Bound[i] = c.InNormal(i, nf), n.bound
		}
	}
	return c
}

// Mirrored is the cell with the two processes exchanged, -1 if there is none.
func (n *Entry) Mirrored(cell int) int {
	c := n.Cells
	var image []term.Literal
	for i := range c.Axes {
		a := &c.Axes[i]
		for _, l := range a.Literals(a.Regions[c.Coord[cell][i]]) {
			image = append(image, n.Table.Mirror(l))
		}
	}
	c.Oracle.Quietly(len(image) * (1 + len(c.Coord)/32)) // a family is made uniform to its end
	for other := range c.Coord {
		if !slices.ContainsFunc(image, func(l term.Literal) bool { return !c.Holds(other, l) }) {
			return other
		}
	}
	return -1
}

// Support are the shared variables that the cells of a pair depend on.
func (n *Entry) Support() map[*step.Var]bool {
	if n.Reads != nil {
		return n.Reads
	}
	n.Reads = expr.Shared(n.Begin, nil)
	for _, reads := range n.AxisReads {
		maps.Copy(n.Reads, reads)
	}
	return n.Reads
}

// axesRead are the shared variables that each axis of a pair depends on.
func (n *Entry) axesRead() []map[*step.Var]bool {
	if n.Cells == nil {
		return nil
	}
	list := make([]map[*step.Var]bool, len(n.Cells.Axes))
	for i := range n.Cells.Axes {
		reads := map[*step.Var]bool{}
		var visit func(terms []term.Term)
		visit = func(terms []term.Term) {
			for _, x := range terms {
				s := &n.Table.Syms[x.S]
				if s.Kind == term.WordSym && s.Mem.Slot == term.Shared {
					reads[s.Mem.V] = true
				}
				for _, f := range s.Idx {
					visit(f.Terms)
				}
			}
		}
		visit(n.Table.Dirs[n.Cells.Axes[i].Dir].Terms)
		list[i] = reads
	}
	return list
}

// Drop takes a cell, with its mirror image, from uniform.
func (n *Entry) Drop(cell int) {
	n.Version++
	if cell == Wholly {
		clear(n.Kept)
		return
	}
	n.Kept[cell] = false
	if n.A == n.B && n.Cells != nil {
		if m := n.Mirrored(cell); m >= 0 {
			n.Kept[m] = false
		}
	}
}

// Wholly is every cell of a pair.
const Wholly = -1

// Left reports whether a pair is independent anywhere in the present family.
func (n *Entry) Left() bool {
	return n.Bare && !constraints.IsFalse(n.Begin) || slices.Contains(n.Kept, true)
}

// Full reports whether nothing has been taken from a pair.
func (n *Entry) Full() bool { return n.Bare || slices.Equal(n.Kept, n.First) }

// Several reports whether a pair has several cells.
func (n *Entry) Several() bool { return n.Bare || len(n.First) > 1 }
