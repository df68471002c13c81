package lang

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// gets reports whether code holds its actor somewhere while it waits.
func gets(list []*syntax.Stmt) bool {
	var in func(e *syntax.Expr) bool
	in = func(e *syntax.Expr) bool {
		return e != nil && (isGet(e) || slices.ContainsFunc(e.Args, in) || slices.ContainsFunc(e.Keys, in))
	}
	return slices.ContainsFunc(list, func(s *syntax.Stmt) bool {
		if in(s.Place) || in(s.Cond) || in(s.Value) || in(s.To) || gets(s.Body) || gets(s.Orelse) {
			return true
		}
		return slices.ContainsFunc(s.Cases, func(c *syntax.Choice) bool { return gets(c.Body) || c.Comm != nil && gets([]*syntax.Stmt{c.Comm}) })
	})
}

// announceActors reads the heads of classes and methods.
func (l *loader) announceActors(n *yaml.Node) {
	for _, kv := range l.Entries(n, "actors") {
		name, params, ok := l.Head(kv[0], "a class")
		if !ok {
			continue
		}
		if l.types[name] != nil || l.TypeNames[name] || syntax.IsTypeWord(name) || l.classNamed(name) != nil || l.params[name] != nil {
			l.At(kv[0], "", "%s has a meaning already", name)
			continue
		}
		c := &class{name: name, key: syntax.KeyOf(kv[0]), vars: map[string]*step.Var{}, methods: map[string]*identities{}}
		c.ids = &identities{name: name, key: syntax.KeyOf(kv[0]), size: actorsAtOnce, params: params, class: c}
		l.classes = append(l.classes, c)
		l.MentionKey(kv[0], syntax.Mention{What: "class", Name: name, Type: kv[0].Value}, nil)
		l.addIdentities(c.ids)
		l.Fields(kv[1], "a class", map[string]func(*yaml.Node){
			"fields":  func(n *yaml.Node) { l.fields[c] = n },
			"methods": func(n *yaml.Node) { l.announceMethods(c, n) },
		})
	}
}

func (l *loader) announceMethods(c *class, n *yaml.Node) {
	for _, kv := range l.Entries(n, "methods") {
		code, ok := l.Code(kv[0], "the head of a method")
		if !ok {
			continue
		}
		name, params, result, ok := syntax.ParseSignature(l.Reporter, code)
		if !ok {
			continue
		}
		if c.methods[name] != nil {
			l.At(kv[0], "", "%s already has a method %s", c.name, name)
			continue
		}
		p := &identities{name: c.name + "." + name, key: syntax.KeyOf(kv[0]), size: actorsAtOnce, params: params, class: c}
		p.method = &routine{name: name, key: syntax.KeyOf(kv[0]), class: c, returns: result}
		l.bodies[p.method] = kv[1]
		c.methods[name] = p
		c.listed = append(c.listed, name)
		l.MentionKey(kv[0], syntax.Mention{What: "method", Name: name, Type: kv[0].Value}, nil)
		l.addIdentities(p)
	}
}

