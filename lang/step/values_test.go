package step

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestWrap compares arithmetic that wraps around with Go's own types.
func TestWrap(t *testing.T) {
	int8s, uint16s := &Type{Kind: Sized, Bits: 8}, &Type{Kind: Sized, Bits: 16, Unsigned: true}
	int64s, uint64s := &Type{Kind: Sized, Bits: 64}, &Type{Kind: Sized, Bits: 64, Unsigned: true}
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Int64().Draw(t, "x"), rapid.Int64().Draw(t, "y")
		check := func(typ *Type, op Op, a, b, want int64) {
			if got, fault := arithmetic(typ, op, a, b); fault != NoFault || got != want {
				t.Fatalf("operator %d of %d and %d: %d, want %d, %v", op, a, b, got, want, fault)
			}
		}
		a, b := int8(x), int8(y)
		c, d := uint16(x), uint16(y)
		e, f := uint64(x), uint64(y)
		check(int8s, Add, int64(a), int64(b), int64(a+b))
		check(int8s, Sub, int64(a), int64(b), int64(a-b))
		check(int8s, Mul, int64(a), int64(b), int64(a*b))
		check(int8s, Neg, int64(a), 0, int64(-a))
		check(uint16s, Sub, int64(c), int64(d), int64(c-d))
		check(uint16s, Neg, int64(c), 0, int64(-c))
		check(uint64s, Mul, x, y, int64(e*f))
		check(int64s, Add, x, y, x+y)
		if b != 0 {
			check(int8s, Div, int64(a), int64(b), int64(a/b))
			check(int8s, Mod, int64(a), int64(b), int64(a%b))
		}
		if d != 0 {
			check(uint16s, Div, int64(c), int64(d), int64(c/d))
		}
		if y != 0 {
			check(uint64s, Div, x, y, int64(e/f))
			check(uint64s, Mod, x, y, int64(e%f))
			check(int64s, Div, x, y, x/y)
			check(int64s, Mod, x, y, x%y)
		}
	})
}

func list(t *Type, elems ...int64) *Expr {
	words := make([]int64, t.Words())
	words[0] = int64(len(elems))
	copy(words[1:], elems)
	return &Expr{Op: Const, Type: t, Words: words}
}

func number(v int64) *Expr { return &Expr{Op: Const, Type: IntType, Words: []int64{v}} }

// TestSets compares sets and bags with sorted slices.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{Set, Bag}).Draw(t, "kind")
		typ := &Type{Kind: kind, Elem: IntType, Len: 4}
		value, model := list(typ), []int64{}
		for range rapid.IntRange(0, 12).Draw(t, "operations") {
			v := rapid.Int64Range(0, 5).Draw(t, "v")
			at, found := slices.BinarySearch(model, v)
			op, full := Put, false
			switch {
			case rapid.Bool().Draw(t, "drop"):
				op = Drop
				if found {
					model = slices.Delete(model, at, at+1)
				}
			case kind == Set && found:
			case len(model) == typ.Len:
				full = true
			default:
				model = slices.Insert(model, at, v)
			}
			words, fault, ok := Evaluate(&Expr{Op: op, Type: typ, Args: []*Expr{value, number(v)}}, 0)
			if !ok || (fault == Full) != full {
				t.Fatalf("%v: fault %v, ok %v", model, fault, ok)
			}
			if full {
				continue
			}
			if value = list(typ, model...); !slices.Equal(words, value.Words) {
				t.Fatalf("got %v, want %v", words, value.Words)
			}
			has, _, _ := Evaluate(&Expr{Op: Has, Type: BoolType, Args: []*Expr{value, number(v)}}, 0)
			if (has[0] == 1) != slices.Contains(model, v) {
				t.Fatalf("%v has %d: %v", model, v, has)
			}
		}
	})
}

// TestFunction runs a recursive function and exceeds its bound.
func TestFunction(t *testing.T) {
	n, result := &Var{Name: "n", Type: IntType}, &Var{Name: "$", Type: IntType, Offset: 1}
	local := func(v *Var) *Expr { return &Expr{Op: VarRef, Type: v.Type, Var: v, Of: Own} }
	op := func(op Op, t *Type, args ...*Expr) *Expr { return &Expr{Op: op, Type: t, Args: args, Of: Own} }
	f := &Func{Name: "sum", Params: []*Var{n}, Result: result, Locals: []*Var{n, result}, LocalWords: 2, Depth: 11}
	again := &Expr{Op: Call, Type: IntType, Func: f, Args: []*Expr{op(Sub, IntType, local(n), number(1))}}
	f.Nodes = []*Node{
		{Kind: Branch, Cond: op(Gt, BoolType, local(n), number(0)), Next: 1, Else: End},
		{Kind: Assign, Dst: local(result), Src: op(Add, IntType, again, local(n)), Next: End},
	}
	if err := f.validate(map[*Func]bool{f: true}); err != nil {
		t.Fatal(err)
	}
	call := func(k int64) ([]int64, Fault) {
		words, fault, _ := Evaluate(&Expr{Op: Call, Type: IntType, Func: f, Args: []*Expr{number(k)}}, 0)
		return words, fault
	}
	if got, fault := call(10); fault != NoFault || got[0] != 55 {
		t.Errorf("got %v, %v", got, fault)
	}
	if _, fault := call(11); fault != TooDeep {
		t.Errorf("fault %v", fault)
	}
}
