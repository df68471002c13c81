package synth

import (
	"math"
	"slices"

	"cdpor/lang/step"
)

// Ranges of variables, by abstract interpretation: for each process and node an interval per local variable, and one
// interval per shared variable for the whole execution, whatever the schedule. An array has one interval for all its
// elements, and a list one for its size. Each process is analysed by itself because its parameters and its number are
// known, which makes most indices exact; shared variables are what any process may have written. Within a step nobody
// else writes, so what a step has compared or stored is known to the end of the step: after `if x < 4 { x += 1 }` x is
// at most 4.
//
// A shared variable that is only ever added to also is its first value and the sum of what each process has added so
// far. That sum has an interval at each node of the process, like a local. So what threads count up when they enter and
// down when they leave lies between zero and their number, and what each of a few threads counts once has a bound.

// A span is an interval; math.MinInt64 and math.MaxInt64 mean no bound. It is empty if lo > hi.
type span struct{ lo, hi int64 }

var (
	anything = span{math.MinInt64, math.MaxInt64}
	nothing  = span{math.MaxInt64, math.MinInt64}
	either   = span{0, 1}
)

func only(k int64) span                { return span{k, k} }
func (s span) empty() bool             { return s.lo > s.hi }
func (s span) single() bool            { return s.lo == s.hi }
func (s span) join(t span) span        { return span{min(s.lo, t.lo), max(s.hi, t.hi)} }
func (s span) meet(t span) span        { return span{max(s.lo, t.lo), min(s.hi, t.hi)} }
func (s span) negated() span           { return span{negateBound(s.hi), negateBound(s.lo)} }
func (s span) plus(t span) span        { return span{addBound(s.lo, t.lo), addBound(s.hi, t.hi)} }
func (s span) finite() bool            { return s.lo != math.MinInt64 && s.hi != math.MaxInt64 }
func (s span) truth() (is, known bool) { return s.lo == 1, s.single() }

func negateBound(a int64) int64 {
	switch a {
	case math.MinInt64:
		return math.MaxInt64
	case math.MaxInt64:
		return math.MinInt64
	}
	return -a
}

// addBound adds; infinities and what leaves int64 stay infinite.
func addBound(a, b int64) int64 {
	for _, x := range []int64{a, b} {
		if x == math.MinInt64 || x == math.MaxInt64 {
			return x
		}
	}
	c := a + b
	switch {
	case b > 0 && c < a:
		return math.MaxInt64
	case b < 0 && c > a:
		return math.MinInt64
	}
	return c
}

func mulBound(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	c := a * b
	if a == math.MinInt64 || a == math.MaxInt64 || b == math.MinInt64 || b == math.MaxInt64 || c/b != a {
		if (a < 0) != (b < 0) {
			return math.MinInt64
		}
		return math.MaxInt64
	}
	return c
}

func (s span) times(t span) span {
	r := nothing
	for _, a := range []int64{s.lo, s.hi} {
		for _, b := range []int64{t.lo, t.hi} {
			r = r.join(only(mulBound(a, b)))
		}
	}
	return r
}

// over is the quotient, or with rest the remainder.
func (s span) over(t span, rest bool) span {
	if t.lo <= 0 || t.hi == math.MaxInt64 {
		return anything
	}
	if rest {
		r := span{1 - t.hi, t.hi - 1}
		if s.lo >= 0 {
			r.lo = 0
			if s.hi < t.lo {
				return s
			}
		}
		if s.hi <= 0 {
			r.hi = 0
		}
		if s.single() && t.single() {
			return only(s.lo % t.lo)
		}
		return r
	}
	divide := func(a, b int64) int64 {
		if a == math.MinInt64 || a == math.MaxInt64 {
			return a
		}
		return a / b
	}
	return span{min(divide(s.lo, t.lo), divide(s.lo, t.hi)), max(divide(s.hi, t.lo), divide(s.hi, t.hi))}
}