// declareClass makes the fields: those declared, and the parameters of the class, which never change.
func (l *loader) declareClass(c *class) {
	l.parameters(c.ids)
	add := func(name string, at step.Pos, t *step.Type, init []int64) *step.Var {
		whole := &step.Type{Kind: step.Array, Elem: t, Len: c.ids.size}
		v := &step.Var{Name: c.name + "." + name, Type: whole, Pos: at, Shared: true, Offset: l.prog.SharedWords}
		l.addShared(v, slices.Repeat(init, c.ids.size))
		c.vars[name] = v
		c.order = append(c.order, name)
		l.sharedVars[v.Name] = v
		l.Mention(syntax.Mention{Pos: at, What: "field", Name: name, Decl: at}, t)
		return v
	}
	given := []*step.Var{}
	for i, p := range c.ids.params {
		t := c.ids.types[i]
		switch {
		case c.vars[p.Name] != nil:
			l.Report(p.At, step.Pos{}, "", "%s is twice among the parameters", p.Name)
		case t != nil:
			given = append(given, add(p.Name, p.At, t, primitive.Initial(t)))
		}
	}
	c.ids.tmpl.Pool.Fields = given
	if l.fields[c] == nil {
		return
	}
	for _, kv := range l.Entries(l.fields[c], "fields") {
		name := kv[0].Value
		if !l.Reporter.Declared(kv[0], "a field") {
			continue
		}
		if c.vars[name] != nil {
			l.At(kv[0], "", "%s is already a parameter of the class", name)
			continue
		}
		if l.params[name] != nil || l.sharedVars[name] != nil {
			l.At(kv[0], "", "%s is already a variable or a parameter", name)
			continue
		}
		code, ok := l.Code(kv[1], "the type of "+name)
		if !ok {
			continue
		}
		ty, init := syntax.ParseDecl(l.Reporter, code)
		t := l.resolveType(l.Reporter, ty)
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
func (l *loader) declareMethod(p *identities) {
	l.parameters(p)
	if r := p.method.returns; r != nil {
		p.result = l.resolveType(l.Reporter, r)
		if p.result != nil && types.Pinned(p.result) {
			l.Report(r.Pos, r.End, "", "a %s cannot be a result", types.PinnedWord(p.result))
			p.result = nil
		}
		p.method.result = p.result
	}
	l.futureType(p.result)
	l.futureType(nil)
	for i, f := range p.params {
		t := p.types[i]
		if t == nil {
			t = step.IntType
		}
		p.method.params = append(p.method.params, routineParam{f.Name, f.At, t})
	}
	b := newBuilder(p.tmpl, false)
	b.Declare("this", &step.Type{Kind: step.Range, Hi: int64(max(0, p.class.ids.size-1))}, p.tmpl.Pos)
	b.Declare("me", l.references[p.class.name], p.tmpl.Pos)
	for _, f := range p.method.params {
		b.Declare(f.name, f.typ, f.at)
	}
	if p.result != nil {
		key := types.Structure(p.result)
		if l.results[key] == nil {
			l.results[key] = &step.Var{Name: "$result", Shared: true, Temp: true, Type: &step.Type{Kind: step.Array, Elem: p.result}}
			l.resultOrder = append(l.resultOrder, key)
		}
		v := l.results[key]
		v.Type.Len = max(v.Type.Len, p.first+p.size)
	}
}

// allotResults gives the results of futures their places, once all methods are known: an array per type, by number of the task.
func (l *loader) allotResults() {
	for _, key := range l.resultOrder {
		v := l.results[key]
		v.Offset = l.prog.SharedWords
		if len(l.resultOrder) > 1 {
			v.Name += "_" + strings.Map(func(c rune) rune {
				if strings.ContainsRune("[]{}|?., ", c) {
					return '_'
				}
				return c
			}, key)
		}
		l.addShared(v, make([]int64, v.Type.Words()))
	}
}

// task lowers the body of a method.
func (l *loader) task(p *identities) {
	t, d, c := p.tmpl, p.method, p.class
	names := newThreadNames()
	lo := &lowering{checker: l.checker(l.Reporter, names), loader: l, names: names, labels: map[string]step.Pos{}}
	b := newBuilder(t, false)
	lo.builder = b
	a := &actorCode{class: c, this: t.Locals[0], me: t.Locals[1], params: map[*step.Var]bool{}}
	b.actor, names.actor = a, a
	for i, v := range t.Locals {
		names.fixed[v] = "a parameter"
		a.params[v] = true
		if i < 2 {
			continue
		}
		at := d.params[i-2].at
		if names.lookup(v.Name) != nil || l.params[v.Name] != nil || l.sharedVars[v.Name] != nil || c.vars[v.Name] != nil {
			l.Report(at, step.Pos{}, "choose another name", "%s is already declared", v.Name)
		}
		names.visible[0][v.Name] = local{v, at}
		l.Mention(syntax.Mention{Pos: at, What: "variable", Name: v.Name, Decl: at}, v.Type)
		names.all[v.Name] = append(names.all[v.Name], v)
		names.order = append(names.order, v.Name)
	}
	for _, f := range c.ids.params {
		if v := c.vars[f.Name]; v != nil {
			names.fixed[v] = "a parameter of the class"
		}
	}
	f := &frame{routine: d}
	if d.result != nil {
		number := &step.Expr{Op: step.Self, Type: step.IntType, Pos: t.Pos, Of: step.Own}
		at := &syntax.Expr{Pos: t.Pos}
		f.result = lo.make(at, step.Index, d.result, build.Ref(l.results[types.Structure(d.result)], t.Pos),
			lo.make(at, step.Add, step.IntType, number, intConst(at, int64(p.first))))
	}
	lo.frames = []*frame{f}
	b.Pos, b.Text = t.Pos, p.name
	lo.hoistBlock(d.code, false)
	b.Atomic++
	if c.busy != nil {
		at := &syntax.Expr{Pos: t.Pos}
		b.Emit(step.Node{Kind: step.Await, Cond: lo.codeAt(at).Not(b.held(lo.checker, at))}).Visible = true
	} else {
		b.Emit(step.Node{}).Visible = true
	}
	before := l.Count()
	lo.stmts(d.code)
	if d.result != nil && len(b.Open) > 0 && l.Count() == before {
		l.Report(d.key.Pos, d.key.End, "", "method %s may end without return", d.name)
	}
	b.Open = append(b.Open, f.ends...)
	l.misplaced(b.Seal())
	if t.LocalWords > maxWords {
		l.Report(d.key.Pos, d.key.End, "", "the variables of method %s take too many words: %d", d.name, t.LocalWords)
	}
	l.instances(p)
}
