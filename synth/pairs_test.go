//go:build cgo && !noz3

package synth

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

var flagUpdate = flag.Bool("update", false, "rewrite testdata/tables/pairs.md")

// A pairCase is two blocks, p.s and q.s, and their constraints.
type pairCase struct {
	name, shared, p, q string
	more               string // further lines of the program: invariants, types
	commute            string
	status             constraints.Status // exact unless it says otherwise
	// an edited commute that must be proved, and one that must be refuted; may be empty
	right, wrong string
}

// pairCases are blocks as they occur in concurrent programs. Each wrong edit is a plausible mistake.
var pairCases = []pairCase{
	{name: "write, write", shared: "x: int", p: "x = 5", q: "x = 7", commute: "false", right: "false", wrong: "x == 5"},
	{name: "write, the same", shared: "x: int", p: "x = 5", q: "x = 5", commute: "true", right: "x != 5"},
	{name: "write, read", shared: "x: int; y: int", p: "x = 5", q: "y = x", commute: "x == 5",
		right: "x == 5 && y == 0", wrong: "x >= 5"},
	{name: "counter, counter", shared: "x: int", p: "x += 2", q: "x += 3", commute: "true", right: "x > 0"},
	{name: "counter, write", shared: "x: int", p: "x += 1", q: "x = 4", commute: "false", wrong: "x == 4"},
	{name: "counter, doubling", shared: "x: int", p: "x += 1", q: "x = 2 * x", commute: "false", wrong: "x == 0"},
	{name: "saturating counter, itself", shared: "x: 0..5", p: "if x < 5 { x += 1 }", q: "if x < 5 { x += 1 }",
		commute: "true", right: "x < 5"},
	{name: "saturating up, down", shared: "x: 0..5", p: "if x < 5 { x += 1 }", q: "if x > 0 { x -= 1 }",
		commute: "x in 1..4", right: "x == 3", wrong: "x < 5"},
	{name: "saturating at a parameter", shared: "x: int", more: "params: {MAX: 9}", p: "if x < MAX { x += 1 }",
		q:       "if x > 0 { x -= 1 }",
		commute: "x != 0 && x != MAX", right: "x > 0 && x < MAX", wrong: "x >= 0 && x < MAX"},
	{name: "max, max", shared: "x: int", p: "if x < 3 { x = 3 }", q: "if x < 7 { x = 7 }",
		commute: "true", right: "x < 3"},
	{name: "max, min", shared: "x: int", p: "if x < 3 { x = 3 }", q: "if x > 7 { x = 7 }", commute: "true"},
	{name: "max, min that cross", shared: "x: int", p: "if x < 7 { x = 7 }", q: "if x > 3 { x = 3 }",
		commute: "false", wrong: "x == 7"},
	{name: "max, counter", shared: "x: int", p: "if x < 3 { x = 3 }", q: "x += 1", commute: "x >= 3",
		right: "x > 5", wrong: "x >= 2"},
	{name: "cas, cas", shared: "x: int; a: bool; b: bool", p: "a = cas(x, 0, 1)", q: "b = cas(x, 0, 2)",
		commute: "x != 0", right: "x == 2", wrong: "x != 1"},
	{name: "cas, cas of other values", shared: "x: int; a: bool; b: bool", p: "a = cas(x, 0, 1)", q: "b = cas(x, 1, 2)",
		commute: "x != 0", wrong: "x != 1"},
	{name: "cas, unused result", shared: "x: int", p: "let a = cas(x, 0, 1)", q: "let b = cas(x, 0, 2)",
		commute: "x != 0", right: "x > 0", wrong: "x >= 0"},
	{name: "test-and-set, itself", shared: "l: bool; a: bool; b: bool", p: "a = l\nl = true", q: "b = l\nl = true",
		commute: "l", wrong: "!l"},
	{name: "test-and-set, clear", shared: "l: bool; a: bool", p: "a = l\nl = true", q: "l = false",
		commute: "false", wrong: "l"},
	{name: "ticket, ticket", shared: "next: int; a: int; b: int", p: "a = next\nnext += 1", q: "b = next\nnext += 1",
		commute: "false", wrong: "a == b"},
	{name: "ticket, serve", shared: "next: int; serving: int; a: int", p: "a = next\nnext += 1",
		q: "serving += 1", commute: "true"},
	{name: "ticket wait, serve", shared: "serving: int; t: int; inside: bool", p: "await serving == t\ninside = true",
		q:       "serving += 1",
		commute: "serving + 1 != t && serving != t", right: "serving > t", wrong: "serving != t"},
	{name: "swap, swap", shared: "x: int; y: int; z: int", p: "swap(x, y)", q: "swap(y, z)",
		commute: "y == z && x == z", right: "x == 1 && y == 1 && z == 1", wrong: "x == y || y == z"},
	{name: "swap, write", shared: "x: int; y: int", p: "swap(x, y)", q: "x = 4", commute: "y == 4 && x == 4",
		wrong: "x == 4"},
	{name: "transfer, unchecked", shared: "a: int; b: int; c: int", p: "a -= 5\nb += 5",
		q: "b -= 3\nc += 3", commute: "true"},
	{name: "transfer, checked", shared: "a: int; b: int; c: int", p: "if a >= 5 { a -= 5; b += 5 }",
		q:       "if b >= 3 { b -= 3; c += 3 }",
		commute: "a < 5 || b < -2 || b >= 3", right: "b >= 3", wrong: "a < 5 || b < 0"},
	{name: "transfer, both checked on one", shared: "a: int; b: int; c: int", p: "if a >= 5 { a -= 5; b += 5 }",
		q:       "if a >= 3 { a -= 3; c += 3 }",
		commute: "a < 5 || a >= 8", right: "a >= 100", wrong: "a < 6 || a >= 8"},
	{name: "transfer, to and fro", shared: "a: int; b: int", p: "if a >= 5 { a -= 5; b += 5 }",
		q:       "if b >= 3 { b -= 3; a += 3 }",
		commute: "", right: "a >= 5 && b >= 3", wrong: "a >= 5"},
	{name: "ring put, get", shared: "buf: array[4] int; head: 0..3; n: 0..4; out: int", more: "invariant: [\"n <= 4\"]",
		p: "if n < 4 { buf[(head + n) % 4] = 7; n += 1 }",
		q: "if n > 0 { out = buf[head]; head = (head + 1) % 4; n -= 1 }", commute: "", right: "false", wrong: "n > 0"},
	{name: "ring put, put", shared: "buf: array[4] int; tail: int", p: "buf[tail] = 7\ntail = (tail + 1) % 4",
		q: "buf[tail] = 8\ntail = (tail + 1) % 4", commute: "false", wrong: "tail == 3"},
	{name: "ring put, get, no invariant", shared: "buf: array[4] int; head: int; n: int; out: int",
		p: "if n < 4 { buf[(head + n) % 4] = 7; n += 1 }",
		q: "if n > 0 { out = buf[head]; head = (head + 1) % 4; n -= 1 }", commute: "", right: "false"},
	{name: "queue put, take", shared: "buf: queue[int, 3]; out: int", p: "if !buf.full() { buf.push(4) }",
		q:       "if !buf.empty() { out = buf.pop() }",
		commute: "!buf.empty() && !buf.full()", right: "buf.size() == 1", wrong: "buf.size() > 0"},
	{name: "queue put, put", shared: "buf: queue[int, 3]", p: "if !buf.full() { buf.push(4) }",
		q: "if !buf.full() { buf.push(5) }", commute: "buf.full()", right: "buf.full()", wrong: "buf.size() >= 2"},
	{name: "queue put, put of the same", shared: "buf: queue[int, 3]", p: "if !buf.full() { buf.push(4) }",
		q: "if !buf.full() { buf.push(4) }", commute: "true"},
	{name: "queue take, take", shared: "buf: queue[int, 2]; x: int; y: int", p: "if !buf.empty() { x = buf.pop() }",
		q:       "if !buf.empty() { y = buf.pop() }",
		commute: "", right: "buf.empty()", wrong: "buf.size() == 1"},
	{name: "queue take that blocks, put", shared: "buf: queue[int, 3]; out: int",
		p: "await !buf.empty()\nout = buf.pop()", q: "await !buf.full()\nbuf.push(1)",
		commute: "!buf.empty() && !buf.full()",
		wrong:   "!buf.full()"},
	{name: "stack push, pop", shared: "s: list[int, 3]; out: int", p: "if !s.full() { s.append(4) }",
		q: "if s.size() > 0 { out = s[s.size() - 1] }", commute: "", right: "s.full()", wrong: "s.empty()"},
	{name: "bitmap, other bits", shared: "bit: array[4] bool", p: "bit[1] = true",
		q: "bit[2] = false", commute: "true"},
	{name: "bitmap, allocate", shared: "bit: array[2] bool; a: int; b: int",
		p:       "if !bit[0] { bit[0] = true; a = 0 } else { if !bit[1] { bit[1] = true; a = 1 } }",
		q:       "if !bit[0] { bit[0] = true; b = 0 } else { if !bit[1] { bit[1] = true; b = 1 } }",
		commute: "(bit[0] || a == 0 && b == 0) && (bit[1] || a == 1 && b == 1)", right: "bit[0] && bit[1]",
		wrong: "bit[0]"},
	{name: "set add, add", shared: "s: set[int, 4]; i: 0..3; j: 0..3", p: "s.add(i)", q: "s.add(j)",
		commute: "i == j || s.has(i) || s.has(j) || s.size() != 3", right: "s.size() < 3", wrong: "i < j"},
	{name: "set add, remove", shared: "s: set[int, 4]; i: 0..3; j: 0..3", p: "s.add(i)", q: "s.remove(j)",
		commute: "i != j && (s.has(i) || !s.full()) || !s.has(j) && s.full()", right: "i < j && !s.full()",
		wrong: "s.has(i)"},
	{name: "set add, ask", shared: "s: set[int, 4]; i: 0..3; j: 0..3; r: bool", p: "s.add(i)", q: "r = s.has(j)",
		commute: "i != j || s.has(i) || s.full()", right: "s.has(j)", wrong: "s.empty()"},
	{name: "map put, put", shared: "m: \"map[int, int, 4]\"; i: 0..3; j: 0..3", p: "m[i] = 1", q: "m[j] = 2",
		commute: "", right: "m.has(i) && i > j", wrong: "i <= j"},
	{name: "map put, get", shared: "m: \"map[int, int, 4]\"; i: 0..3; j: 0..3; r: int?", p: "m[i] = 1",
		q: "r = m.get(j)", commute: "", right: "m.get(j) == 1", wrong: "m.empty()"},
	{name: "reference count, up and down", shared: "n: int; freed: bool", p: "n += 1",
		q: "n -= 1\nif n == 0 { freed = true }", commute: "n != 0 && n != 1 || freed", right: "n > 1", wrong: "n >= 1"},
	{name: "reference count, down and down", shared: "n: int; freed: bool", p: "n -= 1\nif n == 0 { freed = true }",
		q: "n -= 1\nif n == 0 { freed = true }", commute: "true"},
	{name: "version word", shared: "v: int; data: int; ok: bool", p: "data = 5\nv += 1", q: "ok = v == 3",
		commute: "v != 2 && v != 3", right: "v > 7", wrong: "v != 3"},
	{name: "sequence lock, read", shared: "v: int; x: int; out: int", p: "if v % 2 == 0 { out = x }", q: "x = 9",
		commute: "", right: "x == 9", wrong: "v == 0"},
	{name: "lock, lock", shared: "m: mutex", p: "lock m", q: "lock m", commute: "m.held()", wrong: "!m.held()"},
	{name: "lock, unlock", shared: "m: mutex", p: "lock m", q: "unlock m", commute: "!q.holds(m)", wrong: "m.held()"},
	{name: "locked and counted", shared: "m: mutex; n: int", p: "lock m\nn += 1", q: "n += 2", commute: "true"},
	{name: "array elements", shared: "a: array[8] int; i: 0..7; j: 0..7", p: "a[i] = 1", q: "a[j] = 2",
		commute: "i != j", right: "i < j", wrong: "i <= j"},
	{name: "array elements, faults", shared: "a: array[3] int; i: int; j: int", p: "a[i] = 1", q: "j += 1\na[j] = 2",
		commute: "", right: "i == 0 && j == 1", wrong: "i != j"},
	{name: "array move", shared: "a: array[3] int; i: 0..2; j: 0..2", p: "a[i] = a[j]", q: "a[j] = a[i]",
		commute: "a[j] == a[i]", wrong: "i < j"},
	{name: "sum of an array", shared: "a: array[3] int; s: int", p: "s = 0\nfor k in 0..2 { s += a[k] }",
		q: "a[1] += 1", commute: "false", wrong: "a[1] == 0"},
	{name: "await, change", shared: "x: int; y: int", p: "await x > 0\ny = 1", q: "x -= 1", commute: "x != 1",
		right: "x > 1", wrong: "x >= 1"},
	{name: "await, set", shared: "go: bool; y: int", p: "await go\ny = 1", q: "go = true", commute: "go", wrong: "!go"},
	{name: "assert, write", shared: "x: int; y: int", p: "assert x >= 0\ny = 1", q: "x = 1", commute: "x >= 0",
		right: "x > 4", wrong: "x >= -1"},
	{name: "enum, enum", shared: "c: Color; d: Color", more: "types: {Color: \"enum [red, green, blue]\"}",
		p: "if c == red { c = green }", q: "if c == green { c = blue }",
		commute: "c != red", right: "c == blue", wrong: "c != blue"},
	{name: "two flags", shared: "f: bool; g: bool; x: int", p: "f = true\nif !g { x = 1 }",
		q: "g = true\nif !f { x = 2 }", commute: "(g || x == 1) && (f || x == 2)",
		right: "f && g && x == 1", wrong: "f"},
	{name: "copy, conditional", shared: "x: int; z: int", p: "if z >= 0 { z = x }", q: "z += 1\nx += 1",
		commute: "z != -1 || z == x", right: "z >= 0 || z == x || z <= -2", wrong: "z >= -1"},
	{name: "negation, negation", shared: "b: bool", p: "b = !b", q: "b = !b", commute: "true"},
	{name: "option", shared: "o: int?; out: int?", p: "o = 5", q: "out = o", commute: "o == 5",
		right: "o != null && o! == 5", wrong: "o != null"},
}

