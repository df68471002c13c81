package lower

import (
	"context"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
)

// instruction emits an instruction.
func (c *code) instruction(f *frame, i ssa.Instruction) {
	if c.l.ctx.Err() != nil {
		panic(context.Cause(c.l.ctx)) // Lower returns it
	}
	in := f.in
	switch i := i.(type) {
	case *ssa.DebugRef, *ssa.Phi:
	case *ssa.Jump:
		c.jump(f, i.Block(), i.Block().Succs[0])
	case *ssa.If:
		c.branch(f, i)
	case *ssa.Return:
		for k, r := range i.Results[:min(len(i.Results), len(f.results))] {
			attempt(c, func() { c.set(f.results[k], c.value(in, r)) })
		}
		if len(c.frames) == 1 && i.Pos().IsValid() && !c.l.src.InLibrary(i.Pos()) && c.Open != nil {
			c.Emit(step.Node{Kind: step.Nop, Returns: c.l.pos(i.Pos())})
		}
		f.returns = append(f.returns, c.Open...)
		c.Open = nil
	case *ssa.Panic:
		emitPanic(c, in, i)
	case *ssa.Alloc:
		emitAlloc(c, in, i)
	case *ssa.Store:
		emitStore(c, in, i)
	case *ssa.UnOp:
		emitUnOp(c, in, i)
	case *ssa.MapUpdate:
		emitMapUpdate(c, in, i)
	case *ssa.Send:
		emitSend(c, in, i)
	case *ssa.Select:
		emitSelect(c, in, i)
	case *ssa.Go:
		emitGo(c, in, i)
	case *ssa.Defer:
		emitDefer(c, f, i)
	case *ssa.RunDefers:
		emitRunDefers(c, f)
	case *ssa.Call:
		emitCall(c, f, i)
	case ssa.Value:
		c.pure(in, i)
	default:
		c.refuse("the instruction %s is not supported", i)
	}
}

// pure defines a register whose value depends on other registers only.
func (c *code) pure(in *pointsto.Instance, v ssa.Value) {
	x := func(v ssa.Value) *step.Expr { return c.value(in, v) }
	switch i := v.(type) {
	case *ssa.BinOp:
		c.define(in, v, emitBinOp(c, in, i))
	case *ssa.ChangeType:
		c.define(in, v, x(i.X))
	case *ssa.ChangeInterface:
		c.define(in, v, x(i.X))
	case *ssa.Convert:
		if takesApart(i) {
			takeApart(c, in, i, x(i.X))
		} else {
			c.define(in, v, emitConvert(c, in, i, x(i.X)))
		}
	case *ssa.FieldAddr:
		c.define(in, v, c.part(in, i.X, i.Field, nil))
	case *ssa.IndexAddr:
		emitIndexAddr(c, in, i)
	case *ssa.Field:
		c.define(in, v, c.field(x(i.X), i.Field))
	case *ssa.Index:
		a, k := x(i.X), c.word(x(i.Index))
		if a.Type.Kind != step.Array {
			c.refuse("indexing %s is not supported", i.X.Type())
		}
		requireInRange(c, k, c.Number(int64(a.Type.Len)))
		c.define(in, v, c.Elem(a, k))
	case *ssa.Extract:
		if t := c.tuples[register{in, i.Tuple}]; i.Index < len(t) {
			c.define(in, v, t[i.Index])
		}
	case *ssa.MakeInterface:
		emitMakeInterface(c, in, i)
	case *ssa.TypeAssert:
		emitTypeAssert(c, in, i)
	case *ssa.MakeClosure:
		emitClosure(c, in, i)
	case *ssa.MakeChan:
		emitMakeChan(c, in, i)
	case *ssa.MakeSlice:
		emitMakeSlice(c, in, i)
	case *ssa.Slice:
		emitSlice(c, in, i)
	case *ssa.MakeMap:
		emitMakeMap(c, in, i)
	case *ssa.Lookup:
		emitLookup(c, in, i)
	case *ssa.Range:
		emitRange(c, in, i)
	case *ssa.Next:
		emitNext(c, in, i)
	default:
		c.refuse("%s is not supported", v)
	}
}

func (c *code) branch(f *frame, i *ssa.If) {
	cond, b := c.value(f.in, i.Cond), i.Block()
	if cond.Op == step.Const {
		c.jump(f, b, b.Succs[1-int(cond.Words[0])])
		return
	}
	otherwise := c.Branch(cond)
	c.jump(f, b, b.Succs[0])
	c.Open = []*int{otherwise}
	c.jump(f, b, b.Succs[1])
}

// requireInRange emits the panic of an index that is out of range.
func requireInRange(c *code, k, length *step.Expr) {
	if k.Op == step.Const && length.Op == step.Const && k.Words[0] >= 0 && k.Words[0] < length.Words[0] {
		return
	}
	c.require(c.Bool(step.And, c.Bool(step.Ge, k, c.Number(0)), c.Bool(step.Lt, k, length)), "index out of range")
}

