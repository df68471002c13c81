package synth

import (
	"math"
	"slices"

	"cdpor/lang/step"
)

// Ranges of variables, by abstract interpretation: for each process and node an interval per local variable, and one
// interval per shared variable for the whole execution, whatever the schedule. An array has one interval for all its
// elements. Each process is analysed by itself because its parameters and its number are known, which makes most indices
// exact; shared variables are what any process may have written.

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

// flat types are scalars and arrays of them: their variables are followed. Integers that wrap around are not.
func flat(t *step.Type) bool {
	for t.Kind == step.Array {
		t = t.Elem
	}
	return t.Scalar() && t.Kind != step.Mutex && t.Kind != step.Sized
}

// leafSpan is what the type of a variable's elements allows.
func leafSpan(t *step.Type) span {
	for t.Kind == step.Array {
		t = t.Elem
	}
	switch t.Kind {
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

// ranges is the analysis of a program.
type ranges struct {
	prog    *step.Program
	shared  map[*step.Var]span // empty if shared variables may hold anything
	marks   []int64            // where widening stops: the numbers of the program
	changed bool
	round   int
}

// hastyRounds is after how many rounds shared variables are widened, patience after how many visits a node is.
const (
	hastyRounds = 4
	patience    = 12
)

// A frame is the analysis of one process.
type frame struct {
	a    *ranges
	proc *step.Proc
	slot map[*step.Var]int // place of a local in environments
	at   [][]span          // per node the environment before it; nil: not reached
	n    []int             // visits
}

// analyse computes the ranges of a program; the environments are those of each process. Unless together is set, shared
// variables may hold anything their types allow.
func analyse(prog *step.Program, together bool) (*ranges, []*frame) {
	a := &ranges{prog: prog, shared: map[*step.Var]span{}}
	for _, v := range prog.Shared {
		if together && flat(v.Type) {
			a.shared[v] = spanOf(prog.Init[v.Offset : v.Offset+v.Type.Words()])
		}
	}
	a.forgetStarted()
	a.collectMarks()
	var frames []*frame
	for a.changed = true; a.changed; a.round++ {
		a.changed, frames = false, nil
		for _, p := range prog.Procs {
			frames = append(frames, a.process(p))
		}
	}
	return a, frames
}

// forgetStarted gives up what the starting of processes writes, which is not followed.
func (a *ranges) forgetStarted() {
	forget := func(v *step.Var) {
		if v != nil && v.Shared && flat(v.Type) {
			a.shared[v] = leafSpan(v.Type)
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
				forget(root(n.Counter))
			}
		}
	}
}

// initially is what a local may be at first: anything where it is given when the process is started.
func initially(p *step.Proc, v *step.Var) span {
	if p.Template.Pool != nil {
		return leafSpan(v.Type)
	}
	return spanOf(p.Init[v.Offset : v.Offset+v.Type.Words()])
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
func (a *ranges) assign(v *step.Var, s span) {
	old, ok := a.shared[v]
	if !ok {
		return
	}
	s = old.join(s.meet(leafSpan(v.Type)))
	if s == old {
		return
	}
	switch {
	case a.round > 3*hastyRounds:
		s = leafSpan(v.Type)
	case a.round > hastyRounds:
		s = a.widen(old, s).meet(leafSpan(v.Type))
	}
	a.shared[v], a.changed = s, true
}

// process analyses one process for the present ranges of the shared variables.
func (a *ranges) process(p *step.Proc) *frame {
	t := p.Template
	f := &frame{a: a, proc: p, slot: map[*step.Var]int{}, at: make([][]span, len(t.Nodes)), n: make([]int, len(t.Nodes))}
	env := []span{} // nil means unreachable
	for _, v := range t.Locals {
		if flat(v.Type) {
			f.slot[v] = len(env)
			env = append(env, initially(p, v))
		}
	}
	var work []int
	reach := func(node int, env []span) {
		if node == step.End || env == nil {
			return
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
			case f.n[node] > 100*patience:
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
	reach(t.Start, env)
	for len(work) > 0 {
		i := work[0]
		work = work[1:]
		env := slices.Clone(f.at[i])
		n := t.Nodes[i]
		switch n.Kind {
		case step.Branch:
			reach(n.Next, f.refine(slices.Clone(env), n.Cond, true))
			reach(n.Else, f.refine(env, n.Cond, false))
			continue
		case step.Await, step.Check, step.Assume:
			env = f.refine(env, n.Cond, true)
		case step.Assign:
			f.assign(env, n)
		case step.Choose:
			f.forget(env, n)
			if i, ok := f.local(n.Dst); ok {
				if k := f.value(env, n.Src); k.hi != math.MaxInt64 {
					env[i] = span{0, max(k.hi-1, 0)}
				}
			}
		case step.Nop, step.Append, step.PopHead, step.PopTail: // lists are not followed
		default:
			f.forget(env, n)
			if n.Counter != nil {
				f.forget(env, &step.Node{Dst: n.Counter})
			}
		}
		reach(n.Next, env)
	}
	return f
}

func (f *frame) assign(env []span, n *step.Node) {
	v := root(n.Dst)
	if v == nil || !flat(v.Type) {
		return
	}
	var s span
	if n.Src.Type.Scalar() {
		s = f.value(env, n.Src)
	} else {
		s = f.elements(env, n.Src)
	}
	if s = s.meet(leafSpan(v.Type)); s.empty() {
		return // it fails
	}
	if v.Shared {
		f.a.assign(v, s)
		return
	}
	if i := f.slot[v]; n.Dst.Op == step.VarRef {
		env[i] = s
	} else {
		env[i] = env[i].join(s)
	}
}

// forget is for nodes that may store anything.
func (f *frame) forget(env []span, n *step.Node) {
	if n.Dst == nil {
		return
	}
	v := root(n.Dst)
	if v == nil || !flat(v.Type) {
		return
	}
	if v.Shared {
		f.a.assign(v, leafSpan(v.Type))
	} else {
		env[f.slot[v]] = leafSpan(v.Type)
	}
}

// elements is the range of all elements of an array value.
func (f *frame) elements(env []span, e *step.Expr) span {
	if v := root(e); v != nil && flat(v.Type) {
		return f.variable(env, e, v)
	}
	if e.Op == step.Const {
		return spanOf(e.Words)
	}
	return leafSpan(e.Type)
}

func (f *frame) variable(env []span, e *step.Expr, v *step.Var) span {
	for e.Op == step.Index {
		e = e.Args[0]
	}
	switch {
	case v.Shared:
		if s, ok := f.a.shared[v]; ok {
			return s
		}
	case e.Of == step.Own || e.Of == step.P: // a process by itself; P is the one a fact is about
		return env[f.slot[v]]
	}
	return leafSpan(v.Type)
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
	case step.VarRef, step.Index:
		if v := root(e); v != nil && flat(v.Type) {
			return f.variable(env, e, v).meet(leafSpan(e.Type))
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
	case step.VarRef:
		if i, ok := f.local(e); ok {
			env[i] = env[i].meet(only(boolWord(want)))
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
		if i, ok := f.local(e.Args[0]); ok {
			if env[i] = narrow(env[i], op, b); env[i].empty() {
				return nil
			}
		}
		if i, ok := f.local(e.Args[1]); ok {
			if env[i] = narrow(env[i], mirrorOp[op], a); env[i].empty() {
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

var mirrorOp = map[step.Op]step.Op{step.Eq: step.Eq, step.Ne: step.Ne, step.Lt: step.Gt, step.Gt: step.Lt, step.Le: step.Ge, step.Ge: step.Le}

func (f *frame) local(e *step.Expr) (slot int, ok bool) {
	if e.Op != step.VarRef || e.Var.Shared || e.Of != step.Own || !e.Var.Type.Scalar() {
		return 0, false
	}
	slot, ok = f.slot[e.Var]
	return
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
