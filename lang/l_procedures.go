package lang

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Procedures may touch shared data. A call is written out where it stands: its steps are steps of the calling thread.

// A frame is a function being translated or a procedure being written out.
type frame struct {
	routine *routine
	result  *step.Expr // where return puts the value; nil without one
	ends    []*int     // of the returns
	prefix  string     // of the names of its variables
	withs   int        // how many with blocks were open before
}

// maxNodes bounds the code of one thread with its procedures written out.
const maxNodes = 5000

// readProcedures reads the procedures; their bodies are checked where they are called.
func (l *loader) readProcedures(n *yaml.Node) {
	for _, d := range l.routines(n, "procedure") {
		l.procs[d.name] = d
		if code, ok := l.Code(l.bodies[d], "the body of procedure "+d.name); ok {
			d.code = syntax.ParseBody(l.Reporter, code)
		}
	}
}

// inline writes out a call and returns its result: nil if there is none, or after an error.
func (lo *lowering) inline(e *syntax.Expr, d *routine) *step.Expr {
	b := lo.builder
	at := e.Pos
	if e.Kind == syntax.EMethod {
		at = e.NameAt
	}
	lo.Mention(syntax.Mention{Pos: at, What: d.kind(), Name: d.name, Type: d.key.Text, Decl: d.key.Name}, nil)
	if e.Kind == syntax.EMethod { // self.m(args)
		call := *e
		call.Kind, call.Args = syntax.ECall, e.Args[1:]
		e = &call
	}
	lo.used[d.name] = true
	if lo.pureCode {
		return lo.fail(e, "", "%s is a procedure, and a function has no effects", d.name)
	}
	depth := 1
	for _, f := range lo.frames {
		if f.routine == d {
			depth++
		}
	}
	switch limit := lo.loader.inlining; {
	case depth > 1 && limit == 0:
		return lo.fail(e, "say how often in bounds: {procedures: N}; functions may call themselves freely", "%s calls itself", d.what())
	case depth > 1 && depth > limit:
		b.Emit(step.Node{Kind: step.Check, Cond: constant(e, step.BoolType, 0), Fault: step.TooDeep, Msg: d.what() + " calls itself too often"})
		return lo.valueOf(e, d)
	case len(b.Nodes) > maxNodes:
		return lo.fail(e, "", "the thread becomes too long when its procedures are written out")
	}
	f := &frame{routine: d, prefix: d.name + "_", withs: len(lo.withs)}
	if depth > 1 {
		f.prefix = fmt.Sprintf("%s%d_", d.name, depth)
	}
	visible, bound, ok := lo.bind(e, d, f)
	if !ok {
		return nil
	}
	var o *operation
	if e.Op {
		o = lo.begin(e, d.name, boundArguments(d, visible, bound))
	}
	if d.result != nil {
		f.result = b.CheckedTemp(d.result, e.Pos)
	}
	saved := *lo.names
	savedBound, loops, pos, text := lo.bound, lo.loops, b.Pos, b.Text
	chosen, chosenAt := lo.chosen, lo.chosenAt // every call makes its own choices
	lo.chosen, lo.chosenAt = map[*syntax.Expr]*step.Expr{}, nil
	lo.names.visible, lo.bound, lo.loops = []map[string]local{visible}, bound, nil
	if d.class == nil {
		lo.names.actor = nil // a procedure does not see the fields
	}
	lo.frames = append(lo.frames, f)
	calls := b.Calls
	b.Calls = append(slices.Clip(calls), pos)
	before := lo.Count()
	lo.stmts(d.code)
	if d.result != nil && len(b.Open) > 0 && lo.Count() == before {
		lo.Report(d.key.Pos, step.Pos{}, "", "%s may end without return", d.what())
	}
	lo.frames = lo.frames[:len(lo.frames)-1]
	lo.names.visible, lo.names.actor, lo.bound, lo.loops = saved.visible, saved.actor, savedBound, loops
	b.Pos, b.Text, b.Calls = pos, text, calls
	lo.chosen, lo.chosenAt = chosen, chosenAt
	b.Open = append(b.Open, f.ends...)
	if o != nil {
		lo.over(o, e, f.result)
	}
	return f.result
}

