package lang

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// How many there may be at once. What is explored is a bit set of processes.
const (
	threadsAtOnce = 8
	actorsAtOnce  = 16
	mostAtOnce    = 64
	mostProcesses = 200
)

// announceSpawned finds what can be started, so that bounds and types can be read.
func (l *loader) announceSpawned(threads, actors *yaml.Node) {
	if actors != nil {
		l.announceActors(actors)
	}
	if threads == nil || threads.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(threads.Content); i += 2 {
		k, n := threads.Content[i], threads.Content[i+1]
		if n.Kind != yaml.MappingNode || l.identitiesOf(k.Value) != nil {
			continue
		}
		for j := 0; j+1 < len(n.Content); j += 2 {
			if n.Content[j].Value == "params" && n.Content[j+1].Kind == yaml.SequenceNode {
				l.addIdentities(&identities{name: k.Value, key: syntax.KeyOf(k), size: threadsAtOnce})
			}
		}
	}
}

func (l *loader) addIdentities(p *identities) {
	p.tmpl = &step.Template{Name: p.name, Pos: p.key.Pos}
	l.spawned = append(l.spawned, p)
}

// identityBounds are the keys of bounds that say how many identities there are.
func (l *loader) identityBounds(keys map[string]func(*yaml.Node)) {
	for _, p := range l.spawned {
		keys[p.name] = func(n *yaml.Node) {
			e := l.ValueExpr(n)
			if e == nil {
				return
			}
			if v, ok := l.checker(l.Reporter, constNames{}).constInt(e, "a bound"); ok && (v < 1 || v > mostAtOnce) {
				l.At(n, "", "a bound must be from 1 to %d, not %d", mostAtOnce, v)
			} else if ok {
				p.size = int(v)
			}
		}
	}
}

// numberIdentities fixes the numbers of all identities. Tasks come first: results are kept by number.
func (l *loader) numberIdentities() {
	l.identityNames = []string{"null"}
	var started map[string]bool
	if len(l.spawned) > 0 {
		started = l.creations()
	}
	for _, tasks := range []bool{true, false} {
		for _, p := range l.spawned {
			if (p.method != nil) != tasks {
				continue
			}
			if !started[created(p)] {
				p.size = 0
			}
			p.first = len(l.identityNames)
			for i := range p.size {
				l.identityNames = append(l.identityNames, fmt.Sprintf("%s[%d]", p.name, i))
			}
		}
	}
	l.tid = l.reference("tid", nil)
	for _, c := range l.classes {
		l.references[c.name] = l.reference(c.name, nil)
	}
	l.processes += len(l.identityNames) - 1
	if len(l.spawned) > 0 && l.processes > mostProcesses {
		p := l.spawned[0]
		l.Report(p.key.Pos, p.key.End, "make them fewer in bounds", "there may be %d threads, actors and tasks at once, more than %d", l.processes, mostProcesses)
	}
}

// creations finds what the program may start: spawn t(, new A( and !m( wherever it is written, as a set of "spawn t"
// and so on.
func (l *loader) creations() map[string]bool {
	found := map[string]bool{}
	code := l.code()
	for i := range max(0, len(code)-2) {
		how, what, open := code[i], code[i+1], code[i+2]
		if slices.Contains([]string{"spawn", "new", "!"}, how.Text) && what.Kind == syntax.TName && open.Text == "(" {
			found[how.Text+" "+what.Text] = true
		}
	}
	return found
}

// created is how creations names what starts such a process.
func created(p *identities) string {
	switch {
	case p.method != nil:
		return "! " + p.method.name
	case p.class != nil:
		return "new " + p.name
	}
	return "spawn " + p.name
}

// hidden adds a shared variable that programs cannot name; it is not observed.
func (l *loader) hidden(name string, t *step.Type) *step.Var {
	v := &step.Var{Name: "$" + name, Type: t, Shared: true, Temp: true, Offset: l.prog.SharedWords}
	l.addShared(v, make([]int64, t.Words()))
	return v
}

func (l *loader) addShared(v *step.Var, init []int64) {
	l.prog.Shared = append(l.prog.Shared, v)
	l.prog.SharedWords += len(init)
	l.prog.Init = append(l.prog.Init, init...)
}

