package vet

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// A Warning is a remark about a program that is not wrong but suspicious. It prints like an error.
type Warning = syntax.Error

// Program looks for what is probably not meant: statements that read and write shared data in one step although nothing
// says so, names that are not used or look like others, code that is never reached, loops that wait by going round, and
// properties that cannot fail. The result is sorted.
func Program(file *syntax.File, prog *step.Program, findings *Findings) []*Warning {
	v := &vetter{Reporter: syntax.NewReporter(file), prog: prog, Findings: findings}
	for _, n := range findings.notes {
		if n.step == nil {
			v.Report(n.pos, n.end, n.hint, n.format, n.args...)
		} else if v.contested(n) {
			v.Report(n.pos, n.end, "write atomic { } or a lock if that is meant, or see with --atomicity "+
				"access what can happen",
				"%s reads and writes shared data in one step", file.Between(n.pos, n.end))
		}
	}
	v.unused()
	v.properties()
	v.spins()
	v.growing()
	v.unreleased()
	v.faults()
	for _, x := range WithoutInfluence(prog, findings.Observes) {
		hint := "cdpor slice shows what does"
		if prog.Spec != nil {
			hint = ""
		}
		v.Report(x.Pos, step.Pos{}, hint, "%s never influences a property or what is observed", x.Name)
	}
	if err := v.Err(); err != nil {
		return err.(syntax.ErrorList)
	}
	return nil
}

// WithoutInfluence are the shared variables with data that threads use although no property and no observed value
// depends on them, if there are properties, or if the program says what is observed.
func WithoutInfluence(prog *step.Program, observes bool) []*step.Var {
	return slices.DeleteFunc(slice.WithoutInfluence(prog, observes), func(v *step.Var) bool {
		return types.Pinned(v.Type) || strings.HasSuffix(v.Name, ".mailbox") // it has a remark of its own
	})
}

type vetter struct {
	*syntax.Reporter
	*Findings
	prog *step.Program
}

// InOneStep are the places of statements that read and write shared data in one step although the program does not say
// so, and others may write what they read; in the order of the text.
func InOneStep(prog *step.Program, findings *Findings) (places []step.Pos) {
	if findings.SaysStep {
		return nil
	}
	v := &vetter{prog: prog, Findings: findings}
	for _, n := range findings.notes {
		if n.step != nil && v.contested(n) && !slices.Contains(places, n.pos) {
			places = append(places, n.pos)
		}
	}
	slices.SortFunc(places, func(a, b step.Pos) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return places
}

// contested reports whether another process may write what the statement reads, and no mutex is held there.
func (v *vetter) contested(n note) bool {
	at := slices.Index(n.tmpl.Nodes, n.step)
	if at < 0 || holdsAny(n.tmpl, at) {
		return false
	}
	read := map[*step.Var]bool{}
	n.step.Src.EachVar(func(e *step.Expr) { read[e.Var] = e.Var.Shared })
	for _, t := range v.prog.Templates {
		if t.Count == 0 || t == n.tmpl && t.Count == 1 {
			continue
		}
		for _, other := range t.Nodes {
			if other.Dst != nil && read[other.Dst.Root()] {
				return true
			}
		}
	}
	return false
}

// holdsAny reports whether a mutex is held on every way to a node.
func holdsAny(t *step.Template, node int) bool {
	const unknown = -1
	held := make([]int, len(t.Nodes)+1) // mutexes taken and not released, at least; the last entry is the end
	for i := range held {
		held[i] = unknown
	}
	var work []int
	reach := func(i, n int) {
		if i == step.End {
			return
		}
		if held[i] == unknown || n < held[i] {
			held[i] = n
			work = append(work, i)
		}
	}
	reach(t.Start, 0)
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		n, h := t.Nodes[i], held[i]
		if n.Kind == step.Assign && n.Dst.Type.Kind == step.Mutex {
			if n.Src.Op == step.Me {
				h++
			} else {
				h = max(0, h-1)
			}
		}
		reach(n.Next, h)
		if n.Kind == step.Branch {
			reach(n.Else, h)
		}
	}
	return held[node] > 0
}

