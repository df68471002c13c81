package lang

import (
	"slices"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

// Mailboxes. Every instance of a thread that declares one has a shared queue or bag of messages of its own, to which all
// append and from which only the owner takes: the first message in order of arrival that some case wants, or, from a bag, any
// such message. A bag is kept sorted, so that states that differ in the order of arrival alone are equal.

// defaultCapacity is how many messages a mailbox holds if nothing is said.
const defaultCapacity = 4

type mailbox struct {
	thread string
	v      *step.Var // thread.mailbox: the mailbox, or an array of one per instance; nil after an error
	typ    *step.Type
	many   bool
	pool   *pool // of a thread that is spawned: messages go to a tid
	sent   bool  // something is sent to it
	read   bool  // the thread receives
}

func (m *mailbox) bag() bool { return m.typ.Kind == step.Bag }

func (t *table) mailboxOf(thread string) *mailbox {
	for _, m := range t.mailboxes {
		if m.thread == thread {
			return m
		}
	}
	return nil
}

// declareMailboxes makes the shared variables of the mailboxes, before any code is read that sends to them.
func (l *loader) declareMailboxes(threads, main *yaml.Node) {
	find := func(thread string, d *yaml.Node) {
		if d.Kind != yaml.MappingNode || l.mailboxOf(thread) != nil {
			return
		}
		for i := 0; i+1 < len(d.Content); i += 2 {
			if k, n := d.Content[i], d.Content[i+1]; k.Value == "mailbox" {
				m := &mailbox{thread: thread, pool: l.poolNamed(thread)}
				l.mailboxes = append(l.mailboxes, m)
				count := 0
				if count, m.many = l.instancesOf(d); m.pool != nil {
					count, m.many = m.pool.size, true
				}
				l.declareMailbox(m, k, n, count)
			}
		}
	}
	if threads != nil && threads.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(threads.Content); i += 2 {
			find(threads.Content[i].Value, threads.Content[i+1])
		}
	}
	if main != nil {
		find("main", main)
	}
}

// declareMailbox reads a type of messages, or a map of it and more.
func (l *loader) declareMailbox(m *mailbox, key, n *yaml.Node, count int) {
	of, kind, capacity := n, step.Queue, int64(defaultCapacity)
	before := l.count()
	if n.Kind == yaml.MappingNode {
		of = nil
		l.fields(n, "a mailbox", map[string]func(*yaml.Node){
			"of": func(n *yaml.Node) { of = n },
			"capacity": func(n *yaml.Node) {
				c, ok := l.elab(l.reporter, constNames{}).constInt(l.valueExpr(n), "the capacity of a mailbox")
				if capacity = c; ok && (c < 1 || c > maxWords) {
					l.at(n, "", "a mailbox holds from 1 to %d messages, not %d", maxWords, c)
				}
			},
			"order": func(n *yaml.Node) {
				switch n.Value {
				case "fifo":
				case "bag":
					kind = step.Bag
				default:
					l.at(n, didYouMean(n.Value, []string{"fifo", "bag"}), "the order of a mailbox is fifo or bag, not %q", n.Value)
				}
			},
		})
		if of == nil && l.count() == before {
			l.at(n, "write mailbox: {of: int}", "of is missing: the type of the messages")
		}
		if of == nil {
			return
		}
	}
	code, ok := l.code(of, "the type of messages")
	if !ok {
		return
	}
	ty, init := parseDecl(l.reporter, code)
	if init != nil {
		l.report(init.pos, init.end, "", "a mailbox is empty at the start")
	}
	t := l.resolveType(l.reporter, ty)
	switch {
	case t == nil:
		return
	case pinned(t):
		l.report(ty.pos, ty.end, "", "a %s cannot be sent", pinnedWord(t))
		return
	case refIn(t, "tid") != nil:
		l.report(ty.pos, ty.end, "", "a tid cannot be sent")
		return
	case kind == step.Bag && capacity > step.MaxAlternatives:
		l.at(n, "", "a bag of %d messages; one can be chosen among %d", capacity, step.MaxAlternatives)
	case max(1, count)*(1+int(capacity)*t.Words())+l.prog.SharedWords > maxWords:
		l.at(n, "", "the shared variables take more than %d words", maxWords)
	}
	if l.count() > before {
		capacity = 1 // known, so that its uses are not reported as well
	}
	m.typ = &step.Type{Kind: kind, Elem: t, Len: int(capacity)}
	whole := m.typ
	if m.many {
		whole = &step.Type{Kind: step.Array, Elem: m.typ, Len: count}
	}
	m.v = &step.Var{Name: m.thread + ".mailbox", Type: whole, Pos: nodePos(key), Shared: true, Offset: l.prog.SharedWords}
	l.addShared(m.v, make([]int64, whole.Words()))
	l.sharedVars[m.v.Name] = m.v
}

