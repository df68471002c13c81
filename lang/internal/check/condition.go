package check

import (
	"slices"

	"cdpor/lang/internal/printer"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// ParseCondition parses and checks a constraint: a condition over shared variables and the locals of two steps. Locals
// of the first are written p.x, of the second q.x, and x alone where only one of the templates has it; at is the place
// of the text in the file. A condition about one step only has no b (and none about shared variables only has an a);
// self is then the number of the process of a. The condition of a pair may use definitions by name. The error is an
// ErrorList.
func ParseCondition(prog *step.Program, file *syntax.File, at step.Pos, text string, a, b *step.Step,
	defs ...*printer.Definition) (*step.Expr, error) {
	r, names := syntax.NewReporter(file), tableOf(prog)
	for name := range names.Types {
		r.TypeNames[name] = true
	}
	e := syntax.ParseExpr(r, syntax.PortionAt(at, text))
	if e == nil {
		return nil, r.Err()
	}
	scope := pairNames{a: a, b: b, defs: defs, expanded: map[*step.Expr]bool{}}
	cond := names.Checker(r, scope).Truth(e)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return scope.spliced(cond), nil
}

// tableOf finds the names of a program in its step form.
func tableOf(prog *step.Program) *Table {
	t := NewTable()
	for _, p := range prog.Params {
		t.Params[p.Name] = p
		t.addTypes(p.Type)
	}
	for _, v := range prog.Shared {
		t.SharedVars[v.Name] = v
		if v.Life {
			t.Life = v
		}
		t.addTypes(v.Type)
	}
	for _, f := range prog.Funcs {
		t.Funcs[f.Name] = f
		for _, v := range f.Locals {
			t.addTypes(v.Type)
		}
	}
	for _, tmpl := range prog.Templates {
		t.Threads[tmpl.Name] = true
		for _, v := range tmpl.Locals {
			t.addTypes(v.Type)
		}
	}
	return t
}

// addTypes finds the enums and the named records in a type.
func (t *Table) addTypes(ty *step.Type) {
	for ; ty != nil; ty = ty.Elem {
		for _, f := range ty.Fields {
			t.addTypes(f.Type)
		}
		if ty.Kind == step.Record && ty.Name != "" {
			t.Types[ty.Name] = ty
		}
		if ty.Kind == step.Enum && ty.Ref == "" &&
			!slices.ContainsFunc(t.enums, func(e *step.Type) bool { return types.Comparable(e, ty) }) {
			t.enums = append(t.enums, ty)
		}
	}
}

// pairNames is the scope of a constraint of two steps.
type pairNames struct {
	ConstNames
	a, b      *step.Step
	defs      []*printer.Definition
	inside    []*printer.Definition // those that are being written out, the innermost last
	exchanged bool                  // in it p is the process of b
	expanded  map[*step.Expr]bool   // what they were written out to
}

func (s pairNames) shared() bool  { return true }
func (s pairNames) numbers() bool { return true }

func (s pairNames) names() []string {
	var names []string
	for _, st := range []*step.Step{s.a, s.b} {
		if st != nil {
			names = append(names, localNames(st.Template)...)
		}
	}
	return append(names, s.calls()...)
}

func (s pairNames) calls() (names []string) {
	for _, d := range s.defs {
		names = append(names, d.Name)
	}
	return names
}

func (s pairNames) name(x *Checker, e *syntax.Expr) *step.Expr {
	if d := s.within(); d != nil && (e.Name == "p" || e.Name == "q") && x.SharedVars[e.Name] == nil {
		return x.Fail(e, "write "+d.Name+"(p), "+d.Name+"(q) or "+d.Name+"(p, q) before its colon",
			"%s is not among the processes of the definition %s", e.Name, d.Name)
	}
	if e.Name == "self" && s.a != nil && s.b == nil {
		return &step.Expr{Op: step.Self, Type: step.IntType, Pos: e.Pos, Of: step.P}
	}
	if e.Name == "self" {
		return x.Fail(e, "write p.self or q.self", "self of which step?")
	}
	if v, is := s.call(x, e); is {
		return v
	}
	va, vb := localAt(s.a, e.Name), localAt(s.b, e.Name)
	switch d := s.within(); {
	case d != nil && (va != nil || vb != nil):
		return x.Fail(e, "write p."+e.Name+" or q."+e.Name, "a definition names the process of a variable")
	case va != nil && vb != nil:
		return x.Fail(e, "write p."+e.Name+" or q."+e.Name, "both steps have a variable %s", e.Name)
	case va != nil:
		return &step.Expr{Op: step.VarRef, Type: va.Type, Pos: e.Pos, Var: va, Of: step.P}
	case vb != nil:
		return &step.Expr{Op: step.VarRef, Type: vb.Type, Pos: e.Pos, Var: vb, Of: step.Q}
	}
	return nil
}

// localAt finds a local of the thread of a step; the step may be nil.
func localAt(s *step.Step, name string) *step.Var {
	if s == nil {
		return nil
	}
	if v := localOf(s.Template, name, s); v != nil {
		return v
	}
	for _, v := range s.Template.Locals {
		if v.Temp && printer.TempName(s.Template, v) == name {
			return v
		}
	}
	return nil
}

// side tells which step p or q is.
func (s pairNames) side(e *syntax.Expr) (*step.Step, int) {
	if e.Kind != syntax.EName || e.Name != "p" && e.Name != "q" {
		return nil, 0
	}
	of := step.P
	if e.Name == "q" {
		of = step.Q
	}
	if d := s.within(); d != nil && !slices.Contains(d.Of, of) {
		return nil, 0
	}
	if s.exchanged {
		of = step.P + step.Q - of
	}
	if of == step.P {
		return s.a, of
	}
	return s.b, of
}

func (s pairNames) prefix(_ *Checker, e *syntax.Expr) bool {
	st, _ := s.side(e)
	return st != nil
}

func (s pairNames) process(_ *Checker, e *syntax.Expr) (int, bool) {
	if e.Kind == syntax.EName && e.Name == "self" && s.a != nil && s.b == nil { // about one step
		return step.P, true
	}
	st, of := s.side(e)
	return of, st != nil
}

// isProcess elaborates the question whether a reference means the process of one of the steps, as in h == q; ok is
// false for other comparisons.
func (s pairNames) isProcess(x *Checker, e *syntax.Expr, op step.Op) (v *step.Expr, ok bool) {
	for i, who := range e.Args {
		st, of := s.side(who)
		if st == nil || x.SharedVars[who.Name] != nil {
			continue
		}
		ref := x.Value(e.Args[1-i], nil)
		switch pool := st.Template.Pool; {
		case ref == nil:
			return nil, true
		case !types.IsWaitable(ref.Type) || pool == nil:
			return x.Fail(e, "", "cannot compare %s with %s", types.String(ref.Type), who.Name), true
		default:
			number := &step.Expr{Op: step.Self, Type: step.IntType, Pos: who.Pos, Of: of}
			return x.Make(e, op, step.BoolType, ref, pool.Reference(number)), true
		}
	}
	return nil, false
}

func (s pairNames) field(x *Checker, e *syntax.Expr) *step.Expr {
	st, of := s.side(e.Args[0])
	if st == nil {
		return x.Fail(e, "locals of the two steps are p.x and q.x", "%s has no part %s", describe(e.Args[0]), e.Name)
	}
	if e.Name == "self" {
		return &step.Expr{Op: step.Self, Type: step.IntType, Pos: e.Pos, Of: of}
	}
	if e.Name == "process" {
		return selfNumber(x, e, of)
	}
	v := localAt(st, e.Name)
	if v == nil {
		x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, localNames(st.Template)), "thread %s has no variable %s",
			st.Template.Name, e.Name)
		return nil
	}
	return &step.Expr{Op: step.VarRef, Type: v.Type, Pos: e.Pos, Var: v, Of: of}
}

