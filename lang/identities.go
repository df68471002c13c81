package lang

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// What comes into being while the program runs has an identity out of those of its declaration (a step.Pool): threads
// with parameters in a list, actors by their class, and tasks, the executions of a method, by the method. All together
// are numbered in one shared array that says how far they are; a reference is such a number, and 0 is null.

// How many there may be at once. What is explored is a bit set of processes.
const (
	threadsAtOnce = 8
	actorsAtOnce  = 16
	mostAtOnce    = 64
	mostProcesses = 200
)

type identities struct {
	name   string
	key    syntax.Key
	size   int
	first  int // number of the first; from 1
	params []syntax.FieldExpr
	types  []*step.Type // of the parameters; nil for faulty ones
	result *step.Type   // of a method
	tmpl   *step.Template
	class  *class   // of actors and tasks
	method *routine // of tasks
}

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

func (t *table) identitiesOf(name string) *identities {
	for _, p := range t.spawned {
		if p.name == name {
			return p
		}
	}
	return nil
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
			if !started[p.created()] {
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
func (p *identities) created() string {
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

// start emits the start of a process with given arguments. dst, if not nil, becomes its number.
func (x *checker) start(e *syntax.Expr, p *identities, args []*step.Expr, dst *step.Expr) {
	b := x.b
	n := step.Node{Kind: step.Spawn, Target: p.tmpl, Args: args, Dst: dst}
	if a := b.actor; a != nil && b.decided(a) {
		// Which task of the actor gets here depends on its fields: what it starts is named after the actor, so that the
		// tasks may come in any order and still make the same.
		n.Maker, n.MakerOf = build.Ref(a.this, e.Pos), a.class.ids.tmpl
		tally := x.tally(e, a.class, p)
		n.Counter = x.make(e, step.Index, step.IntType, build.Ref(tally, e.Pos), build.Ref(a.this, e.Pos))
	} else {
		n.Counter = b.CheckedTemp(step.IntType, e.Pos)
	}
	b.Emit(n)
}

// tally is the array in which actors count what they start at a place of the program, which may be written out several
// times.
func (x *checker) tally(e *syntax.Expr, c *class, p *identities) *step.Var {
	key := tallyKey{c, p, e.Pos}
	if x.tallies[key] == nil {
		x.tallies[key] = x.hide(fmt.Sprintf("made_%s_%d", c.name, len(x.tallies)+1), &step.Type{Kind: step.Array, Elem: step.IntType, Len: c.ids.size})
	}
	return x.tallies[key]
}

type tallyKey struct {
	class *class
	ids   *identities
	at    step.Pos
}

// decided reports whether the code so far has branched on more than the parameters.
func (b *builder) decided(a *actorCode) bool {
	for _, n := range b.Nodes {
		if n.Kind == step.Branch && !a.given(n.Cond) {
			return true
		}
	}
	return false
}

func (a *actorCode) given(e *step.Expr) bool {
	if e.Op == step.VarRef && !a.params[e.Var] {
		return false
	}
	for _, arg := range e.Args {
		if !a.given(arg) {
			return false
		}
	}
	return true
}

// starts elaborates the arguments of a process to start; ok is false after an error.
func (x *checker) starts(e *syntax.Expr, p *identities, from []*syntax.Expr) (args []*step.Expr, ok bool) {
	if len(from) != len(p.types) {
		x.errorf(e, "", "%s takes %s, not %d", p.name, syntax.Plural(len(p.types), "argument"), len(from))
		return nil, false
	}
	for i, a := range from {
		if p.types[i] == nil {
			return nil, false
		}
		v := x.element(a, x.assignable(a, p.types[i]), p.types[i])
		for _, later := range from[i+1:] {
			if x.emits(later) {
				v = x.spill(v)
			}
		}
		if v == nil {
			return nil, false
		}
		args = append(args, v)
	}
	return args, true
}

// changes demands a place where something may happen.
func (x *checker) changes(e *syntax.Expr) bool {
	if x.b == nil || !x.scope.changes() {
		x.errorf(e, "", "an expression here must not change anything")
		return false
	}
	return true
}

// spawn elaborates spawn t(args), whose value is a tid.
func (x *checker) spawn(e *syntax.Expr) *step.Expr {
	if !x.changes(e) {
		return nil
	}
	p := x.identitiesOf(e.Name)
	if p == nil || p.class != nil {
		var known []string
		for _, p := range x.spawned {
			if p.class == nil {
				known = append(known, p.name)
			}
		}
		hint := DidYouMean(e.Name, known)
		if x.threads[e.Name] {
			hint = "write its params as a list, params: [x int], so that it starts when it is spawned"
		}
		x.Report(e.NameAt, e.End, hint, "%s is not a thread that can be spawned", e.Name)
		return nil
	}
	x.Mention(Mention{Pos: e.NameAt, What: "thread", Name: p.name}, nil)
	args, ok := x.starts(e, p, e.Args)
	if !ok {
		return nil
	}
	h := x.b.CheckedTemp(x.tid, e.Pos)
	x.b.Unit(func() { x.start(e, p, args, h) })
	return h
}

// over is the condition that what a tid or future stands for has come to its end. With null it holds, so that the check
// behind it fails.
func (x *checker) over(e *syntax.Expr, f *step.Expr) *step.Expr {
	if x.life == nil { // nothing is ever started
		return x.isNull(e, f)
	}
	return x.make(e, step.Or, step.BoolType, x.isNull(e, f), x.ended(e, f))
}

// ended is the condition that the life of what a tid or future stands for is over.
func (x *checker) ended(e *syntax.Expr, f *step.Expr) *step.Expr {
	life := x.make(e, step.Index, step.IntType, build.Ref(x.life, e.Pos), f)
	return x.make(e, step.Eq, step.BoolType, life, intConst(e, step.EndedLife))
}

// done says whether what a tid or future stands for has come to its end; with null it is false.
func (x *checker) done(e *syntax.Expr, f *step.Expr) *step.Expr {
	if x.life == nil { // nothing is ever started
		return constant(e, step.BoolType, 0)
	}
	return x.read(x.ended(e, f))
}

func (x *checker) isNull(e *syntax.Expr, f *step.Expr) *step.Expr {
	null := constant(e, f.Type, 0)
	null.Name = "null"
	return x.make(e, step.Eq, step.BoolType, f, null)
}

func (x *checker) notNull(e *syntax.Expr, f *step.Expr) {
	if c := x.isNull(e, f); c != nil {
		c.Op = step.Ne
		x.b.Emit(step.Node{Kind: step.Check, Cond: c, Fault: step.NullValue})
	}
}

// wait emits waiting for the end of what f stands for.
func (x *checker) wait(e *syntax.Expr, f *step.Expr) {
	x.b.Unit(func() {
		x.block(e, x.over(e, f), true)
		x.notNull(e, f)
	})
}

// waitable elaborates a tid or future to wait for.
func (x *checker) waitable(e *syntax.Expr) *step.Expr {
	y := x
	if !x.b.split() && !(x.b.actor != nil && x.emits(e)) {
		y = x.pure()
	}
	f := x.spillIf(x.emits(e), y.value(e, nil))
	if f != nil && !types.IsWaitable(f.Type) {
		return x.errorf(e, "", "this is %s, but a thread or future to wait for is needed", types.String(f.Type))
	}
	return f
}

func (x *checker) spillIf(really bool, v *step.Expr) *step.Expr {
	if really {
		return x.spill(v)
	}
	return v
}

// ahead emits what a thread does before it waits in await o!m() and o!m().get(), as a step of its own. In a method
// every wait begins a step.
func (lo *lowering) ahead(e *syntax.Expr) *syntax.Expr {
	if e == nil || e.Kind != syntax.EAwait && !isGet(e) || lo.b.actor != nil || lo.b.Atomic > 0 || !lo.emits(e.Args[0]) {
		return e
	}
	done := *e.Args[0]
	done.Kind, done.Args = syntax.EDone, nil
	arg := lo.ahead(e.Args[0])
	lo.b.Simple(func() { done.Done = lo.spill(lo.value(arg, nil)) })
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
		lo.errorf(s.Place, "write await", "join waits for threads, and this is %s", types.String(f.Type))
		return
	}
	lo.wait(s.Place, f)
}

// member is the constant A[3] of a reference, as constraints print it.
func (x *checker) member(e *syntax.Expr, want *step.Type) *step.Expr {
	if !x.scope.numbers() || want == nil || want.Ref == "" || e.Args[1].Kind != syntax.EInt {
		return nil
	}
	i := slices.Index(want.Names, fmt.Sprintf("%s[%d]", describe(e.Args[0]), e.Args[1].Value))
	if i < 0 {
		return nil
	}
	return constant(e, want, int64(i))
}
