package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// typed is the type of values of a Go type; where there is none, that is refused, and it is nil.
func (c *code) typed(t types.Type) *step.Type {
	s, err := c.l.typeOf(t)
	if err != nil {
		c.refuse("%v", err)
		return nil
	}
	return s
}

// zero is the zero value of a type.
func (c *code) zero(t *step.Type) *step.Expr { return c.Const(t, make([]int64, t.Words())...) }

// value is a value as an expression over locals, which may be evaluated wherever the value is alive; nil if something
// was refused.
func (c *code) value(in *pointsto.Instance, v ssa.Value) *step.Expr {
	switch v := v.(type) {
	case *ssa.Const:
		return c.constant(v)
	case *ssa.Function:
		return c.Number(c.l.function(v))
	case *ssa.Global:
		if !modelled[v.Pkg.Pkg.Path()] && instead(v.Pkg) != "" { // its initialisation is not made
			refuseOutside(c, v.Pkg, v.RelString(nil))
			return nil
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
	t := c.typed(v.Type())
	if t == nil {
		return nil
	}
	var e *step.Expr
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
	if e == nil {
		return
	}
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
	if t == nil {
		return nil
	}
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
	r, err := c.l.regionOf(o)
	if err != nil {
		c.refuse("%v", err)
		return nil
	}
	base, _ := c.l.base(r, path)
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

var binary = map[token.Token]step.Op{token.ADD: step.Add, token.SUB: step.Sub, token.MUL: step.Mul, token.QUO: step.Div,
	token.REM: step.Mod,
	token.EQL: step.Eq, token.NEQ: step.Ne, token.LSS: step.Lt, token.LEQ: step.Le, token.GTR: step.Gt,
	token.GEQ: step.Ge, token.AND: step.BitAnd, token.OR: step.BitOr, token.XOR: step.BitXor,
	token.AND_NOT: step.BitAnd, token.SHL: step.ShiftLeft, token.SHR: step.ShiftRight}

// emitBinOp emits what an operation may fail with and returns its value.
func emitBinOp(c *code, in *pointsto.Instance, v *ssa.BinOp) *step.Expr {
	x, y := c.value(in, v.X), c.value(in, v.Y)
	if x == nil || y == nil {
		return nil
	}
	left, right := x, y
	op := binary[v.Op]
	t := c.typed(v.Type())
	isString := x.Type == stringType
	switch {
	case t == nil:
		return nil
	case isString && v.Op == token.ADD:
		return puttingTogether(c, in, v)
	case isString && v.Op != token.EQL && v.Op != token.NEQ:
		c.refuse("comparing the order of strings is not supported")
		return nil
	case types.IsInterface(v.X.Type()) != types.IsInterface(v.Y.Type()):
		x, y = asInterface(c, v.X.Type(), x), asInterface(c, v.Y.Type(), y)
	case v.Op == token.AND_NOT:
		y = c.Expr(step.BitXor, t, y, c.Const(t, t.Wrap(-1)))
	case v.Op == token.SHL || v.Op == token.SHR:
		requireShift(c, v, y)
	case v.Op == token.QUO || v.Op == token.REM:
		if y.Op != step.Const {
			c.require(c.Bool(step.Ne, y, c.zero(y.Type)), "integer divide by zero")
		}
	}
	if (v.Op == token.EQL || v.Op == token.NEQ) && !isNil(v.X) && !isNil(v.Y) {
		requireComparable(c, in, v.X, left)
		requireComparable(c, in, v.Y, right)
	}
	return c.Expr(op, t, x, y)
}

// isNil reports whether a value is the constant nil.
func isNil(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.IsNil()
}

// requireShift emits the panic of a shift by a negative number.
func requireShift(c *code, v *ssa.BinOp, y *step.Expr) {
	if b, ok := v.Y.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsUnsigned == 0 && y.Op != step.Const {
		c.require(c.Bool(step.Ge, y, c.zero(y.Type)), "negative shift amount")
	}
}

// knownText emits the cut at a look into a text that is not known.
func (c *code) knownText(e *step.Expr) {
	if e.Op != step.Const || e.Words[0] == unknownText {
		c.Assume(c.Bool(step.Ge, e, c.Number(0)), "a look into a text that is made while the program runs")
	}
}

// asInterface makes an interface of a value of a type that is none.
func asInterface(c *code, t types.Type, x *step.Expr) *step.Expr {
	if types.IsInterface(t) {
		return x
	}
	if x.Type.Words() != 1 {
		c.refuse("values of type %s in an interface are not supported", t)
		return nil
	}
	return c.Expr(step.Make, ifaceType, c.Number(c.l.tag(t)), c.word(x))
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

// field is a field of a record by its number; nil if something was refused: a goroutine is passed what has a type that
// is not supported as a number.
func (c *code) field(x *step.Expr, i int) *step.Expr {
	switch {
	case x == nil:
		return nil
	case x.Op == step.Make:
		return x.Args[i]
	case i >= len(x.Type.Fields):
		return nil
	}
	p := c.Expr(step.Part, x.Type.Fields[i].Type, x)
	p.Field = i
	return p
}

// emitConvert changes the type of a value.
func emitConvert(c *code, in *pointsto.Instance, v *ssa.Convert, x *step.Expr) *step.Expr {
	t := c.typed(v.Type())
	switch {
	case x == nil || t == nil:
		return nil
	case x.Op == step.Const && x.Type.Kind == step.Sized && t.Kind == step.Sized && t.Bits == 64 && x.Type.Bits <= 64:
		return c.Const(t, x.Words...)
	case x.Type.Kind == step.Sized && t.Kind == step.Sized:
		return c.Expr(step.Convert, t, x)
	case x.Type == t:
		return x
	case t == stringType:
		if x.Type == sliceType {
			readElements(c, in, v, v.X, x)
		}
		return c.Const(stringType, unknownText)
	}
	c.refuse("the conversion from %s to %s is not supported", v.X.Type(), v.Type())
	return nil
}
