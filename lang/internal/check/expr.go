package check

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Checker checks expressions of one place of the program and translates them. With a builder, operations with an
// effect are emitted as nodes, left to right; without one they are errors.
type Checker struct {
	*syntax.Reporter
	*Table
	scope   Scope
	Key     string // that the expression stands under, for messages
	Builder *Builder
	Bound   []Binding          // variables of all(x, ...) and its kin
	sizes   map[*step.Expr]int // sizes as trees; absent means 1
	// chosen are the values of any(...), which are made before the step that uses them.
	Chosen map[*syntax.Expr]*step.Expr
}

// A Binding is a name that an expression binds, such as the variable of a quantifier, and what it stands for.
type Binding struct {
	Name string
	At   step.Pos // of its declaration
	Expr *step.Expr
}

// What an expression may grow to when it is written out.
const (
	maxExprSize = 20000
	maxUnrolled = 200000
	maxProbes   = 20000
)

// Fail reports an error at an expression, and is nil.
func (x *Checker) Fail(e *syntax.Expr, hint, format string, args ...any) *step.Expr {
	x.Report(e.Pos, e.End, hint, format, args...)
	return nil
}

// Make builds a tree node; nil if an argument is nil or the tree gets too large.
func (x *Checker) Make(at *syntax.Expr, op step.Op, t *step.Type, args ...*step.Expr) *step.Expr {
	size := 1
	for _, a := range args {
		if a == nil {
			return nil
		}
		size += max(1, x.sizes[a])
	}
	if size > maxExprSize {
		return x.Fail(at, "", "the expression is too large when written out")
	}
	e := &step.Expr{Op: op, Type: t, Pos: at.Pos, Args: args, Of: step.Own}
	x.sizes[e] = size
	return e
}

// Constant is a constant of a type, given as words.
func Constant(at *syntax.Expr, t *step.Type, words ...int64) *step.Expr {
	return &step.Expr{Op: step.Const, Type: t, Pos: at.Pos, Words: words, Of: step.Own}
}

// IntConst is a number.
func IntConst(at *syntax.Expr, v int64) *step.Expr { return Constant(at, step.IntType, v) }

// Pure is the same place with operations that have an effect forbidden.
func (x *Checker) Pure() *Checker {
	y := *x
	y.Builder = nil
	return &y
}

// Emits reports whether evaluating emits nodes, so that what was evaluated before must be put aside.
func (x *Checker) Emits(e *syntax.Expr) bool {
	if x.Builder == nil || e == nil {
		return false
	}
	switch {
	case e.Kind == syntax.ERecv, e.Kind == syntax.EMethod && e.Name == "try_acquire", IsGet(e),
		e.Kind == syntax.ESpawn, e.Kind == syntax.ENew, e.Kind == syntax.ESend, e.Kind == syntax.EAwait:
		return true
	case e.Kind == syntax.ECall && slices.Contains(EffectCalls, e.Name),
		e.Kind == syntax.EMethod && e.Name == "pop",
		e.Kind == syntax.EUnary && e.Name == "trylock",
		e.Kind == syntax.EName && x.Builder.Split() && x.SharedVars[e.Name] != nil:
		return true
	}
	return slices.ContainsFunc(e.Args, x.Emits) || slices.ContainsFunc(e.Keys, x.Emits)
}

// EffectCalls are the functions that change their first argument.
var EffectCalls = []string{"cas", "fetch_add", "swap"}

// Spill puts a value aside in a temporary.
func (x *Checker) Spill(v *step.Expr) *step.Expr {
	if v == nil || x.Builder == nil || v.Op == step.Const || v.Op == step.Self || v.Op == step.Me {
		return v
	}
	if v.Op == step.VarRef && !v.Var.Shared && (v.Var.Temp || x.scope.readonly(v.Var) != "") {
		return v // it does not change while the expression is evaluated
	}
	t := x.Builder.Temp(v.Type, v.Pos)
	x.Builder.Assign(t, v)
	return t
}

// SpillFor puts a value aside if evaluating an expression behind it emits nodes.
func (x *Checker) SpillFor(behind *syntax.Expr, v *step.Expr) *step.Expr {
	if x.Emits(behind) {
		return x.Spill(v)
	}
	return v
}

// SpillIndicesFor puts the indices of a place aside if evaluating an expression behind it emits nodes.
func (x *Checker) SpillIndicesFor(behind *syntax.Expr, p *step.Expr) *step.Expr {
	if x.Emits(behind) {
		return x.SpillIndices(p)
	}
	return p
}

