package lang

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

// A threadDecl is a thread entry with its parts still as they stand in the file.
type threadDecl struct {
	t      *step.Template
	run    *yaml.Node
	params []threadParam
}

type threadParam struct {
	key  *yaml.Node
	expr *expr
}

// readThreads makes the templates and the processes, in the order of the file.
func (l *loader) readThreads(n *yaml.Node) {
	var decls []*threadDecl
	for _, kv := range l.entries(n, "threads") {
		if !l.declared(kv[0], "a thread") {
			continue
		}
		if name := kv[0].Value; l.sharedVars[name] != nil || l.params[name] != nil {
			l.at(kv[0], "", "%s is already a variable or a parameter", name)
			continue
		}
		l.threads[kv[0].Value] = true
		if d := l.threadDecl(kv[0], kv[1]); d != nil {
			decls = append(decls, d)
		}
	}
	for _, d := range decls {
		l.thread(d)
	}
}

func (l *loader) threadDecl(key, n *yaml.Node) *threadDecl {
	d := &threadDecl{t: &step.Template{Name: key.Value, Pos: nodePos(key), Count: 1}, run: n}
	if n.Kind != yaml.MappingNode {
		return d
	}
	d.run = nil
	before := l.count()
	l.fields(n, "a thread", map[string]func(*yaml.Node){
		"run": func(n *yaml.Node) { d.run = n },
		"count": func(n *yaml.Node) {
			d.t.Multi = true
			e := l.valueExpr(n)
			if c, ok := l.elab(l.reporter, constNames{}).constInt(e, "the count of a thread"); ok {
				if c < 0 || c > maxProcs {
					l.at(n, "", "a count of %d: it must be from 0 to %d", c, maxProcs)
				}
				d.t.Count = int(min(max(c, 0), maxProcs))
			}
		},
		"params": func(n *yaml.Node) {
			for _, kv := range l.entries(n, "params of a thread") {
				if l.declared(kv[0], "a thread parameter") {
					d.params = append(d.params, threadParam{kv[0], l.valueExpr(kv[1])})
				}
			}
		},
	})
	if d.run == nil {
		if l.count() == before {
			l.at(key, "", "thread %s has no run: what it does is missing", key.Value)
		}
		return nil
	}
	return d
}

func (l *loader) thread(d *threadDecl) {
	t := d.t
	l.prog.Templates = append(l.prog.Templates, t)
	b := newBuilder(t, l.access)
	names := newThreadNames()
	lo := &lowering{elab: l.elab(l.reporter, names), loader: l, names: names, labels: map[string]step.Pos{}}
	lo.b = b
	inits := l.threadParams(d, lo)

	code, ok := l.code(d.run, "the body of thread "+t.Name)
	if ok {
		lo.stmts(parseBody(l.reporter, code))
	}
	for _, n := range b.seal() {
		what := "this"
		if word, _, _ := strings.Cut(n.Text, " "); word == "await" || word == "lock" || word == "send" || word == "select" {
			what = word
		}
		l.report(n.Pos, step.Pos{}, "put it first, or end the atomic block or the expression before it",
			"%s can block, and only the first statement of an atomic block may", what)
	}
	const maxLocals = 1 << 20
	if t.LocalWords > maxWords || t.LocalWords*t.Count > maxLocals {
		l.report(t.Pos, step.Pos{}, "", "the variables of the %d instances of thread %s take too many words: %d each", t.Count, t.Name, t.LocalWords)
		return
	}
	for i := range t.Count {
		p := &step.Proc{Index: len(l.prog.Procs), Template: t, Self: int64(i), Name: t.Name, Init: make([]int64, t.LocalWords)}
		if t.Multi {
			p.Name = fmt.Sprintf("%s[%d]", t.Name, i)
		}
		if i < len(inits) {
			copy(p.Init, inits[i])
		}
		l.prog.Procs = append(l.prog.Procs, p)
	}
	if len(l.prog.Procs) > maxProcs {
		l.report(t.Pos, step.Pos{}, "", "the program has more than %d threads", maxProcs)
	}
}

// threadParams declares the parameters of a thread as locals, and evaluates them for every instance.
func (l *loader) threadParams(d *threadDecl, lo *lowering) [][]int64 {
	inits := make([][]int64, d.t.Count)
	for _, p := range d.params {
		x := l.elab(l.reporter, instanceNames{})
		v := x.value(p.expr, nil)
		typ := step.IntType
		if v != nil && !v.Type.Numeric() {
			typ = v.Type
		}
		local := lo.declare(&stmt{name: p.key.Value, nameAt: nodePos(p.key)}, typ, "a parameter of the thread")
		if v == nil || local == nil {
			continue
		}
		for i := range inits {
			words, err := evaluate(v, int64(i))
			if err != nil {
				l.report(p.expr.pos, p.expr.end, "", "%s of instance %d: %v", p.key.Value, i, err)
				break
			}
			inits[i] = append(inits[i], words...)
		}
	}
	return inits
}
