package lang

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// Synchronisation primitives are records of shared words. Their operations are lowered to guards, assignments and checks:
// nothing behind the front end knows them. Parts that belong to one process are elements of an array of their own, so that
// processes which do not disturb each other touch different locations.

// primitive makes the type of a primitive. n is its number: the initial count of a sem, the threads of a barrier.
func (l *loader) primitive(name string, n int, spurious bool) *step.Type {
	key := fmt.Sprint(name, n, spurious)
	if t := l.primitives[key]; t != nil {
		return t
	}
	t := &step.Type{Kind: step.Record, Sync: name, Len: n}
	field := func(name string, ft *step.Type) { t.Fields = append(t.Fields, step.Field{Name: name, Type: ft}) }
	switch name {
	case "sem", "waitgroup":
		field("count", step.IntType)
	case "rwlock":
		field("writer", step.MutexType)
		field("readers", &step.Type{Kind: step.Array, Elem: step.BoolType, Len: l.processes})
	case "cond":
		if spurious {
			t.Len = 1
		}
		field("waiters", &step.Type{Kind: step.Queue, Elem: step.MutexType, Len: l.processes})
	case "barrier":
		field("arrived", step.IntType)
		field("round", step.IntType)
	case "once":
		field("begun", step.BoolType)
		field("done", step.BoolType)
	}
	l.primitives[key] = t
	return t
}

// syncString is a primitive's type in source syntax.
func syncString(t *step.Type) string {
	switch {
	case t.Sync == "sem" || t.Sync == "barrier":
		return fmt.Sprintf("%s(%d)", t.Sync, t.Len)
	case t.Sync == "cond" && t.Len == 1:
		return "cond(spurious)"
	case t.Sync == "chan" && t.Len > 0:
		return fmt.Sprintf("chan[%s, %d]", structure(t.Elem), t.Len)
	case t.Sync == "chan":
		return fmt.Sprintf("chan[%s]", structure(t.Elem))
	}
	return t.Sync
}

// operations of the primitives, which are statements.
var operations = map[string][]string{
	"sem": {"acquire", "release"}, "rwlock": {"rlock", "runlock", "wlock", "wunlock"}, "cond": {"wait", "signal", "broadcast"},
	"barrier": {"wait"}, "waitgroup": {"add", "done", "wait"}, "chan": {"close"}, "once": nil,
}

// operation emits an operation of a primitive. It reports whether the statement was one.
func (lo *lowering) operation(e *syntax.Expr) bool {
	if e.Kind != syntax.EMethod {
		return false
	}
	known := false
	for _, list := range operations {
		known = known || slices.Contains(list, e.Name)
	}
	if !known {
		return false
	}
	t := lo.probe(e.Args[0])
	if t == nil || t.Sync == "" {
		return false
	}
	if !slices.Contains(operations[t.Sync], e.Name) {
		hint := cmp.Or(habitMethod(t, e.Name), "it has "+strings.Join(operations[t.Sync], ", "))
		lo.Report(e.NameAt, e.End, hint, "%s has no operation %s", typeString(t), e.Name)
		lo.EditMethod(e, hint)
		return true
	}
	args := 0
	if t.Sync == "cond" && e.Name == "wait" || e.Name == "add" {
		args = 1
	}
	if len(e.Args) != 1+args {
		hint := ""
		if t.Sync == "cond" {
			hint = "write c.wait(m), with the mutex to release while waiting"
		}
		lo.errorf(e, hint, "%s takes %s, not %d", e.Name, syntax.Plural(args, "argument"), len(e.Args)-1)
		return true
	}
	p := lo.unmoved().base(e.Args[0], nil)
	if p == nil {
		return true
	}
	switch t.Sync {
	case "sem":
		lo.semaphore(e, p)
	case "rwlock":
		lo.rwlock(e, p)
	case "cond":
		lo.cond(e, p)
	case "barrier":
		lo.barrier(e, p)
	case "waitgroup":
		lo.waitgroup(e, p)
	case "chan":
		lo.closeChannel(e, p)
	}
	return true
}

