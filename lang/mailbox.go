package lang

import (
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Mailboxes. Every instance of a thread that declares one has a shared queue or bag of messages of its own, to which all
// append and from which only the owner takes: the first message in order of arrival that some case wants, or, from a bag, any
// such message. A bag is kept sorted, so that states that differ in the order of arrival alone are equal.

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
		x.Mention(syntax.Mention{Pos: e.Pos, What: "thread", Name: m.thread}, nil)
		var i *step.Expr
		switch {
		case m.v == nil:
			return nil // its declaration is faulty
		case m.ids != nil:
			x.fail(e, "write h!... with the tid of one", "%s is started by spawn: there may be many", m.thread)
			return nil
		case m.many && index == nil:
			x.fail(e, "write "+m.thread+"[0]!...", "which instance of %s?", m.thread)
			return nil
		case !m.many && index != nil:
			x.fail(index, "", "thread %s has no count: write %s without a number", m.thread, m.thread)
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
			hint := syntax.DidYouMean(root.Name, known)
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
		x.fail(e, "write o!m(...)", "a message to an actor names a method")
		return nil
	case to.Type.Ref != "tid":
		x.fail(e, "", "this is %s, but messages go to threads", types.String(to.Type))
		return nil
	}
	a := &address{tid: x.spill(to)}
	var first *mailbox
	for _, m := range x.mailboxes {
		switch {
		case m.ids == nil || m.v == nil:
		case first != nil && types.Structure(first.typ.Elem) != types.Structure(m.typ.Elem):
			x.fail(e, "", "this may be %s or %s, which take different messages", first.thread, m.thread)
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
		x.fail(e, "", "no thread that is spawned has a mailbox")
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
