package lower

import (
	"slices"
	"strings"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"

	"gopkg.in/yaml.v3"
)

// gets reports whether code holds its actor somewhere while it waits.
func gets(list []*syntax.Stmt) bool {
	var in func(e *syntax.Expr) bool
	in = func(e *syntax.Expr) bool {
		return e != nil && (check.IsGet(e) || slices.ContainsFunc(e.Args, in) || slices.ContainsFunc(e.Keys, in))
	}
	return slices.ContainsFunc(list, func(s *syntax.Stmt) bool {
		if in(s.Place) || in(s.Cond) || in(s.Value) || in(s.To) || gets(s.Body) || gets(s.Orelse) {
			return true
		}
		return slices.ContainsFunc(s.Cases, func(c *syntax.Choice) bool {
			return gets(c.Body) || c.Communication != nil && gets([]*syntax.Stmt{c.Communication})
		})
	})
}

// announceActors reads the heads of classes and methods.
func announceActors(l *loader, n *yaml.Node) {
	for _, kv := range l.Entries(n, "actors") {
		name, params, ok := l.Head(kv[0], "a class")
		if !ok {
			continue
		}
		if l.Types[name] != nil || l.TypeNames[name] || syntax.IsTypeWord(name) || l.ClassNamed(name) != nil ||
			l.Params[name] != nil {
			l.At(kv[0], "", "%s has a meaning already", name)
			continue
		}
		c := &check.Class{Name: name, Key: syntax.KeyOf(kv[0]), Vars: map[string]*step.Var{},
			Methods: map[string]*check.Identities{}}
		c.Identities = &check.Identities{Name: name, Key: syntax.KeyOf(kv[0]), Size: actorsAtOnce,
			Params: params, Class: c}
		l.Classes = append(l.Classes, c)
		l.MentionKey(kv[0], syntax.Mention{What: "class", Name: name, Type: kv[0].Value}, nil)
		addIdentities(l.Table, c.Identities)
		l.Fields(kv[1], "a class", map[string]func(*yaml.Node){
			"fields":  func(n *yaml.Node) { l.fields[c] = n },
			"methods": func(n *yaml.Node) { announceMethods(l, c, n) },
		})
	}
}

func announceMethods(l *loader, c *check.Class, n *yaml.Node) {
	for _, kv := range l.Entries(n, "methods") {
		code, ok := l.Code(kv[0], "the head of a method")
		if !ok {
			continue
		}
		name, params, result, ok := syntax.ParseSignature(l.Reporter, code)
		if !ok {
			continue
		}
		if c.Methods[name] != nil {
			l.At(kv[0], "", "%s already has a method %s", c.Name, name)
			continue
		}
		p := &check.Identities{Name: c.Name + "." + name, Key: syntax.KeyOf(kv[0]), Size: actorsAtOnce,
			Params: params, Class: c}
		p.Method = &check.Routine{Name: name, Key: syntax.KeyOf(kv[0]), Class: c, Returns: result}
		l.bodies[p.Method] = kv[1]
		c.Methods[name] = p
		c.Listed = append(c.Listed, name)
		l.MentionKey(kv[0], syntax.Mention{What: "method", Name: name, Type: kv[0].Value}, nil)
		addIdentities(l.Table, p)
	}
}

// declareClass makes the fields: those declared, and the parameters of the class, which never change.
func declareClass(l *loader, c *check.Class) {
	readParameters(l.Reporter, l.Table, c.Identities)
	add := func(name string, at step.Pos, t *step.Type, init []int64) *step.Var {
		whole := &step.Type{Kind: step.Array, Elem: t, Len: c.Identities.Size}
		v := &step.Var{Name: c.Name + "." + name, Type: whole, Pos: at, Shared: true, Offset: l.prog.SharedWords}
		addShared(l.prog, v, slices.Repeat(init, c.Identities.Size))
		c.Vars[name] = v
		c.Order = append(c.Order, name)
		l.SharedVars[v.Name] = v
		l.Mention(syntax.Mention{Pos: at, What: "field", Name: name, Decl: at}, t)
		return v
	}
	given := []*step.Var{}
	for i, p := range c.Identities.Params {
		t := c.Identities.Types[i]
		switch {
		case c.Vars[p.Name] != nil:
			l.Report(p.At, step.Pos{}, "", "%s is twice among the parameters", p.Name)
		case t != nil:
			given = append(given, add(p.Name, p.At, t, primitive.Initial(t)))
		}
	}
	c.Identities.Template.Pool.Fields = given
	if l.fields[c] == nil {
		return
	}
	for _, kv := range l.Entries(l.fields[c], "fields") {
		name := kv[0].Value
		if !l.Reporter.Declared(kv[0], "a field") {
			continue
		}
		if c.Vars[name] != nil {
			l.At(kv[0], "", "%s is already a parameter of the class", name)
			continue
		}
		if l.Params[name] != nil || l.SharedVars[name] != nil {
			l.At(kv[0], "", "%s is already a variable or a parameter", name)
			continue
		}
		code, ok := l.Code(kv[1], "the type of "+name)
		if !ok {
			continue
		}
		ty, init := syntax.ParseDecl(l.Reporter, code)
		t := l.ResolveType(l.Reporter, ty)
		if t == nil {
			t = step.IntType // known, so that its uses are not reported as well
			init = nil
		}
		if types.Pinned(t) {
			l.Report(ty.Pos, ty.End, "a task has its actor to itself", "a %s cannot be a field", types.PinnedWord(t))
			t, init = step.IntType, nil
		}
		add(name, syntax.NodePos(kv[0]), t, l.initial(t, init))
	}
}