// declareSpawned makes the shared data of what can be started, and the templates with the parameters.
func (l *loader) declareSpawned() {
	if len(l.spawned) == 0 {
		return
	}
	l.hide = l.hidden
	l.life = l.hidden("life", &step.Type{Kind: step.Array, Elem: step.IntType, Len: len(l.identityNames)})
	l.life.Life = true
	for _, p := range l.spawned {
		p.tmpl.Count = p.size
		p.tmpl.Pool = &step.Pool{Name: p.name, Size: p.size, First: p.first, Life: l.life}
	}
	for _, c := range l.classes {
		l.declareClass(c)
	}
	for _, p := range l.spawned {
		if p.method != nil {
			l.declareMethod(p)
		}
	}
	l.allotResults()
}

// readMethods parses the bodies of the methods, and finds out which classes need to be held.
func (l *loader) readMethods() {
	for _, c := range l.classes {
		for _, d := range l.procs {
			c.gets = c.gets || gets(d.code)
		}
		for _, name := range c.listed {
			d := c.methods[name].method
			if code, ok := l.Code(l.bodies[d], "the body of method "+name); ok {
				d.code = syntax.ParseBody(l.Reporter, code)
				c.gets = c.gets || gets(d.code)
			}
		}
		if c.gets {
			c.busy = l.hidden("busy_"+c.name, &step.Type{Kind: step.Array, Elem: step.BoolType, Len: c.ids.size})
		}
	}
}

// parameters resolves the types of what is given to a process that is started.
func (l *loader) parameters(p *identities) {
	for _, f := range p.params {
		t := l.resolveType(l.Reporter, f.Typ)
		if t != nil && types.Pinned(t) {
			l.Report(f.Typ.Pos, f.Typ.End, "", "a %s cannot be given by value", types.PinnedWord(t))
			t = nil
		}
		p.types = append(p.types, t)
	}
}

// instances adds the processes that can be started to the program.
func (l *loader) instances(p *identities) {
	t := p.tmpl
	l.prog.Templates = append(l.prog.Templates, t)
	for i := range t.Count {
		l.prog.Procs = append(l.prog.Procs, &step.Proc{Index: len(l.prog.Procs), Template: t, Self: int64(i),
			Name: fmt.Sprintf("%s[%d]", t.Name, i), Init: make([]int64, t.LocalWords)})
	}
}

// ahead emits what a thread does before it waits in await o!m() and o!m().get(), as a step of its own. In a method
// every wait begins a step.
func (lo *lowering) ahead(e *syntax.Expr) *syntax.Expr {
	if e == nil || e.Kind != syntax.EAwait && !isGet(e) || lo.builder.actor != nil || lo.builder.Atomic > 0 || !lo.emits(e.Args[0]) {
		return e
	}
	done := *e.Args[0]
	done.Kind, done.Args = syntax.EDone, nil
	arg := lo.ahead(e.Args[0])
	lo.builder.Simple(func() { done.Done = lo.spill(lo.value(arg, nil)) })
	whole := *e
	whole.Args = []*syntax.Expr{&done}
	return &whole
}

// join lowers join h.
func (lo *lowering) joinThread(s *syntax.Stmt) {
	f := lo.waitable(s.Place)
	if f == nil {
		return
	}
	if f.Type.Ref != "tid" {
		lo.fail(s.Place, "write await", "join waits for threads, and this is %s", types.String(f.Type))
		return
	}
	lo.wait(s.Place, f)
}

// mentionBounds notes what the keys of bounds mean.
func (l *loader) mentionBounds(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		at, p := syntax.NamePos(n.Content[i]), l.identitiesOf(n.Content[i].Value)
		switch {
		case p == nil:
		case p.class == nil:
			l.Mention(syntax.Mention{Pos: at, What: "thread", Name: p.name}, nil)
		default:
			l.Mention(p.class.mention(at), nil)
			if p.method != nil {
				at.Col += utf8.RuneCountInString(p.class.name) + 1
				l.Mention(syntax.Mention{Pos: at, What: "method", Name: p.method.name, Type: p.key.Text, Decl: p.key.Name}, nil)
			}
		}
	}
}
