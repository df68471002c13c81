//go:build cgo && !noz3

package synth

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

const ring = `
cdpor: 1
name: ring
shared: {buf: "array[4] int", head: int, n: int, out: int}
threads:
  put: |
    s: atomic { if n < 4 { buf[(head + n) % 4] = 7; n += 1 } }
  get: |
    s: atomic { out = buf[head]; head = (head + 1) % 4 }
`

const forks = `
cdpor: 1
name: forks
params: {N: 4}
shared: {fork: "array[N] mutex"}
threads:
  t:
    count: N
    params: {across: (self + 2) % N}
    run: |
      var left int = self
      var right int = (self + 1) % N
      var far int = N - 1 - self
      for k in 1..3 {
        first: lock fork[left]
        second: lock fork[right]
        third: lock fork[far]
        fourth: lock fork[across]
      }
`

const jobs = `
cdpor: 1
name: jobs
shared: {x: int}
threads:
  main: |
    let a = spawn node(1)
    let b = spawn node(2)
    join a
    join b
  node:
    params: [n int]
    run: |
      let l = spawn leaf(n)
      let r = spawn leaf(n)
      first: join l
      second: join r
  leaf:
    params: [n int]
    run: |
      inc: x += n
`

// TestFacts pins what is assumed and what it leaves of the conditions.
func TestFacts(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a ring without invariants", ring,
			[]string{"- always: head in 0..1",
				"commute: n >= 4 || buf[(n + head) % 4] == 7 && buf[(n + (head + 1) % 4) % 4] == 7"}},
		{"locals of instances", forks, []string{
			"- t.first: left == self", "- t.second: right == (self + 1) % N", "- t.third: far == 3 - self",
			"- t.fourth: across == (self + 2) % N",
			"- [t.first, t.first, ", "commute: p.left != q.right || fork[p.left].held()"}},
		{"references to what was started", jobs, []string{"- main.3: a in node[0]..node[7]",
			"- node.first: l in leaf[0]..leaf[7]", "- [node.first, node.second, ",
			"commute: l != q\n"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := synthesize(t, test.text)
			text := string(set.Format())
			for _, line := range test.want {
				if !strings.Contains(text, line) {
					t.Errorf("%q is missing in\n%s", line, text)
				}
			}
			again, err := constraints.Load(set.Program, "c.yaml", []byte(text))
			if err != nil || string(again.Format()) != text {
				t.Errorf("the file does not survive: %v\n%s", err, text)
			}
		})
	}
}

// TestWrongFact: a fact that a person adds must hold.
func TestWrongFact(t *testing.T) {
	for fact, ok := range map[string]bool{
		"always: head >= 0 && head < 4": true, "always: out == 0 || head == 1": false, "put.s: n >= 0": true,
		"always: n <= 0": false,
	} {
		report := check(t, ring, "cdpor-constraints: 1\nassuming:\n  - "+fact+"\npairs: []\n")
		if report.OK() != ok {
			t.Errorf("%s: %v", fact, report.Findings)
			continue
		}
		if text := ""; !ok {
			text = report.Findings[0].Text()[0]
			if text != "the fact n <= 0 does not hold in a reachable state" &&
				!strings.Contains(text, "cannot prove the fact out == 0 || head == 1") {
				t.Error(text)
			}
		}
	}
}

// TestFactsHold compares the facts of all shipped programs with states that are really reached.
func TestFactsHold(t *testing.T) {
	files, _ := filepath.Glob("../testdata/*/*.yaml")
	count, most := 0, 3000
	if testing.Short() {
		most = 600
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src, err := lang.Load(file, text, lang.Options{})
		if err != nil {
			continue // programs for error messages, constraint files
		}
		m, err := step.NewMachine(src.Program)
		if err != nil {
			t.Fatal(err)
		}
		facts := everything(src.Program).List()
		c := &comparison{m: m, r: m.NewRunner(), set: &constraints.Set{Program: src.Program}}
		seen := map[string]bool{}
		states := []step.State{m.Initial()}
		for i := 0; i < len(states) && i < most; i++ {
			for _, f := range facts {
				count++
				if !c.fact(f)(states[i]) {
					t.Fatalf("%s: %s does not hold in %v", file, factText(f), states[i])
				}
			}
			for p := range m.NumProcs() {
				for _, a := range c.actions(states[i], p) {
					next := c.after(states[i], a)
					if k := string(next.Bytes()); !seen[k] && len(states) < 3000 {
						seen[k] = true
						states = append(states, next)
					}
				}
			}
		}
	}
	if count < 1000 {
		t.Errorf("only %d evaluations", count)
	}
}

