package check

import (
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Messages: new A(args), o!m(args), waiting for what a method gives back.

// checkNew elaborates new A(args).
func checkNew(x *Checker, e *syntax.Expr) *step.Expr {
	if !changesState(x, e) {
		return nil
	}
	c := x.ClassNamed(e.Name)
	if c == nil {
		var known []string
		for _, c := range x.Classes {
			known = append(known, c.Name)
		}
		x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, known), "%s is not a class of actors", e.Name)
		return nil
	}
	x.Mention(c.Mention(e.NameAt), nil)
	args, ok := startArguments(x, e, c.Identities, e.Args)
	if !ok {
		return nil
	}
	o := x.Builder.CheckedTemp(x.References[c.Name], e.Pos)
	x.Builder.Unit(func() { startProcess(x, e, c.Identities, args, o) })
	return o
}

// checkMessage elaborates o!m(args), whose value is a future.
func checkMessage(x *Checker, e *syntax.Expr) *step.Expr {
	if !changesState(x, e) {
		return nil
	}
	if IsMail(x, e) {
		return x.Fail(e, "", "a message to a thread is a statement of its own and has no value")
	}
	o := x.Value(e.Args[0], nil)
	if o == nil {
		return nil
	}
	if !types.IsActor(o.Type) {
		return x.Fail(e.Args[0], "", "this is %s, but messages go to actors", types.String(o.Type))
	}
	if slices.ContainsFunc(e.Args[1:], x.Emits) {
		o = x.Spill(o)
	}
	classes := x.classesOf(o.Type)
	var receivers []*Identities
	for _, c := range classes {
		p := c.Methods[e.Name]
		if p == nil {
			x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, c.Listed), "%s has no method %s", c.Name, e.Name)
			return nil
		}
		if len(receivers) > 0 && !slices.EqualFunc(receivers[0].Types, p.Types, func(a, b *step.Type) bool {
			return a == nil || b == nil || types.Structure(a) == types.Structure(b)
		}) {
			return x.Fail(e, "", "the methods %s and %s take different parameters", receivers[0].Name, p.Name)
		}
		receivers = append(receivers, p)
		x.Mention(syntax.Mention{Pos: e.NameAt, What: "method", Name: e.Name, Type: p.Key.Text, Decl: p.Key.Name}, nil)
	}
	args, ok := startArguments(x, e, receivers[0], e.Args[1:])
	if !ok {
		return nil
	}
	t := x.futures[types.FutureOf(receivers[0].Result)]
	for _, p := range receivers {
		if types.FutureOf(p.Result) != types.FutureOf(receivers[0].Result) {
			t = x.futures[types.FutureOf(nil)] // something to wait for
		}
	}
	f := x.Builder.CheckedTemp(t, e.Pos)
	x.Builder.Unit(func() {
		if o.Op != step.VarRef || !o.Var.Temp && !x.Builder.Actor.names(o.Var) {
			RequireNotNull(x, e, o)
		}
		var after []*int
		for i, p := range receivers {
			first := IntConst(e, int64(p.Class.Identities.First))
			this := x.Make(e, step.Sub, step.IntType, o, first)
			var skip *int
			if i < len(receivers)-1 {
				end := IntConst(e, int64(p.Class.Identities.First+p.Class.Identities.Size))
				skip = x.Builder.Branch(x.Make(e, step.And, step.BoolType, x.Make(e, step.Ge, step.BoolType, o, first),
					x.Make(e, step.Lt, step.BoolType, o, end)))
			}
			me := *o
			startProcess(x, e, p, append([]*step.Expr{this, &me}, args...), f)
			x.Builder.Turn(&after, skip)
		}
		x.Builder.Open = append(x.Builder.Open, after...)
	})
	return f
}

// checkAwait elaborates await f, whose value is the result.
func checkAwait(x *Checker, e *syntax.Expr) *step.Expr {
	if !changesState(x, e) {
		return nil
	}
	f := Waitable(x, e.Args[0])
	if f == nil {
		return nil
	}
	if f.Type.Elem == nil {
		return x.Fail(e, "", "%s has no result", types.String(f.Type))
	}
	WaitFor(x, e, f)
	return x.Spill(outcomeOf(x, e, f))
}

// outcomeOf is the result of a future that is done.
func outcomeOf(x *Checker, e *syntax.Expr, f *step.Expr) *step.Expr {
	return x.Make(e, step.Index, f.Type.Elem, build.Ref(x.Results[types.Structure(f.Type.Elem)], e.Pos), f)
}

// GetResult elaborates f.get(): in a method, the actor does nothing else while it waits.
func GetResult(x *Checker, e *syntax.Expr, used bool) *step.Expr {
	if !changesState(x, e) {
		return nil
	}
	f := Waitable(x, e.Args[0])
	if f == nil {
		return nil
	}
	if f.Type.Ref == "tid" {
		return x.Fail(e.Args[0], "write join", "a thread has no result")
	}
	if used && f.Type.Elem == nil {
		return x.Fail(e, "", "%s has no result", types.String(f.Type))
	}
	b := x.Builder
	if b.Actor == nil {
		WaitFor(x, e, f)
	} else {
		b.Unit(func() {
			held := b.Held(x, e)
			b.Assign(held, Constant(e, step.BoolType, 1))
			BlockOf(x, e, isOver(x, e, f), false)
			b.Assign(held, Constant(e, step.BoolType, 0))
			RequireNotNull(x, e, f)
		})
	}
	if !used {
		return nil
	}
	return x.Spill(outcomeOf(x, e, f))
}

