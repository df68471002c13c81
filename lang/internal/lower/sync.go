package lower

import (
	"cmp"
	"slices"
	"strings"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Operations of synchronisation primitives are checked here; what they are in step form is in package primitive.

// syncOperation emits an operation of a primitive. It reports whether the statement was one.
func syncOperation(x *check.Checker, l *loader, e *syntax.Expr) bool {
	if e.Kind != syntax.EMethod {
		return false
	}
	known := false
	for _, list := range check.Operations {
		known = known || slices.Contains(list, e.Name)
	}
	if !known {
		return false
	}
	t := x.Probe(e.Args[0])
	if t == nil || t.Sync == "" {
		return false
	}
	if !slices.Contains(check.Operations[t.Sync], e.Name) {
		hint := cmp.Or(check.HabitMethod(t, e.Name), "it has "+strings.Join(check.Operations[t.Sync], ", "))
		x.Report(e.NameAt, e.End, hint, "%s has no operation %s", types.String(t), e.Name)
		x.EditMethod(e, hint)
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
		x.Fail(e, hint, "%s takes %s, not %d", e.Name, syntax.Plural(args, "argument"), len(e.Args)-1)
		return true
	}
	p := unmoved(x).Base(e.Args[0], nil)
	if p == nil {
		return true
	}
	switch t.Sync {
	case "cond":
		condOperation(x, e, p)
	case "barrier":
		alternates := x.Processes <= p.Type.Len && !asksRound(l)
		primitive.Barrier{Place: p, Alternates: alternates}.Wait(x.CodeAt(e))
	case "waitgroup":
		waitgroupOperation(x, e, p)
	default:
		map[string]func(*build.Code){
			"sem.acquire": primitive.Semaphore{Place: p}.Acquire, "sem.release": primitive.Semaphore{Place: p}.Release,
			"rwlock.rlock": primitive.RWLock{Place: p}.RLock, "rwlock.runlock": primitive.RWLock{Place: p}.RUnlock,
			"rwlock.wlock": primitive.RWLock{Place: p}.Lock, "rwlock.wunlock": primitive.RWLock{Place: p}.Unlock,
			"chan.close": primitive.Channel{Place: p}.Close,
		}[t.Sync+"."+e.Name](x.CodeAt(e))
	}
	return true
}

// unmoved elaborates where nothing may come before the node that blocks; with single accesses as steps it may.
func unmoved(x *check.Checker) *check.Checker {
	if x.Builder.Split() {
		return x
	}
	return x.Pure()
}

func condOperation(x *check.Checker, e *syntax.Expr, p *step.Expr) {
	c := primitive.Cond{Place: p}
	switch e.Name {
	case "signal":
		c.Signal(x.CodeAt(e))
		return
	case "broadcast":
		c.Broadcast(x.CodeAt(e))
		return
	}
	m := check.MutexAt(unmoved(x), e.Args[1])
	if m == nil || !check.WritesOut(x, e, p.Type.Fields[0].Type) || p.Type.Len > 0 && !mayChoose(x, e, 2) {
		return
	}
	c.Wait(x.CodeAt(e), primitive.Mutex{Place: m})
}

// asksRound reports whether some code may read the round of a barrier. The threads of a slice may be so few that its
// round alternates where that of the program counts: that makes no difference to anything but the round.
func asksRound(l *loader) bool {
	code := l.code()
	for i := range max(0, len(code)-1) {
		if code[i].Text == "." && code[i+1].Text == "round" {
			return true
		}
	}
	return false
}

func waitgroupOperation(x *check.Checker, e *syntax.Expr, p *step.Expr) {
	g := primitive.WaitGroup{Place: p}
	switch e.Name {
	case "add":
		x.Builder.Simple(func() {
			if n := x.Integer(e.Args[1]); n != nil {
				g.Add(x.CodeAt(e), n)
			}
		})
	case "done":
		g.Done(x.CodeAt(e))
	default:
		g.Wait(x.CodeAt(e))
	}
}

// lowerOnce lowers once o { body }: the first thread runs the body, the others wait until it is done.
func lowerOnce(lo *lowering, s *syntax.Stmt) {
	p := unmoved(lo.Checker).Base(s.Place, nil)
	if p == nil || p.Type.Sync != "once" {
		if p != nil {
			lo.Fail(s.Place, "", "this is %s, but a once is needed", types.String(p.Type))
		}
		lo.stmts(s.Body)
		return
	}
	primitive.Once{Place: p}.Do(lo.CodeAt(s.Place), func() {
		lo.stmts(s.Body)
		lo.Builder.Pos, lo.Builder.Text = s.Pos, lo.File.Between(s.Pos, s.HeaderEnd)
	})
}

// lowerWith lowers with lock m { body }: the mutex is released however the body is left.
func lowerWith(lo *lowering, s *syntax.Stmt) {
	b := lo.Builder
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
	lo.withs = append(lo.withs, func() { lo.lock(&unlock) })
	lo.stmts(s.Body)
	lo.withs = lo.withs[:len(lo.withs)-1]
	if len(b.Open) > 0 {
		b.Pos, b.Text = s.Pos, "unlock "+lo.File.Between(s.Place.Pos, s.Place.End)+" (end of with)"
		lo.lock(&unlock)
	}
}

// leaveWiths releases what with blocks hold, down to a number of them.
func leaveWiths(lo *lowering, to int) {
	for i := len(lo.withs) - 1; i >= to; i-- {
		lo.withs[i]()
	}
}