// TestKeys: what keys a set or map has tells how many there are at most, and that there is room for a missing one. A
// set that is assigned within a record gets all of its keys.
func TestKeys(t *testing.T) {
	reachable := func(text string) *constraints.Set {
		set, _, err := Synthesize(context.Background(), load(t, text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	set := reachable("cdpor: 1\nname: keys\nshared: {m: 'map[int, int, 4]', n: int}\nthreads:\n" +
		"  t: {count: 3, run: 's: m[self] = 1'}\n  r: 'd: atomic { if m.size() == 4 { n = 1 } }'\n")
	if facts := set.Assumed; len(facts) != 1 || factText(facts[0]) != "m.size() <= 3" {
		t.Errorf("%d facts", len(facts))
	}
	if pair := find(t, set, "t.s", "t.s"); set.Text(pair, pair.Commute) != "true" {
		t.Errorf("keys that there is room for: %s", set.Text(pair, pair.Commute))
	}
	set = reachable("cdpor: 1\nname: whole\ntypes: {R: 'record {n int, s set[int, 4]}'}\nshared: {r: R}\n" +
		"threads:\n  a: 'whole: r = {n: 1, s: [5, 6, 7]}'\n  b: {count: 2, run: 'put: r.s.add(self)'}\n")
	want := "r.s.has(p.self) || r.s.has(q.self) || r.s.size() != 3"
	if pair := find(t, set, "b.put", "b.put"); set.Text(pair, pair.Commute) != want {
		t.Errorf("one place for two keys: %s", set.Text(pair, pair.Commute))
	}
}

// TestOptionFacts: what an option holds where it is present is a fact, and does not make null another value than null.
func TestOptionFacts(t *testing.T) {
	set, _, err := Synthesize(context.Background(), load(t, "cdpor: 1\nname: options\nshared:\n"+
		"  offer: array[2] int?\n  other: int?\n  gold: int\n  same: bool\nthreads:\n"+
		"  s: {count: 2, run: 'offer: offer[self] = 5; take: offer[self] = null'}\n"+
		"  b: {count: 2, run: 'buy: atomic { if offer[self] != null { gold += offer[self]! } }'}\n"+
		"  c: 'low: same = gold < 0; eq: same = offer[0] == other'\n  d: 'set: same = false'\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := string(set.Format())
	for _, fact := range []string{"(offer[0] == null || offer[0]! == 5) && (offer[1] == null || offer[1]! == 5)\n",
		"gold in 0..10\n", "other == null\n"} {
		if !strings.Contains(file, "- always: "+fact) {
			t.Errorf("%q is not in\n%s", fact, file)
		}
	}
	pair := find(t, set, "c.eq", "d.set")
	if got := set.Text(pair, pair.Commute); got != "offer[0] != null" {
		t.Errorf("both null: %s", got)
	}
}

// TestFactNames: a bound that the code writes as a parameter is listed with its name, others are numbers.
func TestFactNames(t *testing.T) {
	set := synthesize(t, "cdpor: 1\nname: names\nparams: {N: 3}\nshared:\n  a: array[N + 1] int\n  x: int\nthreads:\n"+
		"  p: |\n    for i in 1..N {\n      w: a[i] = x\n    }\n  q: |\n    for j in 0..2 {\n"+
		"      w: a[j] = x + 1\n    }\n")
	text := string(set.Format())
	for _, want := range []string{"p.w: i in 1..N\n", "q.w: j in 0..2\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestDontCares: conditions say nothing about states outside the ranges that variables are proved to stay in, and the
// file lists these ranges. With AnyState they do.
func TestDontCares(t *testing.T) {
	tests := []struct{ name, shared, p, q, commute, any, fact string }{
		{"all values that are assigned", "x: int; y: int",
			"if x == 0 { x = 1 } else { if x == 1 { x = 2 } else { if x == 2 { x = 0 } } }",
			"if x == 0 { y = 5 } else { if x == 1 { y = 6 } else { if x == 2 { y = 7 } } }", "false",
			"x != 0 && x != 1 && x != 2",
			"x in 0..1; x == 0 at p.s"},
		{"a counter in a record", "wg: waitgroup; n: int", "wg.add(1)", "wg.wait(); n = 1", "false",
			"wg.count != -1 && wg.count != 0",
			"wg.count in 0..1; wg.count == 0 at p.s"},
		{"the size of a list", "s: 'list[int, 8]'; n: int", "if s.size() != 3 { s.append(1) }", "n = s.size()",
			"false", "s.size() == 3 || s.full()", "s.size() <= 1; s.empty() at p.s"},
		{"what a step has compared", "n: int = 1; out: int", "if n < 4 { n = 2 * n }", "if n > 0 { n -= 1; out = n }",
			"n == 0", "n <= 0 || n >= 5",
			"n in 0..2; n in 0..1 at p.s"},
		{"what few have counted", "n: int; out: int", "n += 1; out = 1", "n += 1; if n == 7 { out = 2 }", "true",
			"n != 5", "n in 0..2; n in 0..1 at p.s"},
		{"a comparison of the program stays", "x: int; y: bool", "x = 1", "y = x > 0", "false", "x > 0",
			"x in 0..1; x == 0 at p.s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			prog := load(t, program(test.shared, test.p, test.q))
			for _, opt := range []Options{{}, {AnyState: true}} {
				set, _, err := Synthesize(context.Background(), prog, opt)
				if err != nil {
					t.Fatal(err)
				}
				want, fact := test.commute, test.fact
				if opt.AnyState {
					want, fact = test.any, ""
				}
				var facts []string
				for _, f := range set.Assumed {
					facts = append(facts, factText(f))
				}
				if got := lang.FormatExpr(set.Pairs[0].Commute, nil, nil); got != want ||
					strings.Join(facts, "; ") != fact {
					t.Errorf("%+v: %s, assuming %v; want %s, %s", opt, got, facts, want, fact)
				}
				report, err := Check(context.Background(), prog, set, Options{})
				if err != nil || !report.OK() {
					t.Errorf("%v: %v", err, report.Findings)
				}
			}
		})
	}
}

// TestInvariantRefuted: an invariant of the program that is wrong is shown with a state, and with the step that leads
// to it.
func TestInvariantRefuted(t *testing.T) {
	prog := load(t, "cdpor: 1\nname: i\nshared: {x: int, y: int}\n"+
		"invariant: [\"x >= 0\", \"x < 2\", \"y == 1\"]\nthreads:\n"+
		"  p: |\n    s: x += 1\n  q: |\n    s: x += 1\n    t: y = 1\n")
	_, synthesised, err := Synthesize(context.Background(), prog, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checked, err := Check(context.Background(), prog, &constraints.Set{Program: prog}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, notes := range [][]InvariantNote{synthesised.Invariants, checked.Invariants} {
		if !notes[0].Used || notes[0].Refuted != nil || notes[1].Refuted == nil || notes[2].Refuted == nil {
			t.Fatalf("%+v", notes)
		}
		got := strings.Join(notes[1].Refuted.Text(), "; ")
		if want := "the invariant x < 2 does not hold after q.s; state: x = 2, y = 0; this state can " +
			"be reached, in 2 steps"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if f := notes[2].Refuted; f.Third != nil || len(f.Schedule) != 0 || f.Pos.Line != 4 {
			t.Errorf("y == 1 is false at the start: %+v", f)
		}
	}
}

// TestAlikeKey: two threads run the same step, but behind others from which its local has different ranges.
func TestAlikeKey(t *testing.T) {
	prog := load(t, "cdpor: 1\nname: alike\nshared: {x: int, y: int, z: int}\nthreads:\n"+
		"  a: |\n    let i = x\n    s: z = i\n  b: |\n    let i = y\n    s: z = i\n  c: |\n    x = 1\n"+
		"    y = 9\n    z = 9\n")
	s, err := NewSession(Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.engine(context.Background(), prog)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := stepNamed(t, prog, "a.s"), stepNamed(t, prog, "b.s"), stepNamed(t, prog, "c.3")
	if e.keys.Pair(a, c) != e.keys.Pair(b, c) || e.keys.Alike(a, c) == e.keys.Alike(b, c) {
		t.Error("the keys of a pair within its program must tell what its locals may be")
	}
}

const hall = `
cdpor: 1
name: hall
shared: {inside: int, closed: bool}
threads:
  person:
    count: 3
    run: |
      var got bool
      enter: atomic { if !closed && inside < 2 { inside += 1; got = true } }
      wait: await closed
      if got { leave: inside -= 1 }
  guard: |
    shut: closed = true
    open: atomic { if inside == 0 { closed = false } }
check: {always: [inside in 0..2]}
`

const line = `
cdpor: 1
name: line
params: {IDLE: -1}
shared: {todo: "array[2] queue[int, 4]", doing: "array[2] int = IDLE", served: int}
threads:
  sender: |
    for i in 1..3 { push: todo[i % 2].push(i) }
  worker:
    count: 2
    run: |
      for k in 1..2 {
        take: atomic { if doing[self] == IDLE && !todo[self].empty() { doing[self] = todo[self].pop() } }
        give: atomic { if doing[self] != IDLE { todo[1 - self].push(doing[self]); doing[self] = IDLE } }
      }
`

// TestCounted: a process that counts itself in remembers that until it counts itself out, so what the program asserts
// of the count is proved and assumed, and each step knows what the process there has added.
func TestCounted(t *testing.T) {
	for program, lines := range map[string][]string{
		hall: {"- always: inside in 0..2\n", "- person.leave: inside in 1..2\n",
			"[person.leave, guard.open]\n    commute: inside != 1\n", "- [person.leave, person.leave, "},
		line: {"- always: todo[0].size() <= 3 && todo[1].size() <= 3\n"}, // all in one
	} {
		holds(t, program, lines...)
	}
}

// holds checks that what is found for a program has some lines, and that its file is proved.
func holds(t *testing.T, program string, lines ...string) {
	t.Helper()
	set, _, err := Synthesize(t.Context(), load(t, program), Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(set.Format())
	for _, want := range lines {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	again, err := constraints.Load(set.Program, "c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if report, err := Check(t.Context(), set.Program, again, Options{}); err != nil || !report.OK() {
		t.Errorf("%v: %v", err, report.Findings)
	}
}

// TestLemmas: what the program asserts is not inductive by itself, and is proved with what is listed; a bound, and an
// element with a number for its index, are written as the steps write them.
func TestLemmas(t *testing.T) {
	holds(t, `
cdpor: 1
name: reentrant
params: {NOBODY: -1}
shared: {owner: int = NOBODY, depth: int, broken: bool}
threads:
  user:
    count: 2
    run: |
      for k in 1..9 {
        enter: atomic { if owner == NOBODY || owner == self { owner = self; depth += 1 } }
        leave: atomic { if owner == self { depth -= 1; if depth == 0 { owner = NOBODY } } }
      }
  admin: |
    reset: atomic { if broken { owner = NOBODY; depth = 0 } else { broken = true } }
check: {always: [depth >= 0]}
`, "- always: owner == NOBODY || depth >= 1\n", "[user.enter, user.enter]\n    commute: owner != NOBODY\n",
		"- [user.leave, user.leave, ")
	holds(t, strings.Replace(line, "params: {IDLE: -1}", "params: {IDLE: -1, ILL: 0}", 1)+`  doctor: |
    look: served = doing[0]
    again: if doing[1] == IDLE { served += 1 }
`, "commute: p.self == 1 || doing[0] == IDLE")
}

// Who starts workers counts each before, and each takes that back.
const countedWorkers = `
cdpor: 1
name: counted-workers
bounds: {worker: 3}
shared:
  left: int
threads:
  main: |
    for i in 1..3 {
      add: left += 1
      let w = spawn worker()
    }
    wait: await left == 0
  worker:
    params: []
    run: |
      done: atomic { left -= 1; assert left >= 0 }
`

// TestFactsOfTwo: two workers that are not done are both counted, which a file says, and check proves.
func TestFactsOfTwo(t *testing.T) {
	prog := load(t, countedWorkers)
	set, _, err := Synthesize(t.Context(), prog, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(set.Format())
	for _, line := range []string{"- worker.done, worker.done: left in 2..3", "- [worker.done, worker.done, "} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
	again, err := constraints.Load(prog, "c.yaml", []byte(text))
	if err != nil || string(again.Format()) != text {
		t.Errorf("the file does not survive: %v\n%s", err, text)
	}
	for fact, want := range map[string]string{
		"worker.done, worker.done: left >= 2": "",
		"main.add, worker.done: left >= 1":    "",
		"worker.done, worker.done: left >= 3": "the fact left >= 3 at worker.done and worker.done does not",
		"worker.done, worker.done: left == 2": "the fact left == 2 at worker.done and worker.done does not",
	} {
		report := check(t, countedWorkers, "cdpor-constraints: 1\nassuming:\n  - "+fact+"\npairs: []\n")
		if report.OK() != (want == "") || want != "" && !strings.Contains(report.Findings[0].Text()[0], want) {
			t.Errorf("%s: %v", fact, report.Findings)
		}
	}
}
