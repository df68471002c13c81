package lang

import (
	"testing"

	"cdpor/lang/step"
)

// TestNoAllocation runs steps with functions, records and collections: after the first run they allocate nothing.
func TestNoAllocation(t *testing.T) {
	s := load(t, `cdpor: 1
types: {Ints: "list[int, 8]", P: "record {a int, l Ints}"}
functions:
  merge(a Ints, b Ints) Ints: |
    if a.empty() { return b }
    if b.empty() { return a }
    if a[0] <= b[0] { return [a[0]] + merge(a[1:], b) }
    return [b[0]] + merge(a, b[1:])
shared: {xs: "Ints = [1, 4]", ys: "Ints = [2, 3]", m: "map[int, P, 3]", s: "set[int, 4]", p: P, c: "chan[P, 2]"}
threads:
  t: |
    while true {
      atomic {
        p.l = merge(xs, ys).reverse().sort()
        m[p.l[0]] = p
        m[2] = P(3, xs)
        s.add(m.get(2)!.a)
        p = {a: 0, l: ys[0:1] + [1]}
        if merge(xs, xs) == [] { p.a = 1 }
      }
      send c, p
      p = recv c
    }
`)
	m, err := step.NewMachine(s.Program)
	if err != nil {
		t.Fatal(err)
	}
	r, state := m.NewRunner(), m.Initial()
	run := func() {
		for range 3 {
			if !r.Enabled(state, 0) {
				t.Fatal("blocked")
			}
			r.Run(state, 0)
			if fault, node, failed := m.Failure(state, 0); failed {
				t.Fatalf("%v at %v", fault, node.Pos)
			}
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n > 0 {
		t.Errorf("%v allocations per run", n)
	}
}
