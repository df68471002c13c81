package lower

import (
	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/internal/vet"
	"cdpor/lang/primitive"
	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

// defaultCapacity is the number of messages that a mailbox holds if nothing is said.
const defaultCapacity = 4

// declareMailboxes makes the shared variables of the mailboxes, before any code is read that sends to them.
func declareMailboxes(l *loader, threads, main *yaml.Node) {
	find := func(thread string, d *yaml.Node) {
		if d.Kind != yaml.MappingNode || l.MailboxOf(thread) != nil {
			return
		}
		for i := 0; i+1 < len(d.Content); i += 2 {
			if k, n := d.Content[i], d.Content[i+1]; k.Value == "mailbox" {
				m := &check.Mailbox{Thread: thread, Identities: l.IdentitiesOf(thread)}
				l.Mailboxes = append(l.Mailboxes, m)
				count := 0
				if count, m.Many = l.instancesOf(d); m.Identities != nil {
					count, m.Many = m.Identities.Size, true
				}
				declareMailbox(l, m, k, n, count)
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
func declareMailbox(l *loader, m *check.Mailbox, key, n *yaml.Node, count int) {
	of, kind, capacity := n, step.Queue, int64(defaultCapacity)
	before := l.Count()
	if n.Kind == yaml.MappingNode {
		of = nil
		l.Fields(n, "a mailbox", map[string]func(*yaml.Node){
			"of": func(n *yaml.Node) { of = n },
			"capacity": func(n *yaml.Node) {
				x := l.Checker(l.Reporter, check.ConstNames{})
				c, ok := check.ConstInt(x, l.ValueExpr(n), "the capacity of a mailbox")
				if capacity = c; ok && (c < 1 || c > check.MaxWords) {
					l.At(n, "", "a mailbox holds from 1 to %d messages, not %d", check.MaxWords, c)
				}
			},
			"order": func(n *yaml.Node) {
				switch n.Value {
				case "fifo":
				case "bag":
					kind = step.Bag
				default:
					l.At(n, syntax.DidYouMean(n.Value, []string{"fifo", "bag"}),
						"the order of a mailbox is fifo or bag, not %q", n.Value)
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
	t := l.ResolveType(l.Reporter, ty)
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
	case max(1, count)*(1+int(capacity)*t.Words())+l.prog.SharedWords > check.MaxWords:
		l.At(n, "", "the shared variables take more than %d words", check.MaxWords)
	}
	if l.Count() > before {
		capacity = 1 // known, so that its uses are not reported as well
	}
	m.Type = &step.Type{Kind: kind, Elem: t, Len: int(capacity)}
	whole := m.Type
	if m.Many {
		whole = &step.Type{Kind: step.Array, Elem: m.Type, Len: count}
	}
	m.Var = &step.Var{Name: m.Thread + ".mailbox", Type: whole, Pos: syntax.NodePos(key), Shared: true,
		Offset: l.prog.SharedWords}
	addShared(l.prog, m.Var, make([]int64, whole.Words()))
	l.SharedVars[m.Var.Name] = m.Var
}

// idleMailboxes remarks on mailboxes with one end that is not used.
func idleMailboxes(tab *check.Table, findings *vet.Findings) {
	for _, m := range tab.Mailboxes {
		switch {
		case m.Var == nil || m.Sent == m.Read:
		case m.Sent:
			findings.Remark(m.Var.Pos, step.Pos{}, "", "%s never receives", m.Thread)
		default:
			findings.Remark(m.Var.Pos, step.Pos{}, "", "nothing is sent to %s", m.Thread)
		}
	}
}

// mailOf is a statement o!f(args) as one whose message is the call f(args).
func mailOf(s *syntax.Stmt) *syntax.Stmt {
	mail, e := *s, s.Value
	mail.Kind, mail.Place = syntax.SMail, e.Args[0]
	mail.Value = &syntax.Expr{Kind: syntax.ECall, Name: e.Name, NameAt: e.NameAt, Pos: e.NameAt, End: e.End,
		Args: e.Args[1:], Depth: e.Depth}
	return &mail
}

// lowerMail lowers thread!message, which never waits: a full mailbox is an error of the run.
func lowerMail(lo *lowering, s *syntax.Stmt) {
	b := lo.Builder
	value := lo.ahead(inlineCalled(lo, s.Value))
	hoistChoices(lo, s.Place, value)
	b.Simple(func() {
		a := check.MailAddress(lo.Checker, s.Place)
		if a == nil {
			return
		}
		if lo.Emits(value) {
			for i, box := range a.Boxes {
				a.Boxes[i] = lo.SpillIndices(box)
			}
		}
		t := a.Boxes[0].Type.Elem
		v := lo.Element(value, lo.Assignable(value, t), t)
		if v != nil {
			b.Unit(func() { deliverMail(lo.Checker, s, a, v) })
		}
	})
}

// deliverMail emits putting a message into the mailbox of an address.
func deliverMail(x *check.Checker, s *syntax.Stmt, a *check.Address, v *step.Expr) {
	b, c := x.Builder, x.CodeAt(s.Place)
	if a.Tid != nil {
		check.RequireNotNull(x, s.Place, a.Tid)
	}
	var after []*int
	for i, box := range a.Boxes {
		var skip *int
		switch {
		case a.When[i] == nil:
		case i < len(a.Boxes)-1:
			skip = b.Branch(a.When[i])
		default:
			c.Check(a.When[i], step.Misused, "this thread has no mailbox")
		}
		primitive.Mailbox{Place: box}.Put(c, v)
		b.Turn(&after, skip)
	}
	b.Open = append(b.Open, after...)
}