// SpillIndices puts the indices of a place aside; the place itself is read or written later.
func (x *Checker) SpillIndices(p *step.Expr) *step.Expr {
	if p == nil || p.Op != step.Index && p.Op != step.Part {
		return p
	}
	q := *p
	q.Args = []*step.Expr{x.SpillIndices(p.Args[0])}
	if p.Op == step.Index {
		q.Args = append(q.Args, x.Spill(p.Args[1]))
	}
	return &q
}

// Read is the value of a place: under split, reading shared data is a step.
func (x *Checker) Read(v *step.Expr) *step.Expr {
	if v == nil || !x.Builder.Split() || !v.TouchesShared() {
		return v
	}
	return x.Spill(v)
}

// pair evaluates two operands from left to right.
func (x *Checker) pair(a, b *syntax.Expr, ta, tb *step.Type) (*step.Expr, *step.Expr) {
	va := x.SpillFor(b, x.Value(a, ta))
	return va, x.Value(b, tb)
}

// Value elaborates an expression; want is the type it would best have, nil if there is no wish. It returns nil after an
// error.
func (x *Checker) Value(e *syntax.Expr, want *step.Type) *step.Expr {
	if e == nil {
		return nil
	}
	switch e.Kind {
	case syntax.EDone:
		return e.Done
	case syntax.EName, syntax.EIndex, syntax.EField:
		v := x.Base(e, want)
		if v != nil && v.Type.Sync != "" {
			hint := ""
			if v.Type.Sync == "chan" {
				hint = "write send c, value to send, and recv c to receive"
			}
			return x.Fail(e, hint, "a %s is not a value: it cannot be copied or compared", v.Type.Sync)
		}
		return x.Read(v)
	case syntax.ESlice:
		return checkSlice(x, e)
	case syntax.ERecord:
		return checkRecord(x, e, want)
	case syntax.ERecv:
		return Receive(x, e, true)
	case syntax.ESpawn:
		return checkSpawn(x, e)
	case syntax.ENew:
		return checkNew(x, e)
	case syntax.ESend:
		return checkMessage(x, e)
	case syntax.EAwait:
		return checkAwait(x, e)
	case syntax.ERange:
		return x.Fail(e, "", "a range lo..hi is not a value")
	case syntax.EInt:
		if e.Name == syntax.BigNumber {
			if want == nil || want.Kind != step.Sized || !want.Unsigned || want.Bits < 64 {
				return x.Fail(e, "", "%d is too large", uint64(e.Value))
			}
			return Constant(e, want, e.Value)
		}
		return IntConst(e, e.Value)
	case syntax.EBool:
		return Constant(e, step.BoolType, e.Value)
	case syntax.ENull:
		return x.null(e, want)
	case syntax.EList:
		return x.list(e, want)
	case syntax.EUnary:
		return x.unary(e)
	case syntax.EBinary:
		return x.binary(e, want)
	case syntax.EIn:
		return x.within(e)
	case syntax.ECond:
		return x.cond(e, want)
	case syntax.EUnwrap:
		return x.Read(x.unwrap(e))
	case syntax.ECall:
		return checkCall(x, e, want)
	}
	return checkMethod(x, e)
}

func (x *Checker) null(e *syntax.Expr, want *step.Type) *step.Expr {
	switch {
	case want == nil:
		return x.Fail(e, "", "the type of null is not known here")
	case want.Ref == "" && want.Kind != step.Option:
		return x.Fail(e, nullable(want), "null is not a value of %s", types.String(want))
	}
	return nullOf(e, want)
}

// nullOf is null as a reference or an option.
func nullOf(e *syntax.Expr, t *step.Type) *step.Expr {
	c := Constant(e, t, make([]int64, t.Words())...)
	c.Name = "null"
	return c
}

// within is x in lo..hi.
func (x *Checker) within(e *syntax.Expr) *step.Expr {
	v := x.Value(e.Args[0], step.IntType)
	if x.scope.numbers() && v != nil && v.Type.Ref != "" { // k in A[0]..A[2]
		lo, hi := x.Assignable(e.Args[1], v.Type), x.Assignable(e.Args[2], v.Type)
		return x.Make(e, step.And, step.BoolType, x.Make(e, step.Ge, step.BoolType, v, lo),
			x.Make(e, step.Le, step.BoolType, v, hi))
	}
	v = asIndex(x, e.Args[0], v)
	if slices.ContainsFunc(e.Args[1:], x.Emits) {
		v = x.Spill(v)
	}
	lo := x.SpillFor(e.Args[2], x.Integer(e.Args[1]))
	hi := x.Integer(e.Args[2])
	return x.Make(e, step.And, step.BoolType, x.Make(e, step.Ge, step.BoolType, v, lo),
		x.Make(e, step.Le, step.BoolType, v, hi))
}

