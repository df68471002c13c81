package step

import (
	"math"
	"math/bits"
	"slices"
)

// A location is a unit of conflict: a shared scalar, counted value or option, or such an element of a shared array or
// field of a shared record. Reading or writing any part of a list is an access to the whole of it.
type locations struct {
	count int
	of    []int32 // shared word -> location
	first []int32 // location -> its first word
	size  []int32 // location -> number of words
}

func newLocations(p *Program) locations {
	l := locations{of: make([]int32, p.SharedWords)}
	var add func(t *Type, at int)
	add = func(t *Type, at int) {
		switch t.Kind {
		case Array:
			for i := range t.Len {
				add(t.Elem, at+i*t.Elem.Words())
			}
			return
		case Record:
			for i, f := range t.Fields {
				add(f.Type, at+t.FieldAt(i))
			}
			return
		}
		for w := at; w < at+t.Words(); w++ {
			l.of[w] = int32(l.count)
		}
		l.first, l.size = append(l.first, int32(at)), append(l.size, int32(t.Words()))
		l.count++
	}
	for _, v := range p.Shared {
		add(v.Type, v.Offset)
	}
	return l
}

// A Footprint is the set of locations that a step may touch, on any path through it, as a function of the local state
// of its process: first the words of a bit set of all locations touched, then those of the locations written. The
// slices have the length Machine.FootprintWords.
type Footprint []uint64

// FootprintWords is the length of a Footprint of this machine.
func (l *locations) FootprintWords() int { return 2 * max(1, (l.count+63)/64) }

// Conflict reports whether one of the two steps may write a location that the other touches.
func Conflict(a, b Footprint) bool {
	if len(a) == 2 && len(b) == 2 { // that of most programs
		return a[0]&b[1]|a[1]&b[0] != 0
	}
	return conflict(a, b)
}

func conflict(a, b Footprint) bool {
	n := len(a) / 2
	for i := range n {
		if a[i]&b[n+i]|a[n+i]&b[i] != 0 {
			return true
		}
	}
	return false
}

// Union adds b to a.
func (a Footprint) Union(b Footprint) {
	for i := range a {
		a[i] |= b[i]
	}
}

// Touches reports whether the footprint has a location.
func (a Footprint) Touches(loc int) bool { return a[loc/64]>>(loc%64)&1 != 0 }

// Writes reports whether the footprint may write a location.
func (a Footprint) Writes(loc int) bool { return a[len(a)/2+loc/64]>>(loc%64)&1 != 0 }

// Clone copies the footprint.
func (a Footprint) Clone() Footprint { return append(Footprint(nil), a...) }

// ReadOnly returns the footprint without its writes, stored in buf.
func (a Footprint) ReadOnly(buf Footprint) Footprint {
	n := copy(buf, a[:len(a)/2])
	clear(buf[n:])
	return buf
}

func (a Footprint) add(first, last int, write bool) {
	n := len(a) / 2
	for loc := first; loc <= last; loc++ {
		a[loc/64] |= 1 << (loc % 64)
		if write {
			a[n+loc/64] |= 1 << (loc % 64)
		}
	}
}

// NumLocations is the number of locations.
func (l *locations) NumLocations() int { return l.count }

// Location is the location of a shared word.
func (l *locations) Location(word int) int { return int(l.of[word]) }

// LocationWords is the first word and the number of words of a location.
func (l *locations) LocationWords(loc int) (first, words int) {
	return int(l.first[loc]), int(l.size[loc])
}

// footCode computes the footprint of one step of one process.
type footCode struct {
	any     Footprint   // over all local states
	code    Footprint   // fixed without the nodes that are there to check a property
	checks  Footprint   // any of those nodes; nil if there are none
	fixed   Footprint   // what is known without looking at the locals
	dynamic []dynAccess // the rest; empty: fixed is everything
	span    Span        // fixed, or all of any if the step may start processes
	spawns  []*Pool     // what the step may start processes of
	// the only location of fixed if the step touches just one and has a path that does not write it, else -1
	single int
}

// dynAccess is an access whose place depends on locals as they are when the step begins.
type dynAccess struct {
	addr  addrFunc
	words int
	write bool
}

