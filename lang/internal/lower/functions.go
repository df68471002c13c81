package lower

import (
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
	"cdpor/lang/step/build"

	"gopkg.in/yaml.v3"
)

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
