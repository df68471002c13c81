package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
)

// checkCall elaborates name(args).
func checkCall(x *Checker, e *syntax.Expr, want *step.Type) *step.Expr {
	if v := x.Chosen[e]; v != nil {
		return v
	}
	if e.Op {
		return FailNoOperation(x, e)
	}
	if v, is := x.scope.call(x, e); is {
		return v
	}
	arity := map[string]int{"cas": 3, "fetch_add": 2, "swap": 2, "min": 2, "max": 2, "abs": 1}
	n, ok := arity[e.Name]
	if !ok {
		return declaredCall(x, e, want)
	}
	if len(e.Args) != n {
		hint := ""
		if len(e.Args) > 2 && (e.Name == "min" || e.Name == "max") {
			hint = fmt.Sprintf("write %s(a, %s(b, c))", e.Name, e.Name)
		} else if len(e.Args) == 1 && n == 2 && e.Name[0] == 'm' {
			hint = "write " + e.Name + "(a, b); a set has xs." + e.Name +
				"(), an array has none: go through it with for"
		}
		return x.Fail(e, hint, "%s takes %d arguments, not %d", e.Name, n, len(e.Args))
	}
	switch e.Name {
	case "min", "max":
		a, b := x.pair(e.Args[0], e.Args[1], step.IntType, step.IntType)
		a, b, t := Unify(x, e.Name, e.Args[0], e.Args[1], a, b)
		if t == nil {
			return nil
		}
		op := step.Le
		if e.Name == "max" {
			op = step.Ge
		}
		return x.Make(e, step.Cond, t, x.Make(e, op, step.BoolType, a, b), a, b)
	case "abs":
		a := x.Integer(e.Args[0])
		return x.Make(e, step.Cond, step.IntType, x.Make(e, step.Ge, step.BoolType, a, IntConst(e, 0)), a,
			x.Make(e, step.Neg, step.IntType, a))
	}
	return AtomicOp(x, e, true)
}

// Builtins are the functions of the language.
var Builtins = []string{"cas", "fetch_add", "swap", "min", "max", "abs", "any", "all", "int"}

// declaredCall elaborates a call of what the program declares, or a conversion.
func declaredCall(x *Checker, e *syntax.Expr, want *step.Type) *step.Expr {
	if v, is := checkConversion(x, e); is {
		return v
	}
	if f := x.Funcs[e.Name]; f != nil {
		return callFunction(x, e, f)
	}
	if d := x.Procs[e.Name]; d != nil {
		return x.Fail(e, "write let v = "+e.Name+"(...) before it",
			"a call of procedure %s stands alone, as a statement or after =", e.Name)
	}
	if t := x.Types[e.Name]; t != nil {
		return checkConstruct(x, e, recordNamed(x.Table, e.Name, want))
	}
	if e.Name == "old" {
		return x.Fail(e, "", "old(...) is for check.transition: the value before a step")
	}
	known := slices.AppendSeq(slices.Clone(Builtins), maps.Keys(x.Funcs))
	known = append(slices.AppendSeq(known, maps.Keys(x.Procs)), x.scope.calls()...)
	slices.Sort(known)
	if e.Name == "any" || e.Name == "all" {
		return x.Fail(e, "write xs."+e.Name+"(v, condition) to ask about elements", "%s(...) cannot stand here", e.Name)
	}
	if x.Faulty[e.Name] || x.Unsure {
		return nil
	}
	return x.Fail(e, cmp.Or(syntax.ForeignFunction(e.Name), syntax.TemporalCall(x.Key, e.Name),
		syntax.DidYouMean(e.Name, known)),
		"unknown function %s", e.Name)
}

func self(e *syntax.Expr, of int) *step.Expr {
	return &step.Expr{Op: step.Me, Type: step.MutexType, Pos: e.Pos, Of: of}
}

// MutexAt elaborates an expression that must be a mutex.
func MutexAt(x *Checker, e *syntax.Expr) *step.Expr {
	m := x.Base(e, nil)
	if m != nil && m.Type.Kind != step.Mutex {
		return x.Fail(e, "declare a lock in the section shared, m: mutex", "this is %s, but a mutex is needed",
			types.String(m.Type))
	}
	return m
}

