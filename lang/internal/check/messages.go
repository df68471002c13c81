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
			if skip != nil {
				after = append(after, x.Builder.Open...)
				x.Builder.Open = []*int{skip}
			}
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
