package step

import (
	"fmt"
	"math"
	"slices"
)

// The code generator: expressions and nodes become Go closures over a Runner, with all offsets, `self` and thread
// parameters resolved for one process. A closure that fails sets Runner.fault and returns anything; faults are looked
// at once per node.

type (
	intFunc  func(r *Runner) int64   // value of a scalar
	spanFunc func(r *Runner) []int64 // words of a value, valid until the next node
	addrFunc func(r *Runner) int     // word of the state where a place begins
	nodeFunc func(r *Runner) int     // runs a node and returns the next one, End or cutShort
)

// cutShort is returned by a failing Assume instead of a successor.
const cutShort = -2

type compiler struct {
	m       *Machine
	own     int  // process that Own means
	inFunc  bool // compiling a function, whose locals are all there is
	p, q    int  // processes that P and Q mean
	scratch int  // words of scratch memory used so far by the present node or expression
	err     error
}

func (x *compiler) fail(format string, args ...any) {
	if x.err == nil {
		x.err = fmt.Errorf(format, args...)
	}
}

// proc is the process that an Of value means.
func (x *compiler) proc(of int) int {
	switch of {
	case Own:
		of = x.own
	case P:
		of = x.p
	case Q:
		of = x.q
	}
	if of < 0 || of >= len(x.m.procs) {
		x.fail("expression means a process that it has not")
		return 0
	}
	return of
}

// constant returns the value of an expression that is the same in all states, as far as that is plain to see.
func (x *compiler) constant(e *Expr) (int64, bool) {
	switch e.Op {
	case Const:
		if len(e.Words) == 1 {
			return e.Words[0], true
		}
	case Self:
		return x.m.Program.Procs[x.proc(e.Of)].Self, true
	case Me:
		return int64(x.proc(e.Of)) + 1, true
	case VarRef:
		if !x.inFunc && !e.Var.Shared && e.Var.Type.Scalar() {
			proc := x.m.Program.Procs[x.proc(e.Of)]
			if x.own >= 0 && !proc.Template.assigns(e.Var) {
				return proc.Init[e.Var.Offset], true
			}
		}
	case Neg, Add, Sub, Mul, Div, Mod, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight:
		a, ok := x.constant(e.Args[0])
		b := int64(0)
		if ok && len(e.Args) == 2 {
			b, ok = x.constant(e.Args[1])
		}
		if ok {
			v, fault := arithmetic(e.Type, e.Op, a, b)
			return v, fault == NoFault
		}
	}
	return 0, false
}

// assigns reports whether any node of the template writes the local.
func (t *Template) assigns(v *Var) bool {
	if t.Pool != nil {
		return true // when it is started
	}
	t.assignedOnce.Do(func() {
		t.assigned = map[*Var]bool{}
		for _, n := range t.Nodes {
			t.assigned[n.Dst.Root()], t.assigned[n.Counter.Root()] = true, true
		}
	})
	return t.assigned[v]
}

// arith computes an arithmetic operator; for Neg b is ignored.
func arith(op Op, a, b int64) (int64, Fault) {
	switch op {
	case Neg:
		if a == -a && a != 0 {
			return 0, Overflow
		}
		return -a, NoFault
	case Add:
		c := a + b
		if (c > a) != (b > 0) && b != 0 {
			return 0, Overflow
		}
		return c, NoFault
	case Sub:
		c := a - b
		if (c < a) != (b > 0) && b != 0 {
			return 0, Overflow
		}
		return c, NoFault
	case Mul:
		if a == 0 || b == 0 {
			return 0, NoFault
		}
		c := a * b
		if c/b != a || (a == -1 && b == c && b < 0) || (b == -1 && a == c && a < 0) {
			return 0, Overflow
		}
		return c, NoFault
	case Div:
		switch {
		case b == 0:
			return 0, DivideByZero
		case b == -1:
			return arith(Neg, a, 0)
		}
		return a / b, NoFault
	default: // Mod
		switch b {
		case 0:
			return 0, DivideByZero
		case -1:
			return 0, NoFault
		}
		return a % b, NoFault
	}
}