// Footprint returns the footprint of the next step of a process. The result is valid until buf, of length
// FootprintWords, is used again; it may be shared and must not be changed.
func (r *Runner) Footprint(s State, proc int, buf Footprint) Footprint {
	c := &r.m.procs[proc]
	f := &c.steps[s[c.control]].foot
	if len(f.dynamic) == 0 && len(f.spawns) == 0 {
		return f.fixed
	}
	if len(f.spawns) == 0 {
		return r.evaluate(f, s, buf)
	}
	copy(buf, f.fixed)
	r.spawned(s, proc, f.spawns, buf)
	r.resolve(f, s, buf)
	return buf
}

// evaluate is the footprint of code that starts no processes.
func (r *Runner) evaluate(f *footCode, s State, buf Footprint) Footprint {
	if len(f.dynamic) == 0 {
		return f.fixed
	}
	copy(buf, f.fixed)
	r.resolve(f, s, buf)
	return buf
}

// resolve adds the accesses whose places depend on locals.
func (r *Runner) resolve(f *footCode, s State, buf Footprint) {
	for i := range f.dynamic {
		d := &f.dynamic[i]
		r.begin(s)
		at := d.addr(r)
		if r.fault == NoFault { // else the access fails before it touches anything
			buf.add(int(r.m.locations.of[at]), int(r.m.locations.of[at+d.words-1]), d.write)
		}
	}
}

// A Span is a footprint in two words, with all it touches and what it writes: locations that are the same modulo 64 are
// taken for each other.
type Span struct{ touched, written uint64 }

// AnySpan contains all footprints.
func AnySpan() Span { return Span{math.MaxUint64, math.MaxUint64} }

// Span contains the footprint of the next step of a process. It does not change until the process moves.
func (r *Runner) Span(s State, proc int) Span {
	c := &r.m.procs[proc]
	f := &c.steps[s[c.control]].foot
	span := f.span
	for i := range f.dynamic {
		d := &f.dynamic[i]
		r.begin(s)
		at := d.addr(r)
		if r.fault == NoFault { // else the access fails before it touches anything
			for loc := r.m.locations.of[at]; loc <= r.m.locations.of[at+d.words-1]; loc++ {
				span.add(int(loc), d.write)
			}
		}
	}
	return span
}

// Conflicts reports whether one of two steps may write a location that the other touches.
func (a *Span) Conflicts(b *Span) bool { return a.touched&b.written|a.written&b.touched != 0 }

func (a *Span) add(loc int, write bool) {
	a.touched |= 1 << (loc % 64)
	if write {
		a.written |= 1 << (loc % 64)
	}
}

// span folds a footprint.
func (a Footprint) span() (folded Span) {
	for i, n := 0, len(a)/2; i < n; i++ {
		folded.touched |= a[i]
		folded.written |= a[n+i]
	}
	return folded
}

// Reads is the footprint of evaluating a property expression in any state.
func (m *Machine) Reads(e *Expr) Footprint {
	f := footCode{any: make(Footprint, m.FootprintWords()), fixed: make(Footprint, m.FootprintWords())}
	places(e, func(place *Expr, write bool) { m.access(Own, &f, place, write, nil) })
	return f.any
}

// Unchanged reports whether the same is in two states at all that a footprint writes.
func (l *locations) Unchanged(foot Footprint, a, b State) bool {
	for w, rest := range foot[len(foot)/2:] {
		for ; rest != 0; rest &= rest - 1 {
			first, words := l.LocationWords(w<<6 + bits.TrailingZeros64(rest))
			if !slices.Equal(a[first:first+words], b[first:first+words]) {
				return false
			}
		}
	}
	return true
}

// Unwritten reports whether a step of the process that led from before to after may count as a mere read: its whole
// footprint is one location, it writes that only on some of its paths, and this time it left it unchanged (a failed
// cas). This is the only use of observed accesses that keeps the dependence relation valid.
func (m *Machine) Unwritten(before, after State, proc int) bool {
	c := &m.procs[proc]
	loc := c.steps[before[c.control]].foot.single
	if loc < 0 {
		return false
	}
	first, words := m.LocationWords(loc)
	return slices.Equal(before[first:first+words], after[first:first+words])
}

