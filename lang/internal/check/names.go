package check

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang/internal/printer"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Scope says what names mean where an expression stands, beyond the shared variables, parameters and enum members
// that are known everywhere. Its methods return nil for what is not theirs; field reports the error itself. What a
// scope does not say is as in ConstNames.
type Scope interface {
	name(x *Checker, e *syntax.Expr) *step.Expr              // a plain name, self included
	field(x *Checker, e *syntax.Expr) *step.Expr             // a.b
	prefix(x *Checker, e *syntax.Expr) bool                  // whether e in e.b means a process, so that field is asked
	process(x *Checker, e *syntax.Expr) (int, bool)          // a process as in p.holds(m): the Of of step.Me
	readonly(v *step.Var) string                             // why the local may not be assigned; empty if it may
	names() []string                                         // for suggestions
	shared() bool                                            // whether shared variables may be read
	local(name string) Local                                 // a variable of the code; its Var is nil if there is none
	call(x *Checker, e *syntax.Expr) (v *step.Expr, is bool) // a call that has a meaning only here
	calls() []string                                         // of what can be called only here, for suggestions
	hint(name string) string                                 // what to write for a name that is not known; may be empty
	thread() bool                                            // whether it is the code of a thread or method
	changes() bool                                           // whether expressions may have an effect
	// whether references count as the numbers of their identities
	numbers() bool
}

// ConstNames is the scope of parameters, bounds and initial values.
type ConstNames struct{}

func (ConstNames) name(*Checker, *syntax.Expr) *step.Expr { return nil }
func (ConstNames) field(x *Checker, e *syntax.Expr) *step.Expr {
	x.Report(e.NameAt, e.End, "", "%s has no part %s", describe(e.Args[0]), e.Name)
	return nil
}
func (ConstNames) prefix(*Checker, *syntax.Expr) bool             { return false }
func (ConstNames) process(*Checker, *syntax.Expr) (int, bool)     { return 0, false }
func (ConstNames) readonly(*step.Var) string                      { return "" }
func (ConstNames) names() []string                                { return nil }
func (ConstNames) shared() bool                                   { return false }
func (ConstNames) local(string) Local                             { return Local{} }
func (ConstNames) call(*Checker, *syntax.Expr) (*step.Expr, bool) { return nil, false }
func (ConstNames) calls() []string                                { return nil }
func (ConstNames) hint(string) string                             { return "" }
func (ConstNames) thread() bool                                   { return false }
func (ConstNames) changes() bool                                  { return true }
func (ConstNames) numbers() bool                                  { return false }

// SharedNames is the scope of invariants: the shared variables and nothing else.
type SharedNames struct{ ConstNames }

func (SharedNames) shared() bool { return true }

// InstanceNames is the scope of the parameters of a thread: constants and self.
type InstanceNames struct{ ConstNames }

func (InstanceNames) name(_ *Checker, e *syntax.Expr) *step.Expr {
	if e.Name == "self" {
		return &step.Expr{Op: step.Self, Type: step.IntType, Pos: e.Pos, Of: step.Own}
	}
	return nil
}
func (InstanceNames) names() []string { return []string{"self"} }

// ThreadNames is the scope of a body.
type ThreadNames struct {
	ConstNames
	Visible []map[string]Local // innermost last
	// by name, in order of declaration: scopes side by side share a slot when types agree
	All     map[string][]*step.Var
	Fixed   map[*step.Var]string
	Order   []string
	Actor   *ActorCode // in methods
	Spawned bool       // in threads that are started by spawn
}

// A Local is a variable of a thread, with the place of its present declaration: several may share a variable.
type Local struct {
	*step.Var
	At step.Pos
}

// NewThreadNames are the names of a thread before its first declaration.
func NewThreadNames() *ThreadNames {
	return &ThreadNames{Visible: []map[string]Local{{}}, All: map[string][]*step.Var{}, Fixed: map[*step.Var]string{}}
}

// Lookup is the local variable that a name means here, or nil.
func (s *ThreadNames) Lookup(name string) *step.Var { return s.local(name).Var }

// local finds a local by name; its Var is nil if there is none.
func (s *ThreadNames) local(name string) Local {
	for i := len(s.Visible) - 1; i >= 0; i-- {
		if v := s.Visible[i][name]; v.Var != nil {
			return v
		}
	}
	return Local{}
}