// static returns the word where a place begins if that does not depend on the state.
func (x *compiler) static(e *Expr) (int, bool) {
	switch e.Op {
	case VarRef:
		if e.Var.Shared {
			return e.Var.Offset, true
		}
		if x.inFunc {
			return e.Var.Offset, true
		}
		return x.m.procs[x.proc(e.Of)].base + e.Var.Offset, true
	case Part:
		base, ok := x.static(e.Args[0])
		return base + e.Args[0].Type.FieldAt(e.Field), ok
	case Index:
		if e.Args[0].Type.Kind != Array {
			return 0, false
		}
		base, ok := x.static(e.Args[0])
		i, constant := x.constant(e.Args[1])
		if ok && constant && i >= 0 && i < int64(e.Args[0].Type.Len) {
			return base + int(i)*e.Type.Words(), true
		}
	}
	return 0, false
}

// word reports whether the value of a scalar is that of a fixed word of the state: a variable, a part of one, or how
// many elements one has.
func (x *compiler) word(e *Expr) (at int, ok bool) {
	switch {
	case x.m.instr:
		return 0, false
	case e.Op == Size || e.Op == Present:
		e = e.Args[0]
	case !e.Type.Scalar():
		return 0, false
	}
	if !isPlace(e) {
		return 0, false
	}
	return x.static(e)
}

// indexed reports whether a place is an element of an array that begins at a fixed word, from, with the value of
// another fixed word, at, as its index.
func (x *compiler) indexed(e *Expr) (from, at int, ok bool) {
	if e.Op != Index || e.Args[0].Type.Kind != Array || x.m.instr || !e.Args[1].Type.Scalar() || !isPlace(e.Args[1]) {
		return 0, 0, false
	}
	from, fixed := x.static(e.Args[0])
	at, ok = x.static(e.Args[1])
	return from, at, ok && fixed
}

// mayFail reports whether evaluating an expression may raise a fault. False is certain.
func (x *compiler) mayFail(e *Expr) bool {
	switch e.Op {
	case Const, VarRef, Self, Me:
		return false
	case Present, Size, Not, And, Or, Eq, Ne, Lt, Le, Gt, Ge, Cond, Part:
		return slices.ContainsFunc(e.Args, x.mayFail)
	case Index:
		_, ok := x.static(e)
		return !ok
	}
	return true
}

func isPlace(e *Expr) bool { return e.Root() != nil }

// addr compiles a place. A bad index sets the fault and yields the base, which is a valid word.
func (x *compiler) addr(e *Expr) addrFunc {
	if at, ok := x.static(e); ok {
		return func(*Runner) int { return at }
	}
	if !isPlace(e) || e.Op == VarRef {
		x.fail("%s: not a place", e.Pos)
		return func(*Runner) int { return 0 }
	}
	if e.Op == Part {
		base, field := x.addr(e.Args[0]), e.Args[0].Type.FieldAt(e.Field)
		return func(r *Runner) int { return base(r) + field }
	}
	if from, at, ok := x.indexed(e); ok {
		length, width := uint64(e.Args[0].Type.Len), e.Type.Words()
		return func(r *Runner) int {
			i := r.s[at]
			if uint64(i) >= length {
				r.raise(BadIndex)
				return from
			}
			return from + int(i)*width
		}
	}
	base, index := x.addr(e.Args[0]), x.scalar(e.Args[1])
	width := e.Type.Words()
	if t := e.Args[0].Type; t.Kind == Array {
		length := int64(t.Len)
		return func(r *Runner) int {
			at, i := base(r), index(r)
			if uint64(i) >= uint64(length) {
				r.raise(BadIndex)
				return at
			}
			return at + int(i)*width
		}
	}
	instr := x.m.instr
	return func(r *Runner) int {
		at, i := base(r), index(r)
		if instr {
			r.read(at, 1)
		}
		if uint64(i) >= uint64(r.s[at]) {
			r.raise(BadIndex)
			return at
		}
		return at + 1 + int(i)*width
	}
}

func (r *Runner) raise(f Fault) {
	if r.fault == NoFault {
		r.fault = f
	}
}