// footprint analyses a step for a process.
func (m *Machine) footprint(proc int, s *Step) footCode {
	t := s.Template
	f := m.footprintOf(proc, s, s.Nodes)
	f.code = f.fixed
	isCheck := func(i int) bool { return t.Nodes[i].Property != nil }
	if slices.ContainsFunc(s.Nodes, isCheck) {
		f.code = m.footprintOf(proc, s, slices.DeleteFunc(slices.Clone(s.Nodes), isCheck)).fixed
		isCode := func(i int) bool { return !isCheck(i) }
		f.checks = m.footprintOf(proc, s, slices.DeleteFunc(slices.Clone(s.Nodes), isCode)).any
	}
	if life := m.procs[proc].life; life >= 0 {
		loc := int(m.locations.of[life])
		_, last := s.Successors()
		if last || t.entries()[s.Entry] {
			f.any.add(loc, loc, last)
			f.fixed.add(loc, loc, last)
		}
	}
	if f.span = f.fixed.span(); len(f.spawns) > 0 {
		f.span = f.any.span()
	}
	if len(f.dynamic) == 0 && len(f.spawns) == 0 && f.fixed.touched() == 1 && t.mayNotWrite(s) {
		for loc := range m.locations.count {
			if f.fixed.Touches(loc) && f.fixed.Writes(loc) {
				f.single = loc
			}
		}
	}
	return f
}

// footprintOf analyses some of the nodes of a step.
func (m *Machine) footprintOf(proc int, s *Step, nodes []int) footCode {
	t := s.Template
	f := footCode{any: make(Footprint, m.FootprintWords()), fixed: make(Footprint, m.FootprintWords()), single: -1}
	modified := s.modifiedBefore()
	for _, i := range nodes {
		n := t.Nodes[i]
		n.accesses(func(place *Expr, write bool) { m.access(proc, &f, place, write, n.evaluated(modified[i])) })
		if n.Kind == Spawn {
			m.spawnAccess(&f, n)
		}
	}
	return f
}

// evaluated tells which local words may have changed when a node evaluates its expressions, given those that had when
// it began: a guarded choice has chosen by then.
func (n *Node) evaluated(modified wordSet) wordSet {
	if n.Kind != Choose || n.Cond == nil {
		return modified
	}
	modified = slices.Clone(modified)
	modified.put(n.Dst.Var, true)
	return modified
}

// accesses calls f for every shared place that a node reads or writes, leaving aside what belongs to a process that it
// starts.
func (n *Node) accesses(f func(place *Expr, write bool)) {
	places(n.Src, f)
	places(n.Cond, f)
	for _, a := range n.Args {
		places(a, f)
	}
	if n.Kind == Spawn {
		places(n.Maker, f)
		indices(n.Counter, f)
		if n.Counter.Root().Shared {
			f(n.Counter, true)
		}
	}
	if n.Dst != nil {
		indices(n.Dst, f)
		if v := n.Dst.Root(); v != nil && v.Shared {
			f(n.Dst, true)
		}
	}
}

func (a Footprint) touched() (n int) {
	for _, w := range a[:len(a)/2] {
		n += bits.OnesCount64(w)
	}
	return
}

// access adds one shared place to the footprint of a step of a process.
func (m *Machine) access(proc int, f *footCode, place *Expr, write bool, modified wordSet) {
	x := &compiler{m: m, own: proc, p: -1, q: -1}
	whole := place.location()
	if whole.Type.Words() == 0 {
		return
	}
	first, last := m.extent(x, whole)
	f.any.add(first, last, write)
	if at, ok := x.static(whole); ok {
		f.fixed.add(int(m.locations.of[at]), int(m.locations.of[at+whole.Type.Words()-1]), write)
		return
	}
	if modified == nil || !whole.fixed(modified) {
		f.fixed.add(first, last, write)
		return
	}
	f.dynamic = append(f.dynamic, dynAccess{x.addr(whole), whole.Type.Words(), write})
	m.scratch = max(m.scratch, x.scratch)
}

// location is the part of a place up to the first list: the unit of conflicts.
func (e *Expr) location() *Expr {
	whole := e
	for ; e.Op != VarRef; e = e.Args[0] {
		if e.Op == Index && e.Args[0].Type.Kind != Array {
			whole = e.Args[0]
		}
	}
	return whole
}

// fixed reports whether the indices of a place have no variables but locals that are not modified.
func (e *Expr) fixed(modified wordSet) bool {
	is := true
	for ; e.Op != VarRef; e = e.Args[0] {
		if e.Op == Index {
			e.Args[1].EachVar(func(v *Expr) { is = is && !v.Var.Shared && !modified.hasAny(v.Var) })
		}
	}
	return is
}

