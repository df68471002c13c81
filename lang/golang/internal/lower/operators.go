package lower

import (
	"go/token"
	"go/types"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"

	"golang.org/x/tools/go/ssa"
)

var binary = map[token.Token]step.Op{token.ADD: step.Add, token.SUB: step.Sub, token.MUL: step.Mul, token.QUO: step.Div,
	token.REM: step.Mod,
	token.EQL: step.Eq, token.NEQ: step.Ne, token.LSS: step.Lt, token.LEQ: step.Le, token.GTR: step.Gt,
	token.GEQ: step.Ge, token.AND: step.BitAnd, token.OR: step.BitOr, token.XOR: step.BitXor,
	token.AND_NOT: step.BitAnd, token.SHL: step.ShiftLeft, token.SHR: step.ShiftRight}

// emitBinOp emits what an operation may fail with and returns its value.
func emitBinOp(c *code, in *pointsto.Instance, v *ssa.BinOp) *step.Expr {
	x, y := c.value(in, v.X), c.value(in, v.Y)
	left, right := x, y
	op := binary[v.Op]
	t := c.typed(v.Type())
	isString := x.Type == stringType
	switch {
	case isString && v.Op == token.ADD:
		return puttingTogether(c, in, v)
	case isString && v.Op != token.EQL && v.Op != token.NEQ:
		c.refuse("comparing the order of strings is not supported")
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

// asInterface makes an interface of a value of a type that is none.
func asInterface(c *code, t types.Type, x *step.Expr) *step.Expr {
	if types.IsInterface(t) {
		return x
	}
	if x.Type.Words() != 1 {
		c.refuse("values of type %s in an interface are not supported", t)
	}
	return c.Expr(step.Make, ifaceType, c.Number(c.l.tag(t)), c.word(x))
}

// emitConvert changes the type of a value.
func emitConvert(c *code, in *pointsto.Instance, v *ssa.Convert, x *step.Expr) *step.Expr {
	t := c.typed(v.Type())
	switch {
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
