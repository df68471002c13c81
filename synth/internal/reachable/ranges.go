package reachable

import (
	"context"
	"maps"
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/span"
)

// Ranges of variables, by abstract interpretation: for each process and node an interval per local variable, and one
// interval per shared variable for the whole execution, whatever the schedule. An array has one interval for all its
// elements, and a list one for its size. Each process is analysed by itself because its parameters and its number are
// known, which makes most indices exact; shared variables are what any process may have written. Within a step nobody
// else writes, so what a step has compared or stored is known to the end of the step: after `if x < 4 { x += 1 }` x is
// at most 4.
//
// A shared variable that is only ever added to also is its first value and the sum of what each process has added so
// far. That sum has an interval at each node of the process, like a local. So what threads count up when they enter and
// down when they leave lies between zero and their number, and what each of a few threads counts once has a bound.

// An Analysis is what is known of the variables of a program in its reachable states.
type Analysis struct {
	ctx      context.Context
	prog     *step.Program
	together bool
	Shared   map[Field]span.Span // empty if shared variables may hold anything
	slots    map[*step.Template]*Frame
	sums     map[Field]span.Span                // what variables that are only added to may hold
	first    map[Field]int64                    // what these hold at first
	loans    map[*step.Template]map[Field]int64 // see loans.go
	given    map[Field]span.Span                // what parameters of started processes hold, if followed
	started  map[*step.Template]bool            // whether some process of a template may have been started
	effects  map[effectKey]*effect              // see interference.go
	writers  map[Field][]*effect
	spoilt   map[Field]bool // what starting processes writes
	meet     func(a, b *step.Step) bool
	frames   []*Frame
	Own      map[Field]Owners    // see owners.go
	added    map[Field]span.Span // what the processes of the present round have added
	marks    []int64             // where widening stops: the numbers of the program
	changed  bool
	round    int
}

// hastyRounds is after how many rounds shared variables are widened, patience after how many visits a node is.
const (
	hastyRounds = 4
	patience    = 12
)

// A Frame is the analysis of one process. Its environments hold the locals, and of shared variables what the step that
// is being taken knows about them: nobody else comes in between.
type Frame struct {
	a       *Analysis
	Process *step.Proc
	slot    map[Field]int // place in environments
	free    map[Field]int // places of shared variables
	sum     map[Field]int // places of what the process has added to shared variables
	*compared
	terms int      // where their ranges begin
	live  [][]bool // the local words that are read after a node, if the process adds to something
	cases
	at    [][]span.Span       // per node, or case, the environment before it; nil: not reached
	n     []int               // visits of these
	work  []int               // which to look at again
	node  int                 // which is looked at
	total map[Field]span.Span // what the process has added to shared variables, wherever it is
	entry map[int]*step.Step
}