// A field is what has one range: a scalar part of a variable, or the size of a list or queue in it, in all elements of
// the arrays around it together. off is its distance from the beginning of the variable where all indices are zero.
type field struct {
	v   *step.Var
	off int
}

// A fieldType is a field of a type; array tells that it is one of several words.
type fieldType struct {
	off   int
	typ   *step.Type
	array bool
}

// fieldsOf lists what is followed of a type. Integers that wrap around are not, nor what is in lists, sets and options.
func fieldsOf(t *step.Type) (list []fieldType) {
	var visit func(t *step.Type, off int, array bool)
	visit = func(t *step.Type, off int, array bool) {
		switch {
		case t.Kind == step.Array && t.Len > 0:
			visit(t.Elem, off, true)
		case t.Kind == step.Record:
			for i, f := range t.Fields {
				visit(f.Type, off+t.FieldAt(i), array)
			}
		case followed(t):
			list = append(list, fieldType{off, t, array})
		}
	}
	visit(t, 0, false)
	return list
}

func followed(t *step.Type) bool {
	return t.Kind == step.List || t.Kind == step.Queue || t.Scalar() && t.Kind != step.Mutex && t.Kind != step.Sized
}

// fieldAt is the field of a type at a place, nil if there is none.
func fieldAt(t *step.Type, off int) *step.Type {
	for {
		switch {
		case t.Kind == step.Array && t.Len > 0:
			t = t.Elem
		case t.Kind == step.Record:
			i := fieldBefore(t, off)
			if i < 0 {
				return nil
			}
			off -= t.FieldAt(i)
			t = t.Fields[i].Type
		case off == 0 && followed(t):
			return t
		default:
			return nil
		}
	}
}

// fieldBefore is the last field of a record that begins at a word or before it, -1 if there is none.
func fieldBefore(t *step.Type, off int) int {
	for i := len(t.Fields) - 1; i >= 0; i-- {
		if t.FieldAt(i) <= off && t.Fields[i].Type.Words() > 0 {
			return i
		}
	}
	return -1
}

// placeOf is the variable that a place lies in and its distance from the beginning where all indices are zero; array
// tells that it may be one of several. Places in lists, sets and options are none.
func placeOf(e *step.Expr) (ref *step.Expr, off int, array, ok bool) {
	switch e.Op {
	case step.VarRef:
		return e, 0, false, true
	case step.Index:
		ref, off, _, ok = placeOf(e.Args[0])
		return ref, off, true, ok && e.Args[0].Type.Kind == step.Array
	case step.Part:
		ref, off, array, ok = placeOf(e.Args[0])
		return ref, off + e.Args[0].Type.FieldAt(e.Field), array, ok
	}
	return nil, 0, false, false
}

// leafSpan is what the type of a scalar allows, or that of a list for its size.
func leafSpan(t *step.Type) span {
	switch t.Kind {
	case step.List, step.Queue:
		return span{0, int64(t.Len)}
	case step.Bool:
		return either
	case step.Range:
		return span{t.Lo, t.Hi}
	case step.Enum:
		return span{0, int64(len(t.Names) - 1)}
	}
	return anything
}

func spanOf(words []int64) span {
	r := nothing
	for _, w := range words {
		r = r.join(only(w))
	}
	return r
}

// spanAt is the range of a field of a value.
func spanAt(t *step.Type, off int, words []int64) span {
	switch {
	case t.Kind == step.Array:
		r, width := nothing, t.Elem.Words()
		for i := range t.Len {
			r = r.join(spanAt(t.Elem, off, words[i*width:(i+1)*width]))
		}
		return r
	case t.Kind == step.Record:
		i := fieldBefore(t, off)
		at := t.FieldAt(i)
		return spanAt(t.Fields[i].Type, off-at, words[at:])
	}
	return only(words[0])
}

