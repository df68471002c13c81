//go:build cgo && !noz3

package synth

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"cdpor/constraints"
	"cdpor/lang/step"
)

// classicPrograms are pairs of operations of data types that are programs themselves, or that the tables have no rows
// for, with the condition as a person writes it.
var classicPrograms = []classic{
	{"list", listSet, listSet2, "x != y || v == w || x >= l.size()"},
	{"list", listSet, listGet, "x != y || x >= l.size() || l[x] == v"},
	{"list", listGet, "n = l.size()", "true"},
	{"list", "l.append(v)", "l.append(w)", "v == w"},
	{"list", "l.append(v)", listGet, "y != l.size()"},
	{"lru", lruTouch, lruTouch2, "x == y && (x == recent || x == older)"},
	{"ring buffer", ringPut, ringPut2, "x == y"},
	{"ring buffer", ringPut, ringTake, "count > 0"},
	{"ring buffer", ringTake2, ringTake, "count == 0 || count >= 2 && ring[head] == ring[(head + 1) % 4]"},
	{"account", "balance += x", "balance += y", "true"},
	{"account", "balance += x", accountTake2, "balance >= y || balance + x < y"},
	{"account", accountTake, accountTake2, "x + y <= balance || balance < x || balance < y"},
	{"account", "balance += x", "n = balance", "x == 0"},
	{"account", accountTake, "n = balance", "x == 0 || balance < x"},
	{"rw lock", rwRead, rwRead, "true"},
	{"rw lock", rwRead, rwWrite, "writer || readers > 0"},
	{"rw lock", rwWrite, rwWrite, "writer || readers > 0"},
	{"rw lock", rwDone, rwWrite, "writer || readers != 1"},
	{"rw lock", rwDone, rwRead, "writer || readers > 0"},
	{"token ledger", tokenTransfer, tokenBack, "(mine >= x) == (theirs >= y) || mine + y < x || theirs + x < y"},
	{"token ledger", "allowed = x", tokenSpend, "mine < y || allowed < y && x < y || y == 0"},
	{"token ledger", "allowed += x", tokenSpend, "mine < y || allowed >= y || allowed + x < y"},
	{"ballot", ballotVote, ballotVote2, "u != v || voted[u]"},
	{"ballot", ballotVote, "n = votes[y]", "voted[u] || x != y"},
}

const (
	listSet, listSet2 = "if x < l.size() { l[x] = v }", "if y < l.size() { l[y] = w }"
	listGet           = "if y < l.size() { b = l[y] } else { b = null }"
	lruTouch          = "a = x == recent || x == older\nif x != recent { older = recent; recent = x }"
	lruTouch2         = "b = y == recent || y == older\nif y != recent { older = recent; recent = y }"
	ringPut           = "if count < 4 { ring[tail] = x; tail = (tail + 1) % 4; count += 1 }"
	ringPut2          = "if count < 4 { ring[tail] = y; tail = (tail + 1) % 4; count += 1 }"
	ringTake          = "if count > 0 { b = ring[head]; head = (head + 1) % 4; count -= 1 } else { b = null }"
	ringTake2         = "if count > 0 { a = ring[head]; head = (head + 1) % 4; count -= 1 } else { a = null }"
	accountTake       = "a = balance >= x\nif balance >= x { balance -= x }"
	accountTake2      = "b = balance >= y\nif balance >= y { balance -= y }"
	rwRead            = "await !writer\nreaders += 1"
	rwDone            = "if readers > 0 { readers -= 1 }"
	rwWrite           = "await !writer && readers == 0\nwriter = true"
	tokenTransfer     = "a = mine >= x\nif mine >= x { mine -= x; theirs += x }"
	tokenBack         = "b = theirs >= y\nif theirs >= y { theirs -= y; mine += y }"
	tokenSpend        = "b = mine >= y && allowed >= y\n" +
		"if mine >= y && allowed >= y { mine -= y; allowed -= y; theirs += y }"
	ballotVote  = "a = !voted[u]\nif !voted[u] { voted[u] = true; votes[x] += 1 }"
	ballotVote2 = "b = !voted[v]\nif !voted[v] { voted[v] = true; votes[y] += 1 }"
)

