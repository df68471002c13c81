package uniform

import (
	"slices"

	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/question"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// Triples. Uniformity of a pair a, b under a third step q depends on four things: the cell of a, b before q, whether a
// and b are independent of q, which their cells with q tell, and the cell of a, b after q. Each triple is explored
// once, under the family that the fixpoint begins with. What comes out is a table of the combinations that some state
// shows. As the family only shrinks, the fixpoint finds every violation in these tables and asks nothing more. Most
// triples do not even need a table, see calm. The table has two parts, as most triples only need the first.

// A place of a row is a cell of a pair, or one of these.
const (
	outside  = -1 // the relation does not hold here, and never will
	always   = -2 // the relation holds here whatever becomes of the pair
	wherever = -3 // the relation holds as long as the pair has some cell left
)

// A row is a combination of places that some state shows. Rows in which no family violates uniformity are left out.
type row struct {
	before, after int // cells of the pair that is judged
	viaA, viaB    int // cells of its steps with the third one
}

// A triple holds what the third step q does to a pair.
type triple struct {
	N, aq, bq *commute.Entry
	Q         *step.Step
	sections  [endOfSections]section
	excerpt   *excerpt               // in place of the sections, if they are too large; nil: they are not
	looked    bool                   // calm is known
	calm      bool                   // see there
	Seen      map[row]*symbolic.Path // an explanation is wanted: where each row comes from
	dooms     bool                   // the table is made for the family that the fixpoint begins with
	doomed    []bool                 // see doom
	// Facts that the exploration has used, see facts.
	used  facts.Uses
	still stillness // see there
	twin  *triple   // see there
	// What a helper has found, and what it took.
	ahead    *triple
	calmTook *question.Ahead
}

// A sectionKind is a part of the table of a triple.
type sectionKind uint8

const (
	crossing sectionKind = iota // the pair is independent to begin with before the third step or after it, but not both
	inside                      // both: nothing is violated as long as nothing has been taken from the pair
	endOfSections
	anywhere = endOfSections // in an excerpt
)

// A section holds some rows of a triple.
type section struct {
	rows   []row
	filled bool // rows are known
	// inside: rows are known that have one of these cells of the pair before or after; nil: none
	around partition.Bitset
	rounds int             // inside: how often cells have been added to them
	whole  bool            // the exploration failed: all of the pair must go while one of the premises may hold
	took   *question.Ahead // what a helper needed for it
}

// An excerpt has those rows of a large table that violate uniformity: for the cells of the pair that are left now, and
// for those that were left when it was asked for before.
type excerpt struct {
	rows  []row
	asked bool // nothing is missing for these cells:
	left  []bool
	whole bool // see section
}

// needed are the parts of the table that matter for the present family.
func (t *triple) needed() []section {
	if t.excerpt != nil {
		return nil
	}
	if t.N.Full() {
		return t.sections[:inside]
	}
	return t.sections[:]
}

// rows are those that are known and matter for the present family.
func (t *triple) rows() []row {
	if t.excerpt != nil {
		return t.excerpt.rows
	}
	var list []row
	for i := range t.needed() {
		list = append(list, t.sections[i].rows...)
	}
	return list
}

// whole reports whether the exploration of a part that is needed has failed.
func (t *triple) whole() bool {
	if t.excerpt != nil {
		return t.excerpt.whole
	}
	return slices.ContainsFunc(t.needed(), func(p section) bool { return p.whole })
}

// ready reports whether the parts that are needed are filled.
func (t *triple) ready() bool {
	if t.excerpt != nil {
		return t.excerpt.asked && slices.Equal(t.excerpt.left, t.N.Kept)
	}
	for kind := range t.needed() {
		if t.missing(&t.sections[kind], sectionKind(kind)) != nil {
			return false
		}
	}
	return true
}

// missing are the cells that rows of a part are missing for; nil: none. For the crossing ones it is all of them or
// none. Inside, a row violates nothing before one of its two cells is taken from the pair: those cells are the ones to
// look around. When they are many, or more of them are missing for the second time, all cells are looked at.
func (t *triple) missing(p *section, kind sectionKind) partition.Bitset {
	all := func() partition.Bitset {
		cells := partition.NewBitset(len(t.N.First))
		for c := range t.N.First {
			cells.Set(c)
		}
		return cells
	}
	if kind == crossing {
		if p.filled {
			return nil
		}
		return append(all(), 0) // never nil
	}
	cells, first, taken, some := partition.NewBitset(len(t.N.First)), 0, 0, false
	for c, begin := range t.N.First {
		if begin {
			first++
		}
		if begin && !t.N.Kept[c] {
			taken++
			if p.around == nil || !p.around.Has(c) {
				cells.Set(c)
				some = true
			}
		}
	}
	switch {
	case !some:
		return nil
	case taken > first/8 || p.rounds == 1:
		return all()
	}
	return cells
}

// triple is a pair with a third step.
func (e *Family) triple(n *commute.Entry, q *step.Step) *triple {
	key := tripleKey{n, q}
	t := e.triples[key]
	if t == nil {
		t = &triple{N: n, Q: q, aq: e.Find(n.A, q), bq: e.Find(n.B, q), used: facts.NewUses()}
		e.triples[key] = t
	}
	return t
}

// plain tells that nothing has to be worked on for the cells of a triple.
func (t *triple) plain() bool { return !t.N.Bare && !t.aq.Bare && !t.bq.Bare }

// calm reports whether nothing violates uniformity as long as nothing has been taken from the pair: what is taken from
// its steps with the third one only removes premises. This takes no cells, and is true of most triples.
func (e *Family) calm(t *triple) bool {
	if t.looked {
		return t.calm
	}
	t.looked = true
	n := t.N
	if s := e.twin(t); s != t && s.looked && s.calm {
		t.calm = true
		t.uses(s)
		return true
	}
	e.Facts.Using(t.used, func() {
		if t.ahead != nil && t.ahead.looked && e.Accept(t.ahead.calmTook) {
			e.Facts.Used.Add(t.ahead.used)
			t.calm = t.ahead.calm
			return
		}
		t.calm = e.Explore("the third step changes nothing, of", func(r *symbolic.Run) {
			if (&Trial{r, e}).disturbed(t) {
				panic(unsupported.Reason("uniformity is violated"))
			}
		}, n.A, n.B, t.Q) == ""
	})
	return t.calm
}

// calmNow reports whether it is known that nothing violates uniformity for the cells of the pair that are left.
func (t *triple) calmNow() bool {
	return t.N.Full() && t.looked && t.calm || t.still.of(t.N) && t.still.holds
}

// disturbed reports whether uniformity is violated in the current store, for the family to begin with.
func (x *Trial) disturbed(t *triple) bool {
	before, now := x.Store, false
	read := x.Seeing(func() { now = x.Holds(t.N.Begin, 0, 1) })
	if !x.reaches(2, t.Q, read) || !x.Enabled(2, t.Q) {
		return false
	}
	after := before.Clone()
	x.Store = after
	x.Exec(2, t.Q)
	then := x.Holds(t.N.Begin, 0, 1)
	x.Store = before
	if now == then {
		return false
	}
	violated := x.premise(t.aq, t.N.A, 0, t.Q).holds
	if violated == now {
		violated = x.premise(t.bq, t.N.B, 1, t.Q).holds
	}
	if violated {
		x.AssumeRanges(after)
	}
	return violated
}

// twin is a triple of which all the same is known, that came first; itself if there is none. Programs of many threads
// have many steps that are the same but for their names. That the steps are the same is not enough: what a pair begins
// with also depends on whether it was asked for, and on what was left of the budget.
func (e *Family) twin(t *triple) *triple {
	if e.twins == nil { // each triple by itself
		return t
	}
	if t.twin == nil {
		key := twinKey{e.likeness(t.N), e.likeness(t.aq), e.likeness(t.bq), t.aq.A == t.N.A, t.bq.A == t.N.B}
		if t.twin = e.twins[key]; t.twin == nil {
			e.twins[key], t.twin = t, t
		}
	}
	return t.twin
}

// alikeTwin is the twin of a triple if that is another one, with the same cells; nil if not.
func (t *triple) alikeTwin(e *Family) *triple {
	s := e.twin(t)
	if s == t || !t.plain() || !s.plain() || !alikeCells(t.N, s.N) || !alikeCells(t.aq, s.aq) ||
		!alikeCells(t.bq, s.bq) {
		return nil
	}
	return s
}

// uses notes the facts that the twin of a triple has used, in terms of its own steps.
func (t *triple) uses(twin *triple) {
	own := map[*step.Step]*step.Step{twin.N.A: t.N.A, twin.N.B: t.N.B, twin.Q: t.Q}
	for _, list := range [][2]map[facts.Key]bool{{t.used.Local, twin.used.Local}, {t.used.Wide, twin.used.Wide}} {
		for key := range list[1] {
			if at := own[key.At]; at != nil && (key.V == nil || key.V.Shared) {
				key.At = at
			} else if at != nil {
				if i := slices.IndexFunc(at.Template.Locals, func(v *step.Var) bool {
					return v.Name == key.V.Name && v.Offset == key.V.Offset
				}); i >= 0 {
					key = facts.Key{At: at, V: at.Template.Locals[i], Off: key.Off}
				}
			}
			list[0][key] = true
		}
	}
}

type twinKey struct {
	n, aq, bq     likeness
	first, second bool // the step of the pair comes first in its pair with the third one
}

// A likeness is what pairs have in common of which all the same is known: their steps and the condition to begin with.
type likeness struct{ key, begin string }

func (e *Family) likeness(n *commute.Entry) likeness {
	l, known := e.alikes[n]
	if !known {
		l = likeness{e.Key(n.A, n.B), lang.FormatExpr(n.Begin, n.A.Template, n.B.Template)}
		e.alikes[n] = l
	}
	return l
}

// alikeCells reports whether the cells of two pairs of which all the same is known are the same.
func alikeCells(n, m *commute.Entry) bool {
	if n == m {
		return true
	}
	return n.Bare == m.Bare && slices.Equal(n.First, m.First) && (n.Cells == nil) == (m.Cells == nil) &&
		(n.Cells == nil || slices.EqualFunc(n.Cells.Axes, m.Cells.Axes, func(a, b partition.Axis) bool {
			return a.Equations == b.Equations && a.Dir == b.Dir && slices.Equal(a.Values, b.Values) &&
				slices.Equal(a.Cuts, b.Cuts)
		}))
}

// fill makes what is needed of the table of a triple.
func (e *Family) fill(t *triple) {
	for kind := range t.needed() {
		if cells := t.missing(&t.sections[kind], sectionKind(kind)); cells != nil && t.excerpt == nil {
			e.fillSection(t, sectionKind(kind), cells)
		}
	}
	if t.excerpt != nil && !t.ready() {
		e.fillExcerpt(t)
	}
}

// fillSection adds to a part of a table what is missing around some cells.
func (e *Family) fillSection(t *triple, kind sectionKind, cells partition.Bitset) {
	p := &t.sections[kind]
	if s := t.alikeTwin(e); s != nil && s.excerpt != nil {
		t.beginExcerpt()
		return
	} else if s != nil && s.has(t, kind) && !s.sections[kind].whole {
		t.take(s, kind)
		t.uses(s)
		return
	}
	e.Facts.Using(t.used, func() {
		if t.ahead != nil && t.ahead.has(t, kind) && e.Accept(t.ahead.sections[kind].took) {
			e.Facts.Used.Add(t.ahead.used)
			t.take(t.ahead, kind)
			return
		}
		before := p.rows
		p.filled = true
		why := e.tabulate(t, kind, cells, false)
		if why == symbolic.TooMany {
			if p.filled = false; !e.helps {
				t.beginExcerpt()
			}
			return
		}
		if why != "" && !e.Oracle.Spent && e.Ctx.Err() == nil && (t.aq.Several() || t.bq.Several()) {
			p.rows = before
			why = e.tabulate(t, kind, cells, true)
		}
		if kind == inside {
			p.extend(cells)
		}
		if p.whole = p.whole || why != ""; why != "" && e.Oracle.Spent {
			t.N.Narrowed = true
		}
	})
}

// extend adds cells to those that rows are known around.
func (p *section) extend(cells partition.Bitset) {
	p.around = append(partition.Bitset(nil), p.around...) // others may have the old ones
	if p.rounds++; p.around == nil {
		p.around = make(partition.Bitset, len(cells))
	}
	p.around.Add(cells)
}

// has reports whether a triple has all that another one like it needs of a part of its table.
func (s *triple) has(t *triple, kind sectionKind) bool {
	p := &s.sections[kind]
	if !p.filled {
		return false
	}
	for c, begin := range t.N.First {
		had := t.sections[kind].around != nil && t.sections[kind].around.Has(c)
		if kind == inside && (begin && !t.N.Kept[c] || had) && !p.around.Has(c) {
			return false
		}
	}
	return true
}

// take takes over a part of the table of another triple.
func (t *triple) take(s *triple, kind sectionKind) {
	to, from := &t.sections[kind], &s.sections[kind]
	to.rows, to.filled, to.around, to.rounds, to.whole = from.rows[:len(from.rows):len(from.rows)], true, from.around,
		from.rounds, from.whole
	if kind == crossing {
		t.dooms, t.doomed = s.dooms, s.doomed
	}
}

type tripleKey struct {
	n *commute.Entry
	q *step.Step
}

// tabulate explores a triple for a part of its table: inside, around some cells. A coarse part does not tell the cells
// of the premises apart. Nor does one go on about cells of the pair that are doomed.
func (e *Family) tabulate(t *triple, kind sectionKind, cells partition.Bitset, coarse bool) string {
	by := func(at focus) string {
		found := t.adding(&t.sections[kind].rows, e.Note != nil)
		return e.ExploreWithin(MaxTable, "what the third step does, of", func(r *symbolic.Run) {
			(&Trial{r, e}).row(t, kind, at, coarse, func(line row) {
				if found(r, line) {
					r.Enough = kind == crossing && t.doom(line)
				}
			})
		}, t.N.A, t.N.B, t.Q)
	}
	if kind == crossing {
		t.doomed, t.dooms = nil, t.N.Full() && t.aq.Full() && t.bq.Full()
		return by(focus{})
	}
	if cells.Count() == len(t.N.First) {
		return by(focus{})
	}
	if why := by(focus{cells: cells, after: true}); why != "" {
		return why
	}
	return by(focus{cells: cells})
}

// A focus are cells of a pair of which one must be there before or after the third step; with none every cell will do.
type focus struct {
	cells partition.Bitset
	after bool
}

// maxExcerpt bounds the leaves of what is looked at in place of a table that is too large.
const maxExcerpt = 2000

// MaxTable bounds the leaves of a triple's table. Only tests change it.
var MaxTable = 400

// adding adds to the rows of a triple those that are new, and keeps where they come from if that is to be explained.
func (t *triple) adding(rows *[]row, explained bool) (add func(r *symbolic.Run, line row) bool) {
	known := map[row]bool{}
	for _, line := range *rows {
		known[line] = true
	}
	return func(r *symbolic.Run, line row) bool {
		if known[line] {
			return false
		}
		known[line] = true
		*rows = append(*rows, line)
		if explained {
			if t.Seen == nil {
				t.Seen = map[row]*symbolic.Path{}
			}
			t.Seen[line] = &symbolic.Path{Table: r.Table, Oracle: r.Oracle, Lits: slices.Clone(r.Lits)}
		}
		return true
	}
}

// beginExcerpt takes over the rows that have been found, as nothing more is asked of the cells that they doom.
func (t *triple) beginExcerpt() {
	x := &excerpt{}
	for _, p := range t.sections {
		x.rows = append(x.rows, p.rows...)
	}
	t.excerpt = x
}

// fillExcerpt adds the rows that violate uniformity for the cells of the pair that are left. It does not tell the cells
// of the premises apart: to tell them takes some dense programs four times as long.
func (e *Family) fillExcerpt(t *triple) {
	p := t.excerpt
	e.Materialise(t.N)
	if s := t.alikeTwin(e); s != nil && s.excerpt != nil && s.excerpt.asked &&
		slices.Equal(s.excerpt.left, t.N.Kept) {
		add := t.adding(&p.rows, false)
		for _, line := range s.excerpt.rows {
			add(nil, line)
		}
		p.asked, p.left, p.whole = true, s.excerpt.left, p.whole || s.excerpt.whole
		t.uses(s)
		return
	}
	e.Facts.Using(t.used, func() {
		add := t.adding(&p.rows, e.Note != nil)
		why := e.ExploreWithin(maxExcerpt, "what the third step does to the cells left, of", func(r *symbolic.Run) {
			x := &Trial{r, e}
			if t.N.Cells == nil || x.stirred(t) {
				x.row(t, anywhere, focus{}, true, func(line row) { add(r, line) })
			}
		}, t.N.A, t.N.B, t.Q)
		p.asked, p.left = true, slices.Clone(t.N.Kept)
		if p.whole = p.whole || why != ""; why != "" && e.Oracle.Spent {
			t.N.Narrowed = true
		}
	})
}

// row runs q (slot 2) next to a (slot 0) and b (slot 1), and calls found for every combination of places that can be
// where some family violates uniformity, for a part of the table. The places are looked for one after the other: what
// came before is not run again.
func (x *Trial) row(t *triple, kind sectionKind, at focus, coarse bool, found func(row)) {
	before := x.Store
	if !x.Enabled(2, t.Q) {
		return
	}
	now := x.Holds(t.N.Begin, 0, 1)
	if !now && kind == inside || at.cells != nil && !at.after && !x.among(t.N, at.cells) {
		return
	}
	x.Store = before
	after := before.Clone()
	x.Store = after
	x.Exec(2, t.Q)
	then := x.Holds(t.N.Begin, 0, 1)
	x.Store = before
	if !now && !then || kind != anywhere && now == then != (kind == inside) ||
		now && then && x.unmoved(t.N, before, after) {
		return
	}
	if at.after {
		x.AssumeRanges(after) // in other states there are no cells
		if x.Store = after; !x.among(t.N, at.cells) {
			x.Store = before
			return
		}
	}
	x.Store = before
	viaA := x.premise(t.aq, t.N.A, 0, t.Q)
	if !viaA.holds && now && !then {
		return
	}
	viaB := x.premise(t.bq, t.N.B, 1, t.Q)
	if !viaB.holds && (now && !then || !viaA.holds) {
		return
	}
	place := func(in *symbolic.Store, holds bool, n *commute.Entry) int {
		if x.Store = in; !holds {
			return outside
		}
		return x.cell(n, 0, 1)
	}
	line := row{}
	x.Branches(func() {
		line.before = place(before, now, t.N)
		x.Branches(func() {
			x.AssumeRanges(after) // in other states there are no cells
			line.after = place(after, then, t.N)
			if line.before == line.after || t.lost(line.before) && t.lost(line.after) {
				return
			}
			x.Store = before
			x.Branches(func() {
				line.viaA = viaA.place(x, coarse)
				x.Branches(func() {
					line.viaB = viaB.place(x, coarse)
					found(line)
				})
			})
		})
	})
	x.Store = before
}

// doom notes the cell that the fixpoint takes from the pair in its first round because of a row, and reports whether
// that is all of them. Nothing is needed of these cells but that: the repairs that the first round must make do not
// depend on each other, and come before all choices.
func (t *triple) doom(line row) (all bool) {
	n := t.N
	if !t.dooms {
		return false
	}
	cell := outside
	switch before, after := alive(n, line.before), alive(n, line.after); {
	case before && !after && alive(t.aq, line.viaA) && alive(t.bq, line.viaB):
		cell = line.before
	case after && !before && t.there(line) == nil:
		cell = line.after
	}
	if cell == outside {
		return false
	}
	if t.doomed == nil {
		t.doomed = make([]bool, len(n.First))
	}
	t.doomed[cell] = true
	if n.A == n.B && n.Cells != nil {
		if m := n.Mirrored(cell); m >= 0 {
			t.doomed[m] = true
		}
	}
	for c, first := range n.First {
		if first && !t.doomed[c] {
			return false
		}
	}
	return true
}

// lost reports whether a place is outside of the pair's relation, or will be after the first round.
func (t *triple) lost(place int) bool {
	return place == outside || place >= 0 && t.doomed != nil && t.doomed[place]
}

// A Trial is one run of a question about a pair and a third step.
type Trial struct {
	*symbolic.Run
	E *Family
}

// A premise is whether a step in a slot is independent of q in slot 2, and why.
type premise struct {
	n      *commute.Entry
	p, q   int // slots of the steps of n
	holds  bool
	always bool // whatever the family says
}

func (x *Trial) premise(n *commute.Entry, s *step.Step, slot int, q *step.Step) premise {
	p := premise{n: n, p: slot, q: 2}
	if n.A != s {
		p.p, p.q = 2, slot
	}
	p.always = n.Independent || x.disjoint(s, slot, q, 2)
	p.holds = p.always || x.Holds(n.Begin, p.p, p.q)
	return p
}

// place is the cell that a premise holds in.
func (p premise) place(x *Trial, coarse bool) int {
	switch {
	case p.always:
		return always
	case !p.holds:
		return outside
	case coarse:
		return wherever
	}
	return x.cell(p.n, p.p, p.q)
}

// cell is the cell of a pair in which the current store lies, where the pair is independent to begin with.
func (x *Trial) cell(n *commute.Entry, p, q int) int {
	x.E.Materialise(n)
	if n.Cells == nil {
		return 0
	}
	cell, ok := x.locate(n, p, q)
	if !ok {
		panic(unsupported.Reason("a cell cannot be evaluated"))
	}
	if cell < 0 {
		panic(unsupported.Reason("a state is in no cell"))
	}
	if !n.First[cell] { // the condition is weaker than its cells
		panic(unsupported.Reason("a condition is not a union of cells"))
	}
	return cell
}

// unmoved reports whether a pair is in the same cell in two stores because no form of its axes has changed.
func (x *Trial) unmoved(n *commute.Entry, before, after *symbolic.Store) bool {
	x.E.Materialise(n)
	if n.Cells == nil {
		return true
	}
	for i := range n.Cells.Axes {
		f := term.Form{Terms: n.Table.Dirs[n.Cells.Axes[i].Dir].Terms}
		x.Store = before
		u := x.Reduce(x.Transfer(n.Table, f, [2]int{0, 1}))
		x.Store = after
		v := x.Reduce(x.Transfer(n.Table, f, [2]int{0, 1}))
		if x.Fault != step.NoFault || !u.Equal(v) {
			x.Fault = step.NoFault
			return false
		}
	}
	return true
}

// locate finds the cell of a pair in which the current store lies, -1 if there is none, with the processes of the pair
// in slots p and q. It reports false where a form cannot be evaluated.
func (x *Trial) locate(n *commute.Entry, p, q int) (cell int, ok bool) {
	coord := make([]uint8, len(n.Cells.Axes))
	x.Fault = step.NoFault
	for i := range n.Cells.Axes {
		a := &n.Cells.Axes[i]
		f := x.Transfer(n.Table, term.Form{Terms: n.Table.Dirs[a.Dir].Terms}, [2]int{p, q})
		if x.Fault != step.NoFault {
			x.Fault = step.NoFault
			return -1, false
		}
		coord[i] = uint8(x.region(a, f, len(a.Regions)))
	}
	return n.Cells.Locate(coord), true
}

// among reports whether a pair is in one of some cells in the current store. It decides no more than that takes.
func (x *Trial) among(n *commute.Entry, cells partition.Bitset) bool {
	var open []int
	for c := range n.Cells.Coord {
		if cells.Has(c) {
			open = append(open, c)
		}
	}
	x.Fault = step.NoFault
	for i := range n.Cells.Axes {
		a := &n.Cells.Axes[i]
		f := x.Transfer(n.Table, term.Form{Terms: n.Table.Dirs[a.Dir].Terms}, [2]int{0, 1})
		if x.Fault != step.NoFault {
			panic(unsupported.Reason("a cell cannot be evaluated"))
		}
		most := uint8(0)
		for _, c := range open {
			most = max(most, n.Cells.Coord[c][i])
		}
		region := x.region(a, f, int(most))
		kept := open[:0]
		for _, c := range open {
			if int(n.Cells.Coord[c][i]) == region {
				kept = append(kept, c)
			}
		}
		if open = kept; len(open) == 0 {
			return false
		}
	}
	return true
}

// region is the region of an axis in which a value lies, or any beyond the last one that matters.
func (x *Trial) region(a *partition.Axis, f term.Form, most int) (at int) {
	last := len(a.Regions) - 1
	for at < last && at <= most {
		if r := a.Regions[at]; a.Equations && x.Equal(f, term.Constant(r.Lo)) ||
			!a.Equations && x.AtMost(f, term.Constant(r.Hi)) {
			break
		}
		at++
	}
	return at
}

// unordered is R between a step in a slot and q in slot 2, in the current store: U, or footprints that may be disjoint.
func (x *Trial) unordered(n *commute.Entry, s *step.Step, slot int, q *step.Step) bool {
	return n.Independent || holdsAt(x, n, s, slot) || x.disjoint(s, slot, q, 2)
}

// holdsAt evaluates the uniform constraint between step s in a slot and the other step in slot 2.
func holdsAt(r *Trial, n *commute.Entry, s *step.Step, slot int) bool {
	if n.A == s {
		return r.Holds(n.Uniform, slot, 2)
	}
	return r.Holds(n.Uniform, 2, slot)
}

// A violation is a state in which one of the two conditions fails, and the state after q.
type violation struct {
	Kind          violationKind
	before, after *symbolic.Store
	viaA, viaB    bool // the premises that hold
}

type violationKind uint8

// Violation runs q (slot 2) next to a (slot 0) and b (slot 1).
func (x *Trial) Violation(n *commute.Entry, q *step.Step, aq, bq *commute.Entry) (v violation) {
	v.before = x.Store
	now := false
	read := x.Seeing(func() { now = x.Holds(n.Uniform, 0, 1) })
	if !x.reaches(2, q, read) || !x.Enabled(2, q) {
		return
	}
	v.after = x.Store.Clone()
	x.Store = v.after
	x.Exec(2, q)
	then := x.Holds(n.Uniform, 0, 1)
	x.Store = v.before
	if now == then {
		return
	}
	v.viaA = x.unordered(aq, n.A, 0, q)
	if now && !v.viaA {
		return
	}
	v.viaB = x.unordered(bq, n.B, 1, q)
	switch {
	case now && v.viaB:
		v.Kind = forward
	case !now && (v.viaA || v.viaB):
		v.Kind = Backward
	}
	if v.Kind != None {
		x.AssumeRanges(v.after)
	}
	return
}

// alive reports whether a relation holds at a place of a row in the present family.
func alive(n *commute.Entry, place int) bool {
	switch place {
	case always:
		return true
	case outside:
		return false
	case wherever:
		return n.Left()
	}
	return n.Kept[place]
}
