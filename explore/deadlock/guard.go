package deadlock

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"
)

// A guard is taken apart in the state in which it is false.
type guard struct {
	*Explainer
	s    step.State
	proc int
	h    *history // nil: not known
}

// word is where a place begins.
func (g *guard) word(place *step.Expr) (int, bool) {
	w, ok := g.m.CompilePlace(place, g.proc)(g.r, g.s)
	return int(w), ok
}

// needs splits a false condition into what must all become true.
func (g *guard) needs(e *step.Expr) (list []Need) {
	if c, ok := g.primitive(e); ok {
		return []Need{{Any: []Condition{c}}}
	}
	if and := conjuncts(e); len(and) > 1 {
		for _, part := range and {
			if v, ok := g.m.CompileOwn(part, g.proc)(g.r, g.s); ok && v == 0 {
				list = append(list, g.needs(part)...)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return []Need{{Any: g.any(e)}}
}

// any splits a false condition into those that are enough one by one. What only the process itself could make true,
// besides others, is left out.
func (g *guard) any(e *step.Expr) (list []Condition) {
	if c, ok := g.primitive(e); ok {
		return []Condition{c}
	}
	var or []*step.Expr
	switch {
	case e.Op == step.Or:
		or = e.Args
	case e.Op == step.Not && e.Args[0].Op == step.And:
		or = []*step.Expr{negated(e.Args[0].Args[0]), negated(e.Args[0].Args[1])}
	}
	for _, part := range or {
		if part.TouchesShared() {
			list = append(list, g.any(part)...)
		}
	}
	if len(list) > 0 {
		return list
	}
	return []Condition{g.data(e)}
}

func conjuncts(e *step.Expr) []*step.Expr {
	switch {
	case e.Op == step.And:
		return append(conjuncts(e.Args[0]), conjuncts(e.Args[1])...)
	case e.Op == step.Not && e.Args[0].Op == step.Or:
		return []*step.Expr{negated(e.Args[0].Args[0]), negated(e.Args[0].Args[1])}
	}
	return []*step.Expr{e}
}

func negated(e *step.Expr) *step.Expr {
	if e.Op == step.Not {
		return e.Args[0]
	}
	return &step.Expr{Op: step.Not, Type: e.Type, Pos: e.Pos, Args: []*step.Expr{e}, Of: step.Own}
}

// primitive recognises the condition of an operation of the language.
func (g *guard) primitive(e *step.Expr) (c Condition, ok bool) {
	if c, ok = g.operation(e); ok && c.stray {
		c.State += " where " + g.readings(e, c.own)
	}
	return c, ok
}

func (g *guard) operation(e *step.Expr) (c Condition, ok bool) {
	if box := g.mailbox(e); box != nil {
		c = g.about(e, Message, box)
		c.since(g)
		c.State = "no message has come that is wanted: " + g.text(box)
		if w, ok := g.word(box); ok && g.s[w] == 0 {
			c.State = c.What + " is empty"
		}
		return c, true
	}
	switch e.Op {
	case step.Eq, step.Ne, step.Gt:
		return g.comparison(e)
	case step.Not:
		return g.negation(e)
	case step.Or:
		return g.either(e)
	}
	return c, false
}

// comparison recognises what waits for a lock, a semaphore, a waitgroup or a barrier.
func (g *guard) comparison(e *step.Expr) (c Condition, ok bool) {
	place, other := e.Args[0], e.Args[1]
	if place.Root() == nil || !place.Root().Shared {
		return c, false
	}
	of, field := part(place)
	zero := other.Op == step.Const && len(other.Words) == 1 && other.Words[0] == 0
	switch {
	case e.Op == step.Eq && zero && place.Type.Kind == step.Mutex && field != "sender":
		return g.held(e, place)
	case e.Op == step.Gt && zero && of != nil && of.Type.Sync == "sem":
		c = g.about(e, Semaphore, of)
		c.since(g)
		c.State = c.What + " has count " + g.text(place)
	case e.Op == step.Eq && zero && of != nil && of.Type.Sync == "waitgroup":
		c = g.about(e, Group, of)
		c.since(g)
		c.State = c.What + " has count " + g.text(place)
	case e.Op == step.Ne && of != nil && of.Type.Sync == "barrier" && field == "round":
		c = g.about(e, Barrier, of)
		arrived := *place
		arrived.Field = slices.IndexFunc(of.Type.Fields, func(f step.Field) bool { return f.Name == "arrived" })
		c.State = fmt.Sprintf("%s of %d have come to %s", g.text(&arrived), of.Type.Len, c.What)
	default:
		return c, false
	}
	return c, true
}

// held is a mutex or writer that is to become free.
func (g *guard) held(e, place *step.Expr) (c Condition, ok bool) {
	word, ok := g.word(place)
	if !ok || g.s[word] <= 0 || g.s[word] > int64(g.m.NumProcs()) {
		return c, false
	}
	what := place
	if of, field := part(place); of != nil && field == "writer" {
		what = of
	}
	c = g.about(e, Lock, what)
	c.Holder = g.holder(int(g.s[word]-1), word)
	c.State = c.What + " held by " + c.Holder.Process
	return c, true
}

// negation recognises what waits for a signal, for a reader to leave, or for an actor.
func (g *guard) negation(e *step.Expr) (c Condition, ok bool) {
	inner := e.Args[0]
	if waiters := waitersOf(inner); waiters != nil {
		of, _ := part(waiters)
		c = g.about(e, Signal, of)
		c.State = "no signal at " + c.What
		if word, ok := g.word(waiters); ok && g.h != nil {
			c.Began = g.h.joined(word, g.proc)
			c.Signals = g.h.signals(word, g.proc, c.Began)
		}
		return c, true
	}
	if inner.Op != step.Index || inner.Root() == nil || !inner.Root().Shared {
		return c, false
	}
	word, ok := g.word(inner)
	of, field := part(inner.Args[0])
	switch {
	case !ok:
		return c, false
	case of != nil && of.Type.Sync == "rwlock" && field == "readers":
		first, _ := g.word(inner.Args[0])
		c = g.about(e, Reader, of)
		c.Holder = g.holder(word-first, word)
		c.State = c.What + " read by " + c.Holder.Process
		return c, true
	case strings.HasPrefix(inner.Root().Name, "$busy_"):
		first, _ := g.word(inner.Args[0])
		class := strings.TrimPrefix(inner.Root().Name, "$busy_")
		c = g.about(e, Actor, inner)
		c.What = fmt.Sprintf("%s[%d]", class, word-first)
		c.State = c.What + " held by a task"
		if by := g.h.setter(word); by >= 0 {
			c.Holder = g.holder(by, word)
			c.State = c.What + " held by " + c.Holder.Process
		}
		return c, true
	}
	return c, false
}

// waitersOf is the list of waiting processes if the condition is that the process is among them.
func waitersOf(e *step.Expr) (waiters *step.Expr) {
	other := false
	e.EachPlace(func(place *step.Expr) {
		whole := place.Location()
		if of, field := part(whole); of != nil && of.Type.Sync == "cond" && field == "waiters" {
			waiters = whole
		} else {
			other = true
		}
	})
	me := e.Has(func(e *step.Expr) bool {
		return e.Op == step.Eq && e.Args[1].Op == step.Me && e.Args[1].Of == step.Own
	})
	if !me || other {
		return nil
	}
	return waiters
}

// either recognises what waits for a once, a channel, or the end of a process.
func (g *guard) either(e *step.Expr) (c Condition, ok bool) {
	first, second := e.Args[0], e.Args[1]
	if second.Op == step.Eq && second.Args[0].Op == step.Index {
		if v := second.Args[0].Root(); v != nil && v.Life {
			return g.ending(e, second.Args[0])
		}
	}
	of, field := part(second)
	switch {
	case of == nil:
		return c, false
	case of.Type.Sync == "once" && field == "done" && first.Op == step.Not && g.partOf(first.Args[0], of, "begun"):
		c = g.about(e, Once, of)
		c.State = c.What + " has begun and is not done"
		if word, ok := g.word(first.Args[0]); ok {
			if by := g.h.setter(word); by >= 0 {
				c.Holder = g.holder(by, word)
				c.State = c.Holder.Process + " is in " + c.What
			}
		}
		return c, true
	case of.Type.Sync == "chan" && field == "closed":
		return g.channel(e, of)
	}
	return c, false
}

// channel recognises the four waits at a channel: the own value to be taken, and in the order of lang, a receive,
// and a send.
func (g *guard) channel(e, of *step.Expr) (c Condition, ok bool) {
	can, what := e.Args[0], g.pathOf(of)
	waits := func() bool { // as the sender
		eq := can.Args[0]
		return eq.Op == step.Eq && eq.Args[1].Op == step.Me && g.partOf(eq.Args[0], of, "sender")
	}
	size := func(n int64) bool {
		a, b := can.Args[0], can.Args[1]
		return a.Op == step.Size && g.partOf(a.Args[0], of, "buf") && b.Op == step.Const && b.Words[0] == n
	}
	switch {
	case can.Op == step.Not && waits():
		c = g.about(e, Taken, of)
		c.State = "nobody has received its value from " + what
	case can.Op == step.Gt && size(0):
		c = g.about(e, Receive, of)
		c.State = what + " is empty"
		c.since(g)
	case can.Op == step.Lt && size(int64(of.Type.Len)):
		c = g.about(e, Send, of)
		c.State = what + " is full"
		c.since(g)
	case can.Op == step.Ne && g.partOf(can.Args[0], of, "sender"):
		c = g.about(e, Receive, of)
		c.State = "nobody sends to " + what
	case can.Op == step.Eq && can.Args[1].Op == step.Const && g.partOf(can.Args[0], of, "sender"):
		c = g.about(e, Send, of)
		c.State = "a value in " + what + " has not been received"
		if w, ok := g.word(can.Args[0]); ok && g.s[w] > 0 && g.s[w] <= int64(g.m.NumProcs()) {
			c.State = "the value of " + g.name(int(g.s[w]-1)) + " in " + what + " has not been received"
		}
	default:
		return c, false
	}
	return c, true
}

// partOf reports whether an expression is a field of a primitive.
func (g *guard) partOf(e, of *step.Expr, field string) bool {
	whole, name := part(e)
	if whole == nil || name != field {
		return false
	}
	a, ok := g.word(whole)
	b, also := g.word(of)
	return ok && also && a == b
}

// since looks up when the first location of the condition was changed last.
func (c *Condition) since(g *guard) {
	if g.h != nil && len(c.locs) > 0 {
		c.Last = g.h.lastChange(g.m, c.locs[0])
	}
}

// ending is a process whose end is waited for.
func (g *guard) ending(e, life *step.Expr) (c Condition, ok bool) {
	word, ok := g.word(life)
	if !ok {
		return c, false
	}
	of := -1
	for p := range g.m.NumProcs() {
		if g.m.LifeLocation(p) == g.m.Location(word) {
			of = p
		}
	}
	if of < 0 || g.s[word] != step.RunningLife {
		return c, false
	}
	c = g.about(e, End, life)
	c.What = g.name(of)
	c.Holder = &Holder{Process: c.What, Self: of == g.proc, proc: of}
	c.State = c.What + " has not ended"
	return c, true
}

// mailbox is the own mailbox of the process if the condition reads nothing shared but that.
func (g *guard) mailbox(e *step.Expr) (box *step.Expr) {
	name, other := g.m.Program.Procs[g.proc].Template.Name+".mailbox", false
	e.EachPlace(func(place *step.Expr) {
		if place.Root().Name == name {
			box = place.Location()
		} else {
			other = true
		}
	})
	if other {
		return nil
	}
	return box
}

// data is a condition over variables of the program.
func (g *guard) data(e *step.Expr) Condition {
	c := g.about(e, Data, nil)
	c.What = lang.FormatExpr(e, nil, nil)
	if !e.TouchesShared() {
		c.Kind = Local
		c.State = "its own variables decide, which nobody else changes"
		return c
	}
	c.State = g.readings(e, nil)
	for _, v := range c.roots {
		if k := v.Type.Kind; v.Shared && (k == step.List || k == step.Queue) && g.s[v.Offset] == 0 {
			c.empty = append(c.empty, v)
		}
	}
	if len(c.locs) == 1 {
		c.since(g)
		if first, words := g.m.LocationWords(c.locs[0]); words == 1 {
			s, holds := slices.Clone(g.s), g.m.CompileOwn(e, g.proc)
			c.holds = func(v int64) bool {
				s[first] = v
				is, ok := holds(g.r, s)
				return is != 0 || !ok
			}
		}
	}
	return c
}

// readings are the named places that an expression reads, with their values, but those of a variable.
func (g *guard) readings(e *step.Expr, but *step.Var) string {
	var texts []string
	e.EachPlace(func(place *step.Expr) {
		if text := g.reading(place.Location()); place.Root() != but && text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	})
	return strings.Join(texts, " ")
}

// about makes a Condition; place is that of the mutex, channel, ..., nil if it is about data.
func (g *guard) about(e *step.Expr, kind Kind, place *step.Expr) Condition {
	c := Condition{Kind: kind}
	if place != nil {
		c.What, c.own = g.pathOf(place), place.Root()
	}
	e.EachPlace(func(place *step.Expr) {
		whole := place.Location()
		if v := whole.Root(); !slices.Contains(c.roots, v) {
			c.roots = append(c.roots, v)
			c.stray = c.stray || c.own != nil && v != c.own
		}
		word, ok := g.word(whole)
		if !ok {
			return
		}
		for w := word; w < word+whole.Type.Words(); w++ {
			if l := g.m.Location(w); !slices.Contains(c.locs, l) {
				c.locs = append(c.locs, l)
			}
		}
	})
	return c
}

// holder is a process that has taken what a word stands for.
func (g *guard) holder(proc, word int) *Holder {
	h := &Holder{Process: g.name(proc), Native: g.Explainer.native(proc, step.Pos{}), Self: proc == g.proc, proc: proc,
		crashed: g.m.Crashed(g.s, proc)}
	if g.h != nil {
		h.Taken = g.h.lastChange(g.m, g.m.Location(word))
		if h.Taken != nil && h.Taken.Process != h.Process {
			h.Taken = nil
		}
		if g.m.Finished(g.s, proc) {
			h.Ended = g.h.lastOf(proc)
		}
	}
	return h
}

// pathOf names a place as the program does, with the values of its indices.
func (g *guard) pathOf(place *step.Expr) string {
	v := place.Root()
	if word, ok := g.word(place); ok {
		if path, typ := lang.Locate(v.Called(), v.Type, word-v.Offset, place.Type.Words()); typ != nil {
			return path
		}
	}
	return v.Called()
}

// text is the value of a place.
func (g *guard) text(place *step.Expr) string {
	word, ok := g.word(place)
	if !ok {
		return "?"
	}
	return lang.FormatValue(g.m.Program, place.Type, g.s[word:word+place.Type.Words()])
}

// reading is a place with its value; empty for what has no name.
func (g *guard) reading(place *step.Expr) string {
	if place.Root().Temp {
		return ""
	}
	text := g.text(place)
	if strings.HasPrefix(text, "held by ") {
		return g.pathOf(place) + " " + text
	}
	return g.pathOf(place) + "=" + text
}