// unused reports names that nothing asks for.
func (v *vetter) unused() {
	p := v.prog
	used := map[*step.Var]bool{}
	mark := func(e *step.Expr) { used[e.Var] = true }
	for _, t := range p.Templates {
		for _, n := range t.Nodes {
			n.EachRead(mark)
			if n.Dst != nil && n.Dst.Root().Shared {
				used[n.Dst.Root()] = true
			}
		}
	}
	for _, list := range [][]*step.Property{p.Invariants, p.Checks.Final, p.Checks.FinalAny, p.Checks.Reachable,
		p.Checks.Unreachable, p.Checks.Always, p.Checks.Eventually, p.Checks.Stabilises} {
		for _, q := range list {
			q.Expr.EachVar(mark)
		}
	}
	for _, q := range p.Checks.LeadsTo {
		q.From.EachVar(mark)
		q.To.EachVar(mark)
	}
	for _, x := range p.Shared {
		if !used[x] && !x.Temp {
			v.Report(x.Pos, step.Pos{}, "", "no thread uses %s", x.Name)
		}
	}
	read := maps.Clone(v.Asked) // a name may stand for several variables, and a procedure for several copies
	for _, t := range p.Templates {
		for _, x := range t.Locals {
			read[x.Pos] = read[x.Pos] || used[x] || x.Keep
		}
	}
	for _, t := range p.Templates {
		for _, x := range t.Locals {
			if name := v.File.Word(x.Pos); !x.Temp && !read[x.Pos] && x.Pos != t.Pos && name != "_" {
				v.Report(x.Pos, step.Pos{}, "", "the value of %s is never used", name)
			}
		}
	}
}

// properties reports conditions that hold, or fail, whatever happens.
func (v *vetter) properties() {
	p := v.prog
	for _, kind := range []struct {
		list   []*step.Property
		always string // what to say if the condition is always true
		never  string
	}{
		{p.Checks.Final, "this property cannot fail", "this property cannot hold"},
		{p.Checks.FinalAny, "this property cannot fail", "this property cannot hold"},
		{p.Checks.Always, "this property cannot fail", "this property cannot hold"},
		{p.Checks.Eventually, "this property cannot fail", "this property cannot hold"},
		{p.Checks.Stabilises, "this property cannot fail", "this property cannot hold"},
		{p.Checks.Reachable, "this holds in every execution", "this can never be reached"},
		{p.Checks.Unreachable, "this holds in every execution", "this property cannot fail"},
	} {
		for _, q := range kind.list {
			switch lo, hi := bounds(q.Expr); {
			case lo == 1:
				v.Report(q.Pos, step.Pos{}, "", "%s: %s", kind.always, q.Text)
			case hi == 0:
				v.Report(q.Pos, step.Pos{}, "", "%s: %s", kind.never, q.Text)
			}
		}
	}
	for _, q := range p.Checks.LeadsTo {
		_, from := bounds(q.From)
		if to, _ := bounds(q.To); from == 0 || to == 1 {
			v.Report(q.Pos, step.Pos{}, "", "this property cannot fail: %s", q.Text)
		}
	}
	checked := map[*step.Property]bool{}
	for _, t := range p.Templates {
		for _, n := range t.Nodes {
			checked[n.Property] = true
			if n.Kind != step.Check || n.Fault != step.Assertion || n.Property != nil {
				continue
			}
			if lo, _ := bounds(n.Cond); lo == 1 {
				v.Report(n.Pos, step.Pos{}, "", "this assertion cannot fail: %s", n.Text)
			}
		}
	}
	for _, q := range slices.Concat(p.Checks.Always, p.Checks.Transition) {
		if !checked[q] {
			v.Report(q.Pos, step.Pos{}, "", "no step writes what this is about: %s", q.Text)
		}
	}
}