// boundArguments are the values of the parameters of a procedure when it begins.
func boundArguments(d *routine, visible map[string]local, bound []binding) (args []*step.Expr) {
	for _, p := range d.params {
		if v := visible[p.name]; v.Var != nil {
			args = append(args, build.Ref(v.Var, p.at))
			continue
		}
		for _, b := range bound {
			if b.name == p.name {
				args = append(args, b.expr)
			}
		}
	}
	return args
}

// valueOf stands for the result of a call that cannot happen.
func (lo *lowering) valueOf(e *syntax.Expr, d *routine) *step.Expr {
	if d.result == nil {
		return nil
	}
	return constant(e, d.result, primitive.Initial(d.result)...)
}

// bind gives the parameters their values: constants and variables that never change stand for themselves, so that a
// procedure may begin with something that blocks; the rest is copied.
func (lo *lowering) bind(e *syntax.Expr, d *routine, f *frame) (visible map[string]local, bound []binding, ok bool) {
	b := lo.builder
	visible = map[string]local{}
	b.Simple(func() {
		wanted := make([]*step.Type, len(d.params))
		for i, p := range d.params {
			wanted[i] = p.typ
		}
		before := lo.Count()
		args := lo.arguments(e, wanted)
		if lo.Count() > before || len(args) != len(wanted) {
			return
		}
		ok = true
		for i, p := range d.params {
			a := args[i]
			switch {
			case a.Op == step.Const:
				c := *a
				c.Type = p.typ
				if err := types.CheckWords(p.typ, a.Words); err != nil {
					lo.fail(e.Args[i], "", "%v", err)
					ok = false
				}
				bound = append(bound, binding{p.name, p.at, &c})
			case a.Op == step.VarRef && !a.Var.Shared && lo.names.fixed[a.Var] != "" && types.Structure(a.Var.Type) == types.Structure(p.typ):
				visible[p.name] = local{a.Var, p.at}
			default:
				v := lo.variable(f.prefix+p.name, p.typ, p.at, "a parameter")
				b.Assign(build.Ref(v, p.at), a)
				visible[p.name] = local{v, p.at}
			}
		}
	})
	return visible, bound, ok
}

// giveBack lowers return.
func (lo *lowering) giveBack(s *syntax.Stmt) {
	b := lo.builder
	var f *frame
	if len(lo.frames) > 0 {
		f = lo.frames[len(lo.frames)-1]
	}
	switch {
	case f == nil && s.Value != nil:
		lo.Report(s.Value.Pos, s.Value.End, "write return alone; what others are to see stands in shared variables", "a thread returns no value")
	case f != nil && f.result == nil && s.Value != nil:
		lo.Report(s.Value.Pos, s.Value.End, "write its type after the parameters", "%s has no result", f.routine.what())
	case f != nil && f.result != nil && s.Value == nil:
		lo.Report(s.Pos, s.End, "", "a value of type %s must be returned", types.String(f.result.Type))
	case s.Value != nil:
		value := lo.called(s.Value)
		lo.hoist(value)
		b.Simple(func() {
			if v := lo.assignable(value, f.result.Type); v != nil {
				b.Assign(f.result, v)
			}
		})
	}
	from := 0
	if f != nil {
		from = f.withs
	}
	lo.leave(from)
	n := b.Emit(step.Node{})
	if f != nil {
		f.ends = append(f.ends, &n.Next)
	}
	b.Open = nil
}

// called writes out a call of a procedure that stands alone where a value is needed, and returns what stands for its
// result; any other expression is returned as it is.
func (lo *lowering) called(e *syntax.Expr) *syntax.Expr {
	d := lo.procedureCall(e)
	if d == nil {
		return e
	}
	if d.result == nil {
		lo.fail(e, "", "%s has no result", d.what())
		return &syntax.Expr{Kind: syntax.EDone, Pos: e.Pos, End: e.End}
	}
	return &syntax.Expr{Kind: syntax.EDone, Pos: e.Pos, End: e.End, Done: lo.inline(e, d)}
}
