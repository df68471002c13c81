package lower

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// typed is the type of values of a Go type; where there is none, that is refused.
func (c *code) typed(t types.Type) *step.Type {
	s, err := c.l.typeOf(t)
	if err != nil {
		c.refuse("%v", err)
	}
	return s
}

// zero is the zero value of a type.
func (c *code) zero(t *step.Type) *step.Expr { return c.Const(t, make([]int64, t.Words())...) }

// value is a value as an expression over locals, which may be evaluated wherever the value is alive.
func (c *code) value(in *pointsto.Instance, v ssa.Value) *step.Expr {
	switch v := v.(type) {
	case *ssa.Const:
		return c.constant(v)
	case *ssa.Function:
		return c.Number(c.l.function(v))
	case *ssa.Global:
		if !modelled[v.Pkg.Pkg.Path()] && instead(v.Pkg) != "" { // its initialisation is not made
			refuseOutside(c, v.Pkg, v.RelString(nil))
		}
		return c.address(nil, v)
	case *ssa.Builtin:
		return c.Number(0)
	}
	if e := c.values[register{in, v}]; e != nil {
		return e
	}
	return c.local(in, v)
}

// local is the local of a register.
func (c *code) local(in *pointsto.Instance, v ssa.Value) *step.Expr {
	key := register{in, v}
	if e := c.values[key]; e != nil {
		return e
	}
	var e *step.Expr
	t := c.typed(v.Type())
	if name := c.l.debugNames(in)[v]; name != "" && !c.l.src.InModel(in.Func.Pos()) {
		e = build.Ref(c.Declare(c.p.unique(variable(name)), t, c.l.pos(v.Pos())), c.At)
		e.Var.Shown = name
	} else {
		e = c.CheckedTemp(t)
	}
	c.values[key] = e
	return e
}

// maxTree is how large the expression of a value may be that is not kept in a local of its own.
const maxTree = 12

// define says what a register is: an expression of other registers, or a local with its value if that would be too
// large.
func (c *code) define(in *pointsto.Instance, v ssa.Value, e *step.Expr) {
	key := register{in, v}
	uses := 0
	if refs := v.Referrers(); refs != nil {
		for _, r := range *refs {
			if _, debug := r.(*ssa.DebugRef); !debug {
				uses++
			}
		}
	}
	if have := c.values[key]; have == nil || have.Op != step.VarRef {
		if e.Op == step.Const || uses <= 1 && size(e) <= 4*maxTree || size(e) <= maxTree && uses <= 3 {
			c.values[key] = e
			return
		}
		delete(c.values, key)
	}
	c.set(c.local(in, v), e)
}

func size(e *step.Expr) int {
	n := 1
	for _, a := range e.Args {
		n += size(a)
	}
	return n
}

// constant is a constant of the program.
func (c *code) constant(v *ssa.Const) *step.Expr {
	t := c.typed(v.Type())
	if v.Value == nil {
		return c.zero(t)
	}
	switch v.Value.Kind() {
	case constant.Bool:
		if constant.BoolVal(v.Value) {
			return c.Const(t, 1)
		}
		return c.Const(t, 0)
	case constant.String:
		e := c.Const(t, c.l.text(constant.StringVal(v.Value)))
		e.Name = v.Value.ExactString()
		return e
	case constant.Int:
		if k, ok := constant.Int64Val(v.Value); ok {
			return c.Const(t, k)
		}
		if k, ok := constant.Uint64Val(v.Value); ok {
			return c.Const(t, int64(k))
		}
	}
	c.refuse("the constant %s is not supported", v)
	return nil
}

// address is the number of the first thing of an object.
func (c *code) address(in *pointsto.Instance, v ssa.Value, path ...int) *step.Expr {
	o := c.l.object(in, v)
	if o == nil {
		return c.Number(0) // it is never followed
	}
	base, _ := c.l.base(regionAt(c, o), path)
	return c.Number(base)
}

// neverNil reports whether a value is never nil.
func neverNil(in *pointsto.Instance, v ssa.Value, depth int) bool {
	if depth > 20 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeClosure, *ssa.MakeChan,
		*ssa.MakeMap, *ssa.Function:
		return true
	case *ssa.ChangeType:
		return neverNil(in, v.X, depth+1)
	case *ssa.Parameter:
		return in.Caller != nil && neverArgument(in, v, depth)
	case *ssa.FreeVar:
		if in.Caller == nil {
			return false
		}
		if m, ok := in.Site.Common().Value.(*ssa.MakeClosure); ok {
			for i, f := range in.Func.FreeVars {
				if f == v {
					return neverNil(in.Caller, m.Bindings[i], depth+1)
				}
			}
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			if e != ssa.Value(v) && !neverNil(in, e, depth+4) {
				return false
			}
		}
		return true
	}
	return false
}