// extent is the range of locations that a place may be, whatever its indices are.
func (m *Machine) extent(x *compiler, place *Expr) (first, last int) {
	at, ok := x.static(place)
	for e := place; !ok; {
		e = e.Args[0]
		at, ok = x.static(e)
		place = e
	}
	if place.Type.Words() == 0 { // an array without elements
		return 0, -1
	}
	return int(m.locations.of[at]), int(m.locations.of[at+place.Type.Words()-1])
}

// places calls f for every shared place that evaluating e reads.
func places(e *Expr, f func(place *Expr, write bool)) {
	if e == nil {
		return
	}
	if v := e.Root(); v != nil {
		indices(e, f)
		if v.Shared {
			f(e, false)
		}
		return
	}
	for _, a := range e.Args {
		places(a, f)
	}
}

// indices calls f for every shared place that is read to find out which place e is.
func indices(e *Expr, f func(place *Expr, write bool)) {
	for ; e.Op != VarRef; e = e.Args[0] {
		if e.Op == Index {
			places(e.Args[1], f)
		}
	}
}

// modifiedBefore tells per node of the step which local words earlier nodes of it may have changed.
func (s *Step) modifiedBefore() map[int]wordSet {
	s.modifiedOnce.Do(func() {
		t, in := s.Template, map[int]wordSet{}
		for _, i := range s.Nodes {
			in[i] = t.noWords()
		}
		out := t.noWords()
		for changed := true; changed; {
			changed = false
			for _, i := range s.Nodes {
				copy(out, in[i])
				if v := t.Nodes[i].Dst.Root(); v != nil && !v.Shared {
					out.put(v, true)
				}
				t.Nodes[i].count(out)
				for _, next := range t.Nodes[i].Successors() {
					if to, ok := in[next]; ok && next != s.Entry {
						changed = to.add(out) || changed
					}
				}
			}
		}
		s.modified = in
	})
	return s.modified
}

// mayNotWrite reports whether the step has a path on which it writes nothing shared. Where a process of a pool comes to
// its end it writes that; in one of several alternatives, which is no question of what others have written.
func (t *Template) mayNotWrite(s *Step) bool {
	if s.Ends() {
		return false
	}
	seen := map[int]bool{}
	var free func(i int) bool
	free = func(i int) bool {
		if i == End || i != s.Entry && t.Nodes[i].Visible {
			return true
		}
		if seen[i] {
			return false
		}
		seen[i] = true
		n := t.Nodes[i]
		if v := n.Dst.Root(); v != nil && v.Shared || n.Kind == Spawn {
			return false
		}
		for _, next := range n.Successors() {
			if next == s.Entry || free(next) {
				return true
			}
		}
		return false
	}
	return free(s.Entry)
}

// What a step may touch when only so much is known of the values it will find.

// A Prospect knows something of the values that expressions will have, in a process or in any of several.
type Prospect interface {
	// Values are all that a scalar expression may have when it is evaluated; known is false if it may have any.
	Values(e *Expr) (list []int64, known bool)
	// Selves are the identities that the processes may have.
	Selves() []int64
	// Unborn are the identities in a pool that processes started from now on may get.
	Unborn(p *Pool) []int64
}

// A touch is an access of a step to a part of the shared variables. fixed says that all indices depend on nothing but
// locals as they are when the step begins: a Footprint tells then which element is meant. Otherwise it has all
// elements, but where constant indices come first.
type touch struct {
	place    *Expr
	write    bool
	fixed    bool
	template *Template
}

// follows reports whether a Footprint looks at the value of an index.
func (t *touch) follows(index *Expr) bool {
	if t.fixed {
		return true
	}
	switch index.Op {
	case Const, Self, Me:
		return true
	case VarRef:
		return !index.Var.Shared && !t.template.assigns(index.Var)
	case Neg, Add, Sub, Mul, Div, Mod, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight:
		return !slices.ContainsFunc(index.Args, func(a *Expr) bool { return !t.follows(a) })
	}
	return false
}

// touches lists what a step touches, leaving aside what belongs to processes that it starts, begins or ends.
func (s *Step) touches() (list []touch) {
	modified := s.modifiedBefore()
	for _, i := range s.Nodes {
		s.Template.Nodes[i].accesses(func(place *Expr, write bool) {
			whole := place.location()
			list = append(list, touch{whole, write, whole.fixed(modified[i]), s.Template})
		})
	}
	return list
}

