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

// A loop is one around the statement that is being lowered.
type loop struct {
	withs     int // with blocks around the loop
	breaks    []*int
	continues []*int
}

// A lowering translates the statements of one thread.
type lowering struct {
	*check.Checker
	loader   *loader
	names    *check.ThreadNames
	labels   map[string]step.Pos
	written  map[string]*build.Label // labels inside procedures: every call goes on with the numbers of the last
	frames   []*frame                // the function being translated, or procedures being written out, innermost last
	pureCode bool                    // of a function
	chosenAt map[*syntax.Stmt]*step.Expr
	mailbox  *check.Mailbox // of the thread; nil if it has none
	early    bool           // making choices for a block that is still to come
	within   *operation
	loops    []loop
	withs    []func() // release what the with blocks around hold, innermost last
	rounds   []int    // of the loops around, innermost last: how often they go round at most, 0 if that is not known
}

func (lo *lowering) stmts(list []*syntax.Stmt) {
	lo.names.Visible = append(lo.names.Visible, map[string]check.Local{})
	dead := false
	for _, s := range list {
		if !dead && len(lo.Builder.Open) == 0 {
			dead = true
			lo.loader.findings.Remark(s.Pos, s.HeaderEnd, "", "this is never reached")
		}
		lo.stmt(s)
	}
	lo.names.Visible = lo.names.Visible[:len(lo.names.Visible)-1]
}

func (lo *lowering) stmt(s *syntax.Stmt) {
	b := lo.Builder
	pos, text := b.Pos, b.Text
	b.Pos, b.Text = s.Pos, lo.File.Between(s.Pos, s.HeaderEnd)
	outer := b.Label
	if s.Label != "" && len(lo.frames) > 0 {
		lo.labelInside(s)
	} else if s.Label != "" {
		if b.Atomic > 0 {
			lo.Report(s.LabelAt, step.Pos{}, "label the atomic block",
				"a label inside atomic: the whole block is one step")
		} else if first, dup := lo.labels[s.Label]; dup {
			lo.Report(s.LabelAt, step.Pos{}, "", "label %s is already on line %d", s.Label, first.Line)
		}
		lo.labels[s.Label] = s.LabelAt
		b.Label = &build.Label{Name: s.Label}
	}
	if b.Label != nil && s.Label != "" {
		lo.Mention(syntax.Mention{Pos: s.LabelAt, What: "label", Name: b.Template.Name + "." + b.Label.Name,
			Decl: s.LabelAt}, nil)
	}
	from, errors := len(b.Nodes), lo.Count()
	lo.bare(s)
	if s.Label != "" && b.Atomic == 0 && lo.Count() == errors {
		steps := 0
		for _, n := range b.Nodes[from:] {
			if n.Visible {
				steps++
			}
		}
		if steps == 0 {
			lo.Report(s.LabelAt, step.Pos{}, "a step touches something shared",
				"label %s is on a statement that makes no step", s.Label)
		}
	}
	b.Label, b.Pos, b.Text = outer, pos, text
}

// labelInside is for a label in a procedure: the steps are called procedure.label, in all calls together.
func (lo *lowering) labelInside(s *syntax.Stmt) {
	if lo.Builder.Actor != nil && lo.Builder.Blocks == 0 {
		lo.Builder.Label = &build.Label{Name: s.Label} // of a step that begins by waiting
		return
	}
	if lo.Builder.Atomic > 0 || lo.pureCode {
		return // the block around has the label
	}
	name := lo.frames[len(lo.frames)-1].routine.Name + "." + s.Label
	if lo.written == nil {
		lo.written = map[string]*build.Label{}
	}
	if lo.written[name] == nil {
		lo.written[name] = &build.Label{Name: name}
	}
	lo.Builder.Label = lo.written[name]
}

