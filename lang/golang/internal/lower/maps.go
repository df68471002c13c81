package lower

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/share"
	"cdpor/lang/step"
)

// Maps: the entries of a map, ascending by key. Like in Go's rules about data races a map is one place.

// emitMakeMap makes a map.
func emitMakeMap(c *code, in *pointsto.Instance, i *ssa.MakeMap) {
	number, r := c.made(in, i)
	if r != nil && r.owner == c.p && r.each == 1 {
		place := c.l.at(c, r, nil, number)
		c.set(place, c.zero(place.Type))
	}
	c.define(in, i, number)
}

// eachMap emits what f does for each map that a number may name, as a step if others can see it; nothing for nil.
func eachMap(c *code, in *pointsto.Instance, i ssa.Instruction, of ssa.Value, number *step.Expr, write bool,
	f func(m *step.Expr)) {
	if len(c.l.r.Targets(in, of)) == 0 {
		return
	}
	body := func() {
		c.eachTarget(in, i, of, number, write, f)
	}
	if number.Op == step.Const && number.Words[0] != 0 || neverNil(in, of, 0) {
		body()
		return
	}
	c.When(c.Bool(step.Ne, number, c.Number(0)), body)
}

// emitMapUpdate emits m[k] = v.
func emitMapUpdate(c *code, in *pointsto.Instance, i *ssa.MapUpdate) {
	number, key, value := c.value(in, i.Map), mapKey(c, in, i.Key), c.value(in, i.Value)
	number, value = c.settle(number), c.settleAny(value)
	if !(number.Op == step.Const && number.Words[0] != 0) && !neverNil(in, i.Map, 0) {
		c.require(c.Bool(step.Ne, number, c.Number(0)), "assignment to entry in nil map")
	}
	eachMap(c, in, i, i.Map, number, true, func(m *step.Expr) {
		room := c.Bool(step.Lt, c.Int(step.Size, m), c.Number(int64(m.Type.Len)))
		c.assumeBound(c.Bool(step.Or, c.Bool(step.Has, m, key), room), "elements", "keys of a map")
		c.set(m, c.Expr(step.Put, m.Type, m, c.Expr(step.Make, m.Type.Elem, key, value)))
	})
}

// mapKey is a value in a local that maps can compare.
func mapKey(c *code, in *pointsto.Instance, v ssa.Value) *step.Expr {
	k := c.value(in, v)
	requireComparable(c, in, v, k)
	return c.settleAny(k)
}

// emitLookup emits m[k], or the value and whether there is one.
func emitLookup(c *code, in *pointsto.Instance, i *ssa.Lookup) {
	u, isMap := i.X.Type().Underlying().(*types.Map)
	if !isMap {
		c.refuse("indexing %s is not supported", i.X.Type())
	}
	t := c.typed(u.Elem())
	number, key := c.value(in, i.X), mapKey(c, in, i.Index)
	number = c.settle(number)
	value, ok := c.CheckedTemp(t), c.Temp(step.BoolType)
	c.set(value, c.zero(t))
	c.set(ok, c.Const(step.BoolType, 0))
	eachMap(c, in, i, i.X, number, false, func(m *step.Expr) {
		c.set(ok, c.Bool(step.Has, m, key))
		c.When(ok, func() { c.set(value, c.Expr(step.Lookup, t, m, key)) })
	})
	if i.CommaOk {
		c.tuples[register{in, i}] = []*step.Expr{value, ok}
		return
	}
	c.define(in, i, value)
}

// emitDelete emits delete(m, k).
func emitDelete(c *code, in *pointsto.Instance, site ssa.CallInstruction, args []*step.Expr) {
	of := site.Common().Args
	requireComparable(c, in, of[1], args[1])
	key := c.settleAny(args[1])
	eachMap(c, in, site, of[0], c.settle(args[0]), true, func(m *step.Expr) {
		c.set(m, c.Expr(step.Drop, m.Type, m, key))
	})
}