// emitAlloc makes a variable. One that belongs to the process alone is cleared, since the site may make it again.
func emitAlloc(c *code, in *pointsto.Instance, i *ssa.Alloc) {
	number, r := c.made(in, i)
	if r != nil && r.owner == c.p && r.each == 1 && c.l.share.Times(in, i.Block()) >= 1 {
		place := c.l.at(c, r, nil, number)
		c.set(place, c.zero(place.Type))
	}
	c.define(in, i, number)
}

func emitIndexAddr(c *code, in *pointsto.Instance, i *ssa.IndexAddr) {
	k := c.word(c.value(in, i.Index))
	if _, isSlice := i.X.Type().Underlying().(*types.Slice); isSlice {
		s := c.value(in, i.X)
		requireInRange(c, k, c.field(s, 1))
		c.define(in, i, c.Int(step.Add, c.field(s, 0), k))
		return
	}
	length := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
	requireInRange(c, k, c.Number(length))
	c.define(in, i, c.part(in, i.X, pointsto.Element, k))
}

// emitStore writes through a pointer.
func emitStore(c *code, in *pointsto.Instance, i *ssa.Store) {
	number, v := c.value(in, i.Addr), c.value(in, i.Val)
	c.notNil(in, i.Addr, number)
	c.eachTarget(in, i, i.Addr, number, true, func(place *step.Expr) { c.set(place, v) })
}

// emitUnOp loads, receives, or computes.
func emitUnOp(c *code, in *pointsto.Instance, i *ssa.UnOp) {
	switch i.Op {
	case token.ARROW:
		emitReceive(c, in, i)
	case token.MUL:
		emitLoad(c, in, i)
	case token.NOT:
		c.define(in, i, c.Not(c.value(in, i.X)))
	case token.SUB:
		x := c.value(in, i.X)
		c.define(in, i, c.Expr(step.Neg, x.Type, x))
	case token.XOR:
		x := c.value(in, i.X)
		c.define(in, i, c.Expr(step.BitXor, x.Type, x, c.Const(x.Type, x.Type.Wrap(-1))))
	default:
		c.refuse("the operator %s is not supported", i.Op)
	}
}

// emitLoad reads through a pointer into a local.
func emitLoad(c *code, in *pointsto.Instance, i *ssa.UnOp) {
	number := c.value(in, i.X)
	c.notNil(in, i.X, number)
	dst := c.local(in, i)
	c.eachTarget(in, i, i.X, number, false, func(place *step.Expr) { c.set(dst, place) })
}

// emitClosure makes a function value with its captured variables.
func emitClosure(c *code, in *pointsto.Instance, i *ssa.MakeClosure) {
	if isOnlyCalled(i) {
		return // what is called at once takes them over as it is called
	}
	number, r := c.made(in, i)
	if r != nil {
		for k, b := range i.Bindings {
			c.set(c.field(c.l.at(c, r, nil, number), k), c.value(in, b))
		}
	}
	c.define(in, i, number)
}

// emitMakeInterface makes an interface value. One of several words is kept in a box that nothing changes.
func emitMakeInterface(c *code, in *pointsto.Instance, i *ssa.MakeInterface) {
	if isUnused(i) {
		return
	}
	x := c.value(in, i.X)
	word := x
	switch x.Type.Words() {
	case 0:
		word = c.Number(0)
	case 1:
	default:
		number, r := c.made(in, i)
		if word = number; r != nil {
			c.set(c.l.at(c, r, nil, number), x)
		}
	}
	c.define(in, i, c.Expr(step.Make, ifaceType, c.Number(c.l.tag(i.X.Type())), c.word(word)))
}

// emitTypeAssert asks for the dynamic type of an interface.
func emitTypeAssert(c *code, in *pointsto.Instance, i *ssa.TypeAssert) {
	x := c.value(in, i.X)
	t := c.typed(i.AssertedType)
	tag, word := c.field(x, 0), c.field(x, 1)
	var is *step.Expr
	if u, ok := i.AssertedType.Underlying().(*types.Interface); ok {
		is = implementsType(c, in, i.X, tag, u)
		setAsserted(c, in, i, is, x)
		return
	}
	is = c.Bool(step.Eq, tag, c.Number(c.l.tag(i.AssertedType)))
	if t.Words() == 1 {
		setAsserted(c, in, i, is, c.unword(word, t))
		return
	}
	dst := c.CheckedTemp(t)
	c.set(dst, c.zero(t))
	c.When(is, func() { unbox(c, in, i.X, i.AssertedType, word, dst) })
	setAsserted(c, in, i, is, dst)
}

// setAsserted defines the result of a type assertion.
func setAsserted(c *code, in *pointsto.Instance, i *ssa.TypeAssert, is, v *step.Expr) {
	if !i.CommaOk {
		c.require(is, "interface conversion: the interface does not hold "+
			types.TypeString(i.AssertedType, (*types.Package).Name))
		c.define(in, i, v)
		return
	}
	ok := c.Temp(step.BoolType)
	c.set(ok, is)
	dst := c.CheckedTemp(v.Type)
	c.set(dst, c.zero(v.Type))
	c.When(ok, func() { c.set(dst, v) })
	c.tuples[register{in, i}] = []*step.Expr{dst, ok}
}