// scalar compiles an expression whose value is one word.
func (x *compiler) scalar(e *Expr) intFunc {
	if v, ok := x.constant(e); ok {
		return func(*Runner) int64 { return v }
	}
	switch e.Op {
	case VarRef, Index, Part:
		return x.load(e)
	case Unwrap:
		opt := x.span(e.Args[0])
		return func(r *Runner) int64 {
			v := opt(r)
			if v[0] == 0 {
				r.raise(NullValue)
			}
			return v[1]
		}
	case Present, Size:
		if at, ok := x.word(e); ok {
			return func(r *Runner) int64 { return r.s[at] }
		}
		list := x.span(e.Args[0])
		return func(r *Runner) int64 { return list(r)[0] }
	case Neg:
		a, t := x.scalar(e.Args[0]), e.Type
		return func(r *Runner) int64 { return r.arith(t, Neg, a(r), 0) }
	case Add, Sub, Mul, Div, Mod, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight:
		return x.arith(e)
	case Not:
		a := x.scalar(e.Args[0])
		return func(r *Runner) int64 { return a(r) ^ 1 }
	case And:
		a, b := x.scalar(e.Args[0]), x.scalar(e.Args[1])
		return func(r *Runner) int64 {
			if a(r) == 0 || r.fault != NoFault {
				return 0
			}
			return b(r)
		}
	case Or:
		a, b := x.scalar(e.Args[0]), x.scalar(e.Args[1])
		return func(r *Runner) int64 {
			if a(r) != 0 || r.fault != NoFault {
				return 1
			}
			return b(r)
		}
	case Eq, Ne, Lt, Le, Gt, Ge:
		return x.compare(e)
	case Cond:
		c, a, b := x.scalar(e.Args[0]), x.scalar(e.Args[1]), x.scalar(e.Args[2])
		return func(r *Runner) int64 {
			if c(r) != 0 {
				return a(r)
			}
			return b(r)
		}
	}
	return x.scalarOf(e)
}

// load compiles the reading of a word that is in a place, or in a value.
func (x *compiler) load(e *Expr) intFunc {
	if !isPlace(e) {
		words := x.span(e) // of a constant list, for instance
		return func(r *Runner) int64 { return words(r)[0] }
	}
	if at, ok := x.static(e); ok {
		if x.m.instr {
			return func(r *Runner) int64 { r.read(at, 1); return r.s[at] }
		}
		return func(r *Runner) int64 { return r.s[at] }
	}
	if from, at, ok := x.indexed(e); ok {
		length, width := uint64(e.Args[0].Type.Len), e.Type.Words()
		return func(r *Runner) int64 {
			i := r.s[at]
			if uint64(i) >= length {
				r.raise(BadIndex)
				i = 0
			}
			return r.s[from+int(i)*width]
		}
	}
	addr := x.addr(e)
	if x.m.instr {
		return func(r *Runner) int64 { at := addr(r); r.read(at, 1); return r.s[at] }
	}
	return func(r *Runner) int64 { return r.s[addr(r)] }
}

func (r *Runner) arith(t *Type, op Op, a, b int64) int64 {
	v, fault := arithmetic(t, op, a, b)
	if fault != NoFault {
		r.raise(fault)
	}
	return v
}

func (x *compiler) arith(e *Expr) intFunc {
	op, t, a := e.Op, e.Type, x.scalar(e.Args[0])
	if k, ok := x.constant(e.Args[1]); ok && t.Kind != Sized {
		switch {
		case op == Add && k >= 0:
			return func(r *Runner) int64 {
				v := a(r)
				if v+k < v {
					r.raise(Overflow)
				}
				return v + k
			}
		case op == Mod && k > 0:
			return func(r *Runner) int64 { return a(r) % k }
		}
	}
	b := x.scalar(e.Args[1])
	return func(r *Runner) int64 { return r.arith(t, op, a(r), b(r)) }
}

