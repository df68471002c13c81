package lang

import (
	"cmp"

	"cdpor/lang/step"
)

// A lowering translates the statements of one thread.
type lowering struct {
	*elab
	loader   *loader
	names    *threadNames
	labels   map[string]step.Pos
	written  map[string]*label // labels inside procedures: every call goes on with the numbers of the last
	frames   []*frame          // the function being translated, or procedures being written out, innermost last
	pureCode bool              // of a function
	chosenAt map[*stmt]*step.Expr
	mailbox  *mailbox // of the thread; nil if it has none
	early    bool     // making choices for a block that is still to come
	within   *operation
	rounds   []int // of the loops around, innermost last: how often they go round at most, 0 if that is not known
}

func (lo *lowering) stmts(list []*stmt) {
	lo.names.visible = append(lo.names.visible, map[string]local{})
	dead := false
	for _, s := range list {
		if !dead && len(lo.b.open) == 0 {
			dead = true
			lo.loader.remark(s.pos, s.headerEnd, "", "this is never reached")
		}
		lo.stmt(s)
	}
	lo.names.visible = lo.names.visible[:len(lo.names.visible)-1]
}

func (lo *lowering) stmt(s *stmt) {
	b := lo.b
	pos, text := b.pos, b.text
	b.pos, b.text = s.pos, lo.file.between(s.pos, s.headerEnd)
	outer := b.label
	if s.label != "" && len(lo.frames) > 0 {
		lo.labelInside(s)
	} else if s.label != "" {
		if b.atomic > 0 {
			lo.report(s.labelAt, step.Pos{}, "label the atomic block", "a label inside atomic: the whole block is one step")
		} else if first, dup := lo.labels[s.label]; dup {
			lo.report(s.labelAt, step.Pos{}, "", "label %s is already on line %d", s.label, first.Line)
		}
		lo.labels[s.label] = s.labelAt
		b.label = &label{name: s.label}
	}
	if b.label != nil && s.label != "" {
		lo.mention(Mention{Pos: s.labelAt, What: "label", Name: b.t.Name + "." + b.label.name, Decl: s.labelAt}, nil)
	}
	from, errors := len(b.nodes), lo.count()
	lo.bare(s)
	if s.label != "" && b.atomic == 0 && lo.count() == errors {
		steps := 0
		for _, n := range b.nodes[from:] {
			if n.Visible {
				steps++
			}
		}
		if steps == 0 {
			lo.report(s.labelAt, step.Pos{}, "a step touches something shared", "label %s is on a statement that makes no step", s.label)
		}
	}
	b.label, b.pos, b.text = outer, pos, text
}

// labelInside is for a label in a procedure: the steps are called procedure.label, in all calls together.
func (lo *lowering) labelInside(s *stmt) {
	if lo.b.actor != nil && lo.b.blocks == 0 {
		lo.b.label = &label{name: s.label} // of a step that begins by waiting
		return
	}
	if lo.b.atomic > 0 || lo.pureCode {
		return // the block around has the label
	}
	name := lo.frames[len(lo.frames)-1].routine.name + "." + s.label
	if lo.written == nil {
		lo.written = map[string]*label{}
	}
	if lo.written[name] == nil {
		lo.written[name] = &label{name: name}
	}
	lo.b.label = lo.written[name]
}

