package check

import (
	"fmt"
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

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
	for _, n := range b.Nodes {
		if n.Kind == step.Branch && !a.given(n.Cond) {
			return true
		}
	}
	return false
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
	null := Constant(e, f.Type, 0)
	null.Name = "null"
	return x.Make(e, step.Eq, step.BoolType, f, null)
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
	f := spillIf(x, x.Emits(e), y.Value(e, nil))
	if f != nil && !types.IsWaitable(f.Type) {
		hint := ""
		if e.Call != nil {
			hint = HabitMethod(f.Type, e.Call.Name)
		}
		return x.Fail(e, hint, "this is %s, but a thread or future to wait for is needed", types.String(f.Type))
	}
	return f
}

func spillIf(x *Checker, really bool, v *step.Expr) *step.Expr {
	if really {
		return x.Spill(v)
	}
	return v
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