func (x *compiler) compare(e *Expr) intFunc {
	if !e.Args[0].Type.Scalar() {
		a, b, eq := x.span(e.Args[0]), x.span(e.Args[1]), e.Op == Eq
		return func(r *Runner) int64 { return bit(equalWords(a(r), b(r)) == eq) }
	}
	if f := x.compareWord(e); f != nil {
		return f
	}
	a := x.scalar(e.Args[0])
	if k, ok := x.constant(e.Args[1]); ok {
		switch e.Op {
		case Eq:
			return func(r *Runner) int64 { return bit(a(r) == k) }
		case Ne:
			return func(r *Runner) int64 { return bit(a(r) != k) }
		}
	}
	b := x.scalar(e.Args[1])
	if t := e.Args[0].Type; t.Kind == Sized && t.Unsigned && t.Bits == 64 && e.Op != Eq && e.Op != Ne {
		u, v := a, b // with the top bit turned over, signed order is the order of the unsigned values
		a = func(r *Runner) int64 { return u(r) ^ math.MinInt64 }
		b = func(r *Runner) int64 { return v(r) ^ math.MinInt64 }
	}
	switch e.Op {
	case Eq:
		return func(r *Runner) int64 { return bit(a(r) == b(r)) }
	case Ne:
		return func(r *Runner) int64 { return bit(a(r) != b(r)) }
	case Lt:
		return func(r *Runner) int64 { return bit(a(r) < b(r)) }
	case Le:
		return func(r *Runner) int64 { return bit(a(r) <= b(r)) }
	case Gt:
		return func(r *Runner) int64 { return bit(a(r) > b(r)) }
	default:
		return func(r *Runner) int64 { return bit(a(r) >= b(r)) }
	}
}

// compareWord compiles the comparison of a fixed word with a constant, which most guards are; nil for others.
func (x *compiler) compareWord(e *Expr) intFunc {
	at, fixed := x.word(e.Args[0])
	k, constant := x.constant(e.Args[1])
	if t := e.Args[0].Type; !fixed || !constant || t.Kind == Sized && t.Unsigned && t.Bits == 64 {
		return nil
	}
	switch e.Op {
	case Eq:
		return func(r *Runner) int64 { return bit(r.s[at] == k) }
	case Ne:
		return func(r *Runner) int64 { return bit(r.s[at] != k) }
	case Lt:
		return func(r *Runner) int64 { return bit(r.s[at] < k) }
	case Le:
		return func(r *Runner) int64 { return bit(r.s[at] <= k) }
	case Gt:
		return func(r *Runner) int64 { return bit(r.s[at] > k) }
	default:
		return func(r *Runner) int64 { return bit(r.s[at] >= k) }
	}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// equalWords compares two values of kinds that may differ in capacity: lists compare by their elements.
func equalWords(a, b []int64) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for i, v := range a {
		if b[i] != v {
			return false
		}
	}
	for _, v := range b[len(a):] {
		if v != 0 {
			return false
		}
	}
	return true
}

// span compiles an expression to its words.
func (x *compiler) span(e *Expr) spanFunc {
	width := e.Type.Words()
	switch {
	case e.Op == Const:
		words := e.Words
		return func(*Runner) []int64 { return words }
	case isPlace(e):
		addr := x.addr(e)
		if x.m.instr {
			return func(r *Runner) []int64 { at := addr(r); r.read(at, width); return r.s[at : at+width] }
		}
		if at, ok := x.static(e); ok {
			return func(r *Runner) []int64 { return r.s[at : at+width] }
		}
		return func(r *Runner) []int64 { at := addr(r); return r.s[at : at+width] }
	case e.Op == Index:
		base, index, list := x.span(e.Args[0]), x.scalar(e.Args[1]), e.Args[0].Type.Kind != Array
		if e.Args[0].Type.Len == 0 {
			return func(r *Runner) []int64 { r.raise(BadIndex); return make([]int64, width) }
		}
		return func(r *Runner) []int64 {
			words, i := base(r), index(r)
			n := int64(len(words) / width)
			if list {
				n, words = words[0], words[1:]
			}
			if uint64(i) >= uint64(n) {
				r.raise(BadIndex)
				i = 0
			}
			return words[int(i)*width : int(i+1)*width]
		}
	case e.Op == Part:
		base, from := x.span(e.Args[0]), e.Args[0].Type.FieldAt(e.Field)
		return func(r *Runner) []int64 { return base(r)[from : from+width] }
	case e.Op == Cond:
		c, a, b := x.scalar(e.Args[0]), x.span(e.Args[1]), x.span(e.Args[2])
		return func(r *Runner) []int64 {
			if c(r) != 0 {
				return a(r)
			}
			return b(r)
		}
	case e.Op == Unwrap:
		opt := x.span(e.Args[0])
		return func(r *Runner) []int64 {
			v := opt(r)
			if v[0] == 0 {
				r.raise(NullValue)
			}
			return v[1:]
		}
	}
	if f := x.composite(e); f != nil {
		return f
	}
	return x.made(e)
}

