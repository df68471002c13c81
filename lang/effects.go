package lang

import (
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
)

// tryAcquire emits s.try_acquire() and returns whether it succeeded.
func (x *checker) tryAcquire(e *syntax.Expr, s *step.Expr) *step.Expr {
	if x.builder == nil {
		return x.fail(e, "", "an expression here must not change anything")
	}
	return primitive.Semaphore{Place: s}.TryAcquire(x.codeAt(e))
}

// atomicOp emits cas, fetch_add or swap. The old value is kept only if it is used.
func (x *checker) atomicOp(e *syntax.Expr, used bool) *step.Expr {
	p := x.place(e.Args[0])
	if p == nil {
		return nil
	}
	if types.Pinned(p.Type) {
		return x.fail(e.Args[0], "use lock, unlock and trylock", "%s does not work on a mutex", e.Name)
	}
	if e.Name == "fetch_add" && !types.IsNumber(p.Type) {
		return x.fail(e.Args[0], "", "fetch_add needs a number, and this is %s", types.String(p.Type))
	}
	args := make([]*step.Expr, len(e.Args)-1)
	for i, a := range e.Args[1:] {
		if x.emits(a) {
			p = x.spillIndices(p)
			for k := range i {
				args[k] = x.spill(args[k])
			}
		}
		if args[i] = x.assignable(a, p.Type); args[i] == nil {
			return nil
		}
	}
	switch c := x.codeAt(e); e.Name {
	case "cas":
		return primitive.CompareAndSwap(c, p, args[0], args[1])
	case "swap":
		return primitive.Swap(c, p, args[0], used)
	default:
		return primitive.FetchAdd(c, p, args[0], used)
	}
}

// trylock emits an attempt to take a mutex.
func (x *checker) trylock(e *syntax.Expr) *step.Expr {
	m := x.mutex(e.Args[0])
	if m == nil {
		return nil
	}
	if x.builder == nil {
		return x.fail(e, "", "an expression here must not change anything")
	}
	return primitive.Mutex{Place: m}.TryLock(x.codeAt(e))
}

// pop emits the removal of an element: the head of a queue, the end of a list.
func (x *checker) pop(e *syntax.Expr) *step.Expr {
	if len(e.Args) != 1 {
		return x.fail(e, "", "pop takes no arguments")
	}
	p := x.place(e.Args[0])
	if p == nil {
		return nil
	}
	if !types.IsSequence(p.Type) {
		x.Report(e.NameAt, e.End, "", "%s has no method pop", types.String(p.Type))
		return nil
	}
	result := x.builder.Temp(p.Type.Elem, e.Pos)
	x.builder.Unit(func() {
		size := x.make(e, step.Size, step.IntType, p)
		x.builder.Emit(step.Node{Kind: step.Check, Cond: x.make(e, step.Gt, step.BoolType, size, intConst(e, 0)), Fault: step.Empty})
		at, kind := intConst(e, 0), step.PopHead
		if p.Type.Kind == step.List {
			at, kind = x.make(e, step.Sub, step.IntType, size, intConst(e, 1)), step.PopTail
		}
		x.builder.Assign(result, x.make(e, step.Index, p.Type.Elem, p, at))
		x.builder.Emit(step.Node{Kind: kind, Dst: p})
	})
	return result
}

// channelAt elaborates an expression that must be a channel.
func (x *checker) channelAt(e *syntax.Expr) (c primitive.Channel, ok bool) {
	p := x.base(e, nil)
	if p != nil && p.Type.Sync != "chan" {
		x.fail(e, "", "this is %s, but a channel is needed", types.String(p.Type))
		return c, false
	}
	return primitive.Channel{Place: p}, p != nil
}

// receive elaborates recv c.
func (x *checker) receive(e *syntax.Expr, used bool) *step.Expr {
	y := x
	if x.builder == nil {
		return x.fail(e, "", "an expression here must not change anything")
	}
	if !x.builder.split() {
		y = x.pure() // nothing may come before the node that blocks
	}
	c, ok := y.channelAt(e.Args[0])
	if !ok {
		return nil
	}
	return c.Receive(x.codeAt(e), used)
}

// changes demands a place where something may happen.
func (x *checker) changes(e *syntax.Expr) bool {
	if x.builder == nil || !x.scope.changes() {
		x.fail(e, "", "an expression here must not change anything")
		return false
	}
	return true
}