// askWaits elaborates p.waits(c): the process waits at a condition variable and has not been woken.
func askWaits(x *Checker, e *syntax.Expr, of int) *step.Expr {
	c := x.Base(e.Args[1], nil)
	if c == nil {
		return nil
	}
	if c.Type.Sync != "cond" {
		return x.Fail(e.Args[1], "", "this is %s, but a condition variable is needed", types.String(c.Type))
	}
	if !WritesOut(x, e, c.Type.Fields[0].Type) {
		return nil
	}
	return x.Read(primitive.Cond{Place: c}.Waits(x.CodeAt(e), self(e, of)))
}

// checkMethod elaborates a.name(args).
func checkMethod(x *Checker, e *syntax.Expr) *step.Expr {
	if e.Op {
		return FailNoOperation(x, e)
	}
	recv, args, before := e.Args[0], e.Args[1:], x.Count()
	takes := func(n int) bool { return takesArguments(x, e, n) }
	if e.Name == "holds" || e.Name == "waits" {
		return askProcess(x, e)
	}
	switch e.Name {
	case "all", "any", "count", "sum":
		return quantify(x, e)
	case "pop":
		return checkPop(x, e)
	case "get":
		if IsGet(e) {
			return GetResult(x, e, true)
		}
	}
	v := x.Base(recv, nil)
	if v == nil {
		return nil
	}
	t := v.Type
	if types.IsActor(t) {
		return x.Fail(e, "send a message: o!"+e.Name+"(...)",
			"only methods of self can be called, as a statement or after =")
	}
	if slices.ContainsFunc(args, x.Emits) {
		v = x.SpillIndices(v)
	}
	if t.Sync == "sem" && e.Name == "try_acquire" && takes(0) {
		return tryAcquire(x, e, v)
	}
	if r, is := checkCollection(x, e, v); is {
		return r
	}
	size := func() *step.Expr { return x.Make(e, step.Size, step.IntType, v) }
	switch {
	case t.Kind == step.Mutex && (e.Name == "held" || e.Name == "free") && takes(0):
		op := step.Ne
		if e.Name == "free" {
			op = step.Eq
		}
		return x.Read(x.Make(e, op, step.BoolType, v, Constant(e, step.MutexType, 0)))
	case types.IsWaitable(t) && e.Name == "done" && takes(0):
		return checkDone(x, e, v)
	case t.Kind == step.Array && e.Name == "size" && takes(0):
		return IntConst(e, int64(t.Len))
	case t.Counted() && e.Name == "size" && takes(0):
		return x.Read(size())
	case t.Counted() && e.Name == "empty" && takes(0):
		return x.Read(x.Make(e, step.Eq, step.BoolType, size(), IntConst(e, 0)))
	case t.Counted() && e.Name == "full" && takes(0):
		limit := IntConst(e, int64(t.Len))
		if c := x.Lengths[t]; c != nil {
			limit = Constant(e, step.IntType, c.Words...)
			limit.Name = c.Name
		}
		return x.Read(x.Make(e, step.Eq, step.BoolType, size(), limit))
	case t.Kind == step.Queue && e.Name == "front" && takes(0):
		return x.Read(x.Make(e, step.Index, t.Elem, v, IntConst(e, 0)))
	case t.Kind == step.List && e.Name == "last" && takes(0):
		return x.Read(x.Make(e, step.Index, t.Elem, v, x.Make(e, step.Sub, step.IntType, size(), IntConst(e, 1))))
	case (types.IsSequence(t) || t.Kind == step.Array) && e.Name == "contains" && takes(1):
		return checkContains(x, e, v, args[0])
	case types.IsSequence(t) && (e.Name == "push" || e.Name == "append"):
		return x.Fail(e, "", "%s is a statement and has no value", e.Name)
	}
	return FailNoMethod(x, e, t, before)
}

// askProcess is p.holds(m) or p.waits(c).
func askProcess(x *Checker, e *syntax.Expr) *step.Expr {
	recv, args, before := e.Args[0], e.Args[1:], x.Count()
	of, ok := x.scope.process(x, recv)
	if !ok {
		if x.Count() == before {
			x.Fail(recv, map[string]string{"holds": "write self.holds(m)", "waits": "write self.waits(c)"}[e.Name],
				"%s asks a process", e.Name)
		}
		return nil
	}
	if !takesArguments(x, e, 1) {
		return nil
	}
	if e.Name == "waits" {
		return askWaits(x, e, of)
	}
	return x.Read(x.Make(e, step.Eq, step.BoolType, MutexAt(x, args[0]), self(e, of)))
}

