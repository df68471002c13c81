//go:build cgo && !noz3

package synth

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cdpor/constraints"
	"cdpor/lang"
)

// A classic is a pair of operations of a data type with the condition under which they commute according to the tables
// of Kim and Rinard, Verification of Semantic Commutativity Conditions and Inverse Operations on Linked Data
// Structures, PLDI 2011. What an operation returns is a part of the state: a and b. The tables are about containers
// without bounds, so here a condition is asked for only where there is room.
type classic struct{ typ, p, q, published string }

// shared are the variables of each data type, and where there is room.
var classicTypes = map[string]struct{ shared, room string }{
	"set": {"s: set[int, 8]; x: 0..3; y: 0..3; a: bool; b: bool; n: int; m: int", "s.size() <= 6"},
	"map": {"t: \"map[int, int, 8]\"; x: 0..3; y: 0..3; v: 0..3; w: 0..3; a: int?; b: int?; h: bool; n: int",
		"t.size() <= 6"},
	"stack":          {"s: list[int, 8]; x: 0..3; y: 0..3; a: int?; b: int?; n: int", "s.size() <= 6"},
	"queue":          {"q0: queue[int, 8]; x: 0..3; y: 0..3; a: int?; b: int?; n: int", "q0.size() <= 6"},
	"priority queue": {"h: bag[int, 8]; x: 0..3; y: 0..3; a: int?; b: int?; n: int", "h.size() <= 6"},
	"counter":        {"c: int; a: int; b: int", "true"},
	"accumulator":    {"c: int; x: int; y: int; a: int; b: int", "true"},
}

const (
	setAdd, setAdd2       = "a = !s.has(x)\ns.add(x)", "b = !s.has(y)\ns.add(y)"
	setRemove, setRemove2 = "a = s.has(x)\ns.remove(x)", "b = s.has(y)\ns.remove(y)"
	setHas, setHas2       = "a = s.has(x)", "b = s.has(y)"
	mapPut, mapPut2       = "a = t.get(x)\nt[x] = v", "b = t.get(y)\nt[y] = w"
	mapRemove, mapRemove2 = "a = t.get(x)\nt.remove(x)", "b = t.get(y)\nt.remove(y)"
	mapGet, mapGet2       = "a = t.get(x)", "b = t.get(y)"
	stackPush, stackPush2 = "s.append(x)", "s.append(y)"
	stackPop, stackPop2   = "if s.empty() { a = null } else { a = s.pop() }",
		"if s.empty() { b = null } else { b = s.pop() }"
	stackTop              = "if s.empty() { b = null } else { b = s.last() }"
	queuePut, queuePut2   = "q0.push(x)", "q0.push(y)"
	queueTake, queueTake2 = "if q0.empty() { a = null } else { a = q0.pop() }",
		"if q0.empty() { b = null } else { b = q0.pop() }"
	heapMin    = "if h.empty() { b = null } else { b = h.min() }"
	heapTake   = "if h.empty() { a = null } else { a = h.min(); h.remove(h.min()) }"
	heapTake2  = "if h.empty() { b = null } else { b = h.min(); h.remove(h.min()) }"
	queueFront = "if q0.empty() { b = null } else { b = q0.front() }"
)

