package lang

import (
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Messages: new A(args), o!m(args), waiting for what a method gives back.

// create elaborates new A(args).
func (x *checker) create(e *syntax.Expr) *step.Expr {
	if !x.changes(e) {
		return nil
	}
	c := x.classNamed(e.Name)
	if c == nil {
		var known []string
		for _, c := range x.classes {
			known = append(known, c.name)
		}
		x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, known), "%s is not a class of actors", e.Name)
		return nil
	}
	x.Mention(c.mention(e.NameAt), nil)
	args, ok := x.starts(e, c.ids, e.Args)
	if !ok {
		return nil
	}
	o := x.builder.CheckedTemp(x.references[c.name], e.Pos)
	x.builder.Unit(func() { x.start(e, c.ids, args, o) })
	return o
}

// message elaborates o!m(args), whose value is a future.
func (x *checker) message(e *syntax.Expr) *step.Expr {
	if !x.changes(e) {
		return nil
	}
	if x.isMail(e) {
		return x.fail(e, "", "a message to a thread is a statement of its own and has no value")
	}
	o := x.value(e.Args[0], nil)
	if o == nil {
		return nil
	}
	if !types.IsActor(o.Type) {
		return x.fail(e.Args[0], "", "this is %s, but messages go to actors", types.String(o.Type))
	}
	if slices.ContainsFunc(e.Args[1:], x.emits) {
		o = x.spill(o)
	}
	classes := x.classesOf(o.Type)
	var receivers []*identities
	for _, c := range classes {
		p := c.methods[e.Name]
		if p == nil {
			x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, c.listed), "%s has no method %s", c.name, e.Name)
			return nil
		}
		if len(receivers) > 0 && !slices.EqualFunc(receivers[0].types, p.types, func(a, b *step.Type) bool {
			return a == nil || b == nil || types.Structure(a) == types.Structure(b)
		}) {
			return x.fail(e, "", "the methods %s and %s take different parameters", receivers[0].name, p.name)
		}
		receivers = append(receivers, p)
		x.Mention(syntax.Mention{Pos: e.NameAt, What: "method", Name: e.Name, Type: p.key.Text, Decl: p.key.Name}, nil)
	}
	args, ok := x.starts(e, receivers[0], e.Args[1:])
	if !ok {
		return nil
	}
	t := x.futures[types.FutureOf(receivers[0].result)]
	for _, p := range receivers {
		if types.FutureOf(p.result) != types.FutureOf(receivers[0].result) {
			t = x.futures[types.FutureOf(nil)] // something to wait for
		}
	}
	f := x.builder.CheckedTemp(t, e.Pos)
	x.builder.Unit(func() {
		if o.Op != step.VarRef || !o.Var.Temp && !x.builder.actor.names(o.Var) {
			x.notNull(e, o)
		}
		var after []*int
		for i, p := range receivers {
			first := intConst(e, int64(p.class.ids.first))
			this := x.make(e, step.Sub, step.IntType, o, first)
			var skip *int
			if i < len(receivers)-1 {
				end := intConst(e, int64(p.class.ids.first+p.class.ids.size))
				skip = x.builder.Branch(x.make(e, step.And, step.BoolType, x.make(e, step.Ge, step.BoolType, o, first), x.make(e, step.Lt, step.BoolType, o, end)))
			}
			me := *o
			x.start(e, p, append([]*step.Expr{this, &me}, args...), f)
			if skip != nil {
				after = append(after, x.builder.Open...)
				x.builder.Open = []*int{skip}
			}
		}
		x.builder.Open = append(x.builder.Open, after...)
	})
	return f
}

// awaited elaborates await f, whose value is the result.
func (x *checker) awaited(e *syntax.Expr) *step.Expr {
	if !x.changes(e) {
		return nil
	}
	f := x.waitable(e.Args[0])
	if f == nil {
		return nil
	}
	if f.Type.Elem == nil {
		return x.fail(e, "", "%s has no result", types.String(f.Type))
	}
	x.wait(e, f)
	return x.spill(x.outcome(e, f))
}

// outcome is the result of a future that is done.
func (x *checker) outcome(e *syntax.Expr, f *step.Expr) *step.Expr {
	return x.make(e, step.Index, f.Type.Elem, build.Ref(x.results[types.Structure(f.Type.Elem)], e.Pos), f)
}

// get elaborates f.get(): in a method, the actor does nothing else while it waits.
func (x *checker) get(e *syntax.Expr, used bool) *step.Expr {
	if !x.changes(e) {
		return nil
	}
	f := x.waitable(e.Args[0])
	if f == nil {
		return nil
	}
	if f.Type.Ref == "tid" {
		return x.fail(e.Args[0], "write join", "a thread has no result")
	}
	if used && f.Type.Elem == nil {
		return x.fail(e, "", "%s has no result", types.String(f.Type))
	}
	b := x.builder
	if b.actor == nil {
		x.wait(e, f)
	} else {
		b.Unit(func() {
			held := b.held(x, e)
			b.Assign(held, constant(e, step.BoolType, 1))
			x.block(e, x.over(e, f), false)
			b.Assign(held, constant(e, step.BoolType, 0))
			x.notNull(e, f)
		})
	}
	if !used {
		return nil
	}
	return x.spill(x.outcome(e, f))
}

func isGet(e *syntax.Expr) bool {
	return e.Kind == syntax.EMethod && e.Name == "get" && len(e.Args) == 1
}