func (s *ThreadNames) name(x *Checker, e *syntax.Expr) *step.Expr {
	if v := s.Lookup(e.Name); v != nil {
		return &step.Expr{Op: step.VarRef, Type: v.Type, Pos: e.Pos, Var: v, Of: step.Own}
	}
	if s.Actor != nil {
		if e.Name == "self" {
			return build.Ref(s.Actor.Me, e.Pos)
		}
		return s.actorField(x, e, e.Name)
	}
	if e.Name == "self" && s.Spawned {
		return x.Fail(e, "give it a parameter", "a thread that is spawned has no number")
	}
	return InstanceNames{}.name(x, e)
}

func (s *ThreadNames) process(_ *Checker, e *syntax.Expr) (int, bool) {
	return step.Own, e.Kind == syntax.EName && e.Name == "self"
}
func (s *ThreadNames) prefix(_ *Checker, e *syntax.Expr) bool {
	return e.Kind == syntax.EName && e.Name == "self"
}
func (s *ThreadNames) field(x *Checker, e *syntax.Expr) *step.Expr {
	if e.Name == "process" {
		return selfNumber(x, e, step.Own)
	}
	if s.Actor != nil {
		if v := s.actorField(x, e, e.Name); v != nil {
			return v
		}
		x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, s.Actor.Class.Order), "%s has no field %s",
			s.Actor.Class.Name, e.Name)
		return nil
	}
	x.Report(e.NameAt, e.End, "self is the number of the instance, self.process that of the thread among all",
		"self has no part %s", e.Name)
	return nil
}
func (s *ThreadNames) readonly(v *step.Var) string { return s.Fixed[v] }
func (s *ThreadNames) names() []string {
	names := append(slices.Clone(s.Order), "self")
	if s.Actor != nil {
		names = append(names, s.Actor.Class.Order...)
	}
	return names
}
func (s *ThreadNames) shared() bool { return true }
func (s *ThreadNames) thread() bool { return true }

// PropertyNames is the scope of observe and check: shared variables and the locals of threads, written thread.x or
// thread[i].x.
type PropertyNames struct {
	ConstNames
	Prog *step.Program
}

func (s PropertyNames) shared() bool { return true }