func emitMapLen(c *code, in *pointsto.Instance, site ssa.CallInstruction, result, of ssa.Value, x *step.Expr) {
	dst := c.CheckedTemp(basics[intKind])
	c.set(dst, c.zero(dst.Type))
	eachMap(c, in, site, of, c.settle(x), false,
		func(m *step.Expr) { c.set(dst, c.unword(c.Int(step.Size, m), dst.Type)) })
	c.define(in, result, dst)
}

// emitRange emits the beginning of a range over a map.
func emitRange(c *code, in *pointsto.Instance, i *ssa.Range) {
	if _, isMap := i.X.Type().Underlying().(*types.Map); !isMap {
		c.refuse("range over %s is not supported", i.X.Type())
	}
	number := c.value(in, i.X)
	t, err := c.l.mapType(i.X.Type())
	if err != nil {
		c.refuse("%v", err)
	}
	n := c.Temp(step.IntType)
	c.set(n, number)
	it := iteration{n, c.CheckedTemp(t), c.CheckedTemp(t)}
	c.ranges[register{in, i}] = it
	c.set(it.left, c.zero(t))
	eachMap(c, in, i, i.X, n, false, func(m *step.Expr) { c.set(it.left, m) })
	c.set(it.begun, it.left)
}

// emitNext emits the next round of a range over a map: any of the entries that it had, and still has, and that were not
// met yet. Whether entries that are added in the meantime are met is left open by Go: there the execution is cut.
func emitNext(c *code, in *pointsto.Instance, i *ssa.Next) {
	r, ok := i.Iter.(*ssa.Range)
	it := c.ranges[register{in, r}]
	if !ok || it.left == nil {
		return // refused at its beginning
	}
	entry := it.left.Type.Elem
	more, key, value := c.Temp(step.BoolType), c.CheckedTemp(entry.Fields[0].Type), c.CheckedTemp(entry.Fields[1].Type)
	head := len(c.Nodes)
	c.Emit(step.Node{Kind: step.Nop})
	c.set(more, c.Const(step.BoolType, 0))
	c.set(key, c.zero(key.Type))
	c.set(value, c.zero(value.Type))
	mapGrown(c, in, i, r, it)
	done := c.Branch(c.Positive(c.Int(step.Size, it.left)))
	at := c.Number(0)
	if !isUnordered(i) {
		at = c.Choose(c.Int(step.Size, it.left))
	}
	c.set(key, c.field(c.Elem(it.left, at), 0))
	c.set(it.left, c.Expr(step.Drop, it.left.Type, it.left, key))
	eachMap(c, in, i, r.X, it.number, false, func(m *step.Expr) {
		c.set(more, c.Bool(step.Has, m, key))
		c.When(more, func() { c.set(value, c.Expr(step.Lookup, value.Type, m, key)) })
	})
	gone := c.Branch(more)
	c.Connect([]*int{gone}, head)
	c.Open = append(c.Open, done)
	c.tuples[register{in, i}] = []*step.Expr{more, key, value}
}

// mapGrown emits the cut of executions in which entries were added to a map since a range over it began.
func mapGrown(c *code, in *pointsto.Instance, i *ssa.Next, r *ssa.Range, it iteration) {
	may := false
	for _, t := range c.l.r.Targets(in, r.X) {
		may = may || c.l.share.Visible(in, i, t.Object, t.Path(), false) || addsToMap(c.l, in, i.Block(), t.Object)
	}
	if !may {
		return
	}
	eachMap(c, in, i, r.X, it.number, false, func(m *step.Expr) {
		c.count(c.Int(step.Size, m), func(k *step.Expr) {
			c.Assume(c.Bool(step.Has, it.begun, c.field(c.Elem(m, k), 0)),
				"a map to which entries are added while a range over it goes on")
		})
	})
}