// idleMailboxes remarks on mailboxes of which only one end is used.
func (l *loader) idleMailboxes() {
	for _, m := range l.mailboxes {
		switch {
		case m.v == nil || m.sent == m.read:
		case m.sent:
			l.remark(m.v.Pos, step.Pos{}, "", "%s never receives", m.thread)
		default:
			l.remark(m.v.Pos, step.Pos{}, "", "nothing is sent to %s", m.thread)
		}
	}
}

// isMailbox reports whether a shared variable is one that no shared section declares.
func (t *table) isMailbox(v *step.Var) bool {
	return slices.ContainsFunc(t.mailboxes, func(m *mailbox) bool { return m.v == v })
}

// at is the mailbox of an instance.
func (m *mailbox) at(x *elab, e *expr, instance *step.Expr) *step.Expr {
	if !m.many {
		return ref(m.v, e.pos)
	}
	return x.make(e, step.Index, m.typ, ref(m.v, e.pos), instance)
}

// addressed finds the thread with a mailbox that an expression names, as thread or thread[i].
func (x *elab) addressed(e *expr) (m *mailbox, instance *expr) {
	if e.kind == eIndex {
		e, instance = e.args[0], e.args[1]
	}
	names, _ := x.scope.(*threadNames)
	if e.kind != eName || names != nil && names.lookup(e.name) != nil {
		return nil, nil
	}
	return x.mailboxOf(e.name), instance
}

// An address is where a message goes: into one mailbox, or into that of a tid, which may be of several threads.
type address struct {
	boxes []*step.Expr
	when  []*step.Expr // which of the boxes it is; nil where that need not be asked
	tid   *step.Expr
}

