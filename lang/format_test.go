package lang

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"cdpor/lang/step"
)

const pairProgram = `cdpor: 1
params: {MAX: 5, ON: true}
types: {Color: "enum [red, green]"}
shared: {x: int, y: int, buf: queue[int, MAX], a: array[2] int, m: mutex, ms: array[2] mutex, c: Color, o: int?, l: list[int?, 3], b: bool}
threads:
  put: {count: 2, params: {k: self}, run: "for i in 1..3 { s: atomic { x = i; a[k] = 1 } }"}
  take: "for i in 1..2 { let j = x; s: atomic { y = i + j } }"
`

// TestConditions parses constraints, prints them, and parses what was printed: the text must be canonical and mean the
// same tree.
func TestConditions(t *testing.T) {
	s := load(t, pairProgram)
	conditions(t, s, s.Program.Templates[0].Steps[0], s.Program.Templates[1].Steps[1], []conditionTest{
		{"true", ""},
		{"buf.size() > 0 && buf.size() < MAX", ""},
		{"x + 1 == 0 || z", "!unknown name z"},
		{"x - -1 == 0 - 3", ""},
		{"((x))+((y*2))>=-3", "x + y * 2 >= -3"},
		{"x - (y - 1) > 0 && (b || ON) && !b", ""},
		{"x - y - 1 > 0 && (b && b) && !(b && ON)", ""},
		{"-(x + 1) < -x && -(-x) == x", ""},
		{"p.i != q.i || k == j", ""},
		{"p.k == q.j", "k == j"},
		{"i == 1", "!both steps have a variable i"},
		{"p.self == 1", ""},
		{"self == 1", "!self of which step?"},
		{"p.j == 1", "!thread put has no variable j"},
		{"x.k == 1", "!x has no part k"},
		{"m.held() && !ms[1].held()", ""},
		{"m.free() || !(m.free())", "!m.held() || m.held()"},
		{"p.holds(m) && !q.holds(ms[k])", ""},
		{"self.holds(m)", "!holds asks a process"},
		{"p == x", "!cannot compare int with p"},
		{"c == red && o == null && o != 3", ""},
		{"o! > 1 && l == [1, null]", ""},
		{"buf.size() == 0 || buf.size() == 5", "buf.empty() || buf.full()"},
		{"(b ? x : y) == 1", ""},
		{"b ? b : ON ? b : true", ""},
		{"a[p.i % 2] == x / 2 * 3 % 4", ""},
		{"a == [1, 2] && buf == [1]", ""},
		{"x in 1..3", ""},
		{"x >= 1 && x <= y + 1 || !(x in -1..MAX)", "x in 1..y + 1 || !(x in -1..MAX)"},
		{"b && x in 1..3 && b && x >= 1 && x <= 3", "b && x in 1..3 && b && x >= 1 && x <= 3"},
		{"x >= 1 && y <= 3", ""},
		{"buf.contains(x) && !l.contains(null) || a.contains(x)", ""},
		{"a[0] == x || a[1] == x", "a.contains(x)"},
		{"a[0] == x || a[1] == y", ""},
		{"a[1] == x || a[0] == x", ""},
		{"l.size() > 0 && l[0] == 3 || l.size() > 1 && l[1] == 3", ""},
		{"p.holds(ms[0]) || p.holds(ms[1])", ""},
		{"!ms[0].held() || !ms[1].held()", ""},
		{"l.last() == 1 && l[l.size() - 1] != 2", "l.last() == 1 && l.last() != 2"},
		{"x = 1", "!= assigns, and here stands an expression: == compares"},
		{"x", "!this is int, but a condition is needed"},
		{"cas(x, 1, 2)", "!an expression here must not change anything"},
		{"buf.pop() == 1", "!an expression here must not change anything"},
		{"put.i == 1", "!put has no part i"},
		{"min(x, y) == 1", "(x <= y ? x : y) == 1"},
		{"x == -9223372036854775808", ""},
	})
}