// ranges is the analysis of a program.
type ranges struct {
	prog    *step.Program
	shared  map[field]span // empty if shared variables may hold anything
	slots   map[*step.Template]*frame
	sums    map[field]span           // of variables that are only added to: what they may hold because of that
	sole    map[field]*step.Template // see sole.go
	own     map[field]owners         // see sole.go
	added   map[field]span           // what the processes of the present round have added
	marks   []int64                  // where widening stops: the numbers of the program
	changed bool
	round   int
}

// hastyRounds is after how many rounds shared variables are widened, patience after how many visits a node is.
const (
	hastyRounds = 4
	patience    = 12
)

// A frame is the analysis of one process. Its environments hold the locals, and of shared variables what the step that
// is being taken knows about them: nobody else comes in between.
type frame struct {
	a    *ranges
	proc *step.Proc
	slot map[field]int // place in environments
	free map[field]int // places of shared variables
	sum  map[field]int // places of what the process has added to shared variables
	at   [][]span      // per node the environment before it; nil: not reached
	n    []int         // visits
}

// analyse computes the ranges of a program; the environments are those of each process. Unless together is set, shared
// variables may hold anything their types allow.
func analyse(prog *step.Program, together bool) (*ranges, []*frame) {
	a := &ranges{prog: prog, shared: map[field]span{}, slots: map[*step.Template]*frame{}}
	for _, v := range prog.Shared {
		for _, f := range fieldsOf(v.Type) {
			if together {
				a.shared[field{v, f.off}] = spanAt(v.Type, f.off, prog.Init[v.Offset:])
			}
		}
	}
	a.forgetStarted()
	a.collectMarks()
	var frames []*frame
	if together {
		a.findSums()
		a.findSole()
		a.findOwners()
	}
	for a.changed = true; a.changed; a.round++ {
		a.changed, frames, a.added = false, nil, map[field]span{}
		for _, p := range prog.Procs {
			frames = append(frames, a.process(p))
		}
		a.count()
	}
	for f, s := range a.sums {
		a.shared[f] = a.shared[f].meet(s)
	}
	return a, frames
}

// findSums finds the scalar shared variables that are only added to. Processes that are started may be many.
func (a *ranges) findSums() {
	a.sums = map[field]span{}
	for f, s := range a.shared {
		if typ := fieldAt(f.v.Type, f.off); s.single() && typ.Numeric() {
			a.sums[f] = s
		}
	}
	for _, t := range a.prog.Templates {
		for _, n := range t.Nodes {
			for _, dst := range []*step.Expr{n.Dst, n.Counter} {
				if dst == nil {
					continue
				}
				v := dst.Root()
				if v == nil || !v.Shared || t.Pool == nil && addend(n) != nil {
					continue
				}
				_, off, _, ok := placeOf(dst)
				for f := range a.sums {
					if f.v == v && (!ok || f.off >= off && f.off < off+dst.Type.Words()) {
						delete(a.sums, f)
					}
				}
			}
		}
	}
}

// addend is what a node adds to the scalar that it assigns to, nil if it does something else.
func addend(n *step.Node) *step.Expr {
	if n.Kind != step.Assign || n.Src.Op != step.Add && n.Src.Op != step.Sub || !n.Dst.Type.Numeric() {
		return nil
	}
	to, off, array, ok := placeOf(n.Dst)
	from, at, _, same := placeOf(n.Src.Args[0])
	x := n.Src.Args[1]
	if n.Src.Op == step.Add && !same {
		from, at, _, same = placeOf(x)
		x = n.Src.Args[0]
	}
	if !ok || array || !same || from.Var != to.Var || at != off {
		return nil
	}
	if n.Src.Op == step.Sub {
		return node(step.Neg, step.IntType, x)
	}
	return x
}

// count adds up what the processes have added.
func (a *ranges) count() {
	for f, old := range a.sums {
		init := only(a.prog.Init[f.v.Offset+f.off])
		switch s := old.join(init.plus(a.added[f])); {
		case s == old:
		case a.round > 2*hastyRounds:
			a.sums[f], a.changed = anything, true
		default:
			a.sums[f], a.changed = s, true
		}
	}
}