// unmoved elaborates where nothing may come before the node that blocks; with single accesses as steps it may.
func (lo *lowering) unmoved() *elab {
	if lo.b.split() {
		return lo.elab
	}
	return lo.pure()
}

func (lo *lowering) await(cond *step.Expr) {
	if cond != nil {
		lo.b.Emit(step.Node{Kind: step.Await, Cond: cond})
	}
}

func (lo *lowering) check(cond *step.Expr, fault step.Fault, msg string) {
	if cond != nil {
		lo.b.Emit(step.Node{Kind: step.Check, Cond: cond, Fault: fault, Msg: msg})
	}
}

func (lo *lowering) plus(e *syntax.Expr, v *step.Expr, k int64) {
	op := step.Add
	if k < 0 {
		op, k = step.Sub, -k
	}
	lo.b.Assign(v, lo.make(e, op, step.IntType, v, intConst(e, k)))
}

func (lo *lowering) positive(e *syntax.Expr, v *step.Expr) *step.Expr {
	return lo.make(e, step.Gt, step.BoolType, v, intConst(e, 0))
}

func (lo *lowering) not(e *syntax.Expr, v *step.Expr) *step.Expr {
	return lo.make(e, step.Not, step.BoolType, v)
}

func (lo *lowering) set(e *syntax.Expr, v *step.Expr, to int64) {
	lo.b.Assign(v, constant(e, v.Type, to))
}

// free and mine ask who holds a word of type Mutex.
func (lo *lowering) free(e *syntax.Expr, m *step.Expr) *step.Expr {
	return lo.make(e, step.Eq, step.BoolType, m, constant(e, step.MutexType, 0))
}

func (lo *lowering) mine(e *syntax.Expr, m *step.Expr) *step.Expr {
	return lo.make(e, step.Eq, step.BoolType, m, lo.me(e, step.Own))
}

// number0 is the number of a process among all, from 0.
func (x *elab) number0(e *syntax.Expr, of int) *step.Expr {
	return x.make(e, step.Sub, step.IntType, x.me(e, of), intConst(e, 1))
}

func (lo *lowering) semaphore(e *syntax.Expr, s *step.Expr) {
	count := lo.partNamed(e, s, "count")
	lo.b.Unit(func() {
		if e.Name == "release" {
			lo.plus(e, count, 1)
			return
		}
		lo.await(lo.positive(e, count))
		lo.plus(e, count, -1)
	})
}

// tryAcquire emits s.try_acquire() and returns whether it succeeded.
func (x *elab) tryAcquire(e *syntax.Expr, s *step.Expr) *step.Expr {
	if x.b == nil {
		return x.errorf(e, "", "an expression here must not change anything")
	}
	count := x.partNamed(e, s, "count")
	result := x.b.Temp(step.BoolType, e.Pos)
	x.b.Unit(func() {
		x.b.Assign(result, x.make(e, step.Gt, step.BoolType, count, intConst(e, 0)))
		skip := x.b.Branch(result)
		x.b.Assign(count, x.make(e, step.Sub, step.IntType, count, intConst(e, 1)))
		x.b.Open = append(x.b.Open, skip)
	})
	return result
}

// rwlock has no preference: whoever can go on may do so.
func (lo *lowering) rwlock(e *syntax.Expr, s *step.Expr) {
	writer, readers := lo.partNamed(e, s, "writer"), lo.partNamed(e, s, "readers")
	own := lo.make(e, step.Index, step.BoolType, readers, lo.number0(e, step.Own))
	lo.b.Unit(func() {
		switch e.Name {
		case "rlock":
			lo.await(lo.free(e, writer))
			lo.check(lo.not(e, own), step.Misused, "this thread already holds the lock for reading")
			lo.set(e, own, 1)
		case "runlock":
			lo.check(own, step.NotHeld, "")
			lo.set(e, own, 0)
		case "wlock":
			can := lo.free(e, writer)
			for i := range readers.Type.Len {
				reading := lo.make(e, step.Index, step.BoolType, readers, intConst(e, int64(i)))
				can = lo.make(e, step.And, step.BoolType, can, lo.not(e, reading))
			}
			lo.await(can)
			lo.b.Assign(writer, lo.me(e, step.Own))
		case "wunlock":
			lo.check(lo.mine(e, writer), step.NotHeld, "")
			lo.set(e, writer, 0)
		}
	})
}

