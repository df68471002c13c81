package lower

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/share"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Data races: a write that others can see, and a read that operations of sync/atomic can meet, is two steps with a mark
// between them (package primitive, races.go).

// access emits an access to a spot, which f does: a step if others can see it, with the marks of races.
func (c *code) access(in *pointsto.Instance, i ssa.Instruction, number *step.Expr, place *step.Expr, s spot, write bool,
	f func(place *step.Expr)) {
	seen := s.region.owner == nil && c.l.share.Visible(in, i, s.region.object, s.path, write)
	do := func() { f(place) }
	switch model := c.l.src.InModel(i.Parent().Pos()); {
	case !seen:
		emitInline(c.Code, do)
	case !c.l.opt.Races, model && !overlaps(c.l.usesOf(s.region.object).plain, s.path):
		c.Unit(do)
	default:
		markAccess(c, c.l.markOf(s.region), number, s, write, do)
	}
}

// emitInline emits what f does as a part of the step before it.
func emitInline(b *build.Code, f func()) {
	b.Atomic++
	f()
	b.Atomic--
}

// markAccess emits an access with its marks.
func markAccess(c *code, m mark, number *step.Expr, s spot, write bool, f func()) {
	leaves := func(f func(leaf *step.Expr)) {
		leavesOf(c, c.l.in(c, s.region, build.Ref(m.of, c.At), s.path, number), m.readers, f)
	}
	name := spotName(s)
	writer := func(leaf *step.Expr) *step.Expr {
		if m.readers {
			return c.Field(leaf, "writer")
		}
		return leaf
	}
	check := func() {
		leaves(func(leaf *step.Expr) {
			verb := "read"
			if write {
				verb = "written"
			}
			c.Check(freeMutex(c.Code, writer(leaf)), step.Race,
				fmt.Sprintf("%s is %s while another goroutine writes it", name, verb))
			if write && m.readers {
				c.Check(c.Bool(step.Eq, c.Field(leaf, "readers"), c.Number(0)), step.Race,
					name+" is written while another goroutine reads it")
			}
		})
	}
	switch {
	case c.Atomic > 0, !write && !c.l.modelWrites(s.region.object, s.path): // one step sees all that matters
		c.Unit(func() { check(); f() })
	case write:
		c.Unit(func() { check(); leaves(func(leaf *step.Expr) { c.set(writer(leaf), c.Me()) }) })
		c.Unit(func() { f(); leaves(func(leaf *step.Expr) { c.Set(writer(leaf), 0) }) })
	default:
		c.Unit(func() { check(); leaves(func(leaf *step.Expr) { c.Add(c.Field(leaf, "readers"), 1) }) })
		c.Unit(func() { f(); leaves(func(leaf *step.Expr) { c.Add(c.Field(leaf, "readers"), -1) }) })
	}
}

// leavesOf emits what f does for each mark of a place and its parts.
func leavesOf(c *code, place *step.Expr, readers bool, f func(leaf *step.Expr)) {
	switch t := place.Type; {
	case t == primitive.WriterMark, t == primitive.ReaderMark:
		f(place)
	case t.Kind == step.Array && t.Len <= 4:
		for k := range t.Len {
			leavesOf(c, c.Elem(place, c.Number(int64(k))), readers, f)
		}
	case t.Kind == step.Array:
		c.count(c.Number(int64(t.Len)), func(k *step.Expr) { leavesOf(c, c.Elem(place, k), readers, f) })
	default:
		for k := range t.Fields {
			leavesOf(c, c.field(place, k), readers, f)
		}
	}
}

// markOf is the mark of a region.
func (l *lowerer) markOf(r *region) mark {
	if r.mark.of != nil {
		return r.mark
	}
	leaf := primitive.WriterMark
	if r.mark.readers = l.modelWrites(r.object, nil); r.mark.readers {
		leaf = primitive.ReaderMark
	}
	t := primitive.Marks(r.elem, leaf, map[*step.Type]*step.Type{ticketsType: primitive.Unmarked, ifaceType: leaf,
		sliceType: leaf})
	if r.count > 1 {
		t = &step.Type{Kind: step.Array, Elem: t, Len: r.count}
	}
	r.mark.of = l.declare(r.of.Name+"_access", t, r.object.Site.Pos())
	r.mark.of.Temp = true
	return r.mark
}

// usesOf says who accesses an object.
func (l *lowerer) usesOf(o *pointsto.Object) *uses {
	if l.uses == nil {
		l.uses = map[*pointsto.Object]*uses{}
		for _, in := range l.r.Instances {
			model := l.src.InModel(in.Func.Pos())
			for i := range pointsto.Instructions(in.Func) {
				noteUses(l, in, i, model)
			}
		}
	}
	if u := l.uses[o]; u != nil {
		return u
	}
	return &uses{}
}

func noteUses(l *lowerer, in *pointsto.Instance, i ssa.Instruction, model bool) {
	if call, ok := i.(ssa.CallInstruction); ok && pointsto.AssignsError(call.Common()) {
		for _, t := range l.r.Pointed(in, call.Common().Args[1], nil) {
			noteUse(l, t, share.Access{Write: true}, model)
		}
	}
	for _, a := range share.Accesses(i) {
		if a.Sync {
			continue
		}
		for _, t := range l.r.Targets(in, a.Pointer) {
			noteUse(l, t, a, model)
		}
	}
}

func noteUse(l *lowerer, t pointsto.Place, a share.Access, model bool) {
	u := l.uses[t.Object]
	if u == nil {
		u = &uses{}
		l.uses[t.Object] = u
	}
	switch path := slices.Concat(t.Path(), a.Path); {
	case !model:
		u.plain = append(u.plain, path)
	case a.Write:
		u.modelled = append(u.modelled, path)
	}
}

// modelWrites reports whether a model may write a part of an object, or a part of that.
func (l *lowerer) modelWrites(o *pointsto.Object, path []int) bool {
	return overlaps(l.usesOf(o).modelled, path)
}

func overlaps(paths [][]int, path []int) bool {
	return slices.ContainsFunc(paths, func(p []int) bool { return share.Overlap(p, path) })
}

// spotName is a place for people, as c.hits or queue[...].
func spotName(s spot) string {
	name, t := s.region.of.Called(), s.region.elem
	for _, f := range s.path {
		if f == pointsto.Element {
			name, t = name+"[...]", t.Elem
			continue
		}
		name, t = name+"."+t.Fields[f].Name, t.Fields[f].Type
	}
	return name
}

// count emits a loop: what f does, for each number from 0 on that is less than n, which does not change.
func (c *code) count(n *step.Expr, f func(k *step.Expr)) {
	k := c.Temp(step.IntType)
	c.set(k, c.Number(0))
	head := len(c.Nodes)
	c.Emit(step.Node{Kind: step.Nop})
	exit := c.Branch(c.Bool(step.Lt, k, n))
	f(k)
	c.Add(k, 1)
	c.Connect(c.Open, head)
	c.Open = []*int{exit}
}