// Assignable elaborates an expression as a value of a type.
func (x *Checker) Assignable(e *syntax.Expr, t *step.Type) *step.Expr {
	if t == nil {
		return nil
	}
	return x.Coerce(e, x.Value(e, t), t)
}

// Coerce makes a value one of a type, if it fits: an option of the value, a number of a width, a list of another
// capacity.
func (x *Checker) Coerce(e *syntax.Expr, v *step.Expr, t *step.Type) *step.Expr {
	if v == nil {
		return nil
	}
	if t.Kind == step.Option && v.Type.Kind != step.Option {
		inner := x.Element(e, x.Coerce(e, v, t.Elem), t.Elem)
		some := x.Make(e, step.Some, t, inner) // a constant when what is inside is one
		if some != nil && inner.Op == step.Const && inner.Name == "" {
			return Constant(e, t, append([]int64{1}, inner.Words...)...)
		}
		return some
	}
	switch {
	case t.Kind == step.Sized && v.Type.Numeric():
		return asSized(x, e, v, t)
	case types.Fitting(t, v.Type):
		return fitCapacity(x, e, v, t)
	}
	if !types.Fits(t, v.Type) {
		if t.Numeric() && v.Type.Kind == step.Sized {
			return x.Fail(e, "convert it: int(...)", "this is %s, but %s is needed",
				types.String(v.Type), types.String(t))
		}
		return x.Fail(e, habitValue(v.Type, t), "this is %s, but %s is needed", types.String(v.Type), types.String(t))
	}
	return v
}

// Element makes sure that a value that becomes a part of another keeps the bounds of its type.
func (x *Checker) Element(e *syntax.Expr, v *step.Expr, t *step.Type) *step.Expr {
	if v == nil || types.Contains(t, v.Type) {
		return v
	}
	if v.Op == step.Const {
		if err := types.CheckWords(t, v.Words); err != nil {
			return x.Fail(e, "", "%v", err)
		}
		return v
	}
	if x.Builder == nil {
		return x.Fail(e, "", "this may be outside of %s", types.String(t))
	}
	c := x.Builder.CheckedTemp(t, v.Pos)
	x.Builder.Assign(c, v)
	return c
}

// Integer elaborates an expression that must be a number.
func (x *Checker) Integer(e *syntax.Expr) *step.Expr {
	v := x.Value(e, step.IntType)
	if v != nil && !v.Type.Numeric() {
		return x.Fail(e, "", "this is %s, but a number is needed", types.String(v.Type))
	}
	return v
}

// Truth elaborates an expression that must be a condition.
func (x *Checker) Truth(e *syntax.Expr) *step.Expr {
	v := x.Value(e, step.BoolType)
	if v != nil && v.Type.Kind != step.Bool {
		hint := ""
		if v.Type.Numeric() {
			hint = "compare it: " + x.File.Between(e.Pos, e.End) + " != 0"
		} else if v.Type.Kind == step.Mutex {
			hint = "lock m waits for a lock, trylock m takes it if it is free, m.free() only looks"
		} else if v.Type.Kind == step.Option {
			hint = "compare it: " + x.File.Between(e.Pos, e.End) + " != null"
		}
		return x.Fail(e, hint, "this is %s, but a condition is needed", types.String(v.Type))
	}
	return v
}

// Base elaborates a place without reading it, and anything else as a value.
func (x *Checker) Base(e *syntax.Expr, want *step.Type) *step.Expr {
	switch e.Kind {
	case syntax.EName:
		return x.lookup(e, want)
	case syntax.EField:
		if v, is := classField(x, e); is {
			return v
		}
		if x.scope.prefix(x, e.Args[0]) {
			return x.scope.field(x, e)
		}
		return checkField(x, e)
	case syntax.EIndex:
		if c := memberOf(x.scope, e, want); c != nil {
			return c
		}
		v := x.Base(e.Args[0], nil)
		if v == nil {
			return nil
		}
		switch v.Type.Kind {
		case step.Array, step.List, step.Queue:
		case step.Map:
			key := x.Assignable(e.Args[1], v.Type.Key())
			return x.Make(e, step.Lookup, v.Type.Elem.Fields[1].Type, v, key)
		case step.Set, step.Bag:
			return x.Fail(e, "ask has(v), or take the elements in order with at(i)", "%s has no numbered elements",
				types.String(v.Type))
		default:
			return x.Fail(e, "", "%s has no elements", types.String(v.Type))
		}
		if x.Emits(e.Args[1]) {
			if v.Root() != nil {
				v = x.SpillIndices(v)
			} else {
				v = x.Spill(v)
			}
		}
		if v.Op == step.VarRef && v.Var.Temp && v.Var.Shared {
			return x.Make(e, step.Index, v.Type.Elem, v, x.Value(e.Args[1], nil)) // by the number of an identity
		}
		i := x.Index(e.Args[1])
		if c := ConstOf(i); c != nil && c.Name == "" && v.Type.Kind == step.Array && x.Literal[v.Type] &&
			(c.Words[0] < 0 || c.Words[0] >= int64(v.Type.Len)) {
			return x.Fail(e.Args[1], fmt.Sprintf("its elements are 0 to %d", v.Type.Len-1), "%s has no element %d",
				types.String(v.Type), c.Words[0])
		}
		return x.Make(e, step.Index, v.Type.Elem, v, i)
	case syntax.EUnwrap:
		return x.unwrap(e)
	}
	return x.Value(e, want)
}

