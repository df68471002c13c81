package check

import (
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
)

// failEffect reports an expression that changes something where only values are asked for.
func failEffect(x *Checker, e *syntax.Expr) *step.Expr {
	hint := ""
	if x.scope.thread() {
		hint = "write it as a statement of its own: let v = " + x.File.Between(e.Pos, e.End)
	}
	return x.Fail(e, hint, "an expression here must not change anything")
}

// tryAcquire emits s.try_acquire() and returns whether it succeeded.
func tryAcquire(x *Checker, e *syntax.Expr, s *step.Expr) *step.Expr {
	if x.Builder == nil {
		return failEffect(x, e)
	}
	return primitive.Semaphore{Place: s}.TryAcquire(x.CodeAt(e))
}

// AtomicOp emits cas, fetch_add or swap. The old value is kept only if it is used.
func AtomicOp(x *Checker, e *syntax.Expr, used bool) *step.Expr {
	p := x.Place(e.Args[0])
	if p == nil {
		return nil
	}
	if types.Pinned(p.Type) {
		return x.Fail(e.Args[0], "use lock, unlock and trylock", "%s does not work on a mutex", e.Name)
	}
	if e.Name == "fetch_add" && !types.IsNumber(p.Type) {
		return x.Fail(e.Args[0], "", "fetch_add needs a number, and this is %s", types.String(p.Type))
	}
	args := make([]*step.Expr, len(e.Args)-1)
	for i, a := range e.Args[1:] {
		if x.Emits(a) {
			p = x.SpillIndices(p)
			for k := range i {
				args[k] = x.Spill(args[k])
			}
		}
		if args[i] = x.Assignable(a, p.Type); args[i] == nil {
			return nil
		}
	}
	switch c := x.CodeAt(e); e.Name {
	case "cas":
		return primitive.CompareAndSwap(c, p, args[0], args[1])
	case "swap":
		return primitive.Swap(c, p, args[0], used)
	default:
		return primitive.FetchAdd(c, p, args[0], used)
	}
}

// tryLock emits an attempt to take a mutex.
func tryLock(x *Checker, e *syntax.Expr) *step.Expr {
	m := MutexAt(x, e.Args[0])
	if m == nil {
		return nil
	}
	if x.Builder == nil {
		return failEffect(x, e)
	}
	return primitive.Mutex{Place: m}.TryLock(x.CodeAt(e))
}

// checkPop emits the removal of an element: the head of a queue, the end of a list.
func checkPop(x *Checker, e *syntax.Expr) *step.Expr {
	if len(e.Args) != 1 {
		return x.Fail(e, "write pop(): the last of a list, the first of a queue; xs.remove(i) removes others",
			"pop takes no arguments")
	}
	p := x.Place(e.Args[0])
	if p == nil {
		return nil
	}
	if !types.IsSequence(p.Type) {
		x.Report(e.NameAt, e.End, "", "%s has no method pop", types.String(p.Type))
		return nil
	}
	result := x.Builder.Temp(p.Type.Elem, e.Pos)
	x.Builder.Plain(func() {
		size := x.Make(e, step.Size, step.IntType, p)
		x.Builder.Emit(step.Node{Kind: step.Check, Cond: x.Make(e, step.Gt, step.BoolType, size, IntConst(e, 0)),
			Fault: step.Empty})
		at, kind := IntConst(e, 0), step.PopHead
		if p.Type.Kind == step.List {
			at, kind = x.Make(e, step.Sub, step.IntType, size, IntConst(e, 1)), step.PopTail
		}
		x.Builder.Assign(result, x.Make(e, step.Index, p.Type.Elem, p, at))
		x.Builder.Emit(step.Node{Kind: kind, Dst: p})
	})
	return result
}

// ChannelAt elaborates an expression that must be a channel.
func ChannelAt(x *Checker, e *syntax.Expr) (c primitive.Channel, ok bool) {
	p := x.Base(e, nil)
	if p != nil && p.Type.Sync != "chan" {
		x.Fail(e, "", "this is %s, but a channel is needed", types.String(p.Type))
		return c, false
	}
	return primitive.Channel{Place: p}, p != nil
}

// Receive elaborates recv c.
func Receive(x *Checker, e *syntax.Expr, used bool) *step.Expr {
	c, ok := channelOf(x, e)
	if !ok {
		return nil
	}
	return c.Receive(x.CodeAt(e), used)
}

// ReceiveOrClosed elaborates the recv c of v, ok = recv c.
func ReceiveOrClosed(x *Checker, e *syntax.Expr, used bool) (value, ok *step.Expr) {
	c, is := channelOf(x, e)
	if !is {
		return nil, nil
	}
	return c.ReceiveOrClosed(x.CodeAt(e), used)
}

// channelOf is the channel of recv c.
func channelOf(x *Checker, e *syntax.Expr) (c primitive.Channel, ok bool) {
	y := x
	if x.Builder == nil {
		failEffect(x, e)
		return c, false
	}
	if !x.Builder.Split() {
		y = x.Pure() // nothing may come before the node that blocks
	}
	return ChannelAt(y, e.Args[0])
}

// changesState demands a place where something may happen.
func changesState(x *Checker, e *syntax.Expr) bool {
	if x.Builder == nil || !x.scope.changes() {
		failEffect(x, e)
		return false
	}
	return true
}
