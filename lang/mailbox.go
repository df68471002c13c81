package lang

import (
	"slices"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
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
	ids    *identities // of a thread that is spawned: messages go to a tid
	sent   bool        // something is sent to it
	read   bool        // the thread receives
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
				m := &mailbox{thread: thread, ids: l.identitiesOf(thread)}
				l.mailboxes = append(l.mailboxes, m)
				count := 0
				if count, m.many = l.instancesOf(d); m.ids != nil {
					count, m.many = m.ids.size, true
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
	before := l.Count()
	if n.Kind == yaml.MappingNode {
		of = nil
		l.Fields(n, "a mailbox", map[string]func(*yaml.Node){
			"of": func(n *yaml.Node) { of = n },
			"capacity": func(n *yaml.Node) {
				c, ok := l.checker(l.Reporter, constNames{}).constInt(l.ValueExpr(n), "the capacity of a mailbox")
				if capacity = c; ok && (c < 1 || c > maxWords) {
					l.At(n, "", "a mailbox holds from 1 to %d messages, not %d", maxWords, c)
				}
			},
			"order": func(n *yaml.Node) {
				switch n.Value {
				case "fifo":
				case "bag":
					kind = step.Bag
				default:
					l.At(n, DidYouMean(n.Value, []string{"fifo", "bag"}), "the order of a mailbox is fifo or bag, not %q", n.Value)
				}
			},
		})
		if of == nil && l.Count() == before {
			l.At(n, "write mailbox: {of: int}", "of is missing: the type of the messages")
		}
		if of == nil {
			return
		}
	}
	code, ok := l.Code(of, "the type of messages")
	if !ok {
		return
	}
	ty, init := syntax.ParseDecl(l.Reporter, code)
	if init != nil {
		l.Report(init.Pos, init.End, "", "a mailbox is empty at the start")
	}
	t := l.resolveType(l.Reporter, ty)
	switch {
	case t == nil:
		return
	case types.Pinned(t):
		l.Report(ty.Pos, ty.End, "", "a %s cannot be sent", types.PinnedWord(t))
		return
	case types.ReferenceIn(t, "tid") != nil:
		l.Report(ty.Pos, ty.End, "", "a tid cannot be sent")
		return
	case kind == step.Bag && capacity > step.MaxAlternatives:
		l.At(n, "", "a bag of %d messages; one can be chosen among %d", capacity, step.MaxAlternatives)
	case max(1, count)*(1+int(capacity)*t.Words())+l.prog.SharedWords > maxWords:
		l.At(n, "", "the shared variables take more than %d words", maxWords)
	}
	if l.Count() > before {
		capacity = 1 // known, so that its uses are not reported as well
	}
	m.typ = &step.Type{Kind: kind, Elem: t, Len: int(capacity)}
	whole := m.typ
	if m.many {
		whole = &step.Type{Kind: step.Array, Elem: m.typ, Len: count}
	}
	m.v = &step.Var{Name: m.thread + ".mailbox", Type: whole, Pos: syntax.NodePos(key), Shared: true, Offset: l.prog.SharedWords}
	l.addShared(m.v, make([]int64, whole.Words()))
	l.sharedVars[m.v.Name] = m.v
}

// idleMailboxes remarks on mailboxes of which only one end is used.
func (l *loader) idleMailboxes() {
	for _, m := range l.mailboxes {
		switch {
		case m.v == nil || m.sent == m.read:
		case m.sent:
			l.findings.Remark(m.v.Pos, step.Pos{}, "", "%s never receives", m.thread)
		default:
			l.findings.Remark(m.v.Pos, step.Pos{}, "", "nothing is sent to %s", m.thread)
		}
	}
}

// isMailbox reports whether a shared variable is one that no shared section declares.
func (t *table) isMailbox(v *step.Var) bool {
	return slices.ContainsFunc(t.mailboxes, func(m *mailbox) bool { return m.v == v })
}

// at is the mailbox of an instance.
func (m *mailbox) at(x *checker, e *syntax.Expr, instance *step.Expr) *step.Expr {
	if !m.many {
		return build.Ref(m.v, e.Pos)
	}
	return x.make(e, step.Index, m.typ, build.Ref(m.v, e.Pos), instance)
}

// addressed finds the thread with a mailbox that an expression names, as thread or thread[i].
func (x *checker) addressed(e *syntax.Expr) (m *mailbox, instance *syntax.Expr) {
	if e.Kind == syntax.EIndex {
		e, instance = e.Args[0], e.Args[1]
	}
	if e.Kind != syntax.EName || x.scope.local(e.Name).Var != nil {
		return nil, nil
	}
	return x.mailboxOf(e.Name), instance
}

// An address is where a message goes: into one mailbox, or into that of a tid, which may be of several threads.
type address struct {
	boxes []*step.Expr
	when  []*step.Expr // which of the boxes it is; nil where that need not be asked
	tid   *step.Expr
}

// address elaborates the place in front of a !.
func (x *checker) address(e *syntax.Expr) *address {
	if m, index := x.addressed(e); m != nil {
		m.sent = true
		x.Mention(Mention{Pos: e.Pos, What: "thread", Name: m.thread}, nil)
		var i *step.Expr
		switch {
		case m.v == nil:
			return nil // its declaration is faulty
		case m.ids != nil:
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
		for root.Kind == syntax.EIndex {
			root = root.Args[0]
		}
		if root.Kind == syntax.EName && (x.threads[root.Name] || x.sharedVars[root.Name] == nil) {
			var known []string
			for _, m := range x.mailboxes {
				known = append(known, m.thread)
			}
			hint := DidYouMean(root.Name, known)
			if x.threads[root.Name] {
				hint = "give it one: mailbox: int"
			}
			x.Report(root.Pos, root.End, hint, "%s is no thread with a mailbox", root.Name)
			return nil
		}
	}
	to := x.value(e, nil)
	switch {
	case to == nil:
		return nil
	case types.IsActor(to.Type):
		x.errorf(e, "write o!m(...)", "a message to an actor names a method")
		return nil
	case to.Type.Ref != "tid":
		x.errorf(e, "", "this is %s, but messages go to threads", types.String(to.Type))
		return nil
	}
	a := &address{tid: x.spill(to)}
	var first *mailbox
	for _, m := range x.mailboxes {
		switch {
		case m.ids == nil || m.v == nil:
		case first != nil && types.Structure(first.typ.Elem) != types.Structure(m.typ.Elem):
			x.errorf(e, "", "this may be %s or %s, which take different messages", first.thread, m.thread)
			return nil
		default:
			first, m.sent = m, true
			low := intConst(e, int64(m.ids.first))
			high := intConst(e, int64(m.ids.first+m.ids.size))
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
func (x *checker) isMail(e *syntax.Expr) bool {
	if e.Kind != syntax.ESend {
		return false
	}
	if m, _ := x.addressed(e.Args[0]); m != nil {
		return true
	}
	t := x.probe(e.Args[0])
	return t != nil && t.Ref == "tid"
}

// mailOf is a statement o!f(args) as one whose message is the call f(args).
func mailOf(s *syntax.Stmt) *syntax.Stmt {
	mail, e := *s, s.Value
	mail.Kind, mail.Place = syntax.SMail, e.Args[0]
	mail.Value = &syntax.Expr{Kind: syntax.ECall, Name: e.Name, NameAt: e.NameAt, Pos: e.NameAt, End: e.End, Args: e.Args[1:], Depth: e.Depth}
	return &mail
}

// mail lowers thread!message, which never waits: a full mailbox is an error of the run.
func (lo *lowering) mail(s *syntax.Stmt) {
	b := lo.b
	value := lo.ahead(lo.called(s.Value))
	lo.hoist(s.Place, value)
	b.Simple(func() {
		a := lo.address(s.Place)
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
			b.Unit(func() { lo.deliver(s, a, v) })
		}
	})
}

// deliver emits putting a message into the mailbox of an address.
func (lo *lowering) deliver(s *syntax.Stmt, a *address, v *step.Expr) {
	b, c := lo.b, lo.code(s.Place)
	if a.tid != nil {
		lo.notNull(s.Place, a.tid)
	}
	var after []*int
	for i, box := range a.boxes {
		var skip *int
		switch {
		case a.when[i] == nil:
		case i < len(a.boxes)-1:
			skip = b.Branch(a.when[i])
		default:
			c.Check(a.when[i], step.Misused, "this thread has no mailbox")
		}
		primitive.Mailbox{Place: box}.Put(c, v)
		if skip != nil {
			after = append(after, b.Open...)
			b.Open = []*int{skip}
		}
	}
	b.Open = append(b.Open, after...)
}
