//go:build cgo && !noz3

package synth

import (
	"context"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
)

func load(t testing.TB, text string) *step.Program {
	t.Helper()
	src, err := lang.Load("test.yaml", []byte(text), lang.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return src.Program
}

func synthesize(t testing.TB, text string) *constraints.Set {
	t.Helper()
	set, _, err := Synthesize(context.Background(), load(t, text), Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// program writes a program with one thread per body; bodies are in curly brackets of an atomic block.
func program(shared string, bodies ...string) string {
	var b strings.Builder
	b.WriteString("cdpor: 1\nname: test\nshared:\n")
	for _, line := range strings.Split(shared, ";") {
		b.WriteString("  " + strings.TrimSpace(line) + "\n")
	}
	b.WriteString("threads:\n")
	for i, body := range bodies {
		b.WriteString("  " + string("pqrstu"[i]) + ": |\n    s: atomic {\n")
		for _, line := range strings.Split(body, "\n") {
			b.WriteString("      " + line + "\n")
		}
		b.WriteString("    }\n")
	}
	return b.String()
}

func TestRequired(t *testing.T) {
	tests := []struct{ name, text, a, b, commute, uniform string }{
		{"read", program("x: int; y: int", "x = 5", "y = x"), "p.s", "q.s", "x == 5", "x == 5"},
		{"add", program("x: int", "x += 2", "x += 3"), "p.s", "q.s", "true", "true"},
		{"max", program("x: int", "if x < 3 { x = 3 }", "if x < 7 { x = 7 }"), "p.s", "q.s", "true", "true"},
		{"branch", program("x: int; z: int", "if z >= 0 { z = x }", "z = z + 1\nx = x + 1"), "p.s", "q.s",
			"z != -1 || z == x", ""},
		{"bool", program("b: bool; c: bool", "b = true", "c = b"), "p.s", "q.s", "b", "b"},
		{"enum", "cdpor: 1\nname: e\ntypes: {Color: \"enum [red, green]\"}\nshared:\n  c: Color\n  d: Color\n" +
			"threads:\n  p: |\n    s: c = green\n  q: |\n    s: d = c\n",
			"p.s", "q.s", "c == green", "c == green"},
		{"swap", program("x: int; y: int", "swap(x, y)", "x = y"), "p.s", "q.s", "x == y", "x == y"},
		{"negation", program("b: bool", "b = !b", "b = false"), "p.s", "q.s", "false", "false"},
		{"await", program("x: int; y: int", "await x > 0\ny = 1", "x = x - 1"), "p.s", "q.s", "x != 1", "x != 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := synthesize(t, test.text)
			pair := find(t, set, test.a, test.b)
			if got := lang.FormatExpr(pair.Commute, pair.A.Template, pair.B.Template); got != test.commute ||
				pair.Status != constraints.Exact {
				t.Errorf("commute: %s (%s), want %s", got, pair.Status, test.commute)
			}
			if got := lang.FormatExpr(pair.Uniform, pair.A.Template, pair.B.Template); test.uniform != "" &&
				got != test.uniform {
				t.Errorf("uniform: %s, want %s", got, test.uniform)
			}
		})
	}
}

func find(t testing.TB, set *constraints.Set, a, b string) *constraints.Pair {
	t.Helper()
	for _, p := range set.Pairs {
		if p.A.Name() == a && p.B.Name() == b {
			return p
		}
	}
	t.Fatalf("no pair %s, %s", a, b)
	return nil
}

const boundedBuffer = `
cdpor: 1
name: bounded-buffer
params: {N: 3, MAX: 5}
shared:
  buf: queue[int, MAX]
  got: list[int?, N]
threads:
  producer: |
    for i in 1..N {
      put: atomic { if !buf.full() { buf.push(i) } }
    }
  consumer: |
    for i in 1..N {
      take: atomic {
        if buf.empty() { got.append(null) }
        else           { got.append(buf.pop()) }
      }
    }
observe: [buf, got]
`

const arrays = `
cdpor: 1
name: arrays
shared:
  a: array[8] int
  idx: array[3] int
threads:
  p:
    run: |
      let i = idx[0]
      let v = idx[1]
      w: a[i] = v
  q:
    run: |
      let j = idx[1]
      let u = idx[2]
      w: a[j] = u
`

const locks = `
cdpor: 1
name: locks
shared: {m: mutex, l: int}
threads:
  p:
    count: 2
    run: |
      lock m
      unlock m
  t:
    count: 2
    run: |
      tas: atomic { var got = l; l = 1 ; if got == 0 { skip } }
`

const slides = `
cdpor: 1
name: slides
shared: {x: int, y: int}
threads:
  p: |
    s: x = 5
  q: |
    s: x = 5
  r: |
    s: y = x
`

const ainc = `
cdpor: 1
name: ainc
shared: {x: int}
threads:
  t:
    count: 3
    run: |
      s: fetch_add(x, 1)
`

const testAndSet = `
cdpor: 1
name: test-and-set
shared: {l: int, owner: int}
threads:
  t:
    count: 2
    run: |
      var got int = 1
      while got != 0 { acquire: atomic { got = l; l = 1 } }
      enter: owner = owner + 1
`

const bounded = `
cdpor: 1
name: bounded
shared:
  a: array[8] int
  i0: 0..7
  j0: 0..7
  v0: int
threads:
  p: |
    var i 0..7 = i0
    var v int = v0
    w: a[i] = v
  q: |
    var j 0..7 = j0
    var w int = v0
    w: a[j] = w
`

const unequal = `
cdpor: 1
name: three
shared: {x: int, y: int, z: int}
threads:
  p: |
    s: x = 5
  q:
    count: 2
    run: |
      s: y = x
`

// TestFamilies pins whole pairs, uniform included.
func TestFamilies(t *testing.T) {
	tests := []struct{ name, text, a, b, commute, uniform string }{
		{"bounded buffer", boundedBuffer, "producer.put", "consumer.take", "!buf.empty() && !buf.full()",
			"!buf.empty() && !buf.full()"},
		{"array elements", bounded, "p.w", "q.w", "i != j || v == w", "i != j || v == w"},
		{"array elements, any index", arrays, "p.w", "q.w", "i != j || v == u", "i != j || v == u"},
		{"lock, lock", locks, "p.1", "p.1", "m.held()", "m.held()"},
		{"test and set", testAndSet, "t.acquire", "t.acquire", "l != 0", "l != 0"},
		{"slides 2", slides, "p.s", "q.s", "true", "true"},
		{"slides 2, read", slides, "p.s", "r.s", "x == 5", "false"},
		{"fetch_add", ainc, "t.s", "t.s", "true", "true"},
		{"write, reads", unequal, "p.s", "q.s", "x == 5", "x == 5"},
		{"the reads", unequal, "q.s", "q.s", "true", "true"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := synthesize(t, test.text)
			pair := find(t, set, test.a, test.b)
			commute := lang.FormatExpr(pair.Commute, pair.A.Template, pair.B.Template)
			uniform := lang.FormatExpr(pair.Uniform, pair.A.Template, pair.B.Template)
			if commute != test.commute || pair.Status != constraints.Exact ||
				test.uniform != "" && uniform != test.uniform {
				t.Errorf("commute: %s (%s), uniform: %s; want %s, %s", commute, pair.Status, uniform,
					test.commute, test.uniform)
			}
		})
	}
}

// TestChoice: a step that takes one of several alternatives commutes where all of them do. The step is put together
// here.
func TestChoice(t *testing.T) {
	for _, test := range []struct{ q, commute string }{
		{"y = x", "false"},                         // whatever x is, some alternative changes it
		{"x = 7", "false"},                         //
		{"y = y + 1", "true"},                      //
		{"if y > 3 { y = x }", "y <= 3"},           // as long as x is not looked at
		{"if x >= 9 { y = 1 }", "x < 9 || y == 1"}, // alternatives are less than 9
	} {
		prog := load(t, program("x: int; y: int", "var k int = 0\nx = k", test.q))
		tmpl := prog.Templates[0]
		first := tmpl.Nodes[tmpl.Steps[0].Entry]
		var k *step.Expr
		for _, n := range tmpl.Nodes {
			if n.Kind == step.Assign && n.Dst.Var.Name == "k" {
				k = n.Dst
				n.Kind, n.Dst, n.Src = step.Nop, nil, nil
			}
		}
		choose := *first
		choose.Kind, choose.Dst, choose.Src, choose.Next = step.Choose, k, expr.Number(3), tmpl.Steps[0].Entry
		first.Visible = false
		tmpl.Nodes = append(tmpl.Nodes, &choose)
		if tmpl.Start == tmpl.Steps[0].Entry {
			tmpl.Start = len(tmpl.Nodes) - 1
		}
		tmpl.Seal()
		set, report, err := Synthesize(context.Background(), prog, Options{AnyState: true})
		if err != nil {
			t.Fatal(err)
		}
		pair := find(t, set, "p.s", "q.s")
		if got := lang.FormatExpr(pair.Commute, pair.A.Template, pair.B.Template); got != test.commute {
			t.Errorf("%s: %s (%s), want %s; %v", test.q, got, pair.Status, test.commute, report.Why)
		}
	}
}

func BenchmarkSynthesize(b *testing.B) {
	for _, c := range []struct{ name, text string }{{"buffer", boundedBuffer}, {"slides", slides}, {"locks", locks}} {
		b.Run(c.name, func(b *testing.B) {
			prog := load(b, c.text)
			s, err := NewSession(Options{AnyState: true})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := s.Synthesize(context.Background(), prog); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
