package check

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Table holds the names that are known everywhere in a program.
type Table struct {
	Processes     int                   // how many threads will run
	primitives    map[string]*step.Type // types of primitives, by name and number
	SharedVars    map[string]*step.Var
	Params        map[string]*step.Param
	Threads       map[string]bool
	enums         []*step.Type              // structurally different ones
	Types         map[string]*step.Type     // declared ones; nil for a faulty one
	Funcs         map[string]*step.Func     // functions of the program
	Heads         map[string]string         // of functions, as written
	Procs         map[string]*Routine       // procedures, while the file is read
	Lengths       map[*step.Type]*step.Expr // capacities that are written as a parameter
	Literal       map[*step.Type]bool       // or as a number
	Spawned       []*Identities
	Classes       []*Class
	IdentityNames []string // what the numbers of identities are called
	Tid           *step.Type
	References    map[string]*step.Type // by class
	futures       map[string]*step.Type // by type of the result
	Results       map[string]*step.Var  // of futures, by type
	ResultOrder   []string
	Life          *step.Var
	Mailboxes     []*Mailbox
	Crashed       map[string]*step.Var                      // thread.crashed, by thread
	Hide          func(name string, t *step.Type) *step.Var // makes hidden shared variables
	tallies       map[tallyKey]*step.Var
	Unrolled      int             // elements that all, any, count, sum and contains have been written out for
	Used          map[string]bool // parameters, functions and procedures that something mentions
	Faulty        map[string]bool // functions and procedures whose heads could not be read
	Unsure        bool            // a declaration could not be read, so that unknown names may be its
	Probes        int             // expressions looked at for their type alone
}

// NewTable is a table without declarations.
func NewTable() *Table {
	return &Table{primitives: map[string]*step.Type{}, SharedVars: map[string]*step.Var{},
		Params: map[string]*step.Param{}, Threads: map[string]bool{},
		Types: map[string]*step.Type{}, Heads: map[string]string{}, Funcs: map[string]*step.Func{},
		Procs: map[string]*Routine{}, Lengths: map[*step.Type]*step.Expr{}, Literal: map[*step.Type]bool{},
		References: map[string]*step.Type{}, futures: map[string]*step.Type{}, Results: map[string]*step.Var{},
		Used: map[string]bool{}, Faulty: map[string]bool{}, Crashed: map[string]*step.Var{},
		tallies: map[tallyKey]*step.Var{}}
}

// Checker checks expressions in a scope.
func (t *Table) Checker(r *syntax.Reporter, s Scope) *Checker {
	return &Checker{Reporter: r, Table: t, scope: s, sizes: map[*step.Expr]int{}, Chosen: map[*syntax.Expr]*step.Expr{}}
}

// IdentitiesOf finds the identities of what is started under a name, or nil.
func (t *Table) IdentitiesOf(name string) *Identities {
	return find(t.Spawned, func(p *Identities) bool { return p.Name == name })
}

