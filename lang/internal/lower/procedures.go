package lower

import (
	"fmt"
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"

	"gopkg.in/yaml.v3"
)

// Procedures may touch shared data. A call is written out where it stands: its steps are steps of the calling thread.

// maxNodes bounds the code of one thread with its procedures written out.
const maxNodes = 5000

// readProcedures reads the procedures; their bodies are checked where they are called.
func (l *loader) readProcedures(n *yaml.Node) {
	for _, d := range readRoutines(l, n, "procedure") {
		l.Procs[d.Name] = d
		if code, ok := l.Code(l.bodies[d], "the body of procedure "+d.Name); ok {
			d.Code = syntax.ParseBody(l.Reporter, code)
		}
	}
}

// inlineCall writes out a call and returns its result: nil if there is none, or after an error.
func inlineCall(lo *lowering, e *syntax.Expr, d *check.Routine) *step.Expr {
	b := lo.Builder
	at := e.Pos
	if e.Kind == syntax.EMethod {
		at = e.NameAt
	}
	lo.Mention(syntax.Mention{Pos: at, What: d.Kind(), Name: d.Name, Type: d.Key.Text, Decl: d.Key.Name}, nil)
	if e.Kind == syntax.EMethod { // self.m(args)
		call := *e
		call.Kind, call.Args = syntax.ECall, e.Args[1:]
		e = &call
	}
	lo.Used[d.Name] = true
	if lo.pureCode {
		return lo.Fail(e, "", "%s is a procedure, and a function has no effects", d.Name)
	}
	depth := 1
	for _, f := range lo.frames {
		if f.routine == d {
			depth++
		}
	}
	switch limit := lo.loader.inlining; {
	case depth > 1 && limit == 0:
		return lo.Fail(e, "say how often in bounds: {procedures: N}; functions may call themselves freely",
			"%s calls itself", d.What())
	case depth > 1 && depth > limit:
		b.Emit(step.Node{Kind: step.Check, Cond: check.Constant(e, step.BoolType, 0), Fault: step.TooDeep,
			Msg: d.What() + " calls itself too often"})
		return resultOf(e, d)
	case len(b.Nodes) > maxNodes:
		return lo.Fail(e, "", "the thread becomes too long when its procedures are written out")
	}
	f := &frame{routine: d, prefix: d.Name + "_", withs: len(lo.withs)}
	if depth > 1 {
		f.prefix = fmt.Sprintf("%s%d_", d.Name, depth)
	}
	visible, bound, ok := bindParameters(lo, e, d, f)
	if !ok {
		return nil
	}
	var o *operation
	if e.Op {
		o = beginOperation(lo, e, d.Name, boundArguments(d, visible, bound))
	}
	if d.Result != nil {
		f.result = b.CheckedTemp(d.Result, e.Pos)
	}
	saved := *lo.names
	savedBound, loops, pos, text := lo.Bound, lo.loops, b.Pos, b.Text
	chosen, chosenAt := lo.Chosen, lo.chosenAt // every call makes its own choices
	lo.Chosen, lo.chosenAt = map[*syntax.Expr]*step.Expr{}, nil
	lo.names.Visible, lo.Bound, lo.loops = []map[string]check.Local{visible}, bound, nil
	if d.Class == nil {
		lo.names.Actor = nil // a procedure does not see the fields
	}
	lo.frames = append(lo.frames, f)
	calls := b.Calls
	b.Calls = append(slices.Clip(calls), pos)
	before := lo.Count()
	lo.stmts(d.Code)
	if d.Result != nil && len(b.Open) > 0 && lo.Count() == before {
		lo.Report(d.Key.Pos, step.Pos{}, "", "%s may end without return", d.What())
	}
	lo.frames = lo.frames[:len(lo.frames)-1]
	lo.names.Visible, lo.names.Actor, lo.Bound, lo.loops = saved.Visible, saved.Actor, savedBound, loops
	b.Pos, b.Text, b.Calls = pos, text, calls
	lo.Chosen, lo.chosenAt = chosen, chosenAt
	b.Open = append(b.Open, f.ends...)
	if o != nil {
		endOperation(lo, o, e, f.result)
	}
	return f.result
}

