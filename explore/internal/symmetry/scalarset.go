package symmetry

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// Which threads are interchangeable, found in the program text: Ip and Dill, "Better Verification Through Symmetry",
// Formal Methods in System Design 9, 1996. Their scalarset is a type whose values may be assigned, compared for
// equality and used as indices, and nothing else; then every permutation of the values maps executions to executions.
// Here the numbers of the instances of a template (self) are such values unless the program does something else with
// them, and so are processes as holders of mutexes. What is a number of which template is not declared but inferred, by
// unification: everything that is assigned to or compared with each other is of one sort. What the program computes
// with, or compares with a constant that is the number of an instance, is mere data.

// A sort is the type that the inference gives a value: of a scalar what it stands for, of others their parts.
type sort struct {
	same   *sort // this one has been unified with
	parts  []*sort
	elem   *sort
	index  *sort        // of an Array: what it is indexed by
	mutex  bool         // a scalar that stands for a process, by type
	data   *step.Expr   // scalar: where it is treated as an integer
	of     []instances  // scalar: the numbers of these flow here
	values []int64      // scalar: the constants that flow here
	ranges []*step.Type // scalar: the types of places that it is kept in
}

// instances are those of a template, numbered from first.
type instances struct {
	template *step.Template
	first    int64
}

func (s *sort) root() *sort {
	for s.same != nil {
		s = s.same
	}
	return s
}

// newSort is the sort of a value of a type of which nothing else is known.
func (x *inference) newSort(t *step.Type) *sort {
	s := &sort{}
	switch t.Kind {
	case step.Array:
		s.index, s.elem = &sort{}, x.newSort(t.Elem)
		s.index.ranges = append(s.index.ranges, &step.Type{Kind: step.Range, Lo: 0, Hi: int64(t.Len) - 1})
	case step.List, step.Queue, step.Option:
		s.elem = x.newSort(t.Elem)
	case step.Set, step.Bag, step.Map: // they are sorted: by numbers
		s.elem = x.newSort(t.Elem)
		x.toData(s.elem, &step.Expr{})
	case step.Record:
		for _, f := range t.Fields {
			s.parts = append(s.parts, x.newSort(f.Type))
		}
	case step.Mutex:
		s.mutex = true
	case step.Range:
		s.ranges = append(s.ranges, t)
	}
	return s
}

// inference computes the sorts of a program.
type inference struct {
	program *step.Program
	vars    map[*step.Var]*sort
	numbers []*sort             // scalars that are numbers of instances
	funcs   map[*step.Func]bool // those looked at
	within  *step.Template      // whose code is being looked at; nil: a function or a property
	refused map[*step.Template]string
	each    map[*step.Expr]bool // what is looked at stands for all elements of the array: see everyElement
	broken  string              // processes as holders of mutexes are computed with: nothing is symmetric
}

// infer looks at everything that is executed before an execution has ended. What is looked at then is looked at in
// every state that a permutation leads to; in states in which an execution has ended, who made the processes that were
// started, or made others crash, has done so.
func infer(m *step.Machine, ended bool) *inference {
	x := &inference{program: m.Program, vars: map[*step.Var]*sort{}, funcs: map[*step.Func]bool{},
		refused: map[*step.Template]string{}, each: map[*step.Expr]bool{}}
	for _, t := range m.Program.Templates {
		x.within = t
		if t.Pool != nil && !ended {
			x.refuse(t, step.Pos{}, "its threads are spawned")
		}
		if t.Crashed != nil && !ended {
			x.refuse(t, step.Pos{}, "its threads may crash")
		}
		for _, n := range t.Nodes {
			if !t.Crasher {
				x.node(n)
			}
		}
	}
	x.within = nil
	for _, p := range m.Program.Invariants {
		x.value(p.Expr)
	}
	for _, t := range m.Program.Templates {
		x.parameters(m, t)
		x.started(t)
	}
	x.conclude(m)
	return x
}

func (x *inference) refuse(t *step.Template, at step.Pos, why string) {
	if t == nil || x.refused[t] != "" {
		return
	}
	if at != (step.Pos{}) {
		why += fmt.Sprintf(" (line %d)", at.Line)
	}
	x.refused[t] = why
}

