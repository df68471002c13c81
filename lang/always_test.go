package lang

import (
	"fmt"
	"strings"
	"testing"

	"cdpor/lang/step"
)

// TestWhoLooks: a step looks at a property exactly if it may write something that the property reads.
func TestWhoLooks(t *testing.T) {
	for _, test := range []struct {
		that, code string
		looks      bool
	}{
		{"x > 0", "x = 1", true},
		{"x > 0", "y = x", false},
		{"x > 0", "if y > 0 { x = 1 }", true},
		{"x > 0", "atomic { if y > 0 { y = 0; return }; fetch_add(x, 1) }", true},
		{"x > 0", "cas(y, 0, 1)", false},
		{"x > 0", "atomic { choose { y = 1 } or { x = 1 } }", true},
		{"a[0] > 0", "a[1] = 1", false},
		{"a[0] > 0", "a[0] = 1", true},
		{"a[0] > 0", "a[k] = 1", true},
		{"a[k0] > 0", "a[1] = 1", true},
		{"a[k0] > 0", "k0 = 1", true},
		{"a == [1, 2]", "a[1] = 1", true},
		{"a[0] > 0", "a = [1, 2]", true},
		{"r.f > 0", "r.g = 1", false},
		{"r.f > 0", "r.f = 1", true},
		{"r.f > 0", "r = {f: 1, g: 2}", true},
		{"r == {f: 1, g: 2}", "r.g = 1", true},
		{"rs[0].f > 0", "rs[k].g = 1", false},
		{"rs[0].f > 0", "rs[k].f = 1", true},
		{"q.empty()", "q.push(1)", true},
		{"q.front() == 1", "q.push(1)", true},
		{"m.held()", "lock m", true},
		{"m.held()", "atomic { lock n; y = 1 }", false},
		{"h.has(1)", "h[2] = 1", true},
		{"o != null", "o = 1", true},
		{"double(x) > 0", "x = 1", true},
		{"C.n[0] > 0", "o = 1", false},
		{"C.n[0] > 0", "let c = new C(3)", true},
		{"C.own[0] > 0", "let c = new C(3)", false},
		{"N > 0", "x = 1", false},
	} {
		for section, that := range map[string]string{"always": test.that, "transition": test.that +
			" || old(" + test.that + ")"} {
			if test.that == "N > 0" && section == "transition" {
				continue
			}
			s := load(t, fmt.Sprintf(`cdpor: 1
params: {N: 2}
types: {R: "record {f int, g int}"}
functions: {double(i int) int: return i * 2}
bounds: {C: 2, C.set: 2}
shared: {x: int, y: int, a: "array[2] int", k0: 0..1, r: R, rs: "array[2] R", q: "queue[int, 2]", m: mutex, n: mutex, h: "map[int, int, 2]", o: int?}
actors:
  C(n int):
    fields: {own: int}
    methods: {set(): own = 1}
threads:
  t: |
    var k int = 0
    while k < 1 {
      k += 1
      %s
    }
check: {%s: [%q]}
`, test.code, section, that))
			looks := false
			for _, tmpl := range s.Program.Templates {
				for _, n := range tmpl.Nodes {
					looks = looks || tmpl.Name == "t" && n.Property != nil
				}
			}
			if looks != test.looks {
				t.Errorf("%s: %q, %q: looks %t", section, that, test.code, looks)
			}
			if _, err := step.NewMachine(s.Program); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestPlacesSaved: a transition puts aside the places that decide it, each once, and not what is around them.
func TestPlacesSaved(t *testing.T) {
	for that, want := range map[string]string{
		"x >= old(x)":                           "old(x)",
		"x >= 0":                                "old(x)",
		"old(x) <= x && old(x + y) >= 0":        "old(x) old(y)",
		"a[0] >= old(a[0])":                     "old(a[0])",
		"a.all(v, v >= old(v))":                 "old(a)",
		"a[0] >= old(a[x])":                     "old(a) old(x)",
		"r.f >= old(r.f)":                       "old(r.f)",
		"r.f >= old(r.f) && r == old(r)":        "old(r)",
		"q.size() > old(q[0])":                  "old(q)",
		"a[0] == old(a[1]) && old(a[0]) < a[0]": "old(a)",
	} {
		s := load(t, `cdpor: 1
shared: {x: int, y: int, a: "array[2] int", r: "record {f int, g int}", q: "queue[int, 2]"}
threads:
  t: atomic { x = 1; y = 1; a[0] = 1; r.f = 1; q.push(1) }
check: {transition: ["`+that+`"]}
`)
		var got []string
		for _, v := range s.Program.Templates[0].Locals {
			got = append(got, v.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: saves %v, not %s", that, got, want)
		}
	}
}