// Analyse computes the ranges of a program; the environments are those of each process. Unless together is set, shared
// variables may hold anything their types allow. Two processes stand at two steps in one state only where they meet.
// The error is that of the context, which has ended.
func Analyse(ctx context.Context, prog *step.Program, together bool, meet func(a, b *step.Step) bool) (
	*Analysis, []*Frame, error) {
	a := &Analysis{ctx: ctx, prog: prog, Shared: map[Field]span.Span{}, slots: map[*step.Template]*Frame{}, meet: meet,
		effects: map[effectKey]*effect{}, writers: map[Field][]*effect{}}
	if a.together = together; together {
		a.given, a.started = map[Field]span.Span{}, map[*step.Template]bool{}
		for _, v := range prog.Shared {
			for _, f := range Fields(v.Type) {
				a.Shared[Field{v, f.Off}] = spanAt(v.Type, f.Off, prog.Init[v.Offset:])
			}
		}
	}
	a.forgetStarted()
	a.collectMarks()
	var frames []*Frame
	if together {
		a.findSums()
		a.findLoans()
		a.findSpoilt()
		a.findOwners()
	}
	for a.changed = true; a.changed; a.round++ {
		a.changed, frames, a.added = false, nil, map[Field]span.Span{}
		for _, p := range prog.Procs {
			frames = append(frames, a.process(p))
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		a.count()
	}
	for f := range a.sums {
		a.Shared[f] = a.Shared[f].Meet(a.sumOf(f))
	}
	if together {
		a.frames = frames
		a.sumsAtSteps(frames)
		a.countKeys()
		a.countWaiters()
	}
	return a, frames, nil
}

// countWaiters bounds the queues of condition variables by how many processes wait there: a process that waits does
// nothing else.
func (a *Analysis) countWaiters() {
	may := map[Field]int64{}
	for _, t := range a.prog.Templates {
		seen := map[Field]bool{}
		for _, n := range t.Nodes {
			if n.Kind != step.Append || n.Dst.Op != step.Part || n.Dst.Args[0].Type.Sync != "cond" {
				continue
			}
			if ref, off, _, ok := placeOf(n.Dst); ok && !seen[Field{ref.Var, off}] {
				seen[Field{ref.Var, off}] = true
				may[Field{ref.Var, off}] += a.instances(t)
			}
		}
	}
	for at, most := range may {
		a.Shared[at] = a.Shared[at].Meet(span.Between(0, most))
	}
}

// instances is how many processes a template has.
func (a *Analysis) instances(t *step.Template) (n int64) {
	for _, p := range a.prog.Procs {
		if p.Template == t {
			n++
		}
	}
	return n
}

// countKeys bounds the size of sets and maps by how many keys they may have.
func (a *Analysis) countKeys() {
	for _, v := range a.prog.Shared {
		for _, f := range Fields(v.Type) {
			if !f.keys {
				continue
			}
			size, s := Field{v, f.Off - 1}, a.Shared[Field{v, f.Off}]
			if most := int64(FieldAt(v.Type, size.Off).Len); s.Empty() {
				a.Shared[size] = span.Only(0)
			} else if s.Finite() && uint64(s.Hi-s.Lo) < uint64(most) {
				a.Shared[size] = a.Shared[size].Meet(span.Between(0, s.Hi-s.Lo+1))
			}
		}
	}
}

// findSums finds the scalar shared variables that are only added to, and the lists and queues whose elements are only
// added and removed one by one, those of an array together.
func (a *Analysis) findSums() {
	a.sums, a.first = map[Field]span.Span{}, map[Field]int64{}
	for f, s := range a.Shared {
		switch typ := FieldAt(f.V.Type, f.Off); {
		case s.Single() && typ.Numeric():
			a.first[f] = s.Lo
		case (typ.Kind == step.List || typ.Kind == step.Queue) && !Optional(f.V.Type, f.Off):
			a.first[f] = sizes(f.V.Type, f.Off, a.prog.Init[f.V.Offset:])
		default:
			continue
		}
		a.sums[f] = span.Only(a.first[f])
	}
	for _, t := range a.prog.Templates {
		if t.Pool != nil { // arguments are stored there
			maps.DeleteFunc(a.sums, func(f Field, _ span.Span) bool { return slices.Contains(t.Pool.Fields, f.V) })
		}
		for _, n := range t.Nodes {
			for _, dst := range []*step.Expr{n.Dst, n.Counter} {
				if dst == nil {
					continue
				}
				v := dst.Root()
				if v == nil || !v.Shared {
					continue
				}
				_, off, _, ok := placeOf(dst)
				added := Field{v, -1} // what is appended has elements that are not only added to
				if addend(n) != nil {
					added.Off = off
				}
				for f := range a.sums {
					if f.V == v && f != added && (!ok || f.Off >= off && f.Off < off+dst.Type.Words()) {
						delete(a.sums, f)
					}
				}
			}
		}
	}
}

// addend is what a node adds to the scalar that it assigns to, or to the size of a list; nil if it does something else.
func addend(n *step.Node) *step.Expr {
	if by := map[step.NodeKind]int64{step.Append: 1, step.PopHead: -1, step.PopTail: -1}[n.Kind]; by != 0 {
		if _, _, _, ok := placeOf(n.Dst); ok {
			return expr.Number(by)
		}
	}
	if n.Kind != step.Assign || n.Src.Op != step.Add && n.Src.Op != step.Sub || !n.Dst.Type.Numeric() {
		return nil
	}
	to, off, array, ok := placeOf(n.Dst)
	from, at, _, same := placeOf(n.Src.Args[0])
	x := n.Src.Args[1]
	if n.Src.Op == step.Add && !same {
		from, at, _, same = placeOf(x)
		x = n.Src.Args[0]
	}
	if !ok || array || !same || from.Var != to.Var || at != off {
		return nil
	}
	if n.Src.Op == step.Sub {
		return expr.New(step.Neg, step.IntType, x)
	}
	return x
}

// count adds up what the processes have added.
func (a *Analysis) count() {
	for f, old := range a.sums {
		init := span.Only(a.first[f])
		switch s := old.Join(init.Plus(a.added[f])); {
		case s == old:
		case a.round > 2*hastyRounds:
			a.sums[f], a.changed = farther(old, s), true
		default:
			a.sums[f], a.changed = s, true
		}
	}
}

// forgetStarted gives up what the starting of processes writes, which is not followed.
func (a *Analysis) forgetStarted() {
	forget := func(v *step.Var) {
		if v != nil && v.Shared {
			for _, f := range Fields(v.Type) {
				a.Shared[Field{v, f.Off}] = Leaf(f.typ)
			}
		}
	}
	for _, t := range a.prog.Templates {
		if t.Pool != nil {
			forget(t.Pool.Life)
		}
		for _, n := range t.Nodes {
			if n.Kind == step.Spawn {
				forget(n.Counter.Root())
			}
		}
	}
}

// initially is what a local may be at first: what was given to it when the process was started.
func (a *Analysis) initially(p *step.Proc, v *step.Var, f FieldType) span.Span {
	if p.Template.Pool != nil {
		if s, given := a.given[Field{v, f.Off}]; given {
			return s
		}
		if a.given == nil || v.Temp { // of which nobody is told that it is not set
			return Leaf(f.typ)
		}
	}
	return spanAt(v.Type, f.Off, p.Init[v.Offset:])
}

func (a *Analysis) collectMarks() {
	visit := func(e *step.Expr) {
		if e.Op == step.Const && len(e.Words) == 1 && e.Words[0] > math.MinInt64 && e.Words[0] < math.MaxInt64 {
			a.marks = append(a.marks, e.Words[0]-1, e.Words[0], e.Words[0]+1)
		}
	}
	for _, t := range a.prog.Templates {
		for _, n := range t.Nodes {
			n.Cond.Walk(visit)
			n.Src.Walk(visit)
			n.Dst.Walk(visit)
		}
	}
	for _, p := range a.prog.Procs {
		a.marks = append(a.marks, p.Self)
	}
	slices.Sort(a.marks)
	a.marks = slices.Compact(a.marks)
}

// widen gives up bounds that still move, up to the next number of the program.
func (a *Analysis) widen(old, now span.Span) span.Span {
	if now.Lo < old.Lo {
		i, found := slices.BinarySearch(a.marks, now.Lo)
		switch {
		case found:
		case i > 0:
			now.Lo = a.marks[i-1]
		default:
			now.Lo = math.MinInt64
		}
	}
	if now.Hi > old.Hi {
		i, _ := slices.BinarySearch(a.marks, now.Hi)
		if i < len(a.marks) {
			now.Hi = a.marks[i]
		} else {
			now.Hi = math.MaxInt64
		}
	}
	return now
}

// farther gives up bounds that still move.
func farther(old, now span.Span) span.Span {
	if now.Lo < old.Lo {
		now.Lo = math.MinInt64
	}
	if now.Hi > old.Hi {
		now.Hi = math.MaxInt64
	}
	return now
}

// assign notes that a shared variable may get a value.
func (a *Analysis) assign(at Field, typ *step.Type, s span.Span) {
	for _, values := range []map[Field]span.Span{a.Shared, a.given} {
		if old, ok := values[at]; ok {
			a.extend(values, at, typ, old, s)
		}
	}
}

// extend adds to the values that something may have.
func (a *Analysis) extend(values map[Field]span.Span, at Field, typ *step.Type, old, s span.Span) {
	s = old.Join(s.Meet(Leaf(typ)))
	if s == old {
		return
	}
	switch {
	case a.round > 3*hastyRounds:
		s = Leaf(typ)
	case a.round > hastyRounds:
		s = a.widen(old, s).Meet(Leaf(typ))
	}
	values[at], a.changed = s, true
}

// places gives the locals of a template places in environments, and the shared variables that its code mentions, unless
// they are in arrays.
func (a *Analysis) places(t *step.Template) *Frame {
	f := a.slots[t]
	if f != nil {
		return f
	}
	f = &Frame{slot: map[Field]int{}, free: map[Field]int{}, sum: map[Field]int{}}
	for _, v := range t.Locals {
		for _, x := range Fields(v.Type) {
			f.slot[Field{v, x.Off}] = len(f.slot)
		}
	}
	vars := map[*step.Var]bool{}
	for _, n := range t.Nodes {
		for _, e := range []*step.Expr{n.Dst, n.Src, n.Cond} {
			expr.Shared(e, vars)
		}
	}
	for _, v := range a.prog.Shared {
		if vars[v] {
			for _, x := range Fields(v.Type) {
				if !x.array || a.Own[Field{v, x.Off}][t] != nil {
					f.free[Field{v, x.Off}] = len(f.slot)
					f.slot[Field{v, x.Off}] = len(f.slot)
				}
			}
		}
	}
	for at := range a.sums {
		if a.adds(t, at) {
			f.sum[at] = len(f.slot) + len(f.sum)
		}
	}
	f.compared, f.terms = findCompared(t), len(f.slot)+len(f.sum)
	for node := range t.Nodes {
		if len(f.sum) > 0 {
			f.live = append(f.live, t.LiveIn(node))
		}
	}
	a.slots[t] = f
	return f
}

// process analyses one process for the present ranges of the shared variables.
func (a *Analysis) process(p *step.Proc) *Frame {
	t := p.Template
	places := a.places(t)
	f := &Frame{a: a, Process: p, slot: places.slot, free: places.free, sum: places.sum,
		compared: places.compared, terms: places.terms, live: places.live, total: map[Field]span.Span{},
		entry: map[int]*step.Step{}}
	f.cases = cases{flags: f.tested(), of: map[caseKey]int{}, count: map[int]int{}}
	for _, s := range t.Steps {
		f.entry[s.Entry] = s
	}
	env := make([]span.Span, f.terms+len(f.compared.terms)) // nil means unreachable
	for _, v := range t.Locals {
		for _, x := range Fields(v.Type) {
			env[f.slot[Field{v, x.Off}]] = a.initially(p, v, x)
		}
	}
	for at, i := range f.sum {
		f.total[at] = span.Only(0)
		env[i] = span.Only(a.loans[t][at])
	}
	reach := func(node int, env []span.Span) {
		if env == nil {
			return
		}
		for at, i := range f.sum {
			f.total[at] = f.total[at].Join(env[i])
		}
		if node == step.End {
			return
		}
		if t.Nodes[node].Visible {
			for i := f.terms; i < len(env); i++ {
				env[i] = span.Any
			}
			for at, i := range f.free {
				switch {
				case a.Own[at][t] != nil:
				case a.together && !a.spoilt[at]:
					env[i] = a.closed(env[i], at, f.entry[node])
				default:
					env[i] = span.Any
				}
			}
		}
		f.join(node, env)
	}
	for at, i := range f.free {
		env[i] = span.Any
		if a.Own[at][t] != nil || a.together && !a.spoilt[at] && t.Pool == nil {
			env[i] = spanAt(at.V.Type, at.Off, a.prog.Init[at.V.Offset:])
		}
	}
	if a.started == nil || t.Pool == nil || a.started[t] {
		reach(t.Start, env)
	}
	for len(f.work) > 0 && a.ctx.Err() == nil {
		i := f.work[0]
		f.work, f.node = f.work[1:], f.nodes[i]
		env := slices.Clone(f.at[i])
		n := t.Nodes[f.node]
		if n.Kind == step.Branch {
			reach(n.Next, f.refine(slices.Clone(env), n.Cond, true))
			reach(n.Else, f.refine(env, n.Cond, false))
			continue
		}
		reach(n.Next, f.after(env, n))
	}
	f.joinCases()
	for at, s := range f.total {
		a.added[at] = a.added[at].Plus(s)
	}
	return f
}

// join adds an environment to what is known before a node, which is to be looked at again if that is new.
func (f *Frame) join(node int, env []span.Span) {
	node = f.caseOf(node, env)
	old := f.at[node]
	if old == nil {
		f.at[node] = slices.Clone(env)
		f.work = append(f.work, node)
		return
	}
	f.n[node]++
	moved := false
	for i := range env {
		s := old[i].Join(env[i])
		if s == old[i] {
			continue
		}
		switch {
		case f.n[node] > 100*patience:
			s = span.Any
		case i >= len(f.slot) && f.n[node] > patience/2:
			s = farther(old[i], s)
		case f.n[node] > patience:
			s = f.a.widen(old[i], s)
		}
		old[i], moved = s, true
	}
	if moved {
		f.work = append(f.work, node)
	}
}

// after is what is known after a node with one successor. It may change env.
func (f *Frame) after(env []span.Span, n *step.Node) []span.Span {
	if n.Kind != step.Assign { // there it is what is assigned that needs them
		f.forgetTerms(env, n)
	}
	switch n.Kind {
	case step.Await, step.Check, step.Assume:
		return f.refine(env, n.Cond, true)
	case step.Assign:
		f.assign(env, n)
	case step.Choose:
		if f.choose(env, n); n.Cond != nil && !n.Otherwise {
			return f.refine(env, n.Cond, true)
		}
	case step.Append:
		f.resize(env, n, 1)
		f.append(env, n)
	case step.PopHead, step.PopTail:
		f.resize(env, n, -1)
	case step.Nop:
	case step.Spawn:
		f.forget(env, &step.Node{Dst: n.Counter})
		f.lend(env, n.Target)
		f.give(env, n)
		f.refer(env, n)
	default:
		f.forget(env, n)
	}
	return env
}

// choose is what is known after a choice among as many alternatives as the source says.
func (f *Frame) choose(env []span.Span, n *step.Node) {
	f.forget(env, n)
	if i, ok := f.known(n.Dst); ok {
		if k := f.value(env, n.Src); k.Hi != math.MaxInt64 {
			env[i] = span.Between(0, max(k.Hi-1, 0))
		}
	}
}

func (f *Frame) assign(env []span.Span, n *step.Node) {
	ref, off, array, ok := placeOf(n.Dst)
	if !ok {
		return
	}
	if i, counted := f.sum[Field{ref.Var, off}]; counted {
		env[i] = env[i].Plus(f.value(env, addend(n)))
	}
	if _, own := f.ownElement(n.Dst); own {
		array = false
	}
	parts := Fields(n.Dst.Type)
	found := make([]span.Span, len(parts)) // before anything is stored
	var by *span.Span
	if x := addend(n); x != nil {
		added := f.value(env, x)
		by = &added
	}
	for i, x := range parts {
		found[i] = f.part(env, n.Src, x)
	}
	f.forgetTerms(env, n)
	if len(parts) == 1 && n.Dst.Type.Numeric() {
		f.assigned(env, n.Dst, found[0].Meet(Leaf(n.Dst.Type)))
	}
	for i, x := range parts {
		f.storeBy(env, Field{ref.Var, off + x.Off}, x.typ, found[i], by, array || x.array)
	}
}

// store notes that a field gets a value, or if it is one of several words that one of them does.
func (f *Frame) store(env []span.Span, at Field, typ *step.Type, s span.Span, several bool) {
	f.storeBy(env, at, typ, s, nil, several)
}

// storeBy does so where something is added to a field, if by is not nil.
func (f *Frame) storeBy(env []span.Span, at Field, typ *step.Type, s span.Span, by *span.Span, several bool) {
	if s = s.Meet(Leaf(typ)); s.Empty() {
		return // it fails
	}
	i, ok := f.slot[at]
	if at.V.Shared {
		f.a.assign(at, typ, s)
		if from := span.Any; f.a.together && !several {
			if ok {
				from = env[i]
			}
			f.wrote(at, typ, from, s, by)
		}
	}
	switch {
	case !ok:
	case several:
		env[i] = env[i].Join(s)
	default:
		env[i] = s
	}
}

// resize is for nodes that add to a list or take from it.
func (f *Frame) resize(env []span.Span, n *step.Node, by int64) {
	list := n.Dst
	if ref, off, array, ok := placeOf(list); ok && followed(list.Type) {
		added := span.Only(by)
		if i, counted := f.sum[Field{ref.Var, off}]; counted {
			env[i] = env[i].Plus(added)
		}
		f.storeBy(env, Field{ref.Var, off}, list.Type, f.field(env, ref, off, list.Type).Plus(added), &added, array)
	}
}

// append is for nodes that put an element into a list.
func (f *Frame) append(env []span.Span, n *step.Node) {
	ref, off, _, ok := placeOf(n.Dst)
	if !ok {
		return
	}
	for _, x := range Fields(n.Dst.Type.Elem) {
		f.store(env, Field{ref.Var, off + 1 + x.Off}, x.typ, f.part(env, n.Src, x), true)
	}
}

// contents are those of a collection that is computed from others.
func (f *Frame) contents(env []span.Span, e *step.Expr, x FieldType) span.Span {
	inside := x
	inside.Off--
	switch e.Op {
	case step.MakeList:
		all := span.None
		for _, elem := range e.Args {
			all = all.Join(f.element(env, elem, e.Type, inside))
		}
		return all
	case step.Put:
		return f.part(env, e.Args[0], x).Join(f.element(env, e.Args[1], e.Type, inside))
	case step.Concat:
		return f.part(env, e.Args[0], x).Join(f.part(env, e.Args[1], x))
	case step.Drop, step.Fit, step.Slice, step.Sort, step.Reverse:
		if e.Args[0].Type.Kind == step.Array {
			x = inside
		}
		return f.part(env, e.Args[0], x)
	}
	return Leaf(x.typ)
}

// element is a field of an element of a collection.
func (f *Frame) element(env []span.Span, elem *step.Expr, of *step.Type, x FieldType) span.Span {
	if x.keys {
		return f.key(env, elem, of)
	}
	return f.part(env, elem, x)
}

// key is that of an element of a set or map.
func (f *Frame) key(env []span.Span, elem *step.Expr, of *step.Type) span.Span {
	if of.Kind == step.Map {
		return f.part(env, elem, FieldType{typ: of.Key()})
	}
	key := f.value(env, elem)
	if ref, off, _, ok := placeOf(elem); ok && ref.Var.Shared {
		if s, given := f.a.given[Field{ref.Var, off}]; given { // it is that of an object that has been made
			key = key.Meet(s)
		}
	}
	return key
}

// give is for nodes that start a process: it gets arguments.
func (f *Frame) give(env []span.Span, n *step.Node) {
	a := f.a
	if a.given == nil {
		return
	}
	if !a.started[n.Target] {
		a.started[n.Target], a.changed = true, true
	}
	for i, e := range n.Args {
		v := n.Target.Parameter(i)
		typ := v.Type
		if v.Shared {
			typ = typ.Elem
		}
		for _, x := range Fields(typ) {
			at, s := Field{v, x.Off}, f.part(env, e, x)
			if _, known := a.given[at]; !known {
				a.given[at] = span.None
			}
			if v.Shared {
				f.store(env, at, x.typ, s, true)
			} else {
				a.extend(a.given, at, x.typ, a.given[at], s)
			}
		}
	}
}

// refer is for nodes that start a process: what refers to it is a number of its pool, and not that of the process that
// starts it.
func (f *Frame) refer(env []span.Span, n *step.Node) {
	if n.Dst == nil {
		return
	}
	ref, off, array, ok := placeOf(n.Dst)
	if !ok {
		return
	}
	pool := n.Target.Pool
	started := span.Between(int64(pool.First), int64(pool.First+pool.Size-1))
	if f.Process.Template.Pool == pool {
		started = narrow(started, step.Ne, span.Only(int64(pool.First)+f.Process.Self))
	}
	f.store(env, Field{ref.Var, off}, n.Dst.Type, started, array)
}

// forget is for nodes that may store anything.
func (f *Frame) forget(env []span.Span, n *step.Node) {
	if n.Dst == nil {
		return
	}
	if ref, off, array, ok := placeOf(n.Dst); ok {
		for _, x := range Fields(n.Dst.Type) {
			f.store(env, Field{ref.Var, off + x.Off}, x.typ, Leaf(x.typ), array || x.array)
		}
	}
}

// part is the range of a field of a value that is assigned.
func (f *Frame) part(env []span.Span, e *step.Expr, x FieldType) span.Span {
	if ref, off, _, ok := placeOf(e); ok && FieldAt(e.Type, x.Off) != nil {
		s := f.field(env, ref, off+x.Off, x.typ)
		if i, own := f.ownField(e, x.Off); own && env != nil {
			s = s.Meet(env[i])
		}
		return s
	}
	t := e.Type
	switch {
	case t.Scalar():
		return f.value(env, e)
	case e.Op == step.Const && FieldAt(t, x.Off) != nil:
		return spanAt(t, x.Off, e.Words)
	case e.Op == step.Lookup || e.Op == step.Index:
		return f.picked(env, e, x)
	case x.Off > 0 && t.Counted() && e.Op != step.Cond:
		return f.contents(env, e, x)
	case e.Op == step.MakeList && x.Off == 0:
		if t.Sorted() { // some may be equal
			return span.Between(0, int64(len(e.Args)))
		}
		return span.Only(int64(len(e.Args)))
	case e.Op == step.Cond:
		return f.part(env, e.Args[1], x).Join(f.part(env, e.Args[2], x))
	case e.Op == step.Some && x.Off == 0:
		return span.Only(1)
	case e.Op == step.Some:
		x.Off--
		return f.part(env, e.Args[0], x)
	case e.Op == step.Make && t.Kind == step.Array:
		all := span.None
		for _, a := range e.Args {
			all = all.Join(f.part(env, a, x))
		}
		return all
	case e.Op == step.Make && t.Kind == step.Record:
		if i := FieldBefore(t, x.Off); i >= 0 && i < len(e.Args) {
			x.Off -= t.FieldAt(i)
			return f.part(env, e.Args[i], x)
		}
	}
	return Leaf(x.typ)
}

// picked is a field of an element of a collection that is computed, or of the value of a map.
func (f *Frame) picked(env []span.Span, e *step.Expr, x FieldType) span.Span {
	of := e.Args[0].Type
	x.Off += elementAt(of)
	if e.Op == step.Lookup {
		x.Off += of.Key().Words()
	}
	return f.part(env, e.Args[0], x)
}

// field is what is known about a field of a variable.
func (f *Frame) field(env []span.Span, ref *step.Expr, off int, typ *step.Type) span.Span {
	at := Field{ref.Var, off}
	i, ok := f.slot[at]
	switch {
	case ref.Var.Shared:
		s, known := f.a.Shared[at]
		if !known {
			s = Leaf(typ)
		}
		if _, counted := f.a.sums[at]; counted {
			s = s.Meet(f.a.sumOf(at))
		}
		if ok && env != nil && f.a.Own[at] == nil {
			s = s.Meet(env[i])
		}
		return s
	case ok && env != nil && (ref.Of == step.Own || ref.Of == step.P):
		// a process by itself; P is the one a fact is about
		return env[i]
	}
	return Leaf(typ)
}

// value is the range of a scalar expression.
func (f *Frame) value(env []span.Span, e *step.Expr) span.Span {
	s := f.computed(env, e)
	if i, ok := f.term(env, e); ok {
		s = s.Meet(env[i])
	}
	return s
}

// computed is the range of a scalar expression as far as those of its parts tell.
func (f *Frame) computed(env []span.Span, e *step.Expr) span.Span {
	if e.Op < step.Neg || e.Op > step.Ge || e.Op == step.Not || e.Args[0].Type.Kind != step.Sized {
		return f.exactly(env, e)
	}
	if !ordered(e.Args[0].Type) {
		return Leaf(e.Type)
	}
	s := f.exactly(env, e)
	if !s.Finite() || s.Meet(Leaf(e.Type)) != s { // it may wrap around
		return Leaf(e.Type)
	}
	return s
}

// exactly is that range if nothing wraps around.
func (f *Frame) exactly(env []span.Span, e *step.Expr) span.Span {
	args := func() (span.Span, span.Span) { return f.value(env, e.Args[0]), f.value(env, e.Args[1]) }
	switch e.Op {
	case step.Const:
		return spanOf(e.Words)
	case step.Self:
		if e.Of == step.Own || e.Of == step.P {
			return span.Only(f.Process.Self)
		}
	case step.VarRef, step.Index, step.Part, step.Unwrap:
		if ref, off, _, ok := placeOf(e); ok && followed(e.Type) {
			s := f.field(env, ref, off, e.Type).Meet(Leaf(e.Type))
			if i, own := f.ownElement(e); own && env != nil {
				s = s.Meet(env[i])
			}
			return s
		}
		if e.Op == step.Index {
			return f.picked(env, e, FieldType{typ: e.Type})
		}
	case step.Lookup:
		return f.picked(env, e, FieldType{typ: e.Type})
	case step.Present:
		return f.part(env, e.Args[0], FieldType{typ: step.BoolType})
	case step.Neg:
		return f.value(env, e.Args[0]).Negated()
	case step.Add:
		a, b := args()
		return a.Plus(b)
	case step.Sub:
		a, b := args()
		return a.Plus(b.Negated())
	case step.Mul:
		a, b := args()
		return a.Times(b)
	case step.Div, step.Mod:
		a, b := args()
		return a.Over(b, e.Op == step.Mod)
	case step.Convert:
		s := f.value(env, e.Args[0])
		if ordered(e.Args[0].Type) && ordered(e.Type) && s.Meet(Leaf(e.Type)) == s {
			return s
		}
	case step.Size:
		if ref, off, _, ok := placeOf(e.Args[0]); ok && followed(e.Args[0].Type) {
			s := f.field(env, ref, off, e.Args[0].Type)
			if i, own := f.ownElement(e.Args[0]); own && env != nil {
				s = s.Meet(env[i])
			}
			return s
		}
		return span.Between(0, int64(e.Args[0].Type.Len))
	case step.Cond:
		switch is, known := f.value(env, e.Args[0]).Truth(); {
		case !known:
			return f.value(env, e.Args[1]).Join(f.value(env, e.Args[2]))
		case is:
			return f.value(env, e.Args[1])
		}
		return f.value(env, e.Args[2])
	case step.Not:
		s := f.value(env, e.Args[0])
		return span.Between(1-s.Hi, 1-s.Lo)
	case step.And:
		a, b := args()
		return span.Between(min(a.Lo, b.Lo), min(a.Hi, b.Hi))
	case step.Or:
		a, b := args()
		return span.Between(max(a.Lo, b.Lo), max(a.Hi, b.Hi))
	case step.Eq, step.Ne, step.Lt, step.Le, step.Gt, step.Ge:
		if !e.Args[0].Type.Scalar() || e.Args[0].Type.Kind == step.Mutex {
			return span.Either
		}
		a, b := args()
		return compareSpans(e.Op, a, b)
	}
	return Leaf(e.Type)
}

func compareSpans(op step.Op, a, b span.Span) span.Span {
	switch op {
	case step.Ne:
		s := compareSpans(step.Eq, a, b)
		return span.Between(1-s.Hi, 1-s.Lo)
	case step.Ge:
		return compareSpans(step.Le, b, a)
	case step.Gt:
		return compareSpans(step.Lt, b, a)
	case step.Eq:
		switch {
		case a.Meet(b).Empty():
			return span.Only(0)
		case a.Single() && b.Single():
			return span.Only(1)
		}
		return span.Either
	case step.Lt:
		switch {
		case a.Hi < b.Lo:
			return span.Only(1)
		case a.Lo >= b.Hi && a.Lo != math.MinInt64 && b.Hi != math.MaxInt64:
			return span.Only(0)
		}
		return span.Either
	}
	switch { // Le
	case a.Hi <= b.Lo && a.Hi != math.MaxInt64 && b.Lo != math.MinInt64:
		return span.Only(1)
	case a.Lo > b.Hi:
		return span.Only(0)
	}
	return span.Either
}

// refine narrows an environment to the states in which a condition holds or not; nil if there are none.
func (f *Frame) refine(env []span.Span, e *step.Expr, want bool) []span.Span {
	if env == nil {
		return nil
	}
	if is, known := f.value(env, e).Truth(); known && is != want {
		return nil
	}
	switch e.Op {
	case step.Not:
		return f.refine(env, e.Args[0], !want)
	case step.And, step.Or:
		if (e.Op == step.And) == want {
			return f.refine(f.refine(env, e.Args[0], want), e.Args[1], want)
		}
		for i, a := range e.Args { // one side is known not to be the reason
			if is, known := f.value(env, a).Truth(); known && is != want {
				return f.refine(env, e.Args[1-i], want)
			}
		}
	case step.VarRef, step.Part:
		if i, ok := f.known(e); ok {
			env[i] = span.Only(boolWord(want))
		}
	case step.Eq, step.Ne, step.Lt, step.Le, step.Gt, step.Ge:
		if !e.Args[0].Type.Scalar() || e.Args[0].Type.Kind == step.Mutex || !ordered(e.Args[0].Type) {
			return env
		}
		op := e.Op
		if !want {
			op = expr.Opposite[op]
		}
		a, b := f.value(env, e.Args[0]), f.value(env, e.Args[1])
		if i, ok := f.known(e.Args[0]); ok {
			if env[i] = narrow(a, op, b); env[i].Empty() {
				return nil
			}
		}
		if i, ok := f.known(e.Args[1]); ok {
			if env[i] = narrow(b, mirrorOp[op], a); env[i].Empty() {
				return nil
			}
		}
		if !f.compare(env, e, op, a, b) {
			return nil
		}
	}
	return env
}

func boolWord(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

var mirrorOp = map[step.Op]step.Op{step.Eq: step.Eq, step.Ne: step.Ne, step.Lt: step.Gt, step.Gt: step.Lt,
	step.Le: step.Ge, step.Ge: step.Le}

// known is the place of a scalar or of the size of a list in environments, of a variable of the process itself.
func (f *Frame) known(e *step.Expr) (slot int, ok bool) {
	if e.Op == step.Size {
		e = e.Args[0]
	} else if !e.Type.Scalar() {
		return 0, false
	}
	if slot, ok = f.ownElement(e); ok && followed(e.Type) {
		return slot, true
	}
	ref, off, array, ok := placeOf(e)
	if !ok || array || !followed(e.Type) || !ref.Var.Shared && ref.Of != step.Own {
		return 0, false
	}
	slot, ok = f.slot[Field{ref.Var, off}]
	return slot, ok
}

// narrow is the part of a that can be in the relation to some value of b.
func narrow(a span.Span, op step.Op, b span.Span) span.Span {
	switch op {
	case step.Eq:
		return a.Meet(b)
	case step.Ne:
		if b.Single() && a.Lo == b.Lo {
			a.Lo++
		}
		if b.Single() && a.Hi == b.Hi {
			a.Hi--
		}
	case step.Lt:
		if b.Hi != math.MaxInt64 {
			a.Hi = min(a.Hi, span.AddBound(b.Hi, -1))
		}
	case step.Le:
		a.Hi = min(a.Hi, b.Hi)
	case step.Gt:
		if b.Lo != math.MinInt64 {
			a.Lo = max(a.Lo, span.AddBound(b.Lo, 1))
		}
	case step.Ge:
		a.Lo = max(a.Lo, b.Lo)
	}
	return a
}

// Reaches reports whether the process may come to a node.
func (f *Frame) Reaches(node int) bool { return f.at[node] != nil }

// Before is the range of a field before a node that the process reaches; followed is false if that is not kept.
func (f *Frame) Before(node int, at Field) (s span.Span, followed bool) {
	if i, there := f.slot[at]; there {
		return f.at[node][i], true
	}
	return span.Any, false
}

// mostCases bounds the combinations of values that are gone through to decide a condition.
const mostCases = 4096

// Decides reports whether a condition about shared variables is true in every reachable state, if the ranges say so.
func (a *Analysis) Decides(e *step.Expr) (is, known bool) {
	return (&Frame{a: a}).decides(nil, e, mostCases)
}

// DecidesAt reports whether a condition is true whenever the process is at a node that it reaches, if the ranges say
// so.
func (f *Frame) DecidesAt(node int, e *step.Expr) (is, known bool) {
	return f.decides(f.at[node], e, mostCases)
}

// DecidesBeside reports whether a condition about shared variables is true wherever two processes stand at two steps.
func (a *Analysis) DecidesBeside(s, t *step.Step, e *step.Expr) (is, known bool) {
	for _, f := range a.frames {
		if f.Process.Template != s.Template || f.at[s.Entry] == nil {
			continue
		}
		env := slices.Clone(f.at[s.Entry])
		for at := range f.sum {
			if place, kept := f.free[at]; kept {
				env[place] = env[place].Meet(a.Beside(at, s, t))
			}
		}
		if is, known = f.decides(env, e, mostCases); !is || !known {
			return is, known
		}
	}
	return is, known
}

// Value is the value of an expression of numbers and self for a process.
func Value(p *step.Proc, e *step.Expr) span.Span { return (&Frame{Process: p}).value(nil, e) }

// decides reports whether a condition is true, if the ranges say so: in one go, or for each of the values that
// something in it can have.
func (f *Frame) decides(env []span.Span, e *step.Expr, most int64) (is, known bool) {
	if is, known = f.value(env, e).Truth(); known {
		return is, known
	}
	if parts := expr.Conjuncts(e); len(parts) > 1 {
		for _, part := range parts {
			if is, known = f.decides(env, part, most); !known || !is {
				return is, known
			}
		}
		return true, true
	}
	of := f.fewValues(env, e, most)
	if of == nil {
		return false, false
	}
	s := f.value(env, of)
	for k := s.Lo; k <= s.Hi; k++ {
		now, known := f.decides(env, expr.Replaced(e, of, expr.Number(k)), most/(s.Hi-s.Lo+1))
		if !known || k > s.Lo && now != is {
			return false, false
		}
		is = now
	}
	return is, true
}

// fewValues is something in a condition that has at most so many values, nil if there is nothing.
func (f *Frame) fewValues(env []span.Span, e *step.Expr, most int64) *step.Expr {
	switch e.Op {
	case step.VarRef, step.Index, step.Part, step.Size:
		if s := f.value(env, e); e.Type.Scalar() && s.Finite() && !s.Single() && s.Hi-s.Lo >= 0 && s.Hi-s.Lo < most {
			return e
		}
	}
	for _, a := range e.Args {
		if found := f.fewValues(env, a, most); found != nil {
			return found
		}
	}
	return nil
}