// takesArguments reports whether a method is called with so many arguments, and says so if not.
func takesArguments(x *Checker, e *syntax.Expr, n int) bool {
	if len(e.Args) != n+1 {
		x.Fail(e, "", "%s takes %s, not %d", e.Name, syntax.Plural(n, "argument"), len(e.Args)-1)
	}
	return len(e.Args) == n+1
}

// FailNoMethod reports a method that a type does not have here, unless something has been reported since before.
func FailNoMethod(x *Checker, e *syntax.Expr, t *step.Type, before int) *step.Expr {
	known := Methods(t)
	if slices.Contains(known, e.Name) {
		if x.Count() == before {
			x.Fail(e, "", "%s is a statement without a value, or takes other arguments", e.Name)
		}
		return nil
	}
	hint := cmp.Or(HabitMethod(t, e.Name), syntax.DidYouMean(e.Name, known))
	if hint == "" && len(known) > 0 {
		hint = "it has " + strings.Join(known, ", ")
	}
	x.Report(e.NameAt, e.End, hint, "%s has no method %s", types.String(t), e.Name)
	x.EditMethod(e, hint)
	return nil
}

// Methods are the names of the methods of a type.
func Methods(t *step.Type) []string {
	switch {
	case types.IsWaitable(t) && (t.Ref == "tid" || t.Ref == "fut[]"):
		return []string{"done"}
	case types.IsWaitable(t):
		return []string{"done", "get"}
	}
	switch t.Kind {
	case step.Mutex:
		return []string{"held", "free"}
	case step.Array:
		return []string{"size", "contains", "all", "any", "count", "sum"}
	case step.List:
		return []string{"append", "insert", "remove", "clear", "sort", "reverse", "pop", "last", "size", "empty",
			"full", "contains", "all", "any", "count", "sum"}
	case step.Set, step.Bag:
		return []string{"add", "remove", "clear", "has", "min", "max", "at", "including", "without", "size", "empty",
			"full", "all", "any", "count", "sum"}
	case step.Map:
		return []string{"put", "get", "remove", "clear", "has", "at", "including", "without", "size", "empty", "full",
			"all", "any", "count", "sum"}
	case step.Record:
		list := slices.Clone(Operations[t.Sync])
		if t.Sync == "sem" {
			list = append(list, "try_acquire")
		}
		return list
	case step.Queue:
		return []string{"push", "pop", "front", "size", "empty", "full", "contains", "all", "any", "count", "sum"}
	}
	return nil
}

// WritesOut counts the elements of a value that are written out, and reports if these are too many.
func WritesOut(x *Checker, e *syntax.Expr, t *step.Type) bool {
	if x.Unrolled += t.Len; x.Unrolled > maxUnrolled {
		x.Fail(e, "", "too many elements to write out")
		return false
	}
	return true
}

// elementsOf calls f with each element that a value can have and the condition under which it has it (nil: always).
func elementsOf(x *Checker, e *syntax.Expr, v *step.Expr, f func(elem, present *step.Expr) bool) bool {
	if !WritesOut(x, e, v.Type) {
		return false
	}
	for elem, present := range x.CodeAt(e).Elements(v) {
		if elem == nil || !f(elem, present) {
			return false
		}
	}
	return true
}

// JoinConditions combines conditions; nil means none yet.
func JoinConditions(x *Checker, e *syntax.Expr, op step.Op, a, b *step.Expr) *step.Expr {
	return x.CodeAt(e).Join(op, a, b)
}

func checkContains(x *Checker, e *syntax.Expr, v *step.Expr, arg *syntax.Expr) *step.Expr {
	v = x.SpillIndicesFor(arg, v)
	what := x.Assignable(arg, v.Type.Elem)
	if what == nil || !WritesOut(x, e, v.Type) {
		return nil
	}
	return x.Read(x.CodeAt(e).Among(v, what))
}