// declareMethod makes the parameters of a task: its actor, then those of the method.
func declareMethod(r *syntax.Reporter, tab *check.Table, p *check.Identities) {
	readParameters(r, tab, p)
	if t := p.Method.Returns; t != nil {
		p.Result = tab.ResolveType(r, t)
		if p.Result != nil && types.Pinned(p.Result) {
			r.Report(t.Pos, t.End, "", "a %s cannot be a result", types.PinnedWord(p.Result))
			p.Result = nil
		}
		p.Method.Result = p.Result
	}
	tab.FutureType(p.Result)
	tab.FutureType(nil)
	for i, f := range p.Params {
		t := p.Types[i]
		if t == nil {
			t = step.IntType
		}
		p.Method.Params = append(p.Method.Params, check.RoutineParam{Name: f.Name, At: f.At, Type: t})
	}
	b := check.NewBuilder(p.Template, false)
	b.Declare("this", &step.Type{Kind: step.Range, Hi: int64(max(0, p.Class.Identities.Size-1))}, p.Template.Pos)
	b.Declare("me", tab.References[p.Class.Name], p.Template.Pos)
	for _, f := range p.Method.Params {
		b.Declare(f.Name, f.Type, f.At)
	}
	if p.Result != nil {
		key := types.Structure(p.Result)
		if tab.Results[key] == nil {
			tab.Results[key] = &step.Var{Name: "$result", Shared: true, Temp: true,
				Type: &step.Type{Kind: step.Array, Elem: p.Result}}
			tab.ResultOrder = append(tab.ResultOrder, key)
		}
		v := tab.Results[key]
		v.Type.Len = max(v.Type.Len, p.First+p.Size)
	}
}

// allotResults gives the results of futures their places, once all methods are known: an array per type, by number of
// the task.
func allotResults(prog *step.Program, tab *check.Table) {
	for _, key := range tab.ResultOrder {
		v := tab.Results[key]
		v.Offset = prog.SharedWords
		if len(tab.ResultOrder) > 1 {
			v.Name += "_" + strings.Map(func(c rune) rune {
				if strings.ContainsRune("[]{}|?., ", c) {
					return '_'
				}
				return c
			}, key)
		}
		addShared(prog, v, make([]int64, v.Type.Words()))
	}
}

// lowerTask lowers the body of a method.
func lowerTask(l *loader, p *check.Identities) {
	t, d, c := p.Template, p.Method, p.Class
	names := check.NewThreadNames()
	lo := &lowering{Checker: l.Checker(l.Reporter, names), loader: l, names: names, labels: map[string]step.Pos{}}
	b := check.NewBuilder(t, false)
	lo.Builder = b
	a := &check.ActorCode{Class: c, This: t.Locals[0], Me: t.Locals[1], Params: map[*step.Var]bool{}}
	b.Actor, names.Actor = a, a
	for i, v := range t.Locals {
		names.Fixed[v] = "a parameter"
		a.Params[v] = true
		if i < 2 {
			continue
		}
		at := d.Params[i-2].At
		if names.Lookup(v.Name) != nil || l.Params[v.Name] != nil || l.SharedVars[v.Name] != nil ||
			c.Vars[v.Name] != nil {
			l.Report(at, step.Pos{}, "choose another name", "%s is already declared", v.Name)
		}
		names.Visible[0][v.Name] = check.Local{Var: v, At: at}
		l.Mention(syntax.Mention{Pos: at, What: "variable", Name: v.Name, Decl: at}, v.Type)
		names.All[v.Name] = append(names.All[v.Name], v)
		names.Order = append(names.Order, v.Name)
	}
	for _, f := range c.Identities.Params {
		if v := c.Vars[f.Name]; v != nil {
			names.Fixed[v] = "a parameter of the class"
		}
	}
	f := &frame{routine: d}
	if d.Result != nil {
		number := &step.Expr{Op: step.Self, Type: step.IntType, Pos: t.Pos, Of: step.Own}
		at := &syntax.Expr{Pos: t.Pos}
		f.result = lo.Make(at, step.Index, d.Result, build.Ref(l.Results[types.Structure(d.Result)], t.Pos),
			lo.Make(at, step.Add, step.IntType, number, check.IntConst(at, int64(p.First))))
	}
	lo.frames = []*frame{f}
	b.Pos, b.Text = t.Pos, p.Name
	hoistBlock(lo, d.Code, false)
	b.Atomic++
	if c.Busy != nil {
		at := &syntax.Expr{Pos: t.Pos}
		b.Emit(step.Node{Kind: step.Await, Cond: lo.CodeAt(at).Not(b.Held(lo.Checker, at))}).Visible = true
	} else {
		b.Emit(step.Node{}).Visible = true
	}
	before := l.Count()
	lo.stmts(d.Code)
	if d.Result != nil && len(b.Open) > 0 && l.Count() == before {
		l.Report(d.Key.Pos, d.Key.End, "", "method %s may end without return", d.Name)
	}
	b.Open = append(b.Open, f.ends...)
	refuseSelf(l.Reporter, b.Seal())
	if t.LocalWords > check.MaxWords {
		l.Report(d.Key.Pos, d.Key.End, "", "the variables of method %s take too many words: %d", d.Name, t.LocalWords)
	}
	addInstances(l.prog, p)
}