// parameters makes locals that are initially the number of their instance, and not treated as data, numbers.
func (x *inference) parameters(m *step.Machine, t *step.Template) {
	for _, v := range t.Locals {
		s := x.variable(v).root()
		if t.Count < 2 || !v.Type.Numeric() || s.data != nil {
			continue
		}
		numbered := true
		for _, p := range m.Program.Procs {
			numbered = numbered && (p.Template != t || p.Init[v.Offset] == p.Self)
		}
		if numbered {
			x.numbersOf(s, t, 0)
		}
	}
}

// numbersOf says that the numbers from first of the instances of a template flow to a scalar.
func (x *inference) numbersOf(s *sort, t *step.Template, first int) {
	s = s.root()
	s.of = append(s.of, instances{t, int64(first)})
	x.numbers = append(x.numbers, s)
}

// started looks at how a template is used whose processes are started: their numbers in the array that says how far
// they are begin behind those of other templates.
func (x *inference) started(t *step.Template) {
	p := t.Pool
	if p == nil {
		return
	}
	index := x.variable(p.Life).index.root()
	if index.data != nil || slices.ContainsFunc(index.values, func(v int64) bool {
		return v >= int64(p.First) && v < int64(p.First+p.Size)
	}) {
		x.refuse(t, step.Pos{}, "its threads are joined by their number")
	}
	for _, v := range p.Fields {
		x.numbersOf(x.variable(v).index, t, 0)
	}
}

// conclude refuses the templates whose numbers are treated as something else.
func (x *inference) conclude(m *step.Machine) {
	for _, s := range x.numbers {
		s = s.root()
		for i, of := range s.of {
			t, first, last := of.template, of.first, of.first+int64(of.template.Count)-1
			switch {
			case s.data != nil:
				x.refuse(t, s.data.Pos, "its number, self, is used as an integer")
			case i > 0 && of != s.of[0]:
				x.refuse(t, step.Pos{}, "its numbers are mixed with those of "+s.of[0].template.Name)
				x.refuse(s.of[0].template, step.Pos{}, "its numbers are mixed with those of "+t.Name)
			}
			for _, v := range s.values {
				if v >= first && v <= last {
					x.refuse(t, step.Pos{},
						fmt.Sprintf("its numbers are compared with or replaced by the constant %d", v))
				}
			}
			for _, r := range s.ranges {
				if r.Lo > first || r.Hi < last {
					x.refuse(t, step.Pos{}, fmt.Sprintf("its numbers do not all fit into %d..%d", r.Lo, r.Hi))
				}
			}
		}
	}
	for _, t := range m.Program.Templates {
		if x.broken != "" {
			x.refuse(t, step.Pos{}, x.broken)
		}
	}
}

func (x *inference) variable(v *step.Var) *sort {
	s := x.vars[v]
	if s == nil {
		s = x.newSort(v.Type)
		x.vars[v] = s
	}
	return s
}

// toData says that a value is treated as data by e, with all its parts.
func (x *inference) toData(s *sort, e *step.Expr) {
	s = s.root()
	if s.mutex {
		x.broken = "the program computes with the holders of mutexes"
	}
	if s.data == nil {
		s.data = e
	}
	for _, part := range s.parts {
		x.toData(part, e)
	}
	if s.index != nil {
		x.toData(s.index, e)
	}
	if s.elem != nil {
		x.toData(s.elem, e)
	}
}

// unify says that two values are assigned to or compared with each other by e.
func (x *inference) unify(a, b *sort, e *step.Expr) {
	a, b = a.root(), b.root()
	if a == b {
		return
	}
	if len(a.parts) != len(b.parts) || (a.elem == nil) != (b.elem == nil) || a.mutex != b.mutex {
		x.toData(a, e)
		x.toData(b, e)
		return
	}
	for i := range a.parts {
		x.unify(a.parts[i], b.parts[i], e)
	}
	switch {
	case a.index != nil && b.index != nil:
		x.unify(a.index, b.index, e)
	case a.index != nil:
		x.toData(a.index, e)
	case b.index != nil:
		x.toData(b.index, e)
	}
	if a.elem != nil {
		x.unify(a.elem, b.elem, e)
	}
	if len(a.parts) > 0 || a.elem != nil {
		return // the parts are unified; the wholes stay apart, for one may be an array and the other a list
	}
	if a.data == nil {
		a.data = b.data
	}
	a.of, a.values, a.ranges = append(a.of, b.of...), append(a.values, b.values...), append(a.ranges, b.ranges...)
	b.same = a
}