func (lo *lowering) bare(s *stmt) {
	b := lo.b
	if word := effectful[s.kind]; lo.pureCode && word != "" {
		lo.report(s.pos, s.headerEnd, "", "%s in a function: it has no effects", word)
		return
	}
	switch s.kind {
	case sVar:
		lo.declaration(s)
	case sAssign:
		if lo.procedureCall(s.value) != nil {
			whole := *s
			whole.value = lo.called(s.value)
			s = &whole
		}
		lo.hoist(s.place, s.value)
		if e := lo.ahead(s.value); e != s.value {
			whole := *s
			whole.value = e
			s = &whole
		}
		from := len(b.nodes)
		b.simple(func() { lo.assignment(s) })
		lo.suspect(s, from)
	case sExpr:
		if d := lo.procedureCall(s.value); d != nil {
			lo.inline(s.value, d)
			return
		}
		if s.value.op {
			lo.noOperation(s.value)
			return
		}
		if lo.isMail(s.value) {
			lo.mail(mailOf(s))
			return
		}
		lo.hoist(s.value)
		if !lo.operation(s.value) {
			e := lo.ahead(s.value)
			b.simple(func() { lo.effect(e) })
		}
	case sWith:
		lo.with(s)
	case sOnce:
		lo.once(s)
	case sSend:
		lo.send(s)
	case sChoose:
		lo.chooses(s)
	case sSelect:
		lo.selects(s)
	case sMail:
		lo.mail(s)
	case sReceive:
		lo.receives(s)
	case sIf:
		var otherwise *int
		if !lo.condition(s, func(c *step.Expr) { otherwise = b.branch(c) }) {
			lo.stmts(s.body)
			lo.stmts(s.orelse)
			return
		}
		lo.stmts(s.body)
		after := b.open
		b.open = []*int{otherwise}
		lo.stmts(s.orelse)
		b.open = append(b.open, after...)
	case sWhile:
		head := len(b.nodes)
		var exit *int
		if !lo.condition(s, func(c *step.Expr) { exit = b.branch(c) }) {
			b.emit(step.Node{}) // keeps break and continue meaningful after an error
		}
		lo.loop(s.body, 0, func() { b.connect(b.open, head) })
		if exit != nil {
			lo.noteLoop(s, head)
			b.open = append(b.open, exit)
		}
	case sForRange:
		lo.forRange(s)
	case sForEach:
		lo.forEach(s)
	case sBreak, sContinue, sReturn:
		lo.jump(s)
	case sAtomic:
		lo.atomicBlock(s)
	case sBlock:
		lo.stmts(s.body)
	case sOp:
		lo.operate(s)
	case sJoin:
		lo.joinThread(s)
	case sAwait:
		if isWaitable(lo.probe(s.cond)) {
			e := lo.ahead(&expr{kind: eAwait, pos: s.pos, end: s.end, args: []*expr{s.cond}}).args[0]
			if f := lo.waitable(e); f != nil {
				lo.wait(e, f)
			}
			return
		}
		b.unit(func() {
			if c := lo.pure().truth(s.cond); c != nil {
				lo.block(s.cond, c, true)
			}
		})
	case sLock, sUnlock:
		lo.lock(s)
	case sAssert, sAssume:
		n := step.Node{Kind: step.Assume}
		if s.kind == sAssert {
			n = step.Node{Kind: step.Check, Fault: step.Assertion, Msg: s.text}
		}
		lo.condition(s, func(c *step.Expr) { n.Cond = c; b.emit(n) })
	case sPrint:
		lo.hoist(s.value)
		b.simple(func() { lo.print(s.value) })
	case sYield: // threads may be interrupted between steps anyway
		if b.actor != nil {
			at := &expr{pos: s.pos, end: s.end}
			b.unit(func() { lo.block(at, constant(at, step.BoolType, 1), true) })
		}
	case sSkip:
	}
}

// print emits the assignment of a value to a variable that nothing reads: who looks at the step sees it.
func (lo *lowering) print(e *expr) {
	v := lo.value(e, nil)
	if v == nil {
		return
	}
	if pinned(v.Type) {
		lo.errorf(e, "", "a %s cannot be printed", pinnedWord(v.Type))
		return
	}
	to := lo.b.temp(v.Type, e.pos)
	to.Var.Printed = lo.loader.file.between(e.pos, e.end)
	lo.b.assign(to, v)
}

// condition emits the evaluation of a condition and what is made of it, as one simple statement.
func (lo *lowering) condition(s *stmt, use func(*step.Expr)) (ok bool) {
	lo.hoist(s.cond)
	lo.b.simple(func() {
		if c := lo.truth(s.cond); c != nil {
			use(c)
			ok = true
		}
	})
	return ok
}