// IsGet reports whether an expression is a call of get, without regard to its place.
func IsGet(e *syntax.Expr) bool {
	return e.Kind == syntax.EMethod && e.Name == "get" && len(e.Args) == 1
}

// Mailboxes. Every instance of a thread that declares one has a shared queue or bag of messages of its own, to which
// all append and from which only the owner takes: the first message in order of arrival that some case wants, or, from
// a bag, any such message. A bag is kept sorted, so that states that differ in the order of arrival alone are equal.

// A Mailbox belongs to a thread; each of its instances has one.
type Mailbox struct {
	Thread     string
	Var        *step.Var // thread.mailbox: the mailbox, or an array of one per instance; nil after an error
	Type       *step.Type
	Many       bool
	Identities *Identities // of a thread that is spawned: messages go to a tid
	Sent       bool        // something is sent to it
	Read       bool        // the thread receives
}

// Bag reports whether messages are received in any order.
func (m *Mailbox) Bag() bool { return m.Type.Kind == step.Bag }

// At is the mailbox of an instance.
func (m *Mailbox) At(x *Checker, e *syntax.Expr, instance *step.Expr) *step.Expr {
	if !m.Many {
		return build.Ref(m.Var, e.Pos)
	}
	return x.Make(e, step.Index, m.Type, build.Ref(m.Var, e.Pos), instance)
}

// addressOf finds the thread with a mailbox that an expression names, as thread or thread[i].
func addressOf(tab *Table, scope Scope, e *syntax.Expr) (m *Mailbox, instance *syntax.Expr) {
	if e.Kind == syntax.EIndex {
		e, instance = e.Args[0], e.Args[1]
	}
	if e.Kind != syntax.EName || scope.local(e.Name).Var != nil {
		return nil, nil
	}
	return tab.MailboxOf(e.Name), instance
}

// An Address is where a message goes: into one mailbox, or into that of a tid, which may be of several threads.
type Address struct {
	Boxes []*step.Expr
	When  []*step.Expr // which of the boxes it is; nil where that need not be asked
	Tid   *step.Expr
}

// MailAddress elaborates the place in front of a !.
func MailAddress(x *Checker, e *syntax.Expr) *Address {
	if m, index := addressOf(x.Table, x.scope, e); m != nil {
		m.Sent = true
		x.Mention(syntax.Mention{Pos: e.Pos, What: "thread", Name: m.Thread}, nil)
		var i *step.Expr
		switch {
		case m.Var == nil:
			return nil // its declaration is faulty
		case m.Identities != nil:
			x.Fail(e, "write h!... with the tid of one", "%s is started by spawn: there may be many", m.Thread)
			return nil
		case m.Many && index == nil:
			x.Fail(e, "write "+m.Thread+"[0]!...", "which instance of %s?", m.Thread)
			return nil
		case !m.Many && index != nil:
			x.Fail(index, "", "thread %s has no count: write %s without a number", m.Thread, m.Thread)
			return nil
		case index != nil:
			if i = x.Index(index); i == nil {
				return nil
			}
		}
		return &Address{Boxes: []*step.Expr{m.At(x, e, i)}, When: []*step.Expr{nil}}
	}
	if root := e; x.Probe(e) == nil {
		for root.Kind == syntax.EIndex {
			root = root.Args[0]
		}
		if root.Kind == syntax.EName && (x.Threads[root.Name] || x.SharedVars[root.Name] == nil) {
			var known []string
			for _, m := range x.Mailboxes {
				known = append(known, m.Thread)
			}
			hint := syntax.DidYouMean(root.Name, known)
			if x.Threads[root.Name] {
				hint = "give it one: mailbox: int"
			}
			x.Report(root.Pos, root.End, hint, "%s is no thread with a mailbox", root.Name)
			return nil
		}
	}
	to := x.Value(e, nil)
	switch {
	case to == nil:
		return nil
	case types.IsActor(to.Type):
		x.Fail(e, "write o!m(...)", "a message to an actor names a method")
		return nil
	case to.Type.Ref != "tid":
		x.Fail(e, "", "this is %s, but messages go to threads", types.String(to.Type))
		return nil
	}
	a := &Address{Tid: x.Spill(to)}
	var first *Mailbox
	for _, m := range x.Mailboxes {
		switch {
		case m.Identities == nil || m.Var == nil:
		case first != nil && types.Structure(first.Type.Elem) != types.Structure(m.Type.Elem):
			x.Fail(e, "", "this may be %s or %s, which take different messages", first.Thread, m.Thread)
			return nil
		default:
			first, m.Sent = m, true
			low := IntConst(e, int64(m.Identities.First))
			high := IntConst(e, int64(m.Identities.First+m.Identities.Size))
			a.Boxes = append(a.Boxes, m.At(x, e, x.Make(e, step.Sub, step.IntType, a.Tid, low)))
			a.When = append(a.When, x.Make(e, step.And, step.BoolType, x.Make(e, step.Ge, step.BoolType, a.Tid, low),
				x.Make(e, step.Lt, step.BoolType, a.Tid, high)))
		}
	}
	if first == nil {
		x.Fail(e, "", "no thread that is spawned has a mailbox")
		return nil
	}
	return a
}

// IsMail reports whether o!f(args) is a message made by a call, to a thread, and not to a method of an actor.
func IsMail(x *Checker, e *syntax.Expr) bool {
	if e.Kind != syntax.ESend {
		return false
	}
	if m, _ := addressOf(x.Table, x.scope, e.Args[0]); m != nil {
		return true
	}
	t := x.Probe(e.Args[0])
	return t != nil && t.Ref == "tid"
}