// boundArguments are the values of the parameters of a procedure when it begins.
func boundArguments(d *check.Routine, visible map[string]check.Local, bound []check.Binding) (args []*step.Expr) {
	for _, p := range d.Params {
		if v := visible[p.Name]; v.Var != nil {
			args = append(args, build.Ref(v.Var, p.At))
			continue
		}
		for _, b := range bound {
			if b.Name == p.Name {
				args = append(args, b.Expr)
			}
		}
	}
	return args
}

// resultOf stands for the result of a call that cannot happen.
func resultOf(e *syntax.Expr, d *check.Routine) *step.Expr {
	if d.Result == nil {
		return nil
	}
	return check.Constant(e, d.Result, primitive.Initial(d.Result)...)
}

// bindParameters gives the parameters their values: constants and variables that never change stand for themselves, so
// that a procedure may begin with something that blocks; the rest is copied.
func bindParameters(lo *lowering, e *syntax.Expr, d *check.Routine, f *frame) (
	visible map[string]check.Local, bound []check.Binding, ok bool) {
	b := lo.Builder
	visible = map[string]check.Local{}
	b.Simple(func() {
		wanted := make([]*step.Type, len(d.Params))
		for i, p := range d.Params {
			wanted[i] = p.Type
		}
		before := lo.Count()
		args := check.Arguments(lo.Checker, e, wanted)
		if lo.Count() > before || len(args) != len(wanted) {
			return
		}
		ok = true
		for i, p := range d.Params {
			a := args[i]
			switch {
			case a.Op == step.Const:
				c := *a
				c.Type = p.Type
				if err := types.CheckWords(p.Type, a.Words); err != nil {
					lo.Fail(e.Args[i], "", "%v", err)
					ok = false
				}
				bound = append(bound, check.Binding{Name: p.Name, At: p.At, Expr: &c})
			case a.Op == step.VarRef && !a.Var.Shared && lo.names.Fixed[a.Var] != "" &&
				types.Structure(a.Var.Type) == types.Structure(p.Type):
				visible[p.Name] = check.Local{Var: a.Var, At: p.At}
			default:
				v := lo.variable(f.prefix+p.Name, p.Type, p.At, "a parameter")
				b.Assign(build.Ref(v, p.At), a)
				visible[p.Name] = check.Local{Var: v, At: p.At}
			}
		}
	})
	return visible, bound, ok
}

// lowerReturn lowers return.
func lowerReturn(lo *lowering, s *syntax.Stmt) {
	b := lo.Builder
	var f *frame
	if len(lo.frames) > 0 {
		f = lo.frames[len(lo.frames)-1]
	}
	switch {
	case f == nil && s.Value != nil:
		lo.Report(s.Value.Pos, s.Value.End, "write return alone; what others are to see stands in shared variables",
			"a thread returns no value")
	case f != nil && f.result == nil && s.Value != nil:
		lo.Report(s.Value.Pos, s.Value.End, "write its type after the parameters", "%s has no result", f.routine.What())
	case f != nil && f.result != nil && s.Value == nil:
		lo.Report(s.Pos, s.End, "", "a value of type %s must be returned", types.String(f.result.Type))
	case s.Value != nil:
		value := inlineCalled(lo, s.Value)
		hoistChoices(lo, value)
		b.Simple(func() {
			if v := lo.Assignable(value, f.result.Type); v != nil {
				b.Assign(f.result, v)
			}
		})
	}
	from := 0
	if f != nil {
		from = f.withs
	}
	leaveWiths(lo, from)
	n := b.Emit(step.Node{})
	if f != nil {
		f.ends = append(f.ends, &n.Next)
	}
	b.Open = nil
}

// inlineCalled writes out a call of a procedure that stands alone where a value is needed, and returns what stands for
// its result; any other expression is returned as it is.
func inlineCalled(lo *lowering, e *syntax.Expr) *syntax.Expr {
	d := check.CallsProcedure(lo.Checker.Builder, lo.Checker.Table, e)
	if d == nil {
		return e
	}
	if d.Result == nil {
		lo.Fail(e, "write the type of the result after its parameters, and return the value",
			"%s has no result", d.What())
		return &syntax.Expr{Kind: syntax.EDone, Pos: e.Pos, End: e.End}
	}
	return &syntax.Expr{Kind: syntax.EDone, Pos: e.Pos, End: e.End, Done: inlineCall(lo, e, d)}
}
