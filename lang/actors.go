package lang

import (
	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Actors. The fields of a class are shared arrays with an element for each actor. An execution of a method is a task: a process
// that is started by a message. A task has its actor to itself and gives it up only where it waits, and nobody else sees the
// fields; so all from one await to the next is one step, and no lock is needed.

type class struct {
	name    string
	key     syntax.Key
	ids     *identities
	vars    map[string]*step.Var
	order   []string
	methods map[string]*identities
	listed  []string
	gets    bool      // some method holds its actor while it waits
	busy    *step.Var // by actor: whether it is held; nil unless gets
}

// actorCode is what the code of a method knows about its actor.
type actorCode struct {
	class    *class
	this, me *step.Var // identity of the actor within its class, and as a reference
	params   map[*step.Var]bool
}

// names reports whether a variable stands for the actor: it never changes.
func (a *actorCode) names(v *step.Var) bool { return a != nil && (v == a.this || v == a.me) }

// held is the word that says whether a task holds the actor while it waits.
func (b *builder) held(x *checker, at *syntax.Expr) *step.Expr {
	return x.make(at, step.Index, step.BoolType, build.Ref(b.actor.class.busy, at.Pos), build.Ref(b.actor.this, at.Pos))
}

// block emits a wait. In a method it ends the step; the actor is free meanwhile, unless release is not set.
func (x *checker) block(e *syntax.Expr, cond *step.Expr, release bool) {
	b := x.builder
	if cond == nil {
		return
	}
	if b.actor == nil {
		b.Emit(step.Node{Kind: step.Await, Cond: cond})
		return
	}
	if release && b.actor.class.busy != nil {
		cond = x.make(e, step.And, step.BoolType, x.make(e, step.Not, step.BoolType, b.held(x, e)), cond)
	}
	if n := b.Emit(step.Node{Kind: step.Await, Cond: cond}); b.blocks == 0 {
		n.Visible = true
	}
}

// classField is a field of all actors of a class, C.f, or of the only one, C.one().f, as properties ask for it.
func (x *checker) classField(e *syntax.Expr) (v *step.Expr, is bool) {
	of := e.Args[0]
	one := of.Kind == syntax.EMethod && of.Name == "one" && len(of.Args) == 1
	if one {
		of = of.Args[0]
	}
	if of.Kind != syntax.EName || !x.scope.shared() {
		return nil, false
	}
	if m := x.mailboxOf(of.Name); m != nil && m.v == nil && e.Name == "mailbox" {
		return nil, true // its declaration is faulty
	}
	field := x.sharedVars[of.Name+"."+e.Name]
	c := x.classNamed(of.Name)
	switch {
	case field == nil && c == nil:
		return nil, false
	case x.scope.thread() && field != nil && x.isMailbox(field):
		return x.fail(e, "its owner takes messages with receive", "a mailbox can be read only by properties"), true
	case x.scope.thread():
		return x.fail(e, "send it a message", "the fields of an actor are its own"), true
	case field == nil:
		x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, c.order), "%s has no field %s", c.name, e.Name)
		return nil, true
	}
	if c != nil {
		x.Mention(c.mention(of.Pos), nil)
	}
	x.Mention(syntax.Mention{Pos: e.NameAt, What: "field", Name: e.Name, Decl: field.Pos}, field.Type.Elem)
	switch {
	case !one:
		return build.Ref(field, e.Pos), true
	case c == nil:
		return nil, false
	}
	// The index is -1, an error, unless exactly one actor exists.
	index, count := intConst(e, -1), intConst(e, 0)
	for i := c.ids.size - 1; i >= 0; i-- {
		life := x.make(e, step.Index, step.IntType, build.Ref(x.life, e.Pos), intConst(e, int64(c.ids.first+i)))
		exists := x.make(e, step.Ne, step.BoolType, life, intConst(e, 0))
		index = x.make(e, step.Cond, step.IntType, exists, intConst(e, int64(i)), index)
		count = x.make(e, step.Add, step.IntType, count, x.make(e, step.Cond, step.IntType, exists, intConst(e, 1), intConst(e, 0)))
	}
	index = x.make(e, step.Cond, step.IntType, x.make(e, step.Eq, step.BoolType, count, intConst(e, 1)), index, intConst(e, -1))
	return x.make(e, step.Index, field.Type.Elem, build.Ref(field, e.Pos), index), true
}