// quantify writes out xs.all(v, condition), any, count, and sum(v, number) or sum(). Under split it is one step.
func quantify(x *Checker, e *syntax.Expr) *step.Expr {
	args := e.Args[1:]
	if !(len(args) == 2 && args[0].Kind == syntax.EName && args[0].Name != "self") &&
		!(len(args) == 0 && e.Name == "sum") {
		return x.Fail(e, "", "write xs.%s(v, ...) with a name v for the element", e.Name)
	}
	return x.Read(writtenOut(x.Pure(), e, args))
}

func writtenOut(x *Checker, e *syntax.Expr, args []*syntax.Expr) *step.Expr {
	v := x.Base(e.Args[0], nil)
	if v == nil {
		return nil
	}
	if !v.Type.Counted() && v.Type.Kind != step.Array {
		x.Report(e.NameAt, e.End, "", "%s has no method %s", types.String(v.Type), e.Name)
		return nil
	}
	var result *step.Expr
	if e.Name == "count" || e.Name == "sum" {
		result = IntConst(e, 0)
	}
	ok := elementsOf(x, e, v, func(elem, present *step.Expr) bool {
		body := elem
		if len(args) == 2 {
			x.Mention(syntax.Mention{Pos: args[0].Pos, What: "variable", Name: args[0].Name, Decl: args[0].Pos},
				elem.Type)
			x.Bound = append(x.Bound, Binding{args[0].Name, args[0].Pos, elem})
			if e.Name == "sum" {
				body = x.Integer(args[1])
			} else {
				body = x.Truth(args[1])
			}
			x.Bound = x.Bound[:len(x.Bound)-1]
		} else if !elem.Type.Numeric() {
			return x.Fail(e, "", "sum needs numbers, and the elements are %s", types.String(elem.Type)) != nil
		}
		if body == nil {
			return false
		}
		zero := IntConst(e, 0)
		switch e.Name {
		case "all":
			if present != nil {
				body = x.Make(e, step.Or, step.BoolType, x.Make(e, step.Not, step.BoolType, present), body)
			}
			result = JoinConditions(x, e, step.And, result, body)
		case "any":
			result = JoinConditions(x, e, step.Or, result, JoinConditions(x, e, step.And, present, body))
		default:
			if e.Name == "count" {
				if present != nil {
					body = x.Make(e, step.And, step.BoolType, present, body)
				}
				body = x.Make(e, step.Cond, step.IntType, body, IntConst(e, 1), zero)
			} else if present != nil {
				body = x.Make(e, step.Cond, step.IntType, present, body, zero)
			}
			result = x.Make(e, step.Add, step.IntType, result, body)
		}
		return result != nil
	})
	switch {
	case !ok:
		return nil
	case result == nil:
		return Constant(e, step.BoolType, map[string]int64{"all": 1, "any": 0}[e.Name])
	}
	return result
}

// Operations of the primitives, which are statements.
var Operations = map[string][]string{
	"sem": {"acquire", "release"}, "rwlock": {"rlock", "runlock", "wlock", "wunlock"},
	"cond":    {"wait", "signal", "broadcast"},
	"barrier": {"wait"}, "waitgroup": {"add", "done", "wait"}, "chan": {"close"}, "once": nil,
}

// failEffect reports an expression that changes something where only values are asked for.
func failEffect(x *Checker, e *syntax.Expr) *step.Expr {
	hint := ""
	if x.scope.thread() {
		hint = "write it as a statement of its own: let v = " + x.File.Between(e.Pos, e.End)
	}
	return x.Fail(e, hint, "an expression here must not change anything")
}

// tryAcquire emits s.try_acquire() and returns whether it succeeded.
func tryAcquire(x *Checker, e *syntax.Expr, s *step.Expr) *step.Expr {
	if x.Builder == nil {
		return failEffect(x, e)
	}
	return primitive.Semaphore{Place: s}.TryAcquire(x.CodeAt(e))
}

