package lower

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

// How many there may be at once. What is explored is a bit set of processes.
const (
	threadsAtOnce = 8
	actorsAtOnce  = 16
	mostAtOnce    = 64
	mostProcesses = 200
)

// announceSpawned finds what can be started, so that bounds and types can be read.
func announceSpawned(l *loader, threads, actors *yaml.Node) {
	if actors != nil {
		announceActors(l, actors)
	}
	if threads == nil || threads.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(threads.Content); i += 2 {
		k, n := threads.Content[i], threads.Content[i+1]
		if n.Kind != yaml.MappingNode || l.IdentitiesOf(k.Value) != nil {
			continue
		}
		for j := 0; j+1 < len(n.Content); j += 2 {
			if n.Content[j].Value == "params" && n.Content[j+1].Kind == yaml.SequenceNode {
				addIdentities(l.Table, &check.Identities{Name: k.Value, Key: syntax.KeyOf(k), Size: threadsAtOnce})
			}
		}
	}
}

func addIdentities(tab *check.Table, p *check.Identities) {
	p.Template = &step.Template{Name: p.Name, Pos: p.Key.Pos}
	tab.Spawned = append(tab.Spawned, p)
}

// identityBounds are the keys of bounds that say how many identities there are.
func identityBounds(r *syntax.Reporter, tab *check.Table, keys map[string]func(*yaml.Node)) {
	for _, p := range tab.Spawned {
		keys[p.Name] = func(n *yaml.Node) {
			e := r.ValueExpr(n)
			if e == nil {
				return
			}
			if v, ok := check.ConstInt(tab.Checker(r, check.ConstNames{}), e, "a bound"); ok &&
				(v < 1 || v > mostAtOnce) {
				r.At(n, "", "a bound must be from 1 to %d, not %d", mostAtOnce, v)
			} else if ok {
				p.Size = int(v)
			}
		}
	}
}

// numberIdentities fixes the numbers of all identities. Tasks come first: results are kept by number.
func numberIdentities(l *loader) {
	l.IdentityNames = []string{"null"}
	var started map[string]bool
	if len(l.Spawned) > 0 {
		started = spawnNodes(l)
	}
	for _, tasks := range []bool{true, false} {
		for _, p := range l.Spawned {
			if (p.Method != nil) != tasks {
				continue
			}
			if !started[created(p)] {
				p.Size = 0
			}
			p.First = len(l.IdentityNames)
			for i := range p.Size {
				l.IdentityNames = append(l.IdentityNames, fmt.Sprintf("%s[%d]", p.Name, i))
			}
		}
	}
	l.Tid = l.Reference("tid", nil)
	for _, c := range l.Classes {
		l.References[c.Name] = l.Reference(c.Name, nil)
	}
	l.Processes += len(l.IdentityNames) - 1
	if len(l.Spawned) > 0 && l.Processes > mostProcesses {
		p := l.Spawned[0]
		l.Report(p.Key.Pos, p.Key.End, "make them fewer in bounds",
			"there may be %d threads, actors and tasks at once, more than %d", l.Processes, mostProcesses)
	}
}