// unwrap elaborates x! without reading it.
func (x *Checker) unwrap(e *syntax.Expr) *step.Expr {
	v := x.Base(e.Args[0], nil)
	if v == nil {
		return nil
	}
	if v.Type.Kind != step.Option {
		return x.Fail(e, "", "%s is never null: ! is for values of a type T?", types.String(v.Type))
	}
	return x.Make(e, step.Unwrap, v.Type.Elem, v)
}

// rootOf is the expression that a chain of elements and fields begins with.
func rootOf(v *step.Expr) *step.Expr {
	for v.Op == step.Index || v.Op == step.Part {
		v = v.Args[0]
	}
	return v
}

// Probe is the type of a place or value, found without emitting or reporting anything; nil if it has none.
func (x *Checker) Probe(e *syntax.Expr) *step.Type {
	y := *x
	y.Reporter = x.Silent()
	if x.Probes++; x.Probes > maxProbes {
		return nil
	}
	if x.Builder != nil {
		y.Builder = NewBuilder(&step.Template{}, false)
	}
	if v := y.Base(e, nil); v != nil {
		return v.Type
	}
	return nil
}

// Place elaborates something that can be assigned to.
func (x *Checker) Place(e *syntax.Expr) *step.Expr {
	v := x.Base(e, nil)
	if v == nil {
		return nil
	}
	root := rootOf(v)
	for _, b := range x.Bound {
		if root == b.Expr && root.Op == step.Const {
			return x.Fail(e, "", "%s is a parameter and cannot be changed", b.Name)
		}
	}
	if root.Op != step.VarRef || root.Var.Temp || root.Of != step.Own {
		if root.Op == step.Const && root.Name != "" {
			return x.Fail(e, "", "%s is a constant", root.Name)
		}
		hint := ""
		if e.Kind == syntax.EUnwrap {
			hint = "write " + describe(e.Args[0]) + " = value: it is not null then"
		}
		return x.Fail(e, hint, "this is not a variable or an element of one")
	}
	for p := v; p != root; p = p.Args[0] {
		if t := p.Args[0].Type; t.Sync != "" || p.Op == step.Index && t.Sorted() {
			return x.Fail(e, "", "the parts of %s are changed by its operations only", types.String(t))
		}
	}
	if why := x.scope.readonly(root.Var); why != "" {
		hint := ""
		if why == "declared with let" {
			hint = "declare it with var"
		}
		x.Fail(e, hint, "%s is %s and cannot be changed", root.Var.Name, why)
		if x.scope.thread() && hint != "" {
			x.EditLet(x.scope.local(root.Var.Name).At)
		}
		return nil
	}
	if x.Builder == nil {
		return x.Fail(e, "", "an expression here must not change anything")
	}
	return v
}

func (x *Checker) lookup(e *syntax.Expr, want *step.Type) *step.Expr {
	v := x.Resolve(e, want)
	if v != nil && x.Mentions != nil {
		mentionName(x, e, v)
	}
	return v
}

