package step

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestBits compares the operators on bits with those of Go.
func TestBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		by := uint64(rapid.OneOf(rapid.Int64Range(0, 70), rapid.Int64()).Draw(t, "by"))
		compare(t, a, b, by, 8, func(v int64) int8 { return int8(v) })
		compare(t, a, b, by, 16, func(v int64) uint16 { return uint16(v) })
		compare(t, a, b, by, 32, func(v int64) int32 { return int32(v) })
		compare(t, a, b, by, 64, func(v int64) int64 { return v })
		compare(t, a, b, by, 64, func(v int64) uint64 { return uint64(v) })
	})
}

func compare[T int8 | uint16 | int32 | int64 | uint64](t *rapid.T, a, b int64, by uint64, bits int, of func(int64) T) {
	x, y := of(a), of(b)
	typ := &Type{Kind: Sized, Bits: bits, Unsigned: T(0)-1 > 0}
	for op, want := range map[Op]T{BitAnd: x & y, BitOr: x | y, BitXor: x ^ y} {
		if got, fault := arithmetic(typ, op, int64(x), int64(y)); got != int64(want) || fault != NoFault {
			t.Fatalf("operator %d of %d and %d with %d bits: %d, fault %v, want %d", op, x, y, bits, got, fault, want)
		}
	}
	for op, want := range map[Op]T{ShiftLeft: x << by, ShiftRight: x >> by} {
		if got, fault := arithmetic(typ, op, int64(x), int64(by)); got != int64(want) || fault != NoFault {
			t.Fatalf("operator %d of %d by %d with %d bits: %d, fault %v, want %d", op, x, by, bits, got, fault, want)
		}
	}
}

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