var classics = []classic{
	{"set", setAdd, setAdd2, "x != y || s.has(x)"},
	{"set", setAdd, setRemove2, "x != y"},
	{"set", setAdd, setHas2, "x != y || s.has(x)"},
	{"set", setAdd, "n = s.size()", "s.has(x)"},
	{"set", setRemove, setRemove2, "x != y || !s.has(x)"},
	{"set", setRemove, setHas2, "x != y || !s.has(x)"},
	{"set", setRemove, "n = s.size()", "!s.has(x)"},
	{"set", setHas, setHas2, "true"},
	{"set", setHas, "n = s.size()", "true"},
	{"map", mapPut, mapPut2, "x != y || v == w && t.has(x) && t[x] == v"},
	{"map", mapPut, mapGet2, "x != y || t.has(x) && t[x] == v"},
	{"map", mapPut, "h = t.has(y)", "x != y || t.has(x)"},
	{"map", mapPut, mapRemove2, "x != y"},
	{"map", mapPut, "n = t.size()", "t.has(x)"},
	{"map", mapRemove, mapRemove2, "x != y || !t.has(x)"},
	{"map", mapRemove, mapGet2, "x != y || !t.has(x)"},
	{"map", mapRemove, "h = t.has(y)", "x != y || !t.has(x)"},
	{"map", mapRemove, "n = t.size()", "!t.has(x)"},
	{"map", mapGet, mapGet2, "true"},
	{"stack", stackPush, stackPush2, "x == y"},
	{"stack", stackPush, stackPop2, "!s.empty() && s.last() == x"},
	{"stack", stackPop, stackPop2, "s.empty() || s.size() >= 2 && s[s.size() - 1] == s[s.size() - 2]"},
	{"stack", stackPush, stackTop, "!s.empty() && s.last() == x"},
	{"stack", stackPop, stackTop, "s.empty() || s.size() >= 2 && s[s.size() - 1] == s[s.size() - 2]"},
	{"stack", stackPush, "n = s.size()", "false"},
	{"queue", queuePut, queuePut2, "x == y"},
	{"queue", queuePut, queueTake2, "!q0.empty()"},
	{"queue", queueTake, queueTake2, "q0.empty() || q0.size() >= 2 && q0[0] == q0[1]"},
	{"queue", queuePut, queueFront, "!q0.empty()"},
	{"queue", queueTake, queueFront, "q0.empty() || q0.size() >= 2 && q0[0] == q0[1]"},
	{"queue", queuePut, "n = q0.size()", "false"},
	{"priority queue", "h.add(x)", "h.add(y)", "true"},
	{"priority queue", "h.add(x)", heapTake2, "!h.empty() && x >= h.min()"},
	{"priority queue", "h.add(x)", heapMin, "!h.empty() && x >= h.min()"},
	{"priority queue", "h.add(x)", "n = h.size()", "false"},
	{"priority queue", heapTake, heapTake2, "h.empty() || h.size() >= 2 && h.at(0) == h.at(1)"},
	{"priority queue", heapTake, heapMin, "h.empty() || h.size() >= 2 && h.at(0) == h.at(1)"},
	{"counter", "c += 1", "c += 1", "true"},
	{"counter", "c += 1", "c -= 1", "true"},
	{"counter", "c += 1", "b = c", "false"},
	{"counter", "c += 1", "c = 0", "false"},
	{"counter", "a = c", "b = c", "true"},
	{"accumulator", "c += x", "c += y", "true"},
	{"accumulator", "c += x", "b = c", "x == 0"},
	{"accumulator", "a = c", "b = c", "true"},
}

// TestClassics holds the synthesised conditions of the operations of common data types, which are the weakest, against
// published ones: where there is room they hold in the same states, and the synthesised one is not longer there.
func TestClassics(t *testing.T) {
	session, err := NewSession(Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("# Commutativity of common data types\n\n" +
		"Written by `go test ./synth -run Classics -update`. Two operations, whose results go to `a` and `b`;\n" +
		"the condition of Kim and Rinard, PLDI 2011, or, from list on, one that is written by hand; the one\n" +
		"that was synthesised, which is the weakest; and that without what does not matter where the container\n" +
		"has room, or a lock, a ring or an account is in a state that its operations bring about: there both\n" +
		"hold in the same states, and the synthesised one is never longer.\n" +
		"\n| type | p | q | published | synthesised | where there is room |\n|---|---|---|---|---|---|\n")
	code := func(s string) string {
		return "`" + strings.ReplaceAll(strings.ReplaceAll(s, "\n", "; "), "|", "\\|") + "`"
	}
	for _, c := range slices.Concat(classics, classicPrograms) {
		typ := classicTypes[c.typ]
		text := program(typ.shared, c.p, c.q)
		prog, begun := load(t, text), time.Now()
		set, _, err := session.Synthesize(context.Background(), prog)
		if took := time.Since(begun); err != nil || took > time.Second {
			t.Fatalf("%s: %q and %q: %v after %v", c.typ, c.p, c.q, err, took)
		}
		pair := find(t, set, "p.s", "q.s")
		got := lang.FormatExpr(pair.Commute, pair.A.Template, pair.B.Template)
		if pair.Status != constraints.Exact {
			t.Errorf("%s: %q and %q: %s, which is %s", c.typ, c.p, c.q, got, pair.Status)
		}
		published := classicCondition(t, prog, c.published)
		if !sameThere(t, session, prog, typ.room, pair.Commute, published) {
			t.Errorf("%s: %q and %q: where there is room %s is not %s", c.typ, c.p, c.q, got, c.published)
		}
		short := whereRoom(t, session, prog, typ.room, pair.Commute)
		there := lang.FormatExpr(short, pair.A.Template, pair.B.Template)
		if most := tests(published); tests(short) > most {
			t.Errorf("%s: %q and %q: where there is room %s is longer than %s", c.typ, c.p, c.q, there, c.published)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", c.typ, code(c.p), code(c.q), code(c.published), code(got),
			code(there))
	}
	isPage(t, "../testdata/tables/classics.md", b.Bytes())
}
