package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/oracle"
	"cdpor/lang/step"
)

// A construct is a small program with what it can come to.
type construct struct {
	name, text string
	want       []string // ends and deadlocks with the values of observe, and failures
}

// TestClosedChannels: a receive that minds the end of its channel, alone and in select.
func TestClosedChannels(t *testing.T) {
	checkConstructs(t, []construct{
		{"the zero value and false, again and again", `
shared: {c: "chan[int, 1]", a: int, b: int, ok: bool = true, more: bool = true}
threads:
  p: send c, 7; c.close()
  q: a, _ = recv c; b, ok = recv c; _, more = recv c
`, []string{"end a=7 b=0 ok=false more=false"}},
		{"the default of a range that has no zero", `
types: {Big: 5..9}
shared: {c: "chan[Big, 1]", a: Big}
threads: {p: "c.close()", q: "let v, ok = recv c; assert !ok; a = v"}
`, []string{"end a=5"}},
		{"a receive without ok is an error still", `
shared: {c: "chan[int]", a: int}
threads: {p: "c.close()", q: "a = recv c"}
`, []string{"synchronisation misused"}},
		{"a select takes the end for a value", `
shared: {c: "chan[int, 1]", d: "chan[int, 1]", a: int}
threads:
  p: c.close()
  q: |
    select {
      case let v, ok = recv c { if ok { a = v } else { a = -1 } }
      case let v = recv d { a = v }
    }
`, []string{"end a=-1"}},
		{"beside case closed a receive waits for a value", `
shared: {c: "chan[int, 2]", a: int}
threads:
  p: send c, 1; send c, 2; c.close()
  q: |
    var stop bool
    while !stop {
      select {
        case let v = recv c { a += v }
        case closed c { stop = true }
      }
    }
`, []string{"end a=3"}},
		{"case closed waits for the end", `
shared: {c: "chan[int, 1]", a: int}
threads: {p: "send c, 1", q: "select { case closed c { a = 1 } }"}
`, []string{"deadlock a=0"}},
	})
}

