package lower

import (
	"cmp"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

func init() {
	lowerings = map[syntax.StmtKind]func(*lowering, *syntax.Stmt){
		syntax.SVar: (*lowering).store, syntax.SAssign: (*lowering).store, syntax.SExpr: (*lowering).expression,
		syntax.SWith: lowerWith, syntax.SOnce: lowerOnce, syntax.SSend: lowerSend, syntax.SChoose: lowerChoose,
		syntax.SSelect: lowerSelect, syntax.SMail: lowerMail, syntax.SReceive: lowerReceive,
		syntax.SIf: (*lowering).branches, syntax.SWhile: (*lowering).while, syntax.SForRange: forRange,
		syntax.SForEach: forEach, syntax.SBreak: (*lowering).jump, syntax.SContinue: (*lowering).jump,
		syntax.SReturn: (*lowering).jump, syntax.SAtomic: (*lowering).atomicBlock,
		syntax.SBlock: func(lo *lowering, s *syntax.Stmt) { lo.stmts(s.Body) }, syntax.SOp: lowerOperation,
		syntax.SJoin:  func(lo *lowering, s *syntax.Stmt) { joinThread(lo.Checker, s) },
		syntax.SAwait: (*lowering).awaits, syntax.SLock: (*lowering).lock, syntax.SUnlock: (*lowering).lock,
		syntax.SAssert: (*lowering).demand, syntax.SAssume: (*lowering).demand, syntax.SPrint: (*lowering).print,
		syntax.SYield: (*lowering).yield, syntax.SSkip: func(*lowering, *syntax.Stmt) {},
		syntax.SClosed: func(*lowering, *syntax.Stmt) {},
	}
}

// demand lowers assert and assume.
func (lo *lowering) demand(s *syntax.Stmt) {
	n := step.Node{Kind: step.Assume}
	if s.Kind == syntax.SAssert {
		n = step.Node{Kind: step.Check, Fault: step.Assertion, Msg: s.Text}
	}
	lo.condition(s, func(c *step.Expr) { n.Cond = c; lo.Builder.Emit(n) })
}

func (lo *lowering) print(s *syntax.Stmt) {
	hoistChoices(lo, s.Value)
	lo.Builder.Simple(func() { lowerPrint(lo.Checker, lo.loader, s.Value) })
}

// yield is a step of an actor only: threads may be interrupted between steps anyway.
func (lo *lowering) yield(s *syntax.Stmt) {
	if lo.Builder.Actor != nil {
		at := &syntax.Expr{Pos: s.Pos, End: s.End}
		lo.Builder.Unit(func() { check.BlockOf(lo.Checker, at, check.Constant(at, step.BoolType, 1), true) })
	}
}

// store lowers a declaration or an assignment.
func (lo *lowering) store(s *syntax.Stmt) {
	switch {
	case s.Ok != nil:
		receiveTwo(lo, s)
	case s.Kind == syntax.SVar:
		lo.declaration(s)
	default:
		lo.assign(s)
	}
}

// assign lowers an assignment.
func (lo *lowering) assign(s *syntax.Stmt) {
	b := lo.Builder
	s = lo.prepared(s)
	from := len(b.Nodes)
	b.Simple(func() { lo.assignment(s) })
	if b.Atomic == 0 && !b.Access() {
		lo.loader.findings.Assignment(s.Pos, s.End, b.Nodes[from:], b.Template)
	}
}

// prepared emits what comes before an assignment or a declaration: the call of a procedure whose result it stores,
// choices, and waiting. It returns the statement behind that.
func (lo *lowering) prepared(s *syntax.Stmt) *syntax.Stmt {
	behind := *s
	if check.CallsProcedure(lo.Checker.Builder, lo.Checker.Table, s.Value) != nil {
		behind.Value = inlineCalled(lo, s.Value)
	}
	hoistChoices(lo, s.Place, behind.Value)
	behind.Value = lo.ahead(behind.Value)
	return &behind
}

// expression lowers a call or another expression that stands alone.
func (lo *lowering) expression(s *syntax.Stmt) {
	b := lo.Builder
	if d := check.CallsProcedure(lo.Checker.Builder, lo.Checker.Table, s.Value); d != nil {
		inlineCall(lo, s.Value, d)
		return
	}
	if s.Value.Op {
		check.FailNoOperation(lo.Checker, s.Value)
		return
	}
	if check.IsMail(lo.Checker, s.Value) {
		lowerMail(lo, mailOf(s))
		return
	}
	hoistChoices(lo, s.Value)
	if !syncOperation(lo.Checker, lo.loader, s.Value) {
		e := lo.ahead(s.Value)
		b.Simple(func() { lowerEffect(lo.Checker, e) })
	}
}

// branches lowers if.
func (lo *lowering) branches(s *syntax.Stmt) {
	b := lo.Builder
	var otherwise *int
	if !lo.condition(s, func(c *step.Expr) { otherwise = b.Branch(c) }) {
		lo.stmts(s.Body)
		lo.stmts(s.Orelse)
		return
	}
	lo.stmts(s.Body)
	b.Otherwise(otherwise, func() { lo.stmts(s.Orelse) })
}

// while lowers while.
func (lo *lowering) while(s *syntax.Stmt) {
	b := lo.Builder
	head := len(b.Nodes)
	var exit *int
	if !lo.condition(s, func(c *step.Expr) { exit = b.Branch(c) }) {
		b.Emit(step.Node{}) // keeps break and continue meaningful after an error
	}
	lo.loop(s.Body, 0, func() { b.Connect(b.Open, head) })
	if exit != nil {
		if b.Atomic == 0 && !lo.pureCode {
			lo.loader.findings.Loop(s.Cond.Pos, s.Cond.End, b.Nodes[head:len(b.Nodes):len(b.Nodes)], b.Template)
		}
		b.Open = append(b.Open, exit)
	}
}

// awaits lowers await: for a condition, or for a future, a thread or the like.
func (lo *lowering) awaits(s *syntax.Stmt) {
	b := lo.Builder
	if types.IsWaitable(lo.Probe(s.Cond)) {
		e := lo.ahead(&syntax.Expr{Kind: syntax.EAwait, Pos: s.Pos, End: s.End, Args: []*syntax.Expr{s.Cond}}).Args[0]
		if f := check.Waitable(lo.Checker, e); f != nil {
			check.WaitFor(lo.Checker, e, f)
		}
		return
	}
	b.Unit(func() {
		if c := lo.Pure().Truth(s.Cond); c != nil {
			check.BlockOf(lo.Checker, s.Cond, c, true)
		}
	})
}

// lowerPrint emits the assignment of a value to a variable that nothing reads: who looks at the step sees it.
func lowerPrint(x *check.Checker, l *loader, e *syntax.Expr) {
	v := x.Value(e, nil)
	if v == nil {
		return
	}
	if types.Pinned(v.Type) {
		x.Fail(e, "", "a %s cannot be printed", types.PinnedWord(v.Type))
		return
	}
	to := x.Builder.Temp(v.Type, e.Pos)
	to.Var.Printed = l.File.Between(e.Pos, e.End)
	x.Builder.Assign(to, v)
}

func (lo *lowering) declaration(s *syntax.Stmt) {
	fixed := ""
	if s.Fixed {
		fixed = "declared with let"
	}
	if s.Type == nil && s.Value == nil { // not understood by the parser
		lo.forget(s)
		return
	}
	var t *step.Type
	if s.Type != nil {
		if t = lo.ResolveType(lo.Reporter, s.Type); t == nil {
			lo.forget(s)
			return
		}
	}
	s = lo.prepared(s)
	var v *step.Var
	lo.Builder.Simple(func() {
		var value *step.Expr
		switch {
		case s.Value == nil:
			value = &step.Expr{Op: step.Const, Type: t, Pos: s.NameAt, Words: primitive.Initial(t), Of: step.Own}
		case t != nil:
			value = lo.Assignable(s.Value, t)
		default:
			if value = lo.Value(s.Value, nil); value != nil {
				t = value.Type
				if t.Numeric() {
					t = step.IntType
				}
			}
		}
		if value == nil {
			return
		}
		if v = lo.declare(s, t, fixed); v != nil {
			lo.Builder.Assign(build.Ref(v, s.NameAt), value)
		}
	})
	if v == nil {
		lo.forget(s)
	}
}

func (lo *lowering) assignment(s *syntax.Stmt) {
	if t := check.MapElement(lo.Checker, s.Place); t != nil {
		putElement(lo.Checker, s, t)
		return
	}
	if lo.undeclared(s) {
		lo.Value(s.Value, nil)
		return
	}
	p := lo.Place(s.Place)
	if p == nil {
		lo.Value(s.Value, nil)
		return
	}
	if types.Pinned(p.Type) {
		hint := ""
		if p.Type.Kind == step.Mutex {
			hint = "use lock and unlock"
		}
		lo.Report(s.Pos, s.End, hint, "a %s cannot be assigned", types.PinnedWord(p.Type))
		return
	}
	p = lo.SpillIndicesFor(s.Value, p)
	if s.Op == "" {
		if v := lo.Assignable(s.Value, p.Type); v != nil {
			lo.Builder.Assign(p, v)
		}
		return
	}
	if s.Op == "+" && p.Type.Kind == step.List {
		extendList(lo.Checker, s, p)
		return
	}
	if !types.IsNumber(p.Type) {
		lo.Report(s.Place.Pos, s.Place.End, "", "%s= needs a number, and this is %s", s.Op, types.String(p.Type))
		return
	}
	old := lo.Read(p)
	if lo.Emits(s.Value) && s.Value.Kind != syntax.ERecv { // nothing may come before a receive
		old = lo.Spill(old)
	}
	_, v, t := check.Unify(lo.Checker, s.Op+"=", s.Place, s.Value, p, lo.Value(s.Value, p.Type))
	if p.Type.Numeric() && t != nil && t.Kind == step.Sized {
		lo.Fail(s.Value, "convert it: int(...)", "this is %s, but %s is needed", types.String(v.Type),
			types.String(p.Type))
		return
	}
	if t != nil {
		if c := check.ConstOf(v); c != nil && c.Words[0] == 0 && c.Name == "" && (s.Op == "/" || s.Op == "%") {
			lo.Report(s.Value.Pos, s.Value.End, "", "division by zero")
			return
		}
		whole := &syntax.Expr{Kind: syntax.EBinary, Pos: s.Place.Pos, End: s.End}
		if sum := lo.Make(whole, check.OperatorOf[s.Op], t, old, v); sum != nil {
			lo.Builder.Assign(p, sum)
		}
	}
}

// undeclared reports an assignment to a name that nothing declares, and makes the name known, so that its uses are not
// reported as well.
func (lo *lowering) undeclared(s *syntax.Stmt) bool {
	e := s.Place
	if e.Kind != syntax.EName || syntax.IsTypeWord(e.Name) || check.HabitName(e.Name) != "" ||
		pureScope(lo.Checker, e.Name) || lo.Unsure {
		return false
	}
	silent := *lo.Checker
	silent.Reporter = lo.Silent()
	if silent.Resolve(e, nil) != nil || silent.Count() == 0 {
		return false
	}
	hint := "declare it first: var " + e.Name + " int; a variable of all threads stands in the section shared"
	lo.Report(e.Pos, e.End, cmp.Or(syntax.DidYouMean(e.Name, lo.Known()), hint), "unknown name %s", e.Name)
	lo.EditUndeclared(s)
	lo.forget(&syntax.Stmt{Name: e.Name, NameAt: e.Pos})
	return true
}

// pureScope reports whether a name means something that is no variable.
func pureScope(x *check.Checker, name string) bool {
	return x.Threads[name] || name == "self" || x.ClassNamed(name) != nil || x.SharedVars[name] != nil ||
		x.Params[name] != nil
}

// extendList emits xs += ys.
func extendList(x *check.Checker, s *syntax.Stmt, p *step.Expr) {
	old := x.SpillFor(s.Value, x.Read(p))
	whole := &syntax.Expr{Kind: syntax.EBinary, Name: "+", Pos: s.Place.Pos, End: s.End,
		Args: []*syntax.Expr{s.Place, s.Value}}
	if v := check.Concat(x, whole, old, x.Value(s.Value, check.LiteralType(s.Value, p.Type)), p.Type); v != nil {
		x.Builder.Assign(p, v)
	}
}

// lowerEffect emits a call whose value is not used.
func lowerEffect(x *check.Checker, e *syntax.Expr) {
	switch {
	case changeCollection(x, e):
		return
	case e.Kind == syntax.ERecv:
		check.Receive(x, e, false)
		return
	case check.IsGet(e) && types.IsWaitable(x.Probe(e.Args[0])):
		check.GetResult(x, e, false)
		return
	case e.Kind == syntax.EMethod && (e.Name == "push" || e.Name == "append"):
		addElement(x, e)
		return
	case e.Kind == syntax.EMethod && e.Name == "pop" && len(e.Args) == 1:
		if p := x.Place(e.Args[0]); p != nil {
			if p.Type.Kind == step.Queue || p.Type.Kind == step.List {
				kind := step.PopHead
				if p.Type.Kind == step.List {
					kind = step.PopTail
				}
				x.Builder.Plain(func() { x.Builder.Emit(step.Node{Kind: kind, Dst: p}) })
			} else {
				x.Report(e.NameAt, e.End, "", "%s has no method pop", types.String(p.Type))
			}
		}
		return
	case e.Kind == syntax.ECall && e.Name == "swap" && len(e.Args) == 2:
		lowerExchange(x, e)
		return
	case e.Kind == syntax.ECall && e.Name == "fetch_add" && len(e.Args) == 2:
		check.AtomicOp(x, e, false)
		return
	}
	if v := x.Value(e, nil); v != nil && !x.Emits(e) {
		x.Report(e.Pos, e.End, "", "this expression does nothing")
	}
}

// addElement emits push and append.
func addElement(x *check.Checker, e *syntax.Expr) {
	p := x.Place(e.Args[0])
	if p == nil {
		return
	}
	want := map[string]step.Kind{"push": step.Queue, "append": step.List}[e.Name]
	if p.Type.Kind != want {
		hint := check.HabitMethod(p.Type, e.Name)
		if p.Type.Kind == step.Array {
			hint = "an array has a fixed size: write xs[i] = value, or declare a list[T, capacity]"
		}
		x.Report(e.NameAt, e.End, hint, "%s has no method %s", types.String(p.Type), e.Name)
		x.EditMethod(e, hint)
		return
	}
	if len(e.Args) != 2 {
		x.Report(e.Pos, e.End, "", "%s takes 1 argument, not %d", e.Name, len(e.Args)-1)
		return
	}
	p = x.SpillIndicesFor(e.Args[1], p)
	v := x.Element(e.Args[1], x.Assignable(e.Args[1], p.Type.Elem), p.Type.Elem)
	if v != nil {
		x.Builder.Plain(func() { x.Builder.Emit(step.Node{Kind: step.Append, Dst: p, Src: v}) })
	}
}

// lowerExchange emits swap(a, b) as a statement: two places exchange their values.
func lowerExchange(x *check.Checker, e *syntax.Expr) {
	a := x.SpillIndicesFor(e.Args[1], x.Place(e.Args[0]))
	b := x.Place(e.Args[1])
	if a == nil || b == nil {
		return
	}
	if !types.Fits(a.Type, b.Type) || !types.Fits(b.Type, a.Type) || types.Pinned(a.Type) {
		x.Report(e.Pos, e.End, "", "cannot exchange %s and %s", types.String(a.Type), types.String(b.Type))
		return
	}
	x.Builder.Unit(func() {
		// Writing a must not change which element b means.
		a, b = x.SpillIndices(a), x.SpillIndices(b)
		t := x.Builder.Temp(a.Type, e.Pos)
		x.Builder.Assign(t, a)
		x.Builder.Assign(a, b)
		x.Builder.Assign(b, t)
	})
}

func (lo *lowering) lock(s *syntax.Stmt) {
	m := check.MutexAt(unmoved(lo.Checker), s.Place)
	if m == nil {
		return
	}
	if s.Kind == syntax.SLock {
		primitive.Mutex{Place: m}.Lock(lo.CodeAt(s.Place))
	} else {
		primitive.Mutex{Place: m}.Unlock(lo.CodeAt(s.Place))
	}
}

func (lo *lowering) jump(s *syntax.Stmt) {
	b := lo.Builder
	if s.Kind == syntax.SReturn {
		lowerReturn(lo, s)
		return
	}
	if len(lo.loops) > 0 {
		leaveWiths(lo, lo.loops[len(lo.loops)-1].withs)
	}
	// A node of its own, since the open ends may be the entry of a loop head that is still to come.
	n := b.Emit(step.Node{})
	end := []*int{&n.Next}
	b.Open = nil
	if len(lo.loops) == 0 {
		lo.Report(s.Pos, s.End, "", "there is no loop to leave or continue here")
		return
	}
	this := &lo.loops[len(lo.loops)-1]
	if s.Kind == syntax.SBreak {
		this.breaks = append(this.breaks, end...)
	} else {
		this.continues = append(this.continues, end...)
	}
}

func forRange(lo *lowering, s *syntax.Stmt) {
	b := lo.Builder
	lo.names.Visible = append(lo.names.Visible, map[string]check.Local{})
	defer func() { lo.names.Visible = lo.names.Visible[:len(lo.names.Visible)-1] }()
	hoistChoices(lo, s.Value, s.To)
	var v *step.Var
	var hi *step.Expr
	times := 0
	b.Simple(func() {
		from := lo.SpillFor(s.To, lo.Integer(s.Value))
		if hi = lo.Integer(s.To); hi == nil || from == nil {
			hi = nil
			return
		}
		if v = lo.declare(s, step.IntType, "a loop variable"); v == nil {
			return
		}
		times = roundsOf(from, hi)
		if hi.Op != step.Const {
			limit := b.Temp(step.IntType, hi.Pos)
			b.Assign(limit, hi)
			hi = limit
		}
		b.Assign(build.Ref(v, s.NameAt), from)
	})
	if v == nil || hi == nil {
		lo.forget(s)
		lo.loop(s.Body, 1, func() {})
		return
	}
	head := len(b.Nodes)
	i := build.Ref(v, s.NameAt)
	at := &syntax.Expr{Pos: s.NameAt, End: s.NameAt}
	exit := b.Branch(lo.Make(at, step.Le, step.BoolType, i, hi))
	lo.loop(s.Body, times, func() {
		b.Assign(i, lo.Make(at, step.Add, step.IntType, i, check.IntConst(at, 1)))
		b.Connect(b.Open, head)
	})
	b.Open = append(b.Open, exit)
}

// forEach goes through a snapshot of the elements.
func forEach(lo *lowering, s *syntax.Stmt) {
	if t := lo.Probe(s.Value); t != nil && t.Sync == "chan" {
		forReceived(lo, s)
		return
	}
	b := lo.Builder
	lo.names.Visible = append(lo.names.Visible, map[string]check.Local{})
	defer func() { lo.names.Visible = lo.names.Visible[:len(lo.names.Visible)-1] }()
	var v *step.Var
	var xs, k *step.Expr
	at := &syntax.Expr{Pos: s.NameAt, End: s.NameAt}
	b.Simple(func() {
		xs = lo.Value(s.Value, nil)
		if xs == nil {
			return
		}
		if !xs.Type.Counted() && xs.Type.Kind != step.Array || types.Pinned(xs.Type) {
			lo.Report(s.Value.Pos, s.Value.End, "for i in lo..hi counts", "%s has no elements to go through",
				types.String(xs.Type))
			return
		}
		if v = lo.declare(s, xs.Type.Elem, "a loop variable"); v == nil {
			return
		}
		xs = lo.Spill(xs)
		k = b.Temp(step.IntType, s.NameAt)
		b.Assign(k, check.IntConst(at, 0))
	})
	if v == nil {
		lo.forget(s)
		lo.loop(s.Body, 1, func() {})
		return
	}
	size := check.IntConst(at, int64(xs.Type.Len))
	if xs.Type.Counted() {
		size = lo.Make(at, step.Size, step.IntType, xs)
	}
	head := len(b.Nodes)
	exit := b.Branch(lo.Make(at, step.Lt, step.BoolType, k, size))
	b.Assign(build.Ref(v, s.NameAt), lo.Make(at, step.Index, v.Type, xs, k))
	lo.loop(s.Body, xs.Type.Len, func() {
		b.Assign(k, lo.Make(at, step.Add, step.IntType, k, check.IntConst(at, 1)))
		b.Connect(b.Open, head)
	})
	b.Open = append(b.Open, exit)
}

func (lo *lowering) atomicBlock(s *syntax.Stmt) {
	b := lo.Builder
	if b.Atomic == 0 {
		hoistBlock(lo, s.Body, false)
	}
	b.Text = lo.File.Between(s.Pos, s.End)
	from := len(b.Nodes)
	entry := b.Emit(step.Node{})
	b.Atomic++
	b.Blocks++
	lo.stmts(s.Body)
	b.Atomic--
	b.Blocks--
	if b.Atomic == 0 {
		for _, n := range b.Nodes[from:] {
			if build.Touches(n) || n.Kind == step.Await || n.Mark != nil {
				entry.Visible = true
			}
		}
	}
}