// NameMeans tells what a name means already in the conditions of a program, so that no definition may have it; empty if
// it is free.
func NameMeans(prog *step.Program, name string) string {
	t := tableOf(prog)
	switch {
	case syntax.IsKeyword(name) || name == "p" || name == "q" || name == "self":
		return "a word of the language"
	case slices.Contains(Builtins, name) || name == "count" || name == "sum":
		return "a function of the language"
	case t.SharedVars[name] != nil:
		return "a shared variable"
	case t.Params[name] != nil:
		return "a parameter"
	case t.Funcs[name] != nil:
		return "a function"
	case t.Types[name] != nil:
		return "a type"
	case slices.ContainsFunc(t.enums, func(e *step.Type) bool { return slices.Contains(e.Names, name) }):
		return "a member of an enum"
	}
	for _, tmpl := range prog.Templates {
		if tmpl.Name == name {
			return "a thread"
		}
		if printer.HasLocal(tmpl, name) {
			return "a variable of " + tmpl.Name
		}
	}
	return ""
}

// call elaborates the use of a definition, with processes or without; ok is false if there is none of that name.
func (s pairNames) call(x *Checker, e *syntax.Expr) (v *step.Expr, ok bool) {
	i := slices.IndexFunc(s.defs, func(d *printer.Definition) bool { return d.Name == e.Name })
	if i < 0 {
		return nil, false
	}
	d := s.defs[i]
	var of, turned []int
	for _, a := range e.Args {
		if st, who := s.side(a); st != nil {
			of, turned = append(of, who), append(turned, step.P+step.Q-who)
		}
	}
	switch {
	case len(of) != len(e.Args) || !slices.Equal(of, d.Of) && !slices.Equal(turned, d.Of):
		uses := d.Use(false)
		if len(d.Of) > 0 {
			uses += " or " + d.Use(true)
		}
		return x.Fail(e, "write "+uses, "this is not how the definition %s is used", d.Name), true
	case slices.Contains(s.inside, d):
		return x.Fail(e, "write out what it stands for", "the definition %s uses itself", d.Name), true
	}
	body := syntax.ParseExpr(x.Reporter, syntax.PortionAt(d.At, d.Text))
	if body == nil {
		return nil, true
	}
	inner := s
	inner.exchanged, inner.inside = !slices.Equal(of, d.Of), append(slices.Clone(s.inside), d)
	y := *x
	y.scope = inner
	if v = y.Truth(body); v == nil {
		return nil, true
	}
	use := *v // so that this use is told from others
	x.sizes[&use] = x.sizes[v]
	s.expanded[&use] = true
	if d.That == nil {
		d.That, d.A, d.B, d.Exchanged = s.spliced(v), s.a.Template, s.b.Template, inner.exchanged
	}
	return &use, true
}

// within is the definition that is being written out, nil in the condition of a pair.
func (s pairNames) within() *printer.Definition {
	if len(s.inside) == 0 {
		return nil
	}
	return s.inside[len(s.inside)-1]
}

// spliced is a condition with chains of && and of || within definitions as parts of the chains around them, as if they
// had been written there.
func (s pairNames) spliced(e *step.Expr) *step.Expr {
	if len(s.expanded) == 0 || len(e.Args) == 0 {
		return e
	}
	c := e.With(s.spliced)
	if (e.Op == step.And || e.Op == step.Or) && s.expanded[e.Args[1]] {
		return printer.Appended(e.Op, c.Args[0], c.Args[1])
	}
	return c
}
