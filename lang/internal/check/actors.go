package check

import (
	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Actors. The fields of a class are shared arrays with an element for each actor. An execution of a method is a task: a
// process that is started by a message. A task has its actor to itself and gives it up only where it waits, and no one
// else sees the fields; so all from one await to the next is one step, and no lock is needed.

// A Class is a class of actors.
type Class struct {
	Name       string
	Key        syntax.Key
	Identities *Identities
	Vars       map[string]*step.Var
	Order      []string
	Methods    map[string]*Identities
	Listed     []string
	Gets       bool      // some method holds its actor while it waits
	Busy       *step.Var // by actor: whether it is held; nil unless gets
}

// ActorCode has the facts on its actor that the code of a method needs.
type ActorCode struct {
	Class    *Class
	This, Me *step.Var // identity of the actor within its class, and as a reference
	Params   map[*step.Var]bool
}

// names reports whether a variable stands for the actor: it never changes.
func (a *ActorCode) names(v *step.Var) bool { return a != nil && (v == a.This || v == a.Me) }

// Held is the word that says whether a task holds the actor while it waits.
func (b *Builder) Held(x *Checker, at *syntax.Expr) *step.Expr {
	return x.Make(at, step.Index, step.BoolType, build.Ref(b.Actor.Class.Busy, at.Pos), build.Ref(b.Actor.This, at.Pos))
}

// BlockOf emits a wait. In a method it ends the step; the actor is free meanwhile, unless release is not set.
func BlockOf(x *Checker, e *syntax.Expr, cond *step.Expr, release bool) {
	b := x.Builder
	if cond == nil {
		return
	}
	if b.Actor == nil {
		b.Emit(step.Node{Kind: step.Await, Cond: cond})
		return
	}
	if release && b.Actor.Class.Busy != nil {
		cond = x.Make(e, step.And, step.BoolType, x.Make(e, step.Not, step.BoolType, b.Held(x, e)), cond)
	}
	if n := b.Emit(step.Node{Kind: step.Await, Cond: cond}); b.Blocks == 0 {
		n.Visible = true
	}
}

// classField is a field of all actors of a class, C.f, or of the only one, C.one().f, as properties ask for it.
func classField(x *Checker, e *syntax.Expr) (v *step.Expr, is bool) {
	of := e.Args[0]
	one := of.Kind == syntax.EMethod && of.Name == "one" && len(of.Args) == 1
	if one {
		of = of.Args[0]
	}
	if of.Kind != syntax.EName || !x.scope.shared() {
		return nil, false
	}
	if m := x.MailboxOf(of.Name); m != nil && m.Var == nil && e.Name == "mailbox" {
		return nil, true // its declaration is faulty
	}
	field := x.SharedVars[of.Name+"."+e.Name]
	c := x.ClassNamed(of.Name)
	switch {
	case field == nil && c == nil:
		return nil, false
	case x.scope.thread() && field != nil && x.IsMailbox(field):
		return x.Fail(e, "its owner takes messages with receive", "a mailbox can be read only by properties"), true
	case x.scope.thread() && field != nil && x.IsCrashed(field):
		return x.Fail(e, "", "only properties can ask whether a thread has crashed"), true
	case x.scope.thread():
		return x.Fail(e, "send it a message", "the fields of an actor are its own"), true
	case field == nil:
		x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, c.Order), "%s has no field %s", c.Name, e.Name)
		return nil, true
	}
	if c != nil {
		x.Mention(c.Mention(of.Pos), nil)
	}
	x.Mention(syntax.Mention{Pos: e.NameAt, What: "field", Name: e.Name, Decl: field.Pos}, field.Type.Elem)
	switch {
	case !one:
		return build.Ref(field, e.Pos), true
	case c == nil:
		return nil, false
	}
	// The index is -1, an error, unless exactly one actor exists.
	index, count := IntConst(e, -1), IntConst(e, 0)
	for i := c.Identities.Size - 1; i >= 0; i-- {
		life := x.Make(e, step.Index, step.IntType, build.Ref(x.Life, e.Pos), IntConst(e, int64(c.Identities.First+i)))
		exists := x.Make(e, step.Ne, step.BoolType, life, IntConst(e, 0))
		index = x.Make(e, step.Cond, step.IntType, exists, IntConst(e, int64(i)), index)
		count = x.Make(e, step.Add, step.IntType, count,
			x.Make(e, step.Cond, step.IntType, exists, IntConst(e, 1), IntConst(e, 0)))
	}
	index = x.Make(e, step.Cond, step.IntType, x.Make(e, step.Eq, step.BoolType, count, IntConst(e, 1)),
		index, IntConst(e, -1))
	return x.Make(e, step.Index, field.Type.Elem, build.Ref(field, e.Pos), index), true
}