// FootprintOver adds to a footprint what a step may touch: at least what Footprint says, whichever the values are when
// the step is next. How processes that have not been started begin and end goes to another one.
func (m *Machine) FootprintOver(s *Step, over Prospect, f, unborn Footprint) {
	add := func(f Footprint, from, words int, write bool) {
		if words > 0 {
			f.add(int(m.locations.of[from]), int(m.locations.of[from+words-1]), write)
		}
	}
	for _, t := range m.touched[s] {
		for _, r := range t.ranges(t.place, over) {
			add(f, r.from, r.words, t.write)
		}
	}
	for _, i := range s.Nodes {
		n := s.Template.Nodes[i]
		if n.Kind != Spawn {
			continue
		}
		pool := n.Target.Pool
		for _, id := range over.Unborn(pool) {
			add(unborn, pool.word(id), 1, true)
			for _, v := range pool.Fields {
				add(unborn, v.Offset+int(id)*v.Type.Elem.Words(), v.Type.Elem.Words(), true)
			}
		}
	}
	if begins, ends := s.begins(), s.Ends(); begins || ends {
		pool := s.Template.Pool
		late := over.Unborn(pool)
		for _, id := range over.Selves() {
			to := f
			if slices.Contains(late, id) {
				to = unborn
			}
			add(to, pool.word(id), 1, ends)
		}
	}
}

// A wordRange is a part of the shared variables.
type wordRange struct{ from, words int }

// ranges are where a place may be. What lies outside of an array fails before it is touched; a Footprint knows that
// only of indices that are all known.
func (t *touch) ranges(e *Expr, over Prospect) (list []wordRange) {
	switch e.Op {
	case VarRef:
		return []wordRange{{e.Var.Offset, e.Type.Words()}}
	case Part:
		whole, at := e.Args[0].Type, e.Args[0].Type.FieldAt(e.Field)
		for _, r := range t.ranges(e.Args[0], over) {
			if r.words == whole.Words() {
				r = wordRange{r.from + at, e.Type.Words()}
			}
			list = append(list, r)
		}
		return list
	}
	array := e.Args[0].Type
	var values []int64
	known := false
	if t.follows(e.Args[1]) {
		values, known = over.Values(e.Args[1])
	}
	for _, r := range t.ranges(e.Args[0], over) {
		if !known || r.words != array.Words() { // anywhere in there
			list = append(list, r)
			continue
		}
		for _, i := range values {
			switch {
			case i >= 0 && i < int64(array.Len):
				list = append(list, wordRange{r.from + int(i)*e.Type.Words(), e.Type.Words()})
			case !t.fixed:
				list = append(list, r)
			}
		}
	}
	return list
}

// NotStarted reports whether a process of a pool has not been started.
func (p *Pool) NotStarted(s State, id int64) bool { return s[p.word(id)] == notStarted }

// Entries are the steps that a process may begin with.
func (t *Template) Entries() (list []int) {
	first := t.entries()
	for _, s := range t.Steps {
		if first[s.Entry] {
			list = append(list, s.Index)
		}
	}
	return list
}

// EachIndex calls f for every expression that says which part of a shared array a node reads or writes.
func (n *Node) EachIndex(f func(*Expr)) {
	n.accesses(func(place *Expr, _ bool) {
		for e := place.location(); e.Op != VarRef; e = e.Args[0] {
			if e.Op == Index {
				f(e.Args[1])
			}
		}
	})
}

// GuardFootprint has the locations that the guard of the next step of a process reads: a subset of the footprint of the
// step. The result is valid until buf, of length FootprintWords, is used again; it may be shared and must not be
// changed. The step must be guarded.
func (r *Runner) GuardFootprint(s State, proc int, buf Footprint) Footprint {
	c := &r.m.procs[proc]
	return r.evaluate(&c.steps[s[c.control]].guardFoot, s, buf)
}

// guardFootprint analyses the guard of a step for a process.
func (m *Machine) guardFootprint(proc int, s *Step) footCode {
	f := footCode{any: make(Footprint, m.FootprintWords()), fixed: make(Footprint, m.FootprintWords()), single: -1}
	n := s.Template.Nodes[s.Entry]
	modified := n.evaluated(s.modifiedBefore()[s.Entry])
	places(n.Cond, func(place *Expr, write bool) { m.access(proc, &f, place, write, modified) })
	return f
}