// sameThere reports whether two conditions of a classic hold in the same states where there is room.
func sameThere(t *testing.T, session *Session, prog *step.Program, room string, a, b *step.Expr) bool {
	there := classicCondition(t, prog, room)
	set := func(e *step.Expr) *constraints.Set {
		both := &step.Expr{Op: step.And, Type: step.BoolType, Of: step.Own, Args: []*step.Expr{there, e}}
		p, q := stepNamed(t, prog, "p.s"), stepNamed(t, prog, "q.s")
		return &constraints.Set{Program: prog, Pairs: []*constraints.Pair{{A: p, B: q, Commute: both,
			Uniform: constraints.Truth(false), Status: constraints.Manual}}}
	}
	list, err := session.Diff(context.Background(), prog, set(a), set(b))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	return list[0].Same()
}

// whereRoom is a condition of a classic without what does not matter where there is room: without operands that change
// nothing there.
func whereRoom(t *testing.T, session *Session, prog *step.Program, room string, e *step.Expr) *step.Expr {
next:
	for {
		for _, less := range without(e) {
			if sameThere(t, session, prog, room, e, less) {
				e = less
				continue next
			}
		}
		return e
	}
}

// classicCondition reads a condition of the two steps of a classic.
func classicCondition(t *testing.T, prog *step.Program, text string) *step.Expr {
	set, err := constraints.Load(prog, "c.yaml", fmt.Appendf(nil, "cdpor-constraints: 1\npairs:\n"+
		"  - blocks: [p.s, q.s]\n    commute: %q\n", text))
	if err != nil {
		t.Fatal(err)
	}
	return set.Pairs[0].Commute
}

// without is a condition without each of its operands, or a truth in the place of a test.
func without(e *step.Expr) (list []*step.Expr) {
	switch e.Op {
	case step.Const:
		return nil
	case step.And, step.Or:
		list = append(list, e.Args...)
	case step.Not:
	default:
		return []*step.Expr{constraints.Truth(false), constraints.Truth(true)}
	}
	for i, a := range e.Args {
		for _, less := range without(a) {
			c := *e
			c.Args = slices.Clone(e.Args)
			if c.Args[i] = less; less.Op != step.Const || e.Op == step.Not {
				list = append(list, &c)
			}
		}
	}
	return list
}

// tests counts the comparisons and flags of a condition.
func tests(e *step.Expr) int {
	switch {
	case e.Op == step.Const:
		return 0
	case e.Op == step.And, e.Op == step.Or, e.Op == step.Not,
		(e.Op == step.Eq || e.Op == step.Ne) && e.Args[0].Type.Kind == step.Bool:
		n := 0
		for _, a := range e.Args {
			n += tests(a)
		}
		return n
	}
	return 1
}

func init() {
	for name, typ := range map[string]struct{ shared, room string }{
		"list": {"l: list[int, 8]; x: 0..9; y: 0..9; v: 0..3; w: 0..3; b: int?; n: int", "l.size() <= 6"},
		"lru":  {"recent: int; older: int; x: 0..3; y: 0..3; a: bool; b: bool", "recent != older"},
		"ring buffer": {"ring: array[4] int; head: 0..3; tail: 0..3; count: 0..4; x: int; y: int; a: int?; b: int?",
			"count <= 2 && tail == (head + count) % 4"},
		"account": {"balance: int; x: 0..9; y: 0..9; a: bool; b: bool; n: int", "balance >= 0"},
		"rw lock": {"readers: int; writer: bool", "readers >= 0 && !(writer && readers > 0)"},
		"token ledger": {"mine: int; theirs: int; allowed: int; x: 0..9; y: 0..9; a: bool; b: bool",
			"mine >= 0 && theirs >= 0 && allowed >= 0"},
		"ballot": {"voted: array[4] bool; votes: array[3] int; u: 0..3; v: 0..3; x: 0..2; y: 0..2; " +
			"a: bool; b: bool; n: int",
			"true"},
	} {
		classicTypes[name] = typ
	}
}