// made compiles an expression whose words are in no place: they are written to scratch memory.
func (x *compiler) made(e *Expr) spanFunc {
	width := e.Type.Words()
	at := x.scratch
	x.scratch += width
	switch e.Op {
	case Some:
		store := x.store(e.Type.Elem, e.Args[0])
		return func(r *Runner) []int64 {
			dst := r.scratch[at : at+width]
			dst[0] = 1
			store(r, dst[1:])
			return dst
		}
	case MakeList:
		each := e.Type.Elem.Words()
		stores := make([]storeFunc, len(e.Args))
		for i, a := range e.Args {
			stores[i] = x.store(e.Type.Elem, a)
		}
		if len(e.Args) > e.Type.Len {
			x.fail("%s: %d elements in a list of at most %d", e.Pos, len(e.Args), e.Type.Len)
			stores = nil
		}
		return func(r *Runner) []int64 {
			dst := r.scratch[at : at+width]
			clear(dst)
			dst[0] = int64(len(stores))
			for i, store := range stores {
				store(r, dst[1+i*each:1+(i+1)*each])
			}
			return dst
		}
	}
	value := x.scalar(e)
	return func(r *Runner) []int64 {
		r.scratch[at] = value(r)
		return r.scratch[at : at+1]
	}
}

// storeFunc computes a value into dst, checking the range of the type it is stored as.
type storeFunc func(r *Runner, dst []int64)

func (x *compiler) store(as *Type, e *Expr) storeFunc {
	if !as.Scalar() {
		words := x.span(e)
		return func(r *Runner, dst []int64) {
			src := words(r)
			n := copy(dst, src)
			clear(dst[n:])
		}
	}
	value := x.checked(as, e)
	return func(r *Runner, dst []int64) { dst[0] = value(r) }
}

// checked compiles a scalar that will be stored as the given type.
func (x *compiler) checked(as *Type, e *Expr) intFunc {
	value := x.scalar(e)
	if as.Kind != Range || e.Type.Kind == Range && e.Type.Lo >= as.Lo && e.Type.Hi <= as.Hi {
		return value
	}
	lo, hi := as.Lo, as.Hi
	return func(r *Runner) int64 {
		v := value(r)
		if v < lo || v > hi {
			r.raise(OutOfRange)
		}
		return v
	}
}

// node compiles a node.
func (x *compiler) node(n *Node) nodeFunc {
	next := n.Next
	switch n.Kind {
	case Nop:
		return func(*Runner) int { return next }
	case Assign:
		return x.assign(n)
	case Branch:
		cond, other := x.scalar(n.Cond), n.Else
		if x.m.instr && n.Decides != nil {
			cond = x.deciding(n, cond)
		}
		return func(r *Runner) int {
			if cond(r) != 0 {
				return next
			}
			return other
		}
	case Await:
		if !x.m.instr && !x.mayFail(n.Cond) {
			return func(*Runner) int { return next }
		}
		cond := x.scalar(n.Cond)
		return func(r *Runner) int { cond(r); return next }
	case Check:
		cond, fault := x.scalar(n.Cond), n.Fault
		if x.m.instr && n.Property != nil { // of check.always, say: that is not what the step does
			cond = untraced(cond)
		}
		return func(r *Runner) int {
			if cond(r) == 0 {
				r.raise(fault)
			}
			return next
		}
	case Assume:
		cond := x.scalar(n.Cond)
		return func(r *Runner) int {
			if cond(r) == 0 {
				return cutShort
			}
			return next
		}
	}
	switch n.Kind {
	case Append, PopHead, PopTail:
		return x.change(n)
	case Choose:
		return x.choose(n)
	case Spawn:
		return x.spawn(n)
	}
	x.fail("%s: the machine cannot execute nodes of kind %d", n.Pos, n.Kind)
	return func(*Runner) int { return next }
}

