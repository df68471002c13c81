package check

import (
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// Functions are pure: they see their parameters and the constants of the program, and a call is an expression that may
// stand anywhere. They may call each other and themselves.

// A Routine is the declaration of a function or procedure while the file is read.
type Routine struct {
	Name   string
	Key    syntax.Key
	Params []RoutineParam
	Result *step.Type     // nil without one
	Code   []*syntax.Stmt // of a procedure
	Func   *step.Func     // of a function
	// Of a method: its class, and the type of its result as it stands in the file.
	Class   *Class
	Returns *syntax.TypeExpr
}

// A RoutineParam is a parameter of a procedure or method.
type RoutineParam struct {
	Name string
	At   step.Pos
	Type *step.Type
}

// Arguments elaborates the arguments of a function or procedure.
func Arguments(x *Checker, e *syntax.Expr, types []*step.Type) []*step.Expr {
	if len(e.Args) != len(types) {
		x.Fail(e, "", "%s takes %s, not %d", e.Name, syntax.Plural(len(types), "argument"), len(e.Args))
		return nil
	}
	values := make([]*step.Expr, len(types))
	for i, a := range e.Args {
		values[i] = x.Assignable(a, types[i])
		if slices.ContainsFunc(e.Args[i+1:], x.Emits) {
			values[i] = x.Spill(values[i])
		}
	}
	if slices.Contains(values, nil) {
		return nil
	}
	return values
}

func callFunction(x *Checker, e *syntax.Expr, f *step.Func) *step.Expr {
	types := make([]*step.Type, len(f.Params))
	for i, p := range f.Params {
		types[i] = p.Type
	}
	x.Used[f.Name] = true
	x.Mention(syntax.Mention{Pos: e.Pos, What: "function", Name: f.Name, Type: x.Heads[f.Name], Decl: f.Pos}, nil)
	before := x.Count()
	args := Arguments(x, e, types)
	if x.Count() > before || args == nil && len(types) > 0 {
		return nil
	}
	call := x.Make(e, step.Call, f.Result.Type, args...)
	if call != nil {
		call.Func = f
	}
	return call
}

// What names a routine in messages.
func (d *Routine) What() string { return d.Kind() + " " + d.Name }

// Kind is the word for it: method or procedure.
func (d *Routine) Kind() string {
	if d.Class != nil {
		return "method"
	}
	return "procedure"
}

// CallsProcedure is the procedure that an expression calls, nil if it is something else.
func CallsProcedure(b *Builder, tab *Table, e *syntax.Expr) *Routine {
	if e != nil && e.Kind == syntax.EMethod && e.Args[0].Kind == syntax.EName && e.Args[0].Name == "self" &&
		b != nil && b.Actor != nil {
		if p := b.Actor.Class.Methods[e.Name]; p != nil {
			return p.Method
		}
	}
	if e == nil || e.Kind != syntax.ECall {
		return nil
	}
	return tab.Procs[e.Name]
}

// FailNoOperation reports op in front of what is not the call of a procedure.
func FailNoOperation(x *Checker, e *syntax.Expr) *step.Expr {
	if CallsProcedure(x.Builder, x.Table, e) != nil {
		return x.Fail(e, "give its result a name first",
			"a procedure is called as a statement, or as everything after = or return")
	}
	return x.Fail(e, "write op "+e.Name+"(...) { } around the code",
		"%s is no procedure that can be performed as an operation", e.Name)
}
