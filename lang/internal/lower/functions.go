package lower

import (
	"slices"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// defaultRecursion is how many calls may be inside each other unless bounds say otherwise.
const defaultRecursion = 64

// readRoutines reads the signatures of a section.
func readRoutines(l *loader, n *yaml.Node, what string) (list []*check.Routine) {
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
			l.Faulty[l.File.Word(syntax.NamePos(kv[0]))] = true
			continue
		}
		d := &check.Routine{Name: name, Key: syntax.KeyOf(kv[0])}
		l.bodies[d] = kv[1]
		switch {
		case slices.Contains(check.Builtins, name) || syntax.IsTypeWord(name) || l.Types[name] != nil:
			l.At(kv[0], "", "%s has a meaning in the language", name)
			continue
		case seen[name] || l.Funcs[name] != nil:
			l.At(kv[0], "", "%s is already declared", name)
			continue
		}
		seen[name] = true
		for _, p := range params {
			t := l.ResolveType(l.Reporter, p.Type)
			if t != nil && types.Pinned(t) {
				l.Report(p.Type.Pos, p.Type.End, "", "a %s cannot be given by value", types.PinnedWord(t))
				t = nil
			}
			ok = ok && t != nil
			d.Params = append(d.Params, check.RoutineParam{Name: p.Name, At: p.At, Type: t})
		}
		if result != nil {
			d.Result = l.ResolveType(l.Reporter, result)
			ok = ok && d.Result != nil
		}
		if ok {
			list = append(list, d)
			l.Heads[name] = kv[0].Value
			l.MentionKey(kv[0], syntax.Mention{What: what, Name: name, Type: kv[0].Value}, nil)
			for _, p := range d.Params {
				l.Mention(syntax.Mention{Pos: p.At, What: "variable", Name: p.Name, Decl: p.At}, p.Type)
			}
		}
	}
	return list
}

// readFunctions makes the functions known, then translates them, so that they may call each other.
func (l *loader) readFunctions(n *yaml.Node) {
	list := readRoutines(l, n, "function")
	for _, d := range list {
		if d.Result == nil {
			l.Report(d.Key.Pos, d.Key.End, "write its type after the parameters", "function %s has no result", d.Name)
			continue
		}
		d.Func = &step.Func{Name: d.Name, Pos: d.Key.Pos, Depth: l.recursion}
		t := &step.Template{}
		b := check.NewBuilder(t, false)
		for _, p := range d.Params {
			d.Func.Params = append(d.Func.Params, b.Declare(p.Name, p.Type, p.At))
		}
		d.Func.Result = b.Declare("$result", d.Result, d.Func.Pos)
		d.Func.Result.Temp = true
		l.Funcs[d.Name] = d.Func
		l.prog.Funcs = append(l.prog.Funcs, d.Func)
	}
	for _, d := range list {
		if d.Func != nil {
			lowerFunction(l, d)
		}
	}
}

func lowerFunction(l *loader, d *check.Routine) {
	f := d.Func
	t := &step.Template{Name: d.Name, Locals: append(slices.Clone(f.Params), f.Result)}
	for _, v := range t.Locals {
		t.LocalWords += v.Type.Words()
	}
	names := check.NewThreadNames()
	lo := &lowering{Checker: l.Checker(l.Reporter, check.FunctionNames{ThreadNames: names}), loader: l, names: names,
		labels: map[string]step.Pos{}}
	lo.Builder, lo.pureCode = check.NewBuilder(t, false), true
	for i, v := range f.Params {
		if names.Lookup(v.Name) != nil || l.Params[v.Name] != nil {
			l.Report(d.Params[i].At, step.Pos{}, "choose another name", "%s is already declared", v.Name)
		}
		names.Visible[0][v.Name] = check.Local{Var: v, At: d.Params[i].At}
		names.Fixed[v] = "a parameter"
	}
	lo.frames = []*frame{{routine: d, result: build.Ref(f.Result, f.Pos)}}
	code, ok := l.Code(l.bodies[d], "the body of function "+d.Name)
	if !ok {
		return
	}
	before := l.Count()
	lo.stmts(syntax.ParseBody(l.Reporter, code))
	if len(lo.Builder.Open) > 0 && l.Count() == before {
		l.Report(f.Pos, step.Pos{}, "", "function %s may end without return", d.Name)
	}
	lo.Builder.Open = append(lo.Builder.Open, lo.frames[0].ends...)
	lo.Builder.Seal()
	f.Locals, f.LocalWords, f.Nodes, f.Start = t.Locals, t.LocalWords, t.Nodes, t.Start
	if f.LocalWords > check.MaxWords {
		l.Report(d.Key.Pos, d.Key.End, "", "the variables of function %s take too many words: %d", d.Name, f.LocalWords)
	}
}

// effectful are the statements that a function may not have.
var effectful = map[syntax.StmtKind]string{syntax.SAwait: "await", syntax.SLock: "lock", syntax.SUnlock: "unlock",
	syntax.SAssume: "assume", syntax.SAssert: "assert",
	syntax.SAtomic: "atomic", syntax.SWith: "with", syntax.SOnce: "once", syntax.SSend: "send", syntax.SJoin: "join",
	syntax.SChoose: "choose", syntax.SSelect: "select",
	syntax.SMail: "sending", syntax.SReceive: "receive", syntax.SOp: "an operation", syntax.SPrint: "print"}