// ThreadOf resolves thread or thread[i]; index is nil without one. It returns no template for anything else.
func ThreadOf(prog *step.Program, e *syntax.Expr) (t *step.Template, index *syntax.Expr) {
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
func (s PropertyNames) hint(name string) string {
	for _, t := range s.Prog.Templates {
		if localOf(t, name, nil) != nil {
			return fmt.Sprintf("write %s.%s for the variable of thread %s", t.Name, name, t.Name)
		}
	}
	return ""
}

// prefix: a thread, or a name that is nothing else, so that field reports it.
func (s PropertyNames) prefix(x *Checker, e *syntax.Expr) bool {
	if e.Kind == syntax.EName {
		for _, b := range x.Bound {
			if b.Name == e.Name {
				return false
			}
		}
		return x.SharedVars[e.Name] == nil && x.Params[e.Name] == nil
	}
	t, _ := ThreadOf(s.Prog, e)
	return t != nil
}

func (s PropertyNames) process(x *Checker, e *syntax.Expr) (int, bool) {
	t, index := ThreadOf(s.Prog, e)
	if t == nil {
		return 0, false
	}
	x.Mention(syntax.Mention{Pos: e.Pos, What: "thread", Name: t.Name}, nil)
	self := int64(0)
	switch {
	case t.Pool != nil:
		x.Report(e.Pos, e.End, "let it write to a shared variable",
			"%s is started by spawn: its variables cannot be asked for", t.Name)
		return 0, false
	case index != nil && t.Multi:
		i, ok := ConstInt(x, index, "the number of an instance")
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
	for _, p := range s.Prog.Procs {
		if p.Template == t && p.Self == self {
			return p.Index, true
		}
	}
	x.Report(e.Pos, e.End, "", "%s has the instances 0 to %d", t.Name, t.Count-1)
	return 0, false
}

// oneOf is a hint for a name that is not known: the one that was meant, or those that there are.
func oneOf(name, are string, known []string) string {
	if hint := syntax.DidYouMean(name, known); hint != "" || len(known) == 0 || len(known) > 8 {
		return hint
	}
	return are + strings.Join(known, ", ")
}

func (s PropertyNames) field(x *Checker, e *syntax.Expr) *step.Expr {
	t, _ := ThreadOf(s.Prog, e.Args[0])
	if t == nil {
		var threads []string
		for _, t := range s.Prog.Templates {
			threads = append(threads, t.Name)
		}
		x.Report(e.Args[0].Pos, e.Args[0].End, oneOf(describe(e.Args[0]), "the threads are ", threads),
			"%s is not a thread", describe(e.Args[0]))
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
	if v == nil && e.Name == "mailbox" && x.MailboxOf(t.Name) != nil {
		return x.Fail(e, "write "+t.Name+".mailbox[0]", "the mailboxes of %s are an array", t.Name)
	}
	if v == nil {
		x.Report(e.NameAt, e.End, oneOf(e.Name, "its variables are ", localNames(t)), "thread %s has no variable %s",
			t.Name, e.Name)
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
	return slices.ContainsFunc(s.Nodes, func(i int) bool {
		n := s.Template.Nodes[i]
		return n.Dst.Mentions(v) || n.Src.Mentions(v) || n.Cond.Mentions(v)
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

// EveryState is the scope of properties of all states: shared variables, and nothing of threads.
type EveryState struct {
	PropertyNames
	Old map[*step.Var]*step.Var // in a transition: shared variable -> its twin, which means its value before the step
}

func (s EveryState) hint(string) string { return "" }

func (s EveryState) call(x *Checker, e *syntax.Expr) (v *step.Expr, is bool) {
	if e.Name != "old" || s.Old == nil {
		return nil, false
	}
	return beforeStep(x, e, s.Old), true
}

func (s EveryState) process(x *Checker, e *syntax.Expr) (int, bool) {
	if t, _ := ThreadOf(s.Prog, e); t != nil {
		x.Report(e.Pos, e.End, "it can ask m.held()", "a property of every state cannot ask threads")
	}
	return 0, false
}

func (s EveryState) field(x *Checker, e *syntax.Expr) *step.Expr {
	if t, _ := ThreadOf(s.Prog, e.Args[0]); t != nil {
		hint := "let the thread write it to a shared variable"
		if e.Name == "crashed" {
			hint = "say that the thread may crash: crashes: {of: " + t.Name + "}"
		}
		return x.Fail(e, hint, "a property of every state cannot be about the variables of a thread")
	}
	return s.PropertyNames.field(x, e)
}

// beforeStep elaborates old(e): e with twins in the place of shared variables.
func beforeStep(x *Checker, e *syntax.Expr, twins map[*step.Var]*step.Var) *step.Expr {
	if len(e.Args) != 1 {
		return x.Fail(e, "", "old takes 1 argument, not %d", len(e.Args))
	}
	v := x.Value(e.Args[0], nil)
	if v == nil {
		return nil
	}
	if !v.TouchesShared() {
		return x.Fail(e, "", "there is nothing in old(...) that a step could change")
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

// FunctionNames is the scope of a function: its own variables, nothing shared and no self.
type FunctionNames struct{ *ThreadNames }

func (s FunctionNames) shared() bool { return false }

func (s FunctionNames) thread() bool { return false }

func (s FunctionNames) changes() bool { return false }

func (s FunctionNames) name(x *Checker, e *syntax.Expr) *step.Expr {
	if e.Name == "self" {
		return x.Fail(e, "give it as a parameter", "a function does not know who calls it")
	}
	return s.ThreadNames.name(x, e)
}

func (s FunctionNames) prefix(*Checker, *syntax.Expr) bool { return false }

func (s FunctionNames) process(*Checker, *syntax.Expr) (int, bool) { return 0, false }

// selfNumber is the number of a process among all, from 0.
func selfNumber(x *Checker, e *syntax.Expr, of int) *step.Expr {
	return x.Make(e, step.Sub, step.IntType, self(e, of), IntConst(e, 1))
}

// field of the actor whose method the name stands in; nil if there is none.
func (s *ThreadNames) actorField(x *Checker, e *syntax.Expr, name string) *step.Expr {
	v := s.Actor.Class.Vars[name]
	if v == nil {
		return nil
	}
	at := e.Pos
	if e.Kind == syntax.EField {
		at = e.NameAt
	}
	x.Mention(syntax.Mention{Pos: at, What: "field", Name: name, Decl: v.Pos}, v.Type.Elem)
	return x.Make(e, step.Index, v.Type.Elem, build.Ref(v, e.Pos), build.Ref(s.Actor.This, e.Pos))
}

// Mention is that a name means the class.
func (c *Class) Mention(at step.Pos) syntax.Mention {
	return syntax.Mention{Pos: at, What: "class", Name: c.Name, Type: c.Key.Text, Decl: c.Key.Name}
}

// mentionType notes that a name means a declared type, unless that is faulty.
func (t *Table) mentionType(r *syntax.Reporter, at step.Pos, name string) {
	if typ := t.Types[name]; typ != nil && r.Mentions != nil {
		r.Mention(syntax.Mention{Pos: at, What: "type", Name: name, Type: types.Structure(typ), Of: typ}, nil)
	}
}

// mentionName notes what a plain name means that resolve has found the value of.
func mentionName(x *Checker, e *syntax.Expr, v *step.Expr) {
	m, t := syntax.Mention{Pos: e.Pos, Name: e.Name}, v.Type
	for i := len(x.Bound) - 1; i >= 0; i-- {
		if b := x.Bound[i]; b.Name == e.Name {
			m.What, m.Decl = "variable", b.At
			x.Mention(m, t)
			return
		}
	}
	if l := x.scope.local(e.Name); l.Var != nil {
		m.What, m.Decl, t = "variable", l.At, l.Type
		x.Mention(m, t)
		return
	}
	switch {
	case e.Name == "self":
		m.What = "self"
	case v.Op == step.Index:
		return // a field of the actor, noted there
	case x.SharedVars[e.Name] != nil:
		m.What = "shared variable"
	case x.Params[e.Name] != nil:
		p := x.Params[e.Name]
		m.What, m.Value = "parameter", printer.FormatValue(nil, p.Type, p.Words)
	default:
		m.What = "member"
	}
	x.Mention(m, t)
}

// Names and methods of other languages: hints in messages, like those for their syntax.

// foreignNames are values elsewhere.
var foreignNames = map[string]string{
	"nil": "null", "None": "null", "NULL": "null", "Null": "null", "nullptr": "null", "undefined": "null",
	"True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
	"fmt": "print x", "console": "print x", "System": "print x", "random": "any(lo..hi): every value is explored",
	"static_cast": "int(x)", "reinterpret_cast": "int(x)",
	"this": "self", "pid": "self", "_pid": "self", "id": "self", "tid": "self", "me": "self",
	"thread_id": "self", "threadId": "self",
}

// foreignMethods are methods elsewhere, by what has them: a primitive, a list, a queue, or int for any scalar.
var foreignMethods = map[string]map[string]string{
	"mutex": {
		"lock": "write lock m", "unlock": "write unlock m", "acquire": "write lock m", "release": "write unlock m",
		"trylock": "write trylock m", "rlock": "an rwlock has rlock, a mutex has lock",
		"wait": "a cond waits: c.wait(m)"},
	"chan": {
		"send": "write send c, value", "recv": "write recv c", "receive": "write recv c",
		"put": "write send c, value", "get": "write recv c", "push": "write send c, value", "pop": "write recv c",
		"take": "write recv c", "poll": "write recv c", "offer": "write send c, value", "add": "write send c, value",
	},
	"cond": {
		"notify": "write c.signal()", "notify_one": "write c.signal()", "notify_all": "write c.broadcast()",
		"await": "write c.wait(m)", "wait_for": "write c.wait(m)", "signal_all": "write c.broadcast()",
	},
	"sem": {
		"wait": "write s.acquire()", "signal": "write s.release()", "P": "write s.acquire()", "V": "write s.release()",
		"post": "write s.release()", "down": "write s.acquire()", "up": "write s.release()",
	},
	"int": {
		"cas": "write cas(x, old, new)", "compare_exchange": "write cas(x, old, new)",
		"fetch_add": "write fetch_add(x, n)", "swap": "write swap(x, value)",
		"load": "write x", "store": "write x = value", "get": "write x", "set": "write x = value",
		"compareAndSet": "write cas(x, old, new)", "compareAndSwap": "write cas(x, old, new)",
		"incrementAndGet": "write fetch_add(x, 1) + 1",
		"getAndIncrement": "write fetch_add(x, 1)", "addAndGet": "write fetch_add(x, n) + n",
		"getAndAdd": "write fetch_add(x, n)", "decrementAndGet": "write fetch_add(x, -1) - 1",
		"getAndSet": "write swap(x, value)", "exchange": "write swap(x, value)"},
	"list": {
		"push": "a queue has push, a list has append", "add": "write append(v)", "len": "write size()",
		"length": "write size()", "is_empty": "write empty()",
		"extend": "append one element at a time: for x in ys { xs.append(x) }", "erase": "write remove(i)",
		"delete": "write remove(i)",
	},
	"queue": {
		"append": "a queue has push, a list has append", "add": "write push(v)", "put": "write push(v)",
		"get": "write pop()", "enqueue": "write push(v)", "dequeue": "write pop()", "len": "write size()",
		"length": "write size()",
	},
	"set": {"discard": "write remove(v)", "insert": "write add(v)", "contains": "write has(v)",
		"delete": "write remove(v)"},
	"map": {"containsKey": "write has(k)", "contains": "write has(k)", "delete": "write remove(k)",
		"set": "write put(k, v)"},
	"tid": {"join": "write join h", "wait": "write join h"},
}

// HabitName is the hint for a name that is not known.
func HabitName(name string) string {
	if v := foreignNames[name]; v != "" {
		return "write " + v
	}
	return ""
}

// hintCall is the hint for a call of a method of what is no value: mutex.acquire(m), time.sleep(1), math.max(a, b).
func hintCall(x *Checker, call *syntax.Expr) string {
	if call == nil {
		return ""
	}
	if args := call.Args[1:]; len(args) > 0 {
		if t := x.Probe(args[0]); t != nil && slices.Contains(Methods(t), call.Name) {
			return "write " + describe(args[0]) + "." + call.Name + "(...)"
		} else if t != nil && HabitMethod(t, call.Name) != "" {
			return HabitMethod(t, call.Name)
		}
	}
	if slices.Contains(Builtins, call.Name) {
		return "write " + call.Name + "(...)"
	}
	hint := syntax.ForeignFunction(call.Name)
	if typ := syntax.HabitType(call.Name); hint == "" && typ != "" {
		return "declare it in the section shared: " + strings.Replace(typ, "write ", "NAME: ", 1)
	}
	return hint
}

// HabitMethod is the hint for a method that a type does not have.
func HabitMethod(t *step.Type, name string) string {
	of := t.Sync
	switch {
	case of != "":
	case t.Kind == step.Mutex:
		of = "mutex"
	case t.Ref == "tid":
		of = "tid"
	case t.Kind == step.List:
		of = "list"
	case t.Kind == step.Queue:
		of = "queue"
	case t.Kind == step.Set || t.Kind == step.Bag:
		of = "set"
	case t.Kind == step.Map:
		of = "map"
	case t.Kind <= step.Enum || t.Kind == step.Sized:
		of = "int"
	}
	return syntax.Foreign(foreignMethods[of], name)
}

// habitValue is the hint for a value of one type where another is needed.
func habitValue(is, needed *step.Type) string {
	switch {
	case is.Kind == step.Option && types.Fits(needed, is.Elem):
		return "write x! for its value, which must not be null then"
	case needed.Kind == step.Bool && is.Numeric():
		return "write true or false, or compare it: x != 0"
	case needed.Numeric() && is.Kind == step.Enum:
		return "an enum has no numbers: compare its members"
	case needed.Numeric() && is.Kind == step.Bool:
		return "write a number: x ? 1 : 0"
	case needed.Kind == step.Enum && needed.Ref == "":
		return members(needed)
	}
	return ""
}

// members is a hint for a value that is no member of an enum.
func members(t *step.Type) string {
	if len(t.Names) > 8 {
		return ""
	}
	return "the members of " + types.String(t) + " are " + strings.Join(t.Names, ", ")
}
