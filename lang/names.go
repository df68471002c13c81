package lang

import (
	"fmt"
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A scope says what names mean where an expression stands, beyond the shared variables, parameters and enum members that are
// known everywhere. Its methods return nil for what is not theirs; field reports the error itself. What a scope does not
// say is as in constNames.
type scope interface {
	name(x *checker, e *syntax.Expr) *step.Expr              // a plain name, self included
	field(x *checker, e *syntax.Expr) *step.Expr             // a.b
	prefix(x *checker, e *syntax.Expr) bool                  // whether e in e.b means a process, so that field is asked
	process(x *checker, e *syntax.Expr) (int, bool)          // a process as in p.holds(m): the Of of step.Me
	readonly(v *step.Var) string                             // why the local may not be assigned; empty if it may
	names() []string                                         // for suggestions
	shared() bool                                            // whether shared variables may be read
	local(name string) local                                 // a variable of the code; its Var is nil if there is none
	call(x *checker, e *syntax.Expr) (v *step.Expr, is bool) // a call that has a meaning only here
	calls() []string                                         // of what can be called only here, for suggestions
	hint(name string) string                                 // what to write for a name that is not known; may be empty
	thread() bool                                            // whether it is the code of a thread or method
	changes() bool                                           // whether expressions may have an effect
	numbers() bool                                           // whether references count as the numbers of their identities
}

// constNames is the scope of parameters, bounds and initial values.
type constNames struct{}

func (constNames) name(*checker, *syntax.Expr) *step.Expr { return nil }
func (constNames) field(x *checker, e *syntax.Expr) *step.Expr {
	x.Report(e.NameAt, e.End, "", "%s has no part %s", describe(e.Args[0]), e.Name)
	return nil
}
func (constNames) prefix(*checker, *syntax.Expr) bool             { return false }
func (constNames) process(*checker, *syntax.Expr) (int, bool)     { return 0, false }
func (constNames) readonly(*step.Var) string                      { return "" }
func (constNames) names() []string                                { return nil }
func (constNames) shared() bool                                   { return false }
func (constNames) local(string) local                             { return local{} }
func (constNames) call(*checker, *syntax.Expr) (*step.Expr, bool) { return nil, false }
func (constNames) calls() []string                                { return nil }
func (constNames) hint(string) string                             { return "" }
func (constNames) thread() bool                                   { return false }
func (constNames) changes() bool                                  { return true }
func (constNames) numbers() bool                                  { return false }

// sharedNames is the scope of invariants: the shared variables and nothing else.
type sharedNames struct{ constNames }

func (sharedNames) shared() bool { return true }

// instanceNames is the scope of the parameters of a thread: constants and self.
type instanceNames struct{ constNames }

func (instanceNames) name(_ *checker, e *syntax.Expr) *step.Expr {
	if e.Name == "self" {
		return &step.Expr{Op: step.Self, Type: step.IntType, Pos: e.Pos, Of: step.Own}
	}
	return nil
}
func (instanceNames) names() []string { return []string{"self"} }

// threadNames is the scope of a body.
type threadNames struct {
	constNames
	visible []map[string]local     // innermost last
	all     map[string][]*step.Var // by name, in order of declaration: scopes side by side share a slot when types agree
	fixed   map[*step.Var]string
	order   []string
	actor   *actorCode // in methods
	spawned bool       // in threads that are started by spawn
}

// A local is a variable of a thread, with the place of its present declaration: several may share a variable.
type local struct {
	*step.Var
	at step.Pos
}

func newThreadNames() *threadNames {
	return &threadNames{visible: []map[string]local{{}}, all: map[string][]*step.Var{}, fixed: map[*step.Var]string{}}
}

func (s *threadNames) lookup(name string) *step.Var { return s.local(name).Var }

// local finds a local by name; its Var is nil if there is none.
func (s *threadNames) local(name string) local {
	for i := len(s.visible) - 1; i >= 0; i-- {
		if v := s.visible[i][name]; v.Var != nil {
			return v
		}
	}
	return local{}
}

func (s *threadNames) name(x *checker, e *syntax.Expr) *step.Expr {
	if v := s.lookup(e.Name); v != nil {
		return &step.Expr{Op: step.VarRef, Type: v.Type, Pos: e.Pos, Var: v, Of: step.Own}
	}
	if s.actor != nil {
		if e.Name == "self" {
			return build.Ref(s.actor.me, e.Pos)
		}
		return s.actorField(x, e, e.Name)
	}
	if e.Name == "self" && s.spawned {
		return x.fail(e, "give it a parameter", "a thread that is spawned has no number")
	}
	return instanceNames{}.name(x, e)
}

func (s *threadNames) process(_ *checker, e *syntax.Expr) (int, bool) {
	return step.Own, e.Kind == syntax.EName && e.Name == "self"
}
func (s *threadNames) prefix(_ *checker, e *syntax.Expr) bool {
	return e.Kind == syntax.EName && e.Name == "self"
}
func (s *threadNames) field(x *checker, e *syntax.Expr) *step.Expr {
	if e.Name == "process" {
		return x.number0(e, step.Own)
	}
	if s.actor != nil {
		if v := s.actorField(x, e, e.Name); v != nil {
			return v
		}
		x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, s.actor.class.order), "%s has no field %s", s.actor.class.name, e.Name)
		return nil
	}
	x.Report(e.NameAt, e.End, "self is the number of the instance, self.process that of the thread among all", "self has no part %s", e.Name)
	return nil
}
func (s *threadNames) readonly(v *step.Var) string { return s.fixed[v] }
func (s *threadNames) names() []string {
	names := append(slices.Clone(s.order), "self")
	if s.actor != nil {
		names = append(names, s.actor.class.order...)
	}
	return names
}
func (s *threadNames) shared() bool { return true }
func (s *threadNames) thread() bool { return true }

