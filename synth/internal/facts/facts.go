// Package facts has what holds in every reachable state, gives it to questions, and lists what they have used.
package facts

import (
	"context"
	"maps"
	"slices"
	"strings"

	"cdpor/constraints"
	"cdpor/lang/slice"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/reachable"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/term"
)

// Facts hold in every reachable state, and conditions are asked for in reachable states only: explorers evaluate them
// where two steps stand side by side in a state that some execution has (explore/THEORY.md, "Independence" and
// "Happens-before"). So states in which a fact is false are don't-cares, and a condition says nothing that only tells
// them apart. There are two kinds of them about one variable, and two about steps: locks.go and
// ownfacts.go.
//
// What the code of a thread, its parameters and its number say about its locals at a step, whatever the shared
// variables hold, is part of the meaning of the step: questions assume it throughout, also with Options.AnyState.
//
// Ranges of the shared variables, and of the locals if these are known, depend on the initial state and on all threads
// together. Options.AnyState uses them to exclude run-time errors only, above all indices out of range.
//
// Both enter tables as bounds of symbols and as relations between two symbols, never as decisions of a run, so cubes
// and cells do not see them.
//
// For the uniform family this is right as well. Forward and backward are used along executions, so it is enough that
// they hold in reachable states s; and with s, s.q is reachable. Therefore facts may be assumed of s, and of what q
// writes (AssumeRanges), whether or not a step by itself preserves them: that they hold in all reachable states is
// proved once, by the package reachable. A state that is not reachable may violate both, and no search ever sees it.
//
// What was used is remembered, for the file: its lines under "assuming" are for people, and check proves each of them
// (doubt). No question believes them; it believes the ranges found in the program at hand, with its parameters.
type Facts struct {
	Prog  *step.Program
	Local map[Key][]span.Span // by instance, in the order of the actor's processes; an empty span: never there
	Each  map[Key]*step.Expr  // "the local has this value in each instance", where that is so and can be said
	Wide  map[Key]span.Span   // with the ranges of shared variables
	Both  []Key               // those of wide that are about two steps
	asTwo bool                // they are assumed
	// Whether wide is assumed; if not, it only excludes run-time errors.
	Assume bool
	// The analysis that wide comes from.
	together *reachable.Analysis
	frames   []*reachable.Frame
	Held     map[*step.Step][]*step.Expr // the mutexes that a process holds at a step, see locks.go
	Used     Uses
	// Keys of wide that were asked for, whether there is something and whether it was of use.
	Asked map[Key]bool
}

// A Key is a field of a variable at a step; at is nil for shared variables. Without a variable it is the mutex
// with the number off among those that are held at the step. With is where another process stands, nil if that does not
// matter.
type Key struct {
	At   *step.Step
	V    *step.Var
	Off  int
	With *step.Step
}

// Uses are the keys of facts that were used: of local and each, and of wide.
type Uses struct{ Local, Wide map[Key]bool }

func NewUses() Uses { return Uses{map[Key]bool{}, map[Key]bool{}} }

func (u Uses) Add(v Uses) {
	maps.Copy(u.Local, v.Local)
	maps.Copy(u.Wide, v.Wide)
}

// Noting does some work and returns what it uses, which counts if that is added to Used.
func (k *Facts) Noting(work func()) Uses {
	u := NewUses()
	k.Using(u, work)
	return u
}

// Using does some work and notes there what it uses.
func (k *Facts) Using(u Uses, work func()) {
	before := k.Used
	k.Used = u
	work()
	k.Used = before
}

// Name is that of the variable; no variable is called $held.
func (k Key) Name() string {
	if k.V == nil {
		return "$held"
	}
	return k.V.Name
}

// typ is the type of what a fact is about.
func (k Key) typ() *step.Type { return reachable.FieldAt(k.V.Type, k.Off) }