// neverArgument reports whether an argument is never nil, of a static call.
func neverArgument(in *pointsto.Instance, v *ssa.Parameter, depth int) bool {
	call := in.Site.Common()
	if call.StaticCallee() != in.Func {
		return false
	}
	for i, p := range in.Func.Params {
		if p == v && i < len(call.Args) {
			return neverNil(in.Caller, call.Args[i], depth+1)
		}
	}
	return false
}

// notNil emits the panic of a nil pointer.
func (c *code) notNil(in *pointsto.Instance, v ssa.Value, number *step.Expr) {
	if number.Op == step.Const && number.Words[0] != 0 || neverNil(in, v, 0) {
		return
	}
	c.require(c.Bool(step.Ne, number, c.Number(0)), "invalid memory address or nil pointer dereference")
}

// knownText emits the cut at a look into a text that is not known.
func (c *code) knownText(e *step.Expr) {
	if e.Op != step.Const || e.Words[0] == unknownText {
		c.Assume(c.Bool(step.Ge, e, c.Number(0)), "a look into a text that is made while the program runs")
	}
}

// word is a value of one word as a number.
func (c *code) word(x *step.Expr) *step.Expr {
	switch {
	case x.Op == step.Const:
		return c.Number(x.Words[0])
	case x.Type.Kind == step.Sized && x.Type.Bits == 64 && x.Type.Unsigned: // the same bits
		return c.Expr(step.Convert, step.IntType, c.Expr(step.Convert, basics[types.Int64], x))
	case x.Type.Kind == step.Sized:
		return c.Expr(step.Convert, step.IntType, x)
	case x.Type.Kind == step.Bool:
		return c.Int(step.Cond, x, c.Number(1), c.Number(0))
	}
	return x
}

// unword is the value of a type that a number stands for.
func (c *code) unword(x *step.Expr, t *step.Type) *step.Expr {
	switch {
	case x.Op == step.Const:
		return c.Const(t, x.Words[0])
	case t.Kind == step.Sized:
		return c.Expr(step.Convert, t, x)
	case t.Kind == step.Bool:
		return c.Bool(step.Ne, x, c.Number(0))
	}
	return x
}

// field is a field of a record by its number. A goroutine is passed what has a type that is not supported as a number.
func (c *code) field(x *step.Expr, i int) *step.Expr {
	switch {
	case x.Op == step.Make:
		return x.Args[i]
	case i >= len(x.Type.Fields):
		panic(refused{})
	}
	p := c.Expr(step.Part, x.Type.Fields[i].Type, x)
	p.Field = i
	return p
}

// requireComparable cuts where a value is compared that is not known, and refuses one that is kept in a box.
func requireComparable(c *code, in *pointsto.Instance, v ssa.Value, x *step.Expr) {
	var texts func(x *step.Expr)
	texts = func(x *step.Expr) {
		switch {
		case x.Type == stringType:
			c.knownText(x)
		case x.Op == step.Const:
		case x.Type.Kind == step.Record && x.Type != ifaceType && x.Type != sliceType:
			for f := range x.Type.Fields {
				texts(c.field(x, f))
			}
		}
	}
	texts(x)
	if !types.IsInterface(v.Type()) {
		return
	}
	for _, o := range c.l.r.Dynamic(in, v) {
		switch t, err := c.l.typeOf(o.Type); {
		case err != nil:
			noteRefused(c, "%v", err)
		case t.Words() > 1:
			noteRefused(c, "comparing interfaces that hold values of type %s is not supported", o.Type)
		case t == stringType:
			word := c.settle(c.field(x, 1))
			c.Assume(c.Bool(step.Or, c.Bool(step.Ne, c.field(x, 0), c.Number(c.l.tag(o.Type))),
				c.Bool(step.Ge, word, c.Number(0))),
				"a look into a text that is made while the program runs")
		}
	}
}

// settle puts the number of a place into a local, unless it is one: a step begins with the places of its operation
// known.
func (c *code) settle(number *step.Expr) *step.Expr {
	if number.Op == step.Const || number.Op == step.VarRef {
		return number
	}
	if (number.Op == step.Add || number.Op == step.Sub) && number.Args[0].Op == step.VarRef &&
		number.Args[1].Op == step.Const {
		return number
	}
	t := c.Temp(step.IntType)
	c.set(t, number)
	return t
}
