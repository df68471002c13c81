package lang

import (
	"slices"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Functions are pure: they see their parameters and the constants of the program, and a call is an expression that may
// stand anywhere. They may call each other and themselves.

// defaultRecursion is how many calls may be inside each other unless bounds say otherwise.
const defaultRecursion = 64

// A routine is the declaration of a function or procedure while the file is read.
type routine struct {
	name   string
	key    syntax.Key
	params []routineParam
	result *step.Type     // nil without one
	code   []*syntax.Stmt // of a procedure
	f      *step.Func     // of a function
	// Of a method: its class, and the type of its result as it stands in the file.
	class   *class
	returns *syntax.TypeExpr
}

type routineParam struct {
	name string
	at   step.Pos
	typ  *step.Type
}

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
			l.MentionKey(kv[0], Mention{What: what, Name: name, Type: kv[0].Value}, nil)
			for _, p := range d.params {
				l.Mention(Mention{Pos: p.at, What: "variable", Name: p.name, Decl: p.at}, p.typ)
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
	lo.b, lo.pureCode = newBuilder(t, false), true
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
	if len(lo.b.Open) > 0 && l.Count() == before {
		l.Report(f.Pos, step.Pos{}, "", "function %s may end without return", d.name)
	}
	lo.b.Open = append(lo.b.Open, lo.frames[0].ends...)
	lo.b.Seal()
	f.Locals, f.LocalWords, f.Nodes, f.Start = t.Locals, t.LocalWords, t.Nodes, t.Start
	if f.LocalWords > maxWords {
		l.Report(d.key.Pos, d.key.End, "", "the variables of function %s take too many words: %d", d.name, f.LocalWords)
	}
}

// functionNames is the scope of a function: its own variables, nothing shared and no self.
type functionNames struct{ *threadNames }

func (s functionNames) shared() bool  { return false }
func (s functionNames) thread() bool  { return false }
func (s functionNames) changes() bool { return false }
func (s functionNames) name(x *checker, e *syntax.Expr) *step.Expr {
	if e.Name == "self" {
		return x.errorf(e, "give it as a parameter", "a function does not know who calls it")
	}
	return s.threadNames.name(x, e)
}
func (s functionNames) prefix(*checker, *syntax.Expr) bool         { return false }
func (s functionNames) process(*checker, *syntax.Expr) (int, bool) { return 0, false }

// arguments elaborates the arguments of a function or procedure.
func (x *checker) arguments(e *syntax.Expr, types []*step.Type) []*step.Expr {
	if len(e.Args) != len(types) {
		x.errorf(e, "", "%s takes %s, not %d", e.Name, syntax.Plural(len(types), "argument"), len(e.Args))
		return nil
	}
	values := make([]*step.Expr, len(types))
	for i, a := range e.Args {
		values[i] = x.assignable(a, types[i])
		if slices.ContainsFunc(e.Args[i+1:], x.emits) {
			values[i] = x.spill(values[i])
		}
	}
	if slices.Contains(values, nil) {
		return nil
	}
	return values
}

func (x *checker) callFunction(e *syntax.Expr, f *step.Func) *step.Expr {
	types := make([]*step.Type, len(f.Params))
	for i, p := range f.Params {
		types[i] = p.Type
	}
	x.used[f.Name] = true
	x.Mention(Mention{Pos: e.Pos, What: "function", Name: f.Name, Type: x.heads[f.Name], Decl: f.Pos}, nil)
	before := x.Count()
	args := x.arguments(e, types)
	if x.Count() > before || args == nil && len(types) > 0 {
		return nil
	}
	call := x.make(e, step.Call, f.Result.Type, args...)
	if call != nil {
		call.Func = f
	}
	return call
}

// effectful are the statements that a function may not have.
var effectful = map[syntax.StmtKind]string{syntax.SAwait: "await", syntax.SLock: "lock", syntax.SUnlock: "unlock", syntax.SAssume: "assume", syntax.SAssert: "assert",
	syntax.SAtomic: "atomic", syntax.SWith: "with", syntax.SOnce: "once", syntax.SSend: "send", syntax.SJoin: "join", syntax.SChoose: "choose", syntax.SSelect: "select",
	syntax.SMail: "sending", syntax.SReceive: "receive", syntax.SOp: "an operation", syntax.SPrint: "print"}
