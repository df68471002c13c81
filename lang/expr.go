package lang

import (
	"cmp"
	"math"
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A checker checks expressions of one place of the program and translates them. With a builder, operations with an
// effect are emitted as nodes, left to right; without one they are errors.
type checker struct {
	*syntax.Reporter
	*table
	scope   scope
	builder *builder
	bound   []binding          // variables of all(x, ...) and its kin
	sizes   map[*step.Expr]int // sizes as trees; absent means 1
	// chosen are the values of any(...), which are made before the step that uses them.
	chosen map[*syntax.Expr]*step.Expr
}

type binding struct {
	name string
	at   step.Pos // of its declaration
	expr *step.Expr
}

// What an expression may grow to when it is written out.
const (
	maxExprSize = 20000
	maxUnrolled = 200000
	maxProbes   = 20000
)

func (x *checker) fail(e *syntax.Expr, hint, format string, args ...any) *step.Expr {
	x.Report(e.Pos, e.End, hint, format, args...)
	return nil
}

// make builds a tree node; nil if an argument is nil or the tree gets too large.
func (x *checker) make(at *syntax.Expr, op step.Op, t *step.Type, args ...*step.Expr) *step.Expr {
	size := 1
	for _, a := range args {
		if a == nil {
			return nil
		}
		size += max(1, x.sizes[a])
	}
	if size > maxExprSize {
		return x.fail(at, "", "the expression is too large when written out")
	}
	e := &step.Expr{Op: op, Type: t, Pos: at.Pos, Args: args, Of: step.Own}
	x.sizes[e] = size
	return e
}

func constant(at *syntax.Expr, t *step.Type, words ...int64) *step.Expr {
	return &step.Expr{Op: step.Const, Type: t, Pos: at.Pos, Words: words, Of: step.Own}
}

func intConst(at *syntax.Expr, v int64) *step.Expr { return constant(at, step.IntType, v) }

// pure is the same place with operations that have an effect forbidden.
func (x *checker) pure() *checker {
	y := *x
	y.builder = nil
	return &y
}

// emits reports whether evaluating emits nodes, so that what was evaluated before must be put aside.
func (x *checker) emits(e *syntax.Expr) bool {
	if x.builder == nil || e == nil {
		return false
	}
	switch {
	case e.Kind == syntax.ERecv, e.Kind == syntax.EMethod && e.Name == "try_acquire", isGet(e),
		e.Kind == syntax.ESpawn, e.Kind == syntax.ENew, e.Kind == syntax.ESend, e.Kind == syntax.EAwait:
		return true
	case e.Kind == syntax.ECall && slices.Contains(effectCalls, e.Name),
		e.Kind == syntax.EMethod && e.Name == "pop",
		e.Kind == syntax.EUnary && e.Name == "trylock",
		e.Kind == syntax.EName && x.builder.split() && x.sharedVars[e.Name] != nil:
		return true
	}
	return slices.ContainsFunc(e.Args, x.emits) || slices.ContainsFunc(e.Keys, x.emits)
}

var effectCalls = []string{"cas", "fetch_add", "swap"}

// spill puts a value aside in a temporary.
func (x *checker) spill(v *step.Expr) *step.Expr {
	if v == nil || x.builder == nil || v.Op == step.Const || v.Op == step.Self || v.Op == step.Me {
		return v
	}
	if v.Op == step.VarRef && !v.Var.Shared && (v.Var.Temp || x.scope.readonly(v.Var) != "") {
		return v // it does not change while the expression is evaluated
	}
	t := x.builder.Temp(v.Type, v.Pos)
	x.builder.Assign(t, v)
	return t
}

// spillIndices puts the indices of a place aside; the place itself is read or written later.
func (x *checker) spillIndices(p *step.Expr) *step.Expr {
	if p == nil || p.Op != step.Index && p.Op != step.Part {
		return p
	}
	q := *p
	q.Args = []*step.Expr{x.spillIndices(p.Args[0])}
	if p.Op == step.Index {
		q.Args = append(q.Args, x.spill(p.Args[1]))
	}
	return &q
}

// read is the value of a place: under split, reading shared data is a step.
func (x *checker) read(v *step.Expr) *step.Expr {
	if v == nil || !x.builder.split() || !v.TouchesShared() {
		return v
	}
	return x.spill(v)
}

// pair evaluates two operands from left to right.
func (x *checker) pair(a, b *syntax.Expr, ta, tb *step.Type) (*step.Expr, *step.Expr) {
	va := x.value(a, ta)
	if x.emits(b) {
		va = x.spill(va)
	}
	return va, x.value(b, tb)
}

// value elaborates an expression; want is the type it would best have, nil if there is no wish. It returns nil after an
// error.
func (x *checker) value(e *syntax.Expr, want *step.Type) *step.Expr {
	if e == nil {
		return nil
	}
	switch e.Kind {
	case syntax.EDone:
		return e.Done
	case syntax.EName, syntax.EIndex, syntax.EField:
		v := x.base(e, want)
		if v != nil && v.Type.Sync != "" {
			hint := ""
			if v.Type.Sync == "chan" {
				hint = "write send c, value to send, and recv c to receive"
			}
			return x.fail(e, hint, "a %s is not a value: it cannot be copied or compared", v.Type.Sync)
		}
		return x.read(v)
	case syntax.ESlice:
		return x.slice(e)
	case syntax.ERecord:
		return x.record(e, want)
	case syntax.ERecv:
		return x.receive(e, true)
	case syntax.ESpawn:
		return x.spawn(e)
	case syntax.ENew:
		return x.create(e)
	case syntax.ESend:
		return x.message(e)
	case syntax.EAwait:
		return x.awaited(e)
	case syntax.ERange:
		return x.fail(e, "", "a range lo..hi is not a value")
	case syntax.EInt:
		if e.Name == syntax.BigNumber {
			if want == nil || want.Kind != step.Sized || !want.Unsigned || want.Bits < 64 {
				return x.fail(e, "", "%d is too large", uint64(e.Value))
			}
			return constant(e, want, e.Value)
		}
		return intConst(e, e.Value)
	case syntax.EBool:
		return constant(e, step.BoolType, e.Value)
	case syntax.ENull:
		if want != nil && want.Ref != "" {
			c := constant(e, want, 0)
			c.Name = "null"
			return c
		}
		if want == nil || want.Kind != step.Option {
			if want != nil {
				return x.fail(e, nullable(want), "null is not a value of %s", types.String(want))
			}
			return x.fail(e, "", "the type of null is not known here")
		}
		c := constant(e, want, make([]int64, want.Words())...)
		c.Name = "null"
		return c
	case syntax.EList:
		return x.list(e, want)
	case syntax.EUnary:
		return x.unary(e)
	case syntax.EBinary:
		return x.binary(e, want)
	case syntax.EIn:
		v := x.value(e.Args[0], step.IntType)
		if x.scope.numbers() && v != nil && v.Type.Ref != "" { // k in A[0]..A[2]
			lo, hi := x.assignable(e.Args[1], v.Type), x.assignable(e.Args[2], v.Type)
			return x.make(e, step.And, step.BoolType, x.make(e, step.Ge, step.BoolType, v, lo), x.make(e, step.Le, step.BoolType, v, hi))
		}
		v = x.asIndex(e.Args[0], v)
		if slices.ContainsFunc(e.Args[1:], x.emits) {
			v = x.spill(v)
		}
		lo, hi := x.integer(e.Args[1]), (*step.Expr)(nil)
		if x.emits(e.Args[2]) {
			lo = x.spill(lo)
		}
		hi = x.integer(e.Args[2])
		return x.make(e, step.And, step.BoolType, x.make(e, step.Ge, step.BoolType, v, lo), x.make(e, step.Le, step.BoolType, v, hi))
	case syntax.ECond:
		return x.cond(e, want)
	case syntax.EUnwrap:
		return x.read(x.unwrap(e))
	case syntax.ECall:
		return x.call(e, want)
	}
	return x.method(e)
}

// assignable elaborates an expression as a value of a type.
func (x *checker) assignable(e *syntax.Expr, t *step.Type) *step.Expr {
	if t == nil {
		return nil
	}
	return x.coerce(e, x.value(e, t), t)
}

func (x *checker) coerce(e *syntax.Expr, v *step.Expr, t *step.Type) *step.Expr {
	if v == nil {
		return nil
	}
	if t.Kind == step.Option && v.Type.Kind != step.Option {
		inner := x.element(e, x.coerce(e, v, t.Elem), t.Elem)
		some := x.make(e, step.Some, t, inner) // a constant when what is inside is one
		if some != nil && inner.Op == step.Const && inner.Name == "" {
			return constant(e, t, append([]int64{1}, inner.Words...)...)
		}
		return some
	}
	switch {
	case t.Kind == step.Sized && v.Type.Numeric():
		return x.sized(e, v, t)
	case types.Fitting(t, v.Type):
		return x.fit(e, v, t)
	}
	if !types.Fits(t, v.Type) {
		if t.Numeric() && v.Type.Kind == step.Sized {
			return x.fail(e, "convert it: int(...)", "this is %s, but %s is needed", types.String(v.Type), types.String(t))
		}
		return x.fail(e, habitValue(v.Type, t), "this is %s, but %s is needed", types.String(v.Type), types.String(t))
	}
	return v
}

// element makes sure that a value that becomes a part of another keeps the bounds of its type.
func (x *checker) element(e *syntax.Expr, v *step.Expr, t *step.Type) *step.Expr {
	if v == nil || types.Contains(t, v.Type) {
		return v
	}
	if v.Op == step.Const {
		if err := types.CheckWords(t, v.Words); err != nil {
			return x.fail(e, "", "%v", err)
		}
		return v
	}
	if x.builder == nil {
		return x.fail(e, "", "this may be outside of %s", types.String(t))
	}
	c := x.builder.CheckedTemp(t, v.Pos)
	x.builder.Assign(c, v)
	return c
}

func (x *checker) integer(e *syntax.Expr) *step.Expr {
	v := x.value(e, step.IntType)
	if v != nil && !v.Type.Numeric() {
		return x.fail(e, "", "this is %s, but a number is needed", types.String(v.Type))
	}
	return v
}

func (x *checker) truth(e *syntax.Expr) *step.Expr {
	v := x.value(e, step.BoolType)
	if v != nil && v.Type.Kind != step.Bool {
		hint := ""
		if v.Type.Numeric() {
			hint = "compare it: " + x.File.Between(e.Pos, e.End) + " != 0"
		}
		return x.fail(e, hint, "this is %s, but a condition is needed", types.String(v.Type))
	}
	return v
}

// base elaborates a place without reading it, and anything else as a value.
func (x *checker) base(e *syntax.Expr, want *step.Type) *step.Expr {
	switch e.Kind {
	case syntax.EName:
		return x.lookup(e, want)
	case syntax.EField:
		if v, is := x.classField(e); is {
			return v
		}
		if x.scope.prefix(x, e.Args[0]) {
			return x.scope.field(x, e)
		}
		return x.field(e)
	case syntax.EIndex:
		if c := x.member(e, want); c != nil {
			return c
		}
		v := x.base(e.Args[0], nil)
		if v == nil {
			return nil
		}
		switch v.Type.Kind {
		case step.Array, step.List, step.Queue:
		case step.Map:
			key := x.assignable(e.Args[1], v.Type.Key())
			return x.make(e, step.Lookup, v.Type.Elem.Fields[1].Type, v, key)
		case step.Set, step.Bag:
			return x.fail(e, "ask has(v), or take the elements in order with at(i)", "%s has no numbered elements", types.String(v.Type))
		default:
			return x.fail(e, "", "%s has no elements", types.String(v.Type))
		}
		if x.emits(e.Args[1]) {
			if isPlace(v) {
				v = x.spillIndices(v)
			} else {
				v = x.spill(v)
			}
		}
		if v.Op == step.VarRef && v.Var.Temp && v.Var.Shared {
			return x.make(e, step.Index, v.Type.Elem, v, x.value(e.Args[1], nil)) // by the number of an identity
		}
		return x.make(e, step.Index, v.Type.Elem, v, x.index(e.Args[1]))
	case syntax.EUnwrap:
		return x.unwrap(e)
	}
	return x.value(e, want)
}

// unwrap elaborates x! without reading it.
func (x *checker) unwrap(e *syntax.Expr) *step.Expr {
	v := x.base(e.Args[0], nil)
	if v == nil {
		return nil
	}
	if v.Type.Kind != step.Option {
		return x.fail(e, "", "%s is never null: ! is for values of a type T?", types.String(v.Type))
	}
	return x.make(e, step.Unwrap, v.Type.Elem, v)
}

// rootOf is the expression that a chain of elements and fields begins with.
func rootOf(v *step.Expr) *step.Expr {
	for v.Op == step.Index || v.Op == step.Part {
		v = v.Args[0]
	}
	return v
}

func isPlace(v *step.Expr) bool { return v.Root() != nil }

// probe is the type of a place or value, found without emitting or reporting anything; nil if it has none.
func (x *checker) probe(e *syntax.Expr) *step.Type {
	y := *x
	y.Reporter = x.Silent()
	if x.probes++; x.probes > maxProbes {
		return nil
	}
	if x.builder != nil {
		y.builder = newBuilder(&step.Template{}, false)
	}
	if v := y.base(e, nil); v != nil {
		return v.Type
	}
	return nil
}

// place elaborates something that can be assigned to.
func (x *checker) place(e *syntax.Expr) *step.Expr {
	v := x.base(e, nil)
	if v == nil {
		return nil
	}
	root := rootOf(v)
	for _, b := range x.bound {
		if root == b.expr && root.Op == step.Const {
			return x.fail(e, "", "%s is a parameter and cannot be changed", b.name)
		}
	}
	if root.Op != step.VarRef || root.Var.Temp || root.Of != step.Own {
		if root.Op == step.Const && root.Name != "" {
			return x.fail(e, "", "%s is a constant", root.Name)
		}
		return x.fail(e, "", "this is not a variable or an element of one")
	}
	for p := v; p != root; p = p.Args[0] {
		if t := p.Args[0].Type; t.Sync != "" || p.Op == step.Index && t.Sorted() {
			return x.fail(e, "", "the parts of %s are changed by its operations only", types.String(t))
		}
	}
	if why := x.scope.readonly(root.Var); why != "" {
		hint := ""
		if why == "declared with let" {
			hint = "declare it with var"
		}
		x.fail(e, hint, "%s is %s and cannot be changed", root.Var.Name, why)
		if x.scope.thread() && hint != "" {
			x.EditLet(x.scope.local(root.Var.Name).at)
		}
		return nil
	}
	if x.builder == nil {
		return x.fail(e, "", "an expression here must not change anything")
	}
	return v
}

func (x *checker) lookup(e *syntax.Expr, want *step.Type) *step.Expr {
	v := x.resolve(e, want)
	if v != nil && x.Mentions != nil {
		x.mentionName(e, v)
	}
	return v
}

func (x *checker) resolve(e *syntax.Expr, want *step.Type) *step.Expr {
	for i := len(x.bound) - 1; i >= 0; i-- {
		if x.bound[i].name == e.Name {
			return x.bound[i].expr
		}
	}
	before := x.Count()
	if v := x.scope.name(x, e); v != nil || x.Count() > before {
		return declaredWell(v)
	}
	if x.classNamed(e.Name) != nil {
		return x.fail(e, "write new "+e.Name+"(...), or ask in properties for "+e.Name+".x", "%s is a class, not a value", e.Name)
	}
	if v := x.sharedVars[e.Name]; v != nil {
		if !x.scope.shared() {
			return x.fail(e, "", "%s is a shared variable; only parameters and constants can be used here", e.Name)
		}
		return declaredWell(build.Ref(v, e.Pos))
	}
	if p := x.params[e.Name]; p != nil {
		x.used[e.Name] = true
		c := constant(e, p.Type, p.Words...)
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
		c := constant(e, found[0], int64(slices.Index(found[0].Names, e.Name)))
		c.Name = e.Name
		return c
	case 0:
	default:
		return x.fail(e, "", "%s is a member of %s and of %s", e.Name, types.String(found[0]), types.String(found[1]))
	}
	if x.threads[e.Name] {
		return x.fail(e, "write "+e.Name+".x for its variable x", "%s is a thread, not a value", e.Name)
	}
	if e.Name == "self" {
		return x.fail(e, "", "self has a meaning only in threads")
	}
	if x.unsure {
		return nil // it may be declared in what could not be read
	}
	hint := ""
	if x.scope.thread() {
		hint = "declare it with let or var; a variable of all threads stands in the section shared"
	}
	return x.fail(e, cmp.Or(habitName(e.Name), x.scope.hint(e.Name), syntax.DidYouMean(e.Name, x.known()), hint), "unknown name %s", e.Name)
}

// declaredWell drops what was declared with an error, which has been reported already.
func declaredWell(v *step.Expr) *step.Expr {
	if v == nil || v.Type == nil {
		return nil
	}
	return v
}

func (x *checker) known() []string {
	names := x.scope.names()
	for _, b := range x.bound {
		names = append(names, b.name)
	}
	if x.scope.shared() {
		for n := range x.sharedVars {
			names = append(names, n)
		}
	}
	for n := range x.params {
		names = append(names, n)
	}
	for _, t := range x.enums {
		names = append(names, t.Names...)
	}
	slices.Sort(names)
	return names
}

// list elaborates [a, b]. Constant elements make a constant, unless that would lose the name of a parameter.
func (x *checker) list(e *syntax.Expr, want *step.Type) *step.Expr {
	if want != nil && want.Kind == step.Option {
		want = want.Elem
	}
	if want != nil && want.Sorted() {
		return x.sorted(e, want)
	}
	if want == nil || want.Kind != step.List && want.Kind != step.Queue && want.Kind != step.Array {
		if want != nil {
			return x.fail(e, "", "a list stands where %s is needed", types.String(want))
		}
		if len(e.Args) == 0 {
			return x.fail(e, "", "the type of [] is not known here")
		}
		first := x.elabType(e.Args[0])
		if first == nil {
			return nil
		}
		want = &step.Type{Kind: step.List, Elem: first, Len: len(e.Args)}
	}
	if want.Kind == step.Array && len(e.Args) != want.Len {
		return x.fail(e, "", "%d elements for an array of length %d", len(e.Args), want.Len)
	}
	if len(e.Args) > want.Len {
		return x.fail(e, "", "%d elements do not fit into %s", len(e.Args), types.String(want))
	}
	args := make([]*step.Expr, len(e.Args))
	fixed, bad := true, false
	for i, a := range e.Args {
		args[i] = x.element(a, x.assignable(a, want.Elem), want.Elem)
		if slices.ContainsFunc(e.Args[i+1:], x.emits) {
			args[i] = x.spill(args[i])
		}
		bad = bad || args[i] == nil
		fixed = fixed && !bad && args[i].Op == step.Const && (want.Kind == step.Array || x.params[args[i].Name] == nil)
	}
	if bad {
		return nil
	}
	if !fixed {
		if want.Kind == step.Array {
			return x.make(e, step.Make, want, args...)
		}
		return x.make(e, step.MakeList, want, args...)
	}
	words := make([]int64, want.Words())
	at := 0
	if want.Kind != step.Array {
		words[0], at = int64(len(args)), 1
	}
	for _, a := range args {
		at += copy(words[at:], a.Words)
	}
	return constant(e, want, words...)
}

// elabType finds the type of an expression without emitting anything; a range counts as int.
func (x *checker) elabType(e *syntax.Expr) *step.Type {
	y := *x
	if x.probes++; x.probes > maxProbes {
		x.fail(e, "", "the expression is too complex")
		return nil
	}
	if x.builder != nil {
		y.builder = newBuilder(&step.Template{}, false)
	}
	v := y.value(e, nil)
	if v == nil {
		return nil
	}
	if v.Type.Numeric() {
		return step.IntType
	}
	return v.Type
}

func (x *checker) unary(e *syntax.Expr) *step.Expr {
	switch e.Name {
	case "-":
		v := x.value(e.Args[0], step.IntType)
		if v != nil && v.Type.Kind == step.Sized {
			return x.make(e, step.Neg, v.Type, v)
		}
		if v != nil && !v.Type.Numeric() {
			return x.fail(e.Args[0], "", "this is %s, but a number is needed", types.String(v.Type))
		}
		if c := constOf(v); c != nil && c.Name == "" && c.Words[0] != math.MinInt64 {
			return intConst(e, -c.Words[0])
		}
		return x.make(e, step.Neg, step.IntType, v)
	case "!":
		v := x.truth(e.Args[0])
		if v != nil && (v.Op == step.Eq || v.Op == step.Ne) && v.Args[0].Type.Kind == step.Mutex {
			// One form for each fact about a mutex, so that what is printed reads back the same.
			return x.make(e, step.Eq+step.Ne-v.Op, step.BoolType, v.Args...)
		}
		return x.make(e, step.Not, step.BoolType, v)
	}
	return x.trylock(e)
}

// untyped expressions take their type from what they are compared with.
func untyped(e *syntax.Expr) bool {
	return e.Kind == syntax.ENull || e.Kind == syntax.EList || e.Kind == syntax.ERecord && e.Name == "" || e.Kind == syntax.EInt && e.Name == syntax.BigNumber
}

var operatorOf = map[string]step.Op{"+": step.Add, "-": step.Sub, "*": step.Mul, "/": step.Div, "%": step.Mod,
	"<": step.Lt, "<=": step.Le, ">": step.Gt, ">=": step.Ge, "==": step.Eq, "!=": step.Ne, "&&": step.And, "||": step.Or}

func (x *checker) binary(e *syntax.Expr, want *step.Type) *step.Expr {
	op := operatorOf[e.Name]
	a, b := e.Args[0], e.Args[1]
	switch op {
	case step.And, step.Or:
		left := x.truth(a)
		if !x.emits(b) {
			return x.make(e, op, step.BoolType, left, x.truth(b))
		}
		if left == nil {
			x.truth(b)
			return nil
		}
		t := x.builder.Temp(step.BoolType, e.Pos)
		x.builder.Assign(t, left)
		test := t
		if op == step.Or {
			test = x.make(e, step.Not, step.BoolType, t)
		}
		skip := x.builder.Branch(test)
		if right := x.truth(b); right != nil {
			x.builder.Assign(t, right)
		}
		x.builder.Open = append(x.builder.Open, skip)
		return t
	case step.Eq, step.Ne:
		return x.equality(e, op)
	}
	if op == step.Add && a.Kind == syntax.EList && !x.emits(a) {
		return x.prepend(e, want)
	}
	left := x.value(a, step.IntType)
	if left == nil {
		return nil
	}
	if x.emits(b) {
		left = x.spill(left)
	}
	if op == step.Add && left.Type.Kind == step.List {
		return x.concat(e, left, x.value(b, literalType(b, left.Type)), want)
	}
	left, right, t := x.unify(e.Name, a, b, left, x.value(b, left.Type))
	if t == nil {
		return nil
	}
	if op >= step.Lt && op <= step.Ge {
		return x.make(e, op, step.BoolType, left, right)
	}
	if c := constOf(right); c != nil && c.Words[0] == 0 && c.Name == "" && (op == step.Div || op == step.Mod) {
		return x.fail(b, "", "division by zero")
	}
	return x.make(e, op, t, left, right)
}

func (x *checker) equality(e *syntax.Expr, op step.Op) *step.Expr {
	a, b := e.Args[0], e.Args[1]
	if a.Kind == syntax.ENull || b.Kind == syntax.ENull {
		other := a
		if a.Kind == syntax.ENull {
			other = b
		}
		if other.Kind == syntax.ENull {
			return constant(e, step.BoolType, int64(step.Ne-op))
		}
		v := x.base(other, nil)
		if v == nil {
			return nil
		}
		if v.Type.Ref != "" {
			null := constant(e, v.Type, 0)
			null.Name = "null"
			return x.make(e, op, step.BoolType, x.read(v), null)
		}
		if v.Type.Kind != step.Option {
			return x.fail(other, "", "%s is never null", types.String(v.Type))
		}
		v = x.read(x.make(e, step.Present, step.BoolType, v))
		if op == step.Eq {
			v = x.make(e, step.Not, step.BoolType, v)
		}
		return v
	}
	var left, right *step.Expr
	literal := func(e *syntax.Expr, t *step.Type) *step.Expr {
		if e.Kind == syntax.EList && t.Len < len(e.Args) && (t.Kind == step.List || t.Kind == step.Queue) {
			// Longer than the other side can ever be, for instance because a parameter was overridden: never equal.
			t = &step.Type{Kind: t.Kind, Elem: t.Elem, Len: len(e.Args)}
		}
		return x.value(e, t)
	}
	if untyped(a) && !untyped(b) && !x.emits(a) {
		if right = x.value(b, nil); right != nil {
			left = literal(a, right.Type)
		}
	} else if left = x.value(a, nil); left != nil {
		if x.emits(b) {
			left = x.spill(left)
		}
		right = literal(b, left.Type)
	}
	if left == nil || right == nil {
		return nil
	}
	if (types.IsNumber(left.Type) || types.IsNumber(right.Type)) && x.isNumber(left.Type) && x.isNumber(right.Type) {
		left, right, t := x.unify(e.Name, a, b, left, right)
		if t == nil {
			return nil
		}
		return x.make(e, op, step.BoolType, left, right)
	}
	switch lo, ro := left.Type.Kind == step.Option, right.Type.Kind == step.Option; {
	case lo && !ro:
		right = x.coerce(b, right, left.Type)
	case ro && !lo:
		left = x.coerce(a, left, right.Type)
	}
	if left == nil || right == nil {
		return nil
	}
	if types.Pinned(left.Type) || types.Pinned(right.Type) {
		return x.fail(e, "ask m.held(), or self.holds(m)", "mutexes cannot be compared")
	}
	if left.Type.Counted() && left.Type.Kind == right.Type.Kind && left.Type.Len != right.Type.Len && types.Comparable(left.Type.Elem, right.Type.Elem) {
		if c := constOf(left); c != nil && int(c.Words[0]) > right.Type.Len {
			return constant(e, step.BoolType, int64(op-step.Eq))
		}
		if c := constOf(right); c != nil && int(c.Words[0]) > left.Type.Len {
			return constant(e, step.BoolType, int64(op-step.Eq))
		}
		return x.make(e, op, step.BoolType, left, right) // words that only one of them has are zero in equal values
	}
	if !types.Comparable(left.Type, right.Type) {
		return x.fail(e, "", "cannot compare %s with %s", types.String(left.Type), types.String(right.Type))
	}
	return x.make(e, op, step.BoolType, left, right)
}

func (x *checker) cond(e *syntax.Expr, want *step.Type) *step.Expr {
	test := x.truth(e.Args[0])
	a, b := e.Args[1], e.Args[2]
	if want == nil {
		typed := a
		if untyped(a) {
			typed = b
		}
		if want = x.elabType(typed); want == nil {
			return nil
		}
	}
	branch := func(e *syntax.Expr) *step.Expr {
		v := x.value(e, want)
		if v != nil && (untyped(e) || want.Kind == step.Option || want.Kind == step.Sized || types.Fitting(want, v.Type)) {
			v = x.coerce(e, v, want)
		}
		return v
	}
	if !x.emits(a) && !x.emits(b) {
		va, vb := branch(a), branch(b)
		if va == nil || vb == nil || test == nil {
			return nil
		}
		if !types.Comparable(va.Type, vb.Type) || types.Pinned(va.Type) {
			return x.fail(e, "", "the two values are %s and %s", types.String(va.Type), types.String(vb.Type))
		}
		t := va.Type
		if t.Numeric() && t != vb.Type {
			t = step.IntType
		}
		return x.make(e, step.Cond, t, test, va, vb)
	}
	if test == nil {
		return nil
	}
	t := x.builder.Temp(want, e.Pos)
	otherwise := x.builder.Branch(test)
	if va := x.coerce(a, branch(a), want); va != nil {
		x.builder.Assign(t, va)
	}
	after := x.builder.Open
	x.builder.Open = []*int{otherwise}
	if vb := x.coerce(b, branch(b), want); vb != nil {
		x.builder.Assign(t, vb)
	}
	x.builder.Open = append(x.builder.Open, after...)
	return t
}

// nullable is a hint at the type that has null besides the values of another.
func nullable(t *step.Type) string {
	if t.Kind == step.Int || t.Kind == step.Bool || t.Kind == step.Enum {
		return "a value that may be missing has the type " + types.String(t) + "?"
	}
	return ""
}

// code makes code with the position of an expression.
func (x *checker) codeAt(e *syntax.Expr) *build.Code {
	c := &build.Code{At: e.Pos, Make: func(op step.Op, t *step.Type, args ...*step.Expr) *step.Expr { return x.make(e, op, t, args...) }}
	if x.builder != nil {
		c.Builder = x.builder.Builder
	}
	return c
}
