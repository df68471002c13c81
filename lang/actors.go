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
		l.MentionKey(kv[0], Mention{What: "class", Name: name, Type: kv[0].Value}, nil)
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
		l.MentionKey(kv[0], Mention{What: "method", Name: name, Type: kv[0].Value}, nil)
		l.addIdentities(p)
	}
}

func (t *table) classNamed(name string) *class {
	for _, c := range t.classes {
		if c.name == name {
			return c
		}
	}
	return nil
}

// classesOf are the classes that a reference may be of.
func (t *table) classesOf(typ *step.Type) (list []*class) {
	for _, name := range strings.Split(typ.Ref, "|") {
		if c := t.classNamed(name); c != nil {
			list = append(list, c)
		}
	}
	return list
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
		l.Mention(Mention{Pos: at, What: "field", Name: name, Decl: at}, t)
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
	lo.b = b
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
		l.Mention(Mention{Pos: at, What: "variable", Name: v.Name, Decl: at}, v.Type)
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
		b.Emit(step.Node{Kind: step.Await, Cond: lo.code(at).Not(b.held(lo.checker, at))}).Visible = true
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

// held is the word that says whether a task holds the actor while it waits.
func (b *builder) held(x *checker, at *syntax.Expr) *step.Expr {
	return x.make(at, step.Index, step.BoolType, build.Ref(b.actor.class.busy, at.Pos), build.Ref(b.actor.this, at.Pos))
}

// block emits a wait. In a method it ends the step; the actor is free meanwhile, unless release is not set.
func (x *checker) block(e *syntax.Expr, cond *step.Expr, release bool) {
	b := x.b
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

// field of the actor whose method the name stands in; nil if there is none.
func (s *threadNames) actorField(x *checker, e *syntax.Expr, name string) *step.Expr {
	v := s.actor.class.vars[name]
	if v == nil {
		return nil
	}
	at := e.Pos
	if e.Kind == syntax.EField {
		at = e.NameAt
	}
	x.Mention(Mention{Pos: at, What: "field", Name: name, Decl: v.Pos}, v.Type.Elem)
	return x.make(e, step.Index, v.Type.Elem, build.Ref(v, e.Pos), build.Ref(s.actor.this, e.Pos))
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
		return x.errorf(e, "its owner takes messages with receive", "a mailbox can be read only by properties"), true
	case x.scope.thread():
		return x.errorf(e, "send it a message", "the fields of an actor are its own"), true
	case field == nil:
		x.Report(e.NameAt, e.End, DidYouMean(e.Name, c.order), "%s has no field %s", c.name, e.Name)
		return nil, true
	}
	if c != nil {
		x.Mention(c.mention(of.Pos), nil)
	}
	x.Mention(Mention{Pos: e.NameAt, What: "field", Name: e.Name, Decl: field.Pos}, field.Type.Elem)
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