// bounds are the least and greatest value of a scalar that its types allow.
func bounds(e *step.Expr) (lo, hi int64) {
	args := func() (a, b, c, d int64) {
		a, b = bounds(e.Args[0])
		c, d = bounds(e.Args[1])
		return
	}
	truth := func(always, never bool) (int64, int64) {
		switch {
		case always:
			return 1, 1
		case never:
			return 0, 0
		}
		return 0, 1
	}
	switch e.Op {
	case step.Const:
		if len(e.Words) == 1 && e.Type.Kind != step.Sized {
			return e.Words[0], e.Words[0]
		}
	case step.Size:
		return 0, int64(e.Args[0].Type.Len)
	case step.Not:
		lo, hi = bounds(e.Args[0])
		return 1 - hi, 1 - lo
	case step.And:
		a, b, c, d := args()
		return min(a, c), min(b, d)
	case step.Or:
		a, b, c, d := args()
		return max(a, c), max(b, d)
	case step.Eq, step.Ne, step.Lt, step.Le, step.Gt, step.Ge:
		same := step.Equal(e.Args[0], e.Args[1])
		if t := e.Args[0].Type; !t.Scalar() && (e.Op == step.Eq || e.Op == step.Ne) {
			apart := neverEqual(e.Args[0], e.Args[1])
			return truth(apart && e.Op == step.Ne, apart && e.Op == step.Eq)
		} else if !t.Scalar() || t.Kind == step.Mutex || t.Kind == step.Sized {
			return 0, 1
		}
		a, b, c, d := args()
		switch e.Op {
		case step.Eq:
			return truth(same || a == b && c == d && a == c, b < c || d < a)
		case step.Ne:
			return truth(b < c || d < a, same || a == b && c == d && a == c)
		case step.Lt:
			return truth(b < c, same || a >= d)
		case step.Le:
			return truth(same || b <= c, a > d)
		case step.Gt:
			return truth(a > d, same || b <= c)
		}
		return truth(same || a >= d, b < c)
	}
	return typeBounds(e.Type)
}

// typeBounds are the least and greatest value of a scalar type.
func typeBounds(t *step.Type) (lo, hi int64) {
	switch t.Kind {
	case step.Bool:
		return 0, 1
	case step.Range:
		return t.Lo, t.Hi
	case step.Enum:
		return 0, int64(len(t.Names) - 1)
	}
	return math.MinInt64, math.MaxInt64
}

// Findings are remarks that lowering makes, to be judged when the whole program is known.
type Findings struct {
	// Asked are the places of messages that the condition of their case asks.
	Asked map[step.Pos]bool
	// Observes says that the program chooses what is observed.
	Observes bool
	// SaysStep says that the program, or its user, says what a step is.
	SaysStep bool
	notes    []note
	loops    []*waitingLoop
}

// A note is a finished remark, or with step a statement to be judged.
type note struct {
	pos, end     step.Pos
	hint, format string
	args         []any
	step         *step.Node // the statement's first node
	tmpl         *step.Template
}

// A waitingLoop is a while loop as it was lowered.
type waitingLoop struct {
	pos, end step.Pos // of the condition
	nodes    []*step.Node
	branch   *step.Node // where the condition is evaluated
	tmpl     *step.Template
}

// Remark notes something that is suspicious by itself.
func (f *Findings) Remark(pos, end step.Pos, hint, format string, args ...any) {
	f.notes = append(f.notes, note{pos: pos, end: end, hint: hint, format: format, args: args})
}

// Join adds the remarks on a part of the program that was lowered by itself.
func (f *Findings) Join(part *Findings) { f.notes = append(f.notes, part.notes...) }

