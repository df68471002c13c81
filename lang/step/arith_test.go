package step

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestArith compares checked arithmetic with big integers, at the edges above all.
func TestArith(t *testing.T) {
	edge := []int64{math.MinInt64, math.MinInt64 + 1, -2, -1, 0, 1, 2, 3, math.MaxInt64 - 1, math.MaxInt64,
		math.MaxInt64 / 2, math.MinInt64 / 2, 1 << 31, 1 << 32, -1 << 32}
	number := rapid.OneOf(rapid.SampledFrom(edge), rapid.Int64())
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, y := big.NewInt(a), big.NewInt(b)
		for op, want := range map[Op]func() *big.Int{
			Neg: func() *big.Int { return new(big.Int).Neg(x) },
			Add: func() *big.Int { return new(big.Int).Add(x, y) },
			Sub: func() *big.Int { return new(big.Int).Sub(x, y) },
			Mul: func() *big.Int { return new(big.Int).Mul(x, y) },
			Div: func() *big.Int { return new(big.Int).Quo(x, y) },
			Mod: func() *big.Int { return new(big.Int).Rem(x, y) },
		} {
			got, fault := arith(op, a, b)
			if (op == Div || op == Mod) && b == 0 {
				if fault != DivideByZero {
					t.Fatalf("operator %d of %d and 0: fault %v", op, a, fault)
				}
				continue
			}
			w := want()
			if !w.IsInt64() {
				if fault != Overflow {
					t.Fatalf("operator %d of %d and %d: fault %v, want an overflow", op, a, b, fault)
				}
			} else if fault != NoFault || got != w.Int64() {
				t.Fatalf("operator %d of %d and %d: %d, fault %v, want %s", op, a, b, got, fault, w)
			}
		}
	})
}