// constant is the sort of a constant value, with the scalars in it.
func (x *inference) constant(e *step.Expr, t *step.Type, words []int64) *sort {
	s := x.newSort(t)
	switch t.Kind {
	case step.Array:
		x.toData(s.index, e)
		for i := range t.Len {
			x.unify(s.elem, x.constant(e, t.Elem, words[i*t.Elem.Words():]), e)
		}
	case step.List, step.Queue:
		for i := range int(words[0]) {
			x.unify(s.elem, x.constant(e, t.Elem, words[1+i*t.Elem.Words():]), e)
		}
	case step.Option:
		if words[0] != 0 {
			x.unify(s.elem, x.constant(e, t.Elem, words[1:]), e)
		}
	case step.Record:
		for i, f := range t.Fields {
			x.unify(s.parts[i], x.constant(e, f.Type, words[t.FieldAt(i):]), e)
		}
	case step.Mutex:
		if words[0] != 0 {
			x.toData(s, e)
		}
	case step.Set, step.Bag, step.Map:
	default:
		s.values, s.ranges = append(s.values, words[0]), nil
	}
	return s
}

// node looks at a node of the template within, or of a function.
func (x *inference) node(n *step.Node) {
	var dst, src *sort
	if n.Dst != nil {
		dst = x.value(n.Dst)
	}
	if n.Src != nil {
		src = x.value(n.Src)
	}
	if n.Cond != nil {
		x.value(n.Cond)
	}
	switch n.Kind {
	case step.Assign:
		x.unify(dst, src, n.Src)
	case step.Append:
		x.unify(dst.elem, src, n.Src)
	case step.Choose:
		x.toData(dst, n.Dst)
		x.toData(src, n.Src)
	case step.Spawn:
		x.spawn(n)
	}
}

// spawn looks at a node that starts a process.
func (x *inference) spawn(n *step.Node) {
	pool := n.Target.Pool
	for _, e := range []*step.Expr{n.Counter, n.Maker} {
		if e != nil {
			x.toData(x.value(e), e)
		}
	}
	if n.Dst != nil {
		x.numbersOf(x.value(n.Dst), n.Target, pool.First)
	}
	for i, e := range n.Args {
		to, value := n.Target.Parameter(i), x.value(e)
		switch {
		case to == nil:
			x.toData(value, e)
		case to.Shared:
			x.unify(x.variable(to).elem, value, e)
		default:
			x.unify(x.variable(to), value, e)
		}
	}
	x.refuse(x.within, n.Pos, "it spawns threads")
}

// whose is the template of the process that an expression means. One of several that is named is unlike the others.
func (x *inference) whose(e *step.Expr) *step.Template {
	if e.Of >= 0 {
		x.refuse(x.program.Procs[e.Of].Template, e.Pos, "one of its threads is named")
		return nil
	}
	return x.within
}

// value is the sort of the value of an expression.
func (x *inference) value(e *step.Expr) *sort {
	if x.each[e] {
		return x.value(e.Args[0]).elem
	}
	one, indices := everyElement(e)
	if one == nil {
		return x.valueOf(e)
	}
	for _, i := range indices {
		x.each[i] = true
	}
	v := x.value(one)
	clear(x.each)
	if e.Op != step.Add {
		return &sort{}
	}
	x.toData(v, e)
	return &sort{data: e}
}

func (x *inference) valueOf(e *step.Expr) *sort {
	arg := func(i int) *sort { return x.value(e.Args[i]) }
	data := func() *sort {
		for i := range e.Args {
			x.toData(arg(i), e)
		}
		s := x.newSort(e.Type)
		x.toData(s, e)
		return s
	}
	switch e.Op {
	case step.Const:
		return x.constant(e, e.Type, e.Words)
	case step.Neg:
		if a := e.Args[0]; a.Op == step.Const && a.Words[0] > 0 {
			return &sort{values: []int64{-a.Words[0]}}
		}
	case step.VarRef:
		if !e.Var.Shared && e.Of != step.Own {
			x.whose(e)
		}
		return x.variable(e.Var)
	case step.Self:
		s := &sort{}
		if t := x.whose(e); t != nil {
			x.numbersOf(s, t, 0)
		}
		return s
	case step.Me:
		x.whose(e)
		return &sort{mutex: true}
	case step.Index:
		base, index := arg(0), arg(1)
		if base.index == nil {
			x.toData(index, e)
		} else {
			x.unify(base.index, index, e)
		}
		return base.elem
	case step.Part:
		return arg(0).parts[e.Field]
	case step.Some:
		return &sort{elem: arg(0)}
	case step.Unwrap:
		return arg(0).elem
	case step.Reverse:
		return arg(0)
	case step.Present, step.Size, step.Not, step.And, step.Or:
		for i := range e.Args {
			arg(i)
		}
		return &sort{}
	case step.Eq, step.Ne:
		x.unify(arg(0), arg(1), e)
		return &sort{}
	case step.Cond:
		arg(0)
		a, b := arg(1), arg(2)
		x.unify(a, b, e)
		return a
	case step.MakeList, step.Make, step.Fit, step.Concat, step.Slice:
		return x.made(e)
	case step.Call:
		x.function(e.Func)
		for i, v := range e.Func.Params {
			x.unify(x.variable(v), arg(i), e)
		}
		return x.variable(e.Func.Result)
	}
	return data() // arithmetic, order, sorting, whatever is kept sorted
}