func (x *compiler) assign(n *Node) nodeFunc {
	next, width := n.Next, n.Dst.Type.Words()
	addr := x.addr(n.Dst)
	at, static := x.static(n.Dst)
	instr := x.m.instr
	if n.Dst.Type.Scalar() {
		value := x.checked(n.Dst.Type, n.Src)
		if static && !instr {
			return func(r *Runner) int {
				if v := value(r); r.fault == NoFault {
					r.writes(at, 1)
					r.s[at] = v
				}
				return next
			}
		}
		return func(r *Runner) int {
			v := value(r)
			if to := addr(r); r.fault == NoFault {
				r.writes(to, 1)
				r.s[to] = v
				r.wrote(to, 1)
			}
			return next
		}
	}
	words := x.span(n.Src)
	return func(r *Runner) int {
		src := words(r)
		if to := addr(r); r.fault == NoFault {
			r.writes(to, width)
			dst := r.s[to : to+width]
			k := copy(dst, src)
			clear(dst[k:])
			r.wrote(to, width)
		}
		return next
	}
}

// change compiles the nodes that change the length of a list or queue.
func (x *compiler) change(n *Node) nodeFunc {
	next, t, addr := n.Next, n.Dst.Type, x.addr(n.Dst)
	each, width, limit := t.Elem.Words(), t.Words(), int64(t.Len)
	if n.Kind == Append {
		at := x.scratch
		x.scratch += each
		store := x.store(t.Elem, n.Src)
		return func(r *Runner) int {
			value := r.scratch[at : at+each]
			store(r, value)
			to := addr(r)
			r.read(to, 1)
			size := r.s[to]
			if size >= limit {
				r.raise(Full)
			}
			if r.fault == NoFault {
				at := to + 1 + int(size)*each
				r.writes(to, 1)
				r.writes(at, each)
				copy(r.s[at:], value)
				r.s[to] = size + 1
				r.wrote(to, width)
			}
			return next
		}
	}
	head := n.Kind == PopHead
	return func(r *Runner) int {
		to := addr(r)
		r.read(to, 1)
		size := r.s[to]
		if size == 0 {
			r.raise(Empty)
		}
		if r.fault == NoFault {
			r.writes(to, 1+int(size)*each)
			elems := r.s[to+1 : to+1+int(size)*each]
			if head {
				copy(elems, elems[each:])
			}
			clear(elems[len(elems)-each:])
			r.s[to] = size - 1
			r.wrote(to, width)
		}
		return next
	}
}

// Parts of the guard of a process, looked at one by one, for explaining to people why it does not hold.

// CompileOwn compiles a scalar expression of the code of a process. ok is false when the evaluation failed.
func (m *Machine) CompileOwn(e *Expr, proc int) func(r *Runner, s State) (v int64, ok bool) {
	x := &compiler{m: m, own: proc, p: -1, q: -1}
	f := x.scalar(e)
	return x.guarded(func(r *Runner) int64 { return f(r) })
}

// CompilePlace compiles the word at which a place begins that the code of a process names. ok is false when an index is
// out of range or cannot be evaluated.
func (m *Machine) CompilePlace(e *Expr, proc int) func(r *Runner, s State) (word int64, ok bool) {
	x := &compiler{m: m, own: proc, p: -1, q: -1}
	f := x.addr(e)
	return x.guarded(func(r *Runner) int64 { return int64(f(r)) })
}

// guarded evaluates what has been compiled.
func (x *compiler) guarded(f intFunc) func(r *Runner, s State) (int64, bool) {
	if x.err != nil {
		return func(*Runner, State) (int64, bool) { return 0, false }
	}
	scratch := x.scratch
	return func(r *Runner, s State) (int64, bool) {
		r.prepare(s, scratch)
		v := f(r)
		return v, r.fault == NoFault
	}
}

// EachPlace calls f for every shared place that evaluating the expression reads.
func (e *Expr) EachPlace(f func(place *Expr)) {
	places(e, func(place *Expr, _ bool) { f(place) })
}

// Location is the part of a place that is a location of its own: up to the first list.
func (e *Expr) Location() *Expr { return e.location() }