// addsToMap reports whether a loop may add entries to a map, itself or in what it calls.
func addsToMap(l *lowerer, in *pointsto.Instance, head *ssa.BasicBlock, o *pointsto.Object) bool {
	body := share.LoopOf(head)
	updates := func(x *pointsto.Instance, b *ssa.BasicBlock) bool {
		for _, i := range b.Instrs {
			u, ok := i.(*ssa.MapUpdate)
			if !ok {
				continue
			}
			for _, t := range l.r.Targets(x, u.Map) {
				if t.Object == o {
					return true
				}
			}
		}
		return false
	}
	for b := range body {
		if updates(in, b) {
			return true
		}
	}
	for _, x := range l.r.Instances {
		for up := x; up.Caller != nil; up = up.Caller {
			if up.Caller != in || !body[up.Site.Block()] {
				continue
			}
			for _, b := range x.Func.Blocks {
				if updates(x, b) {
					return true
				}
			}
		}
	}
	return false
}

// isUnordered reports whether the order in which a range over a map meets the entries makes no difference: its body
// does nothing but adding to integers, deleting the entry that it meets, and setting entries of that key in other maps.
func isUnordered(n *ssa.Next) bool {
	head := n.Block()
	body := share.LoopOf(head)
	sums := map[ssa.Value]bool{}
	for _, i := range head.Instrs {
		if phi, ok := i.(*ssa.Phi); ok {
			sums[phi] = true
		}
	}
	isKey := func(v ssa.Value) bool {
		e, ok := v.(*ssa.Extract)
		return ok && e.Tuple == ssa.Value(n) && e.Index == 1
	}
	for b := range body {
		if b != head {
			for _, s := range b.Succs {
				if !body[s] {
					return false
				}
			}
		}
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Next, *ssa.Extract, *ssa.DebugRef, *ssa.Jump, *ssa.If:
			case *ssa.Phi:
				if !sums[i] || !additive(i, body) {
					return false
				}
			case *ssa.BinOp:
				if i.Op == token.QUO || i.Op == token.REM || mixes(i, sums) {
					return false
				}
			case *ssa.MapUpdate:
				if !isKey(i.Key) || sums[i.Value] {
					return false
				}
			case *ssa.Call:
				if f, ok := i.Call.Value.(*ssa.Builtin); !ok || f.Name() != "delete" || !isKey(i.Call.Args[1]) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

// additive reports whether a phi node at the head of a loop only adds up integers.
func additive(phi *ssa.Phi, body map[*ssa.BasicBlock]bool) bool {
	t, ok := phi.Type().Underlying().(*types.Basic)
	if !ok || t.Info()&types.IsInteger == 0 {
		return false
	}
	for k, e := range phi.Edges {
		if !body[phi.Block().Preds[k]] || e == ssa.Value(phi) {
			continue
		}
		if add, ok := e.(*ssa.BinOp); !ok || add.Op != token.ADD ||
			add.X != ssa.Value(phi) && add.Y != ssa.Value(phi) || add.X == add.Y {
			return false
		}
	}
	for _, r := range *phi.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.BinOp:
			if body[r.Block()] && (r.Op != token.ADD || !feeds(r, phi)) {
				return false
			}
		default:
			if body[r.Block()] {
				return false
			}
		}
	}
	return true
}

// feeds reports whether a value is only the next one of a phi node.
func feeds(v ssa.Value, phi *ssa.Phi) bool {
	for _, r := range *v.Referrers() {
		if _, debug := r.(*ssa.DebugRef); !debug && r != ssa.Instruction(phi) {
			return false
		}
	}
	return true
}

// mixes reports whether an operation takes a sum as anything but what it adds to.
func mixes(b *ssa.BinOp, sums map[ssa.Value]bool) bool {
	return (sums[b.X] || sums[b.Y]) && (b.Op != token.ADD || sums[b.X] && sums[b.Y])
}