func (c *pairCase) text() string {
	text := program(c.shared, c.p, c.q)
	if c.more != "" {
		text = strings.Replace(text, "name: test\n", "name: test\n"+c.more+"\n", 1)
	}
	return text
}

// TestPairs pins the constraint of each pair, and the table in testdata/tables/pairs.md that shows them.
func TestPairs(t *testing.T) {
	session, err := NewSession(Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("# Constraints of common pairs of blocks\n\n" +
		"Written by `go test ./synth -run Pairs -update`. Each block is one atomic step; the condition says " +
		"in which states they\n" +
		"commute, exactly unless the row says otherwise.\n\n| pair | p | q | commute |\n|---|---|---|---|\n")
	questions := 0
	for _, c := range pairCases {
		if c.status == "" {
			c.status = constraints.Exact
		}
		prog := load(t, c.text())
		set, report, err := session.Synthesize(context.Background(), prog)
		if err != nil {
			t.Fatal(err)
		}
		pair := find(t, set, "p.s", "q.s")
		got := lang.FormatExpr(pair.Commute, pair.A.Template, pair.B.Template)
		if c.commute != "" && got != c.commute || pair.Status != c.status {
			t.Errorf("%s: %s (%s), want %s; %v", c.name, got, pair.Status, c.commute, report.Why)
		}
		code := func(s string) string {
			return "`" + strings.ReplaceAll(strings.ReplaceAll(s, "\n", "; "), "|", "\\|") + "`"
		}
		said := code(got)
		if pair.Status != constraints.Exact {
			said += fmt.Sprintf(" (%s)", pair.Status)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.name, code(c.p), code(c.q), said)
		questions += report.Queries
	}
	fmt.Fprintf(&b, "\nFor these, %d questions went to Z3; everything else was decided without it.\n", questions)
	isPage(t, "../testdata/tables/pairs.md", b.Bytes())
}

// isPage compares a page with the file of that name; -update writes the file.
func isPage(t *testing.T, name string, text []byte) {
	t.Helper()
	if *flagUpdate {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("%s is stale; -update rewrites it:\n%s", name, diff)
	}
}

func disjuncts(e *step.Expr) int {
	if e.Op == step.Or {
		return disjuncts(e.Args[0]) + disjuncts(e.Args[1])
	}
	return 1
}

// TestEdits: what a person writes into the file is proved if it is right, and refuted with a real state if it is
// wrong.
func TestEdits(t *testing.T) {
	right, wrong := 0, 0
	for _, c := range pairCases {
		for _, edit := range []struct {
			cond  string
			right bool
		}{{c.right, true}, {c.wrong, false}, {c.commute, true}} {
			if edit.cond == "" || edit.cond == c.commute && c.status != "" {
				continue
			}
			file := fmt.Sprintf("cdpor-constraints: 1\npairs:\n  - blocks: [p.s, q.s]\n    commute: %q\n"+
				"    status: manual\n", edit.cond)
			report := check(t, c.text(), file)
			if edit.right {
				right++
				if !report.OK() {
					t.Errorf("%s: %s is refuted:\n%s", c.name, edit.cond, strings.Join(report.Findings[0].Text(), "\n"))
				} else if p := report.Pairs[0]; !p.Weakest && p.Weaker == nil {
					t.Errorf("%s: %s is not the weakest, but no weaker condition is offered", c.name, edit.cond)
				}
				continue
			}
			wrong++
			if len(report.Findings) != 1 || !report.Findings[0].Refuted {
				t.Errorf("%s: %s is not refuted: %v", c.name, edit.cond, report.Findings)
				continue
			}
			f := report.Findings[0]
			if len(f.State) == 0 || len(f.Runs) != 2 || !differ(f.Runs[0], f.Runs[1]) {
				t.Errorf("%s: %s: the state shows no difference:\n%s", c.name, edit.cond, strings.Join(f.Text(), "\n"))
			}
		}
	}
	if right < 30 || wrong < 30 {
		t.Errorf("%d right edits, %d wrong ones", right, wrong)
	}
	t.Logf("%d right edits proved, %d wrong ones refuted", right, wrong)
}

// differ reports whether two orders of the same steps end differently.
func differ(x, y Run) bool {
	ends := func(r Run) string {
		list := []string{r.Steps[0] + r.Ends[0], r.Steps[1] + r.Ends[1]}
		if list[0] > list[1] {
			list[0], list[1] = list[1], list[0]
		}
		return list[0] + list[1]
	}
	return ends(x) != ends(y) || bindings(x.Result) != bindings(y.Result)
}