// Resolve finds the meaning of a name: bound by an expression, local, shared, a parameter or a value of an enum.
func (x *Checker) Resolve(e *syntax.Expr, want *step.Type) *step.Expr {
	for i := len(x.Bound) - 1; i >= 0; i-- {
		if x.Bound[i].Name == e.Name {
			return x.Bound[i].Expr
		}
	}
	before := x.Count()
	if v := x.scope.name(x, e); v != nil || x.Count() > before {
		return declaredWell(v)
	}
	if x.ClassNamed(e.Name) != nil {
		return x.Fail(e, "write new "+e.Name+"(...), or ask in properties for "+e.Name+".x",
			"%s is a class, not a value", e.Name)
	}
	if v := x.SharedVars[e.Name]; v != nil {
		if !x.scope.shared() {
			return x.Fail(e, "", "%s is a shared variable; only parameters and constants can be used here", e.Name)
		}
		return declaredWell(build.Ref(v, e.Pos))
	}
	if p := x.Params[e.Name]; p != nil {
		x.Used[e.Name] = true
		c := Constant(e, p.Type, p.Words...)
		c.Name = p.Name
		return c
	}
	if want != nil && want.Kind == step.Option {
		want = want.Elem
	}
	var found []*step.Type
	for _, t := range x.enums {
		if slices.Contains(t.Names, e.Name) {
			if want != nil && want.Kind == step.Enum && slices.Equal(want.Names, t.Names) {
				found = []*step.Type{want}
				break
			}
			found = append(found, t)
		}
	}
	switch len(found) {
	case 1:
		c := Constant(e, found[0], int64(slices.Index(found[0].Names, e.Name)))
		c.Name = e.Name
		return c
	case 0:
	default:
		return x.Fail(e, "", "%s is a member of %s and of %s", e.Name, types.String(found[0]), types.String(found[1]))
	}
	if x.Threads[e.Name] {
		hint := "write " + e.Name + ".x for its variable x"
		if x.scope.thread() {
			hint = "threads see what stands in shared; join takes what spawn gave: let h = spawn t(), join h"
		}
		return x.Fail(e, hint, "%s is a thread, not a value", e.Name)
	}
	if e.Name == "self" {
		return x.Fail(e, "", "self has a meaning only in threads")
	}
	if x.Unsure || x.TypeNames[e.Name] && x.Types[e.Name] == nil {
		return nil // it may be declared in what could not be read
	}
	hint := ""
	if want != nil && want.Kind == step.Enum && want.Ref == "" {
		hint = members(want)
	} else if x.scope.thread() {
		hint = "declare it with let or var; a variable of all threads stands in the section shared"
	} else if _, is := x.scope.(ConstNames); is {
		if hint = "declare it in the section params"; syntax.IsTypeWord(e.Name) {
			hint = "a parameter has a value, and its type: 3, or true"
		}
	}
	return x.Fail(e, cmp.Or(HabitName(e.Name), x.scope.hint(e.Name), hintCall(x, e.Call),
		syntax.DidYouMean(e.Name, x.Known()), hint), "unknown name %s", e.Name)
}

// declaredWell drops what was declared with an error, which has been reported already.
func declaredWell(v *step.Expr) *step.Expr {
	if v == nil || v.Type == nil {
		return nil
	}
	return v
}

// Known are the names that can be used here, for hints.
func (x *Checker) Known() []string {
	names := x.scope.names()
	for _, b := range x.Bound {
		names = append(names, b.Name)
	}
	if x.scope.shared() {
		names = slices.AppendSeq(names, maps.Keys(x.SharedVars))
	}
	names = slices.AppendSeq(names, maps.Keys(x.Params))
	for _, t := range x.enums {
		names = append(names, t.Names...)
	}
	slices.Sort(names)
	return names
}

// list elaborates [a, b]. Constant elements make a constant, unless that would lose the name of a parameter.
func (x *Checker) list(e *syntax.Expr, want *step.Type) *step.Expr {
	if want != nil && want.Kind == step.Option {
		want = want.Elem
	}
	if want != nil && want.Sorted() {
		return sortedList(x, e, want)
	}
	if want == nil || want.Kind != step.List && want.Kind != step.Queue && want.Kind != step.Array {
		if want != nil {
			return x.Fail(e, "", "a list stands where %s is needed", types.String(want))
		}
		if len(e.Args) == 0 {
			return x.Fail(e, "write the type: var xs list[int, 4]", "the type of [] is not known here")
		}
		first := elabType(x, e.Args[0])
		if first == nil {
			return nil
		}
		want = &step.Type{Kind: step.List, Elem: first, Len: len(e.Args)}
	}
	if want.Kind == step.Array && len(e.Args) != want.Len {
		return x.Fail(e, "", "%d elements for an array of length %d", len(e.Args), want.Len)
	}
	if len(e.Args) > want.Len {
		return x.Fail(e, "", "%d elements do not fit into %s", len(e.Args), types.String(want))
	}
	args := make([]*step.Expr, len(e.Args))
	fixed, bad := true, false
	for i, a := range e.Args {
		args[i] = x.Element(a, x.Assignable(a, want.Elem), want.Elem)
		if slices.ContainsFunc(e.Args[i+1:], x.Emits) {
			args[i] = x.Spill(args[i])
		}
		bad = bad || args[i] == nil
		fixed = fixed && !bad && args[i].Op == step.Const && (want.Kind == step.Array || x.Params[args[i].Name] == nil)
	}
	if bad {
		return nil
	}
	if !fixed {
		if want.Kind == step.Array {
			return x.Make(e, step.Make, want, args...)
		}
		return x.Make(e, step.MakeList, want, args...)
	}
	words := make([]int64, want.Words())
	at := 0
	if want.Kind != step.Array {
		words[0], at = int64(len(args)), 1
	}
	for _, a := range args {
		at += copy(words[at:], a.Words)
	}
	return Constant(e, want, words...)
}