// Find finds the facts of a program. The error is that of the context, which has ended.
func Find(ctx context.Context, prog *step.Program, actors map[*step.Template]*term.Actor, meet *slice.Parallel) (
	*Facts, error) {
	k := &Facts{Prog: prog, Local: map[Key][]span.Span{}, Each: map[Key]*step.Expr{},
		Wide: map[Key]span.Span{},
		Used: NewUses(), Asked: map[Key]bool{}}
	_, alone, err := reachable.Analyse(ctx, prog, false, nil)
	if err != nil {
		return nil, err
	}
	together, frames, err := reachable.Analyse(ctx, prog, true, meet.Possible)
	if err != nil {
		return nil, err
	}
	k.together, k.frames = together, frames
	k.findHeld(meet)
	for f, s := range together.Shared {
		s = small(reachable.FieldAt(f.V.Type, f.Off), s)
		if key := (Key{V: f.V, Off: f.Off}); listable(key) && !s.Empty() && s != reachable.Leaf(key.typ()) {
			k.Wide[key] = s
		}
	}
	for _, t := range prog.Templates {
		for _, s := range t.Steps {
			live := t.LiveIn(s.Entry)
			for _, v := range t.Locals {
				if !v.IsLive(live) {
					continue
				}
				for _, f := range reachable.Fields(v.Type) {
					k.findLocal(Key{At: s, V: v, Off: f.Off}, alone, frames, actors[t].Procs)
				}
			}
		}
	}
	k.findStepFacts(meet)
	return k, nil
}

// findLocal finds what is known about a local at a step.
func (k *Facts) findLocal(key Key, alone, together []*reachable.Frame, procs []*step.Proc) {
	if !listable(key) {
		return
	}
	all, whole := instancesAt(alone, key, procs)
	if _, wide := instancesAt(together, key, procs); !wide.Empty() && wide != reachable.Leaf(key.typ()) {
		k.Wide[key] = wide
	}
	if !whole.Empty() {
		k.Local[key] = all
		if e := k.perInstance(key, procs); e != nil {
			k.Each[key] = e
		}
	}
}

// instancesAt is the range of a local in each instance, and in all of them.
func instancesAt(frames []*reachable.Frame, key Key, procs []*step.Proc) (all []span.Span, whole span.Span) {
	whole = span.None
	for _, p := range procs {
		f, one := frames[p.Index], span.None
		if f.Reaches(key.At.Entry) {
			one, _ = f.Before(key.At.Entry, reachable.Field{V: key.V, Off: key.Off})
			one = small(key.typ(), one)
		}
		all = append(all, one)
		whole = whole.Join(one)
	}
	return
}

// small is a range without large numbers of a type that wraps around: sums with these are too large to compute with.
func small(t *step.Type, s span.Span) span.Span {
	const large = 1 << 40
	all := reachable.Leaf(t)
	switch {
	case t.Kind != step.Sized:
		return s
	case s.Lo > large || s.Hi < -large:
		return all
	case s.Lo < -large:
		s.Lo = all.Lo
	}
	if s.Hi > large {
		s.Hi = all.Hi
	}
	return s
}

// bounds is what is known about the words of a local.
func (k *Facts) bounds(key Key) (span.Span, bool) {
	if key.At == nil {
		return span.Any, false
	}
	all, ok := k.Local[key]
	if !ok {
		return span.Any, false
	}
	whole := span.None
	for _, s := range all {
		whole = whole.Join(s)
	}
	return whole, whole != reachable.Leaf(key.typ()) && whole != span.Any
}

// values is the value of a scalar local in each instance, if it is known.
func (k *Facts) values(key Key) []int64 {
	if k.Each[key] == nil {
		return nil
	}
	return valuesOf(k.Local[key])
}

func valuesOf(all []span.Span) []int64 {
	var list []int64
	for _, s := range all {
		if !s.Single() || !s.Finite() {
			return nil
		}
		list = append(list, s.Lo)
	}
	return list
}

// Doubt tells why it is not proved that a fact holds in every reachable state; empty if it is.
func (k *Facts) Doubt(f *constraints.Fact) string {
	open := "the ranges of the variables do not show that it holds in every reachable state"
	if f.At != nil {
		parts := slices.DeleteFunc(slices.Clone(expr.Conjuncts(f.That)), func(e *step.Expr) bool {
			return k.proves(f.At, e)
		})
		if len(parts) == 0 {
			return ""
		}
		rest := *f
		rest.That = expr.Join(step.And, parts)
		f = &rest
	}
	if f.At == nil || f.With != nil {
		is, known := k.together.Decides(f.That)
		if f.With != nil {
			is, known = k.together.DecidesBeside(f.At, f.With, f.That)
		}
		switch {
		case !known:
			return open
		case !is:
			return "it is false in every reachable state"
		}
		return ""
	}
	for _, fr := range k.frames {
		if fr.Process.Template != f.At.Template || !fr.Reaches(f.At.Entry) {
			continue
		}
		switch is, known := fr.DecidesAt(f.At.Entry, f.That); {
		case !known:
			return open
		case !is:
			return "it is false for " + fr.Process.Name
		}
	}
	return ""
}