// forgetStarted gives up what the starting of processes writes, which is not followed.
func (a *ranges) forgetStarted() {
	forget := func(v *step.Var) {
		if v != nil && v.Shared {
			for _, f := range fieldsOf(v.Type) {
				a.shared[field{v, f.off}] = leafSpan(f.typ)
			}
		}
	}
	for _, t := range a.prog.Templates {
		if t.Pool != nil {
			forget(t.Pool.Life)
			for _, v := range t.Pool.Fields {
				forget(v)
			}
		}
		for _, n := range t.Nodes {
			if n.Kind == step.Spawn {
				forget(n.Counter.Root())
			}
		}
	}
}

// initially is what a local may be at first: anything where it is given when the process is started.
func initially(p *step.Proc, v *step.Var, f fieldType) span {
	if p.Template.Pool != nil {
		return leafSpan(f.typ)
	}
	return spanAt(v.Type, f.off, p.Init[v.Offset:])
}

func (a *ranges) collectMarks() {
	var visit func(e *step.Expr)
	visit = func(e *step.Expr) {
		if e == nil {
			return
		}
		if e.Op == step.Const && len(e.Words) == 1 && e.Words[0] > math.MinInt64 && e.Words[0] < math.MaxInt64 {
			a.marks = append(a.marks, e.Words[0]-1, e.Words[0], e.Words[0]+1)
		}
		for _, x := range e.Args {
			visit(x)
		}
	}
	for _, t := range a.prog.Templates {
		for _, n := range t.Nodes {
			visit(n.Cond)
			visit(n.Src)
			visit(n.Dst)
		}
	}
	for _, p := range a.prog.Procs {
		a.marks = append(a.marks, p.Self)
	}
	slices.Sort(a.marks)
	a.marks = slices.Compact(a.marks)
}

// widen gives up bounds that still move, up to the next number of the program.
func (a *ranges) widen(old, now span) span {
	if now.lo < old.lo {
		i, found := slices.BinarySearch(a.marks, now.lo)
		switch {
		case found:
		case i > 0:
			now.lo = a.marks[i-1]
		default:
			now.lo = math.MinInt64
		}
	}
	if now.hi > old.hi {
		i, _ := slices.BinarySearch(a.marks, now.hi)
		if i < len(a.marks) {
			now.hi = a.marks[i]
		} else {
			now.hi = math.MaxInt64
		}
	}
	return now
}

// assign notes that a shared variable may get a value.
func (a *ranges) assign(at field, typ *step.Type, s span) {
	old, ok := a.shared[at]
	if !ok {
		return
	}
	s = old.join(s.meet(leafSpan(typ)))
	if s == old {
		return
	}
	switch {
	case a.round > 3*hastyRounds:
		s = leafSpan(typ)
	case a.round > hastyRounds:
		s = a.widen(old, s).meet(leafSpan(typ))
	}
	a.shared[at], a.changed = s, true
}

// places gives the locals of a template places in environments, and the shared variables that its code mentions, unless
// they are in arrays.
func (a *ranges) places(t *step.Template) *frame {
	f := a.slots[t]
	if f != nil {
		return f
	}
	f = &frame{slot: map[field]int{}, free: map[field]int{}, sum: map[field]int{}}
	for _, v := range t.Locals {
		for _, x := range fieldsOf(v.Type) {
			f.slot[field{v, x.off}] = len(f.slot)
		}
	}
	vars := map[*step.Var]bool{}
	for _, n := range t.Nodes {
		for _, e := range []*step.Expr{n.Dst, n.Src, n.Cond} {
			sharedOf(e, vars)
		}
	}
	for _, v := range a.prog.Shared {
		if vars[v] {
			for _, x := range fieldsOf(v.Type) {
				if !x.array || a.own[field{v, x.off}][t] != nil {
					f.free[field{v, x.off}] = len(f.slot)
					f.slot[field{v, x.off}] = len(f.slot)
				}
			}
		}
	}
	for _, n := range t.Nodes {
		if addend(n) == nil {
			continue
		}
		ref, off, _, _ := placeOf(n.Dst)
		at := field{ref.Var, off}
		if _, counted := a.sums[at]; counted && f.sum[at] == 0 {
			f.sum[at] = len(f.slot) + len(f.sum) // never 0, as the variable has a place, too
		}
	}
	a.slots[t] = f
	return f
}

