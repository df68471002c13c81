package lang

import (
	"slices"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// defaultRecursion is how many calls may be inside each other unless bounds say otherwise.
const defaultRecursion = 64

// routines reads the signatures of a section.
func (l *loader) routines(n *yaml.Node, what string) (list []*routine) {
	if n == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, kv := range l.Entries(n, what+"s") {
		code, ok := l.Code(kv[0], "the head of a "+what)
		if !ok {
			continue
		}
		name, params, result, ok := syntax.ParseSignature(l.Reporter, code)
		if !ok {
			l.faulty[l.File.Word(syntax.NamePos(kv[0]))] = true
			continue
		}
		d := &routine{name: name, key: syntax.KeyOf(kv[0])}
		l.bodies[d] = kv[1]
		switch {
		case slices.Contains(builtins, name) || syntax.IsTypeWord(name) || l.types[name] != nil:
			l.At(kv[0], "", "%s has a meaning in the language", name)
			continue
		case seen[name] || l.funcs[name] != nil:
			l.At(kv[0], "", "%s is already declared", name)
			continue
		}
		seen[name] = true
		for _, p := range params {
			t := l.resolveType(l.Reporter, p.Typ)
			if t != nil && types.Pinned(t) {
				l.Report(p.Typ.Pos, p.Typ.End, "", "a %s cannot be given by value", types.PinnedWord(t))
				t = nil
			}
			ok = ok && t != nil
			d.params = append(d.params, routineParam{p.Name, p.At, t})
		}
		if result != nil {
			d.result = l.resolveType(l.Reporter, result)
			ok = ok && d.result != nil
		}
		if ok {
			list = append(list, d)
			l.heads[name] = kv[0].Value
			l.MentionKey(kv[0], syntax.Mention{What: what, Name: name, Type: kv[0].Value}, nil)
			for _, p := range d.params {
				l.Mention(syntax.Mention{Pos: p.at, What: "variable", Name: p.name, Decl: p.at}, p.typ)
			}
		}
	}
	return list
}

// readFunctions makes the functions known, then translates them, so that they may call each other.
func (l *loader) readFunctions(n *yaml.Node) {
	list := l.routines(n, "function")
	for _, d := range list {
		if d.result == nil {
			l.Report(d.key.Pos, d.key.End, "write its type after the parameters", "function %s has no result", d.name)
			continue
		}
		d.f = &step.Func{Name: d.name, Pos: d.key.Pos, Depth: l.recursion}
		t := &step.Template{}
		b := newBuilder(t, false)
		for _, p := range d.params {
			d.f.Params = append(d.f.Params, b.Declare(p.name, p.typ, p.at))
		}
		d.f.Result = b.Declare("$result", d.result, d.f.Pos)
		d.f.Result.Temp = true
		l.funcs[d.name] = d.f
		l.prog.Funcs = append(l.prog.Funcs, d.f)
	}
	for _, d := range list {
		if d.f != nil {
			l.function(d)
		}
	}
}

func (l *loader) function(d *routine) {
	f := d.f
	t := &step.Template{Name: d.name, Locals: append(slices.Clone(f.Params), f.Result)}
	for _, v := range t.Locals {
		t.LocalWords += v.Type.Words()
	}
	names := newThreadNames()
	lo := &lowering{checker: l.checker(l.Reporter, functionNames{names}), loader: l, names: names, labels: map[string]step.Pos{}}
	lo.builder, lo.pureCode = newBuilder(t, false), true
	for i, v := range f.Params {
		if names.lookup(v.Name) != nil || l.params[v.Name] != nil {
			l.Report(d.params[i].at, step.Pos{}, "choose another name", "%s is already declared", v.Name)
		}
		names.visible[0][v.Name] = local{v, d.params[i].at}
		names.fixed[v] = "a parameter"
	}
	lo.frames = []*frame{{routine: d, result: build.Ref(f.Result, f.Pos)}}
	code, ok := l.Code(l.bodies[d], "the body of function "+d.name)
	if !ok {
		return
	}
	before := l.Count()
	lo.stmts(syntax.ParseBody(l.Reporter, code))
	if len(lo.builder.Open) > 0 && l.Count() == before {
		l.Report(f.Pos, step.Pos{}, "", "function %s may end without return", d.name)
	}
	lo.builder.Open = append(lo.builder.Open, lo.frames[0].ends...)
	lo.builder.Seal()
	f.Locals, f.LocalWords, f.Nodes, f.Start = t.Locals, t.LocalWords, t.Nodes, t.Start
	if f.LocalWords > maxWords {
		l.Report(d.key.Pos, d.key.End, "", "the variables of function %s take too many words: %d", d.name, f.LocalWords)
	}
}

// effectful are the statements that a function may not have.
var effectful = map[syntax.StmtKind]string{syntax.SAwait: "await", syntax.SLock: "lock", syntax.SUnlock: "unlock", syntax.SAssume: "assume", syntax.SAssert: "assert",
	syntax.SAtomic: "atomic", syntax.SWith: "with", syntax.SOnce: "once", syntax.SSend: "send", syntax.SJoin: "join", syntax.SChoose: "choose", syntax.SSelect: "select",
	syntax.SMail: "sending", syntax.SReceive: "receive", syntax.SOp: "an operation", syntax.SPrint: "print"}