// elabType finds the type of an expression without emitting anything; a range counts as int.
func elabType(x *Checker, e *syntax.Expr) *step.Type {
	y := *x
	if x.Probes++; x.Probes > maxProbes {
		x.Fail(e, "", "the expression is too complex")
		return nil
	}
	if x.Builder != nil {
		y.Builder = NewBuilder(&step.Template{}, false)
	}
	v := y.Value(e, nil)
	if v == nil {
		return nil
	}
	if v.Type.Numeric() {
		return step.IntType
	}
	return v.Type
}

func (x *Checker) unary(e *syntax.Expr) *step.Expr {
	switch e.Name {
	case "-":
		v := x.Value(e.Args[0], step.IntType)
		if v != nil && v.Type.Kind == step.Sized {
			return x.Make(e, step.Neg, v.Type, v)
		}
		if v != nil && !v.Type.Numeric() {
			return x.Fail(e.Args[0], "", "this is %s, but a number is needed", types.String(v.Type))
		}
		if c := ConstOf(v); c != nil && c.Name == "" && c.Words[0] != math.MinInt64 {
			return IntConst(e, -c.Words[0])
		}
		return x.Make(e, step.Neg, step.IntType, v)
	case "!":
		v := x.Truth(e.Args[0])
		if v != nil && (v.Op == step.Eq || v.Op == step.Ne) && v.Args[0].Type.Kind == step.Mutex {
			// One form for each fact about a mutex, so that what is printed reads back the same.
			return x.Make(e, step.Eq+step.Ne-v.Op, step.BoolType, v.Args...)
		}
		return x.Make(e, step.Not, step.BoolType, v)
	}
	return tryLock(x, e)
}

// untyped expressions take their type from what they are compared with.
func untyped(e *syntax.Expr) bool {
	return e.Kind == syntax.ENull || e.Kind == syntax.EList || e.Kind == syntax.ERecord && e.Name == "" ||
		e.Kind == syntax.EInt && e.Name == syntax.BigNumber
}

// isLiteral reports whether an expression is written out and can take its type from what it is compared with.
func isLiteral(tab *Table, e *syntax.Expr) bool {
	return untyped(e) || e.Kind == syntax.ERecord ||
		e.Kind == syntax.ECall && tab.Types[e.Name] != nil && tab.Types[e.Name].Kind == step.Record
}

// OperatorOf are the operations of binary operators.
var OperatorOf = map[string]step.Op{"+": step.Add, "-": step.Sub, "*": step.Mul, "/": step.Div, "%": step.Mod,
	"<": step.Lt, "<=": step.Le, ">": step.Gt, ">=": step.Ge, "==": step.Eq, "!=": step.Ne,
	"&&": step.And, "||": step.Or}

func (x *Checker) binary(e *syntax.Expr, want *step.Type) *step.Expr {
	op := OperatorOf[e.Name]
	a, b := e.Args[0], e.Args[1]
	switch op {
	case step.And, step.Or:
		left := x.Truth(a)
		if !x.Emits(b) {
			return x.Make(e, op, step.BoolType, left, x.Truth(b))
		}
		if left == nil {
			x.Truth(b)
			return nil
		}
		t := x.Builder.Temp(step.BoolType, e.Pos)
		x.Builder.Assign(t, left)
		test := t
		if op == step.Or {
			test = x.Make(e, step.Not, step.BoolType, t)
		}
		skip := x.Builder.Branch(test)
		if right := x.Truth(b); right != nil {
			x.Builder.Assign(t, right)
		}
		x.Builder.Open = append(x.Builder.Open, skip)
		return t
	case step.Eq, step.Ne:
		return x.equality(e, op)
	}
	if op == step.Add && a.Kind == syntax.EList && !x.Emits(a) {
		return prepend(x, e, want)
	}
	left := x.Value(a, step.IntType)
	if left == nil {
		return nil
	}
	left = x.SpillFor(b, left)
	if op == step.Add && left.Type.Kind == step.List {
		return Concat(x, e, left, x.Value(b, LiteralType(b, left.Type)), want)
	}
	left, right, t := Unify(x, e.Name, a, b, left, x.Value(b, left.Type))
	if t == nil {
		return nil
	}
	if op >= step.Lt && op <= step.Ge {
		return x.Make(e, op, step.BoolType, left, right)
	}
	if c := ConstOf(right); c != nil && c.Words[0] == 0 && c.Name == "" && (op == step.Div || op == step.Mod) {
		return x.Fail(b, "", "division by zero")
	}
	return x.Make(e, op, t, left, right)
}