// process analyses one process for the present ranges of the shared variables.
func (a *ranges) process(p *step.Proc) *frame {
	t := p.Template
	places := a.places(t)
	f := &frame{a: a, proc: p, slot: places.slot, free: places.free, sum: places.sum, at: make([][]span, len(t.Nodes)),
		n: make([]int, len(t.Nodes))}
	env := make([]span, len(f.slot)+len(f.sum)) // nil means unreachable
	for _, v := range t.Locals {
		for _, x := range fieldsOf(v.Type) {
			env[f.slot[field{v, x.off}]] = initially(p, v, x)
		}
	}
	total := map[field]span{}
	for at := range f.sum {
		total[at] = only(0)
	}
	var work []int
	reach := func(node int, env []span) {
		if env == nil {
			return
		}
		for at, i := range f.sum {
			total[at] = total[at].join(env[i])
		}
		if node == step.End {
			return
		}
		if t.Nodes[node].Visible {
			for at, i := range f.free {
				if !a.keeps(at, t) {
					env[i] = anything
				}
			}
		}
		old := f.at[node]
		if old == nil {
			f.at[node] = slices.Clone(env)
			work = append(work, node)
			return
		}
		f.n[node]++
		moved := false
		for i := range env {
			s := old[i].join(env[i])
			if s == old[i] {
				continue
			}
			switch {
			case f.n[node] > 100*patience || i >= len(f.slot) && f.n[node] > patience/2:
				s = anything
			case f.n[node] > patience:
				s = a.widen(old[i], s)
			}
			old[i], moved = s, true
		}
		if moved {
			work = append(work, node)
		}
	}
	for at, i := range f.free {
		env[i] = anything
		if a.keeps(at, t) {
			env[i] = spanAt(at.v.Type, at.off, a.prog.Init[at.v.Offset:])
		}
	}
	reach(t.Start, env)
	for len(work) > 0 {
		i := work[0]
		work = work[1:]
		env := slices.Clone(f.at[i])
		n := t.Nodes[i]
		if n.Kind == step.Branch {
			reach(n.Next, f.refine(slices.Clone(env), n.Cond, true))
			reach(n.Else, f.refine(env, n.Cond, false))
			continue
		}
		reach(n.Next, f.after(env, n))
	}
	for at, s := range total {
		a.added[at] = a.added[at].plus(s)
	}
	return f
}

// after is what is known after a node with one successor. It may change env.
func (f *frame) after(env []span, n *step.Node) []span {
	switch n.Kind {
	case step.Await, step.Check, step.Assume:
		return f.refine(env, n.Cond, true)
	case step.Assign:
		f.assign(env, n)
	case step.Choose:
		if f.choose(env, n); n.Cond != nil && !n.Otherwise {
			return f.refine(env, n.Cond, true)
		}
	case step.Append:
		f.resize(env, n.Dst, 1)
	case step.PopHead, step.PopTail:
		f.resize(env, n.Dst, -1)
	case step.Nop:
	case step.Spawn:
		f.forget(env, &step.Node{Dst: n.Counter})
		f.refer(env, n)
	default:
		f.forget(env, n)
	}
	return env
}

// choose is what is known after a choice among as many alternatives as the source says.
func (f *frame) choose(env []span, n *step.Node) {
	f.forget(env, n)
	if i, ok := f.known(n.Dst); ok {
		if k := f.value(env, n.Src); k.hi != math.MaxInt64 {
			env[i] = span{0, max(k.hi-1, 0)}
		}
	}
}