// find is the first element for which a condition holds, nil if it holds for none.
func find[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// ClassNamed is the class of a name, or nil.
func (t *Table) ClassNamed(name string) *Class {
	return find(t.Classes, func(c *Class) bool { return c.Name == name })
}

// classesOf are the classes that a reference may be of.
func (t *Table) classesOf(typ *step.Type) (list []*Class) {
	for name := range strings.SplitSeq(typ.Ref, "|") {
		if c := t.ClassNamed(name); c != nil {
			list = append(list, c)
		}
	}
	return list
}

// MailboxOf is the mailbox of a thread, or nil.
func (t *Table) MailboxOf(thread string) *Mailbox {
	return find(t.Mailboxes, func(m *Mailbox) bool { return m.Thread == thread })
}

// IsMailbox reports whether a shared variable is one that no shared section declares.
func (t *Table) IsMailbox(v *step.Var) bool {
	return slices.ContainsFunc(t.Mailboxes, func(m *Mailbox) bool { return m.Var == v })
}

// IsCrashed reports whether a shared variable says who has crashed.
func (t *Table) IsCrashed(v *step.Var) bool {
	for _, c := range t.Crashed {
		if c == v {
			return true
		}
	}
	return false
}

// A Builder makes the nodes of a template, and knows the actor whose code they are.
type Builder struct {
	*build.Builder
	Actor  *ActorCode // in methods, which are steps from await to await
	Blocks int        // atomic blocks around, in methods
}

// NewBuilder is a builder for the code of a template; access makes each shared access a step.
func NewBuilder(t *step.Template, access bool) *Builder {
	return &Builder{Builder: build.New(t, access)}
}

// Split reports whether shared reads and writes are steps of their own here.
func (b *Builder) Split() bool { return b != nil && b.Builder.Split() }

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

// What comes into being while the program runs has an identity out of those of its declaration (a step.Pool): threads
// with parameters in a list, actors by their class, and tasks, the executions of a method, by the method. All together
// are numbered in one shared array that says how far they are; a reference is such a number, and 0 is null.

// Identities are the numbers of what is started under a name: instances of a thread, actors of a class, tasks of a
// method.
type Identities struct {
	Name     string
	Key      syntax.Key
	Size     int
	First    int // number of the first; from 1
	Params   []syntax.FieldExpr
	Types    []*step.Type // of the parameters; nil for faulty ones
	Result   *step.Type   // of a method
	Template *step.Template
	Class    *Class   // of actors and tasks
	Method   *Routine // of tasks
}

// startProcess emits the start of a process with given arguments. dst, if not nil, becomes its number.
func startProcess(x *Checker, e *syntax.Expr, p *Identities, args []*step.Expr, dst *step.Expr) {
	b := x.Builder
	n := step.Node{Kind: step.Spawn, Target: p.Template, Args: args, Dst: dst}
	if a := b.Actor; a != nil && b.decided(a) {
		// Which task of the actor gets here depends on its fields: what it starts is named after the actor, so that the
		// tasks may come in any order and still make the same.
		n.Maker, n.MakerOf = build.Ref(a.This, e.Pos), a.Class.Identities.Template
		tally := tallyOf(x.Table, e, a.Class, p)
		n.Counter = x.Make(e, step.Index, step.IntType, build.Ref(tally, e.Pos), build.Ref(a.This, e.Pos))
	} else {
		n.Counter = b.CheckedTemp(step.IntType, e.Pos)
	}
	b.Emit(n)
}

// tallyOf is the array in which actors count what they start at a place of the program, which may be written out
// several times.
func tallyOf(tab *Table, e *syntax.Expr, c *Class, p *Identities) *step.Var {
	key := tallyKey{c, p, e.Pos}
	if tab.tallies[key] == nil {
		tab.tallies[key] = tab.Hide(fmt.Sprintf("made_%s_%d", c.Name, len(tab.tallies)+1),
			&step.Type{Kind: step.Array, Elem: step.IntType, Len: c.Identities.Size})
	}
	return tab.tallies[key]
}

type tallyKey struct {
	class *Class
	ids   *Identities
	at    step.Pos
}

// decided reports whether the code so far has branched on more than the parameters.
func (b *Builder) decided(a *ActorCode) bool {
	return slices.ContainsFunc(b.Nodes, func(n *step.Node) bool { return n.Kind == step.Branch && !a.given(n.Cond) })
}

func (a *ActorCode) given(e *step.Expr) bool {
	return !e.Has(func(e *step.Expr) bool { return e.Op == step.VarRef && !a.Params[e.Var] })
}

// startArguments elaborates the arguments of a process to start; ok is false after an error.
func startArguments(x *Checker, e *syntax.Expr, p *Identities, from []*syntax.Expr) (args []*step.Expr, ok bool) {
	if len(from) != len(p.Types) {
		x.Fail(e, "", "%s takes %s, not %d", p.Name, syntax.Plural(len(p.Types), "argument"), len(from))
		return nil, false
	}
	for i, a := range from {
		if p.Types[i] == nil {
			return nil, false
		}
		v := x.Element(a, x.Assignable(a, p.Types[i]), p.Types[i])
		for _, later := range from[i+1:] {
			if x.Emits(later) {
				v = x.Spill(v)
			}
		}
		if v == nil {
			return nil, false
		}
		args = append(args, v)
	}
	return args, true
}

// checkSpawn elaborates spawn t(args), whose value is a tid.
func checkSpawn(x *Checker, e *syntax.Expr) *step.Expr {
	if !changesState(x, e) {
		return nil
	}
	p := x.IdentitiesOf(e.Name)
	if p == nil || p.Class != nil {
		var known []string
		for _, p := range x.Spawned {
			if p.Class == nil {
				known = append(known, p.Name)
			}
		}
		hint := syntax.DidYouMean(e.Name, known)
		if x.Threads[e.Name] {
			hint = "write its params as a list, params: [x int], so that it starts when it is spawned"
		}
		x.Report(e.NameAt, e.End, hint, "%s is not a thread that can be spawned", e.Name)
		return nil
	}
	x.Mention(syntax.Mention{Pos: e.NameAt, What: "thread", Name: p.Name}, nil)
	args, ok := startArguments(x, e, p, e.Args)
	if !ok {
		return nil
	}
	h := x.Builder.CheckedTemp(x.Tid, e.Pos)
	x.Builder.Unit(func() { startProcess(x, e, p, args, h) })
	return h
}

// isOver is the condition that what a tid or future stands for has come to its end. With null it holds, so that the
// check behind it fails.
func isOver(x *Checker, e *syntax.Expr, f *step.Expr) *step.Expr {
	if x.Life == nil { // nothing is ever started
		return equalsNothing(x, e, f)
	}
	return x.Make(e, step.Or, step.BoolType, equalsNothing(x, e, f), hasEnded(x, e, f))
}

// hasEnded is the condition that the life of what a tid or future stands for is over.
func hasEnded(x *Checker, e *syntax.Expr, f *step.Expr) *step.Expr {
	life := x.Make(e, step.Index, step.IntType, build.Ref(x.Life, e.Pos), f)
	return x.Make(e, step.Eq, step.BoolType, life, IntConst(e, step.EndedLife))
}

// checkDone reports whether what a tid or future stands for has come to its end; with null it is false.
func checkDone(x *Checker, e *syntax.Expr, f *step.Expr) *step.Expr {
	if x.Life == nil { // nothing is ever started
		return Constant(e, step.BoolType, 0)
	}
	return x.Read(hasEnded(x, e, f))
}

func equalsNothing(x *Checker, e *syntax.Expr, f *step.Expr) *step.Expr {
	return x.Make(e, step.Eq, step.BoolType, f, nullOf(e, f.Type))
}

// RequireNotNull emits a check that a reference is not null.
func RequireNotNull(x *Checker, e *syntax.Expr, f *step.Expr) {
	if c := equalsNothing(x, e, f); c != nil {
		c.Op = step.Ne
		x.Builder.Emit(step.Node{Kind: step.Check, Cond: c, Fault: step.NullValue})
	}
}

// WaitFor emits waiting for the end of what f stands for.
func WaitFor(x *Checker, e *syntax.Expr, f *step.Expr) {
	x.Builder.Unit(func() {
		BlockOf(x, e, isOver(x, e, f), true)
		RequireNotNull(x, e, f)
	})
}

// Waitable elaborates a tid or future to wait for.
func Waitable(x *Checker, e *syntax.Expr) *step.Expr {
	y := x
	if !x.Builder.Split() && !(x.Builder.Actor != nil && x.Emits(e)) {
		y = x.Pure()
	}
	f := x.SpillFor(e, y.Value(e, nil))
	if f != nil && !types.IsWaitable(f.Type) {
		hint := ""
		if e.Call != nil {
			hint = HabitMethod(f.Type, e.Call.Name)
		}
		return x.Fail(e, hint, "this is %s, but a thread or future to wait for is needed", types.String(f.Type))
	}
	return f
}

// memberOf is the constant A[3] of a reference, as constraints print it.
func memberOf(scope Scope, e *syntax.Expr, want *step.Type) *step.Expr {
	if !scope.numbers() || want == nil || want.Ref == "" || e.Args[1].Kind != syntax.EInt {
		return nil
	}
	i := slices.Index(want.Names, fmt.Sprintf("%s[%d]", describe(e.Args[0]), e.Args[1].Value))
	if i < 0 {
		return nil
	}
	return Constant(e, want, int64(i))
}

// Actors. The fields of a class are shared arrays with an element for each actor. An execution of a method is a task: a
// process that is started by a message. A task has its actor to itself and gives it up only where it waits, and no one
// else sees the fields; so all from one await to the next is one step, and no lock is needed.

// A Class is a class of actors.
type Class struct {
	Name       string
	Key        syntax.Key
	Identities *Identities
	Vars       map[string]*step.Var
	Order      []string
	Methods    map[string]*Identities
	Listed     []string
	Gets       bool      // some method holds its actor while it waits
	Busy       *step.Var // by actor: whether it is held; nil unless gets
}

// ActorCode has the facts on its actor that the code of a method needs.
type ActorCode struct {
	Class    *Class
	This, Me *step.Var // identity of the actor within its class, and as a reference
	Params   map[*step.Var]bool
}

// names reports whether a variable stands for the actor: it never changes.
func (a *ActorCode) names(v *step.Var) bool { return a != nil && (v == a.This || v == a.Me) }

// Held is the word that says whether a task holds the actor while it waits.
func (b *Builder) Held(x *Checker, at *syntax.Expr) *step.Expr {
	return x.Make(at, step.Index, step.BoolType, build.Ref(b.Actor.Class.Busy, at.Pos), build.Ref(b.Actor.This, at.Pos))
}

// BlockOf emits a wait. In a method it ends the step; the actor is free meanwhile, unless release is not set.
func BlockOf(x *Checker, e *syntax.Expr, cond *step.Expr, release bool) {
	b := x.Builder
	if cond == nil {
		return
	}
	if b.Actor == nil {
		b.Emit(step.Node{Kind: step.Await, Cond: cond})
		return
	}
	if release && b.Actor.Class.Busy != nil {
		cond = x.Make(e, step.And, step.BoolType, x.Make(e, step.Not, step.BoolType, b.Held(x, e)), cond)
	}
	if n := b.Emit(step.Node{Kind: step.Await, Cond: cond}); b.Blocks == 0 {
		n.Visible = true
	}
}

// classField is a field of all actors of a class, C.f, or of the only one, C.one().f, as properties ask for it.
func classField(x *Checker, e *syntax.Expr) (v *step.Expr, is bool) {
	of := e.Args[0]
	one := of.Kind == syntax.EMethod && of.Name == "one" && len(of.Args) == 1
	if one {
		of = of.Args[0]
	}
	if of.Kind != syntax.EName || !x.scope.shared() {
		return nil, false
	}
	if m := x.MailboxOf(of.Name); m != nil && m.Var == nil && e.Name == "mailbox" {
		return nil, true // its declaration is faulty
	}
	field := x.SharedVars[of.Name+"."+e.Name]
	c := x.ClassNamed(of.Name)
	switch {
	case field == nil && c == nil:
		return nil, false
	case x.scope.thread() && field != nil && x.IsMailbox(field):
		return x.Fail(e, "its owner takes messages with receive", "a mailbox can be read only by properties"), true
	case x.scope.thread() && field != nil && x.IsCrashed(field):
		return x.Fail(e, "", "only properties can ask whether a thread has crashed"), true
	case x.scope.thread():
		return x.Fail(e, "send it a message", "the fields of an actor are its own"), true
	case field == nil:
		x.Report(e.NameAt, e.End, syntax.DidYouMean(e.Name, c.Order), "%s has no field %s", c.Name, e.Name)
		return nil, true
	}
	if c != nil {
		x.Mention(c.Mention(of.Pos), nil)
	}
	x.Mention(syntax.Mention{Pos: e.NameAt, What: "field", Name: e.Name, Decl: field.Pos}, field.Type.Elem)
	switch {
	case !one:
		return build.Ref(field, e.Pos), true
	case c == nil:
		return nil, false
	}
	// The index is -1, an error, unless exactly one actor exists.
	index, count := IntConst(e, -1), IntConst(e, 0)
	for i := c.Identities.Size - 1; i >= 0; i-- {
		life := x.Make(e, step.Index, step.IntType, build.Ref(x.Life, e.Pos), IntConst(e, int64(c.Identities.First+i)))
		exists := x.Make(e, step.Ne, step.BoolType, life, IntConst(e, 0))
		index = x.Make(e, step.Cond, step.IntType, exists, IntConst(e, int64(i)), index)
		count = x.Make(e, step.Add, step.IntType, count,
			x.Make(e, step.Cond, step.IntType, exists, IntConst(e, 1), IntConst(e, 0)))
	}
	index = x.Make(e, step.Cond, step.IntType, x.Make(e, step.Eq, step.BoolType, count, IntConst(e, 1)),
		index, IntConst(e, -1))
	return x.Make(e, step.Index, field.Type.Elem, build.Ref(field, e.Pos), index), true
}
