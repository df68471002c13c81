package golang_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var oddTypes = flag.Int("oddtypes", 40, "random programs of types of which some have no values here")

// TestOddTypes: whatever a type is made of, and wherever a value of a kind that has no values here stands in it, a
// program is explored or refused; cdpor never fails on it.
func TestOddTypes(t *testing.T) {
	programs := make([]string, *oddTypes)
	for k := range programs {
		g := &oddGenerator{Rand: rand.New(rand.NewPCG(*firstSeed, uint64(k)))}
		programs[k] = g.program()
	}
	exploredOrRefused(t, programs)
}

// An oddGenerator writes programs that do everything with values of random types.
type oddGenerator struct {
	*rand.Rand
	declared int // types N0, N1, ...
}

func (g *oddGenerator) pick(list ...string) string { return list[g.IntN(len(list))] }

// missing is a type that has no values here, most of the time.
func (g *oddGenerator) missing() string {
	return g.pick("float64", "complex128", "unsafe.Pointer", "func(float64) float64", "[5000]int", "chan float32",
		"[0]float64", "struct{}", "error", "any", "uintptr", "string", "int")
}

// key is a type of keys of maps.
func (g *oddGenerator) key() string {
	return g.pick("int", "string", "float64", "[2]float32", "struct{}", "any")
}

func (g *oddGenerator) typ(depth int) string {
	if depth == 0 {
		return g.missing()
	}
	inner := g.typ(depth - 1)
	switch g.IntN(11) {
	case 0:
		return "*" + inner
	case 1:
		return "[]" + inner
	case 2:
		return "[2]" + inner
	case 3:
		return fmt.Sprintf("map[%s]%s", g.key(), inner)
	case 4:
		return "chan " + inner
	case 5:
		return fmt.Sprintf("func(%s) %s", inner, g.missing())
	case 6:
		return fmt.Sprintf("G[%s]", inner)
	case 7:
		return fmt.Sprintf("interface { M(%s) %s }", inner, g.missing())
	case 8:
		if g.declared > 0 {
			return fmt.Sprint("N", g.IntN(g.declared))
		}
		return inner
	}
	return fmt.Sprintf("struct { a %s; n int; b %s }", inner, g.missing())
}

// uses are statements about a variable x of a type T and the record r that embeds N%d.
var uses = []string{
	"y := x; p := &y; *p = x; q := &p; **q = y",
	"s := []T{x}; s = append(s, x, s[0]); i := len(s) - 1; x = s[i]; for _, v := range s[1:] { x = v }",
	"m := map[string]T{}; m[\"a\"] = x; v, ok := m[\"b\"]; _, _ = v, ok; for k, v := range m { _, _ = k, v }",
	"c := make(chan T, 1); c <- x; v, ok := <-c; _, _ = v, ok; select { case c <- v: case v = <-c: default: }",
	"c := make(chan T); go func(v T) { c <- v }(x); x = <-c",
	"f := func(v T) (T, int) { return v, 1 }; v, n := f(x); _, _ = v, n; go f(v); defer f(x)",
	"var i any = x; v, ok := i.(T); _, _ = v, ok; switch v := i.(type) { case T: _ = v; case error: _ = v.Error() }",
	"g := G[T]{x, 1}; v, n := g.Get(); _, _ = v, n; go g.Get(); f := g.Get; _, _ = f(); h := (*G[T]).Set; h(&g, v)",
	"a := [2]T{x}; b := a; i := b2i(len(a) > 1); b[i] = a[1-i]; e := &b[i]; *e = x; for k := range a { _ = a[k] }",
	"r.n++; w := r; w.N = r.N; go func() { _ = w.N }(); e := &r.n; *e = 2; v := r.N; _ = v; t.Log(r.n, r)",
	"n := r.P(); _ = n; go r.P(); f := r.Q; f(n); defer R.P(r); var i interface { P() N; Q(N) } = &r; i.Q(i.P())",
	"type L struct { T T; n int; next *L }; l := &L{x, 1, nil}; l.next = &L{n: 2}; x = l.next.T; l.next.n++",
	"z, w := zero[T](), zero[R](); x = z; _ = w.n; w.N = zero[N](); k := keep(w); _ = k.n",
	"o := sync.OnceValue(func() T { return x }); x = o()",
	"var v atomic.Value; v.Store(1); var u atomic.Pointer[T]; u.Store(&x)",
	"func() { defer func() { if v, ok := recover().(R); ok { r = v } }(); panic(r) }()",
}

const oddHelpers = `; type G[T any] struct { v T; n int }; func (g G[T]) Get() (T, int) { return g.v, g.n }; ` +
	`func (g *G[T]) Set(v T) { g.v = v }; func zero[T any]() (v T) { return }; func keep[T any](v T) T { return v }; ` +
	`func b2i(b bool) int { if b { return 1 }; return 0 }; ` +
	`func (r R) P() N { return r.N }; func (r *R) Q(v N) { r.N = v; r.n++ }; ` +
	`var all = []any{sync.Mutex{}, atomic.Int32{}, unsafe.Sizeof(1)}`

func (g *oddGenerator) program() string {
	var text strings.Builder
	for range 2 + g.IntN(2) {
		named := "struct { v " + g.typ(g.IntN(2)) + "; n int }"
		fmt.Fprintf(&text, "type N%d %s; ", g.declared, named)
		g.declared++
	}
	fmt.Fprintf(&text, "type N struct { v %s; w N0 }; type R struct { N; n int; m %s }; ", g.typ(1), g.typ(1))
	fmt.Fprintf(&text, "type T = %s; ", g.pick("N", "R", g.typ(2), g.typ(2), g.typ(3)))
	text.WriteString("var pkg T; func TestX(t *testing.T) { x, r := pkg, R{}; ")
	for _, k := range g.Perm(len(uses))[:1+g.IntN(6)] {
		text.WriteString("{ " + uses[k] + " }; ")
	}
	text.WriteString("_, _ = x, r; pkg = x }")
	return text.String() + oddHelpers
}
