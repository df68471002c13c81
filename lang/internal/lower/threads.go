package lower

import (
	"fmt"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

// readThreads makes the templates and the processes, in the order of the file; those that start later come last.
func readThreads(l *loader, n, main *yaml.Node) {
	var decls []*threadDecl
	if n != nil {
		for _, kv := range l.Entries(n, "threads") {
			if !l.Declared(kv[0], "a thread") {
				continue
			}
			if name := kv[0].Value; l.SharedVars[name] != nil || l.Params[name] != nil || l.ClassNamed(name) != nil {
				l.At(kv[0], "", "%s is already a variable, a parameter or a class", name)
				continue
			}
			l.Threads[kv[0].Value] = true
			l.MentionKey(kv[0], syntax.Mention{What: "thread", Name: kv[0].Value}, nil)
			d := readThreadDecl(l.Reporter, l.Table, kv[0], kv[1])
			if p := l.IdentitiesOf(kv[0].Value); p != nil && p.Class == nil {
				if l.started[p] = d; d != nil {
					declareThread(l.Reporter, l.Table, p)
				}
			} else if d != nil {
				decls = append(decls, d)
			}
		}
	}
	if main != nil {
		if l.Threads["main"] {
			l.At(main, "", "there is a thread called main as well")
		}
		l.Threads["main"] = true
		d := &threadDecl{t: &step.Template{Name: "main", Pos: syntax.NodePos(main), Count: 1}, run: main}
		if main.Kind == yaml.MappingNode {
			d.run = nil
			l.Fields(main, "main", map[string]func(*yaml.Node){
				"run":     func(n *yaml.Node) { d.run = n },
				"mailbox": func(*yaml.Node) {}, // read before
			})
		}
		if d.run != nil {
			decls = append(decls, d)
		} else {
			l.At(main, "", "main has no run: what it does is missing")
		}
	}
	for _, d := range decls {
		lowerThread(l, d)
	}
	for _, p := range l.Spawned {
		switch {
		case p.Method != nil:
			lowerTask(l, p)
		case p.Class != nil:
			p.Template.Start = step.End
			addInstances(l.prog, p)
		case l.started[p] != nil:
			spawnedThread(l, p)
		}
	}
	if len(l.prog.Procs) > maxProcs {
		l.Report(l.prog.Templates[0].Pos, step.Pos{}, "", "the program has more than %d threads", maxProcs)
	}
}

// declareThread makes the parameters of a thread that is started by spawn.
func declareThread(r *syntax.Reporter, tab *check.Table, p *check.Identities) {
	readParameters(r, tab, p)
	b := check.NewBuilder(p.Template, false)
	for i, f := range p.Params {
		t := p.Types[i]
		if t == nil {
			t = step.IntType
		}
		b.Declare(f.Name, t, f.At)
	}
}

// spawnedThread lowers a thread that is started by spawn.
func spawnedThread(l *loader, p *check.Identities) {
	t := p.Template
	names := check.NewThreadNames()
	names.Spawned = true
	lo := &lowering{Checker: l.Checker(l.Reporter, names), loader: l, names: names, labels: map[string]step.Pos{}}
	lo.Builder = check.NewBuilder(t, l.access)
	for i, f := range p.Params {
		v := t.Locals[i]
		if names.Lookup(f.Name) != nil || l.SharedVars[f.Name] != nil || l.Params[f.Name] != nil {
			l.Report(f.At, step.Pos{}, "choose another name", "%s is already declared", f.Name)
		}
		names.Visible[0][f.Name] = check.Local{Var: v, At: f.At}
		l.Mention(syntax.Mention{Pos: f.At, What: "variable", Name: f.Name, Decl: f.At}, v.Type)
		names.All[f.Name] = append(names.All[f.Name], v)
		names.Order = append(names.Order, f.Name)
		names.Fixed[v] = "a parameter of the thread"
	}
	parseBody(l.Reporter, l.Table, lo, l.started[p])
	addInstances(l.prog, p)
}

func readThreadDecl(r *syntax.Reporter, tab *check.Table, key, n *yaml.Node) *threadDecl {
	d := &threadDecl{t: &step.Template{Name: key.Value, Pos: syntax.NodePos(key), Count: 1}, run: n}
	if n.Kind != yaml.MappingNode {
		return d
	}
	d.run = nil
	before, daemon := r.Count(), false
	r.Fields(n, "a thread", map[string]func(*yaml.Node){
		"run":     func(n *yaml.Node) { d.run = n },
		"mailbox": func(*yaml.Node) {}, // read before
		"daemon": func(n *yaml.Node) {
			if daemon = n.Value == "true"; !daemon && n.Value != "false" {
				r.At(n, "", "daemon is true or false, not %q", n.Value)
			}
		},
		"count": func(n *yaml.Node) {
			d.t.Multi = true
			e := r.ValueExpr(n)
			if c, ok := check.ConstInt(tab.Checker(r, check.ConstNames{}), e, "the count of a thread"); ok {
				if c < 0 || c > maxProcs {
					r.At(n, "", "a count of %d: it must be from 0 to %d", c, maxProcs)
				}
				d.t.Count = int(min(max(c, 0), maxProcs))
			}
		},
		"params": func(n *yaml.Node) {
			if p := tab.IdentitiesOf(key.Value); n.Kind == yaml.SequenceNode && p != nil {
				d.t = p.Template
				for _, item := range n.Content {
					if code, ok := r.Code(item, "a parameter"); ok {
						if f, ok := syntax.ParseParam(r, code); ok {
							p.Params = append(p.Params, f)
						}
					}
				}
				return
			}
			for _, kv := range r.Entries(n, "params of a thread") {
				if r.Declared(kv[0], "a thread parameter") {
					d.params = append(d.params, threadParam{kv[0], r.ValueExpr(kv[1])})
				}
			}
		},
	})
	d.t.Daemon = daemon
	if p := tab.IdentitiesOf(key.Value); p != nil && d.t.Multi {
		r.At(key, "say in bounds how many there may be", "a thread that is started by spawn has no count")
	}
	if d.run == nil {
		if r.Count() == before {
			r.At(key, "", "thread %s has no run: what it does is missing", key.Value)
		}
		return nil
	}
	return d
}

func lowerThread(l *loader, d *threadDecl) {
	t := d.t
	l.prog.Templates = append(l.prog.Templates, t)
	b := check.NewBuilder(t, l.access)
	names := check.NewThreadNames()
	lo := &lowering{Checker: l.Checker(l.Reporter, names), loader: l, names: names, labels: map[string]step.Pos{}}
	lo.Builder = b
	inits := threadParams(l.Reporter, l.Table, d, lo)

	parseBody(l.Reporter, l.Table, lo, d)
	if l.crowded(t) {
		return
	}
	for i := range t.Count {
		p := &step.Proc{Index: len(l.prog.Procs), Template: t, Self: int64(i), Name: t.Name,
			Init: make([]int64, t.LocalWords)}
		if t.Multi {
			p.Name = fmt.Sprintf("%s[%d]", t.Name, i)
		}
		if i < len(inits) {
			copy(p.Init, inits[i])
		}
		l.prog.Procs = append(l.prog.Procs, p)
	}
}

// crowded reports a thread whose variables take too much room.
func (l *loader) crowded(t *step.Template) bool {
	const maxLocals = 1 << 20
	if t.LocalWords <= check.MaxWords && t.LocalWords*t.Count <= maxLocals {
		return false
	}
	l.Report(t.Pos, step.Pos{}, "", "the variables of the %d instances of thread %s take too many words: %d each",
		t.Count, t.Name, t.LocalWords)
	return true
}

// parseBody lowers the statements of a thread.
func parseBody(r *syntax.Reporter, tab *check.Table, lo *lowering, d *threadDecl) {
	lo.mailbox = tab.MailboxOf(d.t.Name)
	code, ok := r.Code(d.run, "the body of thread "+d.t.Name)
	if ok {
		lo.stmts(syntax.ParseBody(r, code))
	}
	refuseSelf(r, lo.Builder.Seal())
}

// threadParams declares the parameters of a thread as locals, and evaluates them for every instance.
func threadParams(r *syntax.Reporter, tab *check.Table, d *threadDecl, lo *lowering) [][]int64 {
	inits := make([][]int64, d.t.Count)
	for _, p := range d.params {
		x := tab.Checker(r, check.InstanceNames{})
		v := x.Value(p.expr, nil)
		typ := step.IntType
		if v != nil && !v.Type.Numeric() {
			typ = v.Type
		}
		local := lo.declare(&syntax.Stmt{Name: p.key.Value, NameAt: syntax.NodePos(p.key)}, typ,
			"a parameter of the thread")
		if v == nil || local == nil {
			continue
		}
		local.Given = v
		for i := range inits {
			words, err := check.Evaluate(v, int64(i))
			if err != nil {
				r.Report(p.expr.Pos, p.expr.End, "", "%s of instance %d: %v", p.key.Value, i, err)
				break
			}
			inits[i] = append(inits[i], words...)
		}
	}
	return inits
}