// Functions are executed with the same closures as threads: while a call runs, the frame takes the place of the state
// and of the scratch memory of the runner. Frames lie on a stack that grows as needed and is then reused.

// frames is the part of a Runner that calls use.
type frames struct {
	stack []int64
	sp    int
	depth int // calls inside each other
	work  int // nodes of functions executed since begin
}

// begin makes the runner ready to evaluate something in a state.
func (r *Runner) begin(s State) {
	r.s, r.fault = s, NoFault
	r.sp, r.depth, r.work = 0, 0, 0
}

// funcCode is a compiled function.
type funcCode struct {
	f       *Func
	nodes   []nodeFunc
	scratch int
}

// compileFunc compiles a function. Its code is entered before it is complete, so that functions may call each other.
func (m *Machine) compileFunc(f *Func) error {
	if m.funcs[f] != nil {
		return nil
	}
	c := &funcCode{f: f}
	m.funcs[f] = c
	x := &compiler{m: m, own: Own, p: -1, q: -1, inFunc: true}
	for _, n := range f.Nodes {
		x.scratch = 0
		c.nodes = append(c.nodes, x.node(n))
		c.scratch = max(c.scratch, x.scratch)
	}
	if x.err != nil {
		return fmt.Errorf("step: function %s: %w", f.Name, x.err)
	}
	return nil
}

// call compiles a call; the code returns the words of the result, valid until the next call.
func (x *compiler) call(e *Expr) spanFunc {
	f := e.Func
	if err := x.m.compileFunc(f); err != nil && x.err == nil {
		x.err = err
	}
	if len(e.Args) != len(f.Params) {
		x.fail("%s: %d arguments for %s", e.Pos, len(e.Args), f.Name)
		return func(*Runner) []int64 { return nil }
	}
	code := x.m.funcs[f]
	args := make([]storeFunc, len(e.Args))
	for i, a := range e.Args {
		args[i] = x.store(f.Params[i].Type, a)
	}
	return func(r *Runner) []int64 { return r.call(code, args) }
}

func (r *Runner) call(c *funcCode, args []storeFunc) []int64 {
	f := c.f
	base, need := r.sp, f.LocalWords+c.scratch
	if base+need > len(r.stack) {
		r.stack = make([]int64, 2*(base+need)) // frames in use keep the old one
	}
	frame, scratch := r.stack[base:base+f.LocalWords], r.stack[base+f.LocalWords:base+need]
	clear(frame)
	r.sp += need
	for i, store := range args {
		v := f.Params[i]
		store(r, frame[v.Offset:v.Offset+v.Type.Words()])
	}
	if r.depth++; r.depth > f.Depth {
		r.raise(TooDeep)
	}
	if r.fault == NoFault {
		s, outer, trace, logging := r.s, r.scratch, r.trace, r.logging
		r.s, r.scratch, r.trace, r.logging = frame, scratch, nil, false
		for node := f.Start; node != End && r.fault == NoFault; {
			if r.work++; r.work > r.m.StepBudget {
				r.raise(EndlessLoop)
			}
			node = c.nodes[node](r)
		}
		r.s, r.scratch, r.trace, r.logging = s, outer, trace, logging
	}
	r.depth--
	r.sp = base
	return frame[f.Result.Offset : f.Result.Offset+f.Result.Type.Words()]
}

// Evaluate computes an expression without variables for the instance self of a thread. ok is false if it has variables.
func Evaluate(e *Expr, self int64) (words []int64, fault Fault, ok bool) {
	if e.Has(func(e *Expr) bool { return e.Op == VarRef || e.Op == Me }) {
		return nil, NoFault, false
	}
	proc := &Proc{Self: self, Template: &Template{}}
	m := &Machine{Program: &Program{Procs: []*Proc{proc}}, StepBudget: DefaultStepBudget, procs: make([]procCode, 1),
		funcs: map[*Func]*funcCode{}}
	x := &compiler{m: m, own: 0, p: -1, q: -1}
	f := x.span(e)
	if x.err != nil {
		return nil, NoFault, false
	}
	r := &Runner{m: m, scratch: make([]int64, x.scratch)}
	r.begin(nil)
	words = f(r)
	return append([]int64(nil), words...), r.fault, true
}