// AtomicOp emits cas, fetch_add or swap. The old value is kept only if it is used.
func AtomicOp(x *Checker, e *syntax.Expr, used bool) *step.Expr {
	p := x.Place(e.Args[0])
	if p == nil {
		return nil
	}
	if types.Pinned(p.Type) {
		return x.Fail(e.Args[0], "use lock, unlock and trylock", "%s does not work on a mutex", e.Name)
	}
	if e.Name == "fetch_add" && !types.IsNumber(p.Type) {
		return x.Fail(e.Args[0], "", "fetch_add needs a number, and this is %s", types.String(p.Type))
	}
	args := make([]*step.Expr, len(e.Args)-1)
	for i, a := range e.Args[1:] {
		if x.Emits(a) {
			p = x.SpillIndices(p)
			for k := range i {
				args[k] = x.Spill(args[k])
			}
		}
		if args[i] = x.Assignable(a, p.Type); args[i] == nil {
			return nil
		}
	}
	switch c := x.CodeAt(e); e.Name {
	case "cas":
		return primitive.CompareAndSwap(c, p, args[0], args[1])
	case "swap":
		return primitive.Swap(c, p, args[0], used)
	default:
		return primitive.FetchAdd(c, p, args[0], used)
	}
}

// tryLock emits an attempt to take a mutex.
func tryLock(x *Checker, e *syntax.Expr) *step.Expr {
	m := MutexAt(x, e.Args[0])
	if m == nil {
		return nil
	}
	if x.Builder == nil {
		return failEffect(x, e)
	}
	return primitive.Mutex{Place: m}.TryLock(x.CodeAt(e))
}

// checkPop emits the removal of an element: the head of a queue, the end of a list.
func checkPop(x *Checker, e *syntax.Expr) *step.Expr {
	if len(e.Args) != 1 {
		return x.Fail(e, "write pop(): the last of a list, the first of a queue; xs.remove(i) removes others",
			"pop takes no arguments")
	}
	p := x.Place(e.Args[0])
	if p == nil {
		return nil
	}
	if !types.IsSequence(p.Type) {
		x.Report(e.NameAt, e.End, "", "%s has no method pop", types.String(p.Type))
		return nil
	}
	result := x.Builder.Temp(p.Type.Elem, e.Pos)
	x.Builder.Plain(func() {
		size := x.Make(e, step.Size, step.IntType, p)
		x.Builder.Emit(step.Node{Kind: step.Check, Cond: x.Make(e, step.Gt, step.BoolType, size, IntConst(e, 0)),
			Fault: step.Empty})
		at, kind := IntConst(e, 0), step.PopHead
		if p.Type.Kind == step.List {
			at, kind = x.Make(e, step.Sub, step.IntType, size, IntConst(e, 1)), step.PopTail
		}
		x.Builder.Assign(result, x.Make(e, step.Index, p.Type.Elem, p, at))
		x.Builder.Emit(step.Node{Kind: kind, Dst: p})
	})
	return result
}

// ChannelAt elaborates an expression that must be a channel.
func ChannelAt(x *Checker, e *syntax.Expr) (c primitive.Channel, ok bool) {
	p := x.Base(e, nil)
	if p != nil && p.Type.Sync != "chan" {
		x.Fail(e, "", "this is %s, but a channel is needed", types.String(p.Type))
		return c, false
	}
	return primitive.Channel{Place: p}, p != nil
}

// Receive elaborates recv c.
func Receive(x *Checker, e *syntax.Expr, used bool) *step.Expr {
	c, ok := channelOf(x, e)
	if !ok {
		return nil
	}
	return c.Receive(x.CodeAt(e), used)
}

// ReceiveOrClosed elaborates the recv c of v, ok = recv c.
func ReceiveOrClosed(x *Checker, e *syntax.Expr, used bool) (value, ok *step.Expr) {
	c, is := channelOf(x, e)
	if !is {
		return nil, nil
	}
	return c.ReceiveOrClosed(x.CodeAt(e), used)
}

// channelOf is the channel of recv c.
func channelOf(x *Checker, e *syntax.Expr) (c primitive.Channel, ok bool) {
	y := x
	if x.Builder == nil {
		failEffect(x, e)
		return c, false
	}
	if !x.Builder.Split() {
		y = x.Pure() // nothing may come before the node that blocks
	}
	return ChannelAt(y, e.Args[0])
}

// changesState demands a place where something may happen.
func changesState(x *Checker, e *syntax.Expr) bool {
	if x.Builder == nil || !x.scope.changes() {
		failEffect(x, e)
		return false
	}
	return true
}