// List prints the facts that were used: those about shared variables first, then by step.
func (k *Facts) List() []*constraints.Fact {
	var all []*constraints.Fact
	for _, v := range k.Prog.Shared {
		for _, f := range reachable.Fields(v.Type) {
			if parts := k.text(Key{V: v, Off: f.Off}); parts != nil {
				all = append(all, &constraints.Fact{That: expr.Join(step.And, parts)})
			}
		}
	}
	for _, t := range k.Prog.Templates {
		for _, s := range t.Steps {
			var parts []*step.Expr
			for _, v := range slices.Concat(t.Locals, k.Prog.Shared) {
				for _, f := range reachable.Fields(v.Type) {
					parts = append(parts, k.text(Key{At: s, V: v, Off: f.Off})...)
				}
			}
			if parts = append(parts, k.heldText(s)...); len(parts) > 0 {
				all = append(all, &constraints.Fact{At: s, That: expr.Join(step.And, parts)})
			}
		}
	}
	for _, key := range k.Both {
		if parts := k.text(key); parts != nil {
			all = append(all, &constraints.Fact{At: key.At, With: key.With, That: expr.Join(step.And, parts)})
		}
	}
	return all
}

// maxListed is how many instances may have their values listed one by one.
const maxListed = 16

// text prints what is known about a variable, nothing if it was not used or nothing is.
func (k *Facts) text(key Key) []*step.Expr {
	s, known := k.bounds(key)
	known = known && k.Used.Local[key]
	if wide, is := k.Wide[key]; is && k.Used.Wide[key] {
		s, known = wide, true
	}
	each := k.Each[key]
	if each == nil || !k.Used.Local[key] || s.Single() {
		each = nil
	}
	if !known && each == nil { // the type may say as much of the range
		return nil
	}
	of := step.Own
	if key.At != nil {
		of = step.P
	}
	v := &step.Expr{Op: step.VarRef, Type: key.V.Type, Of: of, Var: key.V}
	if each != nil {
		return []*step.Expr{expr.New(step.Eq, step.BoolType, v, each)}
	}
	if key.At != nil && key.V.Shared {
		if index := k.together.OwnIndex(key.V, key.Off, key.At.Template); index != nil {
			return expr.Conjuncts(k.word(key.At, ownWord(v, key.Off, aboutP(index)), s))
		}
	}
	return k.words(key.At, v, key.Off, s)
}

// words prints the range of each word of a field: of arrays, which the language has no way to speak about as a whole,
// each element; what is said of all that is in a collection is one condition. Of the values of maps files do not tell,
// nor of what is in larger collections.
func (k *Facts) words(at *step.Step, v *step.Expr, off int, s span.Span) (list []*step.Expr) {
	element := func(i int) *step.Expr { return expr.New(step.Index, v.Type.Elem, v, expr.Number(int64(i))) }
	switch t := v.Type; {
	case t.Kind == step.Array:
		for i := range t.Len {
			list = append(list, k.words(at, element(i), off, s)...)
		}
		return list
	case t.Kind == step.Record:
		i := reachable.FieldBefore(t, off)
		x := expr.New(step.Part, t.Fields[i].Type, v)
		x.Field = i
		return k.words(at, x, off-t.FieldAt(i), s)
	case t.Kind == step.Option && off > 0:
		return k.words(at, expr.New(step.Unwrap, t.Elem, v), off-1, s)
	case t.Kind == step.Option:
		v = expr.New(step.Present, step.BoolType, v)
	case t.Counted() && off == 0:
		v = expr.New(step.Size, step.IntType, v)
	case t.Counted():
		if t.Kind == step.Map || t.Len > maxListed {
			return nil
		}
		for i := range t.Len {
			list = append(list, k.words(at, element(i), off-1, s)...)
		}
		if list == nil {
			return nil
		}
		return []*step.Expr{expr.Join(step.And, list)}
	}
	return expr.Conjuncts(k.word(at, v, s))
}