// TestMoreConditions does the same with the data that TestConditions does not have.
func TestMoreConditions(t *testing.T) {
	s := load(t, `cdpor: 1
types: {P: "record {x int, y int?}"}
functions: {"f(n int) int": "return n + 1"}
shared: {r: P, rs: array[2] P, u: uint8, w: uint64, s: set[int, 3], m: map[int, P, 2], l: list[int, 4], sm: sem(2), rw: rwlock, c: chan[int, 2], x: int, cv: cond, cvs: array[2] cond}
threads:
  a: {count: 2, params: {k: self}, run: "var p P; rs[k].x = 1; p = rs[k]"}
  b: r.x = x
`)
	conditions(t, s, s.Program.Templates[0].Steps[0], s.Program.Templates[1].Steps[0], []conditionTest{
		{"r.x == rs[k].x && r.y == null && r.y! > 1", ""},
		{"r.z == 1", "!has no field z"},
		{"x.y == 1", "!x has no part y"},
		{"r == {x: 1, y: null} || r != P(x, 2)", "r == {x: 1, y: null} || r != P(x, 2)"},
		{"u == 3 && u + 1 > u && int(u) == x && uint8(x) != u", ""},
		{"w == 18446744073709551615 && w > 1", ""},
		{"p.p.x == 1 && k == 0", ""}, // a local that is called like a process
		{"u == 256", "!256 is outside of uint8"},
		{"u == x", "!this is int, but uint8 is needed"},
		{"s.has(x) && s.at(0) == 1 && s.min() < s.max()", "s.has(x) && s.min() == 1 && s.min() < s.max()"},
		{"s == [2, 1] && s.without(x) == s.including(3)", "s == [1, 2] && s.without(x) == s.including(3)"},
		{"m[x].x == 1 && m.has(2) && m.at(1).key == 2", ""},
		{"m.including(1, r) != m && m.get(x) != null", ""},
		{"m == {2: P(1, 2), 1: P(3, null)}", "m == {1: {x: 3, y: null}, 2: {x: 1, y: 2}}"},
		{"l + [x] == l[1:x] && l.sort() == l.reverse()", ""},
		{"f(f(x)) == 1 && f(-x) * 2 > 0", ""},
		{"sm.count > 0 && rw.writer.held() && p.holds(rw.writer)", ""},
		{"rw.readers[p.process] && !rw.readers[q.process]", ""},
		{"c.buf.size() < 2 && !c.closed", ""},
		{"!p.waits(cv) || q.waits(cvs[k])", ""},
		{"cv.waiters.size() > 0 && p.holds(cv.waiters[0])", ""},
		{"p.waits(x)", "!this is int, but a condition variable is needed"},
		{"p.waits()", "!waits takes 1 argument, not 0"},
		{"x.waits(cv)", "!waits asks a process"},
		{"u >= 1 && u <= 3", ""},
		{"recv c == 1", "!an expression here must not change anything"},
		{"sm.try_acquire()", "!an expression here must not change anything"},
	})
}

type conditionTest struct{ in, out string } // without out, the text must be printed as it is; with !, it is an error