// made is the sort of a value that is put together.
func (x *inference) made(e *step.Expr) *sort {
	s := x.newSort(e.Type)
	switch e.Op {
	case step.MakeList:
		for i := range e.Args {
			x.unify(s.elem, x.value(e.Args[i]), e)
		}
	case step.Make:
		for i := range e.Args {
			if s.elem == nil {
				x.unify(s.parts[i], x.value(e.Args[i]), e)
				continue
			}
			x.toData(s.index, e)
			x.unify(s.elem, x.value(e.Args[i]), e)
		}
	case step.Fit, step.Concat, step.Slice:
		lists := e.Args
		if e.Op == step.Slice {
			lists = e.Args[:1]
			x.toData(x.value(e.Args[1]), e)
			x.toData(x.value(e.Args[2]), e)
		}
		for i := range lists {
			x.unify(s, x.value(e.Args[i]), e)
		}
	}
	return s
}

func (x *inference) function(f *step.Func) {
	if x.funcs[f] {
		return
	}
	x.funcs[f] = true
	within := x.within
	x.within = nil
	for _, n := range f.Nodes {
		x.node(n)
	}
	x.within = within
}

// everyElement tells of a conjunction, disjunction or sum, such as any and count make of an array, that it says the
// same of each element: a permutation of them does not change its value. One is what it says of the first; the indices
// are the places in it that stand for all. It is nil of other expressions.
func everyElement(e *step.Expr) (one *step.Expr, indices []*step.Expr) {
	if e.Op != step.And && e.Op != step.Or && e.Op != step.Add {
		return nil, nil
	}
	var list []*step.Expr
	for a := e; a.Op == e.Op; {
		list = slices.Insert(list, 0, a.Args[1])
		if a = a.Args[0]; a.Op != step.Const { // a sum begins with 0
			list = slices.Insert(list, 0, a)
		}
		if indices := sameOfEach(list); len(indices) > 0 {
			return list[0], indices
		}
		if a.Op != step.Const {
			list = list[1:]
		}
	}
	return nil, nil
}

// sameOfEach is where the first of some expressions has an index 0 that stands for the elements of arrays of which
// the others say the same; nil if they do not.
func sameOfEach(list []*step.Expr) (indices []*step.Expr) {
	for i, a := range list[1:] {
		here, alike := alikeButFor(list[0], a, int64(i+1), len(list), nil)
		if !alike || i > 0 && !slices.Equal(here, indices) {
			return nil
		}
		indices = here
	}
	return indices
}

// alikeButFor reports whether b is a with the index i in the place of 0 of arrays of a length, and appends where.
func alikeButFor(a, b *step.Expr, i int64, length int, where []*step.Expr) (_ []*step.Expr, alike bool) {
	if a.Op != b.Op || a.Type != b.Type || a.Var != b.Var || a.Of != b.Of || a.Field != b.Field || a.Func != b.Func ||
		len(a.Args) != len(b.Args) {
		return where, false
	}
	args := len(a.Args)
	if a.Op == step.Index && a.Args[0].Type.Kind == step.Array && a.Args[0].Type.Len == length {
		v, w := a.Args[1], b.Args[1]
		if v.Op == step.Const && w.Op == step.Const && v.Words[0] == 0 && w.Words[0] == i {
			where, args = append(where, a), 1
		}
	}
	if !slices.Equal(a.Words, b.Words) {
		return where, false
	}
	alike = true
	for k := 0; k < args && alike; k++ {
		where, alike = alikeButFor(a.Args[k], b.Args[k], i, length, where)
	}
	return where, alike
}