// cond wakes the threads in the order in which they began to wait. One that may wake up by itself decides at the start
// of its wait whether it will.
func (lo *lowering) cond(e *syntax.Expr, c *step.Expr) {
	b := lo.b
	waiters := lo.partNamed(e, c, "waiters")
	size := lo.make(e, step.Size, step.IntType, waiters)
	switch e.Name {
	case "signal":
		b.Unit(func() {
			skip := b.Branch(lo.positive(e, size))
			b.Emit(step.Node{Kind: step.PopHead, Dst: waiters})
			b.Open = append(b.Open, skip)
		})
		return
	case "broadcast":
		b.Unit(func() { b.Assign(waiters, constant(e, waiters.Type, make([]int64, waiters.Type.Words())...)) })
		return
	}
	m := lo.unmoved().mutex(e.Args[1])
	if m == nil {
		return
	}
	b.Unit(func() {
		lo.check(lo.mine(e, m), step.NotHeld, "")
		lo.set(e, m, 0)
		b.Emit(step.Node{Kind: step.Append, Dst: waiters, Src: lo.me(e, step.Own)})
	})
	waiting := lo.among(e, waiters, lo.me(e, step.Own))
	if waiting == nil {
		return
	}
	wake := func() {
		lo.await(lo.make(e, step.And, step.BoolType, lo.not(e, waiting), lo.free(e, m)))
		b.Assign(m, lo.me(e, step.Own))
	}
	if c.Type.Len == 0 {
		b.Unit(wake)
		return
	}
	itself := lo.choose(e, intConst(e, 2), "wake-up by signal", "wake-up by itself")
	if itself == nil {
		return
	}
	signalled := b.Branch(lo.make(e, step.Eq, step.BoolType, itself, intConst(e, 1)))
	b.Unit(func() {
		lo.await(lo.free(e, m))
		b.Assign(m, lo.me(e, step.Own))
		lo.withdraw(e, waiters)
	})
	after := b.Open
	b.Open = []*int{signalled}
	b.Unit(wake)
	b.Open = append(b.Open, after...)
}

// withdraw takes the calling process out of a queue: every element is moved from the head to the end, except its own.
func (lo *lowering) withdraw(e *syntax.Expr, waiters *step.Expr) {
	b := lo.b
	left, head := b.Temp(step.IntType, e.Pos), b.CheckedTemp(step.MutexType, e.Pos)
	b.Assign(left, lo.make(e, step.Size, step.IntType, waiters))
	loop := len(b.Nodes)
	exit := b.Branch(lo.positive(e, left))
	lo.plus(e, left, -1)
	b.Assign(head, lo.make(e, step.Index, step.MutexType, waiters, intConst(e, 0)))
	b.Emit(step.Node{Kind: step.PopHead, Dst: waiters})
	other := b.Branch(lo.mine(e, head))
	b.Connect(b.Open, loop)
	b.Open = []*int{other}
	b.Emit(step.Node{Kind: step.Append, Dst: waiters, Src: head})
	b.Connect(b.Open, loop)
	b.Open = []*int{exit}
}