func (f *frame) assign(env []span, n *step.Node) {
	ref, off, array, ok := placeOf(n.Dst)
	if !ok {
		return
	}
	if i, counted := f.sum[field{ref.Var, off}]; counted {
		env[i] = env[i].plus(f.value(env, addend(n)))
	}
	if _, own := f.ownElement(n.Dst); own {
		array = false
	}
	parts := fieldsOf(n.Dst.Type)
	found := make([]span, len(parts)) // before anything is stored
	for i, x := range parts {
		found[i] = f.part(env, n.Src, x)
	}
	for i, x := range parts {
		f.store(env, field{ref.Var, off + x.off}, x.typ, found[i], array || x.array)
	}
}

// store notes that a field gets a value, or if it is one of several words that one of them does.
func (f *frame) store(env []span, at field, typ *step.Type, s span, several bool) {
	if s = s.meet(leafSpan(typ)); s.empty() {
		return // it fails
	}
	if at.v.Shared {
		f.a.assign(at, typ, s)
	}
	i, ok := f.slot[at]
	switch {
	case !ok:
	case several:
		env[i] = env[i].join(s)
	default:
		env[i] = s
	}
}

// resize is for nodes that add to a list or take from it.
func (f *frame) resize(env []span, list *step.Expr, by int64) {
	if ref, off, array, ok := placeOf(list); ok && followed(list.Type) {
		f.store(env, field{ref.Var, off}, list.Type, f.field(env, ref, off, list.Type).plus(only(by)), array)
	}
}

// refer is for nodes that start a process: what refers to it is a number of its pool, and not that of the process that
// starts it.
func (f *frame) refer(env []span, n *step.Node) {
	if n.Dst == nil {
		return
	}
	ref, off, array, ok := placeOf(n.Dst)
	if !ok {
		return
	}
	pool := n.Target.Pool
	started := span{int64(pool.First), int64(pool.First + pool.Size - 1)}
	if f.proc.Template.Pool == pool {
		started = narrow(started, step.Ne, only(int64(pool.First)+f.proc.Self))
	}
	f.store(env, field{ref.Var, off}, n.Dst.Type, started, array)
}

// forget is for nodes that may store anything.
func (f *frame) forget(env []span, n *step.Node) {
	if n.Dst == nil {
		return
	}
	if ref, off, array, ok := placeOf(n.Dst); ok {
		for _, x := range fieldsOf(n.Dst.Type) {
			f.store(env, field{ref.Var, off + x.off}, x.typ, leafSpan(x.typ), array || x.array)
		}
	}
}

// part is the range of a field of a value that is assigned.
func (f *frame) part(env []span, e *step.Expr, x fieldType) span {
	if ref, off, _, ok := placeOf(e); ok && fieldAt(e.Type, x.off) != nil {
		s := f.field(env, ref, off+x.off, x.typ)
		if i, own := f.ownField(e, x.off); own && env != nil {
			s = s.meet(env[i])
		}
		return s
	}
	t := e.Type
	switch {
	case t.Scalar():
		return f.value(env, e)
	case e.Op == step.Const && fieldAt(t, x.off) != nil:
		return spanAt(t, x.off, e.Words)
	case e.Op == step.MakeList && x.off == 0:
		return only(int64(len(e.Args)))
	case e.Op == step.Cond:
		return f.part(env, e.Args[1], x).join(f.part(env, e.Args[2], x))
	case e.Op == step.Make && t.Kind == step.Array:
		all := nothing
		for _, a := range e.Args {
			all = all.join(f.part(env, a, x))
		}
		return all
	case e.Op == step.Make && t.Kind == step.Record:
		if i := fieldBefore(t, x.off); i >= 0 && i < len(e.Args) {
			x.off -= t.FieldAt(i)
			return f.part(env, e.Args[i], x)
		}
	}
	return leafSpan(x.typ)
}