func (x *Checker) equality(e *syntax.Expr, op step.Op) *step.Expr {
	a, b := e.Args[0], e.Args[1]
	if pair, is := x.scope.(pairNames); is {
		if v, is := pair.isProcess(x, e, op); is {
			return v
		}
	}
	if a.Kind == syntax.ENull || b.Kind == syntax.ENull {
		other := a
		if a.Kind == syntax.ENull {
			other = b
		}
		return equalsNull(x, e, op, other)
	}
	var left, right *step.Expr
	literal := func(e *syntax.Expr, t *step.Type) *step.Expr {
		if e.Kind == syntax.EList && t.Len < len(e.Args) && (t.Kind == step.List || t.Kind == step.Queue) {
			// Longer than the other side can ever be, for instance because a parameter was overridden: never equal.
			t = &step.Type{Kind: t.Kind, Elem: t.Elem, Len: len(e.Args)}
		}
		if isLiteral(x.Table, e) {
			t = types.Unbounded(t) // outside of the bounds they differ
		}
		return x.Value(e, t)
	}
	if isLiteral(x.Table, a) && !isLiteral(x.Table, b) {
		t := elabType(x, b)
		if t == nil {
			return nil
		}
		left = x.SpillFor(b, literal(a, t))
		right = x.Value(b, nil)
	} else if left = x.Value(a, nil); left != nil {
		left = x.SpillFor(b, left)
		right = literal(b, left.Type)
	}
	if left == nil || right == nil {
		return nil
	}
	if (types.IsNumber(left.Type) || types.IsNumber(right.Type)) &&
		isNumber(x.scope, left.Type) && isNumber(x.scope, right.Type) {
		left, right, t := Unify(x, e.Name, a, b, left, right)
		if t == nil {
			return nil
		}
		return x.Make(e, op, step.BoolType, left, right)
	}
	switch lo, ro := left.Type.Kind == step.Option, right.Type.Kind == step.Option; {
	case lo && !ro:
		right = comparedAs(x, b, right, left.Type)
	case ro && !lo:
		left = comparedAs(x, a, left, right.Type)
	}
	if left == nil || right == nil {
		return nil
	}
	if types.Pinned(left.Type) || types.Pinned(right.Type) {
		return x.Fail(e, "ask m.held(), or self.holds(m)", "mutexes cannot be compared")
	}
	if left.Type.Counted() && left.Type.Kind == right.Type.Kind && left.Type.Len != right.Type.Len &&
		types.Comparable(left.Type.Elem, right.Type.Elem) {
		if c := ConstOf(left); c != nil && int(c.Words[0]) > right.Type.Len {
			return Constant(e, step.BoolType, int64(op-step.Eq))
		}
		if c := ConstOf(right); c != nil && int(c.Words[0]) > left.Type.Len {
			return Constant(e, step.BoolType, int64(op-step.Eq))
		}
		return x.Make(e, op, step.BoolType, left, right) // words that only one of them has are zero in equal values
	}
	if !types.Comparable(left.Type, right.Type) {
		return x.Fail(e, "", "cannot compare %s with %s", types.String(left.Type), types.String(right.Type))
	}
	return x.Make(e, op, step.BoolType, left, right)
}

// equalsNull compares something with null.
func equalsNull(x *Checker, e *syntax.Expr, op step.Op, other *syntax.Expr) *step.Expr {
	if other.Kind == syntax.ENull {
		return Constant(e, step.BoolType, int64(step.Ne-op))
	}
	v := x.Base(other, nil)
	if v == nil {
		return nil
	}
	if v.Type.Ref != "" {
		return x.Make(e, op, step.BoolType, x.Read(v), nullOf(e, v.Type))
	}
	if v.Type.Kind != step.Option {
		return x.Fail(other, "", "%s is never null", types.String(v.Type))
	}
	v = x.Read(x.Make(e, step.Present, step.BoolType, v))
	if op == step.Eq {
		v = x.Make(e, step.Not, step.BoolType, v)
	}
	return v
}