// checkConstructs holds what every program can come to, by the whole state graph, against what is wanted of it.
func checkConstructs(t *testing.T, list []construct) {
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			m, err := load("cdpor: 1\n" + strings.TrimSpace(c.text) + "\n")
			if err != nil {
				t.Fatal(err)
			}
			g, err := oracle.Search(m, maxStates)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range g.Terminals {
				end := map[step.Ending]string{step.Ended: "end", step.Deadlocked: "deadlock"}[m.EndingOf(s)]
				if end == "" {
					continue
				}
				got = append(got, end+valuesOf(t, m, s))
			}
			for f := range g.Failures {
				got = append(got, f.Fault.String())
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

// valuesOf are the numbers and truth values of observe in a state.
func valuesOf(t *testing.T, m *step.Machine, s step.State) (text string) {
	for _, o := range m.Program.Observe {
		value, err := m.CompileValue(o.Expr)
		if err != nil {
			t.Fatal(err)
		}
		words, _ := value(m.NewRunner(), s)
		switch {
		case o.Expr.Type.Kind == step.Bool:
			text += fmt.Sprintf(" %s=%t", o.Name, words[0] != 0)
		case o.Expr.Type.Numeric():
			text += fmt.Sprintf(" %s=%d", o.Name, words[0])
		}
	}
	return text
}

// TestComparisonsOutOfBounds: a number outside of the bounds of an optional one differs from it, in guards and
// elsewhere.
func TestComparisonsOutOfBounds(t *testing.T) {
	checkConstructs(t, []construct{
		{"in a condition, in a guard, in a wish for messages", `
shared: {x: int = 7, v: (0..2)?, same: bool, got: int}
threads:
  p:
    mailbox: int
    run: |
      if v == x { same = true }
      await x != v
      var voted (0..2)?
      receive { case m if voted == m + 5 { got = 1 } case m if voted != m { got = 2 } }
  q: p!7
`, []string{"end x=7 same=false got=2"}},
		{"in values with parts, on both sides", `
types: {R: "record {a 0..2, b (0..2)?}"}
shared: {r: R, xs: "array[2] 0..2", l: "list[0..2, 2]", s: "set[0..2, 2]", z: R?, y: int = 2, same: int}
threads:
  p: |
    if r == R(y + 1, 1) || R{a: 1, b: y + 1} == r { same += 1 }
    if xs == [y, y - 3] || [7, 0] == xs || l == [9] || s == [y + 7] { same += 10 }
    if z == R(y, y + 1) || z == {a: 5, b: null} { same += 100 }
    await r == R(y, null) && xs == [y, y - 1]
    if l != [y - 5] && s != [7] && z != {a: y + 1, b: 7} { same += 1000 }
    y = 0
    xs = [1, 0]
  q: |
    r = R(2, null)
    xs = [2, 1]
    await R{a: 2, b: y} != r && xs == [y + 1, y]
    if [y + 1, y] == xs { same += 10000 }
`, []string{"end y=0 same=11000"}},
	})
}

// TestDaemons: that a daemon waits for ever is no deadlock, and that somebody waits beside it is.
func TestDaemons(t *testing.T) {
	checkConstructs(t, []construct{
		{"a server whose clients have ended", `
shared: {c: "chan[int, 1]", n: int}
threads:
  server: {daemon: true, run: "while true { n += recv c }"}
  client: send c, 3
`, []string{"end n=3"}},
		{"a client that is stuck", `
shared: {c: "chan[int, 1]", d: "chan[int, 1]", n: int}
threads:
  server: {daemon: true, run: "while true { n += recv c }"}
  client: send c, 3; recv d
`, []string{"deadlock n=3"}},
		{"a daemon that somebody joins", `
shared: {f: bool}
main: let h = spawn w(1); join h
threads:
  w: {params: [k int], daemon: true, run: await f}
`, []string{"deadlock f=false"}},
		{"a daemon that was spawned", `
shared: {f: bool, n: int}
main: let h = spawn w(1); n += 1
threads:
  w: {daemon: true, params: [k int], run: await f; n += 1}
`, []string{"end f=false n=1"}},
		{"daemons alone", `
shared: {f: bool}
threads: {a: {count: 2, daemon: true, run: await f}}
`, []string{"end f=false"}},
		{"what fails is no end", `
shared: {f: bool}
threads: {a: {daemon: true, run: "assert f"}, b: skip}
`, []string{"assertion failed"}},
	})
}

// TestCrashing: a thread may stop before each of its steps, also where it chooses and where it waits.
func TestCrashing(t *testing.T) {
	checkConstructs(t, []construct{
		{"before each step", `
shared: {x: int}
threads: {a: "x = 1; x = 2"}
crashes: {}
observe: [x, a.crashed]
`, []string{"end x=0 a.crashed=true", "end x=1 a.crashed=true", "end x=2 a.crashed=false", "end x=2 a.crashed=true"}},
		{"with its lock", `
shared: {m: mutex, x: int}
threads: {a: "lock m; unlock m", b: "lock m; x = 1; unlock m"}
crashes: {of: a}
`, []string{"deadlock x=0", "end x=1"}},
		{"nobody may", `
shared: {x: int}
threads: {a: "x = 1; x = 2"}
crashes: {count: 0}
`, []string{"end x=2"}},
		{"one of two, and who waits for it", `
shared: {n: int}
threads: {a: {count: 2, run: n += 1}, b: await n == 2; n = 3}
crashes: {of: [a]}
`, []string{"deadlock n=1", "end n=3"}},
		{"both", `
shared: {n: int}
threads: {a: {count: 2, run: n += 1}}
crashes: {count: 2}
`, []string{"end n=0", "end n=1", "end n=2"}},
		{"at a choice, whose locals it has then", `
shared: {x: int}
threads:
  a: |
    var k int = 7
    k = any(1..2)
    x = k
crashes: {}
observe: [x, a.k]
`, []string{"end x=0 a.k=1", "end x=0 a.k=2", "end x=0 a.k=7", "end x=1 a.k=1", "end x=2 a.k=2"}},
		{"at a select, ready or not", `
shared: {c: "chan[int, 1]", d: "chan[int, 1]", x: int}
threads:
  a: |
    select {
      case let v = recv c { x = v }
      case let v = recv d { x = v }
      default { x = -1 }
    }
    x += 1
  b: send c, 5
crashes: {of: a}
`, []string{"end x=-1", "end x=0", "end x=5", "end x=6"}},
		{"at a choice among what a bag has", `
shared: {x: int}
threads:
  a: {mailbox: {of: int, order: bag}, run: "receive { case m { x += m } }; x += 10"}
  b: a!1; a!2
crashes: {of: a}
`, []string{"end x=0", "end x=1", "end x=11", "end x=12", "end x=2"}},
		{"a mailbox stays", `
shared: {x: int}
threads:
  a: {mailbox: {of: int, capacity: 1}, daemon: true, run: "while true { receive { case m { x += m } } }"}
  b: a!1; await x == 1; a!2
crashes: {of: a}
`, []string{"deadlock x=0", "end x=1", "end x=3"}},
	})
}
