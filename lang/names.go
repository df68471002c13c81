package lang

import (
	"slices"

	"cdpor/lang/step"
)

// A scope says what names mean where an expression stands, beyond the shared variables, parameters and enum members that are
// known everywhere. Its methods return nil for what is not theirs; field reports the error itself.
type scope interface {
	name(x *elab, e *expr) *step.Expr     // a plain name, self included
	field(x *elab, e *expr) *step.Expr    // a.b
	prefix(x *elab, e *expr) bool         // whether e in e.b means a process, so that field is asked
	process(x *elab, e *expr) (int, bool) // a process as in p.holds(m): the Of of step.Me
	readonly(v *step.Var) string          // why the local may not be assigned; empty if it may
	names() []string                      // for suggestions
	shared() bool                         // whether shared variables may be read
}

// constNames is the scope of parameters, bounds and initial values.
type constNames struct{}

func (constNames) name(*elab, *expr) *step.Expr { return nil }
func (constNames) field(x *elab, e *expr) *step.Expr {
	x.report(e.nameAt, e.end, "", "%s has no part %s", describe(e.args[0]), e.name)
	return nil
}
func (constNames) prefix(*elab, *expr) bool         { return false }
func (constNames) process(*elab, *expr) (int, bool) { return 0, false }
func (constNames) readonly(*step.Var) string        { return "" }
func (constNames) names() []string                  { return nil }
func (constNames) shared() bool                     { return false }

// sharedNames is the scope of invariants: the shared variables and nothing else.
type sharedNames struct{ constNames }

func (sharedNames) shared() bool { return true }

// instanceNames is the scope of the parameters of a thread: constants and self.
type instanceNames struct{ constNames }

func (instanceNames) name(_ *elab, e *expr) *step.Expr {
	if e.name == "self" {
		return &step.Expr{Op: step.Self, Type: step.IntType, Pos: e.pos, Of: step.Own}
	}
	return nil
}
func (instanceNames) names() []string { return []string{"self"} }

// threadNames is the scope of a body.
type threadNames struct {
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

func (s *threadNames) name(x *elab, e *expr) *step.Expr {
	if v := s.lookup(e.name); v != nil {
		return &step.Expr{Op: step.VarRef, Type: v.Type, Pos: e.pos, Var: v, Of: step.Own}
	}
	if s.actor != nil {
		if e.name == "self" {
			return ref(s.actor.me, e.pos)
		}
		return s.actorField(x, e, e.name)
	}
	if e.name == "self" && s.spawned {
		return x.errorf(e, "give it a parameter", "a thread that is spawned has no number")
	}
	return instanceNames{}.name(x, e)
}

func (s *threadNames) process(_ *elab, e *expr) (int, bool) {
	return step.Own, e.kind == eName && e.name == "self"
}
func (s *threadNames) prefix(_ *elab, e *expr) bool { return e.kind == eName && e.name == "self" }
func (s *threadNames) field(x *elab, e *expr) *step.Expr {
	if e.name == "process" {
		return x.number0(e, step.Own)
	}
	if s.actor != nil {
		if v := s.actorField(x, e, e.name); v != nil {
			return v
		}
		x.report(e.nameAt, e.end, didYouMean(e.name, s.actor.class.order), "%s has no field %s", s.actor.class.name, e.name)
		return nil
	}
	x.report(e.nameAt, e.end, "self is the number of the instance, self.process that of the thread among all", "self has no part %s", e.name)
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

// propertyNames is the scope of observe and check: shared variables and the locals of threads, written thread.x or thread[i].x.
type propertyNames struct {
	constNames
	prog *step.Program
}

func (s propertyNames) shared() bool { return true }

// threadOf resolves thread or thread[i]; index is nil without one. It returns no template for anything else.
func threadOf(prog *step.Program, e *expr) (t *step.Template, index *expr) {
	if e.kind == eIndex {
		e, index = e.args[0], e.args[1]
	}
	if e.kind == eName {
		for _, t := range prog.Templates {
			if t.Name == e.name {
				return t, index
			}
		}
	}
	return nil, nil
}

// prefix: a thread, or a name that is nothing else, so that field reports it.
func (s propertyNames) prefix(x *elab, e *expr) bool {
	if e.kind == eName {
		for _, b := range x.bound {
			if b.name == e.name {
				return false
			}
		}
		return x.sharedVars[e.name] == nil && x.params[e.name] == nil
	}
	t, _ := threadOf(s.prog, e)
	return t != nil
}

func (s propertyNames) process(x *elab, e *expr) (int, bool) {
	t, index := threadOf(s.prog, e)
	if t == nil {
		return 0, false
	}
	x.mention(Mention{Pos: e.pos, What: "thread", Name: t.Name}, nil)
	self := int64(0)
	switch {
	case t.Pool != nil:
		x.report(e.pos, e.end, "let it write to a shared variable", "%s is started by spawn: its variables cannot be asked for", t.Name)
		return 0, false
	case index != nil && t.Multi:
		i, ok := x.constInt(index, "the number of an instance")
		if !ok {
			return 0, false
		}
		self = i
	case index != nil:
		x.report(index.pos, index.end, "", "thread %s has no count: write %s without a number", t.Name, t.Name)
		return 0, false
	case t.Multi:
		x.report(e.pos, e.end, "write "+t.Name+"[0]", "which instance of %s?", t.Name)
		return 0, false
	}
	for _, p := range s.prog.Procs {
		if p.Template == t && p.Self == self {
			return p.Index, true
		}
	}
	x.report(e.pos, e.end, "", "%s has the instances 0 to %d", t.Name, t.Count-1)
	return 0, false
}

func (s propertyNames) field(x *elab, e *expr) *step.Expr {
	t, _ := threadOf(s.prog, e.args[0])
	if t == nil {
		var threads []string
		for _, t := range s.prog.Templates {
			threads = append(threads, t.Name)
		}
		x.report(e.args[0].pos, e.args[0].end, didYouMean(describe(e.args[0]), threads), "%s is not a thread", describe(e.args[0]))
		return nil
	}
	before := x.count()
	proc, ok := s.process(x, e.args[0])
	if !ok {
		if x.count() == before {
			x.report(e.pos, e.end, "", "not a process")
		}
		return nil
	}
	v := localOf(t, e.name, nil)
	if v == nil && e.name == "mailbox" && x.mailboxOf(t.Name) != nil {
		return x.errorf(e, "write "+t.Name+".mailbox[0]", "the mailboxes of %s are an array", t.Name)
	}
	if v == nil {
		x.report(e.nameAt, e.end, didYouMean(e.name, localNames(t)), "thread %s has no variable %s", t.Name, e.name)
		return nil
	}
	x.mention(Mention{Pos: e.nameAt, What: "variable", Name: e.name, Decl: v.Pos}, v.Type)
	v.Keep = true
	return &step.Expr{Op: step.VarRef, Type: v.Type, Pos: e.pos, Var: v, Of: proc}
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
func describe(e *expr) string {
	switch e.kind {
	case eName:
		return e.name
	case eIndex:
		return describe(e.args[0]) + "[...]"
	case eField:
		return describe(e.args[0]) + "." + e.name
	}
	return "this"
}