// listable reports whether a fact about a field can be written down, in a reasonable length.
func listable(key Key) bool {
	if key.At == nil && strings.HasPrefix(key.V.Name, "$") { // has no name in the language
		return false
	}
	words := 1
	for t, off := key.V.Type, key.Off; ; {
		switch t.Kind {
		case step.Array:
			words, t = words*t.Len, t.Elem
		case step.Record:
			i := reachable.FieldBefore(t, off)
			t, off = t.Fields[i].Type, off-t.FieldAt(i)
		case step.Option:
			if off == 0 {
				return words > 0 && words <= maxListed
			}
			t, off = t.Elem, off-1
		default:
			return words > 0 && words <= maxListed
		}
	}
}

// word prints the range of a word; that of the value of an option where there is one, and of an element where there are
// as many.
func (k *Facts) word(at *step.Step, v *step.Expr, s span.Span) *step.Expr {
	e := k.scalar(at, v, s)
	for x := v; x.Op != step.VarRef; x = x.Args[0] {
		var there *step.Expr
		switch {
		case x.Op == step.Unwrap:
			there = expr.New(step.Present, step.BoolType, x.Args[0])
		case x.Op == step.Index && x.Args[0].Type.Counted():
			there = expr.New(step.Gt, step.BoolType, expr.New(step.Size, step.IntType, x.Args[0]), x.Args[1])
		default:
			continue
		}
		e = expr.New(step.Or, step.BoolType, expr.New(step.Not, step.BoolType, there), e)
	}
	return e
}

// scalar prints the range of a word. A bound that the code compares the variable with, or assigns to it, under the
// name of a parameter is printed with that name.
func (k *Facts) scalar(at *step.Step, v *step.Expr, s span.Span) *step.Expr {
	bound := func(value int64) *step.Expr {
		if value != 0 && v.Op == step.VarRef {
			if c := k.named(at, v.Var, value); c != nil {
				return c
			}
		}
		return expr.Number(value)
	}
	switch {
	case v.Type.Kind == step.Bool:
		return expr.When(v, s.Lo == 1)
	case v.Type.Kind == step.Enum:
		return enumFact(v, s)
	case s.Single():
		return expr.New(step.Eq, step.BoolType, v, bound(s.Lo))
	}
	of := reachable.Leaf(v.Type)
	if v.Op == step.Size {
		of = reachable.Leaf(v.Args[0].Type)
	}
	var parts []*step.Expr
	if s.Lo > of.Lo {
		parts = append(parts, expr.New(step.Ge, step.BoolType, v, bound(s.Lo)))
	}
	if s.Hi < of.Hi {
		parts = append(parts, expr.New(step.Le, step.BoolType, v, bound(s.Hi)))
	}
	return expr.Join(step.And, parts)
}

// Value is a value of a shared variable, with the name that the program gives it there.
func (k *Facts) Value(v *step.Var, value int64) *step.Expr {
	switch c := k.named(nil, v, value); {
	case v.Type.Kind == step.Enum:
		return &step.Expr{Op: step.Const, Type: v.Type, Of: step.Own, Words: []int64{value}, Name: v.Type.Names[value]}
	case c != nil && value != 0:
		return c
	}
	return expr.Number(value)
}

// named finds a named constant of some value that a variable is compared with, or that is assigned to it; what other
// threads do counts only if it is shared.
func (k *Facts) named(at *step.Step, v *step.Var, value int64) (found *step.Expr) {
	is := func(x *step.Expr) bool { return x.Var == v }
	constant := func(x *step.Expr) bool {
		return x.Op == step.Const && x.Name != "" && x.Type.Numeric() && x.Words[0] == value
	}
	visit := func(x *step.Expr) {
		for i := range x.Args {
			if x.Op >= step.Eq && x.Op <= step.Ge && is(x.Args[i]) && found == nil {
				found = beside(x.Args[1-i], constant)
			}
		}
	}
	for _, t := range k.Prog.Templates {
		if at != nil && at.Template != t {
			continue
		}
		for _, n := range t.Nodes {
			if n.Dst != nil && is(n.Dst) && found == nil {
				found = beside(n.Src, constant)
			}
			n.Src.Walk(visit)
			n.Cond.Walk(visit)
		}
	}
	return found
}

// beside is the first part of an expression that is something, indices aside; nil if there is none.
func beside(e *step.Expr, is func(*step.Expr) bool) *step.Expr {
	switch {
	case e == nil:
		return nil
	case is(e):
		return e
	}
	for i, a := range e.Args {
		if e.Op == step.Index && i > 0 {
			break
		}
		if x := beside(a, is); x != nil {
			return x
		}
	}
	return nil
}