// declare makes a local visible from here on; nil after an error. A name used by blocks side by side is one variable if
// the types agree, so that a constraint can name it.
func (lo *lowering) declare(s *stmt, t *step.Type, fixed string) *step.Var {
	report := func(format string, args ...any) *step.Var {
		lo.report(s.nameAt, step.Pos{Line: s.nameAt.Line, Col: s.nameAt.Col + len([]rune(s.name))}, "choose another name", format, args...)
		return nil
	}
	switch v := lo.names.lookup(s.name); {
	case v != nil:
		return report("%s is already declared on line %d", s.name, v.Pos.Line)
	case lo.names.actor != nil && lo.names.actor.class.vars[s.name] != nil:
		return report("%s is a field of %s", s.name, lo.names.actor.class.name)
	case lo.sharedVars[s.name] != nil && !lo.pureCode:
		lo.report(s.nameAt, step.Pos{Line: s.nameAt.Line, Col: s.nameAt.Col + len([]rune(s.name))},
			"to assign it write "+s.name+" = value; a variable of the thread needs another name", "%s is a shared variable", s.name)
		return nil
	case lo.params[s.name] != nil:
		return report("%s is a parameter of the program", s.name)
	case lo.mailboxOf(s.name) != nil:
		return report("%s is a thread with a mailbox", s.name)
	}
	for _, b := range lo.bound {
		if b.name == s.name {
			return report("%s is already declared on line %d", s.name, b.expr.Pos.Line)
		}
	}
	if t == nil {
		return nil
	}
	if pinned(t) {
		return report("a %s must be shared, so %s cannot be one", pinnedWord(t), s.name)
	}
	name := s.name
	if len(lo.frames) > 0 {
		name = lo.frames[len(lo.frames)-1].prefix + name
	}
	v := lo.variable(name, t, s.nameAt, fixed)
	lo.names.visible[len(lo.names.visible)-1][s.name] = local{v, s.nameAt}
	lo.mention(Mention{Pos: s.nameAt, What: "variable", Name: s.name, Decl: s.nameAt}, t)
	return v
}

// variable finds or makes the local of a name and type.
func (lo *lowering) variable(name string, t *step.Type, at step.Pos, fixed string) *step.Var {
	for _, old := range lo.names.all[name] {
		if lo.names.fixed[old] == fixed && structure(old.Type) == structure(t) {
			return old
		}
	}
	v := lo.b.declare(name, t, at)
	lo.names.all[name] = append(lo.names.all[name], v)
	lo.names.order = append(lo.names.order, name)
	lo.names.fixed[v] = fixed
	return v
}