// spawnNodes finds what the program may start: spawn t(, new A( and !m( wherever it is written, as a set of "spawn t"
// and so on.
func spawnNodes(l *loader) map[string]bool {
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
func created(p *check.Identities) string {
	switch {
	case p.Method != nil:
		return "! " + p.Method.Name
	case p.Class != nil:
		return "new " + p.Name
	}
	return "spawn " + p.Name
}

// hidden adds a shared variable that programs cannot name; it is not observed.
func (l *loader) hidden(name string, t *step.Type) *step.Var {
	v := &step.Var{Name: "$" + name, Type: t, Shared: true, Temp: true, Offset: l.prog.SharedWords}
	addShared(l.prog, v, make([]int64, t.Words()))
	return v
}

func addShared(prog *step.Program, v *step.Var, init []int64) {
	prog.Shared = append(prog.Shared, v)
	prog.SharedWords += len(init)
	prog.Init = append(prog.Init, init...)
}

// declareSpawned makes the shared data of what can be started, and the templates with the parameters.
func declareSpawned(l *loader) {
	if len(l.Spawned) == 0 {
		return
	}
	l.Hide = l.hidden
	l.Life = l.hidden("life", &step.Type{Kind: step.Array, Elem: step.IntType, Len: len(l.IdentityNames)})
	l.Life.Life = true
	for _, p := range l.Spawned {
		p.Template.Count = p.Size
		p.Template.Pool = &step.Pool{Name: p.Name, Size: p.Size, First: p.First, Life: l.Life}
	}
	for _, c := range l.Classes {
		declareClass(l, c)
	}
	for _, p := range l.Spawned {
		if p.Method != nil {
			declareMethod(l.Reporter, l.Table, p)
		}
	}
	allotResults(l.prog, l.Table)
}

// readMethods parses the bodies of the methods, and finds out which classes need to be held.
func readMethods(l *loader) {
	for _, c := range l.Classes {
		for _, d := range l.Procs {
			c.Gets = c.Gets || gets(d.Code)
		}
		for _, name := range c.Listed {
			d := c.Methods[name].Method
			if code, ok := l.Code(l.bodies[d], "the body of method "+name); ok {
				d.Code = syntax.ParseBody(l.Reporter, code)
				c.Gets = c.Gets || gets(d.Code)
			}
		}
		if c.Gets {
			c.Busy = l.hidden("busy_"+c.Name, &step.Type{Kind: step.Array, Elem: step.BoolType, Len: c.Identities.Size})
		}
	}
}

// readParameters resolves the types of what is given to a process that is started.
func readParameters(r *syntax.Reporter, tab *check.Table, p *check.Identities) {
	for _, f := range p.Params {
		t := tab.ResolveType(r, f.Type)
		if t != nil && types.Pinned(t) {
			r.Report(f.Type.Pos, f.Type.End, "", "a %s cannot be given by value", types.PinnedWord(t))
			t = nil
		}
		p.Types = append(p.Types, t)
	}
}

// addInstances adds the processes that can be started to the program.
func addInstances(prog *step.Program, p *check.Identities) {
	t := p.Template
	prog.Templates = append(prog.Templates, t)
	for i := range t.Count {
		prog.Procs = append(prog.Procs, &step.Proc{Index: len(prog.Procs), Template: t, Self: int64(i),
			Name: fmt.Sprintf("%s[%d]", t.Name, i), Init: make([]int64, t.LocalWords)})
	}
}

// ahead emits what a thread does before it waits in await o!m() and o!m().get(), as a step of its own. In a method
// every wait begins a step.
func (lo *lowering) ahead(e *syntax.Expr) *syntax.Expr {
	if e == nil || e.Kind != syntax.EAwait && !check.IsGet(e) || lo.Builder.Actor != nil || lo.Builder.Atomic > 0 ||
		!lo.Emits(e.Args[0]) {
		return e
	}
	done := *e.Args[0]
	done.Kind, done.Args = syntax.EDone, nil
	arg := lo.ahead(e.Args[0])
	lo.Builder.Simple(func() { done.Done = lo.Spill(lo.Value(arg, nil)) })
	whole := *e
	whole.Args = []*syntax.Expr{&done}
	return &whole
}

// join lowers join h.
func joinThread(x *check.Checker, s *syntax.Stmt) {
	f := check.Waitable(x, s.Place)
	if f == nil {
		return
	}
	if f.Type.Ref != "tid" {
		x.Fail(s.Place, "write await", "join waits for threads, and this is %s", types.String(f.Type))
		return
	}
	check.WaitFor(x, s.Place, f)
}

// mentionBounds notes what the keys of bounds mean.
func mentionBounds(r *syntax.Reporter, tab *check.Table, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		at, p := syntax.NamePos(n.Content[i]), tab.IdentitiesOf(n.Content[i].Value)
		switch {
		case p == nil:
		case p.Class == nil:
			r.Mention(syntax.Mention{Pos: at, What: "thread", Name: p.Name}, nil)
		default:
			r.Mention(p.Class.Mention(at), nil)
			if p.Method != nil {
				at.Col += utf8.RuneCountInString(p.Class.Name) + 1
				r.Mention(syntax.Mention{Pos: at, What: "method", Name: p.Method.Name, Type: p.Key.Text,
					Decl: p.Key.Name}, nil)
			}
		}
	}
}