// comparedAs makes an option of a value that is compared with one. Numbers may be outside of the bounds that the option
// has: then they differ.
func comparedAs(x *Checker, e *syntax.Expr, v *step.Expr, option *step.Type) *step.Expr {
	if types.Comparable(option.Elem, v.Type) {
		option = &step.Type{Kind: step.Option, Elem: v.Type}
	}
	return x.Coerce(e, v, option)
}

func (x *Checker) cond(e *syntax.Expr, want *step.Type) *step.Expr {
	test := x.Truth(e.Args[0])
	a, b := e.Args[1], e.Args[2]
	if want == nil {
		typed := a
		if untyped(a) {
			typed = b
		}
		if want = elabType(x, typed); want == nil {
			return nil
		}
	}
	branch := func(e *syntax.Expr) *step.Expr {
		v := x.Value(e, want)
		if v != nil && (untyped(e) || want.Kind == step.Option || want.Kind == step.Sized ||
			types.Fitting(want, v.Type)) {
			v = x.Coerce(e, v, want)
		}
		return v
	}
	if !x.Emits(a) && !x.Emits(b) {
		va, vb := branch(a), branch(b)
		if va == nil || vb == nil || test == nil {
			return nil
		}
		if !types.Comparable(va.Type, vb.Type) || types.Pinned(va.Type) {
			return x.Fail(e, "", "the two values are %s and %s", types.String(va.Type), types.String(vb.Type))
		}
		t := va.Type
		if t.Numeric() && t != vb.Type {
			t = step.IntType
		}
		return x.Make(e, step.Cond, t, test, va, vb)
	}
	if test == nil {
		return nil
	}
	t := x.Builder.Temp(want, e.Pos)
	otherwise := x.Builder.Branch(test)
	if va := x.Coerce(a, branch(a), want); va != nil {
		x.Builder.Assign(t, va)
	}
	x.Builder.Otherwise(otherwise, func() {
		if vb := x.Coerce(b, branch(b), want); vb != nil {
			x.Builder.Assign(t, vb)
		}
	})
	return t
}

// nullable is a hint at the type that has null besides the values of another.
func nullable(t *step.Type) string {
	if t.Kind == step.Int || t.Kind == step.Bool || t.Kind == step.Enum {
		return "a value that may be missing has the type " + types.String(t) + "?"
	}
	return ""
}

// CodeAt makes code with the position of an expression.
func (x *Checker) CodeAt(e *syntax.Expr) *build.Code {
	c := &build.Code{At: e.Pos, Make: func(op step.Op, t *step.Type, args ...*step.Expr) *step.Expr {
		return x.Make(e, op, t, args...)
	}}
	if x.Builder != nil {
		c.Builder = x.Builder.Builder
	}
	return c
}

// ConstInt elaborates and evaluates a constant integer.
func ConstInt(x *Checker, e *syntax.Expr, what string) (int64, bool) {
	v := x.Value(e, step.IntType)
	if v == nil {
		return 0, false
	}
	if !v.Type.Numeric() {
		x.Report(e.Pos, e.End, "", "%s is an integer, not %s", what, types.String(v.Type))
		return 0, false
	}
	words, err := Evaluate(v, 0)
	if err != nil {
		x.Report(e.Pos, e.End, "", "%s: %v", what, err)
		return 0, false
	}
	return words[0], true
}

// ConstWords elaborates a constant of a type and evaluates it for an instance; nil after an error.
func ConstWords(x *Checker, e *syntax.Expr, t *step.Type, self int64) []int64 {
	v := x.Assignable(e, t)
	if v == nil {
		return nil
	}
	words, err := Evaluate(v, self)
	if err == nil {
		err = types.CheckWords(t, words)
	}
	if err != nil {
		x.Report(e.Pos, e.End, "", "%v", err)
		return nil
	}
	return words
}

// ConstOf returns the constant that an expression is, or nil.
func ConstOf(e *step.Expr) *step.Expr {
	if e == nil || e.Op != step.Const {
		return nil
	}
	return e
}

// Evaluate computes an expression without variables for the instance self.
func Evaluate(e *step.Expr, self int64) ([]int64, error) {
	words, fault, ok := step.Evaluate(e, self)
	switch {
	case !ok:
		return nil, errors.New("not a constant")
	case fault != step.NoFault:
		return nil, errors.New(fault.String())
	}
	return words, nil
}
