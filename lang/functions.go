package lang

import (
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// Functions are pure: they see their parameters and the constants of the program, and a call is an expression that may
// stand anywhere. They may call each other and themselves.

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

// arguments elaborates the arguments of a function or procedure.
func (x *checker) arguments(e *syntax.Expr, types []*step.Type) []*step.Expr {
	if len(e.Args) != len(types) {
		x.fail(e, "", "%s takes %s, not %d", e.Name, syntax.Plural(len(types), "argument"), len(e.Args))
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
	x.Mention(syntax.Mention{Pos: e.Pos, What: "function", Name: f.Name, Type: x.heads[f.Name], Decl: f.Pos}, nil)
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

// what names a routine in messages.
func (d *routine) what() string { return d.kind() + " " + d.name }

func (d *routine) kind() string {
	if d.class != nil {
		return "method"
	}
	return "procedure"
}

// procedureCall is the procedure that an expression calls, nil if it is something else.
func (x *checker) procedureCall(e *syntax.Expr) *routine {
	if e != nil && e.Kind == syntax.EMethod && e.Args[0].Kind == syntax.EName && e.Args[0].Name == "self" && x.builder != nil && x.builder.actor != nil {
		if p := x.builder.actor.class.methods[e.Name]; p != nil {
			return p.method
		}
	}
	if e == nil || e.Kind != syntax.ECall {
		return nil
	}
	return x.procs[e.Name]
}

// noOperation reports op in front of what is not the call of a procedure.
func (x *checker) noOperation(e *syntax.Expr) *step.Expr {
	if x.procedureCall(e) != nil {
		return x.fail(e, "give its result a name first", "a procedure is called as a statement, or as everything after = or return")
	}
	return x.fail(e, "write op "+e.Name+"(...) { } around the code", "%s is no procedure that can be performed as an operation", e.Name)
}