// propertyNames is the scope of observe and check: shared variables and the locals of threads, written thread.x or thread[i].x.
type propertyNames struct {
	constNames
	prog *step.Program
}

func (s propertyNames) shared() bool { return true }

// threadOf resolves thread or thread[i]; index is nil without one. It returns no template for anything else.
func threadOf(prog *step.Program, e *syntax.Expr) (t *step.Template, index *syntax.Expr) {
	if e.Kind == syntax.EIndex {
		e, index = e.Args[0], e.Args[1]
	}
	if e.Kind == syntax.EName {
		for _, t := range prog.Templates {
			if t.Name == e.Name {
				return t, index
			}
		}
	}
	return nil, nil
}

// hint is for a name that only threads know.
func (s propertyNames) hint(name string) string {
	for _, t := range s.prog.Templates {
		if localOf(t, name, nil) != nil {
			return fmt.Sprintf("write %s.%s for the variable of thread %s", t.Name, name, t.Name)
		}
	}
	return ""
}

// prefix: a thread, or a name that is nothing else, so that field reports it.
func (s propertyNames) prefix(x *checker, e *syntax.Expr) bool {
	if e.Kind == syntax.EName {
		for _, b := range x.bound {
			if b.name == e.Name {
				return false
			}
		}
		return x.sharedVars[e.Name] == nil && x.params[e.Name] == nil
	}
	t, _ := threadOf(s.prog, e)
	return t != nil
}

func (s propertyNames) process(x *checker, e *syntax.Expr) (int, bool) {
	t, index := threadOf(s.prog, e)
	if t == nil {
		return 0, false
	}
	x.Mention(syntax.Mention{Pos: e.Pos, What: "thread", Name: t.Name}, nil)
	self := int64(0)
	switch {
	case t.Pool != nil:
		x.Report(e.Pos, e.End, "let it write to a shared variable", "%s is started by spawn: its variables cannot be asked for", t.Name)
		return 0, false
	case index != nil && t.Multi:
		i, ok := x.constInt(index, "the number of an instance")
		if !ok {
			return 0, false
		}
		self = i
	case index != nil:
		x.Report(index.Pos, index.End, "", "thread %s has no count: write %s without a number", t.Name, t.Name)
		return 0, false
	case t.Multi:
		x.Report(e.Pos, e.End, "write "+t.Name+"[0]", "which instance of %s?", t.Name)
		return 0, false
	}
	for _, p := range s.prog.Procs {
		if p.Template == t && p.Self == self {
			return p.Index, true
		}
	}
	x.Report(e.Pos, e.End, "", "%s has the instances 0 to %d", t.Name, t.Count-1)
	return 0, false
}

func (s propertyNames) field(x *checker, e *syntax.Expr) *step.Expr {
	t, _ := threadOf(s.prog, e.Args[0])
	if t == nil {
		var threads []string
		for _, t := range s.prog.Templates {
			threads = append(threads, t.Name)
		}
		x.Report(e.Args[0].Pos, e.Args[0].End, syntax.DidYouMean(describe(e.Args[0]), threads), "%s is not a thread", describe(e.Args[0]))
		return nil
	}
	before := x.Count()
	proc, ok := s.process(x, e.Args[0])
	if !ok {
		if x.Count() == before {
			x.Report(e.Pos, e.End, "", "not a process")
		}
		return nil
	}
	v := localOf(t, e.Name, nil)
	if v == nil && e.Name == "mailbox" && x.mailboxOf(t.Name) != nil {
		return x.fail(e, "write "+t.Name+".mailbox[0]", "the mailboxes of %s are an array", t.Name)
	}
	if v == nil {
		x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, localNames(t)), "thread %s has no variable %s", t.Name, e.Name)
		return nil
	}
	x.Mention(syntax.Mention{Pos: e.NameAt, What: "variable", Name: e.Name, Decl: v.Pos}, v.Type)
	v.Keep = true
	return &step.Expr{Op: step.VarRef, Type: v.Type, Pos: e.Pos, Var: v, Of: proc}
}