// field is what is known about a field of a variable.
func (f *frame) field(env []span, ref *step.Expr, off int, typ *step.Type) span {
	at := field{ref.Var, off}
	i, ok := f.slot[at]
	switch {
	case ref.Var.Shared:
		s, known := f.a.shared[at]
		if !known {
			s = leafSpan(typ)
		}
		if sum, counted := f.a.sums[at]; counted {
			s = s.meet(sum)
		}
		if ok && env != nil && f.a.own[at] == nil {
			s = s.meet(env[i])
		}
		return s
	case ok && env != nil && (ref.Of == step.Own || ref.Of == step.P):
		// a process by itself; P is the one a fact is about
		return env[i]
	}
	return leafSpan(typ)
}

// value is the range of a scalar expression.
func (f *frame) value(env []span, e *step.Expr) span {
	args := func() (span, span) { return f.value(env, e.Args[0]), f.value(env, e.Args[1]) }
	if wraps(e) {
		return leafSpan(e.Type)
	}
	switch e.Op {
	case step.Const:
		return spanOf(e.Words)
	case step.Self:
		if e.Of == step.Own || e.Of == step.P {
			return only(f.proc.Self)
		}
	case step.VarRef, step.Index, step.Part:
		if ref, off, _, ok := placeOf(e); ok && followed(e.Type) {
			s := f.field(env, ref, off, e.Type).meet(leafSpan(e.Type))
			if i, own := f.ownElement(e); own && env != nil {
				s = s.meet(env[i])
			}
			return s
		}
	case step.Neg:
		return f.value(env, e.Args[0]).negated()
	case step.Add:
		a, b := args()
		return a.plus(b)
	case step.Sub:
		a, b := args()
		return a.plus(b.negated())
	case step.Mul:
		a, b := args()
		return a.times(b)
	case step.Div, step.Mod:
		a, b := args()
		return a.over(b, e.Op == step.Mod)
	case step.Size:
		if ref, off, _, ok := placeOf(e.Args[0]); ok && followed(e.Args[0].Type) {
			s := f.field(env, ref, off, e.Args[0].Type)
			if i, own := f.ownElement(e.Args[0]); own && env != nil {
				s = s.meet(env[i])
			}
			return s
		}
		return span{0, int64(e.Args[0].Type.Len)}
	case step.Cond:
		switch is, known := f.value(env, e.Args[0]).truth(); {
		case !known:
			return f.value(env, e.Args[1]).join(f.value(env, e.Args[2]))
		case is:
			return f.value(env, e.Args[1])
		}
		return f.value(env, e.Args[2])
	case step.Not:
		s := f.value(env, e.Args[0])
		return span{1 - s.hi, 1 - s.lo}
	case step.And:
		a, b := args()
		return span{min(a.lo, b.lo), min(a.hi, b.hi)}
	case step.Or:
		a, b := args()
		return span{max(a.lo, b.lo), max(a.hi, b.hi)}
	case step.Eq, step.Ne, step.Lt, step.Le, step.Gt, step.Ge:
		if !e.Args[0].Type.Scalar() || e.Args[0].Type.Kind == step.Mutex {
			return either
		}
		a, b := args()
		return compareSpans(e.Op, a, b)
	}
	return leafSpan(e.Type)
}

func compareSpans(op step.Op, a, b span) span {
	switch op {
	case step.Ne:
		s := compareSpans(step.Eq, a, b)
		return span{1 - s.hi, 1 - s.lo}
	case step.Ge:
		return compareSpans(step.Le, b, a)
	case step.Gt:
		return compareSpans(step.Lt, b, a)
	case step.Eq:
		switch {
		case a.meet(b).empty():
			return only(0)
		case a.single() && b.single():
			return only(1)
		}
		return either
	case step.Lt:
		switch {
		case a.hi < b.lo:
			return only(1)
		case a.lo >= b.hi && a.lo != math.MinInt64 && b.hi != math.MaxInt64:
			return only(0)
		}
		return either
	}
	switch { // Le
	case a.hi <= b.lo && a.hi != math.MaxInt64 && b.lo != math.MinInt64:
		return only(1)
	case a.lo > b.hi:
		return only(0)
	}
	return either
}