func conditions(t *testing.T, s *Source, put, take *step.Step, tests []conditionTest) {
	t.Helper()
	tree := cmp.Options{cmpopts.IgnoreFields(step.Expr{}, "Pos"),
		cmp.Comparer(func(a, b *step.Var) bool { return a == b })}
	for _, test := range tests {
		e, err := ParseCondition(s.Program, s.File, step.Pos{Line: 1, Col: 1}, test.in, put, take)
		if msg, bad := strings.CutPrefix(test.out, "!"); bad && err != nil {
			if !strings.Contains(err.Error(), msg) {
				t.Errorf("%s: got %v, want %s", test.in, err, msg)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
			continue
		}
		want := test.out
		if want == "" {
			want = test.in
		}
		got := FormatExpr(e, put.Template, take.Template)
		if got != want {
			t.Errorf("%s: printed as %s, want %s", test.in, got, want)
		}
		again, err := ParseCondition(s.Program, s.File, step.Pos{Line: 1, Col: 1}, got, put, take)
		if err != nil {
			t.Errorf("%s printed as %s: %v", test.in, got, err)
		} else if diff := cmp.Diff(e, again, tree); diff != "" {
			t.Errorf("%s printed as %s is another tree: %s", test.in, got, diff)
		}
	}
}

// TestConditionSameTemplate: two instances of one thread have the same names, so every local needs its prefix.
func TestConditionSameTemplate(t *testing.T) {
	s := load(t, pairProgram)
	put := s.Program.Templates[0].Steps[0]
	e, err := ParseCondition(s.Program, s.File, step.Pos{Line: 1, Col: 1}, "p.k != q.k", put, put)
	if err != nil {
		t.Fatal(err)
	}
	if got := FormatExpr(e, put.Template, put.Template); got != "p.k != q.k" {
		t.Errorf("printed as %s", got)
	}
}

func TestFormatValue(t *testing.T) {
	s := load(t, pairProgram)
	tests := map[string]struct {
		words      []int64
		want, json string
	}{
		"x":   {[]int64{-3}, "-3", `-3`},
		"buf": {[]int64{2, 7, 8, 0, 0, 0}, "[7, 8]", `[7,8]`},
		"a":   {[]int64{1, 2}, "[1, 2]", `[1,2]`},
		"m":   {[]int64{2}, "held by put[1]", `"held by put[1]"`},
		"ms":  {[]int64{0, 3}, "[free, held by take]", `["free","held by take"]`},
		"c":   {[]int64{1}, "green", `"green"`},
		"o":   {[]int64{0, 0}, "null", `null`},
		"l":   {[]int64{2, 1, 4, 0, 0, 0, 0}, "[4, null]", `[4,null]`},
		"b":   {[]int64{1}, "true", `true`},
	}
	for _, v := range s.Program.Shared {
		if test, ok := tests[v.Name]; ok {
			text := FormatValue(s.Program, v.Type, test.words)
			json := string(AppendJSON(nil, s.Program, v.Type, test.words))
			if text != test.want || json != test.json {
				t.Errorf("%s: got %s and %s, want %s and %s", v.Name, text, json, test.want, test.json)
			}
		}
	}
}

// TestNormalForm: comments and layout do not count, parameters and the code do.
func TestNormalForm(t *testing.T) {
	form := func(text string, params map[string]string) string {
		s, err := Load("f.yaml", []byte(text), Options{Params: params})
		if err != nil {
			t.Fatal(err)
		}
		return string(NormalForm(s.Program))
	}
	base := "cdpor: 1\nparams: {N: 2}\nshared: {x: int}\nthreads:\n  t: |\n    if x == N { x = 1 }\n"
	same := "# comment\ncdpor: 1\nabout: more\nname: other\nparams:\n  N: 2\nshared:\n" +
		"  x: int = 0\nthreads:\n  t: |\n" +
		"    // comment\n    if (x == N) {\n\n      x = 1;\n    }\ncheck: {final: x == 1}\n"
	if diff := cmp.Diff(form(base, nil), form(same, nil)); diff != "" {
		t.Error(diff)
	}
	for name, other := range map[string]string{
		"code":      form(strings.Replace(base, "x = 1", "x = 2", 1), nil),
		"parameter": form(base, map[string]string{"N": "3"}),
		"name":      form(strings.ReplaceAll(base, "N", "M"), nil),
		"label":     form(strings.Replace(base, "x = 1", "l: x = 1", 1), nil),
		"invariant": form(base+"invariant: x >= 0\n", nil),
		"type":      form(strings.Replace(base, "x: int", "x: 0..5", 1), nil),
	} {
		if other == form(base, nil) {
			t.Errorf("a change of the %s does not show", name)
		}
	}
}