// localOf finds a local by name: one that the step uses if there is a choice, else the first declared.
func localOf(t *step.Template, name string, s *step.Step) *step.Var {
	var found *step.Var
	for _, v := range t.Locals {
		if v.Temp || v.Name != name {
			continue
		}
		if found == nil || s != nil && !stepUses(s, found) && stepUses(s, v) {
			found = v
		}
	}
	return found
}

func stepUses(s *step.Step, v *step.Var) bool {
	var uses func(e *step.Expr) bool
	uses = func(e *step.Expr) bool {
		return e != nil && (e.Op == step.VarRef && e.Var == v || slices.ContainsFunc(e.Args, uses))
	}
	return slices.ContainsFunc(s.Nodes, func(i int) bool {
		n := s.Template.Nodes[i]
		return uses(n.Dst) || uses(n.Src) || uses(n.Cond)
	})
}

func localNames(t *step.Template) []string {
	var names []string
	for _, v := range t.Locals {
		if !v.Temp {
			names = append(names, v.Name)
		}
	}
	return names
}

// describe names an expression in messages.
func describe(e *syntax.Expr) string {
	switch e.Kind {
	case syntax.EName:
		return e.Name
	case syntax.EIndex:
		return describe(e.Args[0]) + "[...]"
	case syntax.EField:
		return describe(e.Args[0]) + "." + e.Name
	}
	return "this"
}

// everyState is the scope of properties of all states: shared variables, and nothing of threads.
type everyState struct {
	propertyNames
	old map[*step.Var]*step.Var // in a transition: shared variable -> its twin, which means its value before the step
}

func (s everyState) hint(string) string { return "" }

func (s everyState) call(x *checker, e *syntax.Expr) (v *step.Expr, is bool) {
	if e.Name != "old" || s.old == nil {
		return nil, false
	}
	return x.before(e, s.old), true
}

func (s everyState) process(x *checker, e *syntax.Expr) (int, bool) {
	if t, _ := threadOf(s.prog, e); t != nil {
		x.Report(e.Pos, e.End, "it can ask m.held()", "a property of every state cannot ask threads")
	}
	return 0, false
}

func (s everyState) field(x *checker, e *syntax.Expr) *step.Expr {
	if t, _ := threadOf(s.prog, e.Args[0]); t != nil {
		return x.fail(e, "let the thread write it to a shared variable", "a property of every state cannot be about the variables of a thread")
	}
	return s.propertyNames.field(x, e)
}

// before elaborates old(e): e with twins in the place of shared variables.
func (x *checker) before(e *syntax.Expr, twins map[*step.Var]*step.Var) *step.Expr {
	if len(e.Args) != 1 {
		return x.fail(e, "", "old takes 1 argument, not %d", len(e.Args))
	}
	v := x.value(e.Args[0], nil)
	if v == nil {
		return nil
	}
	if !v.TouchesShared() {
		return x.fail(e, "", "there is nothing in old(...) that a step could change")
	}
	var past func(v *step.Expr) *step.Expr
	past = func(v *step.Expr) *step.Expr {
		c := *v
		if v.Op == step.VarRef && v.Var.Shared {
			t := twins[v.Var]
			if t == nil {
				t = &step.Var{Name: v.Var.Name, Type: v.Var.Type, Pos: v.Var.Pos, Temp: true}
				twins[v.Var] = t
			}
			c.Var = t
		}
		c.Args = make([]*step.Expr, len(v.Args))
		for i, a := range v.Args {
			c.Args[i] = past(a)
		}
		x.sizes[&c] = x.sizes[v]
		return &c
	}
	return past(v)
}

// functionNames is the scope of a function: its own variables, nothing shared and no self.
type functionNames struct{ *threadNames }

func (s functionNames) shared() bool { return false }

func (s functionNames) thread() bool { return false }

func (s functionNames) changes() bool { return false }

func (s functionNames) name(x *checker, e *syntax.Expr) *step.Expr {
	if e.Name == "self" {
		return x.fail(e, "give it as a parameter", "a function does not know who calls it")
	}
	return s.threadNames.name(x, e)
}

func (s functionNames) prefix(*checker, *syntax.Expr) bool { return false }

func (s functionNames) process(*checker, *syntax.Expr) (int, bool) { return 0, false }

// number0 is the number of a process among all, from 0.
func (x *checker) number0(e *syntax.Expr, of int) *step.Expr {
	return x.make(e, step.Sub, step.IntType, x.me(e, of), intConst(e, 1))
}

// field of the actor whose method the name stands in; nil if there is none.
func (s *threadNames) actorField(x *checker, e *syntax.Expr, name string) *step.Expr {
	v := s.actor.class.vars[name]
	if v == nil {
		return nil
	}
	at := e.Pos
	if e.Kind == syntax.EField {
		at = e.NameAt
	}
	x.Mention(syntax.Mention{Pos: at, What: "field", Name: name, Decl: v.Pos}, v.Type.Elem)
	return x.make(e, step.Index, v.Type.Elem, build.Ref(v, e.Pos), build.Ref(s.actor.this, e.Pos))
}
