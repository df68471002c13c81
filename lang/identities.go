package lang

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

type identities struct {
	name   string
	key    syntax.Key
	size   int
	first  int // number of the first; from 1
	params []syntax.FieldExpr
	types  []*step.Type // of the parameters; nil for faulty ones
	result *step.Type   // of a method
	tmpl   *step.Template
	class  *class   // of actors and tasks
	method *routine // of tasks
}

// start emits the start of a process with given arguments. dst, if not nil, becomes its number.
func (x *checker) start(e *syntax.Expr, p *identities, args []*step.Expr, dst *step.Expr) {
	b := x.builder
	n := step.Node{Kind: step.Spawn, Target: p.tmpl, Args: args, Dst: dst}
	if a := b.actor; a != nil && b.decided(a) {
		// Which task of the actor gets here depends on its fields: what it starts is named after the actor, so that the
		// tasks may come in any order and still make the same.
		n.Maker, n.MakerOf = build.Ref(a.this, e.Pos), a.class.ids.tmpl
		tally := x.tally(e, a.class, p)
		n.Counter = x.make(e, step.Index, step.IntType, build.Ref(tally, e.Pos), build.Ref(a.this, e.Pos))
	} else {
		n.Counter = b.CheckedTemp(step.IntType, e.Pos)
	}
	b.Emit(n)
}

// tally is the array in which actors count what they start at a place of the program, which may be written out several
// times.
func (x *checker) tally(e *syntax.Expr, c *class, p *identities) *step.Var {
	key := tallyKey{c, p, e.Pos}
	if x.tallies[key] == nil {
		x.tallies[key] = x.hide(fmt.Sprintf("made_%s_%d", c.name, len(x.tallies)+1), &step.Type{Kind: step.Array, Elem: step.IntType, Len: c.ids.size})
	}
	return x.tallies[key]
}

type tallyKey struct {
	class *class
	ids   *identities
	at    step.Pos
}

// decided reports whether the code so far has branched on more than the parameters.
func (b *builder) decided(a *actorCode) bool {
	for _, n := range b.Nodes {
		if n.Kind == step.Branch && !a.given(n.Cond) {
			return true
		}
	}
	return false
}

func (a *actorCode) given(e *step.Expr) bool {
	if e.Op == step.VarRef && !a.params[e.Var] {
		return false
	}
	for _, arg := range e.Args {
		if !a.given(arg) {
			return false
		}
	}
	return true
}

// starts elaborates the arguments of a process to start; ok is false after an error.
func (x *checker) starts(e *syntax.Expr, p *identities, from []*syntax.Expr) (args []*step.Expr, ok bool) {
	if len(from) != len(p.types) {
		x.fail(e, "", "%s takes %s, not %d", p.name, syntax.Plural(len(p.types), "argument"), len(from))
		return nil, false
	}
	for i, a := range from {
		if p.types[i] == nil {
			return nil, false
		}
		v := x.element(a, x.assignable(a, p.types[i]), p.types[i])
		for _, later := range from[i+1:] {
			if x.emits(later) {
				v = x.spill(v)
			}
		}
		if v == nil {
			return nil, false
		}
		args = append(args, v)
	}
	return args, true
}

// spawn elaborates spawn t(args), whose value is a tid.
func (x *checker) spawn(e *syntax.Expr) *step.Expr {
	if !x.changes(e) {
		return nil
	}
	p := x.identitiesOf(e.Name)
	if p == nil || p.class != nil {
		var known []string
		for _, p := range x.spawned {
			if p.class == nil {
				known = append(known, p.name)
			}
		}
		hint := syntax.DidYouMean(e.Name, known)
		if x.threads[e.Name] {
			hint = "write its params as a list, params: [x int], so that it starts when it is spawned"
		}
		x.Report(e.NameAt, e.End, hint, "%s is not a thread that can be spawned", e.Name)
		return nil
	}
	x.Mention(syntax.Mention{Pos: e.NameAt, What: "thread", Name: p.name}, nil)
	args, ok := x.starts(e, p, e.Args)
	if !ok {
		return nil
	}
	h := x.builder.CheckedTemp(x.tid, e.Pos)
	x.builder.Unit(func() { x.start(e, p, args, h) })
	return h
}

// over is the condition that what a tid or future stands for has come to its end. With null it holds, so that the check
// behind it fails.
func (x *checker) over(e *syntax.Expr, f *step.Expr) *step.Expr {
	if x.life == nil { // nothing is ever started
		return x.isNull(e, f)
	}
	return x.make(e, step.Or, step.BoolType, x.isNull(e, f), x.ended(e, f))
}

// ended is the condition that the life of what a tid or future stands for is over.
func (x *checker) ended(e *syntax.Expr, f *step.Expr) *step.Expr {
	life := x.make(e, step.Index, step.IntType, build.Ref(x.life, e.Pos), f)
	return x.make(e, step.Eq, step.BoolType, life, intConst(e, step.EndedLife))
}

// done says whether what a tid or future stands for has come to its end; with null it is false.
func (x *checker) done(e *syntax.Expr, f *step.Expr) *step.Expr {
	if x.life == nil { // nothing is ever started
		return constant(e, step.BoolType, 0)
	}
	return x.read(x.ended(e, f))
}

func (x *checker) isNull(e *syntax.Expr, f *step.Expr) *step.Expr {
	null := constant(e, f.Type, 0)
	null.Name = "null"
	return x.make(e, step.Eq, step.BoolType, f, null)
}

func (x *checker) notNull(e *syntax.Expr, f *step.Expr) {
	if c := x.isNull(e, f); c != nil {
		c.Op = step.Ne
		x.builder.Emit(step.Node{Kind: step.Check, Cond: c, Fault: step.NullValue})
	}
}

// wait emits waiting for the end of what f stands for.
func (x *checker) wait(e *syntax.Expr, f *step.Expr) {
	x.builder.Unit(func() {
		x.block(e, x.over(e, f), true)
		x.notNull(e, f)
	})
}

// waitable elaborates a tid or future to wait for.
func (x *checker) waitable(e *syntax.Expr) *step.Expr {
	y := x
	if !x.builder.split() && !(x.builder.actor != nil && x.emits(e)) {
		y = x.pure()
	}
	f := x.spillIf(x.emits(e), y.value(e, nil))
	if f != nil && !types.IsWaitable(f.Type) {
		return x.fail(e, "", "this is %s, but a thread or future to wait for is needed", types.String(f.Type))
	}
	return f
}

func (x *checker) spillIf(really bool, v *step.Expr) *step.Expr {
	if really {
		return x.spill(v)
	}
	return v
}

// member is the constant A[3] of a reference, as constraints print it.
func (x *checker) member(e *syntax.Expr, want *step.Type) *step.Expr {
	if !x.scope.numbers() || want == nil || want.Ref == "" || e.Args[1].Kind != syntax.EInt {
		return nil
	}
	i := slices.Index(want.Names, fmt.Sprintf("%s[%d]", describe(e.Args[0]), e.Args[1].Value))
	if i < 0 {
		return nil
	}
	return constant(e, want, int64(i))
}
