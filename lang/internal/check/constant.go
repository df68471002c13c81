package check

import (
	"errors"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// ConstInt elaborates and evaluates a constant integer.
func ConstInt(x *Checker, e *syntax.Expr, what string) (int64, bool) {
	v := x.Value(e, step.IntType)
	if v == nil {
		return 0, false
	}
	if !v.Type.Numeric() {
		x.Report(e.Pos, e.End, "", "%s is an integer, not %s", what, types.String(v.Type))
		return 0, false
	}
	words, err := Evaluate(v, 0)
	if err != nil {
		x.Report(e.Pos, e.End, "", "%s: %v", what, err)
		return 0, false
	}
	return words[0], true
}

// ConstWords elaborates a constant of a type and evaluates it for an instance; nil after an error.
func ConstWords(x *Checker, e *syntax.Expr, t *step.Type, self int64) []int64 {
	v := x.Assignable(e, t)
	if v == nil {
		return nil
	}
	words, err := Evaluate(v, self)
	if err == nil {
		err = types.CheckWords(t, words)
	}
	if err != nil {
		x.Report(e.Pos, e.End, "", "%v", err)
		return nil
	}
	return words
}

// ConstOf returns the constant that an expression is, or nil.
func ConstOf(e *step.Expr) *step.Expr {
	if e == nil || e.Op != step.Const {
		return nil
	}
	return e
}

// Evaluate computes an expression without variables for the instance self.
func Evaluate(e *step.Expr, self int64) ([]int64, error) {
	words, fault, ok := step.Evaluate(e, self)
	switch {
	case !ok:
		return nil, errors.New("not a constant")
	case fault != step.NoFault:
		return nil, errors.New(fault.String())
	}
	return words, nil
}