// barrier lowers b.wait(): who waits goes on when the round is another one than it came to.
//
// If there are at most n processes and nothing reads the round, it alternates between 0 and 1, so that a loop around a barrier(n) comes back to
// the same states. No waiting process misses its round then: let p wait, having read r. The round became 1-r when the last
// of n processes came, and becomes r again only when n have come after that. All but the last of these wait until the round
// changes, so they are n different processes, and p, which has not gone on, is none of them: there are n+1. With more
// processes than n that happens, and the round counts. The threads of a slice may be so few that its round alternates where that of the
// program counts: that makes no difference to anything but the round.
func (lo *lowering) barrier(e *syntax.Expr, s *step.Expr) {
	b := lo.b
	arrived, round := lo.partNamed(e, s, "arrived"), lo.partNamed(e, s, "round")
	var mine, last *step.Expr
	b.Unit(func() {
		mine, last = b.Temp(step.IntType, e.Pos), b.Temp(step.BoolType, e.Pos)
		b.Assign(mine, round)
		lo.plus(e, arrived, 1)
		b.Assign(last, lo.make(e, step.Eq, step.BoolType, arrived, intConst(e, int64(s.Type.Len))))
		skip := b.Branch(last)
		lo.set(e, arrived, 0)
		if lo.loader.processes <= s.Type.Len && !roundRead().MatchString(lo.loader.text()) {
			b.Assign(round, lo.make(e, step.Sub, step.IntType, intConst(e, 1), round))
		} else {
			lo.plus(e, round, 1)
		}
		b.Open = append(b.Open, skip)
	})
	done := b.Branch(lo.not(e, last))
	b.Unit(func() { lo.await(lo.make(e, step.Ne, step.BoolType, round, mine)) })
	b.Open = append(b.Open, done)
}

// roundRead finds what may read the round of a barrier.
var roundRead = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.\s*round\b`) })

func (lo *lowering) waitgroup(e *syntax.Expr, s *step.Expr) {
	b := lo.b
	count := lo.partNamed(e, s, "count")
	switch e.Name {
	case "add":
		b.Simple(func() {
			if n := lo.number(e.Args[1]); n != nil {
				b.Unit(func() {
					b.Assign(count, lo.make(e, step.Add, step.IntType, count, n))
					lo.check(lo.make(e, step.Ge, step.BoolType, count, intConst(e, 0)), step.Misused, "negative count of a waitgroup")
				})
			}
		})
	case "done":
		b.Unit(func() {
			lo.check(lo.positive(e, count), step.Misused, "negative count of a waitgroup")
			lo.plus(e, count, -1)
		})
	default:
		b.Unit(func() { lo.await(lo.make(e, step.Eq, step.BoolType, count, intConst(e, 0))) })
	}
}

// once lowers once o { body }: the first thread runs the body, the others wait until it is done.
func (lo *lowering) once(s *syntax.Stmt) {
	b, e := lo.b, s.Place
	p := lo.unmoved().base(e, nil)
	if p == nil || p.Type.Sync != "once" {
		if p != nil {
			lo.errorf(e, "", "this is %s, but a once is needed", typeString(p.Type))
		}
		lo.stmts(s.Body)
		return
	}
	begun, done := lo.partNamed(e, p, "begun"), lo.partNamed(e, p, "done")
	first := b.Temp(step.BoolType, e.Pos)
	b.Unit(func() {
		lo.await(lo.make(e, step.Or, step.BoolType, lo.not(e, begun), done))
		b.Assign(first, lo.not(e, begun))
		lo.set(e, begun, 1)
	})
	skip := b.Branch(first)
	lo.stmts(s.Body)
	b.Pos, b.Text = s.Pos, lo.File.Between(s.Pos, s.HeaderEnd)
	b.Unit(func() { lo.set(e, done, 1) })
	b.Open = append(b.Open, skip)
}

// with lowers with lock m { body }: the mutex is released however the body is left.
func (lo *lowering) with(s *syntax.Stmt) {
	b := lo.b
	lock := *s
	lock.Kind = syntax.SLock
	before := lo.Count()
	lo.lock(&lock)
	if lo.Count() > before {
		lo.stmts(s.Body)
		return
	}
	unlock := lock
	unlock.Kind = syntax.SUnlock
	b.withs = append(b.withs, func() { lo.lock(&unlock) })
	lo.stmts(s.Body)
	b.withs = b.withs[:len(b.withs)-1]
	if len(b.Open) > 0 {
		b.Pos, b.Text = s.Pos, lo.File.Between(s.Pos, s.HeaderEnd)
		lo.lock(&unlock)
	}
}

// leave releases what with blocks hold, down to a number of them.
func (lo *lowering) leave(to int) {
	for i := len(lo.b.withs) - 1; i >= to; i-- {
		lo.b.withs[i]()
	}
}