func (lo *lowering) declaration(s *stmt) {
	fixed := ""
	if s.fixed {
		fixed = "declared with let"
	}
	if s.typ == nil && s.value == nil { // not understood by the parser
		lo.forget(s)
		return
	}
	var t *step.Type
	if s.typ != nil {
		if t = lo.loader.resolveType(lo.reporter, s.typ); t == nil {
			lo.forget(s)
			return
		}
	}
	if lo.procedureCall(s.value) != nil {
		whole := *s
		whole.value = lo.called(s.value)
		s = &whole
	}
	lo.hoist(s.value)
	if e := lo.ahead(s.value); e != s.value {
		whole := *s
		whole.value = e
		s = &whole
	}
	var v *step.Var
	lo.b.simple(func() {
		var value *step.Expr
		switch {
		case s.value == nil:
			value = &step.Expr{Op: step.Const, Type: t, Pos: s.nameAt, Words: defaultWords(t), Of: step.Own}
		case t != nil:
			value = lo.assignable(s.value, t)
		default:
			if value = lo.value(s.value, nil); value != nil {
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
			lo.b.assign(ref(v, s.nameAt), value)
		}
	})
	if v == nil {
		lo.forget(s)
	}
}

// forget makes a name known whose declaration is faulty, so that its uses are not reported as well.
func (lo *lowering) forget(s *stmt) {
	if lo.names.lookup(s.name) == nil {
		lo.names.visible[len(lo.names.visible)-1][s.name] = local{&step.Var{Name: s.name, Pos: s.nameAt}, s.nameAt}
	}
}

func (lo *lowering) assignment(s *stmt) {
	if t := lo.mapElement(s.place); t != nil {
		lo.putElement(s, t)
		return
	}
	if lo.undeclared(s) {
		lo.value(s.value, nil)
		return
	}
	p := lo.place(s.place)
	if p == nil {
		lo.value(s.value, nil)
		return
	}
	if pinned(p.Type) {
		hint := ""
		if p.Type.Kind == step.Mutex {
			hint = "use lock and unlock"
		}
		lo.report(s.pos, s.end, hint, "a %s cannot be assigned", pinnedWord(p.Type))
		return
	}
	if lo.emits(s.value) {
		p = lo.spillIndices(p)
	}
	if s.op == "" {
		if v := lo.assignable(s.value, p.Type); v != nil {
			lo.b.assign(p, v)
		}
		return
	}
	if s.op == "+" && p.Type.Kind == step.List {
		lo.extend(s, p)
		return
	}
	if !isNumber(p.Type) {
		lo.report(s.place.pos, s.place.end, "", "%s= needs a number, and this is %s", s.op, typeString(p.Type))
		return
	}
	old := lo.read(p)
	if lo.emits(s.value) && s.value.kind != eRecv { // nothing may come before a receive
		old = lo.spill(old)
	}
	_, v, t := lo.unify(s.op+"=", s.place, s.value, p, lo.value(s.value, p.Type))
	if p.Type.Numeric() && t != nil && t.Kind == step.Sized {
		lo.errorf(s.value, "convert it: int(...)", "this is %s, but %s is needed", typeString(v.Type), typeString(p.Type))
		return
	}
	if t != nil {
		if c := constOf(v); c != nil && c.Words[0] == 0 && c.Name == "" && (s.op == "/" || s.op == "%") {
			lo.report(s.value.pos, s.value.end, "", "division by zero")
			return
		}
		whole := &expr{kind: eBinary, pos: s.place.pos, end: s.end}
		if sum := lo.make(whole, operatorOf[s.op], t, old, v); sum != nil {
			lo.b.assign(p, sum)
		}
	}
}

// undeclared reports an assignment to a name that nothing declares, and makes the name known, so that its uses are not reported
// as well.
func (lo *lowering) undeclared(s *stmt) bool {
	e := s.place
	if e.kind != eName || isTypeWord(e.name) || habitName(e.name) != "" || lo.pureScope(e.name) || lo.unsure {
		return false
	}
	silent := *lo.elab
	silent.reporter = lo.silent()
	if silent.resolve(e, nil) != nil || silent.count() == 0 {
		return false
	}
	hint := "declare it first: var " + e.name + " int; a variable of all threads stands in the section shared"
	lo.report(e.pos, e.end, cmp.Or(didYouMean(e.name, lo.known()), hint), "unknown name %s", e.name)
	lo.editUndeclared(s)
	lo.forget(&stmt{name: e.name, nameAt: e.pos})
	return true
}

// pureScope reports whether a name means something that is no variable.
func (lo *lowering) pureScope(name string) bool {
	return lo.threads[name] || name == "self" || lo.classNamed(name) != nil || lo.sharedVars[name] != nil || lo.params[name] != nil
}

// extend emits xs += ys.
func (lo *lowering) extend(s *stmt, p *step.Expr) {
	old := lo.read(p)
	if lo.emits(s.value) {
		old = lo.spill(old)
	}
	whole := &expr{kind: eBinary, name: "+", pos: s.place.pos, end: s.end, args: []*expr{s.place, s.value}}
	if v := lo.concat(whole, old, lo.value(s.value, literalType(s.value, p.Type)), p.Type); v != nil {
		lo.b.assign(p, v)
	}
}

// effect emits a call whose value is not used.
func (lo *lowering) effect(e *expr) {
	switch {
	case lo.change(e):
		return
	case e.kind == eRecv:
		lo.receive(e, false)
		return
	case isGet(e) && isWaitable(lo.probe(e.args[0])):
		lo.get(e, false)
		return
	case e.kind == eMethod && (e.name == "push" || e.name == "append"):
		lo.add(e)
		return
	case e.kind == eMethod && e.name == "pop" && len(e.args) == 1:
		if p := lo.place(e.args[0]); p != nil {
			if p.Type.Kind == step.Queue || p.Type.Kind == step.List {
				kind := step.PopHead
				if p.Type.Kind == step.List {
					kind = step.PopTail
				}
				lo.b.unit(func() { lo.b.emit(step.Node{Kind: kind, Dst: p}) })
			} else {
				lo.report(e.nameAt, e.end, "", "%s has no method pop", typeString(p.Type))
			}
		}
		return
	case e.kind == eCall && e.name == "swap" && len(e.args) == 2:
		lo.exchange(e)
		return
	case e.kind == eCall && e.name == "fetch_add" && len(e.args) == 2:
		lo.atomicOp(e, false)
		return
	}
	if v := lo.value(e, nil); v != nil && !lo.emits(e) {
		lo.report(e.pos, e.end, "", "this expression does nothing")
	}
}

// add emits push and append.
func (lo *lowering) add(e *expr) {
	p := lo.place(e.args[0])
	if p == nil {
		return
	}
	want := map[string]step.Kind{"push": step.Queue, "append": step.List}[e.name]
	if p.Type.Kind != want {
		hint := habitMethod(p.Type, e.name)
		lo.report(e.nameAt, e.end, hint, "%s has no method %s", typeString(p.Type), e.name)
		lo.editMethod(e, hint)
		return
	}
	if len(e.args) != 2 {
		lo.report(e.pos, e.end, "", "%s takes 1 argument, not %d", e.name, len(e.args)-1)
		return
	}
	if lo.emits(e.args[1]) {
		p = lo.spillIndices(p)
	}
	v := lo.element(e.args[1], lo.assignable(e.args[1], p.Type.Elem), p.Type.Elem)
	if v != nil {
		lo.b.unit(func() { lo.b.emit(step.Node{Kind: step.Append, Dst: p, Src: v}) })
	}
}

// exchange emits swap(a, b) as a statement: two places exchange their values.
func (lo *lowering) exchange(e *expr) {
	a := lo.place(e.args[0])
	if lo.emits(e.args[1]) {
		a = lo.spillIndices(a)
	}
	b := lo.place(e.args[1])
	if a == nil || b == nil {
		return
	}
	if !fits(a.Type, b.Type) || !fits(b.Type, a.Type) || pinned(a.Type) {
		lo.report(e.pos, e.end, "", "cannot exchange %s and %s", typeString(a.Type), typeString(b.Type))
		return
	}
	lo.b.unit(func() {
		// Writing a must not change which element b means.
		a, b = lo.spillIndices(a), lo.spillIndices(b)
		t := lo.b.temp(a.Type, e.pos)
		lo.b.assign(t, a)
		lo.b.assign(a, b)
		lo.b.assign(b, t)
	})
}

func (lo *lowering) lock(s *stmt) {
	x := lo.elab
	if !lo.b.split() {
		x = x.pure() // nothing may come before the node that blocks
	}
	m := x.mutex(s.place)
	if m == nil {
		return
	}
	lo.b.unit(func() {
		at := s.place
		if s.kind == sLock {
			lo.b.emit(step.Node{Kind: step.Await, Cond: lo.make(at, step.Eq, step.BoolType, m, constant(at, step.MutexType, 0))})
			lo.b.assign(m, lo.me(at, step.Own))
			return
		}
		lo.b.emit(step.Node{Kind: step.Check, Cond: lo.make(at, step.Eq, step.BoolType, m, lo.me(at, step.Own)), Fault: step.NotHeld})
		lo.b.assign(m, constant(at, step.MutexType, 0))
	})
}

// loop lowers a body that is executed so many times at most, 0 if that is not known; again emits what leads to the next
// round. Afterwards only the breaks are open.
func (lo *lowering) loop(body []*stmt, times int, again func()) {
	b := lo.b
	b.loops = append(b.loops, loop{withs: len(b.withs)})
	lo.rounds = append(lo.rounds, times)
	lo.stmts(body)
	lo.rounds = lo.rounds[:len(lo.rounds)-1]
	this := b.loops[len(b.loops)-1]
	b.loops = b.loops[:len(b.loops)-1]
	b.open = append(b.open, this.continues...)
	again()
	b.open = this.breaks
}

func (lo *lowering) jump(s *stmt) {
	b := lo.b
	if s.kind == sReturn {
		lo.giveBack(s)
		return
	}
	if len(b.loops) > 0 {
		lo.leave(b.loops[len(b.loops)-1].withs)
	}
	// A node of its own, since the open ends may be the entry of a loop head that is still to come.
	n := b.emit(step.Node{})
	end := []*int{&n.Next}
	b.open = nil
	if len(b.loops) == 0 {
		lo.report(s.pos, s.end, "", "there is no loop to leave or continue here")
		return
	}
	this := &b.loops[len(b.loops)-1]
	if s.kind == sBreak {
		this.breaks = append(this.breaks, end...)
	} else {
		this.continues = append(this.continues, end...)
	}
}

func (lo *lowering) forRange(s *stmt) {
	b := lo.b
	lo.names.visible = append(lo.names.visible, map[string]local{})
	defer func() { lo.names.visible = lo.names.visible[:len(lo.names.visible)-1] }()
	lo.hoist(s.value, s.to)
	var v *step.Var
	var hi *step.Expr
	times := 0
	b.simple(func() {
		var from *step.Expr
		if from = lo.number(s.value); lo.emits(s.to) {
			from = lo.spill(from)
		}
		if hi = lo.number(s.to); hi == nil || from == nil {
			hi = nil
			return
		}
		if v = lo.declare(s, step.IntType, "a loop variable"); v == nil {
			return
		}
		times = roundsOf(from, hi)
		if hi.Op != step.Const {
			limit := b.temp(step.IntType, hi.Pos)
			b.assign(limit, hi)
			hi = limit
		}
		b.assign(ref(v, s.nameAt), from)
	})
	if v == nil || hi == nil {
		lo.forget(s)
		lo.loop(s.body, 1, func() {})
		return
	}
	head := len(b.nodes)
	i := ref(v, s.nameAt)
	at := &expr{pos: s.nameAt, end: s.nameAt}
	exit := b.branch(lo.make(at, step.Le, step.BoolType, i, hi))
	lo.loop(s.body, times, func() {
		b.assign(i, lo.make(at, step.Add, step.IntType, i, intConst(at, 1)))
		b.connect(b.open, head)
	})
	b.open = append(b.open, exit)
}

// forEach goes through a snapshot of the elements.
func (lo *lowering) forEach(s *stmt) {
	if t := lo.probe(s.value); t != nil && t.Sync == "chan" {
		lo.forReceived(s)
		return
	}
	b := lo.b
	lo.names.visible = append(lo.names.visible, map[string]local{})
	defer func() { lo.names.visible = lo.names.visible[:len(lo.names.visible)-1] }()
	var v *step.Var
	var xs, k *step.Expr
	at := &expr{pos: s.nameAt, end: s.nameAt}
	b.simple(func() {
		xs = lo.value(s.value, nil)
		if xs == nil {
			return
		}
		if !xs.Type.Counted() && xs.Type.Kind != step.Array || pinned(xs.Type) {
			lo.report(s.value.pos, s.value.end, "for i in lo..hi counts", "%s has no elements to go through", typeString(xs.Type))
			return
		}
		if v = lo.declare(s, xs.Type.Elem, "a loop variable"); v == nil {
			return
		}
		xs = lo.spill(xs)
		k = b.temp(step.IntType, s.nameAt)
		b.assign(k, intConst(at, 0))
	})
	if v == nil {
		lo.forget(s)
		lo.loop(s.body, 1, func() {})
		return
	}
	size := intConst(at, int64(xs.Type.Len))
	if xs.Type.Counted() {
		size = lo.make(at, step.Size, step.IntType, xs)
	}
	head := len(b.nodes)
	exit := b.branch(lo.make(at, step.Lt, step.BoolType, k, size))
	b.assign(ref(v, s.nameAt), lo.make(at, step.Index, v.Type, xs, k))
	lo.loop(s.body, xs.Type.Len, func() {
		b.assign(k, lo.make(at, step.Add, step.IntType, k, intConst(at, 1)))
		b.connect(b.open, head)
	})
	b.open = append(b.open, exit)
}

func (lo *lowering) atomicBlock(s *stmt) {
	b := lo.b
	if b.atomic == 0 {
		lo.hoistBlock(s.body, false)
	}
	b.text = lo.file.between(s.pos, s.end)
	from := len(b.nodes)
	entry := b.emit(step.Node{})
	b.atomic++
	b.blocks++
	lo.stmts(s.body)
	b.atomic--
	b.blocks--
	if b.atomic == 0 {
		for _, n := range b.nodes[from:] {
			if touches(n) || n.Kind == step.Await || n.Mark != nil {
				entry.Visible = true
			}
		}
	}
}