func enumFact(v *step.Expr, s span.Span) *step.Expr {
	var parts []*step.Expr
	if v.Type.Ref != "" && s.Lo == 1 && s.Hi == int64(len(v.Type.Names)-1) {
		null := &step.Expr{Op: step.Const, Type: v.Type, Of: step.Own, Words: []int64{0}, Name: "null"}
		return expr.New(step.Ne, step.BoolType, v, null)
	}
	member := func(i int64) *step.Expr {
		return &step.Expr{Op: step.Const, Type: v.Type, Of: step.Own, Words: []int64{i}, Name: v.Type.Names[i]}
	}
	if v.Type.Ref != "" && s.Lo > 0 && !s.Single() {
		return expr.New(step.And, step.BoolType, expr.New(step.Ge, step.BoolType, v, member(s.Lo)),
			expr.New(step.Le, step.BoolType, v, member(s.Hi)))
	}
	for i := s.Lo; i <= s.Hi; i++ {
		parts = append(parts, expr.New(step.Eq, step.BoolType, v, member(i)))
	}
	return expr.Join(step.Or, parts)
}

// perInstance prints the value of a local that depends on the instance only: what the program says that a parameter is,
// such as (self + 1) % N, self + 1, or what the program assigns, or else self == 0 ? 1 : self == 1 ? 2 : 0.
func (k *Facts) perInstance(key Key, procs []*step.Proc) *step.Expr {
	values := valuesOf(k.Local[key])
	if values == nil || !key.V.Type.Numeric() {
		return nil
	}
	same := func(e *step.Expr) bool {
		for i, p := range procs {
			if reachable.Value(p, e) != span.Only(values[i]) {
				return false
			}
		}
		return true
	}
	if given := key.V.Given; given != nil && given.Op != step.Const && same(given) {
		return ofP(given)
	}
	self := &step.Expr{Op: step.Self, Type: step.IntType, Of: step.P}
	distance, linear, sum, mirrored := values[0]-procs[0].Self, true, values[0]+procs[0].Self, true
	for i, p := range procs {
		linear = linear && values[i]-p.Self == distance
		mirrored = mirrored && values[i]+p.Self == sum
	}
	switch {
	case mirrored && !linear:
		return expr.New(step.Sub, step.IntType, expr.Number(sum), self)
	case linear && distance == 0:
		return self
	case linear && distance > 0:
		return expr.New(step.Add, step.IntType, self, expr.Number(distance))
	case linear:
		return expr.New(step.Sub, step.IntType, self, expr.Number(-distance))
	}
	for _, n := range key.At.Template.Nodes {
		if n.Kind == step.Assign && n.Dst.Op == step.VarRef && n.Dst.Var == key.V && closed(n.Src) && same(n.Src) {
			return ofP(n.Src)
		}
	}
	if len(values) > maxListed {
		return nil
	}
	last := expr.Number(values[len(values)-1])
	for i := len(values) - 2; i >= 0; i-- {
		last = expr.New(step.Cond, step.IntType, expr.New(step.Eq, step.BoolType, self, expr.Number(procs[i].Self)),
			expr.Number(values[i]), last)
	}
	return last
}

// closed reports whether an expression is made of numbers and self only.
func closed(e *step.Expr) bool {
	switch e.Op {
	case step.Const, step.Self:
		return e.Type.Numeric()
	case step.Neg, step.Add, step.Sub, step.Mul, step.Div, step.Mod:
		return !slices.ContainsFunc(e.Args, func(a *step.Expr) bool { return !closed(a) })
	}
	return false
}

// ofP is a closed expression of a program as one about the process P.
func ofP(e *step.Expr) *step.Expr {
	c := e.With(ofP)
	if c.Op == step.Self {
		c.Of = step.P
	}
	return c
}

// Mentions are the variables in the code of steps.
func Mentions(steps ...*step.Step) map[*step.Var]bool {
	vars := map[*step.Var]bool{}
	visit := func(x *step.Expr) {
		if x.Var != nil {
			vars[x.Var] = true
		}
	}
	for _, s := range steps {
		for _, i := range s.Nodes {
			n := s.Template.Nodes[i]
			for _, x := range append([]*step.Expr{n.Cond, n.Src, n.Dst, n.Counter, n.Maker}, n.Args...) {
				x.Walk(visit)
			}
			if n.Kind == step.Spawn {
				vars[n.Target.Pool.Life] = true
				for _, v := range n.Target.Pool.Fields {
					vars[v] = true
				}
			}
		}
	}
	return vars
}