// address elaborates the place in front of a !.
func (x *elab) address(e *expr) *address {
	if m, index := x.addressed(e); m != nil {
		m.sent = true
		x.mention(Mention{Pos: e.pos, What: "thread", Name: m.thread}, nil)
		var i *step.Expr
		switch {
		case m.v == nil:
			return nil // its declaration is faulty
		case m.pool != nil:
			x.errorf(e, "write h!... with the tid of one", "%s is started by spawn: there may be many", m.thread)
			return nil
		case m.many && index == nil:
			x.errorf(e, "write "+m.thread+"[0]!...", "which instance of %s?", m.thread)
			return nil
		case !m.many && index != nil:
			x.errorf(index, "", "thread %s has no count: write %s without a number", m.thread, m.thread)
			return nil
		case index != nil:
			if i = x.index(index); i == nil {
				return nil
			}
		}
		return &address{boxes: []*step.Expr{m.at(x, e, i)}, when: []*step.Expr{nil}}
	}
	if root := e; x.probe(e) == nil {
		for root.kind == eIndex {
			root = root.args[0]
		}
		if root.kind == eName && (x.threads[root.name] || x.sharedVars[root.name] == nil) {
			var known []string
			for _, m := range x.mailboxes {
				known = append(known, m.thread)
			}
			hint := didYouMean(root.name, known)
			if x.threads[root.name] {
				hint = "give it one: mailbox: int"
			}
			x.report(root.pos, root.end, hint, "%s is no thread with a mailbox", root.name)
			return nil
		}
	}
	to := x.value(e, nil)
	switch {
	case to == nil:
		return nil
	case isActor(to.Type):
		x.errorf(e, "write o!m(...)", "a message to an actor names a method")
		return nil
	case to.Type.Ref != "tid":
		x.errorf(e, "", "this is %s, but messages go to threads", typeString(to.Type))
		return nil
	}
	a := &address{tid: x.spill(to)}
	var first *mailbox
	for _, m := range x.mailboxes {
		switch {
		case m.pool == nil || m.v == nil:
		case first != nil && structure(first.typ.Elem) != structure(m.typ.Elem):
			x.errorf(e, "", "this may be %s or %s, which take different messages", first.thread, m.thread)
			return nil
		default:
			first, m.sent = m, true
			low := intConst(e, int64(m.pool.first))
			high := intConst(e, int64(m.pool.first+m.pool.size))
			a.boxes = append(a.boxes, m.at(x, e, x.make(e, step.Sub, step.IntType, a.tid, low)))
			a.when = append(a.when, x.make(e, step.And, step.BoolType, x.make(e, step.Ge, step.BoolType, a.tid, low), x.make(e, step.Lt, step.BoolType, a.tid, high)))
		}
	}
	if first == nil {
		x.errorf(e, "", "no thread that is spawned has a mailbox")
		return nil
	}
	return a
}

// isMail reports whether o!f(args) is a message made by a call, to a thread, and not to a method of an actor.
func (x *elab) isMail(e *expr) bool {
	if e.kind != eSend {
		return false
	}
	if m, _ := x.addressed(e.args[0]); m != nil {
		return true
	}
	t := x.probe(e.args[0])
	return t != nil && t.Ref == "tid"
}

// mailOf is a statement o!f(args) as one whose message is the call f(args).
func mailOf(s *stmt) *stmt {
	mail, e := *s, s.value
	mail.kind, mail.place = sMail, e.args[0]
	mail.value = &expr{kind: eCall, name: e.name, nameAt: e.nameAt, pos: e.nameAt, end: e.end, args: e.args[1:], depth: e.depth}
	return &mail
}

// mail lowers thread!message, which never waits: a full mailbox is an error of the run.
func (lo *lowering) mail(s *stmt) {
	b := lo.b
	value := lo.ahead(lo.called(s.value))
	lo.hoist(s.place, value)
	b.simple(func() {
		a := lo.address(s.place)
		if a == nil {
			return
		}
		if lo.emits(value) {
			for i, box := range a.boxes {
				a.boxes[i] = lo.spillIndices(box)
			}
		}
		t := a.boxes[0].Type.Elem
		v := lo.element(value, lo.assignable(value, t), t)
		if v != nil {
			b.unit(func() { lo.deliver(s, a, v) })
		}
	})
}

// deliver emits putting a message into the mailbox of an address.
func (lo *lowering) deliver(s *stmt, a *address, v *step.Expr) {
	b, e := lo.b, s.place
	if a.tid != nil {
		lo.notNull(e, a.tid)
	}
	var after []*int
	for i, box := range a.boxes {
		var skip *int
		switch {
		case a.when[i] == nil:
		case i < len(a.boxes)-1:
			skip = b.branch(a.when[i])
		default:
			lo.check(a.when[i], step.Misused, "this thread has no mailbox")
		}
		if box.Type.Kind == step.Bag {
			b.assign(box, lo.make(e, step.Put, box.Type, box, v))
		} else {
			b.emit(step.Node{Kind: step.Append, Dst: box, Src: v})
		}
		if skip != nil {
			after = append(after, b.open...)
			b.open = []*int{skip}
		}
	}
	b.open = append(b.open, after...)
}