func (lo *lowering) bare(s *syntax.Stmt) {
	b := lo.Builder
	if word := effectful[s.Kind]; lo.pureCode && word != "" {
		lo.Report(s.Pos, s.HeaderEnd, "", "%s in a function: it has no effects", word)
		return
	}
	switch s.Kind {
	case syntax.SVar, syntax.SAssign:
		lo.store(s)
	case syntax.SExpr:
		lo.expression(s)
	case syntax.SWith:
		lowerWith(lo, s)
	case syntax.SOnce:
		lowerOnce(lo, s)
	case syntax.SSend:
		lowerSend(lo, s)
	case syntax.SChoose:
		lowerChoose(lo, s)
	case syntax.SSelect:
		lowerSelect(lo, s)
	case syntax.SMail:
		lowerMail(lo, s)
	case syntax.SReceive:
		lowerReceive(lo, s)
	case syntax.SIf:
		lo.branches(s)
	case syntax.SWhile:
		lo.while(s)
	case syntax.SForRange:
		forRange(lo, s)
	case syntax.SForEach:
		forEach(lo, s)
	case syntax.SBreak, syntax.SContinue, syntax.SReturn:
		lo.jump(s)
	case syntax.SAtomic:
		lo.atomicBlock(s)
	case syntax.SBlock:
		lo.stmts(s.Body)
	case syntax.SOp:
		lowerOperation(lo, s)
	case syntax.SJoin:
		joinThread(lo.Checker, s)
	case syntax.SAwait:
		lo.awaits(s)
	case syntax.SLock, syntax.SUnlock:
		lo.lock(s)
	case syntax.SAssert, syntax.SAssume:
		n := step.Node{Kind: step.Assume}
		if s.Kind == syntax.SAssert {
			n = step.Node{Kind: step.Check, Fault: step.Assertion, Msg: s.Text}
		}
		lo.condition(s, func(c *step.Expr) { n.Cond = c; b.Emit(n) })
	case syntax.SPrint:
		hoistChoices(lo, s.Value)
		b.Simple(func() { lowerPrint(lo.Checker, lo.loader, s.Value) })
	case syntax.SYield: // threads may be interrupted between steps anyway
		if b.Actor != nil {
			at := &syntax.Expr{Pos: s.Pos, End: s.End}
			b.Unit(func() { check.BlockOf(lo.Checker, at, check.Constant(at, step.BoolType, 1), true) })
		}
	case syntax.SSkip:
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
	if check.CallsProcedure(lo.Checker.Builder, lo.Checker.Table, s.Value) != nil {
		whole := *s
		whole.Value = inlineCalled(lo, s.Value)
		s = &whole
	}
	hoistChoices(lo, s.Place, s.Value)
	if e := lo.ahead(s.Value); e != s.Value {
		whole := *s
		whole.Value = e
		s = &whole
	}
	from := len(b.Nodes)
	b.Simple(func() { lo.assignment(s) })
	if b.Atomic == 0 && !b.Access() {
		lo.loader.findings.Assignment(s.Pos, s.End, b.Nodes[from:], b.Template)
	}
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
	after := b.Open
	b.Open = []*int{otherwise}
	lo.stmts(s.Orelse)
	b.Open = append(b.Open, after...)
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

// condition emits the evaluation of a condition and what is made of it, as one simple statement.
func (lo *lowering) condition(s *syntax.Stmt, use func(*step.Expr)) (ok bool) {
	hoistChoices(lo, s.Cond)
	lo.Builder.Simple(func() {
		if c := lo.Truth(s.Cond); c != nil {
			use(c)
			ok = true
		}
	})
	return ok
}

// declare makes a local visible from here on; nil after an error. A name used by blocks side by side is one variable if
// the types agree, so that a constraint can name it.
func (lo *lowering) declare(s *syntax.Stmt, t *step.Type, fixed string) *step.Var {
	report := func(format string, args ...any) *step.Var {
		lo.Report(s.NameAt, step.Pos{Line: s.NameAt.Line, Col: s.NameAt.Col + len([]rune(s.Name))},
			"choose another name", format, args...)
		return nil
	}
	switch v := lo.names.Lookup(s.Name); {
	case v != nil:
		return report("%s is already declared on line %d", s.Name, v.Pos.Line)
	case lo.names.Actor != nil && lo.names.Actor.Class.Vars[s.Name] != nil:
		return report("%s is a field of %s", s.Name, lo.names.Actor.Class.Name)
	case lo.SharedVars[s.Name] != nil && !lo.pureCode:
		lo.Report(s.NameAt, step.Pos{Line: s.NameAt.Line, Col: s.NameAt.Col + len([]rune(s.Name))},
			"to assign it write "+s.Name+" = value; a variable of the thread needs another name",
			"%s is a shared variable", s.Name)
		return nil
	case lo.Params[s.Name] != nil:
		return report("%s is a parameter of the program", s.Name)
	case lo.MailboxOf(s.Name) != nil:
		return report("%s is a thread with a mailbox", s.Name)
	}
	for _, b := range lo.Bound {
		if b.Name == s.Name {
			return report("%s is already declared on line %d", s.Name, b.Expr.Pos.Line)
		}
	}
	if t == nil {
		return nil
	}
	if types.Pinned(t) {
		return report("a %s must be shared, so %s cannot be one", types.PinnedWord(t), s.Name)
	}
	name := s.Name
	if len(lo.frames) > 0 {
		name = lo.frames[len(lo.frames)-1].prefix + name
	}
	v := lo.variable(name, t, s.NameAt, fixed)
	lo.names.Visible[len(lo.names.Visible)-1][s.Name] = check.Local{Var: v, At: s.NameAt}
	lo.Mention(syntax.Mention{Pos: s.NameAt, What: "variable", Name: s.Name, Decl: s.NameAt}, t)
	return v
}

// variable finds or makes the local of a name and type.
func (lo *lowering) variable(name string, t *step.Type, at step.Pos, fixed string) *step.Var {
	for _, old := range lo.names.All[name] {
		if lo.names.Fixed[old] == fixed && types.Structure(old.Type) == types.Structure(t) {
			return old
		}
	}
	v := lo.Builder.Declare(name, t, at)
	lo.names.All[name] = append(lo.names.All[name], v)
	lo.names.Order = append(lo.names.Order, name)
	lo.names.Fixed[v] = fixed
	return v
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
	if check.CallsProcedure(lo.Checker.Builder, lo.Checker.Table, s.Value) != nil {
		whole := *s
		whole.Value = inlineCalled(lo, s.Value)
		s = &whole
	}
	hoistChoices(lo, s.Value)
	if e := lo.ahead(s.Value); e != s.Value {
		whole := *s
		whole.Value = e
		s = &whole
	}
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

// forget makes a name known whose declaration is faulty, so that its uses are not reported as well.
func (lo *lowering) forget(s *syntax.Stmt) {
	if lo.names.Lookup(s.Name) == nil {
		lo.names.Visible[len(lo.names.Visible)-1][s.Name] = check.Local{Var: &step.Var{Name: s.Name, Pos: s.NameAt},
			At: s.NameAt}
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
	if lo.Emits(s.Value) {
		p = lo.SpillIndices(p)
	}
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
	old := x.Read(p)
	if x.Emits(s.Value) {
		old = x.Spill(old)
	}
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
		x.Report(e.NameAt, e.End, hint, "%s has no method %s", types.String(p.Type), e.Name)
		x.EditMethod(e, hint)
		return
	}
	if len(e.Args) != 2 {
		x.Report(e.Pos, e.End, "", "%s takes 1 argument, not %d", e.Name, len(e.Args)-1)
		return
	}
	if x.Emits(e.Args[1]) {
		p = x.SpillIndices(p)
	}
	v := x.Element(e.Args[1], x.Assignable(e.Args[1], p.Type.Elem), p.Type.Elem)
	if v != nil {
		x.Builder.Plain(func() { x.Builder.Emit(step.Node{Kind: step.Append, Dst: p, Src: v}) })
	}
}

// lowerExchange emits swap(a, b) as a statement: two places exchange their values.
func lowerExchange(x *check.Checker, e *syntax.Expr) {
	a := x.Place(e.Args[0])
	if x.Emits(e.Args[1]) {
		a = x.SpillIndices(a)
	}
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

// loop lowers a body that is executed so many times at most, 0 if that is not known; again emits what leads to the next
// round. Afterwards only the breaks are open.
func (lo *lowering) loop(body []*syntax.Stmt, times int, again func()) {
	b := lo.Builder
	lo.loops = append(lo.loops, loop{withs: len(lo.withs)})
	lo.rounds = append(lo.rounds, times)
	lo.stmts(body)
	lo.rounds = lo.rounds[:len(lo.rounds)-1]
	this := lo.loops[len(lo.loops)-1]
	lo.loops = lo.loops[:len(lo.loops)-1]
	b.Open = append(b.Open, this.continues...)
	again()
	b.Open = this.breaks
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
		var from *step.Expr
		if from = lo.Integer(s.Value); lo.Emits(s.To) {
			from = lo.Spill(from)
		}
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