// Assignment notes an assignment outside of atomic that reads and writes shared data; the nodes are those of the
// statement.
func (f *Findings) Assignment(pos, end step.Pos, nodes []*step.Node, t *step.Template) {
	for _, n := range nodes {
		if n.Kind == step.Assign && n.Dst.TouchesShared() && n.Src.TouchesShared() && n.Dst.Root().Shared {
			f.notes = append(f.notes, note{pos: pos, end: end, step: n, tmpl: t})
			return
		}
	}
}

// Loop notes a while loop outside of atomic blocks with the place of its condition and its nodes: the first
// branch evaluates the condition.
func (f *Findings) Loop(pos, end step.Pos, nodes []*step.Node, t *step.Template) {
	for _, n := range nodes {
		if n.Kind == step.Branch {
			f.loops = append(f.loops, &waitingLoop{pos, end, nodes, n, t})
			return
		}
	}
}

// Comparisons of values that have parts, and those that never hold.

// compared reports comparisons with a value that is written out and lies outside of the type of the other side.
func (v *vetter) compared(e *step.Expr, told map[step.Pos]bool) {
	if e == nil {
		return
	}
	if (e.Op == step.Eq || e.Op == step.Ne) && !told[e.Pos] && (writtenOut(e.Args[0]) != writtenOut(e.Args[1])) {
		if lo, hi := bounds(e); lo == hi {
			told[e.Pos] = true
			v.Report(e.Pos, step.Pos{}, "", "these two values are never equal: one is outside of the type of the other")
		}
	}
	for _, a := range e.Args {
		v.compared(a, told)
	}
}

// writtenOut reports whether a value has a constant in it and is no variable.
func writtenOut(e *step.Expr) bool {
	switch e.Op {
	case step.Const:
		return true
	case step.Make, step.MakeList, step.Some:
		return slices.ContainsFunc(e.Args, writtenOut)
	}
	return false
}

// An interval is the least and greatest value of a word.
type interval struct{ lo, hi int64 }

// neverEqual reports whether the types of two values with parts leave no word that both can have.
func neverEqual(a, b *step.Expr) bool {
	x, y := words(a), words(b)
	for i := range min(len(x), len(y)) {
		if x[i].hi < y[i].lo || y[i].hi < x[i].lo {
			return true
		}
	}
	return false
}

// words are the bounds of the words of a value.
func words(e *step.Expr) (list []interval) {
	switch {
	case e.Op == step.Const:
		for _, w := range e.Words {
			list = append(list, interval{w, w})
		}
	case e.Op == step.Make:
		for _, a := range e.Args {
			list = append(list, words(a)...)
		}
	case e.Op == step.Some:
		list = append([]interval{{1, 1}}, words(e.Args[0])...)
	case e.Op == step.MakeList:
		n := int64(len(e.Args))
		list = append(list, interval{n, n})
		for _, a := range e.Args {
			list = append(list, words(a)...)
		}
	case e.Type.Scalar() && e.Type.Kind != step.Sized:
		lo, hi := bounds(e)
		list = append(list, interval{lo, hi})
	default:
		list = typeWords(e.Type)
	}
	return list
}

// typeWords are the bounds of the words of a type.
func typeWords(t *step.Type) (list []interval) {
	part := func(times int, t *step.Type, absent bool) {
		words := typeWords(t)
		for i := range words {
			if absent {
				words[i] = interval{min(words[i].lo, 0), max(words[i].hi, 0)}
			}
		}
		for range times {
			list = append(list, words...)
		}
	}
	switch {
	case t.Kind == step.Record:
		for _, f := range t.Fields {
			part(1, f.Type, false)
		}
	case t.Kind == step.Array:
		part(t.Len, t.Elem, false)
	case t.Kind == step.Option:
		list = append(list, interval{0, 1})
		part(1, t.Elem, true)
	case t.Counted():
		list = append(list, interval{0, int64(t.Len)})
		part(t.Len, t.Elem, true)
	default:
		lo, hi := typeBounds(t)
		list = append(list, interval{lo, hi})
	}
	return list
}