// refine narrows an environment to the states in which a condition holds or not; nil if there are none.
func (f *frame) refine(env []span, e *step.Expr, want bool) []span {
	if env == nil {
		return nil
	}
	if is, known := f.value(env, e).truth(); known && is != want {
		return nil
	}
	switch e.Op {
	case step.Not:
		return f.refine(env, e.Args[0], !want)
	case step.And, step.Or:
		if (e.Op == step.And) == want {
			return f.refine(f.refine(env, e.Args[0], want), e.Args[1], want)
		}
		for i, a := range e.Args { // one side is known not to be the reason
			if is, known := f.value(env, a).truth(); known && is != want {
				return f.refine(env, e.Args[1-i], want)
			}
		}
	case step.VarRef, step.Part:
		if i, ok := f.known(e); ok {
			env[i] = only(boolWord(want))
		}
	case step.Eq, step.Ne, step.Lt, step.Le, step.Gt, step.Ge:
		if !e.Args[0].Type.Scalar() || e.Args[0].Type.Kind == step.Mutex || wraps(e) {
			return env
		}
		op := e.Op
		if !want {
			op = opposite[op]
		}
		a, b := f.value(env, e.Args[0]), f.value(env, e.Args[1])
		if i, ok := f.known(e.Args[0]); ok {
			if env[i] = narrow(a, op, b); env[i].empty() {
				return nil
			}
		}
		if i, ok := f.known(e.Args[1]); ok {
			if env[i] = narrow(b, mirrorOp[op], a); env[i].empty() {
				return nil
			}
		}
	}
	return env
}

// wraps tells whether an operator computes with integers that wrap around, or compares them.
func wraps(e *step.Expr) bool {
	return e.Op >= step.Neg && e.Op <= step.Ge && e.Op != step.Not && e.Args[0].Type.Kind == step.Sized
}

func boolWord(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

var mirrorOp = map[step.Op]step.Op{step.Eq: step.Eq, step.Ne: step.Ne, step.Lt: step.Gt, step.Gt: step.Lt,
	step.Le: step.Ge, step.Ge: step.Le}

// known is the place of a scalar or of the size of a list in environments, of a variable of the process itself.
func (f *frame) known(e *step.Expr) (slot int, ok bool) {
	if e.Op == step.Size {
		e = e.Args[0]
	} else if !e.Type.Scalar() {
		return 0, false
	}
	if slot, ok = f.ownElement(e); ok && followed(e.Type) {
		return slot, true
	}
	ref, off, array, ok := placeOf(e)
	if !ok || array || !followed(e.Type) || !ref.Var.Shared && ref.Of != step.Own {
		return 0, false
	}
	slot, ok = f.slot[field{ref.Var, off}]
	return slot, ok
}

// narrow is the part of a that can be in the relation to some value of b.
func narrow(a span, op step.Op, b span) span {
	switch op {
	case step.Eq:
		return a.meet(b)
	case step.Ne:
		if b.single() && a.lo == b.lo {
			a.lo++
		}
		if b.single() && a.hi == b.hi {
			a.hi--
		}
	case step.Lt:
		if b.hi != math.MaxInt64 {
			a.hi = min(a.hi, addBound(b.hi, -1))
		}
	case step.Le:
		a.hi = min(a.hi, b.hi)
	case step.Gt:
		if b.lo != math.MinInt64 {
			a.lo = max(a.lo, addBound(b.lo, 1))
		}
	case step.Ge:
		a.lo = max(a.lo, b.lo)
	}
	return a
}
