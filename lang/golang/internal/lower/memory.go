package lower

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Memory: each object of the analysis, which stands for all that its site makes, is a variable, shared or local to a
// process, with one element for each thing that the site may make. A pointer is a number: a stretch of numbers belongs
// to each pair of an object and a path of fields whose address is taken, one number for each element.

// regionOf is the memory of an object.
func (l *lowerer) regionOf(o *pointsto.Object) (*region, error) {
	if r := l.regions[o]; r != nil {
		return r, nil
	}
	elem, err := l.contents(o)
	if err != nil {
		return nil, err
	}
	r := &region{object: o, elem: elem, count: 1, each: 1, bases: map[string]stretch{}}
	if o.In != nil {
		p := l.processOf(o.In)
		if r.each = l.times(o.In, o.Site); r.each > 1 {
			r.each = min(r.each, max(2, maxObjects/p.count)) // made cuts what goes beyond
		}
		r.count = r.each * p.count
	}
	if p := l.share.Owner(o); p != nil && l.of[p] != nil {
		r.owner = l.of[p]
		if o.In == nil || l.processOf(o.In) == r.owner {
			r.count = r.each // each process has its own
		}
	}
	t := elem
	if r.count > 1 {
		t = &step.Type{Kind: step.Array, Elem: elem, Len: r.count}
	}
	name := l.objectName(o)
	if r.owner != nil {
		r.of = r.owner.code.Declare(r.owner.unique(variable(name)), t, l.pos(o.Site.Pos()))
	} else {
		r.of = l.declare(name, t, o.Site.Pos())
	}
	r.of.Temp = strings.HasPrefix(name, "init$guard") || l.src.InModel(o.Site.Pos()) ||
		o.In != nil && l.src.InModel(o.In.Func.Pos())
	r.of.Shown = l.shownName(o, r.of, name)
	switch s := o.Site.(type) {
	case *ssa.MakeClosure:
		r.of.Quiet = true // what it refers to does not change
	case *ssa.Alloc:
		r.of.Quiet = s.Comment == "varargs" || s.Comment == "" // the latter holds a result
		r.of.Rounds = s.Comment == name
	}
	r.of.Rounds = r.count > 1 && (r.of.Rounds || isBacking(o.Site))
	l.regions[o] = r
	return r, nil
}

// maxObjects bounds how many things a site makes in all processes together.
const maxObjects = 256

// declare adds a shared variable under a name of its own.
func (l *lowerer) declare(name string, t *step.Type, pos token.Pos) *step.Var {
	name = unique(l.names, variable(name))
	v := &step.Var{Name: name, Type: t, Pos: l.pos(pos), Shared: true, Offset: l.prog.SharedWords}
	l.prog.Shared = append(l.prog.Shared, v)
	l.prog.SharedWords += t.Words()
	l.prog.Init = append(l.prog.Init, make([]int64, t.Words())...)
	return v
}

// dims are the sizes of the indices of a path of a region, outermost first.
func (r *region) dims(path []int) (list []int) {
	t := r.elem
	if r.count > 1 {
		list = append(list, r.count)
	}
	for _, f := range path {
		if f == pointsto.Element {
			list, t = append(list, t.Len), t.Elem
			continue
		}
		t = t.Fields[f].Type
	}
	return list
}

// base is the first number of the addresses of a part of the things of a region, and size how many there are.
func (l *lowerer) base(r *region, path []int) (base, size int64) {
	size = 1
	dims := r.dims(path)
	for _, n := range dims {
		size *= int64(n)
	}
	key := fmt.Sprint(path)
	s, ok := r.bases[key]
	if !ok {
		s = stretch{l.numbers + 1, path}
		l.numbers += size
		r.bases[key] = s
	}
	return s.first, size
}

// at is the place of a part of a region for a number; nil stands for the only one.
func (l *lowerer) at(c *code, r *region, path []int, number *step.Expr) *step.Expr {
	return l.in(c, r, build.Ref(r.of, c.At), path, number)
}

// in is at in a variable that has the shape of the region.
func (l *lowerer) in(c *code, r *region, place *step.Expr, path []int, number *step.Expr) *step.Expr {
	base, size := l.base(r, path)
	dims := r.dims(path)
	var offset *step.Expr
	if size > 1 {
		offset = c.minus(number, base)
	}
	index := func() *step.Expr {
		rest := int64(1)
		for _, n := range dims[1:] {
			rest *= int64(n)
		}
		i := offset
		if rest > 1 {
			i = c.Int(step.Div, offset, c.Number(rest))
			offset = c.Int(step.Mod, offset, c.Number(rest))
		}
		if dims[0] == 1 {
			i = c.Number(0)
		}
		dims = dims[1:]
		return i
	}
	if r.count > 1 {
		place = c.Elem(place, index())
	}
	for _, f := range path {
		if f == pointsto.Element {
			place = c.Elem(place, index())
			continue
		}
		p := c.Expr(step.Part, place.Type.Fields[f].Type, place)
		p.Field = f
		place = p
	}
	return place
}

// minus takes a constant from a number.
func (c *code) minus(number *step.Expr, k int64) *step.Expr {
	if number.Op == step.Const {
		return c.Number(number.Words[0] - k)
	}
	if number.Op == step.Add && number.Args[1].Op == step.Const {
		number, k = number.Args[0], k-number.Args[1].Words[0]
	}
	switch {
	case k == 0:
		return number
	case k < 0:
		return c.Int(step.Add, number, c.Number(-k))
	}
	return c.Int(step.Sub, number, c.Number(k))
}

// regionAt is the memory of an object; what is too large is refused.
func regionAt(c *code, o *pointsto.Object) *region {
	r, err := c.l.regionOf(o)
	if err != nil {
		c.refuse("%v", err)
	}
	return r
}

// spots are the places that a pointer may name, ascending.
func (c *code) spots(places []pointsto.Place) (list []spot) {
	for _, p := range places {
		r, err := c.l.regionOf(p.Object)
		if err != nil {
			c.refuse("%s: %v", c.l.where(p.Object.Site.Pos()), err)
		}
		base, size := c.l.base(r, p.Path())
		if size == 0 { // an element of an array that has none
			continue
		}
		list = append(list, spot{r, p.Path(), base, size})
	}
	slices.SortFunc(list, func(a, b spot) int { return int(a.base - b.base) })
	return list
}

// within is the condition that a number is one of a spot.
func (c *code) within(number *step.Expr, s spot) *step.Expr {
	if s.size == 1 {
		return c.Bool(step.Eq, number, c.Number(s.base))
	}
	return c.Bool(step.And, c.Bool(step.Ge, number, c.Number(s.base)), c.Bool(step.Lt, number, c.Number(s.base+s.size)))
}

// each emits what f does with the place that a number names, for each that it may name: branches that look at locals
// only. The number is not nil.
func (c *code) each(number *step.Expr, spots []spot, f func(place *step.Expr, s spot)) {
	if len(spots) == 0 {
		c.Assume(c.Const(step.BoolType, 0), "an unknown place")
		return
	}
	var after []*int
	for i, s := range spots {
		if i == len(spots)-1 {
			f(c.l.at(c, s.region, s.path, number), s)
			break
		}
		skip := c.Branch(c.within(number, s))
		f(c.l.at(c, s.region, s.path, number), s)
		c.Turn(&after, skip)
	}
	c.Open = append(c.Open, after...)
}
